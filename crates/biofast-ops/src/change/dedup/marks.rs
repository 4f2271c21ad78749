//! Which units are duplicates: a bit each.

/// The bits, from the first unit on that isn't written at once.
#[derive(Default)]
pub(super) struct DuplicateMarks {
    first: u64,
    words: Vec<u64>,
}

impl DuplicateMarks {
    /// None, for units from this number on.
    pub(super) fn from(first: u64) -> DuplicateMarks {
        DuplicateMarks { first, words: Vec::new() }
    }

    /// The number of the first unit.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Marks a unit that isn't before the first.
    pub(super) fn set(&mut self, ordinal: u64) {
        let Some(number) = ordinal.checked_sub(self.first) else { return };
        let word = (number / 64) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Whether a unit is marked.
    pub(super) fn has(&self, ordinal: u64) -> bool {
        let Some(number) = ordinal.checked_sub(self.first) else { return false };
        self.words.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_where_they_were_set() {
        let mut marks = DuplicateMarks::from(100);
        for ordinal in [100, 163, 164, 5000] {
            marks.set(ordinal);
        }
        marks.set(99);
        let marked: Vec<u64> = (0..10_000).filter(|&ordinal| marks.has(ordinal)).collect();
        assert_eq!(marked, [100, 163, 164, 5000]);
    }
}
