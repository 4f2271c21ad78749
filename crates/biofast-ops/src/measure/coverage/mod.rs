//! Depth of coverage: how many alignments lie on each position, found in one reading of sorted records.
//!
//! Workers make of each record the stretches of the reference that it covers ([`Spans`]); these pass in order through a
//! [`Collector`], which holds a window of the reference and gives the depths as [`Run`]s to whatever is made of them
//! ([`Depths`]): a [`Distribution`], or the files of mosdepth
//! ([`show::mosdepth`](crate::show::mosdepth)).
//!
//! Memory depends neither on the depth nor on the lengths of the references: the window has 65,536 positions, what lies
//! further ahead (behind a long skip) is kept by position, and of mates only those are kept that may still overlap.
//!
//! ```
//! use biofast_bam::{Detail, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::coverage::{self, Distribution, Rules};
//!
//! let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M2D1M\t*\t0\t0\tACGTA\tIIIII\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Detail::Alignment };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//! let (header, depths) = coverage::collect(input.source, &options, &Rules::default(), |_| {
//!     Ok(Distribution::default())
//! })?;
//! assert_eq!(header.references().len(), 1);
//! // 5 of 10 positions have depth 1.
//! assert_eq!((depths.bases(), depths.at_least(1), depths.positions()), (5, 5, 10));
//! # Ok::<(), biofast_bam::Error>(())
//! ```

mod distribution;
mod edge;
mod intervals;
mod low;
mod mates;
mod parts;
pub(crate) mod regions;
mod spans;
mod targets;
mod window;

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{Error, ErrorKind, Header, Query};
use biofast_io::{Location, Options};

pub use distribution::{Distribution, PerReference};
pub use intervals::{Interval, Intervals};
pub use parts::{Join, Partial, Unjoined, collect_part};
pub use spans::{Counting, Rules, Spans, Sums};
pub use targets::{Target, TargetDepths};

pub use edge::Seam;
pub(crate) use edge::Seams;
pub(crate) use low::Low;
use mates::Mates;
use spans::{Group, Place, Span};
pub(crate) use spans::{key, lasting_key};
use window::Window;

/// Positions next to each other that have the same depth.
///
/// ```
/// let run = biofast_ops::coverage::Run { from: 10, to: 25, depth: 3 };
/// assert_eq!(run.len() * u64::from(run.depth), 45);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first position, from 0.
    pub from: u64,
    /// The first position behind it.
    pub to: u64,
    /// How many alignments lie on each of them.
    pub depth: u32,
}

impl Run {
    /// How many positions.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// What is made of depths.
///
/// Of each reference that has records all runs come, from position 0 to its end, neighbours of different depth; then
/// [`end`](Depths::end). Of one that has none only `end` comes. References come in the order of the header.
///
/// ```
/// use biofast_ops::coverage::{Depths, Run};
///
/// /// The deepest position.
/// #[derive(Default)]
/// struct Deepest(u32);
///
/// impl Depths for Deepest {
///     fn run(&mut self, run: Run) {
///         self.0 = self.0.max(run.depth);
///     }
///
///     fn end(&mut self, _reference: usize, _has_records: bool) {}
/// }
///
/// let mut deepest = Deepest::default();
/// deepest.run(Run { from: 0, to: 9, depth: 7 });
/// assert_eq!(deepest.0, 7);
/// ```
pub trait Depths {
    /// The next run of the reference.
    fn run(&mut self, run: Run);

    /// The reference of this index is complete. Whether it has any records, counted or not.
    fn end(&mut self, reference: usize, has_records: bool);

    /// A counted record reaches over these positions, and none before reached that far: told before their runs.
    fn spanned(&mut self, _from: u64, _to: u64) {}

    /// Whether nothing more is wanted.
    fn has_ended(&self) -> bool {
        false
    }
}

impl<A: Depths, B: Depths> Depths for (A, B) {
    fn run(&mut self, run: Run) {
        self.0.run(run);
        self.1.run(run);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        self.0.end(reference, has_records);
        self.1.end(reference, has_records);
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.0.spanned(from, to);
        self.1.spanned(from, to);
    }

