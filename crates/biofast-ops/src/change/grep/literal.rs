//! Motifs without ambiguous letters, found exactly: a few by `memchr`, many by the word each begins with.

use memchr::memmem::Finder;

use super::hit::{Hit, Lane};

/// A motif and what searches for it.
pub(super) struct Literal {
    lane: Lane,
    finder: Finder<'static>,
}

impl Literal {
    pub(super) fn new(lane: Lane) -> Literal {
        let finder = Finder::new(lane.motif.letters()).into_owned();
        Literal { lane, finder }
    }

    /// Adds what is found in `text`, which starts at `offset` of a read: all of it, or the first.
    pub(super) fn find(&self, text: &[u8], offset: usize, all: bool, hits: &mut Vec<Hit>) {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|text| self.finder.find(text)) {
            hits.push(self.lane.hit(offset + from + at));
            if !all {
                return;
            }
            // Hits may overlap.
            from += at + 1;
        }
    }

    pub(super) fn lane(&self) -> &Lane {
        &self.lane
    }
}

/// The longest word that is looked up, in letters.
const LONGEST: usize = 8;
/// The shortest motifs that are worth a table.
pub(super) const SHORTEST: usize = 4;
/// From so many motifs on a table is faster than one search after the other.
pub(super) const MANY: usize = 16;

/// Many motifs, by the word each begins with.
pub(super) struct MotifTable {
    /// Letters of a word.
    len: usize,
    /// Where the motifs of each word start in `lanes`, and the end of all.
    starts: Vec<u32>,
    lanes: Vec<Lane>,
}

/// Two bits for a base, more for anything else.
const fn code(letter: u8) -> u32 {
    match letter {
        b'A' => 0,
        b'C' => 1,
        b'G' => 2,
        b'T' => 3,
        _ => u32::MAX,
    }
}

/// The number of a word of upper-case letters.
fn number(word: &[u8]) -> Option<u32> {
    word.iter().try_fold(0, |number, &letter| match code(letter) {
        u32::MAX => None,
        code => Some(number << 2 | code),
    })
}

impl MotifTable {
    /// A table of these motifs; gives them back if they are too few, too short or not of upper-case letters.
    pub(super) fn new(lanes: Vec<Lane>) -> Result<MotifTable, Vec<Lane>> {
        let shortest = lanes.iter().map(|lane| lane.motif.letters().len()).min().unwrap_or(0);
        let len = shortest.min(LONGEST);
        let word = |lane: &Lane| lane.motif.letters().get(..len).and_then(number);
        if lanes.len() < MANY || len < SHORTEST || lanes.iter().any(|lane| word(lane).is_none()) {
            return Err(lanes);
        }
        let mut lanes: Vec<(u32, Lane)> =
            lanes.into_iter().map(|lane| (word(&lane).unwrap_or_default(), lane)).collect();
        lanes.sort_by_key(|(word, _)| *word);
        let words = 1usize << (2 * len);
        let mut starts = vec![0u32; words + 1];
        for (word, _) in &lanes {
            starts[*word as usize + 1] += 1;
        }
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        Ok(MotifTable { len, starts, lanes: lanes.into_iter().map(|(_, lane)| lane).collect() })
    }

    /// Adds what is found in `text`, which starts at `offset` of a read, of the motifs that are `wanted`.
    pub(super) fn find(
        &self,
        text: &[u8],
        offset: usize,
        wanted: impl Fn(&Lane) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        let mask = (1u32 << (2 * self.len)) - 1;
        let (mut word, mut known) = (0u32, 0);
        for (at, &letter) in text.iter().enumerate() {
            match code(letter) {
                u32::MAX => known = 0,
                code => {
                    word = (word << 2 | code) & mask;
                    known += 1;
                }
            }
            if known < self.len {
                continue;
            }
            let number = word as usize;
            let (from, to) = (self.starts[number] as usize, self.starts[number + 1] as usize);
            if from == to {
                continue;
            }
            let start = at + 1 - self.len;
            for lane in &self.lanes[from..to] {
                if text[start..].starts_with(lane.motif.letters()) && wanted(lane) {
                    hits.push(lane.hit(offset + start));
                }
            }
        }
    }
}
