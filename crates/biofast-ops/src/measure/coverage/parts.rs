//! Depths of a part of a file, as text, and the depths of the whole made of all parts in their order.
//!
//! A part carries every change of its own depth along the references, what its counted records reach over, and the mates at its
//! ends. [`DepthJoin`] adds up the changes; where records of a part reach into the next ones, the sum is the depth there.

use std::collections::{HashMap, HashSet};

use biofast_bam::{Error, Header, Query};
use biofast_io::{Location, Options};
use serde::{Deserialize, Serialize};

use super::collector::{DepthCollector, Unsorted};
use super::edge::{EdgeMate, Event};
use super::mates::PendingMates;
use super::run::{DepthRun, DepthSink};
use super::seam::MateSeam;
use super::span::SpanPosition;
use super::{DepthRules, ReferenceSums, SpanRules};
use crate::measure::alignments::runs::{Changes, DepthRuns, DepthStretches, stretches};

/// The depths of a part of a sorted file: what [`DepthJoin`] makes the depths of the whole of.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{DepthJoin, DepthRules, Distribution, collect_part};
///
/// let options = Options::default();
/// let part = |records: &str| {
///     let sam = format!("@SQ\tSN:c\tLN:10\n{records}");
///     let source = Source::from_reader("example", std::io::Cursor::new(sam.into_bytes()));
///     let opened = InputOptions { io: &options, reference: None, detail: Detail::Alignment };
///     collect_part(Input::open(source, &opened)?.source, &options, &DepthRules::default())
/// };
/// // They overlap at two positions.
/// let (_, one) = part("a\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n")?;
/// let (header, two) = part("b\t0\tc\t5\t60\t4M\t*\t0\t0\tACGT\tIIII\n")?;
/// let mut join = DepthJoin::new(&header, Distribution::default());
/// join.add(&one, 0, "example")?;
/// join.add(&two, 1, "example")?;
/// let (depths, _) = join.finish();
/// assert_eq!((depths.bases(), depths.at_least(2)), (8, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialDepths {
    /// Name and length of each reference.
    references: Vec<(String, u64)>,
    /// Where the first and the last record lie: index of the reference, −1 without one, and position.
    first: Option<(i32, i32)>,
    last: Option<(i32, i32)>,
    /// References that have records, counted or not.
    has_records: Vec<u32>,
    /// The depths.
    depths: Vec<DepthStretches>,
    /// What the counted records reach over.
    spanned: Vec<DepthStretches>,
    /// Index of the reference, records, their mapping qualities, qualities of their bases and the number of
    /// these, and whether any lies on it.
    sums: Vec<(u32, u64, u64, u64, u64, bool)>,
    /// The reference of the first counted record, and records whose mates may be in the parts before.
    head: Option<(u32, Vec<Event>)>,
    /// Mates that wait for one behind the part.
    tail: Vec<EdgeMate>,
}

/// Why a part can't be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unjoined {
    /// The records aren't sorted, as one run finds, too.
    #[error("{0}")]
    Unsorted(Error),
    /// Its references are others.
    #[error("its reference sequences differ from those of the parts before it")]
    References,
    /// It contradicts itself.
    #[error("the depths of a part contradict themselves")]
    Damaged,
}

/// Keeps depths.
#[derive(Default)]
struct DepthKeeper {
    reference: u32,
    depths: DepthRuns,
    spanned: DepthRuns,
    has_records: Vec<u32>,
}

impl DepthSink for DepthKeeper {
    fn run(&mut self, run: DepthRun) {
        self.depths.push(self.reference, run.from as i64, run.len(), run.depth);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        if has_records {
            self.has_records.push(reference as u32);
        }
        self.reference = reference as u32 + 1;
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.spanned.push(self.reference, from as i64, to - from, 1);
    }
}

