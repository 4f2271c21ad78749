//! Metrics in the file format of Picard 2.27.5, row for row and figure for figure. Of the lines that start with `#`, the
//! command and the time are biofast's own.

mod alignment_summary;
mod cycles;
mod gc_bias;
mod hs;
mod insert_size;
mod number;
mod wgs;

use std::fmt::Write as _;

use crate::measure::picard::Picard;
use number::number;

/// A file of metrics.
///
/// ```
/// use biofast_ops::show::picard::Metrics;
///
/// assert_eq!(Metrics::InsertSize.program(), "CollectInsertSizeMetrics");
/// assert_eq!(Metrics::InsertSize.ending(), "insert_size_metrics");
/// ```
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

/// The file of these metrics of an input called `name`, from a biofast of that version. `None` if they weren't counted, and
/// of insert sizes if there are no pairs: Picard writes no file then, either.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::Distribution;
/// use biofast_ops::show::picard::{Metrics, text};
/// use biofast_ops::{picard, qc};
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let wanted = picard::Wanted { quality_distribution: true, ..picard::Wanted::default() };
/// let wanted = qc::Wanted { picard: wanted, ..qc::Wanted::default() };
/// let found = qc::collect(input.source, &options, &wanted, |_| Ok(Distribution::default()))?;
/// let file = text(&found.picard, Metrics::QualityDistribution, "example", "1.0.0");
/// assert!(file.is_some_and(|file| file.ends_with("QUALITY\tCOUNT_OF_Q\n40\t4\n\n")));
/// assert_eq!(text(&found.picard, Metrics::InsertSize, "example", "1.0.0"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(found: &Picard, metrics: Metrics, name: &str, version: &str) -> Option<String> {
    let mut file = File::new(metrics.program(), name, version);
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
        Metrics::Hs => hs::write(found.hs.as_ref()?, &mut file),
    }
    Some(file.text)
}

/// A file that is being written: its head, then rows of metrics, then a histogram, each of the two followed by an empty line
/// even where there is none.
struct File {
    text: String,
}

/// What is in a cell.
enum Cell {
    Text(&'static str),
    Name(String),
    Count(u64),
    Real(f64),
    /// What is only filled for one sample, library or read group.
    Empty,
}

impl File {
    fn new(program: &str, name: &str, version: &str) -> File {
        const HEADER: &str = "## htsjdk.samtools.metrics.StringHeader\n";
        let name = name.replace(['\n', '\r', '\t'], " ");
        File {
            text: format!(
                "{HEADER}# {program} --INPUT {name}\n{HEADER}# Counted by biofast {version} with the rules of Picard \
                 2.27.5\n\n"
            ),
        }
    }

    /// The rows of metrics of a class.
    fn metrics(
        &mut self,
        class: &str,
        columns: &[&str],
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) {
        let mut rows = rows.into_iter().peekable();
        // Writing to a String can't fail, here and below.
        if rows.peek().is_some() {
            let _ = writeln!(self.text, "## METRICS CLASS\t{class}\n{}", columns.join("\t"));
        }
        for row in rows {
            for (number_of_cell, cell) in row.into_iter().enumerate() {
                if number_of_cell > 0 {
                    self.text.push('\t');
                }
                match cell {
                    Cell::Text(text) => self.text.push_str(text),
                    Cell::Name(name) => self.text.push_str(&name),
                    Cell::Count(count) => {
                        let _ = write!(self.text, "{count}");
                    }
                    Cell::Real(value) => self.text.push_str(&number(value)),
                    Cell::Empty => {}
                }
            }
            self.text.push('\n');
        }
        self.text.push('\n');
    }

    /// No histogram.
    fn no_histogram(&mut self) {
        self.text.push('\n');
    }

    /// No rows of metrics.
    fn no_metrics(&mut self) {
        self.text.push('\n');
    }

    /// Histograms side by side: the kind of their keys, the name of the keys, and the name and bins of each.
    fn histograms(&mut self, kind: &str, key: &str, histograms: &[(&str, Vec<(u64, f64)>)]) {
        let filled = || histograms.iter().filter(|(_, bins)| !bins.is_empty());
        let mut keys: Vec<u64> =
            filled().flat_map(|(_, bins)| bins.iter().map(|bin| bin.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        if !keys.is_empty() {
            let _ = write!(self.text, "## HISTOGRAM\tjava.lang.{kind}\n{key}");
            filled().for_each(|(name, _)| {
                let _ = write!(self.text, "\t{name}");
            });
            self.text.push('\n');
        }
        let mut rest: Vec<_> = filled().map(|(_, bins)| bins.iter().peekable()).collect();
        for key in keys {
            let _ = write!(self.text, "{key}");
            for bins in &mut rest {
                let value = bins.next_if(|bin| bin.0 == key).map_or(0.0, |bin| bin.1);
                let _ = write!(self.text, "\t{}", number(value));
            }
            self.text.push('\n');
        }
        self.text.push('\n');
    }
}
