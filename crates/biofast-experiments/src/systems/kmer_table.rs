//! Tables from a k-mer to where it first occurs in a reference segment: what LZ-diff looks matches up in. The same
//! answers from several structures, each made new for a segment or used again, as entry 044 compares them.

use std::collections::HashMap;

/// What becomes of a table's memory from one segment to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// A new one each time, that grows.
    New,
    /// A new one each time, with room for all k-mers.
    PreSized,
    /// The same one, emptied.
    Reused,
}

/// From k-mers to places.
pub(crate) trait Table {
    /// Makes the table empty, for at most so many k-mers.
    fn begin(&mut self, kmers: usize);
    /// Notes a place; the first of a k-mer is the one that is found.
    fn insert(&mut self, kmer: u64, at: u32);
    /// The first place of a k-mer.
    fn first(&self, kmer: u64) -> Option<u32>;
}

fn renew<V>(map: &mut HashMap<u64, V>, policy: Policy, kmers: usize) {
    match policy {
        Policy::New => *map = HashMap::new(),
        Policy::PreSized => *map = HashMap::with_capacity(kmers),
        Policy::Reused => map.clear(),
    }
}

/// A hash map with a list of all places for each k-mer: an allocation for each.
pub(crate) struct Lists {
    policy: Policy,
    map: HashMap<u64, Vec<u32>>,
}

impl Lists {
    pub(crate) fn new(policy: Policy) -> Self {
        Lists { policy, map: HashMap::new() }
    }
}

impl Table for Lists {
    fn begin(&mut self, kmers: usize) {
        renew(&mut self.map, self.policy, kmers);
    }

    fn insert(&mut self, kmer: u64, at: u32) {
        self.map.entry(kmer).or_default().push(at);
    }

    fn first(&self, kmer: u64) -> Option<u32> {
        self.map.get(&kmer)?.first().copied()
    }
}

/// A hash map with one place for each k-mer.
pub(crate) struct Map {
    policy: Policy,
    map: HashMap<u64, u32>,
}

impl Map {
    pub(crate) fn new(policy: Policy) -> Self {
        Map { policy, map: HashMap::new() }
    }
}

impl Table for Map {
    fn begin(&mut self, kmers: usize) {
        renew(&mut self.map, self.policy, kmers);
    }

    fn insert(&mut self, kmer: u64, at: u32) {
        self.map.entry(kmer).or_insert(at);
    }

    fn first(&self, kmer: u64) -> Option<u32> {
        self.map.get(&kmer).copied()
    }
}

#[derive(Clone, Copy)]
struct Slot {
    kmer: u64,
    at: u32,
}

/// No k-mer of 31 bases or fewer is this.
const EMPTY: Slot = Slot { kmer: u64::MAX, at: 0 };

/// Open addressing with linear probing, half full at most. The caller says how many k-mers come.
pub(crate) struct Open {
    reuse: bool,
    slots: Vec<Slot>,
    /// 64 less the logarithm of the number of slots.
    shift: u32,
}

impl Open {
    pub(crate) fn new(reuse: bool) -> Self {
        Open { reuse, slots: vec![EMPTY; 2], shift: 63 }
    }

    /// Where a k-mer is, or the empty slot where it would be.
    #[inline]
    fn find(&self, kmer: u64) -> usize {
        // Fibonacci hashing: the product's high bits depend on all bits.
        let mut at = (kmer.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.slots[at].kmer != kmer && self.slots[at].kmer != EMPTY.kmer {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }
}

impl Table for Open {
    fn begin(&mut self, kmers: usize) {
        let len = (2 * kmers).next_power_of_two().max(2);
        if self.reuse && self.slots.len() >= len {
            self.slots.fill(EMPTY);
        } else {
            self.slots = vec![EMPTY; len];
        }
        self.shift = 64 - self.slots.len().trailing_zeros();
    }

    fn insert(&mut self, kmer: u64, at: u32) {
        let place = self.find(kmer);
        if self.slots[place].kmer == EMPTY.kmer {
            self.slots[place] = Slot { kmer, at };
        }
    }

    fn first(&self, kmer: u64) -> Option<u32> {
        let slot = self.slots[self.find(kmer)];
        (slot.kmer == kmer).then_some(slot.at)
    }
}
