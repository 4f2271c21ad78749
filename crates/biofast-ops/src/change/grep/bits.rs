//! Motifs with ambiguous letters or mismatches, many of them in the bits of a word.
//!
//! Bit `i` of a state says that the first letters of a motif, up to letter `i`, end here: Baeza-Yates and Gonnet 1992, "A new
//! approach to text searching" (doi:10.1145/135239.135243), with a state for each number of mismatches, as in Wu and Manber
//! 1992, "Fast text searching allowing errors" (doi:10.1145/135239.135244), without insertions and deletions. Motifs share a word as long as there are bits left: a
//! letter costs the same for one of them and for both strands of several.

use super::hit::{Hit, Lane};

/// Bits of a word.
const BITS: usize = 64;

/// Motifs that share a word.
pub(super) struct Word {
    /// The motifs' letters that each byte is one of.
    masks: Box<[u64; 256]>,
    /// Where motifs begin and end.
    starts: u64,
    ends: u64,
    /// Those whose last bit it is.
    lanes: Vec<(u32, Lane)>,
    /// Motifs of more letters than bits, whose rest is compared.
    long: bool,
}

/// Puts motifs into as few words as fit in their order.
pub(super) fn words(lanes: Vec<Lane>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut used = BITS;
    for lane in lanes {
        let len = lane.motif.letters().len();
        let bits = len.min(BITS);
        if used + bits > BITS || len > BITS {
            let masks = Box::new([0; 256]);
            words.push(Word { masks, starts: 0, ends: 0, lanes: Vec::new(), long: len > BITS });
            used = 0;
        }
        let Some(word) = words.last_mut() else { continue };
        for at in 0..bits {
            for byte in 0..=u8::MAX {
                let is = u64::from(lane.motif.accepts(at, byte));
                word.masks[usize::from(byte)] |= is << (used + at);
            }
        }
        let end = used + bits - 1;
        word.starts |= 1 << used;
        word.ends |= 1 << end;
        word.lanes.push((end as u32, lane));
        // Nothing else shares a word with a motif that fills it.
        used += bits;
    }
    words
}

impl Word {
    /// Adds what is found in `text`, which starts at `offset` of a read: all of it, or a hit of each motif.
    pub(super) fn find(
        &self,
        text: &[u8],
        offset: usize,
        mismatches: u32,
        all: bool,
        hits: &mut Vec<Hit>,
    ) {
        match mismatches {
            0 => self.scan::<1>(text, offset, all, hits),
            1 => self.scan::<2>(text, offset, all, hits),
            2 => self.scan::<3>(text, offset, all, hits),
            _ => self.scan::<4>(text, offset, all, hits),
        }
    }

    fn scan<const STATES: usize>(
        &self,
        text: &[u8],
        offset: usize,
        all: bool,
        hits: &mut Vec<Hit>,
    ) {
        let mut states = [0u64; STATES];
        let mut wanted = self.ends;
        for (at, &byte) in text.iter().enumerate() {
            let mask = self.masks[usize::from(byte)];
            let mut before = states[0];
            states[0] = ((before << 1) | self.starts) & mask;
            for state in &mut states[1..] {
                let old = *state;
                // This letter is one of the motif's, or one more mismatch.
                *state = (((old << 1) | self.starts) & mask) | (before << 1) | self.starts;
                before = old;
            }
            let found = states[STATES - 1] & wanted;
            if found != 0 {
                let found = self.add(found, text, at, offset, STATES as u32 - 1, hits);
                if !all {
                    wanted &= !found;
                    if wanted == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Adds the motifs that end at `at`, and returns their bits.
    #[cold]
    fn add(
        &self,
        found: u64,
        text: &[u8],
        at: usize,
        offset: usize,
        mismatches: u32,
        hits: &mut Vec<Hit>,
    ) -> u64 {
        let mut added = 0;
        for (end, lane) in &self.lanes {
            if found & (1 << end) == 0 {
                continue;
            }
            let len = lane.motif.letters().len();
            let start = at + 1 - len.min(BITS);
            if self.long {
                let whole =
                    text.get(start..start + len).and_then(|text| lane.motif.mismatches(text));
                if whole.is_none_or(|found| found > mismatches) {
                    continue;
                }
            }
            added |= 1 << end;
            hits.push(lane.hit(offset + start));
        }
        added
    }
}
