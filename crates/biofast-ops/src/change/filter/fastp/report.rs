//! fastp's report: the same names, and figures that mean the same.

use serde::{Serialize, Serializer};

use super::stats::NamedValues;
use super::{AdapterCounts, FastpGatherer, Stats};
use crate::change::filter::report::{FilteringBlock, FragmentLengths};
use crate::change::filter::{FilterTally, Reason};
use crate::measure::compat::FastpVersion;

/// What was asked of a run, as far as the report says it.
#[derive(Clone, Debug, Default)]
pub struct FastpSettings {
    /// Whether there are second reads.
    pub paired: bool,
    /// Whether pairs were merged.
    pub merged: bool,
    /// Whether bases were corrected.
    pub corrected: bool,
    /// Whether a complexity was asked for.
    pub complexity: bool,
    /// Whether fragments were measured, even if there was none to be measured.
    pub inserts: bool,
    /// Whether adapters were cut.
    pub adapters: bool,
    /// Whether runs of any base were.
    pub poly_x: bool,
    /// Those of first and second reads, where they are known.
    pub sequences: [Option<String>; 2],
    /// The command line.
    pub command: String,
    /// The program's version.
    pub version: String,
    /// The version of fastp whose report it is like.
    pub like: FastpVersion,
}

/// fastp's report, to be printed as JSON.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::Filter;
/// use biofast_ops::filter::fastp::{FastpReport, FastpSettings};
///
/// let filter = Filter::new().gather_for_fastp();
/// let mut worker = filter.worker();
/// let first = Record::new(b"r", b"ACGTACGT", b"IIIIIIII");
/// worker.apply(Unit { index: 0, first, second: None }, &mut [Vec::new()]);
/// let gathered = worker.take_for_fastp().ok_or("nothing was gathered")?;
/// let report = FastpReport::new(worker.tally(), *gathered, FastpSettings::default());
/// assert_eq!((report.passed_reads(), report.duplication_rate()), (1, 0.0));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct FastpReport {
    summary: FastpSummary,
    filtering_result: FastpFilteringResult,
    duplication: FastpDuplication,
    #[serde(skip_serializing_if = "Option::is_none")]
    insert_size: Option<FragmentLengths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter_cutting: Option<FastpAdapterCutting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    polyx_trimming: Option<PolyXTrimming>,
    read1_before_filtering: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    read2_before_filtering: Option<Stats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_and_filtered: Option<Stats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read1_after_filtering: Option<Stats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read2_after_filtering: Option<Stats>,
    command: String,
}

#[derive(Clone, Debug, Serialize)]
struct FastpSummary {
    /// What programs go by that read several versions of the report.
    fastp_version: &'static str,
    /// What made it.
    biofast_version: String,
    sequencing: String,
    before_filtering: FilteringBlock,
    after_filtering: FilteringBlock,
}

/// The version that the report names.
fn named(version: FastpVersion) -> &'static str {
    match version {
        FastpVersion::V0_23 => "0.23.2",
        FastpVersion::V1_3 => "1.3.6",
    }
}

#[derive(Clone, Debug, Serialize)]
struct FastpFilteringResult {
    passed_filter_reads: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_reads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_bases: Option<u64>,
    low_quality_reads: u64,
    #[serde(rename = "too_many_N_reads")]
    too_many_n_reads: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    low_complexity_reads: Option<u64>,
    /// Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter_dimer_reads: Option<u64>,
    too_short_reads: u64,
    too_long_reads: u64,
    /// What fastp has no name for.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_reads: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
struct FastpDuplication {
    rate: f64,
    /// Whether all sequences were counted, and not a sample of them.
    exact: bool,
}

#[derive(Clone, Debug, Serialize)]
struct FastpAdapterCutting {
    adapter_trimmed_reads: u64,
    adapter_trimmed_bases: u64,
    read1_adapter_sequence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    read2_adapter_sequence: Option<String>,
    #[serde(serialize_with = "adapter_counts")]
    read1_adapter_counts: AdapterCounts,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "adapter_counts_if")]
    read2_adapter_counts: Option<AdapterCounts>,
}

fn adapter_counts<S: Serializer>(counts: &AdapterCounts, serializer: S) -> Result<S::Ok, S::Error> {
    NamedValues(counts.listed()).serialize(serializer)
}

fn adapter_counts_if<S: Serializer>(
    counts: &Option<AdapterCounts>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    NamedValues(counts.as_ref().map(AdapterCounts::listed).unwrap_or_default())
        .serialize(serializer)
}

