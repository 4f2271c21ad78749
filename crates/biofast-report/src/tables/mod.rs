//! Statistics as text, a row an input: tab-separated, and tables for people.

pub mod alignments;
pub mod coverage;
pub mod reads;
pub mod verdicts;

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
            // Widths of formatting end at 65,535, which names of samples may exceed.
            let padding = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let is_text = text.contains(&column) || cells.len() < columns;
            let (before, after) = if is_text { ("", &*padding) } else { (&*padding, "") };
            line.extend([before, cell, after, "  "]);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_have_a_column() {
        let name = "S".repeat(70_000);
        let lines = [["file", "reads"], [&name, "5"], ["b", "12"]].map(|l| l.map(str::to_owned));
        let text = align(&lines.map(|l| l.to_vec()), &[0]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.len() == 70_007), "{:?}", &lines[0][..20]);
        assert!(lines[2].starts_with("b  ") && lines[2].ends_with("     12"));
    }
}
