//! Every engine finds what comparing each place with each motif does.

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;

use super::*;

/// Comparing each place with each motif.
fn plain(
    motifs: &[Vec<u8>],
    read: &[u8],
    mismatches: u32,
    region: Option<ReadRegion>,
    both: bool,
) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (pattern, letters) in motifs.iter().enumerate() {
        let motif = Motif::new(letters).expect("a motif");
        for strand in [Strand::Forward, Strand::Reverse] {
            if strand == Strand::Reverse && !both {
                continue;
            }
            let mut text = read.to_vec();
            if strand == Strand::Reverse {
                reverse_complement(read, &mut text);
            }
            let part = region.map_or(0..text.len(), |region| region.of(text.len()));
            for at in part.clone() {
                let Some(found) = text.get(at..at + letters.len()) else { continue };
                if at + letters.len() > part.end
                    || motif.mismatches(found).is_none_or(|n| n > mismatches)
                {
                    continue;
                }
                let start = match strand {
                    Strand::Forward => at,
                    Strand::Reverse => text.len() - at - letters.len(),
                };
                hits.push(Hit { pattern, strand, start, len: letters.len() });
            }
        }
    }
    hits
}

fn letters(numbers: &mut Random, alphabet: &[u8], len: usize) -> Vec<u8> {
    (0..len).map(|_| alphabet[numbers.below(alphabet.len())]).collect()
}

#[test]
fn every_engine_finds_what_a_comparison_of_all_places_does() {
    let mut numbers = Random(3);
    let regions = ["1:20", "-15:-2", "3:-3", "40:50", "-200:-100"];
    let regions = regions.map(|text| text.parse::<ReadRegion>().expect("a region"));
    for case in 0..times(600) {
        let mismatches = if case % 2 == 0 { 0 } else { numbers.below(4) as u32 };
        let alphabet: &[u8] = if case % 4 < 2 { b"ACGT" } else { b"ACGTACGTRYKMSWBDHVN" };
        let count = if case % 7 == 0 { 40 } else { 1 + numbers.below(4) };
        let motifs: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let len = match numbers.below(12) {
                    0 => 60 + numbers.below(20),
                    _ => 4 + numbers.below(9),
                };
                letters(&mut numbers, alphabet, len)
            })
            .collect();
        let len = numbers.below(120);
        let mut read = letters(&mut numbers, if case % 3 == 0 { b"ACGTN" } else { b"ACGGT" }, len);
        // Something to be found, on either strand.
        let whole = Motif::new(&motifs[0]).expect("a motif");
        let put = if case % 5 == 0 { whole.reverse_complement() } else { whole };
        let at = numbers.below(len + 1);
        let concrete =
            put.letters().iter().map(|&letter| b"ACGT"[bases(letter).trailing_zeros() as usize]);
        read.splice(at..at, concrete);
        let region = (case % 6 == 0).then(|| regions[numbers.below(5)]);
        let both = case % 8 != 1;
        let expected = plain(&motifs, &read, mismatches, region, both);
        let patterns = motifs.iter().map(Pattern::new).collect();
        let search = Search::new(patterns).within(Within::Sequence).mismatches(mismatches);
        let finder = search.forward_only(!both).region(region).build().expect("motifs");
        let record = Record::new(b"r", &read, &read);
        let mut searcher = finder.searcher();
        assert_eq!(searcher.find(&record, true), expected, "{case}");
        let mut found: Vec<usize> = expected.iter().map(|hit| hit.pattern).collect();
        found.dedup();
        let some: Vec<usize> =
            searcher.find(&record, false).iter().map(|hit| hit.pattern).collect();
        assert_eq!(some, found, "{case}");
    }
}

#[test]
fn letters_accept_what_says_no_more_than_they_do() {
    let is_at = |motif: &str, text: &str| {
        Motif::new(motif.as_bytes()).expect("a motif").is_at(text.as_bytes())
    };
    assert!(
        is_at("N", "N")
            && is_at("N", "R")
            && is_at("N", ".")
            && !is_at("A", "N")
            && !is_at("R", "N")
    );
    assert!(
        is_at("V", "R")
            && !is_at("R", "V")
            && is_at("U", "T")
            && is_at("U", "U")
            && !is_at("T", "U")
    );
    assert!(!is_at("a", "A") && !is_at("A", "a") && is_at("a", "a") && is_at("n", "r"));
    assert!(Motif::new(b"acR").expect("a motif").any_case(true).is_at(b"AcgT"));
}

#[test]
#[cfg(feature = "regex")]
fn expressions_are_found_on_both_strands_and_in_names() {
    let search = || Search::new(vec![Pattern::new("A+C"), Pattern::new("^GG")]).regex(true);
    let finder = search().within(Within::Sequence).build().expect("expressions");
    let record = Record::new(b"r/1 AAC", b"TAACGTTCC", b"IIIIIIIII");
    let hit = |pattern, strand, start, len| Hit { pattern, strand, start, len };
    let (forward, reverse) = (Strand::Forward, Strand::Reverse);
    let expected = [hit(0, forward, 1, 3), hit(0, reverse, 4, 3), hit(1, reverse, 7, 2)];
    assert_eq!(finder.searcher().find(&record, true), expected);
    assert_eq!(finder.searcher().find(&record, false).len(), 2);
    assert!(search().build().expect("expressions").searcher().find(&record, true).is_empty());
    let finder = search().within(Within::Definition).build().expect("expressions");
    assert_eq!(finder.searcher().find(&record, true), [hit(0, forward, 4, 3)]);
    assert!(matches!(
        Search::new(vec![Pattern::new("(")]).regex(true).build(),
        Err(SearchError::Regex { .. })
    ));
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let search = |pattern: &str| Search::new(vec![Pattern::new(pattern)]);
    let sequence = |pattern: &str| search(pattern).within(Within::Sequence);
    assert_eq!(Search::default().build().err(), Some(SearchError::NoPatterns));
    assert!(matches!(
        sequence("ACGT").mismatches(4).build(),
        Err(SearchError::TooManyMismatches { motif: None, .. })
    ));
    assert!(matches!(
        sequence("AC").mismatches(2).build(),
        Err(SearchError::TooManyMismatches { motif: Some(_), .. })
    ));
    assert!(matches!(search("r1").mismatches(1).build(), Err(SearchError::Unfit(_))));
    assert!(matches!(search("r1").region("1:2".parse().ok()).build(), Err(SearchError::Unfit(_))));
}