    fn has_ended(&self) -> bool {
        self.0.has_ended() && self.1.has_ended()
    }
}

impl<D: Depths + ?Sized> Depths for &mut D {
    fn run(&mut self, run: Run) {
        (**self).run(run);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        (**self).end(reference, has_records);
    }

    fn spanned(&mut self, from: u64, to: u64) {
        (**self).spanned(from, to);
    }

    fn has_ended(&self) -> bool {
        (**self).has_ended()
    }
}

impl<A: Depths> Depths for Option<A> {
    fn run(&mut self, run: Run) {
        self.iter_mut().for_each(|depths| depths.run(run));
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        self.iter_mut().for_each(|depths| depths.end(reference, has_records));
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.iter_mut().for_each(|depths| depths.spanned(from, to));
    }

    fn has_ended(&self) -> bool {
        self.as_ref().is_none_or(Depths::has_ended)
    }
}

/// Makes depths of [`Spans`] that come in the order of the file: for whoever reads the records for other purposes, too.
/// [`collect`] does all of it.
///
/// ```
/// use biofast_bam::{Header, par_fold_ordered};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{Collector, Distribution, Rules, Spans};
/// use std::ops::ControlFlow;
///
/// # let header = Header::from_text(b"@SQ\tSN:c\tLN:99\n")?;
/// # let mut bam = Vec::new();
/// # header.write_bam(&mut bam)?;
/// let rules = Rules::default();
/// let mut collector = Collector::new(&header, Distribution::default());
/// let mut unsorted = None;
/// par_fold_ordered(
///     Source::from_reader("example", std::io::Cursor::new(bam)),
///     &Options::default(),
///     || (),
///     |(), batch, spans: &mut Spans| spans.add(batch, &rules),
///     |(), ()| (),
///     |spans| match collector.add(spans) {
///         Ok(()) => ControlFlow::Continue(()),
///         Err(error) => {
///             unsorted = Some(error);
///             ControlFlow::Break(())
///         }
///     },
/// )?;
/// assert_eq!(collector.finish().positions(), 0);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Collector<D> {
    lengths: Vec<u64>,
    /// The reference whose depths are being found.
    current: usize,
    /// Whether it has any records.
    has_records: bool,
    /// The place of the first record.
    first: Option<(u32, i32)>,
    /// The place of the last record.
    last: (u32, i32),
    /// Where the record ends that reaches furthest.
    reach: u64,
    window: Window,
    /// None where both mates count.
    mates: Option<Mates>,
    depths: D,
}

impl<D: Depths> Collector<D> {
    /// For records of a file with this header.
    pub fn new(header: &Header, depths: D) -> Collector<D> {
        Collector {
            lengths: header.references().iter().map(|reference| reference.length).collect(),
            current: 0,
            has_records: false,
            first: None,
            last: (0, i32::MIN),
            reach: 0,
            window: Window::default(),
            mates: Some(Mates::default()),
            depths,
        }
    }

    /// The same, but both mates count whatever the rules of the [`Spans`] say.
    pub(crate) fn of_each(header: &Header, depths: D) -> Collector<D> {
        Collector { mates: None, ..Collector::new(header, depths) }
    }

    /// Adds the records of the next batch, and forgets them.
    ///
    /// # Errors
    /// [`Unsorted`](ErrorKind::Unsorted) at the first record out of order, without the name of the input.
    pub fn add(&mut self, spans: &mut Spans) -> Result<(), Error> {
        let result = self.take(spans);
        spans.clear();
        result.map_err(|unsorted| unsorted.error(Location::default()))
    }

    /// Adds the records of the next batch.
    pub(crate) fn take(&mut self, spans: &Spans) -> Result<(), Unsorted> {
        let mut blocks = &spans.blocks[..];
        let mut records = &spans.records[..];
        for group in &spans.groups {
            self.begin(group)?;
            let (own, later) = records.split_at(group.spans);
            records = later;
            for span in own {
                let (own, later) = blocks.split_at(span.blocks as usize);
                blocks = later;
                self.add_span(span, own);
            }
        }
        spans
            .fault
            .map_or(Ok(()), |(record, previous, found)| Err(Unsorted { record, previous, found }))
    }

