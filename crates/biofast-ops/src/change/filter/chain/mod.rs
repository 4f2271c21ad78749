//! The chain itself: one unit in, texts out.

mod by_adapter;

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use biofast_fastq::pair::{MateNaming, split_mate, template_name};
use biofast_fastq::{Inputs, Record, Transform, Unit, write_record};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Failure;

use super::best::BestReads;
use super::deplete::{Deplete, DepleteAction, DepleteBuffers};
use super::fastp::{FastpGatherer, Frequent};
use super::names::{ListedNames, NameFilter};
use super::predicate::Predicate;
use super::read::{EditedBases, TrimCounts, TrimUnit, TrimmedRead};
use super::sample::SampleFilter;
use super::statistics::FilterStatistics;
use super::tally::{FilterTally, Reason};
use super::trim::{Label, MergeRule, Trim, Trimmer};
use super::trim_galore::{GaloreCounts, GaloreLimits};
use crate::measure::records::{Amount, Sum};
use by_adapter::ByAdapter;

pub use by_adapter::{AdapterRule, Combinations};

/// When a pair is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairRule {
    /// When both reads are good.
    #[default]
    Both,
    /// When one is.
    Any,
}

/// Which text each read goes to. Reads without a text are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterRoutes {
    /// Kept reads, or the first of kept pairs.
    pub first: usize,
    /// The second of kept pairs; the same as `first` for interleaved output.
    pub second: usize,
    /// Good reads whose mate is rejected, first and second.
    pub orphans: [Option<usize>; 2],
    /// Rejected reads, as they came in, with the reason in the header.
    pub rejected: Option<usize>,
}

impl Default for FilterRoutes {
    /// Everything kept goes to text 0.
    fn default() -> FilterRoutes {
        FilterRoutes { first: 0, second: 0, orphans: [None; 2], rejected: None }
    }
}

/// A chain of trimmers and predicates. The [module](super) has an example.
#[derive(Default)]
pub struct Filter {
    sample: Option<SampleFilter>,
    names: Option<NameFilter>,
    deplete: Option<Deplete>,
    best: Option<BestReads>,
    /// Trimmers, and where the numbers of their adapters begin.
    trimmers: Vec<(Box<dyn Trimmer>, usize)>,
    /// What adapters the trimmers look for.
    adapters: Vec<Label>,
    with_adapter: AdapterRule,
    by_adapter: ByAdapter,
    /// When pairs are merged, and which text gets them.
    merge: Option<(MergeRule, usize)>,
    /// Predicates, and which mates must meet each.
    predicates: Vec<(Box<dyn Predicate>, [bool; 2])>,
    pair: PairRule,
    mates: MateNaming,
    routes: FilterRoutes,
    statistics: bool,
    /// With adapters by position.
    adapter_positions: bool,
    /// Whether fastp's rules hold.
    is_fastp: bool,
    /// What each worker begins with, if it gathers for fastp's report.
    fastp: Option<FastpGatherer>,
    /// The same for Trim Galore's.
    galore: Option<GaloreCounts>,
}

impl Filter {
    /// A filter that keeps everything as it is.
    pub fn new() -> Filter {
        Filter::default()
    }

    /// Takes a sample first.
    pub fn sample(mut self, sample: SampleFilter) -> Filter {
        self.sample = Some(sample);
        self
    }

    /// Takes reads by name, after sampling.
    pub fn names(mut self, names: NameFilter) -> Filter {
        self.names = Some(names);
        self
    }

    /// Removes, takes or masks reads that share minimizers with a reference, after they were chosen by name.
    #[must_use]
    pub fn deplete(mut self, deplete: Deplete) -> Filter {
        self.deplete = Some(deplete);
        self
    }

    /// Which reads are removed, taken or masked by their minimizers, if any are.
    #[doc(hidden)]
    pub fn depleted(&self) -> Option<&Deplete> {
        self.deplete.as_ref()
    }

    /// Keeps only these reads, of those that have no mates and aren't split.
    #[doc(hidden)]
    pub fn best(mut self, best: BestReads) -> Filter {
        self.best = Some(best);
        self
    }

    /// How many names of a list were found so far, if there is one.
    pub fn listed_names(&self) -> Option<ListedNames> {
        self.names.as_ref().and_then(NameFilter::summary)
    }

