//! The trimmers of single reads against their definitions, written plainly.

use biofast_fastq::Record;
use proptest::prelude::*;

use super::*;
use crate::filter::TrimmedRead;

fn left(trimmer: impl Trimmer, sequence: &[u8], qualities: &[u8]) -> Vec<u8> {
    let mut read = TrimmedRead::new(Record::new(b"r", sequence, qualities));
    trimmer.trim_read(&mut read, 0);
    assert_eq!(read.sequence().len(), read.qualities().len());
    read.sequence().to_vec()
}

fn of(trimmer: impl Trimmer, sequence: &str) -> String {
    let left = left(trimmer, sequence.as_bytes(), &vec![b'I'; sequence.len()]);
    String::from_utf8(left).expect("ASCII")
}

fn read() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (0usize..80).prop_flat_map(|len| {
        let base = prop::sample::select(&b"ACGTN"[..]);
        (prop::collection::vec(base, len), prop::collection::vec(33u8..=75, len))
    })
}

#[test]
fn runs_of_one_base() {
    assert_eq!(of(PolyG(10), "ACGTACGGGGGGGGGG"), "ACGTAC");
    // Ten bases may have one other among them, so nine G are enough, and eight aren't.
    assert_eq!(of(PolyG(10), "ACGTACGGGGGGGGG"), "ACGTAC");
    assert_eq!(of(PolyG(10), "ACGTACGGGGGGGG"), "ACGTACGGGGGGGG");
    // One other base in eight, and the run ends with a G.
    assert_eq!(of(PolyG(10), "ACTTACGGGGAGGGGGGGG"), "ACTTAC");
    assert_eq!(of(PolyG(10), "ACTTACAGGGGGGGGGGA"), "ACTTACA");
    assert_eq!(of(PolyG(10), "GGGGGGGGGGGG"), "");
    assert_eq!(of(PolyX(10), "ACGTCCAAAAAAAAAAAAA"), "ACGTCC");
    assert_eq!(of(PolyX(10), "ACGTCCTTTTTTTTTT"), "ACGTCC");
    assert_eq!(of(PolyX(10), "ACGTACGTACGTACGT"), "ACGTACGTACGTACGT");
    assert_eq!(of(PolyG(10), ""), "");
    // Found in a real library: six G of ten bases are no run, whatever comes before.
    let read = "ACCTTTACTTTACCATTTTACTTACTTAACATTTACTGAGTGAGAGT";
    assert_eq!(of(PolyG(10), read), read);
    assert_eq!(of(PolyX(10), read), read);
}

/// The last k bases of the read may be a run of `base`.
fn may_be(s: &[u8], k: usize, is: impl Fn(u8) -> bool, share: bool) -> bool {
    let others = s[s.len() - k..].iter().filter(|&&b| !is(b)).count();
    others <= 5 && (!share || 8 * others <= k)
}

/// What is left without a run of G: the rule of docs/filter.md, tried at each length.
fn without_g(s: &[u8], min: usize) -> usize {
    let is = |b| b == b'G';
    let fits = |k: &usize| may_be(s, *k, is, *k >= min);
    let reach = (0..=s.len()).take_while(fits).last().unwrap_or(0);
    let last = (1..=reach).rev().find(|k| is(s[s.len() - k]));
    s.len() - last.filter(|_| reach >= min).unwrap_or(0)
}

/// The same of a run of any base.
fn without_any(s: &[u8], min: usize) -> usize {
    let is = |base: u8| move |b| b == base || b == b'N';
    let from = 9.min(min - 1);
    let fits = |k: &usize| b"ATCG".iter().any(|&base| may_be(s, *k, is(base), true));
    let fails = (from.max(1)..=s.len()).find(|k| !fits(k)).unwrap_or(s.len() + 1);
    if fails < min {
        return s.len();
    }
    let seen = &s[s.len() - fails.min(s.len())..];
    let count = |base: u8| seen.iter().filter(|&&b| is(base)(b)).count();
    let base = b"GCTA".iter().copied().max_by_key(|&base| count(base)).expect("four bases");
    let start = seen.iter().position(|&b| b == base).unwrap_or(seen.len());
    s.len() - (seen.len() - start)
}

