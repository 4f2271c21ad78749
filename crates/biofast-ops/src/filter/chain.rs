//! The chain itself: one unit in, texts out.

use biofast_fastq::{Record, Unit, write_record};

use super::names::Names;
use super::predicate::Predicate;
use super::read::{Read, Reads};
use super::sample::Sample;
use super::statistics::Statistics;
use super::tally::{Amount, Reason, Sum, Tally};
use super::trim::Trimmer;

/// When a pair is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairRule {
    /// When both reads are good.
    #[default]
    Both,
    /// When one is.
    Any,
}

/// Which text gets which reads; what has no text is dropped.
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
        let unwanted = if filter.sample.is_some_and(|s| !s.takes(unit.index)) {
            Some(Reason::NotSampled)
        } else if filter.names.as_ref().is_some_and(|names| !names.wants(&unit)) {
            Some(Reason::Name)
        } else {
            None
        };
        let mut objections = [unwanted; 2];
        if unwanted.is_none() {
            for trimmer in &filter.trimmers {
                let before = reads.bases();
                trimmer.trim(&mut reads);
                let cut = before - reads.bases();
                if cut > 0 {
                    self.tally.trim(trimmer.kind(), cut);
                }
            }
            objections[0] = filter.objection(&reads.first);
            objections[1] = reads.second.and_then(|read| filter.objection(&read));
        }
        let (first, second) = (reads.first, reads.second);
        let Some(second) = second else {
            let to = Some(filter.routes.first);
            self.send(0, first, amounts[0], objections[0], to, texts);
            return;
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
            } else if bad[mate] || unwanted.is_some() {
                (objections[mate], None)
            } else if let Some(to) = orphans[mate] {
                self.tally.orphans += 1;
                (None, Some(to))
            } else {
                (Some(Reason::MateRejected), None)
            };
            self.send(mate, read, amounts[mate], objection, to, texts);
        }
    }

    /// Books one read and writes it where it goes.
    fn send(
        &mut self,
        mate: usize,
        read: Read<'_>,
        amount: Option<Amount>,
        objection: Option<Reason>,
        to: Option<usize>,
        texts: &mut [Vec<u8>],
    ) {
        let amount = amount.unwrap_or_else(|| Amount::of(read.record()));
        if let Some(reason) = objection {
            self.tally.reject(reason, &amount);
            if let Some(to) = self.filter.routes.rejected {
                write_rejected(&mut texts[to], read.record(), reason);
                self.tally.write(to, Sum::from(&amount));
            }
            return;
        }
        if !read.is_trimmed() && self.tag.is_empty() {
            self.keep(mate, read.record(), &amount, to, texts);
            return;
        }
        let mut definition = Vec::new();
        let definition = if self.tag.is_empty() {
            read.record().definition()
        } else {
            tagged(&mut definition, read.record(), &self.tag);
            &definition
        };
        let record = Record::new(definition, read.sequence(), read.qualities());
        self.keep(mate, &record, &Amount::of(&record), to, texts);
    }

    fn keep(
        &mut self,
        mate: usize,
        record: &Record<'_>,
        amount: &Amount,
        to: Option<usize>,
        texts: &mut [Vec<u8>],
    ) {
        self.tally.output[mate].add(amount);
        if let Some(statistics) = &mut self.statistics {
            statistics.kept(mate, record);
        }
        if let Some(to) = to {
            write(&mut texts[to], record);
            self.tally.write(to, Sum::from(amount));
        }
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