    /// Adds a trimmer after those there are.
    pub fn trim(mut self, trimmer: impl Trimmer + 'static) -> Filter {
        let numbers = self.adapters.len();
        self.adapters.extend(trimmer.adapters());
        self.trimmers.push((Box::new(trimmer), numbers));
        self
    }

    /// Takes reads only in which an adapter was found, or only others.
    #[doc(hidden)]
    pub fn with_adapter(mut self, rule: AdapterRule) -> Filter {
        self.with_adapter = rule;
        self
    }

    /// Sends kept reads to the texts of the last adapter found in them; of pairs, in the first read. For each of
    /// [`adapters`](Self::adapters), `texts` has the text of first and of second reads. Reads without an adapter go
    /// where the [`FilterRoutes`] say.
    #[doc(hidden)]
    pub fn by_adapter(mut self, texts: Vec<[usize; 2]>) -> Filter {
        self.by_adapter = ByAdapter::First(texts);
        self
    }

    /// Sends kept pairs to the texts of the last adapters found in both mates.
    #[doc(hidden)]
    pub fn by_adapters(mut self, combinations: Combinations) -> Filter {
        self.by_adapter = ByAdapter::Both(combinations);
        self
    }

    /// Where kept reads go in which these adapters were found last, in each mate.
    fn places(&self, last: [Option<usize>; 2]) -> [usize; 2] {
        self.by_adapter.places(last).unwrap_or([self.routes.first, self.routes.second])
    }

    /// Merges mates that overlap, as they are trimmed, into one read, which goes to the text `to`.
    ///
    /// The merged read is filtered as a single read. It has the header of the first read, with ` merged_A_B` appended:
    /// A bases come from the first read and B from the second. If it is rejected, so are both mates.
    #[doc(hidden)]
    pub fn merge(mut self, rule: MergeRule, to: usize) -> Filter {
        self.merge = Some((rule, to));
        self
    }

    /// The adapters that are looked for, in the order of [`FilterTally::adapters`].
    #[doc(hidden)]
    pub fn adapters(&self) -> &[Label] {
        &self.adapters
    }

    /// Goes by fastp's rules where they are others: where a fixed cut or low quality leaves nothing of a mate, nothing more is cut
    /// off the other one; a read without bases is too short, whatever else is asked for; a tag stands behind all of the name; and
    /// reads whose mates are rejected aren't among those after filtering in [its report](super::fastp::FastpReport).
    #[doc(hidden)]
    pub fn as_fastp(mut self) -> Filter {
        self.is_fastp = true;
        self
    }

    /// Adds a predicate after those there are; they see the reads as trimmed.
    pub fn require(self, predicate: impl Predicate + 'static) -> Filter {
        self.require_of([true; 2], predicate)
    }

    /// Adds a predicate for first reads, second reads or both. Reads without mates and merged reads count as first reads.
    #[must_use]
    pub fn require_of(mut self, mates: [bool; 2], predicate: impl Predicate + 'static) -> Filter {
        self.predicates.push((Box::new(predicate), mates));
        self
    }

    /// Sets when a pair is kept.
    pub fn pair_rule(mut self, rule: PairRule) -> Filter {
        self.pair = rule;
        self
    }

    /// What makes mates, whose names get what is added before what tells one from the other.
    #[must_use]
    pub fn mates(mut self, mates: MateNaming) -> Filter {
        self.mates = mates;
        self
    }

    /// Sets where reads go.
    pub fn routes(mut self, routes: FilterRoutes) -> Filter {
        self.routes = routes;
        self
    }

    /// Also gathers full [`FilterStatistics`] of what comes in and what is kept.
    #[doc(hidden)]
    pub fn gather_statistics(mut self) -> Filter {
        self.statistics = true;
        self
    }

    /// Also gathers adapters by position with the [statistics](Self::gather_statistics).
    #[doc(hidden)]
    pub fn gather_adapter_positions(mut self) -> Filter {
        self.adapter_positions = true;
        self
    }

    /// Also gathers what stands in fastp's [report](super::fastp::FastpReport).
    #[doc(hidden)]
    pub fn gather_for_fastp(mut self) -> Filter {
        self.fastp.get_or_insert_default();
        self
    }

    /// Also gathers it, with how often these sequences come, of first and of second reads.
    #[doc(hidden)]
    pub fn gather_for_fastp_with(mut self, frequent: [Frequent; 2]) -> Filter {
        let [first, second] = frequent.map(Arc::new);
        self.fastp = Some(FastpGatherer::counting([first, second]));
        self
    }

