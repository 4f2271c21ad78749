//! The distinct sequences that are counted, found by their bytes.

use std::hash::{BuildHasher, RandomState};

/// Slots of the table at first: a power of two. It doubles when two in five are used.
const SLOTS: usize = 1 << 18;

/// Sequences in the order they were added, each with a number from 0.
#[derive(Clone)]
pub(super) struct SequenceSet {
    /// All sequences, one behind the other.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
    /// The upper half of a hash, and the number of its sequence plus one; 0 where there is none.
    slots: Vec<(u32, u32)>,
    /// So that nobody can choose sequences that meet in one slot. No result depends on it.
    seed: u64,
}

impl Default for SequenceSet {
    fn default() -> Self {
        let seed = RandomState::new().hash_one(0u64);
        SequenceSet { bytes: Vec::new(), ends: Vec::new(), slots: Vec::new(), seed }
    }
}

impl SequenceSet {
    /// The hash of a sequence in this table.
    #[inline]
    pub(super) fn hash(&self, sequence: &[u8]) -> u64 {
        hash(self.seed, sequence)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.bytes[start..self.ends[number] as usize]
    }

    /// The number of a sequence with this hash.
    #[inline]
    pub(super) fn find(&self, hash: u64, sequence: &[u8]) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (other, number) = self.slots[slot];
            let number = number.checked_sub(1)? as usize;
            if other == tag && self.get(number) == sequence {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a sequence that isn't there.
    pub(super) fn add(&mut self, hash: u64, sequence: &[u8]) {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, (0, 0));
        } else if self.len() > self.slots.len() / 5 * 2 {
            self.slots = vec![(0, 0); 2 * self.slots.len()];
            (0..self.len()).for_each(|number| self.place(self.hash(self.get(number)), number));
        }
        self.bytes.extend_from_slice(sequence);
        self.ends.push(self.bytes.len() as u32);
        self.place(hash, self.len() - 1);
    }

    /// Puts the number of a sequence with this hash into a free slot.
    fn place(&mut self, hash: u64, number: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = ((hash >> 32) as u32, number as u32 + 1);
    }
}

#[inline]
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];
    let fold = |value: u64, odd: u64| {
        let product = u128::from(value) * u128::from(odd);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, tail) = bytes.as_chunks::<8>();
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(ODD[1]);
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), ODD[0]);
    }
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    fold(fold(hash ^ u64::from_le_bytes(last), ODD[0]) ^ seed, ODD[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let mut seen = SequenceSet::default();
        // More than the table has room for at first.
        let sequences: Vec<Vec<u8>> =
            (0..150_000u32).map(|i| format!("{i:b}").into_bytes()).collect();
        for sequence in &sequences {
            let hash = seen.hash(sequence);
            assert_eq!(seen.find(hash, sequence), None);
            seen.add(hash, sequence);
        }
        for (number, sequence) in sequences.iter().enumerate() {
            assert_eq!(seen.find(seen.hash(sequence), sequence), Some(number));
            assert_eq!(seen.get(number), &sequence[..]);
        }
        // Another sequence of the same hash.
        assert_eq!(seen.find(seen.hash(b"101"), b"102"), None);
    }
}
