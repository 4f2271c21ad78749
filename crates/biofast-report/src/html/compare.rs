//! Samples beside each other: how far a figure is from that of the others, and the unusual ones first.

use std::collections::{HashMap, HashSet};

use super::table::{OUTLYING, SHADED, TableCell, TableRow};
use super::verdicts;
use crate::number::{decimal, robust};

/// With fewer samples there is no "usual".
const FEWEST: usize = 5;

/// A column whose figures are compared.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    /// A standard deviation is no smaller than this, lest differences that mean nothing stand out.
    pub(super) least: f64,
    /// Ratios are compared, not differences.
    pub(super) ratio: bool,
}

impl Compared {
    pub(super) const fn difference(least: f64) -> Compared {
        Compared { least, ratio: false }
    }

    /// `least` is of logarithms to base 2.
    pub(super) const fn ratio(least: f64) -> Compared {
        Compared { least, ratio: true }
    }

    fn value(&self, cell: Option<&TableCell>) -> Option<f64> {
        let value = match cell? {
            TableCell::Count(n) => *n as f64,
            TableCell::Number(value, _) => *value,
            TableCell::Drawing(..) | TableCell::Nothing => return None,
        };
        // An empty sample is told as such, and not compared by ratio.
        if self.ratio && value <= 0.0 {
            return None;
        }
        Some(if self.ratio { value.log2() } else { value })
    }
}

