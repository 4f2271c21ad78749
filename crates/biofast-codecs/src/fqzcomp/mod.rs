//! fqzcomp: qualities by the arithmetic coder, each in a context of those before it in its read, its place in the read, and how often
//! they changed (CRAM codecs specification, section 6). It makes the smallest blocks, and takes longest.

use crate::error::Error;

mod context;
mod decode;
mod encode;
mod params;
mod read;
mod shape;
mod table;

pub use read::Read;

/// Compresses the qualities of reads, at most 2^31 − 1 bytes, and appends the stream to `out`.
///
/// # Errors
/// The lengths of the reads don't add up to that of the qualities, or one of them is 0.
pub fn encode(qualities: &[u8], reads: &[Read], out: &mut Vec<u8>) -> Result<(), Error> {
    encode::encode(qualities, reads, out)
}

/// Decompresses a stream of `raw_len` qualities.
///
/// # Errors
/// The stream states another length, ends too early, or isn't what an encoder writes.
pub fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    decode::decode(stream, raw_len)
}
