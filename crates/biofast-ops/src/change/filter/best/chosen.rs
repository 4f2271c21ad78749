//! Which reads are among the best.

/// Which reads are among the best, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct BestReads {
    pub(super) bits: Vec<u64>,
    /// The bases of the input.
    pub total: u64,
    /// How many are wanted.
    pub target: u64,
    /// Those of the reads that are among the best.
    pub kept: u64,
}

impl BestReads {
    /// Whether the read of this number, from 0 on, is one of them.
    pub fn takes(&self, index: u64) -> bool {
        let word = usize::try_from(index / 64).ok().and_then(|word| self.bits.get(word));
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Adds the next read.
    pub(super) fn push(&mut self, index: u64, takes: bool) {
        if index.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.last_mut() {
            *word |= u64::from(takes) << (index % 64);
        }
    }
}