    /// Also gathers what stands in Trim Galore's reports, of reads that must be like this.
    #[doc(hidden)]
    pub fn gather_for_trim_galore(mut self, limits: GaloreLimits) -> Filter {
        self.galore = Some(GaloreCounts::new(limits));
        self
    }

    /// Filters reads or pairs, the first `limit` of them, on as many threads as the options say. What is kept is in `outputs` in the
    /// order of the input; the worker that is returned has the counts of all.
    ///
    /// ```
    /// use biofast_fastq::Inputs;
    /// use biofast_io::output::{Compression, Output};
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::filter::Filter;
    ///
    /// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]);
    /// let output = Output::stream("nowhere", std::io::sink(), Compression::default());
    /// let options = [Options::default(), Options::default()];
    /// let filter = Filter::new();
    /// let worker = filter.run(Inputs::Single(reads), options, None, &mut [output])?;
    /// assert_eq!(worker.tally().input[0].reads, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the inputs or the outputs. The outputs have what came before it.
    pub fn run(
        &self,
        inputs: Inputs,
        options: [Options; 2],
        limit: Option<u64>,
        outputs: &mut [Output],
    ) -> Result<FilterWorker<'_>, Failure<biofast_fastq::Error>> {
        Transform::new(inputs).options_of_each(options).limit(limit).run(
            outputs,
            || self.worker(),
            |worker, unit, texts| worker.apply(unit, texts),
            |worker, other| worker.merge(other),
        )
    }

    /// A worker's own counts and buffers.
    pub fn worker(&self) -> FilterWorker<'_> {
        FilterWorker {
            filter: self,
            tally: FilterTally::default(),
            statistics: self
                .statistics
                .then(|| Box::new(FilterStatistics::new(self.adapter_positions))),
            fastp: self.fastp.clone().map(Box::new),
            galore: self.galore.clone().map(Box::new),
            buffers: Some(Box::new(Buffers {
                edited: vec![Default::default(); self.trimmers.len()],
                ..Buffers::default()
            })),
            is_numbered: false,
            other_strand: false,
        }
    }

    fn objection(&self, read: &TrimmedRead<'_>, mate: usize) -> Option<Reason> {
        if self.is_fastp && read.is_empty() {
            return Some(Reason::TooShort);
        }
        let mut of_mate = self.predicates.iter().filter(|(_, mates)| mates[mate]);
        let found = of_mate.find_map(|(predicate, _)| predicate.objection(read));
        found.or((read.is_empty() && read.is_trimmed()).then_some(Reason::Emptied))
    }

    /// Makes header, bases and qualities of one read of mates that lie on each other.
    fn merged(
        &self,
        rule: MergeRule,
        [first, second]: [&TrimmedRead<'_>; 2],
        (tag, is_numbered): (&[u8], bool),
        scratch: &mut Vec<u8>,
        merged: &mut [Vec<u8>; 3],
    ) -> bool {
        // By fastp's rule a mate without bases lies on the other one, and they become a read without bases.
        if !self.is_fastp && (first.is_empty() || second.is_empty()) {
            return false;
        }
        merged.iter_mut().for_each(Vec::clear);
        let [definition, sequence, qualities] = merged;
        let Some(lens) = rule.merge([first, second], scratch, sequence, qualities) else {
            return false;
        };
        match tag {
            [] => definition.extend_from_slice(first.record().definition()),
            tag => self.tagged(definition, first.record(), (tag, is_numbered)),
        }
        definition.extend_from_slice(format!(" merged_{}_{}", lens[0], lens[1]).as_bytes());
        true
    }

    /// The header line with `tag` after the name: before a final `/1` or `/2`, or whatever else numbers mates; after these as
    /// fastp does it.
    fn tagged(&self, out: &mut Vec<u8>, record: &Record<'_>, (tag, is_numbered): (&[u8], bool)) {
        let (definition, name) = (record.definition(), record.name());
        let numbered = || is_numbered.then(|| split_mate(name)).flatten();
        let end = match self.is_fastp {
            true => definition.iter().position(|&c| c == b' ').unwrap_or(definition.len()),
            false => numbered().map_or_else(|| template_name(name), |(name, _)| name).len(),
        };
        out.extend_from_slice(&definition[..end]);
        out.extend_from_slice(tag);
        out.extend_from_slice(&definition[end..]);
    }
}

