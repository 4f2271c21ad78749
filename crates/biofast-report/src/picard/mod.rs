//! Metrics in the file format of Picard, row for row and figure for figure, of each [version](PicardVersion). Of the lines that start
//! with `#`, the command and the time are biofast's own.

mod alignment_summary;
mod cycles;
mod file;
mod gc_bias;
mod hs;
mod insert_size;
mod number;
mod wgs;

use biofast_ops::measure::compat::PicardVersion;
use biofast_ops::measure::picard::Picard;
use file::File;

/// A metrics file of Picard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metrics {
    /// Reads, what of them is aligned, and how well.
    AlignmentSummary,
    /// Insert sizes.
    InsertSize,
    /// The mean quality of each cycle.
    QualityByCycle,
    /// Bases by quality.
    QualityDistribution,
    /// Bases of each cycle.
    BaseDistribution,
    /// Reads by the GC content of where they start.
    GcBiasDetail,
    /// The summary of these.
    GcBiasSummary,
    /// Coverage of the genome.
    Wgs,
    /// Enrichment and coverage of targets.
    Hs,
}

impl Metrics {
    /// All of them.
    pub const ALL: [Metrics; 9] = [
        Metrics::AlignmentSummary,
        Metrics::InsertSize,
        Metrics::QualityByCycle,
        Metrics::QualityDistribution,
        Metrics::BaseDistribution,
        Metrics::GcBiasDetail,
        Metrics::GcBiasSummary,
        Metrics::Wgs,
        Metrics::Hs,
    ];

    /// Picard's program.
    pub fn program(self) -> &'static str {
        match self {
            Metrics::AlignmentSummary => "CollectAlignmentSummaryMetrics",
            Metrics::InsertSize => "CollectInsertSizeMetrics",
            Metrics::QualityByCycle => "MeanQualityByCycle",
            Metrics::QualityDistribution => "QualityScoreDistribution",
            Metrics::BaseDistribution => "CollectBaseDistributionByCycle",
            Metrics::GcBiasDetail | Metrics::GcBiasSummary => "CollectGcBiasMetrics",
            Metrics::Wgs => "CollectWgsMetrics",
            Metrics::Hs => "CollectHsMetrics",
        }
    }

    /// How the names of files end: as those that `CollectMultipleMetrics` writes.
    pub fn ending(self) -> &'static str {
        match self {
            Metrics::AlignmentSummary => "alignment_summary_metrics",
            Metrics::InsertSize => "insert_size_metrics",
            Metrics::QualityByCycle => "quality_by_cycle_metrics",
            Metrics::QualityDistribution => "quality_distribution_metrics",
            Metrics::BaseDistribution => "base_distribution_by_cycle_metrics",
            Metrics::GcBiasDetail => "gc_bias.detail_metrics",
            Metrics::GcBiasSummary => "gc_bias.summary_metrics",
            Metrics::Wgs => "wgs_metrics",
            Metrics::Hs => "hs_metrics",
        }
    }
}

/// The file of these metrics of an input called `name` by the rules of a version of Picard, from a biofast of that version. `None` if they weren't counted, and
/// of insert sizes if there are no pairs: Picard writes no file then, either.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::compat::PicardVersion;
/// use biofast_ops::picard::{MetricSelection, Picard, PicardMeasure};
/// use biofast_ops::qc;
/// use biofast_report::picard::{Metrics, text};
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let wanted = MetricSelection { quality_distribution: true, ..MetricSelection::default() };
/// let found = qc::collect(input.source, &options, PicardMeasure::new(wanted, None, false))?;
/// let picard = found.get::<Picard>().ok_or("not counted")?;
/// let rules = PicardVersion::default();
/// let file = text(picard, Metrics::QualityDistribution, rules, "example", "1.0.0");
/// assert!(file.is_some_and(|file| file.ends_with("QUALITY\tCOUNT_OF_Q\n40\t4\n\n")));
/// assert_eq!(text(picard, Metrics::InsertSize, rules, "example", "1.0.0"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(
    found: &Picard,
    metrics: Metrics,
    rules: PicardVersion,
    name: &str,
    version: &str,
) -> Option<String> {
    let mut file = File::new(metrics.program(), rules, name, version);
    match metrics {
        Metrics::AlignmentSummary => {
            alignment_summary::write(found.alignment_summary.as_ref()?, &mut file);
        }
        Metrics::InsertSize => {
            let rows = found.insert_size.as_ref()?.rows();
            if rows.is_empty() {
                return None;
            }
            insert_size::write(&rows, &mut file);
        }
        Metrics::QualityByCycle => cycles::write_means(found.cycles.as_ref()?, &mut file),
        Metrics::QualityDistribution => cycles::write_qualities(found.cycles.as_ref()?, &mut file),
        Metrics::BaseDistribution => cycles::write_bases(found.cycles.as_ref()?, &mut file),
        Metrics::GcBiasDetail => gc_bias::write_details(found.gc_bias.as_ref()?, &mut file),
        Metrics::GcBiasSummary => gc_bias::write_summary(found.gc_bias.as_ref()?, &mut file),
        Metrics::Wgs => wgs::write(found.wgs.as_ref()?, &mut file),
        Metrics::Hs => hs::write(found.hs.as_ref()?, rules, &mut file),
    }
    Some(file.text)
}