/// Tells each row how far its figures are from the median of all of its side, in robust standard deviations, and puts faulty
/// samples and outliers first; mates stay together. Gives the ids of the outliers, the farthest first, and what is to be said
/// about it; nothing where there are too few samples. `columns` are those of the table, as far as any is compared.
pub(super) fn outliers_first(
    rows: &mut [TableRow],
    columns: &[Option<Compared>],
) -> Option<(Vec<String>, String)> {
    // First reads and second reads are not alike, and each are compared among themselves.
    let mut sides: Vec<Option<u8>> = rows.iter().map(|row| row.mate).collect();
    sides.sort_unstable();
    sides.dedup();
    let has_figures = |row: &&TableRow| !row.cells.is_empty();
    let are_enough = |side: &Option<u8>| {
        rows.iter().filter(has_figures).filter(|row| row.mate == *side).count() >= FEWEST
    };
    sides.retain(are_enough);
    if sides.is_empty() {
        return None;
    }
    let compared =
        columns.iter().enumerate().filter_map(|(at, column)| Some((at, column.as_ref()?)));
    for ((at, column), side) in compared.flat_map(|one| sides.iter().map(move |s| (one, s))) {
        let of_side = |row: &&TableRow| row.mate == *side;
        let mut values: Vec<f64> =
            rows.iter().filter(of_side).filter_map(|row| column.value(row.cells.get(at))).collect();
        let Some((middle, deviation)) = robust(&mut values) else { continue };
        let deviation = deviation.max(column.least);
        for row in rows.iter_mut().filter(|row| row.mate == *side) {
            if let Some(value) = column.value(row.cells.get(at)) {
                row.apart.resize(row.cells.len(), 0.0);
                if let Some(apart) = row.apart.get_mut(at) {
                    *apart = (value - middle) / deviation;
                }
            }
        }
    }
    let farthest = |row: &TableRow| row.apart.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    let rank = |row: &TableRow| match (row.error.is_some(), verdicts::fails(&row.verdicts)) {
        (true, _) => f64::INFINITY,
        (false, 0) => Some(farthest(row)).filter(|z| *z >= OUTLYING).unwrap_or(0.0),
        // What failed comes before what is unusual.
        (false, fails) => 1e9 * fails as f64,
    };
    let mut ranks: HashMap<usize, f64> = HashMap::new();
    for row in rows.iter() {
        let of_unit = ranks.entry(row.unit).or_insert(0.0);
        *of_unit = of_unit.max(rank(row));
    }
    // Others stay in the order given.
    rows.sort_by(|a, b| ranks[&b.unit].total_cmp(&ranks[&a.unit]));
    let outliers = || rows.iter().filter(|row| row.error.is_none() && farthest(row) >= OUTLYING);
    let unusual = outliers().map(|row| row.unit).collect::<HashSet<_>>().len();
    let said = format!(
        "Samples with errors and failed checks come first, then unusual ones. {} of {} samples {} unusual: a value is marked ↑ or ↓ where it is {} or more robust standard deviations \
         (1.4826 times the median absolute deviation) from the median of {}; shades begin at {}. Unusual is not bad: \
         another tissue, kit or depth may be why.",
        match unusual {
            0 => "None".into(),
            n => n.to_string(),
        },
        ranks.len(),
        if unusual == 1 { "is" } else { "are" },
        decimal(OUTLYING, 1),
        match rows.iter().any(|row| row.mate.is_some()) {
            true => "all first reads, or all second reads",
            false => "all samples",
        },
        decimal(SHADED, 1)
    );
    Some((outliers().map(|row| row.id.clone()).collect(), said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: usize, value: f64) -> TableRow {
        TableRow {
            id: id.to_string(),
            unit: id,
            mate: None,
            sample: id.to_string(),
            path: id.to_string(),
            error: None,
            warnings: 0,
            pack: String::new(),
            verdicts: TableCell::Nothing,
            cells: vec![TableCell::Number(value, 2)],
            apart: Vec::new(),
        }
    }

    #[test]
    fn what_is_far_from_the_median_comes_first_and_small_differences_do_not() {
        let mut rows: Vec<TableRow> =
            (0..20).map(|i| row(i, 40.0 + (i % 5) as f64 * 0.1)).collect();
        rows.push(row(20, 30.0));
        rows.push(row(21, 44.0));
        let (outliers, said) =
            outliers_first(&mut rows, &[Some(Compared::difference(0.5))]).expect("enough samples");
        assert_eq!(outliers, ["20", "21"]);
        assert!(said.contains("2 of 22 samples are unusual"), "{said}");
        let order: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(order[..4], ["20", "21", "0", "1"]);
        assert!(rows[0].apart[0] < -OUTLYING && rows[1].apart[0] > OUTLYING);
        // The same values, but for what is less than can matter.
        let mut alike: Vec<TableRow> =
            (0..20).map(|i| row(i, if i == 7 { 40.1 } else { 40.0 })).collect();
        let (outliers, _) =
            outliers_first(&mut alike, &[Some(Compared::difference(0.5))]).expect("enough samples");
        assert_eq!(outliers, [""; 0]);
        assert!(outliers_first(&mut alike[..4], &[]).is_none());
    }

    #[test]
    fn mates_are_one_sample_and_are_compared_with_their_own_side() {
        // Second reads are all worse, one pair is odd in both, and one in its second reads alone.
        let value = |pair: usize, mate: u8| match (pair, mate) {
            (3, 1) => 20.0,
            (4, 2) => 31.0,
            (_, 1) => 40.0,
            _ => 35.0,
        };
        let mates = |pair| [1, 2].map(|mate| (pair, mate));
        let mut rows: Vec<TableRow> = (0..6)
            .flat_map(mates)
            .map(|(pair, mate)| {
                let id = 2 * pair + usize::from(mate) - 1;
                TableRow { unit: pair, mate: Some(mate), ..row(id, value(pair, mate)) }
            })
            .collect();
        let (outliers, said) =
            outliers_first(&mut rows, &[Some(Compared::difference(0.5))]).expect("enough samples");
        assert_eq!(outliers, ["6", "9"]);
        assert!(said.contains("2 of 6 samples are unusual"), "{said}");
        let order: Vec<usize> = rows.iter().map(|row| row.unit).collect();
        assert_eq!(order, [3, 3, 4, 4, 0, 0, 1, 1, 2, 2, 5, 5]);
        // Four pairs are too few, though they are eight files.
        assert!(outliers_first(&mut rows[..8], &[]).is_none());
    }
}
