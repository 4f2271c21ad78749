//! Optical duplicates, as `samtools markdup -d` tells them: which duplicates were near each other on the flow cell.
//!
//! All duplicates of a read that stays are a chain. One of them is optical if that read was near it, or a better duplicate of
//! the chain. So a chain is sorted by tile and then by rank, the best first, and each asks who before it was near.

use std::collections::HashMap;

use biofast_bam::Header;

use super::super::gather::SortEntry;
use super::decisions::DuplicateDecisions;
use super::keys::MarkedRead;
use super::metrics::DuplicateCounts;
use super::numbers;
use crate::Error;
use crate::change::sort::key::Order;
use crate::change::sort::sorter::{SortLimits, Sorter};

/// Where a read was, as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// So many bytes of the name, up to x, name the tile.
    tile: usize,
    x: i64,
    y: i64,
}

/// Names of four, five, seven or eight parts say it: x and y are the last two, of eight parts those before the last.
pub(super) fn location(name: &[u8]) -> Option<Location> {
    let colons = name.iter().filter(|&&byte| byte == b':').count();
    let before_x = match colons {
        3 | 4 => colons - 1,
        6 | 7 => 5,
        _ => return None,
    };
    let mut ends = name.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at + 1);
    let tile = ends.nth(before_x - 1)?;
    Some(Location { tile, x: number(&name[tile..])?, y: number(&name[ends.next()?..])? })
}

/// The number that text begins with.
fn number(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    digits.first().filter(|byte| byte.is_ascii_digit())?;
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let value = digits.fold(0i64, |value, &digit| {
        let digit = i64::from(digit - b'0');
        value.saturating_mul(10).saturating_add(digit)
    });
    Some(if is_negative { -value } else { value })
}

impl Location {
    /// Whether two reads were on one tile, and each coordinate is at most `distance` apart.
    fn is_near(&self, name: &[u8], other: (&Location, &[u8]), distance: u32) -> bool {
        let (other, other_name) = other;
        name[..self.tile] == other_name[..other.tile]
            && self.x.abs_diff(other.x) <= u64::from(distance)
            && self.y.abs_diff(other.y) <= u64::from(distance)
    }
}

/// Whether two reads of these names were near each other.
pub(super) fn are_near(one: &[u8], other: &[u8], distance: u32) -> bool {
    match (location(one), location(other)) {
        (Some(first), Some(second)) => first.is_near(one, (&second, other), distance),
        _ => false,
    }
}

/// Which reads a chain is about: its number is even for the left reads of pairs, odd for the right ones.
pub(super) fn chain_of_pairs(group: u64, side: usize) -> u64 {
    group << 1 | side as u64
}

/// The chain of single reads at a place without pairs.
pub(super) fn chain_of_singles(place: u64) -> u64 {
    place | 1 << 63
}

/// A duplicate among others of its chain.
#[derive(Clone, Copy)]
pub(super) struct ChainMember<'a> {
    pub(super) is_paired: bool,
    /// Whether it failed the checks of quality and its score, as bytes that sort so.
    pub(super) rank: &'a [u8],
    pub(super) name: &'a [u8],
    /// The number of the first record of its name, and how many there are.
    pub(super) first: u64,
    pub(super) group: u64,
    pub(super) read: MarkedRead,
    /// Whether it is known to be optical.
    pub(super) is_optical: bool,
}

/// The first byte of a rank.
const STAYS: u8 = 0;

const PAIRED: u8 = 1;

const SINGLE: u8 = 2;

/// All chains. Keys are the number of the chain, the tile, a NUL, and the rank with the rest of the name.
pub(super) struct Chains {
    pub(super) distance: u32,
    sorter: Sorter,
    key: Vec<u8>,
    value: Vec<u8>,
    without_location: u64,
}

impl Chains {
    pub(super) fn new(limits: &SortLimits, distance: u32) -> Chains {
        let limits = SortLimits { memory: limits.memory / 16, ..limits.clone() };
        let (key, value) = (Vec::new(), Vec::new());
        let sorter = Sorter::new(Order::LexicographicName, &limits);
        Chains { distance, sorter, key, value, without_location: 0 }
    }

