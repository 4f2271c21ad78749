//! Qualities by tile of the flow cell and position: FastQC's rules, by which every tenth read counts, and the first 10,000 since 0.12.0.
//!
//! The tile is a field of the read's name, between colons: the fifth of seven or more, the third of five or six. The first
//! read that counts decides for all of a file. If a name has no number there, or if there are too many tiles, there is
//! nothing to say by tile. Memory: 16 bytes a tile and position (of the first 1,000, or bin behind them).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contaminants::Contaminants;
use super::measured::{ReadSearch, SearchedRead};
use super::numbers::InvalidReport;
use super::statistic::positions::{bin_of, bin_range};
use crate::measure::compat::FastqcVersion;

/// Every so many reads one counts.
const EVERY: u64 = 10;

/// The reads before this one are early.
const EARLY: u64 = 10_000;

/// With more tiles than this, what is taken for a tile is something else. FastQC 0.12.0 raised it from 1,001.
const TILES: usize = 2501;
const OLD_TILES: usize = 1001;

/// Sums by tile: of every tenth read, and of the other early ones.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct Tiles {
    tenth: TileSums,
    early: TileSums,
}

/// Sums by tile, for each of the places the tile may have in a name.
#[derive(Clone, Debug, PartialEq)]
struct TileSums {
    /// Number of the first read that counted, and what its name has: the lowest counts.
    first: Option<(u64, NameFields)>,
    guesses: [Guess; 2],
}

/// The fields of a name, by what they say of the tile's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameFields {
    Seven,
    Five,
    Few,
}

/// Sums by tile, if it is this field of the name, from 0; nothing if it can't be.
#[derive(Clone, Debug, PartialEq)]
struct Guess {
    field: usize,
    tiles: Option<BTreeMap<i32, QualitySums>>,
}

/// By bin of the position.
#[derive(Clone, Debug, Default, PartialEq)]
struct QualitySums {
    /// Of Phred values.
    qualities: Vec<u64>,
    bases: Vec<u64>,
}

impl Default for TileSums {
    fn default() -> Self {
        let guess = |field| Guess { field, tiles: Some(BTreeMap::new()) };
        TileSums { first: None, guesses: [guess(4), guess(2)] }
    }
}

impl TileSums {
    /// Adds a read that counts: all of its definition line, and its qualities.
    fn count(&mut self, number: u64, definition: &[u8], qualities: &[u8]) {
        // Empty fields at the end are none.
        let end = definition.iter().rposition(|&byte| byte != b':').map_or(0, |last| last + 1);
        let fields = definition[..end].split(|&byte| byte == b':');
        let fields_of = match fields.clone().count() {
            7.. => NameFields::Seven,
            5.. => NameFields::Five,
            _ => NameFields::Few,
        };
        let first = (number, fields_of);
        self.first = Some(self.first.map_or(first, |earlier| earlier.min(first)));
        for Guess { field, tiles } in &mut self.guesses {
            let Some(known) = tiles else { continue };
            let number = fields.clone().nth(*field);
            let number = number.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
            match number {
                Some(tile) if known.len() < TILES || known.contains_key(&tile) => {
                    known.entry(tile).or_default().add(qualities);
                }
                _ => *tiles = None,
            }
        }
    }

    /// What the sums say; nothing if no read counted, or if their names don't tell tiles, or more than `most`.
    fn quality(&self, most: usize) -> Option<TileQuality> {
        let guess = match self.first? {
            (_, NameFields::Seven) => &self.guesses[0],
            (_, NameFields::Five) => &self.guesses[1],
            (_, NameFields::Few) => return None,
        };
        let tiles = guess.tiles.as_ref().filter(|tiles| tiles.len() <= most)?;
        let bins = tiles.values().map(|sums| sums.bases.len()).max().filter(|&bins| bins > 0)?;
        let mean = |sums: &QualitySums, bin: usize| match sums.bases.get(bin) {
            None | Some(0) => 0.0,
            Some(&bases) => sums.qualities[bin] as f64 / bases as f64,
        };
        let means: Vec<f64> = (0..bins)
            .map(|bin| tiles.values().fold(0.0, |sum, tile| sum + mean(tile, bin)))
            .map(|sum| sum / tiles.len() as f64)
            .collect();
        Some(TileQuality {
            field: guess.field as u64 + 1,
            positions: (0..bins).map(bin_range).map(|range| (range.start + 1, range.end)).collect(),
            tiles: tiles
                .iter()
                .map(|(&tile, sums)| Tile {
                    tile,
                    deviations: (0..bins).map(|bin| mean(sums, bin) - means[bin]).collect(),
                    quality_sums: sums.qualities.clone(),
                    bases: sums.bases.clone(),
                })
                .collect(),
            early: None,
        })
    }