    /// Goes to the reference of records that stand together.
    fn begin(&mut self, group: &Group) -> Result<(), Unsorted> {
        let first = (group.reference, group.first);
        if first < self.last {
            return Err(Unsorted { record: group.record, previous: self.last, found: first });
        }
        self.first.get_or_insert(first);
        self.last = (group.reference, group.last);
        let reference = (group.reference as usize).min(self.lengths.len());
        while self.current < reference {
            self.end_reference();
        }
        self.has_records |= group.has_inside && self.current < self.lengths.len();
        Ok(())
    }

    fn add_span(&mut self, span: &Span, blocks: &[(u32, u32)]) {
        let depths = &mut self.depths;
        let start = u64::from(span.start);
        self.window.advance(start, &mut |run| depths.run(run));
        for &(from, to) in blocks {
            self.window.step(from.into(), 1);
            self.window.step(to.into(), -1);
        }
        if let Some(mates) = &mut self.mates {
            // A mate before the part can't be behind its first record, counted or not, nor of a later reference.
            if let (Some(edge), Some((reference, first))) = (&mut mates.edge, self.first)
                && reference as usize == self.current
            {
                edge.see(reference, first.max(0) as u32);
            }
            let window = &mut self.window;
            mates.add(span, blocks, &mut |at, by| window.step(at, by));
        }
        let end = u64::from(span.end);
        if end > self.reach {
            depths.spanned(start.max(self.reach), end);
            self.reach = end;
        }
    }

    fn end_reference(&mut self) {
        let length = self.lengths[self.current];
        if self.has_records {
            let depths = &mut self.depths;
            self.window.finish(length, &mut |run| depths.run(run));
        }
        self.depths.end(self.current, self.has_records);
        self.mates.iter_mut().for_each(Mates::clear);
        self.reach = 0;
        self.has_records = false;
        self.current += 1;
    }

    /// Whether nothing more is wanted of the depths.
    pub fn has_ended(&self) -> bool {
        self.depths.has_ended()
    }

    /// What is made of the depths.
    pub(crate) fn depths_mut(&mut self) -> &mut D {
        &mut self.depths
    }

    /// The records are a part of a file, whose [`Seam`] is wanted.
    pub(crate) fn keep_edge(&mut self) {
        self.mates.iter_mut().for_each(|mates| mates.edge = Some(Box::default()));
    }

    /// The place of the last record: reference, −1 for none, and position.
    pub(crate) fn last_place(&self) -> Option<(i32, i32)> {
        self.first.map(|_| (self.last.0 as i32, self.last.1))
    }

    /// The ends of the part, when all records have been added.
    pub(crate) fn take_seam(&mut self) -> Option<Seam> {
        let last = self.last_place()?;
        let (mut head, mut tail) = (None, Vec::new());
        if let Some(mates) = &mut self.mates {
            if last.0 as u32 as usize == self.current {
                tail = mates.waiting_behind(last.1);
            }
            if let Some(edge) = mates.edge.take() {
                head = edge.reference().map(|reference| (reference, edge.head));
            }
        }
        Some(Seam { last, head, tail })
    }

    /// What was made of the depths, when all records have been added.
    pub fn finish(mut self) -> D {
        while self.current < self.lengths.len() {
            self.end_reference();
        }
        self.depths
    }
}

/// The first record out of order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unsorted {
    /// Its number, from 0.
    record: u64,
    previous: Place,
    found: Place,
}

impl Unsorted {
    /// A record of this number, from 0, that lies before the one before it.
    pub(crate) fn new(record: u64, previous: (u32, i32), found: (u32, i32)) -> Unsorted {
        Unsorted { record, previous, found }
    }

    /// The error, in that input.
    pub(crate) fn error(self, input: Location) -> Error {
        // Without a reference comes last: −1 as the largest unsigned number.
        let signed = |(reference, position): Place| (reference as i32, position);
        let (previous, found) = (signed(self.previous), signed(self.found));
        let kind = ErrorKind::Unsorted { previous, found, names: [None, None] };
        Error::new(kind, Location { record: Some(self.record + 1), ..input })
    }
}

/// Reads all records of an input, or those of a query, and gives their depths to what `depths` makes of the header.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{PerReference, Rules, collect};
///
/// # let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (_, depths) =
///     collect(input.source, &options, &Rules::default(), |header| Ok(PerReference::new(header)))?;
/// assert_eq!(depths.finish()[0].mean(), 0.4);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// The first fault of the input; the first record that is out of order.
pub fn collect<D: Depths + Send>(
    input: impl Into<Query>,
    options: &Options,
    rules: &Rules,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
) -> Result<(Header, D), Error> {
    collect_with_sums(input, options, rules, depths).map(|(header, depths, _)| (header, depths))
}

