use biofast_fastq::Record;
use biofast_testkit::effort::times;
use biofast_testkit::random::Random;

use super::align::{Aligner, FreeEnds, LetterMatching};
use super::words::Words;
use super::*;

/// What is left of a read, by the notation.
fn left(side: AdapterSide, text: &str, settings: &AdapterSettings, read: &str) -> String {
    let mut cutter = AdapterCutter::new();
    cutter.add(0, side, text, settings).expect("an adapter");
    let qualities = "I".repeat(read.len());
    let mut read = TrimmedRead::new(Record::new(b"r", read.as_bytes(), qualities.as_bytes()));
    cutter.trim_read(&mut read, 0);
    String::from_utf8_lossy(read.sequence()).into_owned()
}

#[test]
fn each_kind_of_adapter_cuts_its_side() {
    use AdapterSide::{Anywhere, Back, Front};
    for (side, text, read, expected) in [
        (Back, "ADAPTR".replace('P', "C").as_str(), "TTTTTTTT", "TTTTTTTT"),
        (Back, "ACGTCA", "TTTTACGTCAGG", "TTTT"),
        (Back, "ACGTCA", "TTTTACG", "TTTT"),
        (Back, "ACGTCA", "TTTTAC", "TTTTAC"),
        (Back, "ACGTCA$", "TTTTACGTCAGG", "TTTTACGTCAGG"),
        (Back, "ACGTCA$", "GGGGACGTCA", "GGGG"),
        (Back, "ACGTCAX", "GGGGACGTCAGG", "GGGGACGTCAGG"),
        (Back, "ACGTCAX", "GGGGACGT", "GGGG"),
        (Front, "ACGTCA", "GGACGTCATTTT", "TTTT"),
        (Front, "ACGTCA", "GTCATTTT", "TTTT"),
        (Front, "^ACGTCA", "ACGTCATTTT", "TTTT"),
        (Front, "^ACGTCA", "GACGTCATTTT", "GACGTCATTTT"),
        (Front, "XACGTCA", "TCATTTT", "TTTT"),
        (Front, "XACGTCA", "GGACGTCATTTT", "GGACGTCATTTT"),
        (Anywhere, "ACGTCA", "ACGTCATTTT", "TTTT"),
        (Anywhere, "ACGTCA", "TTTTACGTCAGG", "TTTT"),
        (Back, "^AAAC...ACGTCA", "AAACTTTTACGTCA", "TTTT"),
        (Back, "^AAAC...ACGTCA", "GAACTTTTACGTCA", "GAACTTTTACGTCA"),
        (Front, "AAAC...ACGTCA", "AAACTTTTGGGG", "AAACTTTTGGGG"),
        (Front, "AAAC...ACGTCA;optional", "AAACTTTTGGGG", "TTTTGGGG"),
        (Back, "AC{3}GT", "TTTTACCCGTA", "TTTT"),
        (Back, "ACGTCA;o=5", "TTTTACGT", "TTTTACGT"),
        (Back, "ACGT;rightmost", "TTACGTGGACGTC", "TTACGTGG"),
        (Front, "ACGT;rightmost", "TTACGTGGACGTC", "C"),
        (Back, "ANNTCA", "TTTTAGGTCA", "TTTT"),
        // A whole number is one of errors, of a match of the whole adapter.
        (Back, "ACGTCAGG;e=1", "TTTTACTCAGGA", "TTTT"),
        (Back, "ACGTCAGG;e=1", "TTTTACTCTGGA", "TTTTACTCTGGA"),
        (Back, "ACGTCAGG;e=1;noindels", "TTTTACTCAGGA", "TTTTACTCAGGA"),
        (Back, "ACGTCAGG;e=1;indels", "TTTTACTCAGGA", "TTTT"),
    ] {
        assert_eq!(left(side, text, &AdapterSettings::default(), read), expected, "{text} {read}");
    }
    let loose = AdapterSettings { max_errors: 0.2, ..AdapterSettings::default() };
    assert_eq!(left(Back, "ACGTCAGG", &loose, "TTTTACTCAGGA"), "TTTT");
    let no_indels = AdapterSettings { indels: false, ..loose };
    assert_eq!(left(Back, "ACGTCAGG;indels", &no_indels, "TTTTACTCAGGA"), "TTTT");
    assert_eq!(left(Back, "ACGTCAGG", &no_indels, "TTTTACTCAGGA"), "TTTTACTCAGGA");
    assert_eq!(left(Front, "^ACGTCAGG", &no_indels, "ACCTCAGGTT"), "TT");
    // As many errors as letters: one letter must be there.
    let most = AdapterSettings { max_errors: 6.0, ..AdapterSettings::default() };
    assert_eq!(left(Back, "ATCGG", &most, "NN"), "NN");
    assert_eq!(left(Back, "ATCGG", &most, "GG"), "");
}

