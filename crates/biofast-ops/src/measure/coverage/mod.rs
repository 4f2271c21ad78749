//! Depth of coverage: how many alignments lie on each position, found in one reading of sorted records.
//!
//! Workers make of each record the stretches of the reference that it covers ([`Spans`]), and find the depths of each batch's records
//! alone. These pass in order through a collector, which adds up what reaches over the ends of batches: the steps of records and the
//! mates that overlap. It gives the depths as [`DepthRun`]s to whatever is made of them ([`DepthSink`]), those of one batch
//! together ([`RunBatch`]): a [`Distribution`], or the files of mosdepth (`biofast_report::mosdepth`).
//!
//! Records of a part of a file, and those that count behind their mates, pass one by one through a window of the reference instead.
//!
//! Memory depends neither on the depth nor on the lengths of the references: the window has 65,536 positions, what lies
//! further ahead (behind a long skip) is kept by position, and of mates only those are kept that may still overlap.
//!
//! ```
//! use biofast_bam::{Detail, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::coverage::{self, DepthRules, Distribution};
//!
//! let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M2D1M\t*\t0\t0\tACGTA\tIIIII\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Detail::Alignment };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//! let (header, depths) = coverage::collect(input.source, &options, &DepthRules::default(), |_| {
//!     Ok(Distribution::default())
//! })?;
//! assert_eq!(header.references().len(), 1);
//! // 5 of 10 positions have depth 1.
//! assert_eq!((depths.bases(), depths.at_least(1), depths.positions()), (5, 5, 10));
//! # Ok::<(), biofast_bam::Error>(())
//! ```

mod changes;
mod collector;
mod columns;
mod distribution;
mod edge;
mod intervals;
mod joint;
mod low;
mod mates;
mod measure;
mod parts;
#[doc(hidden)]
pub mod regions;
mod run;
mod seam;
mod span;
mod spans;
mod targets;
mod window;

use biofast_bam::{Error, Header, Query};
use biofast_io::Options;

pub use columns::{ColumnRun, ColumnSink, DepthColumns, collect_columns};
pub use distribution::{Distribution, PerReference};
pub use intervals::{Interval, Intervals};
pub use measure::DepthMeasure;
pub use parts::{DepthJoin, PartialDepths, Unjoined, collect_part};
pub use spans::{Counting, DepthRules, ReferenceSums, SpanRules, Spans};
pub use targets::{TargetDepth, TargetDepths};

pub(crate) use changes::{BatchDepths, DepthFinder, DepthKinds};
pub(crate) use collector::DepthCollector;
pub(crate) use collector::Unsorted;
pub(crate) use joint::JointDepth;
pub(crate) use low::Low;
pub(crate) use run::take_first;
pub use run::{DepthChange, DepthRun, DepthSink, RunBatch};
pub use seam::MateSeam;
pub(crate) use seam::Seams;
pub(crate) use spans::{key, lasting_key};

/// Reads all records of an input, or those of a query, and passes their depths to what `depths` makes of the header.
///
/// # Errors
/// The first fault of the input; the first record that is out of order.
pub fn collect<D: DepthSink + Send>(
    input: impl Into<Query>,
    options: &Options,
    rules: &DepthRules,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
) -> Result<(Header, D), Error> {
    collect_with_sums(input, options, rules, depths).map(|(header, depths, _)| (header, depths))
}

