//! The chain itself: one unit in, texts out.

use std::convert::Infallible;

use biofast_fastq::{Record, Unit, write_record};

use super::names::{ListedNames, Names};
use super::predicate::Predicate;
use super::read::{Read, Reads};
use super::sample::Sample;
use super::statistics::Statistics;
use super::tally::{Reason, Tally};
use super::trim::Trimmer;
use crate::measure::records::{Amount, Sum};

/// When a pair is kept.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::predicate::MinLen;
/// use biofast_ops::filter::{Filter, PairRule};
///
/// let kept = |rule| {
///     let filter = Filter::new().require(MinLen(3)).pair_rule(rule);
///     let mut worker = filter.worker();
///     let (first, second) = (Record::new(b"r", b"ACGT", b"IIII"), Some(Record::new(b"r", b"A", b"I")));
///     worker.apply(Unit { index: 0, first, second }, &mut [Vec::new()]);
///     worker.tally().output[0].reads
/// };
/// assert_eq!((kept(PairRule::Both), kept(PairRule::Any)), (0, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairRule {
    /// When both reads are good.
    #[default]
    Both,
    /// When one is.
    Any,
}

/// Which text gets which reads; what has no text is dropped.
///
/// ```
/// use biofast_ops::filter::{Filter, Routes};
///
/// // Outputs 0 and 1 get first and second reads, 2 both without their mates, 3 what was rejected.
/// let routes = Routes { first: 0, second: 1, orphans: [Some(2); 2], rejected: Some(3) };
/// let filter = Filter::new().routes(routes);
/// # let _ = filter;
/// assert_eq!(Routes::default().second, 0); // interleaved
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routes {
    /// Kept reads, or the first of kept pairs.
    pub first: usize,
    /// The second of kept pairs; the same as `first` for interleaved output.
    pub second: usize,
    /// Good reads whose mate is rejected, first and second.
    pub orphans: [Option<usize>; 2],
    /// Rejected reads, as they came in, with the reason in the header.
    pub rejected: Option<usize>,
}

impl Default for Routes {
    /// Everything kept goes to text 0.
    fn default() -> Routes {
        Routes { first: 0, second: 0, orphans: [None; 2], rejected: None }
    }
}

/// A chain of trimmers and predicates.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::predicate::MinLen;
/// use biofast_ops::filter::trim::Crop;
/// use biofast_ops::filter::{Filter, Reason};
///
/// let filter = Filter::new().trim(Crop { front: [1, 0], tail: [0, 0] }).require(MinLen(3));
/// let mut worker = filter.worker();
/// // One text an output; all kept reads go to the first.
/// let mut texts = vec![Vec::new()];
/// for (index, sequence) in [&b"ACGT"[..], b"ACG"].into_iter().enumerate() {
///     let first = Record::new(b"r", sequence, &b"IIII"[..sequence.len()]);
///     worker.apply(Unit { index: index as u64, first, second: None }, &mut texts);
/// }
/// assert_eq!(texts[0], b"@r\nCGT\n+\nIII\n");
/// assert_eq!(worker.tally().rejected(Reason::TooShort), 1);
/// ```
#[derive(Default)]
pub struct Filter {
    sample: Option<Sample>,
    names: Option<Names>,
    trimmers: Vec<Box<dyn Trimmer>>,
    predicates: Vec<Box<dyn Predicate>>,
    pair: PairRule,
    routes: Routes,
    statistics: bool,
}

impl Filter {
    /// A filter that keeps everything as it is.
    pub fn new() -> Filter {
        Filter::default()
    }

    /// Takes a sample first.
    pub fn sample(mut self, sample: Sample) -> Filter {
        self.sample = Some(sample);
        self
    }

    /// Takes reads by name, after sampling.
    pub fn names(mut self, names: Names) -> Filter {
        self.names = Some(names);
        self
    }

    /// How many names of a list were found so far, if there is one.
    pub fn listed_names(&self) -> Option<ListedNames> {
        self.names.as_ref().and_then(Names::summary)
    }

    /// Adds a trimmer after those there are.
    pub fn trim(mut self, trimmer: impl Trimmer + 'static) -> Filter {
        self.trimmers.push(Box::new(trimmer));
        self
    }

    /// Adds a predicate after those there are; they see the reads as trimmed.
    pub fn require(mut self, predicate: impl Predicate + 'static) -> Filter {
        self.predicates.push(Box::new(predicate));
        self
    }

    /// Sets when a pair is kept.
    pub fn pair_rule(mut self, rule: PairRule) -> Filter {
        self.pair = rule;
        self
    }

