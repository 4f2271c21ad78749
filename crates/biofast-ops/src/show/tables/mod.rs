//! Statistics as text, a row an input: tab-separated, and tables for people.

pub mod alignments;
pub mod coverage;
pub mod reads;

use std::fmt::Write as _;

use biofast_io::Escaped;

/// A name that can't break a line or a column.
fn plain(name: &str) -> String {
    Escaped(name.as_bytes()).to_string()
}

/// Lines of cells under each other, those of the columns in `text` to the left. The first line
/// has the headers; a line with fewer cells is a message after its first cell.
fn align(lines: &[Vec<String>], text: &[usize]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let complete = lines.iter().filter(|cells| cells.len() == columns || column == 0);
        complete.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for cells in lines {
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            // Writing to a String can't fail.
            let _ = if text.contains(&column) || cells.len() < columns {
                write!(line, "{cell:<width$}  ")
            } else {
                write!(line, "{cell:>width$}  ")
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
