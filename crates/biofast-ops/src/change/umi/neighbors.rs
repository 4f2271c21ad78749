//! Which UMIs of a place lie within some mismatches of one another, found without comparing each with each.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::codes::{BITS, OddBarcodes, is_odd, packed_distance, shift};

/// The UMIs of one place, all of one length.
#[derive(Default)]
pub(super) struct UmiSet {
    /// Their numbers, in the order in which they came.
    pub(super) numbers: Vec<u64>,
    /// How many reads have each.
    pub(super) counts: Vec<u64>,
    /// Bytes of each.
    pub(super) len: usize,
    /// Their bytes, one behind the other, unless all are packed.
    texts: Vec<u8>,
}

impl UmiSet {
    /// Forgets all UMIs.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.counts.clear();
        self.texts.clear();
        self.len = 0;
    }

    /// What is to be called after the UMIs were added.
    pub(super) fn complete(&mut self, odd: &OddBarcodes) {
        self.len = self.numbers.first().map_or(0, |number| odd.len_of(*number));
        self.texts.clear();
        if self.numbers.iter().any(|number| is_odd(*number)) {
            for number in &self.numbers {
                odd.append(*number, &mut self.texts);
            }
        }
    }

    fn is_packed(&self) -> bool {
        self.texts.is_empty()
    }

    fn text(&self, index: usize) -> &[u8] {
        &self.texts[index * self.len..][..self.len]
    }

    /// Whether two UMIs differ at so many positions at most.
    #[inline]
    fn are_near(&self, one: usize, other: usize, threshold: usize) -> bool {
        if self.is_packed() {
            return packed_distance(self.numbers[one], self.numbers[other]) as usize <= threshold;
        }
        let pairs = self.text(one).iter().zip(self.text(other));
        pairs.filter(|(one, other)| one != other).count() <= threshold
    }

    /// What UMIs have in common that agree in some of their positions.
    fn part(&self, index: usize, part: &Part) -> u64 {
        if self.is_packed() {
            return self.numbers[index] & part.mask;
        }
        let text = &self.text(index)[part.positions.clone()];
        BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
    }

    /// Whether two UMIs agree in some of their positions.
    fn agree(&self, one: usize, other: usize, part: &Part) -> bool {
        if self.is_packed() {
            return (self.numbers[one] ^ self.numbers[other]) & part.mask == 0;
        }
        self.text(one)[part.positions.clone()] == self.text(other)[part.positions.clone()]
    }
}

/// So many UMIs are simply compared.
const FEW: usize = 24;

/// Finds the neighbors of the UMIs of a set.
pub(super) enum NeighborIndex {
    /// Each is compared with each.
    All { threshold: usize },
    /// UMIs that differ at `threshold` positions agree in one of one part more: those that agree in a part are compared.
    Parts { threshold: usize, parts: Vec<Part> },
    /// All UMIs that differ so little are made and looked up.
    Variants { threshold: usize, letters: Vec<Vec<u64>>, table: NumberTable },
}

impl NeighborIndex {
    pub(super) fn new(set: &UmiSet, threshold: usize) -> NeighborIndex {
        let number = set.numbers.len();
        if number <= FEW || threshold >= set.len {
            return NeighborIndex::All { threshold };
        }
        if set.is_packed() {
            let letters = letters_of(set);
            let most = letters.iter().map(Vec::len).max().unwrap_or(1) as u64;
            let variants = variants(set.len as u64, threshold as u64, most - 1);
            // How many agree in a part, if all letters are as frequent.
            let positions = (set.len / (threshold + 1)) as u32;
            let buckets = most.checked_pow(positions).unwrap_or(u64::MAX);
            if number as u64 / buckets > variants {
                return NeighborIndex::variants(set, threshold, letters);
            }
            let (parts, compared) = parts_of(set, threshold);
            if compared / 4 > variants.saturating_mul(number as u64) {
                drop(parts);
                return NeighborIndex::variants(set, threshold, letters);
            }
            return NeighborIndex::Parts { threshold, parts };
        }
        NeighborIndex::Parts { threshold, parts: parts_of(set, threshold).0 }
    }