    /// Adds the read that stays.
    pub(super) fn add_best(&mut self, chain: u64, name: &[u8]) -> Result<(), Error> {
        let Some(location) = location(name) else { return Ok(()) };
        self.begin(chain, name, &location);
        self.key.push(STAYS);
        self.add_entry(0)
    }

    /// Adds a duplicate.
    pub(super) fn add(&mut self, chain: u64, member: &ChainMember<'_>) -> Result<(), Error> {
        let Some(location) = location(member.name) else {
            self.without_location += 1;
            return Ok(());
        };
        self.begin(chain, member.name, &location);
        self.key.push(if member.is_paired { PAIRED } else { SINGLE });
        self.key.extend_from_slice(member.rank);
        self.key.extend_from_slice(&member.name[location.tile..]);
        let read = &member.read;
        let has = [member.is_optical, read.spreads, read.follower.is_some()];
        self.value.push(has.iter().rev().fold(0, |bits, &has| bits << 1 | u8::from(has)));
        numbers::write_number(read.offset, &mut self.value);
        numbers::write_number(member.group, &mut self.value);
        if let Some(follower) = read.follower {
            numbers::write_number(follower, &mut self.value);
        }
        self.add_entry(member.first)
    }

    fn begin(&mut self, chain: u64, name: &[u8], location: &Location) {
        self.key.clear();
        self.key.extend(chain.to_be_bytes());
        self.key.extend_from_slice(&name[..location.tile]);
        self.key.push(0);
        self.value.clear();
        self.value.extend(location.x.to_le_bytes());
        self.value.extend(location.y.to_le_bytes());
    }

    fn add_entry(&mut self, number: u64) -> Result<(), Error> {
        self.sorter.add_entry(&SortEntry { number, key: &self.key, record: &self.value })
    }

    /// Tells which are optical.
    pub(super) fn decide(
        self,
        threads: usize,
        decisions: &mut DuplicateDecisions,
        counts: &mut DuplicateCounts,
    ) -> Result<(), Error> {
        let Chains { distance, sorter, without_location, .. } = self;
        counts.without_location = without_location;
        let mut sorted = sorter.finish(&Header::default(), threads)?;
        let mut tile = Vec::new();
        let mut area = Area::new(distance);
        while let Some(entry) = sorted.next_entry()? {
            // Names have no NUL.
            let end = entry.key.iter().skip(8).position(|&byte| byte == 0).map_or(0, |at| 8 + at);
            let (tile_of, rank) = entry.key.split_at(end);
            if tile_of != tile {
                tile.clear();
                tile.extend_from_slice(tile_of);
                area.clear();
            }
            let mut value = entry.record;
            let mut coordinate = || numbers::take(&mut value).map_or(0, i64::from_le_bytes);
            let has_near = area.add(coordinate(), coordinate());
            let kind = rank.get(1).copied().unwrap_or(STAYS);
            if kind == STAYS {
                continue;
            }
            let bits = value.split_off_first().copied().unwrap_or_default();
            if has_near || bits & 1 != 0 {
                let offset = numbers::read_number(&mut value);
                let group = numbers::read_number(&mut value);
                let follower = (bits & 4 != 0).then(|| numbers::read_number(&mut value));
                let read = MarkedRead {
                    offset,
                    follower,
                    spreads: bits & 2 != 0,
                    ..MarkedRead::default()
                };
                decisions.mark_optical(entry.number, group, &read);
                match kind {
                    PAIRED => counts.duplicate_pair_optical += 1,
                    _ => counts.duplicate_single_optical += 1,
                }
            }
        }
        Ok(())
    }
}

/// Reads of a tile in cells, so that all reads of one cell are near each other.
struct Area {
    distance: i64,
    /// By the cell's place, where in it reads were.
    cells: HashMap<(i64, i64), Vec<[u32; 2]>>,
}

impl Area {
    fn new(distance: u32) -> Area {
        Area { distance: i64::from(distance), cells: HashMap::new() }
    }

    fn clear(&mut self) {
        // One chain may have been long.
        match self.cells.capacity() > 1 << 12 {
            true => self.cells = HashMap::new(),
            false => self.cells.clear(),
        }
    }