#[test]
fn known_adapters() {
    let with = |adapter: &str| {
        let mut adapters = Adapters::new(4, 0.125);
        adapters.add(0, adapter.as_bytes()).expect("an adapter");
        adapters
    };
    assert_eq!(of(with("AGATCGGAAGAGC"), "TTTTTTTTAGATCGGAAGAGCTT"), "TTTTTTTT");
    assert_eq!(of(with("agatcggaagagc"), "TTTTTTTTAGATCGCAAGAGCTT"), "TTTTTTTT");
    assert_eq!(of(with("AGATCGGAAGAGC"), "TTTTTTTTAGAACGCAAGAGCTT"), "TTTTTTTTAGAACGCAAGAGCTT");
    assert_eq!(of(with("AGATCGGAAGAGC"), "TTTTTTTTAGAT"), "TTTTTTTT");
    assert_eq!(of(with("AGATCGGAAGAGC"), "TTTTTTTTAGA"), "TTTTTTTTAGA");
    assert_eq!(of(with("ANNTCGG"), "TTTTACCTCGGAA"), "TTTT");
    // Shorter than the least overlap: the whole of it.
    assert_eq!(of(with("ACG"), "TTTTTACGTTTT"), "TTTTT");
    assert_eq!(of(with("AGATCGGAAGAGC"), ""), "");
    for wrong in ["", "ACGX", "AC GT"] {
        assert!(Adapters::new(4, 0.1).add(0, wrong.as_bytes()).is_err(), "{wrong:?}");
    }
    for kit in KITS {
        let mut adapters = Adapters::new(4, 0.1);
        kit.adapters.iter().enumerate().for_each(|(mate, adapter)| {
            adapters.add(mate, adapter.as_bytes()).expect(kit.name);
        });
    }
}

/// Rolling through the windows as fastp describes it.
fn windows(
    (s, q): (&[u8], &[u8]),
    window: usize,
    phred: f64,
    right: bool,
) -> std::ops::Range<usize> {
    let (l, mean) = (s.len(), |at: usize| {
        q[at..at + window].iter().map(|&q| f64::from(q) - 33.0).sum::<f64>() / window as f64
    });
    if l <= window {
        return 0..l;
    }
    if right {
        for at in 0..l - window {
            if mean(at) < phred {
                let good = (at..l).find(|&i| f64::from(q[i]) - 33.0 < phred).unwrap_or(l);
                return 0..good;
            }
        }
        return 0..l;
    }
    let mut at = 0;
    while at < l - window && mean(at) < phred {
        at += 1;
    }
    let mut start = if at > 0 { at + window - 1 } else { 0 };
    while start < l && s[start] == b'N' {
        start += 1;
    }
    start..l
}

/// Reads that end in something like a run.
fn with_run() -> impl Strategy<Value = Vec<u8>> {
    let base = prop::sample::select(&b"ACGT"[..]);
    let run = (prop::sample::select(&b"GGGACT"[..]), 1u8..9, 0usize..50);
    let other = prop::collection::vec((0u8..9, prop::sample::select(&b"ACGTN"[..])), 50);
    (prop::collection::vec(base, 0..30), run, other).prop_map(
        |(mut s, (base, share, len), other)| {
            s.extend(other[..len].iter().map(|&(n, other)| if n < share { base } else { other }));
            s
        },
    )
}

proptest! {
    #[test]
    fn runs_are_cut_as_defined(s in with_run(), min in 1usize..30) {
        let q = vec![b'I'; s.len()];
        prop_assert_eq!(left(PolyG(min), &s, &q).len(), without_g(&s, min));
        prop_assert_eq!(left(PolyX(min), &s, &q).len(), without_any(&s, min));
    }

    #[test]
    fn windows_are_cut((s, q) in read(), size in 1usize..8, phred in 5f64..38.0) {
        let window = QualityWindow::new(size, phred);
        let expected = windows((&s, &q), size, phred, false);
        prop_assert_eq!(left(CutFront(window), &s, &q), &s[expected]);
        let expected = windows((&s, &q), size, phred, true);
        prop_assert_eq!(left(CutRight(window), &s, &q), &s[expected]);
        // From the end is from the front of the reversed read.
        let (mut s2, mut q2) = (s.clone(), q.clone());
        s2.reverse();
        q2.reverse();
        let mut expected = s2[windows((&s2, &q2), size, phred, false)].to_vec();
        expected.reverse();
        prop_assert_eq!(left(CutTail(window), &s, &q), expected);
    }

    #[test]
    fn crops((s, q) in read(), front in 0usize..90, tail in 0usize..90, keep in 0usize..90) {
        let end = s.len().saturating_sub(tail).max(front.min(s.len()));
        let crop = Crop { front: [front, 0], tail: [tail, 0] };
        prop_assert_eq!(left(crop, &s, &q), &s[front.min(end)..end]);
        prop_assert_eq!(left(KeepFirst([keep, 0]), &s, &q), &s[..keep.min(s.len())]);
    }

    #[test]
    fn adapters_are_found_where_the_definition_says(
        (s, q) in read(), adapter in "[ACGT]{1,20}", at in 0usize..90, min in 1usize..6, rate in 0f64..0.3,
    ) {
        let mut s = s;
        let at = at.min(s.len());
        for (base, &adapter) in s[at..].iter_mut().zip(adapter.as_bytes()) {
            *base = adapter;
        }
        let mut adapters = Adapters::new(min, rate);
        adapters.add(0, adapter.as_bytes()).expect("an adapter");
        let found = (0..s.len()).find(|&at| {
            let pairs = || s[at..].iter().zip(adapter.as_bytes());
            let differ = pairs().filter(|(a, b)| a != b).count();
            s.len() - at >= min && differ <= (pairs().count() as f64 * rate) as usize
        });
        prop_assert_eq!(left(adapters, &s, &q), &s[..found.unwrap_or(s.len())]);
    }
}
