//! Plots for the terminal: quality by position, GC and lengths, as blocks or in plain ASCII.

use std::fmt::Write;

use super::bins::{self, Bin};
use super::number::{compact, decimal};
use biofast_ops::measure::reads::report::Statistics;

/// Columns of a plot.
const WIDTH: usize = 60;
/// Lines of a plot.
const HEIGHT: usize = 8;

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Blocks in eighths.
    Unicode,
    /// `#` and `.`.
    Ascii,
}

/// The plots of a set of reads under its name.
pub fn reads(name: &str, reads: &Statistics, characters: Characters) -> String {
    let mut text = format!("{name}\n");
    if reads.bases == 0 {
        return text + "  no bases\n";
    }
    // FASTA has none.
    if !reads.quality.histogram.is_empty() {
        text += "\n  mean quality by position\n";
        text += &quality(reads, characters);
    }
    text += "\n  reads by GC percent\n";
    let gc: Vec<Bin> = (0u64..)
        .zip(reads.composition.gc_histogram.chunks(2))
        .map(|(i, counts)| Bin {
            from: 2 * i,
            to: (2 * i + 1).min(100),
            count: counts.iter().sum(),
        })
        .collect();
    text += &counts(&gc, characters);
    text += "\n  reads by length\n";
    let histogram = &reads.length.histogram;
    let bins = match bins::is_wide(histogram) {
        true => bins::by_ratio(histogram, 12),
        false => bins::equal(histogram, WIDTH as u64),
    };
    text += &counts(&bins, characters);
    text
}

fn quality(reads: &Statistics, characters: Characters) -> String {
    // Columns stand for runs of positions: of long reads, runs that widen with the position.
    let positions: Vec<(f64, u64)> = reads
        .positions
        .iter()
        .map(|p| (p.mean_quality.unwrap_or_default(), p.qualities.iter().map(|q| q.1).sum()))
        .collect();
    let columns = positions.len().min(WIDTH);
    let mut heights = Vec::new();
    for column in 0..columns {
        let run = &positions
            [column * positions.len() / columns..(column + 1) * positions.len() / columns];
        let bases: u64 = run.iter().map(|p| p.1).sum();
        let sum: f64 = run.iter().map(|p| p.0 * p.1 as f64).sum();
        heights.push(if bases == 0 { 0.0 } else { sum / bases as f64 });
    }
    let last = reads.positions.last().map_or(1, |p| p.end as u64);
    let top = heights.iter().copied().fold(40.0, f64::max).ceil();
    blocks(&heights, top, characters, "1", &compact(last as f64))
}

fn counts(bins: &[Bin], characters: Characters) -> String {
    let heights: Vec<f64> = bins.iter().map(|bin| bin.count as f64).collect();
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let ends = (bins.first().map_or(0, |b| b.from), bins.last().map_or(0, |b| b.to));
    blocks(&heights, highest, characters, &compact(ends.0 as f64), &compact(ends.1 as f64))
}

/// A column for each height; the numbers at its ends stand below.
fn blocks(heights: &[f64], top: f64, characters: Characters, first: &str, last: &str) -> String {
    let (levels, side, corner, floor): (&[char], _, _, _) = match characters {
        Characters::Unicode => (&['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], '│', '└', "─"),
        Characters::Ascii => (&['.', '#'], '|', '+', "-"),
    };
    let steps = levels.len();
    let mut text = String::new();
    for line in (0..HEIGHT).rev() {
        let label = match line {
            line if line + 1 == HEIGHT => compact(top),
            line if line + 1 == HEIGHT / 2 => decimal_or_compact(top / 2.0),
            _ => String::new(),
        };
        let _ = write!(text, "  {label:>8} {side}");
        let mut cells = String::new();
        for &height in heights {
            let share = if top > 0.0 { (height / top).clamp(0.0, 1.0) } else { 0.0 };
            // What is there at all shows in the lowest line.
            let full = (share * (HEIGHT * steps) as f64).round() as usize;
            let full = if height > 0.0 { full.max(1) } else { 0 };
            cells.push(match full.saturating_sub(line * steps) {
                0 => ' ',
                filled => levels[filled.min(steps) - 1],
            });
        }
        let _ = writeln!(text, "{}", cells.trim_end());
    }
    let _ = writeln!(text, "  {:>8} {corner}{}", 0, floor.repeat(heights.len()));
    let between = heights.len().saturating_sub(first.len() + last.len()).max(1);
    let _ = writeln!(text, "  {:>8}  {first}{}{last}", "", " ".repeat(between));
    text
}

fn decimal_or_compact(value: f64) -> String {
    if value < 1000.0 { decimal(value, 1) } else { compact(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_drawn_in_eighths_or_halves() {
        let heights = [0.0, 0.001, 4.0, 8.0];
        let plot = blocks(&heights, 8.0, Characters::Unicode, "1", "4");
        let lines: Vec<&str> = plot.lines().collect();
        assert_eq!(lines[0], "         8 │   █");
        assert_eq!(lines[4], "         4 │  ██");
        assert_eq!(lines[7], "           │ ▁██");
        assert_eq!(lines[8], "         0 └────");
        assert_eq!(lines[9], "            1  4");
        let plot = blocks(&heights, 8.0, Characters::Ascii, "1", "4");
        assert!(plot.is_ascii());
        assert_eq!(plot.lines().nth(7), Some("           | .##"));
    }
}
