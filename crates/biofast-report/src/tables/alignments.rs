//! Statistics of alignments as text: tab-separated, and a table for people.

use super::{align, plain};
use crate::number::grouped;
use biofast_ops::measure::alignments::report::Figures;
use biofast_ops::measure::reads::Percent;
use biofast_ops::measure::reads::report::Composition;

/// The columns of the tab-separated form.
pub const COLUMNS: [&str; 24] = [
    "file", "format", "records", "primary", "secondary", "supplementary", "duplicates",
    "qc_failed", "mapped", "mapped(%)", "paired", "properly_paired", "properly_paired(%)", "bases",
    "avg_len", "max_len", "Q30(%)", "GC(%)", "aligned_bases", "error_rate", "insert_size_median",
    "covered", "breadth(%)", "mean_depth",
];

/// One row: its name and format, and its figures or what went wrong.
pub struct AlignmentRow<'a> {
    /// The sample's name.
    pub name: &'a str,
    /// `BAM`, `SAM` or `CRAM`.
    pub format: &'a str,
    /// The figures; those of a faulty input are not shown, so that nobody takes a part for
    /// the whole.
    pub result: Result<&'a Figures, &'a str>,
}

/// What both forms show.
struct Cells {
    records: u64,
    primary: u64,
    secondary: u64,
    supplementary: u64,
    duplicates: u64,
    failed: u64,
    mapped: u64,
    mapped_share: String,
    paired: u64,
    proper: u64,
    proper_share: String,
    bases: u64,
    mean_len: f64,
    max_len: u64,
    q30: String,
    gc: String,
    gc_of_all: String,
    error_rate: Option<f64>,
    insert: String,
}

impl From<&Figures> for Cells {
    fn from(f: &Figures) -> Cells {
        let (all, failed) = (f.records.all(), &f.records.failed);
        let reads = [&f.reads.first, &f.reads.last, &f.reads.other];
        let reads = || reads.into_iter().flatten();
        let bases: u64 = reads().map(|r| r.bases).sum();
        let n: u64 = reads().map(|r| r.reads).sum();
        let qualities = |from: u8| -> u64 {
            let histograms = reads().flat_map(|r| &r.quality.histogram);
            histograms.filter(|(phred, _)| *phred >= from).map(|(_, n)| n).sum()
        };
        let letters =
            |of: fn(&Composition) -> u64| -> u64 { reads().map(|r| of(&r.composition)).sum() };
        let gc = letters(|c| c.g + c.c);
        let primary = all.primary;
        let mapped = all.primary_mapped;
        let paired = all.paired;
        let proper = all.properly_paired;
        Cells {
            records: all.total,
            primary,
            secondary: all.secondary,
            supplementary: all.supplementary,
            duplicates: all.duplicates,
            failed: failed.total,
            mapped,
            mapped_share: share(mapped, primary),
            paired,
            proper,
            proper_share: share(proper, paired),
            bases,
            mean_len: if n == 0 { 0.0 } else { bases as f64 / n as f64 },
            max_len: reads().map(|r| r.length.max).max().unwrap_or(0),
            q30: share(qualities(30), qualities(0)),
            gc: share(gc, gc + letters(|c| c.a + c.t)),
            gc_of_all: share(gc, bases),
            error_rate: (f.alignment.aligned_bases > 0).then_some(f.alignment.error_rate),
            insert: match f.insert_size.pairs {
                0 => NONE.into(),
                _ => f.insert_size.median.to_string(),
            },
        }
    }
}

/// What is shown where there is nothing to take a figure of.
const NONE: &str = "NA";

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { NONE.into() } else { Percent::of(part, whole).to_string() }
}

fn coverage(figures: &Figures) -> [String; 3] {
    match figures.coverage.as_ref().filter(|coverage| coverage.positions > 0) {
        Some(c) => [
            c.covered.to_string(),
            format!("{:.2}", c.breadth_percent),
            format!("{:.2}", c.mean_depth),
        ],
        None => [NONE; 3].map(str::to_owned),
    }
}

/// Tab-separated rows under [`COLUMNS`]; shares are of primary records. If any input is faulty,
/// a column `status` is added: `ok`, or `error: …` in a row whose other figures are `NA`. So is a figure
/// that there is nothing to take of.
pub fn tsv(rows: &[AlignmentRow<'_>]) -> String {
    let faulty = rows.iter().any(|row| row.result.is_err());
    let mut out = COLUMNS.join("\t");
    out.push_str(if faulty { "\tstatus\n" } else { "\n" });
    for row in rows {
        let mut cells = vec![plain(row.name), row.format.to_owned()];
        match row.result {
            Ok(figures) => {
                let c = Cells::from(figures);
                cells.extend([
                    c.records.to_string(),
                    c.primary.to_string(),
                    c.secondary.to_string(),
                    c.supplementary.to_string(),
                    c.duplicates.to_string(),
                    c.failed.to_string(),
                    c.mapped.to_string(),
                    c.mapped_share,
                    c.paired.to_string(),
                    c.proper.to_string(),
                    c.proper_share,
                    c.bases.to_string(),
                    format!("{:.1}", c.mean_len),
                    c.max_len.to_string(),
                    c.q30,
                    c.gc_of_all,
                    figures.alignment.aligned_bases.to_string(),
                    c.error_rate.map_or(NONE.into(), |rate| format!("{rate:.6}")),
                    c.insert,
                ]);
                cells.extend(coverage(figures));
                if faulty {
                    cells.push("ok".into());
                }
            }
            Err(error) => {
                cells.extend(std::iter::repeat_n(NONE.to_owned(), COLUMNS.len() - 2));
                cells.push(format!("error: {}", plain(error)));
            }
        }
        out.push_str(&cells.join("\t"));
        out.push('\n');
    }
    out
}

/// An aligned table for people: the figures asked for most, one line an input.
pub fn table(rows: &[AlignmentRow<'_>]) -> String {
    const HEADERS: [&str; 13] = [
        "file", "format", "reads", "mapped %", "proper %", "dup", "suppl", "mean len", "Q30 %",
        "GC % of ACGT", "error %", "insert", "mean depth",
    ];
    let mut lines: Vec<Vec<String>> = vec![HEADERS.map(str::to_owned).to_vec()];
    for row in rows {
        let mut cells = vec![plain(row.name)];
        match row.result {
            Ok(figures) => {
                let c = Cells::from(figures);
                let [_, _, depth] = coverage(figures);
                cells.extend([
                    row.format.to_owned(),
                    grouped(c.primary),
                    c.mapped_share,
                    c.proper_share,
                    grouped(c.duplicates),
                    grouped(c.supplementary),
                    format!("{:.1}", c.mean_len),
                    c.q30,
                    c.gc,
                    c.error_rate.map_or(NONE.into(), |rate| format!("{:.2}", 100.0 * rate)),
                    c.insert,
                    depth,
                ]);
            }
            Err(_) => cells.push("ERROR, see the message".into()),
        }
        lines.push(cells);
    }
    align(&lines, &[0, 1])
}