/// Reads a part of a sorted file for [`DepthJoin`].
///
/// An example is at [`PartialDepths`].
///
/// # Errors
/// The first fault of the input; the first record that is out of order.
pub fn collect_part(
    input: impl Into<Query>,
    options: &Options,
    rules: &DepthRules,
) -> Result<(Header, PartialDepths), Error> {
    let (header, query) = input.into().peek_header()?;
    let mut collector = DepthCollector::new(&header, DepthKeeper::default());
    collector.keep_edge();
    let rules = SpanRules { rules: rules.clone(), is_part: true };
    let sums = collector.read(query, &header, options, &rules)?;
    let signed = |(reference, position): SpanPosition| (reference as i32, position);
    let first = collector.first.map(signed);
    let (last, head, tail) = match collector.take_seam() {
        Some(MateSeam { last, head, tail }) => (Some(last), head, tail),
        None => (None, None, Vec::new()),
    };
    let DepthKeeper { depths, spanned, has_records, .. } = collector.finish();
    let sums = (0..).zip(sums).filter(|(_, sums)| *sums != ReferenceSums::default());
    let partial = PartialDepths {
        references: references(&header),
        first,
        last,
        has_records,
        depths: depths.finish(),
        spanned: spanned.finish(),
        sums: sums
            .map(|(reference, sums)| {
                let ReferenceSums {
                    reads,
                    mapping_qualities,
                    base_qualities,
                    bases_with_quality,
                    is_covered,
                } = sums;
                let (qualities, bases) = (base_qualities, bases_with_quality);
                (reference, reads, mapping_qualities, qualities, bases, is_covered)
            })
            .collect(),
        head,
        tail,
    };
    Ok((header, partial))
}

fn references(header: &Header) -> Vec<(String, u64)> {
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    header.references().iter().map(|r| (name(&r.name), r.length)).collect()
}

impl PartialDepths {
    /// A header with the references.
    ///
    /// # Errors
    /// If there is none with such references.
    pub fn header(&self) -> Result<Header, Error> {
        let line = |(name, length): &(String, u64)| format!("@SQ\tSN:{name}\tLN:{length}\n");
        Header::from_text(self.references.iter().map(line).collect::<String>().as_bytes())
    }

    /// Leaves out what records reach over, which only some forms need.
    #[must_use]
    pub fn without_spans(mut self) -> PartialDepths {
        self.spanned.clear();
        self
    }
}

/// What a part has of each reference.
struct ByReference<'a> {
    depths: HashMap<usize, &'a str>,
    spanned: HashMap<usize, &'a str>,
    has_records: HashSet<usize>,
}

impl<'a> ByReference<'a> {
    /// Of a part whose records are on these references.
    fn of(
        part: &'a PartialDepths,
        inside: std::ops::Range<usize>,
    ) -> Result<ByReference<'a>, Unjoined> {
        let map = |all: &'a [DepthStretches]| {
            let map: HashMap<usize, &str> =
                all.iter().map(|own| (own.reference as usize, own.changes.as_str())).collect();
            let is_good = map.len() == all.len() && map.keys().all(|own| inside.contains(own));
            is_good.then_some(map).ok_or(Unjoined::Damaged)
        };
        let has_records: HashSet<usize> =
            part.has_records.iter().map(|reference| *reference as usize).collect();
        if !has_records.iter().all(|own| inside.contains(own)) {
            return Err(Unjoined::Damaged);
        }
        Ok(ByReference { depths: map(&part.depths)?, spanned: map(&part.spanned)?, has_records })
    }
}

/// The changes of a reference, checked.
fn changes(all: &HashMap<usize, &str>, reference: usize, length: u64) -> Result<Changes, Unjoined> {
    match all.get(&reference) {
        Some(text) => Changes::read(text, length).ok_or(Unjoined::Damaged),
        None => Ok(Changes::default()),
    }
}

/// Parts on their way to the depths of the whole, which are given to whatever is made of them.
///
/// An example is at [`PartialDepths`].
pub struct DepthJoin<D> {
    references: Vec<(String, u64)>,
    depths: D,
    sums: Vec<ReferenceSums>,
    /// The reference whose depths are being found, and whether it has any records.
    current: usize,
    has_records: bool,
    /// The place of the last record.
    last: Option<SpanPosition>,
    /// Where the records end that reach furthest.
    reach: u64,
    /// Changes of the depth from the last record on.
    ahead: Vec<(u64, i64)>,
    /// Where the open run starts, and its depth.
    run_start: u64,
    depth: i64,
    mates: PendingMates,
}

impl<D: DepthSink> DepthJoin<D> {
    /// For the references of this header.
    pub fn new(header: &Header, depths: D) -> DepthJoin<D> {
        DepthJoin {
            references: references(header),
            depths,
            sums: vec![ReferenceSums::default(); header.references().len()],
            current: 0,
            has_records: false,
            last: None,
            reach: 0,
            ahead: Vec::new(),
            run_start: 0,
            depth: 0,
            mates: PendingMates::default(),
        }
    }

