//! Depths as text, a row a file: tab-separated, and a table for people.

use super::{align, plain};
use crate::number::grouped;
use biofast_ops::measure::coverage::Distribution;
use biofast_ops::measure::reads::Percent;

/// The columns of the tab-separated form.
pub const COLUMNS: [&str; 11] = [
    "file", "length", "bases", "mean", "median", "min", "max", "covered(%)", "10X(%)", "20X(%)",
    "30X(%)",
];

/// Depths from which on positions are counted, beside those that are covered at all.
const DEPTHS: [u32; 4] = [1, 10, 20, 30];

fn cells(name: &str, depths: &Distribution, number: impl Fn(u64) -> String) -> Vec<String> {
    let positions = depths.positions();
    let mut cells = vec![
        plain(name),
        number(positions),
        number(depths.bases()),
        format!("{:.2}", depths.mean()),
        number(depths.median().into()),
        number(depths.min().into()),
        number(depths.max().into()),
    ];
    cells.extend(DEPTHS.map(|depth| Percent::of(depths.at_least(depth), positions).to_string()));
    cells
}

/// Tab-separated values with a header.
///
/// ```
/// use biofast_ops::coverage::{DepthRun, Distribution};
/// use biofast_report::tables::coverage::tsv;
///
/// let mut depths = Distribution::default();
/// depths.add(DepthRun { from: 0, to: 100, depth: 12 });
/// let text = tsv(&[("a.bam".into(), depths)]);
/// assert!(text.ends_with("a.bam\t100\t1200\t12.00\t12\t12\t12\t100.00\t100.00\t0.00\t0.00\n"));
/// ```
pub fn tsv(rows: &[(String, Distribution)]) -> String {
    let mut out = COLUMNS.join("\t") + "\n";
    for (name, depths) in rows {
        out += &(cells(name, depths, |n| n.to_string()).join("\t") + "\n");
    }
    out
}

/// An aligned table to be read by people.
pub fn table(rows: &[(String, Distribution)]) -> String {
    let mut lines = vec![COLUMNS.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|(name, depths)| cells(name, depths, grouped)));
    align(&lines, &[0])
}
