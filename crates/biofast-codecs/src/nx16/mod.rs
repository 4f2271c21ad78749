//! rANS Nx16: 4 or 32 states of 31 bits, which take and give words of 16 bits, after transforms of the data (CRAM codecs
//! specification, section 3).

use biofast_kernels::Isa;

use crate::error::Error;
use crate::nx16::stream::{decode_stream, encode_stream};
use crate::transforms;

mod contexts;
pub(crate) mod format;
mod frequencies;
mod order0;
mod order1;
mod rle;
mod slots;
mod stream;
mod stripe;
mod words;

pub(crate) use slots::Slots;
pub use stream::{Options, Overhead};

/// Compresses `data`, at most 2^31 − 1 bytes, and appends the stream to `out`.
pub fn encode(data: &[u8], options: &Options, out: &mut Vec<u8>) -> Overhead {
    encode_by(biofast_kernels::active(), data, options, out)
}

/// The same with an instruction set that the CPU has, for tests.
#[doc(hidden)]
pub fn encode_by(isa: Isa, data: &[u8], options: &Options, out: &mut Vec<u8>) -> Overhead {
    match options.stripe {
        Some(count) if data.len() > usize::from(count.get()) => {
            stripe::encode(isa, data, count.get(), options, out)
        }
        _ => encode_stream(isa, data, options, true, out),
    }
}

/// Decompresses a stream of `raw_len` bytes.
///
/// # Errors
/// The stream states another length, ends too early, or isn't what an encoder writes. It doesn't pass that states end other than
/// they start.
pub fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    decode_by(biofast_kernels::active(), stream, raw_len)
}

/// The same into a buffer, whose content it replaces. After an error, it has any content.
///
/// # Errors
/// As [`decode`].
pub fn decode_into(stream: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    decode_into_by(biofast_kernels::active(), stream, raw_len, out)
}

/// The same with an instruction set that the CPU has, for tests.
///
/// # Errors
/// As [`decode`].
#[doc(hidden)]
pub fn decode_by(isa: Isa, stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    decode_into_by(isa, stream, raw_len, &mut out)?;
    Ok(out)
}

fn decode_into_by(isa: Isa, stream: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    transforms::decode(stream, raw_len, out, |flags, input, len, out| {
        decode_stream(isa, flags, input, len, out)
    })
}
