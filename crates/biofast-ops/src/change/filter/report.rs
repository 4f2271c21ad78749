//! The summary of a run, as it is printed as JSON.
//!
//! The blocks `summary` and `filtering_result` have the names and the meaning they have in the
//! report of fastp, so that what reads one reads the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alignment;
use super::deplete::Deplete;
use super::names::ListedNames;
use super::statistics::{self, FilterStatistics};
use super::tally::{FilterTally, Reason};
use super::trim::detect::AdapterEvidence;
use super::trim::{LONGEST_INSERT, Label, Trim};
use crate::measure::reads::{AdapterContent, Collector};
use crate::measure::records::{Amount, RecordSum, Sum};

/// Everything there is to say about a run.
#[derive(Clone, Debug, Serialize)]
pub struct FilterReport {
    /// What made the report.
    pub tool: Tool,
    /// The command line.
    pub command: String,
    /// What came in and what was kept.
    pub summary: FilterSummary,
    /// Rejected reads by the reasons fastp has; none of these are of alignments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filtering_result: Option<FilteringResult>,
    /// Reads that were split and what they became, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitReads>,
    /// Pairs that became one read, if pairs were merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_pairs: Option<u64>,
    /// What was looked for by minimizers, and found, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deplete: Option<DepleteReport>,
    /// Reads or pairs of which the other strand was taken, kept or not, if both were searched for adapters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_complemented: Option<u64>,
    /// The lengths of fragments, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_size: Option<FragmentLengths>,
    /// Rejected reads (and pieces of split ones) by reason; the sum is `reads_in` − `reads_out`, plus the pieces that came of
    /// split reads, minus these, and minus the pairs that were merged.
    pub rejected: BTreeMap<&'static str, u64>,
    /// What was trimmed, by kind.
    pub trimmed: BTreeMap<&'static str, Trimmed>,
    /// Good reads that went to an output of their own because their mate is rejected.
    pub orphans: u64,
    /// Records in, kept and rejected.
    pub records: RecordChecksums,
    /// The files that were read and written.
    pub files: Vec<FileSum>,
    /// What was looked for in the reads before they were cut, and found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detected_adapters: Vec<AdapterEvidence>,
    /// The adapters that were looked for by their sequence, and how often each was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<AdapterCount>,
    /// How many names of a list were found, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_names: Option<ListedNames>,
    /// What adapters took, of reads kept or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter_cutting: Option<AdapterCutting>,
    /// Full statistics, if they were gathered.
    #[serde(flatten)]
    pub curves: Option<Curves>,
}

/// Lengths of fragments by the overlap of mates, as fastp names them, but of all pairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FragmentLengths {
    /// The most frequent one.
    pub peak: usize,
    /// Pairs whose mates don't lie on each other, or whose fragment has 512 bases and more.
    pub unknown: u64,
    /// Pairs by the length of their fragment, from 0 to 511.
    pub histogram: Vec<u64>,
}

impl FragmentLengths {
    /// Of no pairs.
    pub(super) fn of_none() -> FragmentLengths {
        FragmentLengths { peak: 0, unknown: 0, histogram: vec![0; LONGEST_INSERT] }
    }

    pub(super) fn of(inserts: &[u64]) -> Option<FragmentLengths> {
        let (&unknown, histogram) = inserts.split_last()?;
        let most = histogram.iter().max()?;
        let peak = histogram.iter().position(|n| n == most)?;
        Some(FragmentLengths { peak, unknown, histogram: histogram.to_vec() })
    }
}

/// What was looked for by minimizers, and found.
#[derive(Clone, Debug, Serialize)]
pub struct DepleteReport {
    /// The file of the index.
    pub index: String,
    /// Bases of a minimizer.
    pub k: usize,
    /// K-mers of which one is the minimizer.
    pub w: usize,
    /// Minimizers in the index.
    pub minimizers: u64,
    /// Different minimizers that make a match.
    pub min_hits: u64,
    /// Their share of all minimizers of a read or pair.
    pub min_fraction: f64,
    /// Bases from the start of each read that were looked at; 0 for all.
    pub prefix: usize,
    /// What was done with reads that match: `remove`, `keep` or `mask`.
    pub action: &'static str,
    /// Reads that match, both mates of a pair.
    pub matching_reads: u64,
    /// Their bases.
    pub matching_bases: u64,
    /// Their share of all reads that came in, between 0 and 1.
    pub matching_fraction: f64,
}

/// Reads with adapters in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SplitReads {
    /// Reads that were split.
    pub reads: u64,
    /// What they became, kept or rejected.
    pub pieces: u64,
}

/// An adapter that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdapterCount {
    /// Its name, or its number.
    pub name: String,
    /// As it was given.
    pub sequence: String,
    /// 1 for first reads (or reads without mates), 2 for second ones.
    pub read: u8,
    /// How often it was found.
    pub found: u64,
}

