//! A file of metrics as Picard writes it.

use std::fmt::Write as _;

use biofast_ops::measure::compat::PicardVersion;

use super::number::number;

/// A file that is being written: its head, then rows of metrics, then a histogram, each of the two followed by an empty line
/// even where there is none.
pub(super) struct File {
    pub(super) text: String,
}

/// What is in a cell.
pub(super) enum MetricValue {
    Text(&'static str),
    Name(String),
    Count(u64),
    Real(f64),
    /// What is only filled for one sample, library or read group.
    Empty,
}

impl File {
    pub(super) fn new(program: &str, rules: PicardVersion, name: &str, version: &str) -> File {
        const HEADER: &str = "## htsjdk.samtools.metrics.StringHeader\n";
        let name = name.replace(['\n', '\r', '\t'], " ");
        File {
            text: format!(
                "{HEADER}# {program} --INPUT {name}\n{HEADER}# Counted by biofast {version} with the rules of Picard \
                 {rules}\n\n"
            ),
        }
    }

    /// The rows of metrics of a class.
    pub(super) fn metrics(
        &mut self,
        class: &str,
        columns: &[&str],
        rows: impl IntoIterator<Item = Vec<MetricValue>>,
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
                    MetricValue::Text(text) => self.text.push_str(text),
                    MetricValue::Name(name) => self.text.push_str(&name),
                    MetricValue::Count(count) => {
                        let _ = write!(self.text, "{count}");
                    }
                    MetricValue::Real(value) => self.text.push_str(&number(value)),
                    MetricValue::Empty => {}
                }
            }
            self.text.push('\n');
        }
        self.text.push('\n');
    }

    /// No histogram.
    pub(super) fn no_histogram(&mut self) {
        self.text.push('\n');
    }

    /// No rows of metrics.
    pub(super) fn no_metrics(&mut self) {
        self.text.push('\n');
    }

    /// Histograms side by side: the kind of their keys, the name of the keys, and the name and bins of each.
    pub(super) fn histograms(
        &mut self,
        kind: &str,
        key: &str,
        histograms: &[(&str, Vec<(u64, f64)>)],
    ) {
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
