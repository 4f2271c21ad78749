//! The keys of Picard's rule: libraries apart, the first bases of reads, and of equal scores what was first on the flow cell.

use std::collections::BTreeSet;

use biofast_bam::{Record, flag};

use super::keys::{self, ClippedEnds, Pair};
use super::metrics::SetSizes;
use super::primary::{LEAST_QUALITY, Primary};

/// The most that the qualities of a read count, and by how much a read that failed the checks of quality counts less.
const HIGHEST_SCORE: i64 = i16::MAX as i64 / 2;
const FAILED: i64 = i16::MIN as i64 / 2;

/// The score of a read: the sum of its qualities, if it has some, up to a limit.
pub(super) fn score(record: &Record<'_>) -> i64 {
    let qualities = record.qualities();
    let sum = match qualities.iter().all(|&quality| quality == u8::MAX) {
        true => 0,
        false => {
            let count =
                |&quality: &u8| if quality >= LEAST_QUALITY { i64::from(quality) } else { 0 };
            qualities.iter().map(count).sum()
        }
    };
    let fails = record.flags() & flag::QC_FAIL != 0;
    i64::min(sum, HIGHEST_SCORE) + if fails { FAILED } else { 0 }
}

/// Whether a read is the second of its pair.
pub(super) fn is_second(flags: u16) -> bool {
    flags & flag::PAIRED != 0 && flags & flag::READ1 == 0
}

/// Appends where on the flow cell a read was, as its name says: tile and place, of 16 bits each; −1 if it doesn't say.
pub(super) fn write_location(name: &[u8], out: &mut Vec<u8>) {
    for number in location(name).unwrap_or([-1; 3]) {
        // Negative ones first.
        out.extend((number as u16 ^ 1 << 15).to_be_bytes());
    }
}

/// The last three parts of a name with five or seven of them, as far as they are numbers.
fn location(name: &[u8]) -> Option<[i16; 3]> {
    let parts = name.split(|&byte| byte == b':');
    if !matches!(parts.clone().count(), 5 | 7) {
        return None;
    }
    let mut out = [0; 3];
    for (number, part) in out.iter_mut().rev().zip(parts.rev()) {
        let (is_negative, digits) = match part.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, part),
        };
        if !digits.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
        let value = digits.fold(0i32, |value, &digit| {
            value.wrapping_mul(10).wrapping_add(i32::from(digit - b'0'))
        });
        *number = if is_negative { value.wrapping_neg() } else { value } as i16;
    }
    Some(out)
}

/// Whether a read comes before another one of its name in coordinate order, and not only in that of the input.
pub(super) fn is_before(one: &Primary, other: &Primary) -> bool {
    let place = |read: &Primary| (read.reference, read.position, read.flags & flag::REVERSE);
    place(one) < place(other)
}

/// The keys of both reads of a pair. Of two at one place the left one is that which comes first when they are sorted.
pub(super) fn pair(reads: [&Primary; 2], ends: [&ClippedEnds; 2]) -> [Pair; 2] {
    let is_reverse = |read: &Primary| read.flags & flag::REVERSE != 0;
    let place = |at: usize| keys::place(reads[at].reference, ends[at].five_prime(reads[at].flags));
    let places = [place(0), place(1)];
    let left = match places[0] == places[1] {
        true => usize::from(is_before(reads[1], reads[0])),
        false => usize::from(places[1] < places[0]),
    };
    let orientation = match (is_reverse(reads[left]), is_reverse(reads[1 - left])) {
        (false, false) => keys::FORWARD_FORWARD,
        (true, true) => keys::REVERSE_REVERSE,
        // Two that begin at one place have no order.
        (true, false) if places[0] != places[1] => keys::REVERSE_FORWARD,
        _ => keys::FORWARD_REVERSE,
    };
    let (left_place, right) = (places[left], places[1 - left]);
    [0, 1].map(|at| Pair { left: left_place, right, orientation, is_left: at == left })
}

/// How the reads of a pair lie, the one that was sequenced first before the other. Of two that both say so it is the later one
/// in coordinate order.
pub(super) fn orientation_as_sequenced([earlier, later]: [&Primary; 2]) -> u8 {
    let (first, second) = match later.flags & flag::READ1 != 0 {
        true => (later, earlier),
        false => (earlier, later),
    };
    match [first, second].map(|read| read.flags & flag::REVERSE != 0) {
        [false, true] => keys::FORWARD_REVERSE,
        [true, false] => keys::REVERSE_FORWARD,
        [false, false] => keys::FORWARD_FORWARD,
        [true, true] => keys::REVERSE_REVERSE,
    }
}

/// Appends what of a pair decides about optical duplicates beside its location.
pub(super) fn write_cluster(orientation: u8, read_group: u16, out: &mut Vec<u8>) {
    out.push(orientation);
    out.extend(read_group.to_be_bytes());
}

/// Of larger sets Picard tells none.
const LARGEST_SET: usize = 300_000;

/// The pairs of a set of duplicates, the one that stays among them.
pub(super) struct Set {
    distance: u32,
    /// By orientation: how many pairs there are, and read group, tile, x and y of those whose names tell.
    pairs: [(usize, Vec<u64>); 4],
    without_location: u64,
}

impl Set {
    pub(super) fn new(distance: u32) -> Set {
        Set { distance, pairs: Default::default(), without_location: 0 }
    }

