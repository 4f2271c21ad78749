//! Each n-th byte in a stream of its own.

use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::transforms::flags;

/// Writes streams, each of which was made of a [`stripe`] of `len` bytes and doesn't state its length.
pub(crate) fn put(streams: &[Vec<u8>], len: usize, out: &mut Vec<u8>) {
    out.push(flags::STRIPE);
    put_uint7(out, len as u32);
    out.push(streams.len() as u8);
    streams.iter().for_each(|stream| put_uint7(out, stream.len() as u32));
    streams.iter().for_each(|stream| out.extend(stream));
}

/// Each `count`-th byte from `first` on.
pub(crate) fn stripe(data: &[u8], first: usize, count: usize) -> Vec<u8> {
    data.iter().skip(first).step_by(count).copied().collect()
}

/// Decompresses stripes from behind the length, each by `decode`: see [`transforms::decode`](super::decode).
pub(super) fn decode<'a>(
    mut input: Input<'a>,
    raw_len: usize,
    out: &mut Vec<u8>,
    decode: impl Fn(u8, Input<'a>, usize, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let count = usize::from(input.byte()?);
    if count == 0 {
        return Err(Error::Invalid("no stripes"));
    }
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push(input.uint7()? as usize);
    }
    out.resize(raw_len, 0);
    let mut symbols = Vec::new();
    for (stripe, len) in lengths.into_iter().enumerate() {
        let mut stream = Input(input.take(len)?);
        let stripe_len = raw_len / count + usize::from(raw_len % count > stripe);
        let flags = flags::read(&mut stream, stripe_len)?;
        if flags & flags::STRIPE != 0 {
            return Err(Error::Invalid("stripes within stripes"));
        }
        decode(flags, stream, stripe_len, &mut symbols)?;
        for (to, symbol) in out.iter_mut().skip(stripe).step_by(count).zip(&symbols) {
            *to = *symbol;
        }
    }
    Ok(())
}
