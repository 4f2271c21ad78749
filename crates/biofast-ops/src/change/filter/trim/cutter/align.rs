//! How an adapter lies on a read: the alignment with the most points among those with few enough errors, by the rules of
//! cutadapt 4 and 5, including how it chooses between alignments as good.

/// Which ends of the adapter (`reference`) and of the read (`query`) may be left out at no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeEnds {
    pub(super) reference_start: bool,
    pub(super) query_start: bool,
    pub(super) reference_end: bool,
    pub(super) query_end: bool,
}

impl FreeEnds {
    const fn new(text: [u8; 4]) -> FreeEnds {
        let [a, b, c, d] = text;
        FreeEnds {
            reference_start: a == 1,
            query_start: b == 1,
            reference_end: c == 1,
            query_end: d == 1,
        }
    }

    pub(super) const BACK: FreeEnds = FreeEnds::new([0, 1, 1, 1]);
    pub(super) const FRONT: FreeEnds = FreeEnds::new([1, 1, 0, 1]);
    pub(super) const PREFIX: FreeEnds = FreeEnds::new([0, 0, 0, 1]);
    pub(super) const SUFFIX: FreeEnds = FreeEnds::new([0, 1, 0, 0]);
    pub(super) const FRONT_NOT_INTERNAL: FreeEnds = FreeEnds::new([1, 0, 0, 1]);
    pub(super) const BACK_NOT_INTERNAL: FreeEnds = FreeEnds::new([0, 1, 1, 0]);
    pub(super) const ANYWHERE: FreeEnds = FreeEnds::new([1, 1, 1, 1]);
}

/// What an adapter's and a read's letters are compared by: two letters are equal if they have a bit in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LetterMatching {
    /// Every letter equals itself, case ignored.
    Plain,
    /// IUPAC letters of one side or both stand for several bases.
    Wild { adapter: bool, read: bool },
}

/// The bases an IUPAC letter stands for, one bit each, and for N one more, which is that of letters that are no base.
fn iupac(letter: u8) -> u32 {
    const A: u32 = 1;
    const C: u32 = 2;
    const G: u32 = 4;
    const T: u32 = 8;
    match letter.to_ascii_uppercase() {
        b'A' => A,
        b'C' => C,
        b'G' => G,
        b'T' | b'U' => T,
        b'R' => A | G,
        b'Y' => C | T,
        b'S' => G | C,
        b'W' => A | T,
        b'K' => G | T,
        b'M' => A | C,
        b'B' => C | G | T,
        b'D' => A | G | T,
        b'H' => A | C | T,
        b'V' => A | C | G,
        b'N' => A | C | G | T | 0x80,
        _ => 0,
    }
}

/// A base's bit; all other letters have one together.
fn base(letter: u8) -> u32 {
    match letter.to_ascii_uppercase() {
        b'A' | b'C' | b'G' | b'T' | b'U' => iupac(letter),
        _ => 0x80,
    }
}

fn itself(letter: u8) -> u32 {
    match letter {
        b'a'..=b'z' => 1 << (letter - b'a'),
        b'A'..=b'Z' => 1 << (letter - b'A'),
        _ => 0,
    }
}

impl LetterMatching {
    pub(super) fn of_adapter(self, letter: u8) -> u32 {
        match self {
            LetterMatching::Plain => itself(letter),
            LetterMatching::Wild { adapter: true, .. } => iupac(letter),
            LetterMatching::Wild { adapter: false, .. } => base(letter),
        }
    }

    pub(super) fn of_read(self, letter: u8) -> u32 {
        match self {
            LetterMatching::Plain => itself(letter),
            LetterMatching::Wild { read: true, .. } => iupac(letter),
            LetterMatching::Wild { read: false, .. } => base(letter),
        }
    }
}

/// Where two letters are the same, a base of one is another one of the other, or missing.
const MATCH: i32 = 1;
const MISMATCH: i32 = -1;
const INDEL: i32 = -2;

/// What an insertion or deletion costs where there may be none: more errors than any adapter may have.
const FORBIDDEN: i32 = 100_000;

/// The longest adapter.
pub(super) const LONGEST: usize = 10_000;

/// Where an adapter lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AdapterAlignment {
    pub(super) adapter: (usize, usize),
    pub(super) read: (usize, usize),
    pub(super) score: i32,
    pub(super) errors: i32,
}

/// A place of the matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    errors: i32,
    score: i32,
    /// Where the alignment begins: in the read, or, if negative, so many letters inside of the adapter.
    origin: i32,
}

