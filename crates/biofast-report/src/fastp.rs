//! Reads that nobody has filtered, in the form of fastp's JSON, for programs that read that.

use std::collections::BTreeMap;

use serde::Serialize;

use biofast_ops::filter::report::{self as filter, FilteringResult, Tool};
use biofast_ops::filter::statistics::StatisticsBlock;
use biofast_ops::measure::reads::{Collector, Contaminants};
use biofast_ops::measure::records::Amount;

/// The report: before and after are the same. It has what is known, and no field for what isn't.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::reads::{Collector, Contaminants};
/// use biofast_report::fastp::FastpReport;
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nACGT\n+\n5555\n"[..]);
/// let init = || Collector::new().for_fastqc();
/// let collector = Collector::collect(source, &Default::default(), init)
///     .map_err(|fault| fault.error)?;
/// let report = FastpReport::new([&collector, &Collector::new()], "biofast stats", &Contaminants::known());
/// assert_eq!(report.duplication.expect("of one file").rate, 0.5);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct FastpReport {
    /// What made the report.
    pub tool: Tool,
    /// The command line.
    pub command: String,
    /// What came in, and the same as what came out.
    pub summary: filter::FilterSummary,
    /// All reads have passed.
    pub filtering_result: FilteringResult,
    /// Reads that were seen before; of one file, not of pairs, of which mates are counted for themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplication: Option<Rate>,
    /// First reads, or reads without mates.
    pub read1_before_filtering: Side,
    /// Second reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read2_before_filtering: Option<Side>,
}

/// The share of reads that would go if each sequence occurred once.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rate {
    /// Between 0 and 1: what FastQC's deduplicated percentage leaves.
    pub rate: f64,
}

/// First or second reads.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    #[serde(flatten)]
    block: Box<StatisticsBlock>,
    /// Reads by sequence, of those in more than 0.1 % of the reads and in at least ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    overrepresented_sequences: Option<BTreeMap<String, u64>>,
}

impl FastpReport {
    /// The report of first reads, or of reads without mates, and of second reads, if there are any.
    pub fn new(
        collectors: [&Collector; 2],
        command: &str,
        contaminants: &Contaminants,
    ) -> FastpReport {
        let amounts = collectors.map(amount);
        let duplication = collectors.map(|collector| collector.duplication(contaminants));
        let is_paired = amounts[1].reads > 0;
        let side = |mate: usize| {
            let block = StatisticsBlock::new(collectors[mate], &amounts[mate]);
            let sequences = duplication[mate].as_ref().map(|found| {
                let reads = found.repeated();
                reads.map(|found| (found.sequence.clone(), found.reads)).collect()
            });
            Side { block: Box::new(block), overrepresented_sequences: sequences }
        };
        let rate = duplication[0].as_ref().filter(|_| !is_paired);
        FastpReport {
            tool: Tool { name: "biofast stats", version: env!("CARGO_PKG_VERSION") },
            command: command.to_owned(),
            summary: filter::FilterSummary::unfiltered(&amounts),
            filtering_result: FilteringResult::all_passed(amounts[0].reads + amounts[1].reads),
            duplication: rate.map(|found| Rate { rate: 1.0 - found.deduplicated_percent / 100.0 }),
            read1_before_filtering: side(0),
            read2_before_filtering: is_paired.then(|| side(1)),
        }
    }
}

fn amount(collector: &Collector) -> Amount {
    let summary = collector.summary();
    let at_least = |phred: usize| summary.qualities[phred..].iter().sum();
    Amount {
        reads: summary.reads,
        bases: summary.bases,
        known: at_least(0),
        q20: at_least(20),
        q30: at_least(30),
        gc: summary.counts.gc(),
        acgt: summary.counts.acgt(),
        ..Amount::default()
    }
}