/// Like [`collect`], and returns the sums of each reference, if the rules [ask](DepthRules::sums) for them.
///
/// # Errors
/// As [`collect`].
pub fn collect_with_sums<D: DepthSink + Send>(
    input: impl Into<Query>,
    options: &Options,
    rules: &DepthRules,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
) -> Result<(Header, D, Vec<ReferenceSums>), Error> {
    let (header, query) = input.into().peek_header()?;
    let mut depths = depths(&header)?;
    // Once for all kinds of depths.
    let erased: &mut (dyn DepthSink + Send) = &mut depths;
    let mut collector = DepthCollector::new(&header, erased);
    let rules = SpanRules { rules: rules.clone(), is_part: false };
    let mut sums = collector.read(query, &header, options, &rules)?;
    sums.resize(header.references().len(), ReferenceSums::default());
    collector.finish();
    Ok((header, depths, sums))
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_bam::{Detail, ErrorKind, Input, InputOptions};
    use biofast_io::Source;
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;

    const LENGTH: usize = 400;

    /// All depths, reference after reference.
    #[derive(Default)]
    struct All(Vec<u32>, Vec<bool>);

    impl DepthSink for All {
        fn run(&mut self, run: DepthRun) {
            self.0.extend((run.from..run.to).map(|_| run.depth));
        }

        fn end(&mut self, _: usize, has_records: bool) {
            self.1.push(has_records);
        }
    }

    fn depths(sam: &str, counting: Counting, threads: usize) -> Result<All, Error> {
        let options = Options { threads, chunk_size: 700, ..Options::default() };
        let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
        let source = Source::from_reader("x", std::io::Cursor::new(sam.as_bytes().to_vec()));
        let input = Input::open(source, &opened)?;
        let rules = DepthRules { counting, ..DepthRules::default() };
        collect(input.source, &options, &rules, |_| Ok(All::default())).map(|(_, all)| all)
    }

    /// A record as it is drawn: position from 0, and stretches of an operation.
    struct Drawn {
        position: usize,
        operations: Vec<(usize, char)>,
    }

    impl Drawn {
        fn new(random: &mut Random, position: usize) -> Drawn {
            let mut operations = Vec::new();
            for n in 0..1 + random.below(3) {
                if n > 0 {
                    operations.push((1 + random.below(20), ['D', 'N', 'I'][random.below(3)]));
                }
                operations.push((1 + random.below(30), ['M', '=', 'X'][random.below(3)]));
            }
            // One piece is clipped at its start: what mosdepth does with others is not what is covered.
            if operations.len() == 1 {
                operations.insert(0, (2, 'S'));
            }
            Drawn { position, operations }
        }

        fn covered(&self) -> Vec<usize> {
            let (mut at, mut all) = (self.position, Vec::new());
            for &(len, operation) in &self.operations {
                if "M=X".contains(operation) {
                    all.extend(at..at + len);
                }
                at += if "M=XDN".contains(operation) { len } else { 0 };
            }
            all
        }

        fn end(&self) -> usize {
            let on_reference = |&&(_, operation): &&(usize, char)| "M=XDN".contains(operation);
            self.position
                + self.operations.iter().filter(on_reference).map(|(len, _)| len).sum::<usize>()
        }
    }

    #[test]
    fn depths_agree_with_counting_each_base_of_each_pair() {
        for seed in 1..60 {
            let mut random = Random(seed);
            let mut lines = Vec::new();
            let mut once = vec![0; LENGTH];
            let mut each = vec![0; LENGTH];
            let mut whole = vec![0; LENGTH];
            for pair in 0..random.below(40) {
                let position = random.below(200);
                let shift = random.below(60);
                let two =
                    [Drawn::new(&mut random, position), Drawn::new(&mut random, position + shift)];
                let mut of_pair = vec![false; LENGTH];
                for (number, read) in two.iter().enumerate() {
                    let cigar: String =
                        read.operations.iter().map(|(len, op)| format!("{len}{op}")).collect();
                    let flags = [67, 131][number];
                    let (at, mate) = (read.position, two[1 - number].position + 1);
                    lines.push((
                        at,
                        format!(
                            "p{pair}\t{flags}\tc\t{}\t9\t{cigar}\t=\t{mate}\t0\t*\t*\n",
                            at + 1
                        ),
                    ));
                    for position in read.covered() {
                        each[position] += 1;
                        of_pair[position] = true;
                    }
                    whole[at..read.end()].iter_mut().for_each(|depth| *depth += 1);
                }
                for (depth, covered) in once.iter_mut().zip(of_pair) {
                    *depth += u32::from(covered);
                }
            }
            lines.sort_by_key(|(position, _)| *position);
            let mut sam =
                format!("@SQ\tSN:none\tLN:5\n@SQ\tSN:c\tLN:{LENGTH}\n@SQ\tSN:zero\tLN:9\n");
            lines.iter().for_each(|(_, line)| sam.push_str(line));
            let expected =
                [(Counting::Once, once), (Counting::Each, each), (Counting::Whole, whole)];
            for (counting, expected) in expected {
                for threads in [1, 3] {
                    let All(found, ends) = depths(&sam, counting, threads).unwrap();
                    assert_eq!(ends, [false, !lines.is_empty(), false]);
                    if !lines.is_empty() {
                        assert!(found == expected, "{counting:?}, seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn batches_without_records_change_nothing() {
        // The header is longer than a chunk.
        let mut sam: String = (0..99).map(|n| format!("@SQ\tSN:{n}\tLN:9\n")).collect();
        sam += "x\t0\t98\t2\t9\t5M\t*\t0\t0\t*\t*\n";
        let All(found, ends) = depths(&sam, Counting::Once, 1).unwrap();
        assert_eq!(found, [0, 1, 1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(ends.iter().filter(|has_records| **has_records).count(), 1);
    }

    /// All that comes, as it comes.
    #[derive(Default, Debug, PartialEq)]
    struct Told(Vec<(usize, DepthRun)>, Vec<bool>, Vec<(usize, u64)>);

    impl DepthSink for Told {
        fn run(&mut self, run: DepthRun) {
            self.0.push((self.1.len(), run));
        }

        fn end(&mut self, _: usize, has_records: bool) {
            self.1.push(has_records);
        }

        fn spanned(&mut self, from: u64, to: u64) {
            self.2.extend((from..to).map(|at| (self.1.len(), at)));
        }
    }

    #[test]
    fn parts_joined_are_the_whole_wherever_it_is_cut_and_whatever_mates_say() {
        let references = [("c", 400), ("none", 5), ("d", 300), ("zero", 9)];
        let header: String =
            references.iter().map(|(name, len)| format!("@SQ\tSN:{name}\tLN:{len}\n")).collect();
        for seed in 1..=times(15).into() {
            let mut random = Random(seed);
            let mut lines = Vec::new();
            let (names, width) = (1 + random.below(12), 1 + random.below(250));
            for _ in 0..random.below(50) {
                let reference = [0, 2, 2, 9][random.below(4)];
                let position = random.below(width);
                let drawn = Drawn::new(&mut random, position);
                let cigar: String =
                    drawn.operations.iter().map(|(len, op)| format!("{len}{op}")).collect();
                let flags = [67, 131, 67, 131, 83, 0, 1091, 2115][random.below(8)];
                let mate = match random.chance(40) {
                    true => position + 1,
                    false => 1 + random.below(width),
                };
                let name = random.below(names);
                let line = match references.get(reference) {
                    Some((on, _)) => format!(
                        "p{name}\t{flags}\t{on}\t{}\t9\t{cigar}\t=\t{mate}\t0\t*\t*\n",
                        position + 1
                    ),
                    None => format!("u{name}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"),
                };
                lines.push((reference, position, line));
            }
            lines.sort_by_key(|(reference, position, _)| (*reference, *position));
            let sam = |lines: &[(usize, usize, String)]| {
                let lines = lines.iter().map(|(_, _, line)| line.as_str());
                header.clone() + &lines.collect::<String>()
            };
            let options = Options { threads: 2, chunk_size: 700, ..Options::default() };
            let open = |sam: String| {
                let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
                let source = Source::from_reader("x", std::io::Cursor::new(sam.into_bytes()));
                Input::open(source, &opened).unwrap().source
            };
            for counting in [Counting::Once, Counting::Each, Counting::Whole] {
                let rules = DepthRules { counting, sums: true, ..DepthRules::default() };
                let whole =
                    collect_with_sums(open(sam(&lines)), &options, &rules, |_| Ok(Told::default()));
                let (header, whole, sums) = whole.unwrap();
                for number in [1, 2, 5, 60] {
                    let mut cuts: Vec<usize> =
                        (1..number).map(|_| random.below(lines.len() + 1)).collect();
                    cuts.extend([0, lines.len()]);
                    cuts.sort_unstable();
                    let mut join = DepthJoin::new(&header, Told::default());
                    for cut in cuts.windows(2) {
                        let (_, part) =
                            collect_part(open(sam(&lines[cut[0]..cut[1]])), &options, &rules)
                                .unwrap();
                        let json = serde_json::to_string(&part).unwrap();
                        let part: PartialDepths = serde_json::from_str(&json).unwrap();
                        join.add(&part, cut[0] as u64, "x").unwrap();
                    }
                    let (found, found_sums) = join.finish();
                    assert_eq!(found, whole, "{seed} {counting:?} {cuts:?}\n{}", sam(&lines));
                    assert_eq!(found_sums, sums, "{seed}");
                }
            }
        }
    }

    #[test]
    fn parts_that_are_out_of_order_or_of_other_references_are_refused() {
        let options = Options::default();
        let part = |header: &str, position: usize| {
            let sam = format!("{header}r\t0\tc\t{position}\t9\t4M\t*\t0\t0\t*\t*\n");
            let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
            let source = Source::from_reader("x", std::io::Cursor::new(sam.into_bytes()));
            let input = Input::open(source, &opened).unwrap();
            collect_part(input.source, &options, &DepthRules::default()).unwrap()
        };
        let (header, later) = part("@SQ\tSN:c\tLN:99\n", 9);
        let (_, earlier) = part("@SQ\tSN:c\tLN:99\n", 3);
        let (_, other) = part("@SQ\tSN:c\tLN:98\n", 30);
        let mut join = DepthJoin::new(&header, Distribution::default());
        join.add(&later, 0, "x.bam").unwrap();
        let error = join.add(&earlier, 1, "x.bam").unwrap_err();
        assert!(error.to_string().starts_with("x.bam: record 2"), "{error}");
        assert!(matches!(join.add(&other, 1, "x.bam"), Err(Unjoined::References)));
    }

    #[test]
    fn a_record_out_of_order_is_named() {
        let line = |name: &str, reference, position| {
            format!("{name}\t0\t{reference}\t{position}\t9\t1M\t*\t0\t0\tA\tI\n")
        };
        let header = "@SQ\tSN:a\tLN:99\n@SQ\tSN:b\tLN:99\n";
        for (reference, position) in [("b", 4), ("a", 9)] {
            let sam = format!("{header}{}{}", line("x", "b", 5), line("y", reference, position));
            let error = depths(&sam, Counting::Once, 1).err().unwrap();
            assert!(matches!(error.kind(), ErrorKind::Unsorted { .. }), "{error}");
            assert_eq!(error.at().record, Some(2));
        }
    }

    #[test]
    fn what_lies_behind_the_reference_is_not_counted() {
        let sam = "@SQ\tSN:a\tLN:10\nx\t0\ta\t8\t9\t5M\t*\t0\t0\t*\t*\ny\t0\ta\t12\t9\t5M\t*\t0\t0\t*\t*\n";
        let All(found, _) = depths(sam, Counting::Once, 1).unwrap();
        assert_eq!(found, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    }
}