/// Aligns one adapter to reads.
#[derive(Clone, Debug)]
pub(super) struct Aligner {
    adapter: Vec<u32>,
    /// The bits of each letter of a read.
    letters: Box<[u32; 256]>,
    rate: f64,
    ends: FreeEnds,
    indel_cost: i32,
    min_overlap: usize,
    /// How many N are before each letter of the adapter; these don't count as compared.
    wild_before: Vec<i32>,
}

impl Aligner {
    /// For an adapter of upper case letters, not longer than [`LONGEST`].
    pub(super) fn new(
        adapter: &[u8],
        letters: LetterMatching,
        rate: f64,
        ends: FreeEnds,
        indels: bool,
        min_overlap: usize,
    ) -> Aligner {
        let mut table = Box::new([0; 256]);
        for letter in 0..=255u8 {
            table[usize::from(letter)] = letters.of_read(letter);
        }
        let wild = matches!(letters, LetterMatching::Wild { adapter: true, .. });
        let mut wild_before = vec![0];
        for &letter in adapter {
            let before = wild_before.last().copied().unwrap_or(0);
            wild_before.push(before + i32::from(wild && letter == b'N'));
        }
        Aligner {
            adapter: adapter.iter().map(|&letter| letters.of_adapter(letter)).collect(),
            letters: table,
            rate,
            ends,
            indel_cost: if indels { 1 } else { FORBIDDEN },
            min_overlap,
            wild_before,
        }
    }

    /// Whether an alignment of `length` letters of the adapter, from `from` to `to`, is long and good enough.
    fn accepts(&self, errors: i32, length: i32, from: i32, to: i32) -> bool {
        let wild = self.wild_before[to.max(0) as usize] - self.wild_before[from.max(0) as usize];
        let compared = f64::from(length - wild);
        length >= self.min_overlap as i32 && f64::from(errors) <= compared * self.rate
    }

    /// The best alignment; `column` is memory.
    pub(super) fn locate(&self, read: &[u8], column: &mut Vec<Cell>) -> Option<AdapterAlignment> {
        let (m, n) = (self.adapter.len() as i32, read.len() as i32);
        let ends = self.ends;
        let most_errors = (self.rate * f64::from(m)) as i32;
        // Columns that can't hold an alignment are left out.
        let last_column = if ends.query_start { n } else { n.min(m.saturating_add(most_errors)) };
        let first_column =
            if ends.query_end { 0 } else { 0.max(n.saturating_sub(m).saturating_sub(most_errors)) };
        column.clear();
        column.extend((0..=m).map(|i| {
            let before = first_column;
            let cost = self.indel_cost;
            match (ends.reference_start, ends.query_start) {
                (false, false) => {
                    Cell { errors: i.max(before) * cost, score: i * INDEL, origin: 0 }
                }
                (true, false) => {
                    Cell { errors: before * cost, score: 0, origin: 0.min(before - i) }
                }
                (false, true) => {
                    Cell { errors: i * cost, score: i * INDEL, origin: 0.max(before - i) }
                }
                (true, true) => Cell { errors: i.min(before) * cost, score: 0, origin: before - i },
            }
        }));
        let mut best = BestAlignment::none(m, n);
        // The last letter of the adapter up to which an alignment may still be good.
        let mut last = if ends.reference_start { m } else { m.min(most_errors + 1) };
        let mut filled = 0;
        // Compared with the best one found before; at the end that of the last place looked at.
        let mut origin = 0;
        let (skip_origin, skip_cost, skip_score) = match ends.query_start {
            true => (1, 0, 0),
            false => (0, self.indel_cost, INDEL),
        };
        for j in first_column..last_column {
            let letter = self.letters[usize::from(read[j as usize])];
            let cells = &mut column[..=last.max(0) as usize];
            let Some((above, rest)) = cells.split_first_mut() else { break };
            let mut diagonal = *above;
            above.origin += skip_origin;
            above.errors += skip_cost;
            above.score += skip_score;
            let mut above = *above;
            for (cell, &wanted) in rest.iter_mut().zip(&self.adapter) {
                let left = *cell;
                let found = if wanted & letter != 0 {
                    Cell { score: diagonal.score + MATCH, ..diagonal }
                } else {
                    let mismatch = diagonal.errors + 1;
                    let insertion = left.errors + self.indel_cost;
                    let deletion = above.errors + self.indel_cost;
                    if mismatch <= deletion && mismatch <= insertion {
                        let score = diagonal.score + MISMATCH;
                        Cell { errors: mismatch, score, origin: diagonal.origin }
                    } else if deletion <= insertion {
                        Cell { errors: deletion, score: above.score + INDEL, origin: above.origin }
                    } else {
                        Cell { errors: insertion, score: left.score + INDEL, origin: left.origin }
                    }
                };
                *cell = found;
                above = found;
                diagonal = left;
            }
            if last >= 1 {
                origin = above.origin;
            }
            filled = last;
            while last >= 0 && column[last as usize].errors > most_errors {
                last -= 1;
            }
            if last < m {
                last += 1;
            } else if ends.query_end {
                let found = column[m as usize];
                origin = found.origin;
                let length = m + origin.min(0);
                let good = self.accepts(found.errors, length, m - length, m);
                if good && best.is_beaten_by(&found, origin, length, m) {
                    best =
                        BestAlignment { cell: found, adapter_end: m, read_end: j + 1, found: true };
                    if found.errors == 0 && origin >= 0 {
                        break;
                    }
                }
            }
        }
        if last_column == n {
            let first = if ends.reference_end { 0 } else { m };
            for i in (first..=filled).rev() {
                let found = column[i as usize];
                let from = -found.origin.min(0);
                let length = i - from;
                // All of the adapter: its wildcards are all of them. What ends earlier is counted from where it begins.
                let good = length >= 0 && self.accepts(found.errors, length, from, i);
                if good && best.is_beaten_by(&found, origin, length, m) {
                    best = BestAlignment { cell: found, adapter_end: i, read_end: n, found: true };
                }
            }
        }
        best.found.then(|| {
            let origin = best.cell.origin;
            AdapterAlignment {
                adapter: (0.max(-origin) as usize, best.adapter_end as usize),
                read: (origin.max(0) as usize, best.read_end as usize),
                score: best.cell.score,
                errors: best.cell.errors,
            }
        })
    }
}

