//! A bit for each read.

/// The bits, of which none is set at first.
#[derive(Clone, Default)]
pub(super) struct BitSet(Vec<u64>);

impl BitSet {
    pub(super) fn set(&mut self, at: u64) {
        let word = (at / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (at % 64);
    }

    #[inline]
    pub(super) fn has(&self, at: u64) -> bool {
        self.0.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}
