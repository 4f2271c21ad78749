//! The chain: pairs, routes, tags, and that no read is lost from the books.

use super::*;
use crate::change::filter::Trim;
use crate::change::filter::predicate::{MaxN, MinLen};
use crate::change::filter::trim::{Crop, Umi, UmiSource};
use proptest::prelude::*;

fn unit<'a>(index: u64, first: &'a [u8], second: Option<&'a [u8]>) -> Unit<'a> {
    let record = |s: &'a [u8]| Record::new(b"r/1 x", s, &[b'I'; 100][..s.len()]);
    Unit { index, first: record(first), second: second.map(record) }
}

fn texts(texts: &[Vec<u8>]) -> Vec<&str> {
    texts.iter().map(|t| std::str::from_utf8(t).expect("ASCII")).collect()
}

#[test]
fn pairs_go_where_they_should() {
    let routes = FilterRoutes { first: 0, second: 1, orphans: [Some(2), None], rejected: Some(3) };
    let filter = |rule| Filter::new().require(MinLen(3)).pair_rule(rule).routes(routes);
    let both = filter(PairRule::Both);
    let mut worker = both.worker();
    let mut out = vec![Vec::new(); 4];
    worker.apply(unit(0, b"AAA", Some(b"CC")), &mut out);
    let expected = ["", "", "@r/1 x\nAAA\n+\nIII\n", "@r/1 x rejected=too_short\nCC\n+\nII\n"];
    assert_eq!(texts(&out), expected);
    out.iter_mut().for_each(Vec::clear);
    worker.apply(unit(1, b"AA", Some(b"CCC")), &mut out);
    assert!(out[3].ends_with(b"@r/1 x rejected=mate_rejected\nCCC\n+\nIII\n"));
    let tally = worker.tally();
    assert_eq!((tally.orphans, tally.rejected_total()), (1, 3));
    assert_eq!(tally.rejected(Reason::MateRejected), 1);

    let any = filter(PairRule::Any);
    let mut worker = any.worker();
    out.iter_mut().for_each(Vec::clear);
    worker.apply(unit(0, b"AAA", Some(b"CC")), &mut out);
    assert_eq!(texts(&out)[..2], ["@r/1 x\nAAA\n+\nIII\n", "@r/1 x\nCC\n+\nII\n"]);
    worker.apply(unit(0, b"A", Some(b"CC")), &mut out);
    assert_eq!(worker.tally().rejected(Reason::TooShort), 2);
}

#[test]
fn identifiers_go_to_both_names() {
    let umi = |source| Filter::new().trim(Umi { skip: 1, ..Umi::new(source, 3) });
    for (source, name, left) in [
        (UmiSource::First, "r:ACG/1 x", ["AA", "TTTTGG"]),
        (UmiSource::Second, "r:TTT/1 x", ["ACGTAA", "GG"]),
        (UmiSource::Both, "r:ACG_TTT/1 x", ["AA", "GG"]),
    ] {
        let filter = umi(source);
        let mut out = vec![Vec::new()];
        filter.worker().apply(unit(0, b"ACGTAA", Some(b"TTTTGG")), &mut out);
        let record = |s: &str| format!("@{name}\n{s}\n+\n{}\n", "I".repeat(s.len()));
        assert_eq!(texts(&out)[0], left.map(record).concat());
    }
}

#[test]
fn a_read_that_trimming_emptied_is_rejected_and_an_empty_one_is_not() {
    let filter = Filter::new().trim(Crop { front: [5; 2], tail: [5; 2] });
    let mut worker = filter.worker();
    let mut out = vec![Vec::new()];
    worker.apply(unit(0, b"ACGT", None), &mut out);
    assert_eq!(worker.tally().rejected(Reason::Emptied), 1);
    worker.apply(unit(1, b"", None), &mut out);
    assert_eq!(texts(&out)[0], "@r/1 x\n\n+\n\n");
    assert_eq!(worker.tally().trimmed(Trim::Crop), (1, 4));
}

proptest! {
    #[test]
    fn every_read_is_kept_or_has_one_reason(
        units in prop::collection::vec(("[ACGN]{0,12}", prop::option::of("[ACGN]{0,12}")), 0..60),
        min in 0usize..8, any in any::<bool>(), orphans in any::<bool>(), fraction in 0.2f64..1.0,
        crop in 0usize..3,
    ) {
        let orphan = orphans.then_some(1);
        let routes = FilterRoutes { orphans: [orphan; 2], rejected: Some(2), ..FilterRoutes::default() };
        let mut filter = Filter::new()
            .require(MinLen(min)).require(MaxN(3))
            .pair_rule(if any { PairRule::Any } else { PairRule::Both })
            .routes(routes)
            .sample(SampleFilter::fraction(fraction, 5).expect("a fraction"));
        if crop > 0 {
            filter = filter.trim(Crop { front: [crop; 2], tail: [0; 2] });
        }
        let run = |range: &[(String, Option<String>)], start: usize| {
            let (mut worker, mut out) = (filter.worker(), vec![Vec::new(); 3]);
            for (i, (first, second)) in range.iter().enumerate() {
                let second = second.as_ref().map(|s| s.as_bytes());
                worker.apply(unit((start + i) as u64, first.as_bytes(), second), &mut out);
            }
            (worker.tally().clone(), out)
        };
        let (tally, out) = run(&units, 0);
        let lines = |text: &[u8]| text.iter().filter(|&&b| b == b'\n').count() as u64 / 4;
        let reads = |amounts: &[Amount; 2]| amounts[0].reads + amounts[1].reads;
        prop_assert_eq!(reads(&tally.input), reads(&tally.output) + tally.rejected_total());
        prop_assert_eq!(tally.rejected_total(), tally.discarded.reads);
        prop_assert_eq!(lines(&out[2]), tally.rejected_total());
        prop_assert_eq!(lines(&out[1]), tally.orphans);
        prop_assert_eq!(lines(&out[0]) + lines(&out[1]), reads(&tally.output));
        if crop == 0 {
            let mut all = tally.discarded;
            tally.output.iter().for_each(|amount| all.add(amount));
            let mut input = tally.input[0];
            input.add(&tally.input[1]);
            prop_assert_eq!(all, input);
        }
        // A part and a part are the whole.
        let half = units.len() / 2;
        let mut merged = run(&units[..half], 0).0;
        merged.merge(&run(&units[half..], half).0);
        prop_assert_eq!(merged, tally);
    }
}
