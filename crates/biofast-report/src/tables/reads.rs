//! Statistics of reads as text: the columns of `seqkit stats -a -T`, and a table for people.

use super::{align, plain};
use crate::number::grouped;
use biofast_ops::measure::reads::Summary;

/// The columns of `seqkit stats -a -T`, version 2.10 and later, in its order.
pub const COLUMNS: [&str; 19] = [
    "file", "format", "type", "num_seqs", "sum_len", "min_len", "avg_len", "max_len", "Q1", "Q2",
    "Q3", "sum_gap", "N50", "N50_num", "Q20(%)", "Q30(%)", "AvgQual", "GC(%)", "sum_n",
];

/// One row: its name, and its figures or what went wrong.
pub struct ReadRow<'a> {
    /// The sample's name.
    pub name: &'a str,
    /// The format of its files: `FASTQ` or `FASTA`.
    pub format: &'a str,
    /// The figures; those of a faulty input are not shown, so that nobody takes a part for
    /// the whole.
    pub result: Result<&'a Summary, &'a str>,
}

/// A length statistic without needless decimals: hinges are multiples of one half.
fn hinge(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn tenths(value: u64) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// In place of a figure that there is none of.
const MISSING: &str = "NA";

fn seqkit_cells(format: &str, s: &Summary) -> Vec<String> {
    // Of sequences without qualities.
    let known = |figure: String| if s.has_qualities() { figure } else { MISSING.into() };
    vec![
        format.into(),
        s.sequence_type.name().into(),
        s.reads.to_string(),
        s.bases.to_string(),
        s.min_len.to_string(),
        tenths(s.mean_len_tenths),
        s.max_len.to_string(),
        hinge(s.quartiles[0]),
        hinge(s.quartiles[1]),
        hinge(s.quartiles[2]),
        s.gaps.to_string(),
        s.n50.0.to_string(),
        s.n50.1.to_string(),
        known(s.q20.to_string()),
        known(s.q30.to_string()),
        known(format!("{:.2}", s.mean_quality)),
        s.gc_of_all.to_string(),
        s.counts.n.to_string(),
    ]
}

/// Tab-separated rows under [`COLUMNS`]. If any input is faulty, a column `status` is added:
/// `ok`, or `error: …` in a row whose other figures are `NA`.
///
/// ```
/// use biofast_ops::measure::reads::Collector;
/// use biofast_report::tables::reads::{COLUMNS, ReadRow, tsv};
///
/// let summary = Collector::new().summary();
/// let table = tsv(&[ReadRow { name: "lane1", format: "FASTQ", result: Ok(&summary) }]);
/// assert!(table.starts_with(&COLUMNS.join("\t")));
/// assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("lane1\tFASTQ\t")));
/// ```
pub fn tsv(rows: &[ReadRow<'_>]) -> String {
    let faulty = rows.iter().any(|row| row.result.is_err());
    let mut out = COLUMNS.join("\t");
    out.push_str(if faulty { "\tstatus\n" } else { "\n" });
    for row in rows {
        let mut cells = vec![plain(row.name)];
        match row.result {
            Ok(summary) => cells.extend(seqkit_cells(row.format, summary)),
            Err(_) => {
                cells.push(row.format.into());
                cells.extend(std::iter::repeat_n(MISSING.to_owned(), COLUMNS.len() - 2));
            }
        }
        match row.result {
            Ok(_) if faulty => cells.push("ok".into()),
            Ok(_) => {}
            Err(error) => cells.push(format!("error: {}", plain(error))),
        }
        out.push_str(&cells.join("\t"));
        out.push('\n');
    }
    out
}

/// An aligned table for people: the figures asked for most, one line an input.
pub fn table(rows: &[ReadRow<'_>]) -> String {
    const HEADERS: [&str; 14] = [
        "file", "reads", "bases", "min", "mean", "max", "N50", "Q20 %", "Q30 %", "Q of mean error",
        "mean Phred", "GC % of ACGT", "N %", "encoding",
    ];
    let known = |s: &Summary, figure: String| if s.has_qualities() { figure } else { "-".into() };
    let mut lines: Vec<Vec<String>> = vec![HEADERS.map(str::to_owned).to_vec()];
    for row in rows {
        let mut cells = vec![plain(row.name)];
        match row.result {
            Ok(s) => cells.extend([
                grouped(s.reads),
                grouped(s.bases),
                grouped(s.min_len),
                tenths(s.mean_len_tenths),
                grouped(s.max_len),
                grouped(s.n50.0),
                known(s, s.q20.to_string()),
                known(s, s.q30.to_string()),
                known(s, format!("{:.2}", s.mean_quality)),
                known(s, format!("{:.2}", s.arithmetic_mean_quality)),
                s.gc.to_string(),
                s.n.to_string(),
                known(s, s.encoding.name().to_owned()),
            ]),
            Err(_) => cells.push("ERROR, see the message".into()),
        }
        lines.push(cells);
    }
    align(&lines, &[0, HEADERS.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_ops::measure::reads::Collector;

    #[test]
    fn a_good_run_has_the_columns_of_seqkit_and_a_faulty_one_a_status() {
        let summary = Collector::new().summary();
        let good = ReadRow { name: "a", format: "FASTQ", result: Ok(&summary) };
        assert_eq!(tsv(&[good]).lines().next(), Some(COLUMNS.join("\t").as_str()));
        let good = ReadRow { name: "a", format: "FASTQ", result: Ok(&summary) };
        let bad = ReadRow { name: "b\tc", format: "FASTQ", result: Err("cut\noff") };
        let text = tsv(&[good, bad]);
        let fields: Vec<usize> = text.lines().map(|l| l.split('\t').count()).collect();
        assert_eq!(fields, [20, 20, 20]);
        assert!(text.contains("\terror: cut\\noff\n"));
    }
}