/// What a run read or wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileSum {
    /// Its path, or the name of a stream.
    pub path: String,
    /// What it was to the run.
    pub role: FileRole,
    /// Whether reading ended before the file did, so that the figures are of a part of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Number and checksum of its records.
    #[serde(flatten)]
    pub records: RecordSum,
}

/// What a file was to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileRole {
    /// It was read.
    Input,
    /// It got reads that were kept.
    Output,
    /// It got reads that were rejected.
    Rejected,
}

/// What adapters took, as fastp names it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AdapterCutting {
    /// Reads, or pairs where both mates decided together.
    adapter_trimmed_reads: u64,
    adapter_trimmed_bases: u64,
}

/// Full statistics of what came in and of what was kept.
#[derive(Clone, Debug, Serialize)]
pub struct Curves {
    #[doc(hidden)]
    pub read1_before_filtering: Box<statistics::StatisticsBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub read2_before_filtering: Option<Box<statistics::StatisticsBlock>>,
    #[doc(hidden)]
    pub read1_after_filtering: Box<statistics::StatisticsBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub read2_after_filtering: Option<Box<statistics::StatisticsBlock>>,
    /// Adapters by position before and after, of first and of second reads: for reports for people.
    #[serde(skip)]
    #[doc(hidden)]
    pub adapters: [Option<[AdapterContent; 2]>; 2],
}

/// A program and its version.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Before and after.
#[derive(Clone, Debug, Serialize)]
pub struct FilterSummary {
    /// All reads that came in.
    pub before_filtering: FilteringBlock,
    /// The reads that were kept, as trimmed.
    pub after_filtering: FilteringBlock,
}

/// Figures of a set of reads.
#[derive(Clone, Debug, Serialize)]
pub struct FilteringBlock {
    #[doc(hidden)]
    pub total_reads: u64,
    #[doc(hidden)]
    pub total_bases: u64,
    #[doc(hidden)]
    pub q20_bases: u64,
    #[doc(hidden)]
    pub q30_bases: u64,
    #[doc(hidden)]
    pub q20_rate: f64,
    #[doc(hidden)]
    pub q30_rate: f64,
    #[doc(hidden)]
    pub read1_mean_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub read2_mean_length: Option<u64>,
    /// (G+C)/(A+C+G+T), between 0 and 1.
    #[doc(hidden)]
    pub gc_content: f64,
}

/// fastp's reasons: each sums up those of ours that mean it, both mates of a pair by the worse of the two.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FilteringResult {
    passed_filter_reads: u64,
    /// Reads in which bases were corrected.
    #[serde(skip_serializing_if = "is_zero")]
    corrected_reads: u64,
    /// These bases.
    #[serde(skip_serializing_if = "is_zero")]
    corrected_bases: u64,
    low_quality_reads: u64,
    #[serde(rename = "too_many_N_reads")]
    too_many_n_reads: u64,
    low_complexity_reads: u64,
    too_short_reads: u64,
    too_long_reads: u64,
    /// Reads of which adapters left next to nothing.
    #[serde(skip_serializing_if = "is_zero")]
    adapter_dimer_reads: u64,
    /// What fastp has no name for.
    other_reads: u64,
}

/// What one kind of trimming cut.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Trimmed {
    /// Reads, or pairs.
    pub reads: u64,
    /// Bases.
    pub bases: u64,
}

/// Numbers and checksums of records (see [`Checksum`](crate::measure::records::Checksum)): where nothing is trimmed, the sum of
/// kept and rejected, modulo 2^64, is that of the input.
#[derive(Clone, Debug, Serialize)]
pub struct RecordChecksums {
    /// What came in.
    pub input: RecordSum,
    /// What was kept.
    pub output: RecordSum,
    /// What was rejected.
    pub rejected: RecordSum,
}

impl RecordChecksums {
    fn of(input: &Amount, output: &Amount, rejected: &Amount) -> RecordChecksums {
        let sum = |amount: &Amount| Sum::from(amount).into();
        RecordChecksums { input: sum(input), output: sum(output), rejected: sum(rejected) }
    }
}