    /// Adds the next part, whose first record has the number `record`, from 0, in the file called `name`.
    ///
    /// # Errors
    /// If it doesn't follow the parts before in the order of coordinates, is of other references, or contradicts itself.
    pub fn add(&mut self, part: &PartialDepths, record: u64, name: &str) -> Result<(), Unjoined> {
        if part.references != self.references {
            return Err(Unjoined::References);
        }
        let (Some(first), Some(last)) = (part.first, part.last) else { return Ok(()) };
        // Without a reference comes last.
        let unsigned = |(reference, position): (i32, i32)| (reference as u32, position);
        let (first, last) = (unsigned(first), unsigned(last));
        if let Some(before) = self.last.filter(|before| first < *before) {
            let at = Location::in_input(&name.into());
            let error = Unsorted::new(record, before, first).error(at);
            return Err(Unjoined::Unsorted(match part.header() {
                Ok(header) => error.naming(&header),
                Err(_) => error,
            }));
        }
        if last < first {
            return Err(Unjoined::Damaged);
        }
        let count = self.references.len();
        let (from, to) = ((first.0 as usize).min(count), (last.0 as usize).min(count));
        let own = ByReference::of(part, from..(to + 1).min(count))?;
        while self.current < from {
            self.end_reference();
        }
        for reference in from..=to {
            if reference < count {
                self.add_reference(part, &own, reference)?;
            }
            if reference < to {
                self.end_reference();
            }
        }
        self.last = Some(last);
        if to < count {
            self.advance(u64::from(last.1.max(0) as u32));
            self.mates.leave(last.1, &part.tail);
        }
        for &(reference, reads, mapping_qualities, qualities, bases, is_covered) in &part.sums {
            let sums = self.sums.get_mut(reference as usize).ok_or(Unjoined::Damaged)?;
            let add = |sum: &mut u64, more: u64| {
                *sum = sum.checked_add(more).ok_or(Unjoined::Damaged)?;
                Ok(())
            };
            add(&mut sums.reads, reads)?;
            add(&mut sums.mapping_qualities, mapping_qualities)?;
            add(&mut sums.base_qualities, qualities)?;
            add(&mut sums.bases_with_quality, bases)?;
            sums.is_covered |= is_covered;
        }
        Ok(())
    }

    /// Adds what a part has on the current reference.
    fn add_reference(
        &mut self,
        part: &PartialDepths,
        own: &ByReference<'_>,
        reference: usize,
    ) -> Result<(), Unjoined> {
        let length = self.references[reference].1;
        self.has_records |= own.has_records.contains(&reference);
        let spanned = changes(&own.spanned, reference, length)?;
        stretches(spanned.iter(), |from, to, _| {
            let (from, to) = (from as u64, to as u64);
            if to > self.reach {
                self.depths.spanned(from.max(self.reach), to);
                self.reach = to;
            }
        });
        let depths = changes(&own.depths, reference, length)?;
        self.ahead.extend(depths.iter().map(|(at, by)| (at as u64, by)));
        match &part.head {
            Some((at, events)) if *at as usize == reference => {
                let ahead = &mut self.ahead;
                self.mates.enter(events, &mut |at, by| ahead.push((at, i64::from(by))));
            }
            _ => {}
        }
        // What was ahead and what is added are in order each.
        self.ahead.sort_by_key(|(at, _)| *at);
        match self.ahead.first() {
            Some((at, _)) if *at < self.run_start => Err(Unjoined::Damaged),
            _ => Ok(()),
        }
    }

    /// Gives the runs that end before this position.
    fn advance(&mut self, to: u64) {
        let end = self.ahead.partition_point(|(at, _)| *at < to);
        let mut steps = self.ahead.drain(..end).peekable();
        while let Some((at, mut by)) = steps.next() {
            while let Some((_, more)) = steps.next_if(|(next, _)| *next == at) {
                by += more;
            }
            if by != 0 {
                if self.run_start < at {
                    let depth = self.depth as u32;
                    self.depths.run(DepthRun { from: self.run_start, to: at, depth });
                    self.run_start = at;
                }
                self.depth += by;
            }
        }
    }

    fn end_reference(&mut self) {
        let length = self.references[self.current].1;
        if self.has_records {
            self.advance(length);
            if self.run_start < length {
                let depth = self.depth as u32;
                self.depths.run(DepthRun { from: self.run_start, to: length, depth });
            }
        }
        self.depths.end(self.current, self.has_records);
        self.ahead.clear();
        self.mates.clear();
        (self.run_start, self.depth, self.reach) = (0, 0, 0);
        self.has_records = false;
        self.current += 1;
    }

    /// Whether nothing more is wanted of the depths.
    pub fn has_ended(&self) -> bool {
        self.depths.has_ended()
    }

    /// What was made of the depths, and the sums of each reference, when all parts have been added.
    pub fn finish(mut self) -> (D, Vec<ReferenceSums>) {
        while self.current < self.references.len() {
            self.end_reference();
        }
        (self.depths, self.sums)
    }
}