    fn merge(&mut self, other: &TileSums) {
        let TileSums { first, guesses } = other;
        self.first = self.first.into_iter().chain(*first).min();
        for (mine, theirs) in self.guesses.iter_mut().zip(guesses) {
            mine.tiles = match (mine.tiles.take(), &theirs.tiles) {
                (Some(mut mine), Some(theirs)) => {
                    for (&tile, sums) in theirs {
                        mine.entry(tile).or_default().merge(sums);
                    }
                    Some(mine).filter(|tiles| tiles.len() <= TILES)
                }
                _ => None,
            };
        }
    }

    /// Tiles without a base aren't there.
    fn drop_empty(&mut self) {
        for tiles in self.guesses.iter_mut().filter_map(|guess| guess.tiles.as_mut()) {
            tiles.retain(|_, sums| !sums.bases.is_empty());
        }
    }

    /// Of names that don't tell tiles.
    fn unknown() -> TileSums {
        TileSums { first: Some((0, NameFields::Few)), ..TileSums::default() }
    }

    fn read_back(quality: &TileQuality) -> Result<TileSums, InvalidReport> {
        const WRONG: InvalidReport =
            InvalidReport::Inconsistent("qualities by tile that don't fit");
        let mut tiles = TileSums::default();
        let (fields, guess, other) = match quality.field {
            5 => (NameFields::Seven, 0, 1),
            3 => (NameFields::Five, 1, 0),
            _ => return Err(WRONG),
        };
        // Which read was the first isn't known any more.
        tiles.first = Some((0, fields));
        tiles.guesses[other].tiles = None;
        let sums = quality.tiles.iter().map(|tile| {
            let Tile { tile, quality_sums, bases, .. } = tile;
            let fits = bases.len() <= quality.positions.len() && bases.len() == quality_sums.len();
            fits.then(|| {
                (*tile, QualitySums { qualities: quality_sums.clone(), bases: bases.clone() })
            })
        });
        let sums: Option<BTreeMap<i32, QualitySums>> = sums.collect();
        tiles.guesses[guess].tiles = Some(sums.filter(|sums| sums.len() <= TILES).ok_or(WRONG)?);
        Ok(tiles)
    }
}

impl Tiles {
    /// What the sums say by the rules of this version of FastQC; nothing if no read counted, or if their names don't tell tiles.
    #[doc(hidden)]
    pub fn quality(&self, version: FastqcVersion) -> Option<TileQuality> {
        match version {
            FastqcVersion::V0_11_9 => self.tenth.quality(OLD_TILES),
            FastqcVersion::V0_12_1 => {
                let mut all = self.tenth.clone();
                all.merge(&self.early);
                all.drop_empty();
                all.quality(TILES)
            }
        }
    }
}

impl ReadSearch for Tiles {
    type Section = TileQuality;
    type Left = ();
    type Counter<'a> = &'a mut Tiles;

    fn begin<'a>(&'a mut self, _: u64, (): &'a mut ()) -> &'a mut Tiles {
        self
    }

    #[inline]
    fn add(counter: &mut &mut Tiles, read: &SearchedRead<'_>) {
        if (read.number + 1).is_multiple_of(EVERY) {
            counter.tenth.count(read.number, read.definition, read.qualities);
        } else if read.number < EARLY && !read.qualities.is_empty() {
            counter.early.count(read.number, read.definition, read.qualities);
        }
    }

    fn merge(&mut self, other: &Tiles) {
        let Tiles { tenth, early } = other;
        self.tenth.merge(tenth);
        self.early.merge(early);
    }

    fn section(&self, _: &Contaminants) -> Option<TileQuality> {
        let early = self.early.quality(TILES).map(Box::new);
        if self.tenth.first.is_some() {
            return Some(TileQuality { early, ..self.tenth.quality(TILES)? });
        }
        let field = early.as_ref()?.field;
        Some(TileQuality { field, positions: Vec::new(), tiles: Vec::new(), early })
    }

