//! A condition of an experiment: one level of each factor.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context as _, Result};

/// Stands in a protocol's checks for the fastest instruction set that was measured.
pub(crate) const BEST_SIMD: &str = "simd";
/// Instruction sets, the fastest of an architecture first.
const SIMD_LEVELS: [&str; 3] = ["avx512", "avx2", "neon"];

/// Factor and level, in the order of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell(Vec<(String, String)>);

impl Cell {
    /// The cell with another factor added.
    pub(crate) fn with(&self, factor: &str, level: &str) -> Cell {
        let mut levels = self.0.clone();
        levels.push((factor.to_owned(), level.to_owned()));
        Cell(levels)
    }

    /// The level of a factor; an empty string if there is no such factor.
    pub(crate) fn get(&self, factor: &str) -> &str {
        self.0.iter().find(|(name, _)| name == factor).map_or("", |(_, level)| level)
    }

    pub(crate) fn number(&self, factor: &str) -> Result<usize> {
        let level = self.get(factor);
        level.parse().with_context(|| format!("{factor} {level:?} is not a number"))
    }

    /// The level of a factor as a count, with K, M or G behind it or not.
    pub(crate) fn count(&self, factor: &str) -> Result<usize> {
        let level = self.get(factor);
        let count = scaled(level).with_context(|| format!("{factor} {level:?} is not a number"))?;
        Ok(count as usize)
    }

    /// Factors and levels in order.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, level)| (name.as_str(), level.as_str()))
    }

    /// Whether the cell has all these levels; `simd` is any instruction set here, see [`best`].
    pub(crate) fn matches(&self, levels: &BTreeMap<String, String>) -> bool {
        levels.iter().all(|(name, level)| {
            let own = self.get(name);
            own == level || (level == BEST_SIMD && SIMD_LEVELS.contains(&own))
        })
    }

    /// The same cell with some levels replaced.
    pub(crate) fn replaced(&self, levels: &BTreeMap<String, String>) -> Cell {
        let level_of = |(name, level): &(String, String)| {
            (name.clone(), levels.get(name).unwrap_or(level).clone())
        };
        Cell(self.0.iter().map(level_of).collect())
    }

    /// The levels of the named factors only.
    pub(crate) fn only(&self, factors: &[String]) -> Cell {
        Cell(self.0.iter().filter(|(name, _)| factors.contains(name)).cloned().collect())
    }

    /// From `name=level,name=level`, as [`Cell::to_argument`] writes it.
    pub(crate) fn parse(text: &str) -> Result<Cell> {
        let pair = |part: &str| {
            let (name, level) =
                part.split_once('=').with_context(|| format!("{part:?} is not NAME=LEVEL"))?;
            Ok((name.to_owned(), level.to_owned()))
        };
        Ok(Cell(text.split(',').map(pair).collect::<Result<_>>()?))
    }

    /// For the command line of a child process.
    pub(crate) fn to_argument(&self) -> String {
        let pairs: Vec<String> = self.levels().map(|(n, l)| format!("{n}={l}")).collect();
        pairs.join(",")
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<&str> = self.levels().map(|(_, level)| level).collect();
        f.write_str(&levels.join(" · "))
    }
}

/// What a level stands for, if it is a number, with K, M or G behind it or not.
pub(crate) fn scaled(level: &str) -> Option<f64> {
    let (digits, factor) = match level.chars().last()? {
        'K' => (&level[..level.len() - 1], 1e3),
        'M' => (&level[..level.len() - 1], 1e6),
        'G' => (&level[..level.len() - 1], 1e9),
        _ => (level, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

/// Of the cells that match, those of the fastest instruction set where `simd` was asked for.
pub(crate) fn best<'a>(
    cells: impl Iterator<Item = &'a Cell>,
    levels: &BTreeMap<String, String>,
) -> Vec<&'a Cell> {
    let found: Vec<&Cell> = cells.filter(|cell| cell.matches(levels)).collect();
    let Some((factor, _)) = levels.iter().find(|(_, level)| *level == BEST_SIMD) else {
        return found;
    };
    let best = SIMD_LEVELS.iter().find(|isa| found.iter().any(|cell| cell.get(factor) == **isa));
    found.into_iter().filter(|cell| best.is_some_and(|isa| cell.get(factor) == *isa)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(n, l)| ((*n).to_owned(), (*l).to_owned())).collect()
    }

    #[test]
    fn simd_is_the_fastest_that_was_measured() {
        let cell = |method: &str| Cell::default().with("method", method).with("reads", "1K");
        let cells = [cell("scalar"), cell("avx2"), cell("avx512")];
        let wanted = levels(&[("method", "simd"), ("reads", "1K")]);
        assert_eq!(best(cells.iter(), &wanted), [&cells[2]]);
        assert_eq!(best(cells[..2].iter(), &wanted), [&cells[1]]);
        assert!(best(cells[..1].iter(), &wanted).is_empty());
        assert_eq!(best(cells.iter(), &levels(&[("method", "scalar")])), [&cells[0]]);
    }
}