    /// Sets where reads go.
    pub fn routes(mut self, routes: Routes) -> Filter {
        self.routes = routes;
        self
    }

    /// Also gathers full [`Statistics`] of what comes in and what is kept.
    pub fn gather_statistics(mut self) -> Filter {
        self.statistics = true;
        self
    }

    /// A worker's own counts and buffers.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            filter: self,
            tally: Tally::default(),
            statistics: self.statistics.then(Box::default),
            tag: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn objection(&self, read: &Read<'_>) -> Option<Reason> {
        let found = self.predicates.iter().find_map(|predicate| predicate.objection(read));
        found.or((read.is_empty() && read.is_trimmed()).then_some(Reason::Emptied))
    }
}

/// Applies a [`Filter`] and counts.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::Filter;
///
/// let filter = Filter::new();
/// // One a thread; what they counted is put together at the end.
/// let (mut one, mut other) = (filter.worker(), filter.worker());
/// let first = Record::new(b"r", b"ACGT", b"IIII");
/// one.apply(Unit { index: 0, first, second: None }, &mut [Vec::new()]);
/// other.apply(Unit { index: 1, first, second: None }, &mut [Vec::new()]);
/// one.merge(other);
/// let (tally, _) = one.finish();
/// assert_eq!((tally.input[0].reads, tally.output[0].bases), (2, 8));
/// ```
pub struct Worker<'f> {
    filter: &'f Filter,
    tally: Tally,
    statistics: Option<Box<Statistics>>,
    tag: Vec<u8>,
    scratch: Vec<u8>,
}

impl Worker<'_> {
    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Adds the counts of another worker of the same filter.
    pub fn merge(&mut self, mut other: Worker<'_>) {
        self.tally.merge(&other.tally);
        if let (Some(mine), Some(theirs)) = (&mut self.statistics, &mut other.statistics) {
            mine.merge(theirs);
        }
    }

    /// The counts, and the statistics if they were [gathered](Filter::gather_statistics).
    pub fn finish(self) -> (Tally, Option<Box<Statistics>>) {
        (self.tally, self.statistics)
    }

    /// Trims and judges a unit and appends it to the texts it goes to.
    ///
    /// # Panics
    /// If there are fewer texts than the routes name.
    pub fn apply(&mut self, unit: Unit<'_>, texts: &mut [Vec<u8>]) {
        let mut sink = Texts { texts, rejected: self.filter.routes.rejected };
        let Ok(()) = self.apply_to(unit, [false; 2], &mut sink);
    }

    /// Trims and judges a unit and gives its reads to `sink`. Those that are `unwanted` for
    /// reasons of the caller are rejected as [`Reason::NotSelected`].
    ///
    /// # Errors
    /// That of the sink.
    pub fn apply_to<S: Sink>(
        &mut self,
        unit: Unit<'_>,
        unwanted: [bool; 2],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let filter = self.filter;
        let amounts = [Some(unit.first), unit.second].map(|r| r.map(|r| Amount::of(&r)));
        for (mate, amount) in amounts.iter().enumerate() {
            if let Some(amount) = amount {
                self.tally.input[mate].add(amount);
            }
        }
        if let Some(statistics) = &mut self.statistics {
            statistics.came_in(0, &unit.first);
            if let Some(second) = &unit.second {
                statistics.came_in(1, second);
            }
        }
        self.tag.clear();
        let mut reads = Reads {
            first: Read::new(unit.first),
            second: unit.second.map(Read::new),
            tag: &mut self.tag,
            scratch: &mut self.scratch,
        };
        let not_drawn = if filter.sample.is_some_and(|s| !s.takes(unit.index)) {
            Some(Reason::NotSampled)
        } else if filter.names.as_ref().is_some_and(|names| !names.wants(&unit)) {
            Some(Reason::Name)
        } else {
            None
        };
        let mut objections = [not_drawn; 2];
        if not_drawn.is_none() {
            for trimmer in &filter.trimmers {
                let before = reads.bases();
                trimmer.trim(&mut reads);
                let cut = before - reads.bases();
                if cut > 0 {
                    self.tally.trim(trimmer.kind(), cut);
                }
            }
            objections = unwanted.map(|unwanted| unwanted.then_some(Reason::NotSelected));
            objections[0] = objections[0].or_else(|| filter.objection(&reads.first));
            objections[1] =
                objections[1].or_else(|| reads.second.and_then(|read| filter.objection(&read)));
        }
        let (first, second) = (reads.first, reads.second);
        let Some(second) = second else {
            let to = Some(filter.routes.first);
            return self.send(0, first, amounts[0], objections[0], to, sink);
        };
        let bad = objections.map(|o| o.is_some());
        let kept = match filter.pair {
            PairRule::Both => bad == [false; 2],
            PairRule::Any => bad != [true; 2],
        };
        for (mate, read) in [first, second].into_iter().enumerate() {
            let Routes { first, second, orphans, .. } = filter.routes;
            let (objection, to) = if kept {
                (None, Some([first, second][mate]))
            } else if bad[mate] || not_drawn.is_some() {
                (objections[mate], None)
            } else if let Some(to) = orphans[mate] {
                self.tally.orphans += 1;
                (None, Some(to))
            } else {
                (Some(Reason::MateRejected), None)
            };
            self.send(mate, read, amounts[mate], objection, to, sink)?;
        }
        Ok(())
    }

    /// Books one read and gives it to where it goes.
    fn send<S: Sink>(
        &mut self,
        mate: usize,
        read: Read<'_>,
        amount: Option<Amount>,
        objection: Option<Reason>,
        to: Option<usize>,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let amount = amount.unwrap_or_else(|| Amount::of(read.record()));
        if let Some(reason) = objection {
            self.tally.reject(reason, &amount);
            if let Some(to) = self.filter.routes.rejected {
                self.tally.write(to, Sum::from(&amount));
            }
            return sink.reject(&read, mate, reason);
        }
        let mut definition = Vec::new();
        let definition = if self.tag.is_empty() {
            read.record().definition()
        } else {
            tagged(&mut definition, read.record(), &self.tag);
            &definition
        };
        let trimmed = read.is_trimmed() || !self.tag.is_empty();
        let record = Record::new(definition, read.sequence(), read.qualities());
        let amount = if trimmed { Amount::of(&record) } else { amount };
        self.tally.output[mate].add(&amount);
        if let Some(statistics) = &mut self.statistics {
            statistics.kept(mate, &record);
        }
        if let Some(to) = to {
            self.tally.write(to, Sum::from(&amount));
        }
        match to {
            Some(to) => sink.keep(&read, definition, mate, to),
            None => Ok(()),
        }
    }
}

