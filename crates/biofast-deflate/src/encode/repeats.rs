//! Do sequences repeat each other within a block? Amplicons and small genomes do, and then a general encoder makes less
//! of them.

use super::runs::Runs;
use super::tokens::{Text, pack};

/// Slots of the table of earlier 16-mers: so few that they hold those of the last 2,000 bases, about. A fast general encoder
/// hardly finds repeats from farther back.
const SLOTS: usize = 512;
/// One 16-mer in so many may have come before.
const TOLERATED: usize = 7;
/// 16-mers that a judgement takes.
const ENOUGH: usize = 128;

/// Counts 16-mers that come again.
pub(super) struct Repeats {
    /// The last 16-mer of each hash, packed; those that begin at every fourth base of a line.
    table: Box<[u32; SLOTS]>,
    seen: usize,
    again: usize,
    /// Bytes of lines, and those that repeat the one before.
    bytes: usize,
    runs: usize,
    /// A line that isn't all bases, packed nevertheless.
    packed: Vec<u8>,
}

#[inline(always)]
fn slot(mer: u32) -> usize {
    (mer.wrapping_mul(0x9e37_79b1) >> 23) as usize % SLOTS
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self {
            table: Box::new([0; SLOTS]),
            seen: 0,
            again: 0,
            bytes: 0,
            runs: 0,
            packed: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
        (self.seen, self.again, self.bytes, self.runs) = (0, 0, 0, 0);
    }

    /// Looks at the line of bases `text[start..end]`, of which `packed` are pure groups of four.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        text: &Text,
        (start, end): (usize, usize),
        packed: &[u8],
        runs: &Runs,
    ) {
        self.bytes += end - start;
        self.runs += runs.count(start, end);
        if packed.len() * 4 * 8 >= (end - start) * 7 {
            self.add_packed(packed);
        } else {
            self.add_others(&text[start..end]);
        }
    }

    /// Looks at a line of other letters: two bits of each tell as much as they do of bases.
    #[cold]
    fn add_others(&mut self, line: &[u8]) {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        packed.extend(line.as_chunks::<4>().0.iter().map(|four| pack(u32::from_le_bytes(*four))));
        self.add_packed(&packed);
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
        self.seen >= ENOUGH && self.again * TOLERATED > self.seen || self.runs * 2 > self.bytes
    }
}