    fn read_back(quality: Option<&TileQuality>) -> Result<Tiles, InvalidReport> {
        let Some(quality) = quality else { return Ok(Tiles::default()) };
        let tenth = match quality.tiles.is_empty() {
            true => TileSums::default(),
            false => TileSums::read_back(quality)?,
        };
        let early = quality.early.as_deref().map(TileSums::read_back).transpose()?;
        Ok(Tiles { tenth, early: early.unwrap_or_else(TileSums::unknown) })
    }
}

impl QualitySums {
    fn add(&mut self, qualities: &[u8]) {
        let Some(last) = qualities.len().checked_sub(1) else { return };
        let bins = (bin_of(last) + 1).max(self.bases.len());
        self.qualities.resize(bins, 0);
        self.bases.resize(bins, 0);
        let phred = |byte: u8| u64::from(byte.saturating_sub(33));
        let (exact, mut later) = qualities.split_at(qualities.len().min(super::EXACT_POSITIONS));
        for ((sum, bases), &byte) in self.qualities.iter_mut().zip(&mut self.bases).zip(exact) {
            *sum += phred(byte);
            *bases += 1;
        }
        let mut bin = super::EXACT_POSITIONS;
        while !later.is_empty() {
            let (part, rest) = later.split_at(bin_range(bin).len().min(later.len()));
            self.qualities[bin] += part.iter().map(|&byte| phred(byte)).sum::<u64>();
            self.bases[bin] += part.len() as u64;
            (later, bin) = (rest, bin + 1);
        }
    }

    fn merge(&mut self, other: &QualitySums) {
        let bins = self.bases.len().max(other.bases.len());
        self.qualities.resize(bins, 0);
        self.bases.resize(bins, 0);
        self.qualities.iter_mut().zip(&other.qualities).for_each(|(a, b)| *a += b);
        self.bases.iter_mut().zip(&other.bases).for_each(|(a, b)| *a += b);
    }
}

/// Qualities by tile and position, of every tenth read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileQuality {
    /// Which field of the read's name is the tile, from 1.
    pub field: u64,
    /// First and last of each position, or bin of later ones, from 1.
    pub positions: Vec<(usize, usize)>,
    /// The tiles, ascending.
    pub tiles: Vec<Tile>,
    /// The same of the other reads among the first 10,000, which FastQC takes in since 0.12.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<Box<TileQuality>>,
}

/// One tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// Its number.
    pub tile: i32,
    /// Mean Phred value at each position, less the mean of these means over all tiles. A tile without bases there has a mean of 0.
    #[serde(skip)]
    pub deviations: Vec<f64>,
    /// Sum of Phred values at each position; shorter if no read reaches further.
    pub quality_sums: Vec<u64>,
    /// Bases at each position.
    pub bases: Vec<u64>,
}