    fn variants(set: &UmiSet, threshold: usize, letters: Vec<Vec<u64>>) -> NeighborIndex {
        NeighborIndex::Variants { threshold, letters, table: NumberTable::new(&set.numbers) }
    }

    /// Calls `each` with the index of each neighbor of a UMI, once each.
    pub(super) fn each(&self, set: &UmiSet, of: usize, mut each: impl FnMut(usize)) {
        match self {
            NeighborIndex::All { threshold } => {
                let others = (0..set.numbers.len()).filter(|other| *other != of);
                others.filter(|other| set.are_near(of, *other, *threshold)).for_each(each);
            }
            NeighborIndex::Parts { threshold, parts } => {
                for (index, part) in parts.iter().enumerate() {
                    for &other in part.agreeing(of) {
                        let other = other as usize;
                        // Those that agree in a part before this one have been there.
                        let is_new = || !parts[..index].iter().any(|p| set.agree(of, other, p));
                        if other != of && set.are_near(of, other, *threshold) && is_new() {
                            each(other);
                        }
                    }
                }
            }
            NeighborIndex::Variants { threshold, letters, table } => {
                let of = set.numbers[of];
                vary(of, (letters, 0), *threshold, &mut |variant| {
                    if let Some(index) = table.get(&set.numbers, variant) {
                        each(index);
                    }
                });
            }
        }
    }
}

/// Calls `each` with what differs from `number` at 1 to `left` positions from `from` on.
fn vary(
    number: u64,
    (letters, from): (&[Vec<u64>], usize),
    left: usize,
    each: &mut impl FnMut(u64),
) {
    if left == 0 {
        return;
    }
    for (index, letters_here) in letters.iter().enumerate().skip(from) {
        let shift = shift(index);
        let others = number & !(7 << shift);
        for letter in letters_here {
            let variant = others | letter << shift;
            if variant == number {
                continue;
            }
            each(variant);
            if left > 1 {
                vary(variant, (letters, index + 1), left - 1, each);
            }
        }
    }
}

/// How many sequences of `len` letters differ from one at 1 to `threshold` positions, where there are so many `others` of each letter.
fn variants(len: u64, threshold: u64, others: u64) -> u64 {
    let (mut all, mut ways) = (0u64, 1u64);
    for differing in 1..=threshold.min(len) {
        ways = ways.saturating_mul(len - differing + 1) / differing;
        let letters = others.checked_pow(differing as u32).unwrap_or(u64::MAX);
        all = all.saturating_add(ways.saturating_mul(letters));
    }
    all.max(1)
}

/// The codes of the letters at each position.
fn letters_of(set: &UmiSet) -> Vec<Vec<u64>> {
    (0..set.len)
        .map(|index| {
            let shift = shift(index);
            let seen =
                set.numbers.iter().fold(0u8, |seen, number| seen | 1 << (number >> shift & 7));
            (0..8).filter(|letter| seen >> letter & 1 != 0).collect()
        })
        .collect()
}

/// Some positions of the UMIs of a set, and which agree in them.
pub(super) struct Part {
    positions: std::ops::Range<usize>,
    mask: u64,
    /// The indexes of all UMIs; those that agree stand together.
    order: Vec<u32>,
    /// Where in `order` those stand that agree with a UMI, by its index.
    ranges: Vec<(u32, u32)>,
}

impl Part {
    fn agreeing(&self, with: usize) -> &[u32] {
        let (start, end) = self.ranges[with];
        &self.order[start as usize..end as usize]
    }
}

