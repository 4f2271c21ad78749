//! What a run counts: every read once on its way in, and once on its way out or under a reason.

use super::named::named;
use super::read::TrimCounts;
use super::trim::{LONGEST_INSERT, Trim};
use crate::measure::records::{Amount, Sum};

named! {
    /// Why a read was not kept.
    Reason {
        /// It was not drawn.
        NotSampled = "not_sampled",
        /// Its name is not wanted.
        Name = "name_not_wanted",
        /// It shares minimizers with an index.
        MatchesIndex = "matches_index",
        /// It shares no minimizers with an index, or too few.
        NoMatchInIndex = "no_match_in_index",
        /// Of unaligned BAM: what is asked of alignments doesn't hold.
        NotSelected = "not_selected",
        /// Trimming left nothing.
        Emptied = "nothing_left",
        /// Too few bases.
        TooShort = "too_short",
        /// Too many bases.
        TooLong = "too_long",
        /// The mean quality is too low.
        MeanQualityTooLow = "mean_quality_too_low",
        /// The mean quality is too high.
        MeanQualityTooHigh = "mean_quality_too_high",
        /// Too many bases of low quality.
        TooManyLowQualityBases = "too_many_low_quality_bases",
        /// Too many expected errors.
        TooManyExpectedErrors = "too_many_expected_errors",
        /// Too many N.
        TooManyN = "too_many_n",
        /// The GC content is too low.
        GcTooLow = "gc_too_low",
        /// The GC content is too high.
        GcTooHigh = "gc_too_high",
        /// The complexity is too low.
        ComplexityTooLow = "complexity_too_low",
        /// Next to nothing is left of it, or of both mates, without its adapter: fastp's rule.
        AdapterDimer = "adapter_dimer",
        /// An adapter must be found in it, and none was.
        NoAdapter = "no_adapter",
        /// An adapter was found in it.
        AdapterFound = "adapter_found",
        /// It has an adapter in its middle.
        AdapterInside = "adapter_inside",
        /// Others are better, and there are enough of them.
        NotBest = "not_among_best",
        /// It is good, but its mate is not.
        MateRejected = "mate_rejected",
    }
}

impl Reason {
    /// Of two mates' reasons the one of more weight is the pair's: fastp's order.
    fn weight(self) -> u8 {
        match self {
            Reason::TooManyN => 12,
            Reason::TooShort | Reason::Emptied => 16,
            Reason::TooLong => 17,
            Reason::MeanQualityTooLow
            | Reason::TooManyLowQualityBases
            | Reason::TooManyExpectedErrors => 20,
            Reason::ComplexityTooLow => 24,
            Reason::AdapterDimer => 28,
            _ => 30,
        }
    }
}

/// Counts of a run. The merged tallies of two parts equal the tally of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterTally {
    /// What came in: first reads (or reads without mates) and second reads.
    pub input: [Amount; 2],
    /// What was kept, as trimmed, pairs and orphans together.
    pub output: [Amount; 2],
    /// Those of the kept whose mate was rejected and that went to an output of their own.
    pub orphans: u64,
    /// What was not kept, as it came in.
    pub discarded: Amount,
    /// How often each adapter was found, by its number in [`Filter::adapters`](super::Filter::adapters); those behind
    /// the last one never.
    #[doc(hidden)]
    pub adapters: Vec<u64>,
    /// Reads that were split, and what they became; each piece is kept or rejected as a read.
    #[doc(hidden)]
    pub split: [u64; 2],
    /// Pairs that became one read, of those kept.
    #[doc(hidden)]
    pub merged: u64,
    /// Reads, or pairs, of which the other strand was taken, kept or not.
    #[doc(hidden)]
    pub other_strand: u64,
    /// Reads that match an index of minimizers, and their bases.
    #[doc(hidden)]
    pub matching: [u64; 2],
    /// Reads in which bases were corrected, and the bases.
    pub corrected: [u64; 2],
    /// Pairs by the length of their fragment, where it was measured; the last of
    /// [`LONGEST_INSERT`](super::trim::LONGEST_INSERT) and more, and of those whose mates don't lie on each other.
    #[doc(hidden)]
    pub inserts: Vec<u64>,
    /// Reads and bases that adapters took, as fastp counts them, where something is
    /// [gathered for its report](super::Filter::gather_for_fastp) or [its trimmers](super::fastp) cut them.
    #[doc(hidden)]
    pub fastp_adapters: [u64; 2],
    /// Reads kept as fastp counts them: a read whose mate is rejected is not, and a merged pair is two.
    #[doc(hidden)]
    pub passed: u64,
    by_unit: [u64; Reason::ALL.len()],
    /// What was written to each text.
    #[doc(hidden)]
    pub written: Vec<Sum>,
    rejected: [u64; Reason::ALL.len()],
    trimmed: [(u64, u64); Trim::ALL.len()],
}

