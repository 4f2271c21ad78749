//! Whether records are in the order of coordinates, checked while they are framed.

use crate::error::ErrorKind;

/// What came before, for the check of what comes.
#[derive(Default)]
pub(crate) struct Order {
    /// Reference and position of the record before.
    last: Option<(i32, i32)>,
    /// The references whose records have begun, a bit each.
    seen: Vec<u64>,
}

impl Order {
    /// Checks the records of `bytes` whose block sizes start at `starts`: positions must not
    /// fall, all records of a reference must stand together, and those without one at the end.
    /// As in htslib, the references may come in any order.
    ///
    /// # Errors
    /// The index of the first record that is out of order.
    pub(crate) fn check(&mut self, bytes: &[u8], starts: &[u32]) -> Result<(), (usize, ErrorKind)> {
        for (index, &start) in starts.iter().enumerate() {
            let at = start as usize;
            let word = |at: usize| {
                i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
            };
            let found = (word(at + 4), word(at + 8));
            self.check_place(found).map_err(|kind| (index, kind))?;
        }
        Ok(())
    }

    /// Checks the place of the next record.
    ///
    /// # Errors
    /// If it is out of order.
    pub(crate) fn check_place(&mut self, found: (i32, i32)) -> Result<(), ErrorKind> {
        let good = match self.last {
            Some((reference, position)) if reference == found.0 => {
                reference < 0 || position <= found.1
            }
            Some((-1, _)) => false,
            _ => self.begin(found.0),
        };
        if !good {
            let previous = self.last.unwrap_or((-1, -1));
            return Err(ErrorKind::unsorted(previous, found));
        }
        self.last = Some(found);
        Ok(())
    }

    /// Marks a reference as begun; false if it was before.
    fn begin(&mut self, reference: i32) -> bool {
        let Ok(reference) = usize::try_from(reference) else { return true };
        let (word, bit) = (reference / 64, 1 << (reference % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        let new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        new
    }
}
