//! Sorted keys in the order of a breadth-first walk over their search tree: the first steps of all searches share
//! cache lines, and the next step's line can be asked for early.

/// See the module.
pub(crate) struct Eytzinger {
    /// The key at each place of the tree; place 0 is not used.
    keys: Vec<u64>,
    /// Their positions in sorted order.
    positions: Vec<u32>,
}

impl Eytzinger {
    /// Takes keys in ascending order, 2^32 - 2 at most.
    pub(crate) fn new(sorted: &[u64]) -> Self {
        assert!(sorted.len() < u32::MAX as usize, "too many keys");
        let mut tree = Eytzinger {
            keys: vec![0; sorted.len() + 1],
            positions: vec![sorted.len() as u32; sorted.len() + 1],
        };
        tree.fill(sorted, 0, 1);
        tree
    }

    /// Puts the next keys in order into the subtree at `place`; returns how many have been placed.
    fn fill(&mut self, sorted: &[u64], mut next: usize, place: usize) -> usize {
        if place < self.keys.len() {
            next = self.fill(sorted, next, 2 * place);
            self.keys[place] = sorted[next];
            self.positions[place] = next as u32;
            next = self.fill(sorted, next + 1, 2 * place + 1);
        }
        next
    }

    /// The position, in sorted order, of the first key that is at least `key`.
    #[inline]
    pub(crate) fn lower_bound(&self, key: u64) -> usize {
        let mut place = 1;
        while place < self.keys.len() {
            place = 2 * place + usize::from(self.keys[place] < key);
        }
        // The last turn to the left was at the answer; without one it is place 0, whose position is the end.
        place >>= place.trailing_ones() + 1;
        self.positions[place] as usize
    }

    pub(crate) fn bytes(&self) -> usize {
        self.keys.len() * 12
    }
}
