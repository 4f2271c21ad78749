//! rANS 4x8: four states of 31 bits, which take and give bytes (CRAM codecs specification, section 2).
//!
//! A stream has its order, its length after these nine bytes, and the length of the data; the frequencies, whose sum is 4095; the
//! states; and the bytes that refill them.

use biofast_kernels::Isa;

use crate::error::Error;
use crate::input::Input;
use crate::isa;
use crate::order::Order;
use crate::rans4x8::format::STATES;

mod decode;
mod encode;
mod format;
mod frequencies;

/// Order, compressed length, length.
const HEADER_LEN: usize = 9;

/// Compresses `data`, at most 2^31 − 1 bytes, and appends the stream to `out`. Less than four bytes are of order 0.
pub fn encode(data: &[u8], order: Order, out: &mut Vec<u8>) {
    encode_by(biofast_kernels::active(), data, order, out);
}

/// The same with an instruction set that the CPU has, for tests.
#[doc(hidden)]
pub fn encode_by(isa: Isa, data: &[u8], order: Order, out: &mut Vec<u8>) {
    let start = out.len();
    let order = if data.len() < STATES { Order::Zero } else { order };
    out.push((order == Order::One).into());
    out.extend([0; 4]);
    out.extend((data.len() as u32).to_le_bytes());
    isa::run(isa, encode::Encoding { data, order, out });
    let len = out.len() - start - HEADER_LEN;
    out[start + 1..start + 5].copy_from_slice(&(len as u32).to_le_bytes());
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
    let mut input = Input(stream);
    let order = input.byte()?;
    let (len, stated) = (input.u32()? as usize, input.u32()?);
    if u64::from(stated) != raw_len as u64 {
        return Err(Error::Length { expected: raw_len, stated: stated.into() });
    }
    if len > input.0.len() {
        return Err(Error::Truncated);
    }
    if len < input.0.len() {
        return Err(Error::Invalid("bytes after the end of the stream"));
    }
    let order = match order {
        0 => Order::Zero,
        1 => Order::One,
        _ => return Err(Error::Invalid("an order other than 0 and 1")),
    };
    isa::run(isa, decode::Decoding { input, order, raw_len, out })
}