impl FilterTally {
    /// How many reads were rejected for this reason.
    pub fn rejected(&self, reason: Reason) -> u64 {
        self.rejected[reason as usize]
    }

    /// How many reads were rejected for any reason.
    pub fn rejected_total(&self) -> u64 {
        self.rejected.iter().sum()
    }

    /// How many reads (pairs, where both mates decide together) and how many bases a kind of
    /// trimming cut, of reads kept or not.
    pub fn trimmed(&self, trim: Trim) -> (u64, u64) {
        self.trimmed[trim as usize]
    }

    pub(super) fn reject(&mut self, reason: Reason, amount: &Amount) {
        self.rejected[reason as usize] += 1;
        self.discarded.add(amount);
    }

    pub(super) fn write(&mut self, text: usize, sum: Sum) {
        if self.written.len() <= text {
            self.written.resize(text + 1, Sum::default());
        }
        self.written[text].add(sum);
    }

    pub(super) fn trim(&mut self, trim: Trim, bases: usize) {
        let (reads, cut) = &mut self.trimmed[trim as usize];
        *reads += 1;
        *cut += bases as u64;
    }

    pub(super) fn found(&mut self, adapter: usize) {
        self.find(adapter, 1);
    }

    pub(super) fn count(&mut self, counts: &TrimCounts) {
        if let Some(len) = counts.insert {
            self.insert(len, 1);
        }
        self.corrected.iter_mut().zip(counts.corrected).for_each(|(all, n)| *all += n);
        self.fastp_adapters.iter_mut().zip(counts.adapters).for_each(|(all, n)| *all += n);
    }

    /// How many reads were rejected for this reason, both mates of a pair for the worse of their reasons.
    pub fn by_unit(&self, reason: Reason) -> u64 {
        self.by_unit[reason as usize]
    }

    /// Books a read, or both mates of a pair, by what becomes of them.
    pub(super) fn decide(&mut self, reads: u64, objections: [Option<Reason>; 2]) {
        match objections.into_iter().flatten().max_by_key(|reason| reason.weight()) {
            Some(reason) => self.by_unit[reason as usize] += reads,
            None => self.passed += reads,
        }
    }

    fn insert(&mut self, len: usize, pairs: u64) {
        if self.inserts.is_empty() {
            self.inserts.resize(LONGEST_INSERT + 1, 0);
        }
        self.inserts[len.min(LONGEST_INSERT)] += pairs;
    }

    fn find(&mut self, adapter: usize, times: u64) {
        if self.adapters.len() <= adapter {
            self.adapters.resize(adapter + 1, 0);
        }
        self.adapters[adapter] += times;
    }

    /// Adds the counts of another part.
    pub fn merge(&mut self, other: &FilterTally) {
        let FilterTally {
            input,
            output,
            orphans,
            discarded,
            adapters,
            split,
            merged,
            other_strand,
            matching,
            corrected,
            inserts,
            fastp_adapters,
            passed,
            by_unit,
            written,
            rejected,
            trimmed,
        } = other;
        self.merged += merged;
        self.other_strand += other_strand;
        self.matching.iter_mut().zip(matching).for_each(|(mine, theirs)| *mine += theirs);
        self.passed += passed;
        self.by_unit.iter_mut().zip(by_unit).for_each(|(mine, theirs)| *mine += theirs);
        let cut = self.fastp_adapters.iter_mut().zip(fastp_adapters);
        cut.for_each(|(mine, theirs)| *mine += theirs);
        self.corrected.iter_mut().zip(corrected).for_each(|(mine, theirs)| *mine += theirs);
        for (len, &pairs) in inserts.iter().enumerate() {
            self.insert(len, pairs);
        }
        self.split.iter_mut().zip(split).for_each(|(mine, theirs)| *mine += theirs);
        for mate in 0..2 {
            self.input[mate].add(&input[mate]);
            self.output[mate].add(&output[mate]);
        }
        self.orphans += orphans;
        self.discarded.add(discarded);
        for (adapter, &times) in adapters.iter().enumerate() {
            self.find(adapter, times);
        }
        for (text, &sum) in written.iter().enumerate() {
            self.write(text, sum);
        }
        self.rejected.iter_mut().zip(rejected).for_each(|(a, b)| *a += b);
        for (mine, theirs) in self.trimmed.iter_mut().zip(trimmed) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
    }
}
