//! Names that are looked for, up to many millions of them.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::pattern::Pattern;

/// Which pattern has a name: places of patterns by a hash of their text, 8 to 16 bytes for each.
pub(super) struct PatternNames {
    /// The number of a pattern and 1 more, or 0; the next place where it is taken.
    places: Vec<u32>,
    hasher: RandomState,
    any_case: bool,
}

impl PatternNames {
    /// Of these patterns; of the same text the first one is meant.
    pub(super) fn new(patterns: &[Pattern], any_case: bool) -> PatternNames {
        let size = (patterns.len() * 2).next_power_of_two();
        let mut names =
            PatternNames { places: vec![0; size], hasher: RandomState::new(), any_case };
        for (number, pattern) in (1..=u32::MAX).zip(patterns) {
            let (place, found) = names.look(patterns, pattern.text());
            if found.is_none() {
                names.places[place] = number;
            }
        }
        names
    }

    /// The pattern of this name.
    pub(super) fn get(&self, patterns: &[Pattern], name: &[u8]) -> Option<usize> {
        self.look(patterns, name).1
    }

    /// Where a name is, or where it would be.
    fn look(&self, patterns: &[Pattern], name: &[u8]) -> (usize, Option<usize>) {
        // A power of 2, at least half of it free.
        let mask = self.places.len() - 1;
        let mut place = self.hash(name) as usize & mask;
        loop {
            let Some(number) = (self.places[place] as usize).checked_sub(1) else {
                return (place, None);
            };
            let is_it = patterns.get(number).is_some_and(|pattern| match self.any_case {
                true => pattern.text().eq_ignore_ascii_case(name),
                false => pattern.text() == name,
            });
            if is_it {
                return (place, Some(number));
            }
            place = (place + 1) & mask;
        }
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        match self.any_case {
            true => name.iter().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase())),
            false => hasher.write(name),
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_and_of_the_same_the_first() {
        let patterns: Vec<Pattern> =
            (0..5_000).map(|number| Pattern::new(format!("Read{}", number % 4_000))).collect();
        for any_case in [false, true] {
            let names = PatternNames::new(&patterns, any_case);
            for number in 0..4_000 {
                assert_eq!(names.get(&patterns, format!("Read{number}").as_bytes()), Some(number));
            }
            assert_eq!(names.get(&patterns, b"Read4000"), None);
            assert_eq!(names.get(&patterns, b"rEAD17"), any_case.then_some(17));
        }
    }
}