/// The part of a [`FilterReport`] by which its files can be checked.
#[derive(Clone, Debug, Deserialize)]
pub struct Files {
    /// The files that were read and written.
    pub files: Vec<FileSum>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn sum(amounts: &[Amount; 2]) -> Amount {
    let mut sum = amounts[0];
    sum.add(&amounts[1]);
    sum
}

impl FilterSummary {
    /// Of reads of which all are kept.
    #[doc(hidden)]
    pub fn unfiltered(amounts: &[Amount; 2]) -> FilterSummary {
        let block = FilteringBlock::of(amounts);
        FilterSummary { before_filtering: block.clone(), after_filtering: block }
    }
}

impl FilteringResult {
    /// Of so many reads, of which all are kept.
    #[doc(hidden)]
    pub fn all_passed(reads: u64) -> FilteringResult {
        FilteringResult { passed_filter_reads: reads, ..FilteringResult::default() }
    }
}

impl FilteringBlock {
    fn of(amounts: &[Amount; 2]) -> FilteringBlock {
        let all = sum(amounts);
        let mean = |amount: &Amount| amount.bases.checked_div(amount.reads).unwrap_or(0);
        FilteringBlock {
            total_reads: all.reads,
            total_bases: all.bases,
            q20_bases: all.q20,
            q30_bases: all.q30,
            q20_rate: share(all.q20, all.known),
            q30_rate: share(all.q30, all.known),
            read1_mean_length: mean(&amounts[0]),
            read2_mean_length: (amounts[1].reads > 0).then(|| mean(&amounts[1])),
            gc_content: share(all.gc, all.acgt),
        }
    }
}

impl FilterReport {
    /// The report of a run that counted `tally`.
    pub fn new(tally: &FilterTally, command: &str) -> FilterReport {
        // As fastp counts them: of both mates of a pair by the worse of the two, so that all reads are somewhere in what programs
        // make of it. Pieces of split reads are no pairs, and kept orphans have lost theirs.
        let is_split = tally.split[0] > 0 || tally.orphans > 0;
        let by = |r: Reason| if is_split { tally.rejected(r) } else { tally.by_unit(r) };
        let of = |reasons: &[Reason]| reasons.iter().map(|&r| by(r)).sum();
        let [by_overlap, by_sequence] =
            [Trim::AdapterByOverlap, Trim::Adapter].map(|trim| tally.trimmed(trim));
        let (input, output) = (sum(&tally.input), sum(&tally.output));
        FilterReport {
            tool: Tool { name: "biofast filter", version: env!("CARGO_PKG_VERSION") },
            command: command.to_owned(),
            summary: FilterSummary {
                before_filtering: FilteringBlock::of(&tally.input),
                after_filtering: FilteringBlock::of(&tally.output),
            },
            filtering_result: Some(FilteringResult {
                passed_filter_reads: if is_split { output.reads } else { tally.passed },
                corrected_reads: tally.corrected[0],
                corrected_bases: tally.corrected[1],
                low_quality_reads: of(&[
                    Reason::MeanQualityTooLow,
                    Reason::TooManyLowQualityBases,
                    Reason::TooManyExpectedErrors,
                ]),
                too_many_n_reads: of(&[Reason::TooManyN]),
                low_complexity_reads: of(&[Reason::ComplexityTooLow]),
                too_short_reads: of(&[Reason::TooShort, Reason::Emptied]),
                too_long_reads: of(&[Reason::TooLong]),
                adapter_dimer_reads: of(&[Reason::AdapterDimer]),
                other_reads: of(&[
                    Reason::NotSampled,
                    Reason::Name,
                    Reason::MatchesIndex,
                    Reason::NoMatchInIndex,
                    Reason::NotSelected,
                    Reason::MeanQualityTooHigh,
                    Reason::GcTooLow,
                    Reason::GcTooHigh,
                    Reason::NoAdapter,
                    Reason::AdapterFound,
                    Reason::AdapterInside,
                    Reason::NotBest,
                    Reason::MateRejected,
                ]),
            }),
            merged_pairs: None,
            deplete: None,
            reverse_complemented: None,
            insert_size: FragmentLengths::of(&tally.inserts),
            split: (tally.split[0] > 0)
                .then_some(SplitReads { reads: tally.split[0], pieces: tally.split[1] }),
            rejected: Reason::ALL.iter().map(|&r| (r.name(), tally.rejected(r))).collect(),
            trimmed: Trim::ALL
                .iter()
                .map(|&trim| {
                    let (reads, bases) = tally.trimmed(trim);
                    (trim.name(), Trimmed { reads, bases })
                })
                .collect(),
            orphans: tally.orphans,
            records: RecordChecksums::of(&input, &output, &tally.discarded),
            files: Vec::new(),
            detected_adapters: Vec::new(),
            adapters: Vec::new(),
            listed_names: None,
            adapter_cutting: Some(AdapterCutting {
                adapter_trimmed_reads: by_overlap.0 + by_sequence.0,
                adapter_trimmed_bases: by_overlap.1 + by_sequence.1,
            }),
            curves: None,
        }
    }

