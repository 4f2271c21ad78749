//! The name tokeniser, "tok3": names as differences between their parts and those of earlier names (CRAM codecs specification,
//! section 5).
//!
//! A name is split into numbers and what stands between them. For each position of such a token there are streams: one says of
//! which kind the token of each name is, others have the values of each kind. Each stream is compressed for itself.

use crate::error::Error;

mod decode;
mod encode;
mod token;

/// Compresses names, each ended by a NUL, and appends the stream to `out`.
///
/// # Errors
/// The last name isn't ended by a NUL, or they take 2^31 bytes or more.
pub fn encode(names: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    encode::encode(names, out)
}

/// Decompresses names, which take `raw_len` bytes, each ended by a NUL.
///
/// # Errors
/// The stream states another length, ends too early, or isn't what an encoder writes.
pub fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    decode::decode(stream, raw_len)
}
