//! What decoding a container needs of the file.

use super::bytes::{Result, bad};
use super::container::Version;
use super::reference::Repository;
use crate::header::Header;
use crate::input_options::Detail;

/// What decoding a container needs of the file.
pub(super) struct Context {
    pub(super) version: Version,
    pub(super) detail: Detail,
    pub(super) repository: Repository,
    pub(super) header: Header,
    pub(super) read_groups: Vec<Vec<u8>>,
    /// What names are made of where none are stored: the file's name.
    pub(super) prefix: Vec<u8>,
}

impl Context {
    pub(super) fn references(&self) -> i32 {
        self.header.references().len() as i32
    }

    /// A reference sequence's index, name and length.
    pub(super) fn reference(&self, reference: i32) -> Result<(usize, &[u8], i64)> {
        let index = usize::try_from(reference).ok();
        match index.and_then(|n| Some((n, self.header.references().get(n)?))) {
            // Below 2^63, as every length is.
            Some((index, found)) => Ok((index, &found.name, found.length as i64)),
            None => bad("a reference sequence that the header doesn't have"),
        }
    }

    /// A read group's name. A last group called UNKNOWN is what htsjdk gives reads without one.
    pub(super) fn read_group(&self, n: usize) -> Option<&[u8]> {
        let name = self.read_groups.get(n)?;
        let unknown = n + 1 == self.read_groups.len() && name == b"UNKNOWN";
        (!unknown).then_some(name)
    }
}