/// Applies a [`Filter`] and counts. Each thread has its own worker; they are [merged](Self::merge) at the end.
pub struct FilterWorker<'f> {
    filter: &'f Filter,
    tally: FilterTally,
    statistics: Option<Box<FilterStatistics>>,
    fastp: Option<Box<FastpGatherer>>,
    galore: Option<Box<GaloreCounts>>,
    /// Away while a unit is looked at.
    buffers: Option<Box<Buffers>>,
    /// The names of the pair end in the numbers of mates.
    is_numbered: bool,
    /// The other strand was taken.
    other_strand: bool,
}

/// Memory that is used again.
#[derive(Default)]
struct Buffers {
    tag: Vec<u8>,
    scratch: Vec<u8>,
    found: Vec<(usize, usize)>,
    pieces: Vec<Range<usize>>,
    /// Header, bases and qualities of a merged pair.
    merged: [Vec<u8>; 3],
    /// What each trimmer made of bases and qualities, if it changed any.
    edited: Vec<[EditedBases; 2]>,
    cut_adapters: [Vec<u8>; 2],
    deplete: DepleteBuffers,
}

impl FilterWorker<'_> {
    /// The counts so far.
    pub fn tally(&self) -> &FilterTally {
        &self.tally
    }

    /// Adds the counts of another worker of the same filter.
    pub fn merge(&mut self, mut other: FilterWorker<'_>) {
        self.tally.merge(&other.tally);
        if let (Some(mine), Some(theirs)) = (&mut self.statistics, &mut other.statistics) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.fastp, &other.fastp) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.galore, &other.galore) {
            mine.merge(theirs);
        }
    }

    /// What was gathered for fastp's report, if it was [asked for](Filter::gather_for_fastp).
    #[doc(hidden)]
    pub fn take_for_fastp(&mut self) -> Option<Box<FastpGatherer>> {
        self.fastp.take()
    }

    /// What was gathered for Trim Galore's reports, if it was [asked for](Filter::gather_for_trim_galore).
    #[doc(hidden)]
    pub fn take_for_trim_galore(&mut self) -> Option<Box<GaloreCounts>> {
        self.galore.take()
    }

    /// The counts, and the statistics if they were [gathered](Filter::gather_statistics).
    #[doc(hidden)]
    pub fn finish(self) -> (FilterTally, Option<Box<FilterStatistics>>) {
        (self.tally, self.statistics)
    }

    /// Trims and judges a unit and appends it to the texts it goes to.
    ///
    /// # Panics
    /// If there are fewer texts than the routes name.
    pub fn apply(&mut self, unit: Unit<'_>, texts: &mut [Vec<u8>]) {
        let mut sink = OutputTexts { texts, rejected: self.filter.routes.rejected };
        let Ok(()) = self.apply_to(unit, [false; 2], &mut sink);
    }

    /// Trims and judges a unit and gives its reads to `sink`. Those that are `unwanted` for
    /// reasons of the caller are rejected as [`Reason::NotSelected`].
    ///
    /// # Errors
    /// That of the sink.
    #[doc(hidden)]
    pub fn apply_to<S: ReadSink>(
        &mut self,
        unit: Unit<'_>,
        unwanted: [bool; 2],
        sink: &mut S,
    ) -> Result<(), S::Error> {
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
        if let Some(fastp) = &mut self.fastp {
            fastp.before[0].add(&unit.first);
            if let Some(second) = &unit.second {
                fastp.before[1].add(second);
            }
            fastp.duplicates.add(&unit.first, unit.second.as_ref());
        }
        // Reads borrow from what they are edited into; it comes back for the next ones.
        let mut buffers = self.buffers.take().unwrap_or_default();
        let result = self.judge(unit, unwanted, amounts, &mut buffers, sink);
        self.buffers = Some(buffers);
        result
    }

    /// Trims a unit that was counted, and gives its reads to where they go.
    fn judge<S: ReadSink>(
        &mut self,
        unit: Unit<'_>,
        mut unwanted: [bool; 2],
        mut amounts: [Option<Amount>; 2],
        buffers: &mut Buffers,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let filter = self.filter;
        let Buffers { tag, scratch, found, pieces, merged, edited, cut_adapters, deplete } =
            buffers;
        tag.clear();
        pieces.clear();
        self.is_numbered = filter.mates == MateNaming::Names
            && unit.second.is_some_and(|second| second.name() != unit.first.name());
        self.other_strand = false;
        let (mut adapter_inside, mut dimer) = (false, false);
        let mut counts = TrimCounts::default();
        let (mut first, mut second) =
            (TrimmedRead::new(unit.first), unit.second.map(TrimmedRead::new));
        let not_drawn = if filter.sample.is_some_and(|s| !s.takes(unit.index)) {
            Some(Reason::NotSampled)
        } else if filter.names.as_ref().is_some_and(|names| !names.wants(&unit)) {
            Some(Reason::Name)
        } else {
            self.match_index(&unit, &amounts, deplete)
        };
        if not_drawn.is_none()
            && let Some(masking) = filter.deplete.as_ref().filter(|_| deplete.is_matching)
            && masking.action == DepleteAction::Mask
        {
            let reads = [Some(first), second];
            let (edited, masked) = masking.mask(reads, deplete);
            if let Some(edited) = edited[0] {
                first = first.with(edited);
            }
            if let Some(edited) = edited[1] {
                second = second.map(|read| read.with(edited));
            }
            if masked > 0 {
                self.tally.trim(Trim::MaskMatches, masked);
            }
        }
        let mut objections = [not_drawn; 2];
        let mut by_adapter = [None; 2];
        let mut last_adapters = [None; 2];
        if not_drawn.is_none() {
            if let Some(galore) = &mut self.galore {
                galore.came_in([Some(&first), second.as_ref()]);
            }
            let mut with_adapter = [false; 2];
            let mut gone = [false; 2];
            for ((trimmer, numbers), edited) in filter.trimmers.iter().zip(edited) {
                found.clear();
                cut_adapters.iter_mut().for_each(Vec::clear);
                edited.iter_mut().for_each(|edited| edited.used = false);
                let mut reads = TrimUnit {
                    first,
                    second,
                    tag,
                    scratch,
                    found,
                    edited,
                    counts: &mut counts,
                    pieces,
                    adapter_inside: &mut adapter_inside,
                    gone: &mut gone,
                    other_strand: &mut self.other_strand,
                    dimer: &mut dimer,
                    cut_adapters,
                };
                let mut before = [Some(reads.first), reads.second];
                let was_turned = *reads.other_strand;
                trimmer.trim(&mut reads);
                (first, second) = (reads.first, reads.second);
                if self.other_strand != was_turned {
                    self.tally.other_strand += 1;
                    if second.is_some() {
                        before.swap(0, 1);
                        gone.swap(0, 1);
                        amounts.swap(0, 1);
                        unwanted.swap(0, 1);
                    }
                }
                let after = [Some(first), second];
                let lens = [before, after].map(|reads| reads.map(|r| r.map_or(0, |r| r.len())));
                let cut = [0, 1].map(|mate| lens[0][mate] - lens[1][mate]);
                let masked = std::mem::take(&mut counts.masked) as usize;
                if cut != [0; 2] || masked > 0 {
                    self.tally.trim(trimmer.kind(), cut[0] + cut[1] + masked);
                    let kind = trimmer.kind();
                    if !filter.is_fastp && matches!(kind, Trim::Umi | Trim::Crop | Trim::Quality) {
                        for mate in 0..2 {
                            gone[mate] |= cut[mate] > 0 && lens[1][mate] == 0;
                        }
                    }
                }
                if let Some(fastp) = &mut self.fastp {
                    let pairs = before.into_iter().zip(after);
                    let reads = pairs.map(|(before, after)| before.zip(after));
                    fastp.trimmed(trimmer.kind(), reads, cut_adapters, &mut counts);
                }
                let places = std::mem::take(&mut counts.adapter_places);
                if let Some(galore) = &mut self.galore {
                    let reads = [0, 1].map(|mate| before[mate].zip(after[mate]));
                    galore.trimmed(trimmer.kind(), reads, places);
                }
                for &(mate, number) in &*found {
                    let mate = mate.min(1);
                    with_adapter[mate] = true;
                    last_adapters[mate] = Some(numbers + number);
                    self.tally.found(numbers + number);
                }
                let edited = &*edited;
                if edited[0].used {
                    first = first.with(&edited[0]);
                }
                if edited[1].used {
                    second = second.map(|read| read.with(&edited[1]));
                }
                if filter.is_fastp && gone != [false; 2] {
                    break;
                }
            }
            self.tally.count(&counts);
            if let Some(galore) = &mut self.galore {
                galore.decide([Some(&first), second.as_ref()]);
            }
            if let (Some((rule, to)), Some(second)) = (filter.merge, &second)
                && (gone == [false; 2] || !filter.is_fastp)
                && filter.merged(rule, [&first, second], (tag, self.is_numbered), scratch, merged)
            {
                return self.send_merged([&first, second], amounts, merged, to, sink);
            }
            objections = unwanted.map(|unwanted| unwanted.then_some(Reason::NotSelected));
            if dimer {
                // Whatever else is to be said against it.
                objections = objections.map(|unwanted| unwanted.or(Some(Reason::AdapterDimer)));
            }
            objections[0] = objections[0].or_else(|| filter.objection(&first, 0));
            objections[1] =
                objections[1].or_else(|| second.and_then(|read| filter.objection(&read, 1)));
            if adapter_inside {
                objections[0] = objections[0].or(Some(Reason::AdapterInside));
            }
            by_adapter = filter.with_adapter.objections(with_adapter, second.is_some());
            for (objection, other) in objections.iter_mut().zip(by_adapter) {
                *objection = objection.or(other);
            }
        }
        let places = filter.places(last_adapters);
        let is_wanted = unwanted == [false; 2] && by_adapter[0].is_none();
        if second.is_none() && pieces.len() > 1 && is_wanted {
            return self.send_pieces(&first, tag, pieces, places[0], sink);
        }
        let tag = &tag[..];
        let Some(second) = second else {
            let to = Some(places[0]);
            if filter.best.as_ref().is_some_and(|best| !best.takes(unit.index)) {
                objections[0] = objections[0].or(Some(Reason::NotBest));
            }
            self.tally.decide(1, [objections[0], None]);
            return self.send(0, first, tag, amounts[0], objections[0], to, sink);
        };
        let bad = objections.map(|o| o.is_some());
        let kept = match filter.pair {
            PairRule::Both => bad == [false; 2],
            PairRule::Any => bad != [true; 2],
        };
        self.tally.decide(2, if kept { [None; 2] } else { objections });
        for (mate, read) in [first, second].into_iter().enumerate() {
            let FilterRoutes { orphans, .. } = filter.routes;
            let (objection, to) = if kept {
                (None, Some(places[mate]))
            } else if bad[mate] || not_drawn.is_some() {
                (objections[mate], None)
            } else if let Some(to) = orphans[mate] {
                self.tally.orphans += 1;
                (None, Some(to))
            } else {
                (Some(Reason::MateRejected), None)
            };
            self.send(mate, read, tag, amounts[mate], objection, to, sink)?;
        }
        Ok(())
    }

    /// Whether a unit matches the index, and why it isn't kept then.
    fn match_index(
        &mut self,
        unit: &Unit<'_>,
        amounts: &[Option<Amount>; 2],
        buffers: &mut DepleteBuffers,
    ) -> Option<Reason> {
        let deplete = self.filter.deplete.as_ref()?;
        let is_matching = deplete.matches(unit, buffers);
        if is_matching {
            for amount in amounts.iter().flatten() {
                self.tally.matching[0] += amount.reads;
                self.tally.matching[1] += amount.bases;
            }
        }
        deplete.objection(is_matching)
    }

    /// Judges a merged pair as one read; if it isn't wanted, the mates are rejected.
    fn send_merged<S: ReadSink>(
        &mut self,
        mates: [&TrimmedRead<'_>; 2],
        amounts: [Option<Amount>; 2],
        [definition, sequence, qualities]: &[Vec<u8>; 3],
        to: usize,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let record = Record::new(definition, sequence, qualities);
        let read = TrimmedRead::new(record);
        let objection = self.filter.objection(&read, 0);
        self.tally.decide(2, [objection, None]);
        if objection.is_some() {
            for (mate, read) in mates.into_iter().enumerate() {
                self.send(mate, *read, &[], amounts[mate], objection, None, sink)?;
            }
            return Ok(());
        }
        self.tally.merged += 1;
        if let Some(fastp) = &mut self.fastp {
            fastp.merged.add(&record);
        }
        self.send(0, read, &[], Some(Amount::of(&record)), None, Some(to), sink)
    }

    /// Judges the pieces of a read each for itself, as reads named after it with `_1`, `_2` and so on.
    fn send_pieces<S: ReadSink>(
        &mut self,
        read: &TrimmedRead<'_>,
        tag: &mut Vec<u8>,
        pieces: &[Range<usize>],
        to: usize,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.tally.split[0] += 1;
        self.tally.split[1] += pieces.len() as u64;
        let tag_len = tag.len();
        for (number, piece) in pieces.iter().enumerate() {
            tag.truncate(tag_len);
            tag.extend_from_slice(format!("_{}", number + 1).as_bytes());
            let mut definition = Vec::new();
            self.filter.tagged(&mut definition, read.record(), (tag, self.is_numbered));
            let (sequence, qualities) = (read.sequence(), read.qualities());
            let record =
                Record::new(&definition, &sequence[piece.clone()], &qualities[piece.clone()]);
            let piece = TrimmedRead::new(record);
            let objection = self.filter.objection(&piece, 0);
            self.tally.decide(1, [objection, None]);
            self.send(0, piece, &[], Some(Amount::of(&record)), objection, Some(to), sink)?;
        }
        Ok(())
    }

    /// Books one read and gives it to where it goes.
    #[expect(clippy::too_many_arguments, reason = "what is known of the read")]
    fn send<S: ReadSink>(
        &mut self,
        mate: usize,
        read: TrimmedRead<'_>,
        tag: &[u8],
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
        let definition = if tag.is_empty() && !self.other_strand {
            read.record().definition()
        } else {
            match tag {
                [] => definition.extend_from_slice(read.record().definition()),
                tag => {
                    self.filter.tagged(&mut definition, read.record(), (tag, self.is_numbered));
                }
            }
            if self.other_strand {
                definition.extend_from_slice(b" rc");
            }
            &definition
        };
        let trimmed = read.is_changed() || !tag.is_empty() || self.other_strand;
        let record = Record::new(definition, read.sequence(), read.qualities());
        let amount = if trimmed { Amount::of(&record) } else { amount };
        self.tally.output[mate].add(&amount);
        if let Some(statistics) = &mut self.statistics {
            statistics.kept(mate, &record);
        }
        let is_orphan = to.is_some() && to == self.filter.routes.orphans[mate];
        if let Some(fastp) = &mut self.fastp
            && !(self.filter.is_fastp && is_orphan)
        {
            fastp.after[mate].add(&record);
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
pub trait ReadSink {
    /// Why one can't be taken.
    type Error;

    /// Takes a read that is kept, as it is trimmed and with a new header line (without `@`); `mate`
    /// is 1 for the second of a pair, else 0, and `to` is what the [`FilterRoutes`] say.
    ///
    /// # Errors
    /// If it can't be taken.
    fn keep(
        &mut self,
        read: &TrimmedRead<'_>,
        definition: &[u8],
        mate: usize,
        to: usize,
    ) -> Result<(), Self::Error>;

    /// Takes a read that isn't.
    ///
    /// # Errors
    /// If it can't be taken.
    fn reject(
        &mut self,
        read: &TrimmedRead<'_>,
        mate: usize,
        reason: Reason,
    ) -> Result<(), Self::Error>;
}

/// FASTQ texts.
struct OutputTexts<'t> {
    texts: &'t mut [Vec<u8>],
    rejected: Option<usize>,
}

impl ReadSink for OutputTexts<'_> {
    type Error = Infallible;

    fn keep(
        &mut self,
        read: &TrimmedRead<'_>,
        definition: &[u8],
        _: usize,
        to: usize,
    ) -> Result<(), Infallible> {
        let whole = read.record();
        if !read.is_changed() && std::ptr::eq(definition, whole.definition()) {
            write(&mut self.texts[to], whole);
        } else {
            let record = Record::new(definition, read.sequence(), read.qualities());
            write(&mut self.texts[to], &record);
        }
        Ok(())
    }

    fn reject(
        &mut self,
        read: &TrimmedRead<'_>,
        _: usize,
        reason: Reason,
    ) -> Result<(), Infallible> {
        if let Some(to) = self.rejected {
            write_rejected(&mut self.texts[to], read.record(), reason);
        }
        Ok(())
    }
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
