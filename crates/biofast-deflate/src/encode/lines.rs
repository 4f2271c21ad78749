//! Which line of a record a block begins with. A block may begin and end anywhere in a record.

/// Bytes of a line on average, at least: going from line to line must cost little.
const SHORTEST: usize = 12;

/// Bytes whose lines are counted before.
const BEGIN: usize = 512;
/// Bytes that are looked at, and more if they have fewer lines.
const HEAD: usize = 4096;
const FEW: usize = 9;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Bases,
    Plus,
    Qualities,
}

impl Kind {
    /// The line behind.
    #[inline(always)]
    pub(super) fn next(self) -> Self {
        match self {
            Kind::Name => Kind::Bases,
            Kind::Bases => Kind::Plus,
            Kind::Plus => Kind::Qualities,
            Kind::Qualities => Kind::Name,
        }
    }

    const ALL: [Kind; 4] = [Kind::Name, Kind::Bases, Kind::Plus, Kind::Qualities];
}

/// A line without its line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    kind: Kind,
    start: usize,
    end: usize,
}

/// The lines of one block.
pub(super) struct Lines {
    newlines: Vec<u32>,
    len: usize,
    /// The number in a record of the first line.
    phase: usize,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { newlines: Vec::new(), len: 0, phase: 0 }
    }

    /// What the first line of `text` is; `None` if its first lines don't make records.
    ///
    /// What is found decides on how well the text is compressed, never on what is written: any reading of it is right.
    pub(super) fn first(&mut self, text: &[u8]) -> Option<Kind> {
        // Many short lines are known by the first ones.
        let begin = text.get(..BEGIN).unwrap_or(text);
        if begin.iter().filter(|&&byte| byte == b'\n').count() * SHORTEST > begin.len() {
            return None;
        }
        let head = text.get(..HEAD).unwrap_or(text);
        let mut found = self.find(head);
        if found && self.count() < FEW {
            found = self.find(text);
        }
        // Names that are all new are declined before anything is done.
        let new = if found { self.new_bytes(text) } else { 0 };
        let few = new.saturating_sub(FIRST_NEW) * NEW <= self.len;
        (found && few).then(|| Kind::ALL[self.phase])
    }

    /// Finds the lines of `text`; false if they don't make records.
    fn find(&mut self, text: &[u8]) -> bool {
        self.newlines.clear();
        biofast_kernels::index_newlines(text, 0, &mut self.newlines);
        self.len = text.len();
        if self.newlines.len() * SHORTEST > text.len() {
            return false;
        }
        let mut best = None;
        for phase in 0..4 {
            self.phase = phase;
            if self.is_consistent(text) {
                let score = self.score(text);
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, phase));
                }
            }
        }
        match best {
            Some((score, phase)) if score > 0 => {
                self.phase = phase;
                true
            }
            _ => false,
        }
    }

    /// About how many bytes of names are unlike the name before.
    fn new_bytes(&self, text: &[u8]) -> usize {
        let (mut new, mut before) = (0, None);
        for line in self.of(Kind::Name) {
            let name = text.get(line.start..line.end).unwrap_or_default();
            // The block may begin in a name.
            if !name.starts_with(b"@") {
                continue;
            }
            if let Some(before) = before.replace(name) {
                let same = |(a, b): &(&u8, &u8)| a == b;
                let begin = name.iter().zip(before).take_while(same).count();
                let end = name.iter().rev().zip(before.iter().rev()).take_while(same).count();
                new += name.len().saturating_sub(begin + end);
            }
        }
        new
    }

    /// How many there are; the first and the last may be parts.
    fn count(&self) -> usize {
        self.newlines.len() + 1
    }

    /// The line of this number.
    fn get(&self, i: usize) -> Option<Line> {
        let start = match i.checked_sub(1) {
            Some(before) => *self.newlines.get(before)? as usize + 1,
            None => 0,
        };
        let end = self.newlines.get(i).map_or(self.len, |&end| end as usize);
        Some(Line { kind: Kind::ALL[(self.phase + i) % 4], start, end })
    }

    /// The lines of one kind.
    fn of(&self, kind: Kind) -> impl Iterator<Item = Line> {
        let first = (kind as usize + 4 - self.phase) % 4;
        (first..self.count()).step_by(4).filter_map(|i| self.get(i))
    }

    /// Whether names start with @, separators with +, and bases and qualities are of the same number.
    fn is_consistent(&self, text: &[u8]) -> bool {
        // Whole records behind the first line, which may be the end of one, are checked four lines at a time.
        let first = if self.phase == 0 { 4 } else { 4 - self.phase };
        let Some(records) = self.newlines.get(first..) else {
            return self.are_consistent(text, 0..self.count());
        };
        let (records, _) = records.as_chunks::<4>();
        let mut before = self.newlines[first - 1] as usize;
        for &[name, bases, plus, qualities] in records {
            let starts_with = |newline: usize, byte| text.get(newline + 1) == Some(&byte);
            let begin = starts_with(before, b'@') && starts_with(bases as usize, b'+');
            if !begin || bases - name != qualities - plus {
                return false;
            }
            before = qualities as usize;
        }
        self.are_consistent(text, 0..first)
            && self.are_consistent(text, first + 4 * records.len()..self.count())
    }

    /// The same of some lines, which don't start with qualities unless they are the first.
    fn are_consistent(&self, text: &[u8], lines: std::ops::Range<usize>) -> bool {
        let mut bases = None;
        lines.filter_map(|i| self.get(i)).all(|Line { kind, start, end }| {
            // The first line may be the end of one; the last line may be the start.
            let starts_with = |byte| start == 0 || text.get(start).is_none_or(|&b| b == byte);
            match kind {
                Kind::Name => starts_with(b'@'),
                Kind::Plus => starts_with(b'+'),
                Kind::Bases => {
                    bases = (start > 0).then_some(end - start);
                    true
                }
                Kind::Qualities => {
                    let n = end - start;
                    bases.take().is_none_or(|bases| n == bases || n < bases && end == text.len())
                }
            }
        })
    }

    /// How many of the first bytes of the longest line of bases are bases, less how many of the longest line of
    /// qualities: tells the two apart in a block of few lines.
    fn score(&self, text: &[u8]) -> i64 {
        let longest = |wanted| {
            let (start, end) =
                self.of(wanted).map(|l| (l.start, l.end)).max_by_key(|(s, e)| e - s)?;
            Some(&text[start..end.min(start + 128)])
        };
        let bases = |line: &[u8]| {
            line.iter().filter(|b| b"ACGTN".contains(&b.to_ascii_uppercase())).count() as i64
        };
        let of_bases = longest(Kind::Bases).map_or(0, |line| 2 * bases(line) - line.len() as i64);
        let of_qualities = longest(Kind::Qualities).map_or(0, |line| {
            let scores = line.iter().filter(|b| b.is_ascii_graphic() || **b == b'\r').count();
            // Binary data has lines, too.
            if scores < line.len() { -1000 } else { scores as i64 - 2 * bases(line) }
        });
        of_bases + of_qualities
    }
}

