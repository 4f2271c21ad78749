//! Numbers that look random and are the same in every run.

/// A generator of Marsaglia's xorshift family (13, 7, 17). The seed is any number but 0.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }

    /// An index below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below_u64(100) < percent
    }
}