/// One part more than `threshold`, and how many comparisons they need.
fn parts_of(set: &UmiSet, threshold: usize) -> (Vec<Part>, u64) {
    let number = set.numbers.len();
    let mut compared = 0u64;
    let (parts, mut end) = (threshold + 1, 0);
    let parts = (0..parts).map(|index| {
        let len = set.len / parts + usize::from(index < set.len % parts);
        let positions = end..end + len;
        end += len;
        let mask = positions.clone().fold(0, |all, at| all | 7 << shift_within(at));
        let mut part = Part { positions, mask, order: Vec::new(), ranges: Vec::new() };
        let mut keys: Vec<(u64, u32)> =
            (0..number).map(|index| (set.part(index, &part), index as u32)).collect();
        keys.sort_unstable();
        part.ranges = vec![(0, 0); number];
        let mut start = 0;
        for run in keys.chunk_by(|one, other| one.0 == other.0) {
            let range = (start, start + run.len() as u32);
            run.iter().for_each(|(_, index)| part.ranges[*index as usize] = range);
            start = range.1;
            compared = compared.saturating_add((run.len() as u64).pow(2));
        }
        part.order = keys.into_iter().map(|(_, index)| index).collect();
        part
    });
    let parts = parts.collect();
    (parts, compared)
}

/// Where a letter stands in a packed UMI; of longer ones, which aren't packed, it doesn't matter.
fn shift_within(index: usize) -> usize {
    shift(index.min(63 / BITS - 1))
}

/// The indexes of numbers.
pub(super) struct NumberTable {
    /// Indexes, each at the place of its number or behind it.
    slots: Vec<u32>,
    shift: u32,
}

/// A place without a number.
const EMPTY: u32 = u32::MAX;

impl NumberTable {
    fn new(numbers: &[u64]) -> NumberTable {
        let bits = (2 * numbers.len()).next_power_of_two().trailing_zeros().max(1);
        let mut table = NumberTable { slots: vec![EMPTY; 1 << bits], shift: 64 - bits };
        for (index, &number) in numbers.iter().enumerate() {
            let mut at = table.start(number);
            while table.slots[at] != EMPTY {
                at = (at + 1) & (table.slots.len() - 1);
            }
            table.slots[at] = index as u32;
        }
        table
    }

    #[inline]
    fn start(&self, number: u64) -> usize {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    #[inline]
    fn get(&self, numbers: &[u64], number: u64) -> Option<usize> {
        let mut at = self.start(number);
        loop {
            match self.slots[at] {
                EMPTY => return None,
                index if numbers[index as usize] == number => return Some(index as usize),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::effort;
    use biofast_testkit::random::Random;

    use super::*;

    #[test]
    fn every_index_finds_what_comparing_all_finds() {
        let mut random = Random(54);
        for case in 0..effort::times(60) {
            let len = 1 + random.below(9);
            let letters: &[u8] = [&b"ACGT"[..], b"ACGTN", b"AC", b"ACGx"][case as usize % 4];
            let longer = if case % 7 == 0 { LONGER } else { b"" };
            let mut odd = OddBarcodes::default();
            let mut set = UmiSet::default();
            for _ in 0..random.below(300) {
                let mut umi = longer.to_vec();
                umi.extend((0..len).map(|_| letters[random.below(letters.len())]));
                let number = odd.number(&umi);
                if !set.numbers.contains(&number) {
                    set.numbers.push(number);
                }
            }
            set.complete(&odd);
            for threshold in 0..4 {
                let mut indexes = vec![NeighborIndex::new(&set, threshold)];
                if threshold < set.len {
                    let parts = parts_of(&set, threshold).0;
                    indexes.push(NeighborIndex::Parts { threshold, parts });
                    if set.is_packed() {
                        indexes.push(NeighborIndex::variants(&set, threshold, letters_of(&set)));
                    }
                }
                let all = NeighborIndex::All { threshold };
                for of in 0..set.numbers.len() {
                    let found = |index: &NeighborIndex| {
                        let mut found = Vec::new();
                        index.each(&set, of, |other| found.push(other));
                        found.sort_unstable();
                        found
                    };
                    let expected = found(&all);
                    for index in &indexes {
                        assert_eq!(found(index), expected, "case {case}, threshold {threshold}");
                    }
                }
            }
        }
    }

    const LONGER: &[u8] = b"GATTACAGATTACAGATTACAGATTACA";
}