/// One byte in so many may be of a name and unlike the name before, besides the first so many, which shows after some
/// bytes of text.
pub(super) const NEW: usize = 8;

pub(super) const FIRST_NEW: usize = 70;

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &[u8]) -> Option<Vec<Kind>> {
        let mut lines = Lines::new();
        let kinds =
            |lines: Lines| (0..lines.count()).filter_map(|i| Some(lines.get(i)?.kind)).collect();
        lines.find(text).then(|| kinds(lines))
    }

    #[test]
    fn the_first_line_is_known_wherever_a_block_starts() {
        let (bases, scores) = (b"ACGTACGTAA".repeat(4), [b"@", &b"I".repeat(39)[..]].concat());
        let record = [b"@read\n", &bases[..], b"\n+\n", &scores, b"\n"].concat();
        let text = record.repeat(5);
        for start in 0..record.len() {
            let expected = match start {
                0..6 => Kind::Name,
                6..47 => Kind::Bases,
                47..49 => Kind::Plus,
                _ => Kind::Qualities,
            };
            for end in [text.len(), text.len() - 3, text.len() - 42, text.len() - 60] {
                let found = kinds(&text[start..end]).map(|kinds| kinds[0]);
                assert_eq!(found, Some(expected), "{start}..{end}");
            }
        }
    }

    #[test]
    fn parts_of_one_line_are_told_by_their_letters() {
        assert_eq!(kinds(&b"ACGT".repeat(1000)), Some(vec![Kind::Bases]));
        assert_eq!(kinds(&b"IIHF#".repeat(1000)), Some(vec![Kind::Qualities]));
    }

    #[test]
    fn text_that_is_no_fastq_is_declined() {
        assert_eq!(kinds(b">r\nACGT\n>s\nACGTA\n>t\nGGTA\n>u\nAC\n"), None);
        assert_eq!(kinds(b"a\tb\tc\n1\t2\t3\n4\t5\t6\n7\t8\t9\n1\t2\t3\n"), None);
        let raw: Vec<u8> = (0..4000u32).map(|i| (i * i % 41) as u8).filter(|&b| b != 10).collect();
        assert_eq!(kinds(&raw), None);
        assert_eq!(kinds(b"@r\nACGT\n+\nIIII\n@r\nACGT\n+\nIII\n@r\nACGT\n+\nIIII\n"), None);
    }
}