    /// The report of a run that chose alignments.
    pub fn alignments(tally: &alignment::AlignmentTally, command: &str) -> FilterReport {
        let (input, output) = (sum(&tally.input), sum(&tally.output));
        let reasons = alignment::Reason::ALL.iter();
        FilterReport {
            tool: Tool { name: "biofast filter", version: env!("CARGO_PKG_VERSION") },
            command: command.to_owned(),
            summary: FilterSummary {
                before_filtering: FilteringBlock::of(&tally.input),
                after_filtering: FilteringBlock::of(&tally.output),
            },
            filtering_result: None,
            split: None,
            merged_pairs: None,
            deplete: None,
            reverse_complemented: None,
            insert_size: None,
            rejected: reasons.map(|&r| (r.name(), tally.rejected(r))).collect(),
            trimmed: BTreeMap::new(),
            orphans: 0,
            records: RecordChecksums::of(&input, &output, &tally.discarded),
            files: Vec::new(),
            detected_adapters: Vec::new(),
            adapters: Vec::new(),
            listed_names: None,
            adapter_cutting: None,
            curves: None,
        }
    }

    /// Adds what was looked for and found before the run.
    pub fn with_adapters(mut self, found: Vec<AdapterEvidence>) -> FilterReport {
        self.detected_adapters = found;
        self
    }

    /// Adds how many pairs were merged.
    pub fn with_merged(mut self, tally: &FilterTally) -> FilterReport {
        self.merged_pairs = Some(tally.merged);
        self
    }

    /// Adds how many reads or pairs were taken from the other strand.
    pub fn with_reverse_complemented(mut self, tally: &FilterTally) -> FilterReport {
        self.reverse_complemented = Some(tally.other_strand);
        self
    }

    /// Adds what was looked for by minimizers, if anything was, and found.
    pub fn with_depleted(mut self, deplete: Option<&Deplete>, tally: &FilterTally) -> FilterReport {
        let Some(deplete) = deplete else { return self };
        let (index, [reads, bases]) = (deplete.index(), tally.matching);
        self.deplete = Some(DepleteReport {
            index: index.name().to_owned(),
            k: index.scheme().k(),
            w: index.scheme().w(),
            minimizers: index.len() as u64,
            min_hits: deplete.min_hits,
            min_fraction: deplete.min_fraction,
            prefix: deplete.prefix,
            action: deplete.action.name(),
            matching_reads: reads,
            matching_bases: bases,
            matching_fraction: share(reads, self.summary.before_filtering.total_reads),
        });
        self
    }

    /// Adds how often each of the [adapters](super::Filter::adapters) was found.
    pub fn with_found(mut self, adapters: &[Label], tally: &FilterTally) -> FilterReport {
        let count = |(number, label): (usize, &Label)| AdapterCount {
            name: label.name.clone(),
            sequence: label.text.clone(),
            read: label.read,
            found: tally.adapters.get(number).copied().unwrap_or(0),
        };
        self.adapters = adapters.iter().enumerate().map(count).collect();
        self
    }

    /// Adds how many names of a list were found.
    pub fn with_listed_names(mut self, found: Option<ListedNames>) -> FilterReport {
        self.listed_names = found;
        self
    }

    /// Adds the files of the run.
    pub fn with_files(mut self, files: Vec<FileSum>) -> FilterReport {
        self.files = files;
        self
    }

    /// Adds the full statistics of the run that counted `tally`.
    pub fn with_statistics(
        mut self,
        tally: &FilterTally,
        statistics: &mut FilterStatistics,
    ) -> FilterReport {
        let blocks = |collectors: [&Collector; 2], amounts: &[Amount; 2], paired: bool| {
            let block = |mate: usize| {
                Box::new(statistics::StatisticsBlock::new(collectors[mate], &amounts[mate]))
            };
            (block(0), paired.then(|| block(1)))
        };
        let paired = tally.input[1].reads > 0;
        let before = blocks(statistics.before(), &tally.input, paired);
        let after = blocks(statistics.after(), &tally.output, paired);
        let adapters = [0, 1].map(|mate| statistics.adapters(mate));
        self.curves = Some(Curves {
            adapters,
            read1_before_filtering: before.0,
            read2_before_filtering: before.1,
            read1_after_filtering: after.0,
            read2_after_filtering: after.1,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_place_among_those_of_fastp() {
        for &reason in Reason::ALL {
            let mut tally = FilterTally::default();
            tally.reject(reason, &Amount { reads: 1, ..Amount::default() });
            tally.decide(1, [Some(reason), None]);
            let result = FilterReport::new(&tally, "").filtering_result.expect("a result");
            let total = result.low_quality_reads
                + result.too_many_n_reads
                + result.low_complexity_reads
                + result.too_short_reads
                + result.too_long_reads
                + result.adapter_dimer_reads
                + result.other_reads;
            assert_eq!(total, 1, "{reason:?}");
        }
    }
}
