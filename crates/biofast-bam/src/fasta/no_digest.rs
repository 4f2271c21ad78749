//! In place of `digest.rs` in a build without MD5: there is no sum.

use std::convert::Infallible;
use std::io;

pub(super) struct Digest(Infallible);

impl Digest {
    /// # Errors
    /// Always.
    pub(super) fn new() -> io::Result<Digest> {
        let why = "this build has no MD5 sums (feature 'cram' is off)";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    pub(super) fn update(&mut self, _: &[u8]) {
        match self.0 {}
    }

    pub(super) fn finish(self) -> [u8; 16] {
        match self.0 {}
    }
}