#[derive(Clone, Debug, Serialize)]
struct PolyXTrimming {
    total_polyx_trimmed_reads: u64,
    polyx_trimmed_reads: ByBase,
    total_polyx_trimmed_bases: u64,
    polyx_trimmed_bases: ByBase,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
struct ByBase {
    a: u64,
    t: u64,
    c: u64,
    g: u64,
}

impl PolyXTrimming {
    fn new([reads, bases]: [[u64; 4]; 2]) -> PolyXTrimming {
        let by_base = |[a, t, c, g]: [u64; 4]| ByBase { a, t, c, g };
        PolyXTrimming {
            total_polyx_trimmed_reads: reads.iter().sum(),
            polyx_trimmed_reads: by_base(reads),
            total_polyx_trimmed_bases: bases.iter().sum(),
            polyx_trimmed_bases: by_base(bases),
        }
    }
}

/// Of first reads, and of second ones where there are any.
fn block(first: &Stats, second: Option<&Stats>) -> FilteringBlock {
    let of_second = second.map(Stats::totals);
    let of_first = first.totals();
    let sum = |i: usize| of_first[i] + of_second.map_or(0, |totals| totals[i]);
    let rate = |i: usize| if sum(1) == 0 { 0.0 } else { sum(i) as f64 / sum(1) as f64 };
    let mean = |totals: [u64; 5]| totals[1].checked_div(totals[0]).unwrap_or(0);
    FilteringBlock {
        total_reads: sum(0),
        total_bases: sum(1),
        q20_bases: sum(2),
        q30_bases: sum(3),
        q20_rate: rate(2),
        q30_rate: rate(3),
        read1_mean_length: mean(of_first),
        read2_mean_length: of_second.map(mean),
        gc_content: rate(4),
    }
}

impl FastpFilteringResult {
    /// Both mates of a pair are counted by the worse of the two.
    fn new(tally: &FilterTally, settings: &FastpSettings) -> FastpFilteringResult {
        let of = |reasons: &[Reason]| -> u64 { reasons.iter().map(|&r| tally.by_unit(r)).sum() };
        let low_quality = of(&[
            Reason::MeanQualityTooLow,
            Reason::TooManyLowQualityBases,
            Reason::TooManyExpectedErrors,
        ]);
        let complexity = of(&[Reason::ComplexityTooLow]);
        let short = of(&[Reason::TooShort, Reason::Emptied]);
        let dimers = of(&[Reason::AdapterDimer]);
        let (n, long) = (of(&[Reason::TooManyN]), of(&[Reason::TooLong]));
        let all: u64 = Reason::ALL.iter().map(|&reason| tally.by_unit(reason)).sum();
        let others = all - low_quality - complexity - dimers - short - n - long;
        FastpFilteringResult {
            passed_filter_reads: tally.passed,
            corrected_reads: settings.corrected.then_some(tally.corrected[0]),
            corrected_bases: settings.corrected.then_some(tally.corrected[1]),
            low_quality_reads: low_quality,
            too_many_n_reads: n,
            low_complexity_reads: Some(complexity).filter(|&n| n > 0 || settings.complexity),
            adapter_dimer_reads: Some(dimers)
                .filter(|_| settings.adapters && settings.like >= FastpVersion::V1_3),
            too_short_reads: short,
            too_long_reads: long,
            other_reads: Some(others).filter(|&n| n > 0),
        }
    }
}

impl FastpReport {
    /// Of a run that counted `tally` and `gathered`.
    pub fn new(
        tally: &FilterTally,
        gathered: FastpGatherer,
        settings: FastpSettings,
    ) -> FastpReport {
        let FastpGatherer { before, after, merged, duplicates, adapters: counts, poly_x } =
            gathered;
        let [counts1, counts2] = counts;
        let cycles = [0, 1].map(|mate| before[mate].longest());
        let sequencing = match settings.paired {
            true => format!("paired end ({} cycles + {} cycles)", cycles[0], cycles[1]),
            false => format!("single end ({} cycles)", cycles[0]),
        };
        let filtering_result = FastpFilteringResult::new(tally, &settings);
        let FastpSettings {
            paired,
            merged: merges,
            adapters,
            inserts,
            sequences,
            command,
            version,
            like,
            ..
        } = settings;
        let poly_x = settings.poly_x.then(|| PolyXTrimming::new(poly_x));
        let [read1_before, read2_before] = before.map(|stats| stats.like(like));
        let [read1_after, read2_after] = after.map(|stats| stats.like(like));
        let merged = merged.like(like);
        let after_filtering = match merges {
            true => block(&merged, None),
            false => block(&read1_after, paired.then_some(&read2_after)),
        };
        let [first, second] = sequences.map(|sequence| sequence.unwrap_or("unspecified".into()));
        FastpReport {
            summary: FastpSummary {
                fastp_version: named(like),
                biofast_version: version,
                sequencing,
                before_filtering: block(&read1_before, paired.then_some(&read2_before)),
                after_filtering,
            },
            filtering_result,
            duplication: FastpDuplication { rate: duplicates.rate(), exact: duplicates.is_exact() },
            insert_size: FragmentLengths::of(&tally.inserts)
                .or(inserts.then(FragmentLengths::of_none)),
            adapter_cutting: adapters.then(|| FastpAdapterCutting {
                adapter_trimmed_reads: tally.fastp_adapters[0],
                adapter_trimmed_bases: tally.fastp_adapters[1],
                read1_adapter_sequence: first,
                read2_adapter_sequence: paired.then_some(second),
                read1_adapter_counts: counts1,
                read2_adapter_counts: paired.then_some(counts2),
            }),
            polyx_trimming: poly_x,
            read1_before_filtering: read1_before,
            read2_before_filtering: paired.then_some(read2_before),
            merged_and_filtered: merges.then_some(merged),
            read1_after_filtering: (!merges).then_some(read1_after),
            read2_after_filtering: (paired && !merges).then_some(read2_after),
            command,
        }
    }

    /// What was counted of each mate before and, unless pairs were merged, after: 1 and 2, or 0 of single reads.
    #[doc(hidden)]
    pub fn mates(&self) -> Vec<(usize, &Stats, Option<&Stats>)> {
        let first = (&self.read1_before_filtering, self.read1_after_filtering.as_ref());
        match &self.read2_before_filtering {
            None => vec![(0, first.0, first.1)],
            Some(second) => {
                vec![(1, first.0, first.1), (2, second, self.read2_after_filtering.as_ref())]
            }
        }
    }

    /// Reads that were kept, as fastp counts them: a read whose mate is rejected is not.
    pub fn passed_reads(&self) -> u64 {
        self.filtering_result.passed_filter_reads
    }

    /// The share of reads (or pairs) that are copies of others.
    pub fn duplication_rate(&self) -> f64 {
        self.duplication.rate
    }
}
