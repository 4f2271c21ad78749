//! What a stream of rANS Nx16 and one of the arithmetic coder have in common: flags, lengths, and what is done to the data before
//! they are coded (CRAM codecs specification, sections 3.4 to 3.7 and 4.5).

use crate::error::Error;
use crate::input::Input;

pub(crate) mod flags;
pub(crate) mod pack;
pub(crate) mod stripe;

/// Decompresses a stream of `raw_len` bytes into `out`, whose content it replaces. `decode` does so with one that isn't striped, from
/// behind its length; it is given flags, what follows, the length, and where the data go.
pub(crate) fn decode<'a>(
    stream: &'a [u8],
    raw_len: usize,
    out: &mut Vec<u8>,
    decode: impl Fn(u8, Input<'a>, usize, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut input = Input(stream);
    let flags = flags::read(&mut input, raw_len)?;
    if flags & flags::STRIPE != 0 {
        stripe::decode(input, raw_len, out, decode)
    } else {
        decode(flags, input, raw_len, out)
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

/// The length of transformed data, which is at most what it was before.
pub(crate) fn smaller(stated: u32, before: usize) -> Result<usize, Error> {
    let len = stated as usize;
    if len <= before { Ok(len) } else { Err(Error::Invalid("a transform that makes data larger")) }
}
