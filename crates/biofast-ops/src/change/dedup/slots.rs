//! A hash table of numbers, which stand for what is kept elsewhere: eight bytes a place.

/// The table. A place has a number of 40 bits and 24 bits of the hash, so that nearly no other number is looked at in vain.
pub(super) struct Slots {
    slots: Vec<u64>,
    used: usize,
}

const VALUE_BITS: u32 = 40;
const VALUE: u64 = (1 << VALUE_BITS) - 1;
const EMPTY: u64 = u64::MAX;
/// The fewest places.
const LEAST: usize = 512;

impl Slots {
    /// The greatest number, and one more than that.
    pub(super) const END: u64 = VALUE;

    pub(super) fn new() -> Slots {
        Slots { slots: vec![EMPTY; LEAST], used: 0 }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// Bytes of memory when `more` numbers will have been inserted.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        self.len_with(more) * 8
    }

    /// Places for `more` numbers: at most four of five are in use.
    fn len_with(&self, more: usize) -> usize {
        let mut len = self.slots.len();
        while (self.used + more) * 5 > len * 4 {
            len += len / 2;
        }
        len
    }

    /// Makes room for `more` numbers; `all` gives the hash and the number of each that is there.
    pub(super) fn reserve<I: Iterator<Item = (u64, u64)>>(
        &mut self,
        more: usize,
        all: impl FnOnce() -> I,
    ) {
        let len = self.len_with(more);
        if len > self.slots.len() {
            // The old ones first: both would take more memory for a while.
            self.slots = Vec::new();
            self.slots = vec![EMPTY; len];
            self.used = 0;
            all().for_each(|(hash, value)| self.insert(hash, value));
        }
    }

    /// The place where a search begins.
    #[inline]
    fn start(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// Looks at the place where a search for this hash begins, so that it is near when it is searched for.
    #[inline]
    pub(super) fn touch(&self, hash: u64) {
        std::hint::black_box(self.slots[self.start(hash)]);
    }

    /// The places of a hash, from its first one to the first that is empty.
    #[inline]
    fn places(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + '_ {
        let start = self.start(hash);
        let all = (start..self.slots.len()).chain(0..start);
        all.map(|at| (at, self.slots[at])).take_while(|&(_, slot)| slot != EMPTY)
    }

    /// The first number of this hash which `is` agrees to.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut is: impl FnMut(u64) -> bool) -> Option<u64> {
        let tag = hash << VALUE_BITS;
        let mut places = self.places(hash);
        let found = places.find(|&(_, slot)| slot & !VALUE == tag && is(slot & VALUE));
        found.map(|(_, slot)| slot & VALUE)
    }

    /// Puts another number of the same hash into the place of one.
    pub(super) fn replace(&mut self, hash: u64, old: u64, new: u64) {
        let slot = hash << VALUE_BITS | old;
        let found = self.places(hash).find(|&(_, other)| other == slot);
        if let Some((at, _)) = found {
            self.slots[at] = hash << VALUE_BITS | new;
        }
    }

    /// Inserts a number below [`END`](Self::END), for which there is room.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64, value: u64) {
        let mut at = self.start(hash);
        while self.slots[at] != EMPTY {
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        self.slots[at] = hash << VALUE_BITS | value;
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_hashes_while_the_table_grows() {
        let mut slots = Slots::new();
        // Few hashes, high ones too, so that searches go around the end.
        let hash = |n: u64| {
            (n % 1000).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                | if n.is_multiple_of(3) { !0 << 50 } else { 0 }
        };
        for n in 0..3000 {
            slots.reserve(1, || (0..n).map(|n| (hash(n), n)));
            slots.insert(hash(n), n);
        }
        assert!(slots.bytes() < 3000 * 16 && slots.bytes() == slots.bytes_with(0));
        for n in 0..3000 {
            assert_eq!(slots.find(hash(n), |value| value == n), Some(n));
            let mut same = Vec::new();
            slots.find(hash(n), |value| {
                same.push(value);
                false
            });
            let is_alike = |&other: &u64| hash(other) << VALUE_BITS == hash(n) << VALUE_BITS;
            assert!(same.iter().all(is_alike), "{n} {same:?}");
        }
        slots.replace(hash(7), 7, 9999);
        assert_eq!(slots.find(hash(7), |value| value == 7), None);
        assert_eq!(slots.find(hash(7), |value| value == 9999), Some(9999));
    }
}
