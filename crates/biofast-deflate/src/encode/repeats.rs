//! Do sequences repeat each other within a block? Amplicons and small genomes do, and then a general encoder makes less
//! of them.

/// Slots of the table of earlier 16-mers.
const SLOTS: usize = 4096;
/// One 16-mer in so many may have come before. Reads that start anywhere in a repeated sequence meet at the same
/// remainder of four in one of four cases, so that the true share may be four times this.
const TOLERATED: usize = 24;
/// 16-mers that a judgement takes.
const ENOUGH: usize = 512;

/// Counts 16-mers that come again, at every fourth base.
pub(super) struct Repeats {
    /// The last 16-mer of each hash, packed.
    table: Box<[u32; SLOTS]>,
    seen: usize,
    again: usize,
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self { table: Box::new([0; SLOTS]), seen: 0, again: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
        (self.seen, self.again) = (0, 0);
    }

    /// Looks at bases, packed by four.
    #[inline(always)]
    pub(super) fn add(&mut self, packed: &[u8]) {
        let mut again = 0;
        for four in packed.windows(4).step_by(2) {
            let &[a, b, c, d] = four else { continue };
            let mer = u32::from_le_bytes([a, b, c, d]);
            let slot = &mut self.table[(mer.wrapping_mul(0x9e37_79b1) >> 20) as usize % SLOTS];
            again += usize::from(*slot == mer);
            *slot = mer;
        }
        self.again += again;
        self.seen += packed.len() / 2;
    }

    /// Whether too many came again.
    pub(super) fn are_many(&self) -> bool {
        self.seen >= ENOUGH && self.again * TOLERATED > self.seen
    }
}
