//! Read groups by the number in which they were first seen.

use std::collections::HashMap;

use crate::{Error, Refusal};

/// So many read groups have checksums of their own: nobody has more, and each takes memory on every thread.
pub(super) const MOST_GROUPS: usize = 1 << 16;

/// The names of read groups, each with its number: 0 is for records without one.
#[derive(Default)]
pub(super) struct GroupNumbers {
    names: Vec<Vec<u8>>,
    of_name: HashMap<Vec<u8>, usize>,
    /// That of the last record, mostly that of the next one, too.
    last: usize,
}

impl GroupNumbers {
    /// The number of a group.
    #[inline]
    pub(super) fn of(&mut self, name: Option<&[u8]>) -> usize {
        let Some(name) = name else { return 0 };
        if self.last > 0 && self.names[self.last - 1] == name {
            return self.last;
        }
        self.last = match self.of_name.get(name) {
            Some(&number) => number,
            None => {
                self.names.push(name.to_vec());
                self.of_name.insert(name.to_vec(), self.names.len());
                self.names.len()
            }
        };
        self.last
    }

    /// The name of a group, unless it is that of records without one.
    pub(super) fn name(&self, number: usize) -> Option<&[u8]> {
        Some(self.names.get(number.checked_sub(1)?)?)
    }

    /// How many there are, with that of records without one.
    pub(super) fn len(&self) -> usize {
        self.names.len() + 1
    }

    /// Whether there are more than can be.
    pub(super) fn are_too_many(&self) -> bool {
        self.names.len() > MOST_GROUPS
    }

    /// The error that there are.
    pub(super) fn too_many(input: &str) -> Error {
        Refusal::TooManyGroups { input: input.to_owned(), most: MOST_GROUPS }.into()
    }

    pub(super) fn clear(&mut self) {
        *self = GroupNumbers::default();
    }
}
