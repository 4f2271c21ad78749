//! Keys that are hashes already.

use std::hash::Hasher;

/// Takes the lower half of what is a hash already.
#[derive(Default)]
pub(crate) struct Low(u64);

impl Hasher for Low {
    fn write(&mut self, _: &[u8]) {}

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
