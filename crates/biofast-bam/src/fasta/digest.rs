//! MD5 sums of sequences, by which headers tell reference sequences apart.

use std::io;

use md5::{Digest as _, Md5};

/// The MD5 sum of what is given bit by bit.
pub(super) struct Digest(Md5);

impl Digest {
    /// Of nothing yet.
    #[allow(clippy::unnecessary_wraps)] // builds without MD5 have none
    pub(super) fn new() -> io::Result<Digest> {
        Ok(Digest(Md5::default()))
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> [u8; 16] {
        self.0.finalize().into()
    }
}
