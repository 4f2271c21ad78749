//! Whole adapters or barcodes inside of long reads, with errors: Myers' bit-vector algorithm, 64 rows of the matrix in a word.

use std::ops::Range;

/// The longest adapter.
pub(super) const LONGEST: usize = 64;

/// An adapter to be found anywhere, as a whole.
#[derive(Clone, Debug)]
pub(in crate::change) struct MiddlePattern {
    /// Where each letter stands in it.
    masks: Box<[u64; 256]>,
    /// The same from its end on.
    reversed: Box<[u64; 256]>,
    len: usize,
    errors: usize,
}

fn masks(letters: impl Iterator<Item = u8>) -> Box<[u64; 256]> {
    let mut masks = Box::new([0; 256]);
    for (place, letter) in letters.enumerate() {
        for letter in [letter.to_ascii_uppercase(), letter.to_ascii_lowercase()] {
            masks[usize::from(letter)] |= 1 << place;
        }
    }
    masks
}

/// The last column of a matrix: differences from row to row, and the last row's value.
struct Column {
    up: u64,
    down: u64,
    errors: usize,
    top: u64,
}

impl Column {
    fn new(len: usize) -> Column {
        Column { up: u64::MAX, down: 0, errors: len, top: 1 << (len - 1) }
    }

    /// The next column; `free` if an alignment may begin here without a cost.
    #[inline]
    fn step(&mut self, equal: u64, free: bool) {
        let vertical = equal | self.down;
        let horizontal = (((equal & self.up).wrapping_add(self.up)) ^ self.up) | equal;
        let mut more = self.down | !(horizontal | self.up);
        let mut less = self.up & horizontal;
        if more & self.top != 0 {
            self.errors += 1;
        }
        if less & self.top != 0 {
            self.errors -= 1;
        }
        more = more << 1 | u64::from(!free);
        less <<= 1;
        self.up = less | !(vertical | more);
        self.down = more & vertical;
    }
}

impl MiddlePattern {
    /// At most the share `rate` of its letters may be errors. `None` for an adapter without letters, or too many.
    pub(in crate::change) fn new(adapter: &[u8], rate: f64) -> Option<MiddlePattern> {
        if adapter.is_empty() || adapter.len() > LONGEST {
            return None;
        }
        Some(MiddlePattern {
            masks: masks(adapter.iter().copied()),
            reversed: masks(adapter.iter().rev().copied()),
            len: adapter.len(),
            errors: (adapter.len() as f64 * rate) as usize,
        })
    }

    /// Where it is, with the errors: of places that overlap, the one with the fewest that ends first.
    pub(super) fn find_all(&self, read: &[u8], found: &mut Vec<(usize, Range<usize>)>) {
        let mut column = Column::new(self.len);
        // The best end of the stretch in which ends are near each other.
        let mut best: Option<(usize, usize)> = None;
        for (at, &letter) in read.iter().enumerate() {
            column.step(self.masks[usize::from(letter)], true);
            if column.errors <= self.errors {
                match best {
                    Some((_, errors)) if errors <= column.errors => {}
                    _ => best = Some((at + 1, column.errors)),
                }
            }
            if let Some((end, errors)) = best
                && at + 1 >= end + self.len
            {
                found.push((errors, self.start(read, end, errors)..end));
                best = None;
            }
        }
        if let Some((end, errors)) = best {
            found.push((errors, self.start(read, end, errors)..end));
        }
    }

    /// The fewest errors with which it is in a read as a whole, and where it first ends with so many.
    pub(in crate::change) fn nearest(&self, read: &[u8]) -> (usize, usize) {
        let mut column = Column::new(self.len);
        let mut best = (self.len, 0);
        for (at, &letter) in read.iter().enumerate() {
            column.step(self.masks[usize::from(letter)], true);
            if column.errors < best.0 {
                best = (column.errors, at + 1);
            }
        }
        best
    }

    /// Where an alignment with so many errors that ends at `end` begins: the shortest one.
    fn start(&self, read: &[u8], end: usize, errors: usize) -> usize {
        let mut column = Column::new(self.len);
        let most = (self.len + self.errors).min(end);
        for back in 1..=most {
            column.step(self.reversed[usize::from(read[end - back])], false);
            if column.errors <= errors {
                return end - back;
            }
        }
        end - most
    }
}
