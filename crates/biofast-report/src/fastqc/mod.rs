//! The text of FastQC's `fastqc_data.txt`, for programs that read it, and its `summary.txt`.
//!
//! All modules but that of k-mers, which FastQC leaves out by default, with the definitions and the layout of
//! [a version](FastqcVersion) of FastQC under `--nogroup` and its rules for pass, warn and fail. What isn't known is left out: tiles, if the names of reads don't tell
//! them, and how often sequences occur in several files.

mod module;
mod searches;

use std::fmt::Write;

use super::bins;
use super::gc_model::Normal;
use biofast_ops::measure::compat::FastqcVersion;
use biofast_ops::measure::reads::{Collector, Contaminants, Encoding, PositionBin, Summary};
use biofast_ops::measure::verdicts::fastqc::{CONTENT, ENOUGH, GC, LOWER_QUARTILE, MEDIAN, N};
use module::{Module, Verdict};

/// The report of one sample.
#[derive(Clone, Debug)]
pub struct FastqcReport {
    sample: String,
    modules: Vec<Module>,
}

/// Lengths are listed one by one if so many do, else in bins.
const LENGTHS: u64 = 1000;

impl FastqcReport {
    /// The report of what a [collector for it](Collector::for_fastqc) counted; `None` of another one.
    /// Overrepresented sequences are compared with `contaminants`.
    pub fn new(
        sample: &str,
        collector: &Collector,
        contaminants: &Contaminants,
        version: FastqcVersion,
    ) -> Option<FastqcReport> {
        let qc = collector.qc.as_deref()?;
        let looked_for = qc.searches.as_deref()?;
        let by_read = &qc.by_read;
        let tiles = looked_for.tiles.quality(version);
        let duplication = looked_for.duplication.found(contaminants);
        let duplication = duplication.map(|found| found.of(version));
        let summary = collector.summary();
        let positions: Vec<PositionBin> = collector.counts.positions.bins().collect();
        // A tab or a line break in a name would be read as another field or line.
        let sample: String = sample.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
        let modules = [
            Some(basics(&sample, &summary, version)),
            Some(qualities(&positions)),
            tiles.as_ref().map(searches::tiles),
            Some(read_qualities(&by_read.mean_quality)),
            Some(contents(&positions)),
            Some(gc(&by_read.gc())),
            Some(unknown_bases(&positions)),
            Some(lengths(collector)),
            duplication.as_ref().map(|found| searches::duplication(found, version)),
            duplication.as_ref().map(searches::overrepresented),
            Some(searches::adapters(&looked_for.adapters.content(), version)),
        ];
        Some(FastqcReport { sample, modules: modules.into_iter().flatten().collect() })
    }

    /// The modules.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The text of `fastqc_data.txt`.
    pub fn data(&self) -> String {
        // The place of FastQC's version: no reader should list that program as the one that ran.
        let mut text = format!("##FastQC\tbiofast {}\n", env!("CARGO_PKG_VERSION"));
        for Module { name, verdict, table } in &self.modules {
            let _ = write!(text, ">>{name}\t{}\n{table}>>END_MODULE\n", verdict.name());
        }
        text
    }

    /// The text of `summary.txt`.
    pub fn summary(&self) -> String {
        let line = |module: &Module| {
            let verdict = module.verdict.name().to_uppercase();
            format!("{verdict}\t{}\t{}\n", module.name, self.sample)
        };
        self.modules.iter().map(line).collect()
    }
}

/// A number of bases in the largest unit that it reaches, cut to tenths.
fn bases(bases: u64) -> String {
    let (unit, name) = match bases {
        0..1000 => (1, "bp"),
        1000..1_000_000 => (1000, "kbp"),
        1_000_000..1_000_000_000 => (1_000_000, "Mbp"),
        _ => (1_000_000_000, "Gbp"),
    };
    match (bases / unit, bases % unit * 10 / unit) {
        (whole, 0) => format!("{whole} {name}"),
        (whole, tenths) => format!("{whole}.{tenths} {name}"),
    }
}

fn basics(sample: &str, summary: &Summary, version: FastqcVersion) -> Module {
    let Summary { min_len, max_len, counts, .. } = summary;
    let length = match min_len == max_len {
        true => min_len.to_string(),
        false => format!("{min_len}-{max_len}"),
    };
    let encoding = match summary.encoding {
        Encoding::ProbablyPhred64 | Encoding::ProbablySolexa64 => {
            "looks like an old one, read as Sanger / Illumina 1.9"
        }
        Encoding::ProbablyMixed => "looks mixed, read as Sanger / Illumina 1.9",
        _ => "Sanger / Illumina 1.9",
    };
    let gc = (100 * counts.gc()).checked_div(counts.acgt()).unwrap_or(0);
    // FastQC 0.12.0 added the line.
    let total = match version >= FastqcVersion::V0_12_1 {
        true => format!("Total Bases\t{}\n", bases(summary.bases)),
        false => String::new(),
    };
    let table = format!(
        "#Measure\tValue\nFilename\t{sample}\nFile type\tConventional base calls\n\
         Encoding\t{encoding}\nTotal Sequences\t{}\n{total}Sequences flagged as poor quality\t0\n\
         Sequence length\t{length}\n%GC\t{gc}\n",
        summary.reads
    );
    Module { name: "Basic Statistics", verdict: Verdict::Pass, table }
}

/// `12`, or `1001-1050`.
fn base(bin: &PositionBin) -> String {
    match bin.start == bin.end {
        true => bin.start.to_string(),
        false => format!("{}-{}", bin.start, bin.end),
    }
}