/// What takes the reads of a unit when it is decided what becomes of them.
pub trait Sink {
    /// Why one can't be taken.
    type Error;

    /// Takes a read that is kept, as it is trimmed and with a new header line (without `@`); `mate`
    /// is 1 for the second of a pair, else 0, and `to` is what the [`Routes`] say.
    ///
    /// # Errors
    /// If it can't be taken.
    fn keep(
        &mut self,
        read: &Read<'_>,
        definition: &[u8],
        mate: usize,
        to: usize,
    ) -> Result<(), Self::Error>;

    /// Takes a read that isn't.
    ///
    /// # Errors
    /// If it can't be taken.
    fn reject(&mut self, read: &Read<'_>, mate: usize, reason: Reason) -> Result<(), Self::Error>;
}

/// FASTQ texts.
struct Texts<'t> {
    texts: &'t mut [Vec<u8>],
    rejected: Option<usize>,
}

impl Sink for Texts<'_> {
    type Error = Infallible;

    fn keep(
        &mut self,
        read: &Read<'_>,
        definition: &[u8],
        _: usize,
        to: usize,
    ) -> Result<(), Infallible> {
        let whole = read.record();
        if !read.is_trimmed() && std::ptr::eq(definition, whole.definition()) {
            write(&mut self.texts[to], whole);
        } else {
            let record = Record::new(definition, read.sequence(), read.qualities());
            write(&mut self.texts[to], &record);
        }
        Ok(())
    }

    fn reject(&mut self, read: &Read<'_>, _: usize, reason: Reason) -> Result<(), Infallible> {
        if let Some(to) = self.rejected {
            write_rejected(&mut self.texts[to], read.record(), reason);
        }
        Ok(())
    }
}

/// The header line with `tag` after the name (before a final `/1` or `/2`).
fn tagged(out: &mut Vec<u8>, record: &Record<'_>, tag: &[u8]) {
    let template = biofast_fastq::pair::template_name(record.name());
    out.extend_from_slice(template);
    out.extend_from_slice(tag);
    out.extend_from_slice(&record.definition()[template.len()..]);
}

fn write(text: &mut Vec<u8>, record: &Record<'_>) {
    text.reserve(record.definition().len() + 2 * record.sequence().len() + 6);
    // Memory takes every write.
    let _ = write_record(text, record);
}

fn write_rejected(text: &mut Vec<u8>, record: &Record<'_>, reason: Reason) {
    let definition = [record.definition(), b" rejected=", reason.name().as_bytes()].concat();
    write(text, &Record::new(&definition, record.sequence(), record.qualities()));
}

#[cfg(test)]
mod tests;
