//! No memory maps: this build or this system has none, so that every file is read. The same functions as `enabled.rs`
//! has, for a type that has no values.

use std::fs::File;
use std::ops::Range;

use crate::input::MapAdvice;

/// A map of a file, of which there are none.
pub enum Map {}

impl Map {
    /// Gives the file back, so that it is read.
    ///
    /// # Errors
    /// Always: the file itself.
    pub fn new(file: File, _len: u64, _advice: MapAdvice) -> Result<Map, File> {
        Err(file)
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        match *self {}
    }

    /// Whether the file is now shorter than the map.
    pub fn was_cut(&self) -> bool {
        match *self {}
    }

    /// What was said about the map.
    pub(crate) fn advice(&self) -> MapAdvice {
        match *self {}
    }

    /// Lets go of the pages of a range.
    pub(crate) fn release(&self, _range: Range<usize>) {
        match *self {}
    }

    /// Maps the pages of a range before they are touched.
    pub fn populate(&self, _range: Range<usize>) {
        match *self {}
    }
}
