//! The members of ordinary gzip with where each starts, for who goes on behind damage.

use super::GzipDecoder;
use crate::error::Error;
use crate::input::{Options, Source, StoredBytes};

/// Decodes members of ordinary gzip up to the first fault, and knows which member that is in.
#[doc(hidden)]
pub struct GzipMembers {
    input: StoredBytes,
    decoder: GzipDecoder,
}

impl GzipMembers {
    /// The members in `stored`, whose first byte has this number in the file.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn new(stored: Source, start: u64) -> Result<GzipMembers, Error> {
        let input = StoredBytes::new(stored, &Options::serial())?.numbered_from(start);
        Ok(GzipMembers { input, decoder: GzipDecoder { is_by_member: true, ..GzipDecoder::new() } })
    }

    /// Fills `out` with text of one member; nothing only at the end, or before the fault returned beside it.
    pub fn read(&mut self, out: &mut [u8]) -> (usize, Option<Error>) {
        self.decoder.read(&mut self.input, out)
    }

    /// Where in the file the member starts that was read last.
    pub fn member_start(&self) -> u64 {
        self.decoder.member_start
    }
}