/// The same with the sums of each reference, where the rules [ask](Rules::sums) for them.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{PerReference, Rules, collect_with_sums};
///
/// # let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let rules = Rules { sums: true, ..Rules::default() };
/// let (_, _, sums) =
///     collect_with_sums(input.source, &options, &rules, |header| Ok(PerReference::new(header)))?;
/// assert_eq!((sums[0].reads, sums[0].base_qualities), (1, 160));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// As [`collect`].
pub fn collect_with_sums<D: Depths + Send>(
    input: impl Into<Query>,
    options: &Options,
    rules: &Rules,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
) -> Result<(Header, D, Vec<Sums>), Error> {
    let (header, query) = input.into().peek_header()?;
    let mut depths = depths(&header)?;
    let sums = collect_into(query, &header, options, rules, &mut depths)?;
    Ok((header, depths, sums))
}

/// The loop of [`collect_with_sums`], once for all kinds of depths. Returns the sums of each reference.
fn collect_into(
    query: Query,
    header: &Header,
    options: &Options,
    rules: &Rules,
    depths: &mut (dyn Depths + Send),
) -> Result<Vec<Sums>, Error> {
    let name: Arc<str> = query.name().into();
    let mut collector = Collector::new(header, depths);
    let mut fault = None;
    let result = biofast_bam::par_fold_regions_ordered(
        query,
        options,
        Vec::new,
        |sums: &mut Vec<Sums>, batch, spans: &mut Spans| spans.add_with_sums(batch, rules, sums),
        Sums::merge_all,
        |spans| {
            fault = collector.take(spans).err();
            spans.clear();
            match fault.is_some() || collector.has_ended() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        },
    );
    if let Some(unsorted) = fault {
        return Err(unsorted.error(Location::in_input(&name)).naming(header));
    }
    let (_, mut sums) = result.map_err(|fault| fault.error)?;
    sums.resize(header.references().len(), Sums::default());
    collector.finish();
    Ok(sums)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use biofast_bam::{Detail, Input, InputOptions};
    use biofast_io::Source;
    use biofast_testkit::random::Random;

    const LENGTH: usize = 400;

    /// All depths, reference after reference.
    #[derive(Default)]
    struct All(Vec<u32>, Vec<bool>);

    impl Depths for All {
        fn run(&mut self, run: Run) {
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
        let rules = Rules { counting, ..Rules::default() };
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

    /// All that comes, as it comes.
    #[derive(Default, Debug, PartialEq)]
    struct Told(Vec<(usize, Run)>, Vec<bool>, Vec<(usize, u64)>);

    impl Depths for Told {
        fn run(&mut self, run: Run) {
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
        for seed in 1..60 {
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
                let rules = Rules { counting, sums: true, ..Rules::default() };
                let whole =
                    collect_with_sums(open(sam(&lines)), &options, &rules, |_| Ok(Told::default()));
                let (header, whole, sums) = whole.unwrap();
                for number in [1, 2, 5, 60] {
                    let mut cuts: Vec<usize> =
                        (1..number).map(|_| random.below(lines.len() + 1)).collect();
                    cuts.extend([0, lines.len()]);
                    cuts.sort_unstable();
                    let mut join = Join::new(&header, Told::default());
                    for cut in cuts.windows(2) {
                        let (_, part) =
                            collect_part(open(sam(&lines[cut[0]..cut[1]])), &options, &rules)
                                .unwrap();
                        let json = serde_json::to_string(&part).unwrap();
                        let part: Partial = serde_json::from_str(&json).unwrap();
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
            collect_part(input.source, &options, &Rules::default()).unwrap()
        };
        let (header, later) = part("@SQ\tSN:c\tLN:99\n", 9);
        let (_, earlier) = part("@SQ\tSN:c\tLN:99\n", 3);
        let (_, other) = part("@SQ\tSN:c\tLN:98\n", 30);
        let mut join = Join::new(&header, Distribution::default());
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
