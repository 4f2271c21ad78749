//! Heat maps: rows of deviations as cells in five shades.

use super::chart::{Chart, Mark};

/// How far a mean is from that of the others, and how it looks: the lowest first.
const SHADES: [(f64, &str, &str); 4] = [
    (-5.0, "heat4", "5 or more below the mean"),
    (-2.0, "heat3", "2 to 5 below"),
    (-1.0, "heat2", "1 to 2 below"),
    (1.0, "heat0", "within 1 of the mean"),
];
const ABOVE: (&str, &str) = ("heat1", "more than 1 above");

/// Draws `rows` from below, each with at most `columns` deviations; of `per_row` rows and `per_column` columns that share a
/// cell, the lowest deviation shows. Infinite ones aren't drawn.
pub(super) fn draw(
    chart: &mut Chart,
    rows: &[Vec<f64>],
    columns: usize,
    [per_row, per_column]: [usize; 2],
    others: &str,
) {
    let mut cells: Vec<(&str, Vec<[f64; 4]>)> =
        SHADES.iter().map(|(_, class, _)| (*class, Vec::new())).collect();
    cells.push((ABOVE.0, Vec::new()));
    for (group, tiles) in rows.chunks(per_row).enumerate() {
        let lowest = |column: usize| {
            let columns = column..(column + per_column).min(columns);
            let all = tiles.iter().flat_map(|row| columns.clone().map(|at| row.get(at)));
            all.flatten().copied().fold(f64::INFINITY, f64::min)
        };
        let (bottom, top) = ((group * per_row) as f64, (group * per_row + tiles.len()) as f64);
        // Neighbours of one shade are one mark.
        let mut run: Option<(usize, usize)> = None;
        for column in (0..columns).step_by(per_column).chain([columns]) {
            let deviation = lowest(column);
            let shade = (column < columns && deviation.is_finite()).then(|| {
                SHADES.iter().position(|(limit, ..)| deviation < *limit).unwrap_or(SHADES.len())
            });
            if let Some((start, kind)) = run
                && shade != Some(kind)
            {
                cells[kind].1.push([start as f64, column as f64, bottom, top]);
                run = None;
            }
            if let (None, Some(kind)) = (run, shade) {
                run = Some((column, kind));
            }
        }
    }
    for (class, cells) in &cells {
        chart.cells(class, cells);
    }
    for (_, class, name) in SHADES {
        chart.key(Mark::Area, class, &name.replace("the mean", others));
    }
    chart.key(Mark::Area, ABOVE.0, ABOVE.1);
}
