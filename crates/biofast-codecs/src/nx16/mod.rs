//! rANS Nx16: 4 or 32 states of 31 bits, which take and give words of 16 bits, after transforms of the data (CRAM codecs
//! specification, section 3).

use biofast_kernels::Isa;

use crate::error::Error;
use crate::input::Input;
use crate::nx16::format::flags;
use crate::nx16::stream::{decode_stream, encode_stream, read_flags};

mod contexts;
pub(crate) mod format;
mod frequencies;
mod order0;
mod order1;
mod pack;
mod rle;
mod slots;
mod stream;
mod stripe;
mod words;

pub(crate) use slots::Slots;
pub use stream::Options;

/// Compresses `data`, at most 2^31 − 1 bytes, and appends the stream to `out`.
pub fn encode(data: &[u8], options: &Options, out: &mut Vec<u8>) {
    encode_by(biofast_kernels::active(), data, options, out);
}

/// The same with an instruction set that the CPU has, for tests.
#[doc(hidden)]
pub fn encode_by(isa: Isa, data: &[u8], options: &Options, out: &mut Vec<u8>) {
    match options.stripe {
        Some(count) if data.len() > usize::from(count.get()) => {
            stripe::encode(isa, data, count.get(), options, out);
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

/// The same with an instruction set that the CPU has, for tests.
///
/// # Errors
/// As [`decode`].
#[doc(hidden)]
pub fn decode_by(isa: Isa, stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut input = Input(stream);
    let flags = read_flags(&mut input, raw_len)?;
    if flags & flags::STRIPE != 0 {
        stripe::decode(isa, input, raw_len)
    } else {
        decode_stream(isa, flags, input, raw_len)
    }
}

/// The length that a stream states.
pub(crate) fn stated_len(stream: &[u8]) -> Result<usize, Error> {
    let mut input = Input(stream);
    if input.byte()? & flags::NO_SIZE != 0 {
        return Err(Error::Invalid("a stream that doesn't state its length"));
    }
    Ok(input.uint7()? as usize)
}
