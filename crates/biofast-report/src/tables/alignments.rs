//! Statistics of alignments as text: tab-separated, and a table for people.

use super::{align, plain};
use crate::number::grouped;
use biofast_ops::measure::alignments::report::Figures;
use biofast_ops::measure::reads::Percent;
use biofast_ops::measure::reads::report::{Composition, Statistics};

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
    mean_len: Option<f64>,
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
        let bases: u64 = reads(f).map(|r| r.bases).sum();
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
            mean_len: mean_length(f),
            max_len: reads(f).map(|r| r.length.max).max().unwrap_or(0),
            q30: known(q30(f)),
            gc: known(gc(f)),
            gc_of_all: share(letters(f, |c| c.g + c.c), bases),
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
    known(share_of(part, whole))
}

fn share_of(part: u64, whole: u64) -> Option<Percent> {
    (whole > 0).then(|| Percent::of(part, whole))
}

fn known(share: Option<Percent>) -> String {
    share.map_or(NONE.into(), |share| share.to_string())
}

/// First, last and other reads.
fn reads(figures: &Figures) -> impl Iterator<Item = &Statistics> {
    let reads = &figures.reads;
    [&reads.first, &reads.last, &reads.other].into_iter().flatten()
}

fn letters(figures: &Figures, of: fn(&Composition) -> u64) -> u64 {
    reads(figures).map(|reads| of(&reads.composition)).sum()
}

/// The mean length of all reads.
pub(crate) fn mean_length(figures: &Figures) -> Option<f64> {
    let n: u64 = reads(figures).map(|reads| reads.reads).sum();
    let bases: u64 = reads(figures).map(|reads| reads.bases).sum();
    (n > 0).then(|| bases as f64 / n as f64)
}

/// Bases of quality 30 and more among those with a quality.
pub(crate) fn q30(figures: &Figures) -> Option<Percent> {
    let from = |least: u8| -> u64 {
        let histograms = reads(figures).flat_map(|reads| &reads.quality.histogram);
        histograms.filter(|(phred, _)| *phred >= least).map(|(_, n)| n).sum()
    };
    share_of(from(30), from(0))
}

/// G and C among A, C, G and T.
pub(crate) fn gc(figures: &Figures) -> Option<Percent> {
    let gc = letters(figures, |c| c.g + c.c);
    share_of(gc, gc + letters(figures, |c| c.a + c.t))
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
                    format!("{:.1}", c.mean_len.unwrap_or_default()),
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
                    format!("{:.1}", c.mean_len.unwrap_or_default()),
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