/// The best alignment found so far.
struct BestAlignment {
    cell: Cell,
    adapter_end: i32,
    read_end: i32,
    found: bool,
}

impl BestAlignment {
    fn none(m: i32, n: i32) -> BestAlignment {
        BestAlignment { cell: Cell::default(), adapter_end: m, read_end: n, found: false }
    }

    /// Whether an alignment takes its place: the first one does, and one with more points that begins before the half of
    /// the adapter is over from where the best one begins, or that is longer.
    fn is_beaten_by(&self, cell: &Cell, origin: i32, length: i32, m: i32) -> bool {
        let longest = self.adapter_end + self.cell.origin.min(0);
        !self.found
            || cell.score > self.cell.score
                && (origin <= self.cell.origin + m / 2 || length > longest)
    }
}

/// Lays the whole of an adapter on the start of a read, without insertions and deletions.
#[derive(Clone, Debug)]
pub(super) struct Comparer {
    adapter: Vec<u32>,
    letters: Box<[u32; 256]>,
    most_errors: i32,
    suffix: bool,
}

impl Comparer {
    pub(super) fn new(
        adapter: &[u8],
        letters: LetterMatching,
        rate: f64,
        suffix: bool,
    ) -> Comparer {
        let aligner = Aligner::new(adapter, letters, rate, FreeEnds::PREFIX, false, adapter.len());
        let wild = aligner.wild_before.last().copied().unwrap_or(0);
        let most_errors = (rate * f64::from(adapter.len() as i32 - wild)) as i32;
        Comparer { adapter: aligner.adapter, letters: aligner.letters, most_errors, suffix }
    }

    pub(super) fn locate(&self, read: &[u8]) -> Option<AdapterAlignment> {
        let m = self.adapter.len();
        let start = if self.suffix { read.len().checked_sub(m)? } else { 0 };
        let stretch = read.get(start..start + m)?;
        let pairs = stretch.iter().zip(&self.adapter);
        let differ = pairs.filter(|&(&r, &a)| self.letters[usize::from(r)] & a == 0).count() as i32;
        (differ <= self.most_errors).then(|| AdapterAlignment {
            adapter: (0, m),
            read: (start, start + m),
            score: m as i32 - 2 * differ,
            errors: differ,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The IUPAC code (Cornish-Bowden 1985).
    #[test]
    fn letters_stand_for_their_bases() {
        for (letter, bases) in [
            ("A", "A"),
            ("C", "C"),
            ("G", "G"),
            ("TU", "T"),
            ("R", "AG"),
            ("Y", "CT"),
            ("S", "CG"),
            ("W", "AT"),
            ("K", "GT"),
            ("M", "AC"),
            ("B", "CGT"),
            ("D", "AGT"),
            ("H", "ACT"),
            ("V", "ACG"),
            ("N", "ACGT"),
            ("X.-", ""),
        ] {
            for letter in letter.bytes().flat_map(|l| [l, l.to_ascii_lowercase()]) {
                for base in *b"ACGT" {
                    let stands = bases.as_bytes().contains(&base);
                    assert_eq!(iupac(letter) & iupac(base) != 0, stands, "{letter} {base}");
                }
            }
        }
        assert!(iupac(b'N') != iupac(b'N') & 0xf);
    }
}