/// The lowest Phred value that `percent` percent of the bases don't exceed.
fn percentile(qualities: &[u64], percent: u64) -> f64 {
    let total: u64 = qualities.iter().sum();
    let wanted = total * percent / 100;
    let mut seen = 0;
    let reached = qualities.iter().position(|&n| {
        seen += n;
        seen >= wanted && seen > 0
    });
    reached.unwrap_or(0) as f64
}

fn qualities(positions: &[PositionBin]) -> Module {
    let mut verdict = Verdict::Pass;
    let mut table = "#Base\tMean\tMedian\tLower Quartile\tUpper Quartile\t10th Percentile\t90th \
                     Percentile\n"
        .to_owned();
    for bin in positions {
        let total: u64 = bin.qualities.iter().sum();
        if total == 0 {
            continue;
        }
        let sum: u64 = (0..).zip(&bin.qualities).map(|(phred, n)| phred * n).sum();
        let [median, lower, upper, tenth, ninetieth] = match total > ENOUGH {
            true => [50, 25, 75, 10, 90].map(|percent| percentile(&bin.qualities, percent)),
            false => [f64::NAN; 5],
        };
        // No comparison holds of what isn't known.
        if lower < LOWER_QUARTILE[1] || median < MEDIAN[1] {
            verdict = Verdict::Fail;
        } else if lower < LOWER_QUARTILE[0] || median < MEDIAN[0] {
            verdict = verdict.max(Verdict::Warn);
        }
        let _ = writeln!(
            table,
            "{}\t{:?}\t{median:?}\t{lower:?}\t{upper:?}\t{tenth:?}\t{ninetieth:?}",
            base(bin),
            sum as f64 / total as f64
        );
    }
    Module { name: "Per base sequence quality", verdict, table }
}

fn read_qualities(reads: &[u64]) -> Module {
    let first = reads.iter().position(|&n| n > 0);
    let last = reads.iter().rposition(|&n| n > 0);
    let mut table = "#Quality\tCount\n".to_owned();
    if let (Some(first), Some(last)) = (first, last) {
        for (phred, &n) in reads.iter().enumerate().take(last + 1).skip(first) {
            let _ = writeln!(table, "{phred}\t{:?}", n as f64);
        }
    }
    // The most frequent one; of equally frequent ones the lowest.
    let most = reads.iter().max().filter(|most| **most > 0);
    let verdict = match most.and_then(|most| reads.iter().position(|n| n == most)) {
        // The limits count as beyond, unlike those of other modules.
        Some(..=20) => Verdict::Fail,
        Some(..=27) => Verdict::Warn,
        _ => Verdict::Pass,
    };
    Module { name: "Per sequence quality scores", verdict, table }
}

fn contents(positions: &[PositionBin]) -> Module {
    let mut verdict = Verdict::Pass;
    let mut table = "#Base\tG\tA\tT\tC\n".to_owned();
    for bin in positions {
        // Where there is none of these, shares are NaN, as in FastQC.
        let acgt = bin.bases.acgt();
        // In this order, as FastQC has it: the last digit depends on it.
        let percent = |n: u64| n as f64 / acgt as f64 * 100.0;
        let [g, a, t, c] = [bin.bases.g, bin.bases.a, bin.bases.t, bin.bases.c].map(percent);
        verdict = verdict.max(Verdict::above((a - t).abs().max((g - c).abs()), CONTENT));
        let _ = writeln!(table, "{}\t{g:?}\t{a:?}\t{t:?}\t{c:?}", base(bin));
    }
    Module { name: "Per base sequence content", verdict, table }
}

fn gc(reads: &[f64; 101]) -> Module {
    let mut table = "#GC Content\tCount\n".to_owned();
    for (percent, n) in reads.iter().enumerate() {
        let _ = writeln!(table, "{percent}\t{n:?}");
    }
    let deviation = Normal::of(reads).map_or(0.0, |normal| normal.deviation(reads));
    let verdict = Verdict::above(deviation, GC);
    Module { name: "Per sequence GC content", verdict, table }
}

fn unknown_bases(positions: &[PositionBin]) -> Module {
    let mut verdict = Verdict::Pass;
    let mut table = "#Base\tN-Count\n".to_owned();
    for bin in positions {
        // Of all letters, also those that stand for several bases.
        let total = bin.bases.total();
        if total == 0 {
            continue;
        }
        let percent = bin.bases.n as f64 / total as f64 * 100.0;
        verdict = verdict.max(Verdict::above(percent, N));
        let _ = writeln!(table, "{}\t{percent:?}", base(bin));
    }
    Module { name: "Per base N content", verdict, table }
}

fn lengths(collector: &Collector) -> Module {
    let reads: Vec<(u64, u64)> = collector.counts.length.iter().collect();
    let mut table = "#Length\tCount\n".to_owned();
    let (first, last) = (collector.counts.length.min(), collector.counts.length.max());
    let most = if last - first < LENGTHS { LENGTHS + 1 } else { 100 };
    for bins::Bin { from, to, count } in bins::equal(&reads, most) {
        let _ = match from == to {
            true => writeln!(table, "{from}\t{:?}", count as f64),
            false => writeln!(table, "{from}-{to}\t{:?}", count as f64),
        };
    }
    let verdict = match reads[..] {
        [(0, _), ..] => Verdict::Fail,
        [] | [_] => Verdict::Pass,
        _ => Verdict::Warn,
    };
    Module { name: "Sequence Length Distribution", verdict, table }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_cut_to_tenths_of_a_unit() {
        for (number, text) in [
            (0, "0 bp"),
            (999, "999 bp"),
            (1000, "1 kbp"),
            (1099, "1 kbp"),
            (99_999, "99.9 kbp"),
            (1_250_000, "1.2 Mbp"),
            (30_000_000_000, "30 Gbp"),
            (2_345_678_000_000, "2345.6 Gbp"),
        ] {
            assert_eq!(bases(number), text);
        }
    }
}
