//! Records by the value of an optional field.

use std::collections::HashSet;

use biofast_bam::Record;

/// Which records are wanted by one optional field: those that have it, and if there are values,
/// with one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFilter {
    name: [u8; 2],
    values: Option<HashSet<Vec<u8>>>,
}

impl TagFilter {
    /// Any value of the field.
    pub fn new(name: [u8; 2]) -> TagFilter {
        TagFilter { name, values: None }
    }

    /// The field's name.
    pub fn name(&self) -> [u8; 2] {
        self.name
    }

    /// Wants these values, beside those wanted before. Integers are compared as they are written
    /// in decimal.
    pub fn with_values(mut self, values: impl IntoIterator<Item = Vec<u8>>) -> TagFilter {
        self.values.get_or_insert_default().extend(values);
        self
    }

    /// Whether a record is wanted. Numbers with a fraction, and arrays, have no value that could
    /// be listed.
    pub fn wants(&self, record: &Record<'_>) -> bool {
        let Some(tag) = record.tags().find(|tag| tag.name == self.name) else { return false };
        let Some(values) = &self.values else { return true };
        match (tag.as_int(), tag.kind) {
            (Some(number), _) => values.contains(number.to_string().as_bytes()),
            (None, b'A' | b'Z' | b'H') => values.contains(tag.value),
            _ => false,
        }
    }
}

/// The words of a list, separated by whitespace.
pub fn words(text: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let is_blank = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
    text.split(is_blank).filter(|word| !word.is_empty()).map(<[u8]>::to_vec)
}