impl TileQuality {
    /// The largest deviation, up or down; 0 if there are no tiles.
    pub fn largest_deviation(&self) -> f64 {
        let all = self.tiles.iter().flat_map(|tile| &tile.deviations);
        all.fold(0.0, |largest, deviation| largest.max(deviation.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(names: &[&str]) -> TileSums {
        let mut tiles = TileSums::default();
        for (number, name) in (9u64..).step_by(10).zip(names) {
            assert!((number + 1).is_multiple_of(EVERY));
            tiles.count(number, name.as_bytes(), b"I5");
        }
        tiles
    }

    #[test]
    fn the_tile_is_a_field_of_the_name() {
        let found = |names: &[&str]| -> Option<(u64, Vec<i32>)> {
            let quality = tiles(names).quality(OLD_TILES)?;
            Some((quality.field, quality.tiles.iter().map(|tile| tile.tile).collect()))
        };
        assert_eq!(
            found(&["M:1:F:1:1102:5:6 1:N:0", "M:1:F:1:1101:5:6"]),
            Some((5, vec![1101, 1102]))
        );
        assert_eq!(found(&["HWUSI:6:73:941:1973#0/1"]), Some((3, vec![73])));
        // The first decides; a later name without that field, or without a number there, ends it.
        assert_eq!(found(&["M:1:F:1:1102:5:6", "a:b:c"]), None);
        assert_eq!(
            found(&["M:1:F:1:1102:5:6", "HWUSI:6:73:941:1973"]),
            Some((5, vec![1102, 1973]))
        );
        assert_eq!(found(&["HWUSI:6:73:941:1973", "M:1:8:1:1102:5:6"]), Some((3, vec![8, 73])));
        assert_eq!(found(&["M:1:F:1:x:5:6"]), None);
        assert_eq!(found(&["read1", "M:1:F:1:1102:5:6"]), None);
        assert_eq!(found(&["a:b:c:::::"]), None);
        assert_eq!(found(&[]), None);
        let many: Vec<String> = (0..1002).map(|tile| format!("M:1:F:1:{tile}:5:6")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(found(&many), None);
        assert_eq!(found(&many[1..]).expect("as many as may be").1.len(), 1001);
    }

    #[test]
    fn deviations_are_from_the_mean_of_tiles() {
        let mut sum = tiles(&["M:1:F:1:1:5:6", "M:1:F:1:1:5:6"]);
        let mut other = TileSums::default();
        other.count(29, b"M:1:F:1:2:5:6", b"?");
        sum.merge(&other);
        let quality = sum.quality(TILES).expect("tiles");
        // Means of 40 and 20, and of 30 and nothing.
        assert_eq!(quality.tiles[0].deviations, [5.0, 10.0]);
        assert_eq!(quality.tiles[1].deviations, [-5.0, -10.0]);
        assert_eq!(quality.largest_deviation(), 10.0);
        let again = TileSums::read_back(&quality).expect("own report").quality(TILES);
        assert_eq!(again, Some(quality));
    }

    #[test]
    fn early_reads_count_since_fastqc_0_12_and_reports_have_both() {
        let collect = |numbers: std::ops::Range<u64>, name: fn(u64) -> String| {
            let mut tiles = Tiles::default();
            for number in numbers {
                let name = name(number);
                let (definition, qualities) = (name.as_bytes(), &b"I5"[..(number % 3) as usize]);
                let read = SearchedRead { number, definition, sequence: b"", qualities };
                Tiles::add(&mut &mut tiles, &read);
            }
            tiles
        };
        fn by_tile(number: u64) -> String {
            format!("M:1:F:1:{}:5:6", 1 + number % 4)
        }
        let reads = |tiles: &Tiles, version| {
            let quality = tiles.quality(version)?;
            Some(quality.tiles.iter().map(|tile| (tile.tile, tile.bases[0])).collect::<Vec<_>>())
        };
        let mut sum = collect(0..9_000, by_tile);
        sum.merge(&collect(9_000..10_040, by_tile));
        let count = |is_of: fn(u64) -> bool| -> Vec<(i32, u64)> {
            let of = |tile| (0..10_040).filter(move |n| n % 4 == tile && n % 3 > 0 && is_of(*n));
            (0..4)
                .map(|tile| (tile as i32 + 1, of(tile).count() as u64))
                .filter(|row| row.1 > 0)
                .collect()
        };
        let old = count(|number| number % 10 == 9);
        let now = count(|number| number < 10_000 || number % 10 == 9);
        let later_unnamed: fn(u64) -> String =
            |number| if number < 10_000 { by_tile(number) } else { "x".into() };
        for (tiles, expected) in [
            (&sum, [Some(old), Some(now)]),
            // Fewer reads than ten.
            (&collect(0..5, by_tile), [None, Some(vec![(1, 1), (2, 1), (3, 1)])]),
            (&collect(0..10_040, later_unnamed), [None, None]),
        ] {
            let section = tiles.section(&Contaminants::default());
            let again = Tiles::read_back(section.as_ref()).expect("own report");
            for (version, expected) in
                [FastqcVersion::V0_11_9, FastqcVersion::V0_12_1].into_iter().zip(expected)
            {
                assert_eq!(reads(tiles, version), expected);
                assert_eq!(reads(&again, version), expected);
            }
        }
    }

    #[test]
    fn later_positions_are_in_bins() {
        let mut sums = QualitySums::default();
        sums.add(&[b'I'; 3000]);
        assert_eq!(sums.bases.iter().sum::<u64>(), 3000);
        assert_eq!(sums.qualities.iter().sum::<u64>(), 120_000);
        assert_eq!((sums.bases[999], sums.bases[1000]), (1, 44));
    }
}
