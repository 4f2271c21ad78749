//! Do sequences repeat each other within a block? Amplicons and small genomes do, and then a general encoder makes less
//! of them.

use super::lines::{Kind, Lines};
use super::simd::Simd;
use super::tokens::Text;

/// Slots of the table of earlier 16-mers: so few that they hold those of the last 2,000 bases, about. A fast general encoder
/// hardly finds repeats from farther back.
const SLOTS: usize = 512;
/// One 16-mer in so many may have come before.
const TOLERATED: usize = 9;
/// 16-mers that a judgement takes.
const ENOUGH: usize = 96;

/// Counts 16-mers that come again.
pub(super) struct Repeats {
    /// The last 16-mer of each hash, packed; those that begin at every fourth base of a line.
    table: Box<[u32; SLOTS]>,
    seen: usize,
    again: usize,
    /// A line, packed.
    packed: Vec<u8>,
}

#[inline(always)]
fn slot(mer: u32) -> usize {
    (mer.wrapping_mul(0x9e37_79b1) >> 23) as usize % SLOTS
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self { table: Box::new([0; SLOTS]), seen: 0, again: 0, packed: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
        (self.seen, self.again) = (0, 0);
    }

    /// Looks at the lines of bases that begin in `text[from..to]`, as far as they are in it.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, text: &Text, lines: &Lines, (from, to): (usize, usize)) {
        let mut packed = std::mem::take(&mut self.packed);
        for line in lines.of(Kind::Bases) {
            if line.start < from {
                continue;
            }
            if line.start >= to {
                break;
            }
            let end = line.end.min(to);
            packed.clear();
            // Of other letters two bits tell as much as they do of bases.
            for at in (line.start..end).step_by(64) {
                if let Some(bases) = text.get(at..).and_then(<[u8]>::first_chunk) {
                    packed.extend_from_slice(&S::pack(bases).0);
                }
            }
            packed.truncate((end - line.start) / 4);
            self.add_packed(&packed);
        }
        self.packed = packed;
    }

    /// Looks at packed bases.
    ///
    /// Of 32 bases in a row one of four neighbouring 16-mers is looked up: if the sequence came before, wherever that
    /// read began, one of the four was at a fourth base.
    #[inline(always)]
    fn add_packed(&mut self, packed: &[u8]) {
        let (eights, _) = packed.as_chunks::<8>();
        for eight in eights {
            let bases = u64::from_be_bytes(*eight);
            let known = |shift: u32| {
                let mer = (bases >> (32 - 2 * shift)) as u32;
                self.table[slot(mer)] == mer
            };
            self.again += usize::from(known(0) | known(1) | known(2) | known(3));
        }
        self.seen += eights.len();
        for four in packed.windows(4) {
            if let &[a, b, c, d] = four {
                let mer = u32::from_be_bytes([a, b, c, d]);
                self.table[slot(mer)] = mer;
            }
        }
    }

    /// Whether too many came again.
    pub(super) fn are_many(&self) -> bool {
        self.seen >= ENOUGH && self.again * TOLERATED > self.seen
    }
}