#[test]
fn what_is_no_adapter_is_said() {
    use AdapterSide::{Anywhere, Back, Front};
    for (side, text) in [
        (Back, ""),
        (Back, "ACZ"),
        (Back, "NNN"),
        (Back, "^ACGT"),
        (Front, "ACGT$"),
        (Anywhere, "^ACGT"),
        (Anywhere, "A...C"),
        (Front, "...ACGT"),
        (Back, "ACGT;required"),
        (Back, "ACGT;o=0"),
        (Back, "ACGT;e=-1"),
        (Back, "ACGT;e=x"),
        (Back, "ACGT;foo"),
        (Back, "ACGT;o=3;min_overlap=4"),
        (Front, "^ACGT;o=3"),
        (Back, "A{2"),
        (Back, "{2}A"),
        (Back, "A{99999}"),
        (Back, "ACGT$;rightmost"),
        (Back, "ACGT;anywhere...AAA"),
    ] {
        let found = spec::parse(text, side, None, &AdapterSettings::default());
        let error = found.expect_err(text).to_string();
        assert!(!error.is_empty(), "{text}");
    }
}

/// Of adapters that match as well, the first one is cut, and is counted.
#[test]
fn of_equals_the_first_adapter_is_found() {
    let mut cutter = AdapterCutter::new();
    for text in ["TTTTT", "ACGTCA", "named=ACGTCA", "GGGGG"] {
        cutter.add(0, AdapterSide::Back, text, &AdapterSettings::default()).expect("an adapter");
    }
    cutter.add(1, AdapterSide::Back, "CCCCC", &AdapterSettings::default()).expect("an adapter");
    let read = CutterRead { sequence: b"GGACGTCAGG", qualities: b"IIIIIIIIII" };
    let (_, found) = cutter.find(read, 0, &mut SearchMemory::default()).expect("an adapter");
    let (number, _) = cutter.find(read, 0, &mut SearchMemory::default()).expect("an adapter");
    assert_eq!((number, found.errors), (1, 0));
    assert_eq!([(0, 1), (1, 0), (1, 2)].map(|(mate, at)| cutter.number(mate, at)), [1, 4, 6]);
    let names: Vec<String> = cutter.adapters().into_iter().map(|label| label.name).collect();
    assert_eq!(names, ["1", "2", "named", "3", "4"]);
}

/// A read without the pieces that are looked for has no alignment, but where insertions push one out of its place.
#[test]
fn reads_that_need_no_alignment_have_none() {
    let mut random = Random(3);
    let (mut spared, mut found) = (0, 0);
    let tries = times(4_000) as usize;
    for _ in 0..tries {
        let adapter: Vec<u8> =
            (0..5 + random.below(30)).map(|_| b"ACGT"[random.below(4)]).collect();
        // From 0.25 on, four bases may have an error, and are looked for exactly all the same.
        let rate = [0.0, 0.1, 0.2][random.below(3)];
        let mut read: Vec<u8> = (0..random.below(60)).map(|_| b"ACGT"[random.below(4)]).collect();
        let at = random.below(read.len() + 1);
        let part = random.below(adapter.len() + 1);
        read.splice(at..at, adapter[..part].iter().copied());
        for _ in 0..random.below(3) {
            let at = random.below(read.len().max(1));
            if let Some(base) = read.get_mut(at) {
                *base = b"ACGT"[random.below(4)];
            }
        }
        let (ends, places) = [
            (FreeEnds::BACK, [true, false, true]),
            (FreeEnds::FRONT, [false, true, true]),
            (FreeEnds::BACK_NOT_INTERNAL, [true, false, false]),
        ][random.below(3)];
        let min = (1 + random.below(5)).min(adapter.len());
        let words = Words::new(&adapter, LetterMatching::Plain, min, rate, places);
        let aligner = Aligner::new(&adapter, LetterMatching::Plain, rate, ends, false, min);
        let alignment = aligner.locate(&read, &mut Vec::new());
        if words.may_be_in(&read) {
            found += usize::from(alignment.is_some());
        } else {
            spared += 1;
            assert_eq!(alignment, None, "{adapter:?} {read:?} {rate} {ends:?}");
        }
    }
    assert!(spared > tries / 10 && found > tries / 10, "{spared} {found}");
}