    /// Adds a read; whether one before it was near. The cells around are looked at only by the first read of a cell.
    fn add(&mut self, x: i64, y: i64) -> bool {
        let side = self.distance + 1;
        let (column, row) = (x.div_euclid(side), y.div_euclid(side));
        // Less than 2^32.
        let [x, y] = [x, y].map(|at| at.rem_euclid(side) as u32);
        let own = self.cells.entry((column, row)).or_default();
        own.push([x, y]);
        if own.len() > 1 {
            return true;
        }
        let are_near = |from: i64, here: u32, there: u32| {
            (from * side + i64::from(there) - i64::from(here)).abs() <= self.distance
        };
        (-1..=1).any(|right: i64| {
            (-1..=1).any(|down: i64| {
                let place = (column.checked_add(right), row.checked_add(down));
                let (Some(column), Some(row)) = place else { return false };
                (right, down) != (0, 0)
                    && self.cells.get(&(column, row)).is_some_and(|reads| {
                        reads.iter().any(|there| {
                            are_near(right, x, there[0]) && are_near(down, y, there[1])
                        })
                    })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use biofast_bam::flag;
    use biofast_testkit::random::Random;

    use super::super::marker::is_paired;
    use super::*;

    #[test]
    fn names_of_four_five_seven_and_eight_parts_say_where_the_read_was() {
        let of = |name: &str| {
            let found = location(name.as_bytes())?;
            Some((name[..found.tile].to_owned(), found.x, found.y))
        };
        assert_eq!(of("m:1:20:-3"), Some(("m:1:".into(), 20, -3)));
        assert_eq!(of("m:1:2:20:30#x"), Some(("m:1:2:".into(), 20, 30)));
        assert_eq!(of("m:1:f:2:1101:20:30"), Some(("m:1:f:2:1101:".into(), 20, 30)));
        assert_eq!(of("m:1:f:2:1101:20:30:ACGT"), Some(("m:1:f:2:1101:".into(), 20, 30)));
        for name in ["", "a", "1:2:3", "1:2:3:4:5:6", "a:b:c:d", "1:2:3:4:5:6:7:8:9"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn reads_are_near_on_one_tile_up_to_the_distance_in_both_directions() {
        let near = |other: &str| are_near(b"m:1:f:2:1101:200:300", other.as_bytes(), 100);
        for (other, expected) in [
            ("m:1:f:2:1101:200:300", true),
            ("m:1:f:2:1101:300:200", true),
            ("m:1:f:2:1101:301:300", false),
            ("m:1:f:2:1101:200:401", false),
            ("m:1:f:2:1101:99:300", false),
            ("m:1:f:2:1102:200:300", false),
            ("r7", false),
        ] {
            assert_eq!(near(other), expected, "{other}");
        }
    }

    #[test]
    fn no_two_chains_have_a_number() {
        let pairs =
            [(0, 0), (0, 1), (1, 0), (1, 1), (7, 0)].map(|(g, side)| chain_of_pairs(g, side));
        let singles = [0, 1, 2, 7].map(chain_of_singles);
        let mut all = [&pairs[..], &singles].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), pairs.len() + singles.len());
        assert!(pairs.iter().zip([0, 1, 0, 1, 0]).all(|(chain, side)| chain % 2 == side));
    }

    #[test]
    fn a_pair_has_both_reads_aligned() {
        let flags = [flag::PAIRED, flag::PAIRED | flag::MATE_UNMAPPED, 0, flag::MATE_UNMAPPED];
        assert_eq!(flags.map(is_paired), [true, false, false, false]);
    }

    #[test]
    fn who_was_near_is_found_wherever_cells_end() {
        let mut random = Random(5);
        for distance in [1, 2, 7, 100, 2500] {
            let mut area = Area::new(distance);
            let mut before: Vec<[i64; 2]> = Vec::new();
            for _ in 0..400 {
                let range = 30 * distance as usize;
                let at = [0, 1].map(|_| random.below(range) as i64 - range as i64 / 3);
                let near = |other: &[i64; 2]| {
                    (0..2).all(|axis| at[axis].abs_diff(other[axis]) <= u64::from(distance))
                };
                assert_eq!(area.add(at[0], at[1]), before.iter().any(near), "{distance} {at:?}");
                before.push(at);
            }
        }
        let mut area = Area::new(u32::MAX);
        assert!(!area.add(i64::MAX, i64::MIN + 1) && !area.add(i64::MIN + 1, i64::MAX));
        assert!(area.add(i64::MAX - 9, i64::MIN + 9));
    }
}