    /// Adds a pair by what [`write_location`] and [`write_cluster`] wrote.
    pub(super) fn add(&mut self, location: &[u8], cluster: &[u8]) {
        let (&[a, b, c, d, e, f], &[orientation, g, h]) = (location, cluster) else { return };
        let (count, places) = &mut self.pairs[usize::from(orientation) % 4];
        *count += 1;
        // The tile is −1 where there is none.
        let has_location = [a, b] != (u16::MAX >> 1).to_be_bytes();
        self.without_location += u64::from(!has_location);
        if has_location && *count <= LARGEST_SET {
            places.push(u64::from_be_bytes([g, h, a, b, c, d, e, f]));
        }
    }

    /// How many of the pairs are optical duplicates, and of how many that isn't known, and forgets them: those that are near each
    /// other on one tile are a cluster, of which one isn't.
    pub(super) fn finish(&mut self, sizes: &mut SetSizes) -> (u64, u64) {
        let (mut optical, mut all) = (0, 0);
        for (count, places) in &mut self.pairs {
            if (2..=LARGEST_SET).contains(count) {
                optical += optical_of(places, self.distance);
            }
            all += std::mem::take(count) as u64;
            places.clear();
        }
        let without_location = std::mem::take(&mut self.without_location);
        sizes.add(all, optical);
        (optical, if all > 1 { without_location } else { 0 })
    }
}

/// Goes over each tile by x: of the reads that aren't too far behind, those with the next lower and the next higher y are near if
/// any is, as all on one side are near each other.
fn optical_of(places: &mut [u64], distance: u32) -> u64 {
    places.sort_unstable();
    let distance = i64::from(distance);
    let at = |place: u64, shift: u32| i64::from((place >> shift) as u16);
    let mut optical = 0;
    for tile in places.chunk_by(|one, other| one >> 32 == other >> 32) {
        let mut clusters: Vec<usize> = (0..tile.len()).collect();
        let (mut open, mut oldest) = (BTreeSet::new(), 0);
        for (number, &place) in tile.iter().enumerate() {
            let (x, y) = (at(place, 16), at(place, 0));
            while x - at(tile[oldest], 16) > distance {
                open.remove(&(at(tile[oldest], 0), oldest));
                oldest += 1;
            }
            let below = open.range(..(y, 0)).next_back().copied();
            let above = open.range((y, 0)..).next().copied();
            for (other_y, other) in [below, above].into_iter().flatten() {
                let [one, other] = [number, other].map(|read| root(&mut clusters, read));
                if i64::abs(other_y - y) <= distance && one != other {
                    clusters[one] = other;
                    optical += 1;
                }
            }
            open.insert((y, number));
        }
    }
    optical
}

/// The read that stands for a cluster.
fn root(clusters: &mut [usize], mut read: usize) -> usize {
    while clusters[read] != read {
        clusters[read] = clusters[clusters[read]];
        read = clusters[read];
    }
    read
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;

    #[test]
    fn all_of_a_cluster_but_one_are_optical() {
        let mut random = Random(9);
        for round in 0..300 {
            let distance = [0, 1, 5, 40][round % 4];
            let count = 2 + random.below(60);
            let mut number = |range: usize| random.below(range) as i16 - 20;
            let reads: Vec<[i16; 4]> =
                (0..count).map(|_| [number(2), number(3), number(200), number(90)]).collect();
            let mut set = Set::new(distance);
            for [group, tile, x, y] in &reads {
                let (mut location, mut cluster) = (Vec::new(), Vec::new());
                let name = format!("a:1:{tile}:{x}:{y}");
                write_location(name.as_bytes(), &mut location);
                write_cluster(keys::FORWARD_REVERSE, *group as u16, &mut cluster);
                set.add(&location, &cluster);
            }
            // Whoever is near someone takes the least number around, until nothing changes.
            let near = |one: &[i16; 4], other: &[i16; 4]| {
                let apart = |axis: usize| one[axis].abs_diff(other[axis]);
                one[..2] == other[..2] && u32::from(apart(2).max(apart(3))) <= distance
            };
            let mut clusters: Vec<usize> = (0..count).collect();
            for _ in 0..count {
                for (at, one) in reads.iter().enumerate() {
                    let around = (0..count).filter(|&other| near(one, &reads[other]));
                    let least = around.map(|other| clusters[other]).min();
                    clusters[at] = clusters[at].min(least.unwrap_or(at));
                }
            }
            clusters.sort_unstable();
            clusters.dedup();
            let mut sizes = SetSizes::default();
            let found = set.finish(&mut sizes);
            assert_eq!(found, ((count - clusters.len()) as u64, 0), "{reads:?}");
            assert_eq!(set.finish(&mut sizes), (0, 0));
        }
    }

    #[test]
    fn a_name_of_five_or_seven_parts_says_where_the_read_was() {
        assert_eq!(location(b"a:1:1101:-7:9x"), Some([1101, -7, 9]));
        assert_eq!(location(b"m:1:F:2:1101:70000:3"), Some([1101, 4464, 3]));
        for name in ["", "a", "1:2:3", "m:1:F:2:1101:7:3:ACGT", "m:1:F:2:x:7:3", "m:1:F:2:1:7:"] {
            assert_eq!(location(name.as_bytes()), None, "{name}");
        }
    }
}
