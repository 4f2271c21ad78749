//! Stands around the decompressors that aren't ours. Looks at compressed data before one does that trusts them: it
//! allocates what the data claim, and calls itself for each level of nested streams. Checksums find damage; this is for
//! data made to do harm. And catches the panics of some on data that no compressor makes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cram::bytes::{ByteCursor, Result, bad};
use crate::error::ErrorKind;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decompressor whose panic becomes an error: a panic hook has nothing to say then.
pub fn panics_are_caught() -> bool {
    INSIDE.get()
}

/// Calls a decompressor.
pub(super) fn decompress<T>(call: impl FnOnce() -> std::io::Result<T>) -> Result<T> {
    INSIDE.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(false);
    match result {
        Ok(result) => result.map_err(|e| ErrorKind::BadCram(e.to_string().into())),
        Err(_) => bad("a block that can't be decompressed"),
    }
}

/// Streams of several interleaved streams (CRAM codecs specification, sections 3.6 and 4.6).
const STRIPE: u8 = 0x08;
/// The stream doesn't state its length.
const NO_SIZE: u8 = 0x10;

/// Checks the data of a block that claims to decompress to `raw_len` bytes.
pub(super) fn check(method: u8, data: &[u8], raw_len: usize) -> Result<()> {
    let mut data = ByteCursor::new(data);
    let claims = match method {
        6 => return check_stream(data, Some(raw_len)),
        7 => uint7(&mut data)?,
        8 => return check_names(data, raw_len),
        _ => return Ok(()),
    };
    if claims == raw_len {
        Ok(())
    } else {
        bad("compressed data and their block state different lengths")
    }
}

/// A number of seven bits a byte, the highest first.
fn uint7(data: &mut ByteCursor<'_>) -> Result<usize> {
    let mut value = 0u64;
    loop {
        let byte = data.byte()?;
        value = value << 7 | u64::from(byte & 0x7f);
        if value > u32::MAX.into() {
            return bad("a length of more than 32 bits in compressed data");
        }
        if byte & 0x80 == 0 {
            return Ok(value as usize);
        }
    }
}

/// A stream of rANS Nx16 or of the arithmetic coder: striped streams may not nest.
fn check_stream(mut data: ByteCursor<'_>, raw_len: Option<usize>) -> Result<()> {
    let flags = data.byte()?;
    if flags & NO_SIZE == 0 {
        let claims = uint7(&mut data)?;
        if raw_len.is_some_and(|raw_len| claims != raw_len) || claims > MAX_SLICE {
            return bad("compressed data and their block state different lengths");
        }
    }
    if flags & STRIPE == 0 {
        return Ok(());
    }
    let count = data.byte()?;
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push(uint7(&mut data)?);
    }
    for len in lengths {
        let stripe = data.take(len)?;
        if stripe.first().is_none_or(|flags| flags & STRIPE != 0) {
            return bad("striped streams within striped streams");
        }
    }
    Ok(())
}

/// The name tokeniser's streams.
fn check_names(mut data: ByteCursor<'_>, raw_len: usize) -> Result<()> {
    let (claims, names) = (data.u32()? as usize, data.u32()? as usize);
    if claims != raw_len || names > raw_len {
        return bad("compressed names and their block state different lengths");
    }
    // Which coder the streams are of.
    data.byte()?;
    while !data.is_empty() {
        let kind = data.byte()?;
        if kind & 0x40 != 0 {
            // The same as another stream: its position and type.
            data.take(2)?;
        } else {
            let len = uint7(&mut data)?;
            check_stream(ByteCursor::new(data.take(len)?), None)?;
        }
    }
    Ok(())
}

/// The most a slice may take when decoded, 1 GiB: far more than any writer makes, and what keeps
/// a small damaged file from taking all memory.
pub(super) const MAX_SLICE: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_must_agree_and_stripes_may_not_nest() {
        assert!(check(6, &[0, 0x81, 0x00, 1, 2, 3], 128).is_ok());
        assert!(check(6, &[0, 0x8f, 0xff, 0xff, 0xff, 0x7f], 128).is_err());
        assert!(check(6, &[STRIPE, 4, 2, 1, 1, 0, 0], 4).is_ok());
        assert!(check(6, &[STRIPE, 4, 2, 1, 1, 0, STRIPE], 4).is_err());
        assert!(check(8, &[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 1, 0x40, 0, 0], 9).is_ok());
        assert!(check(8, &[9, 0, 0, 0, 0, 0, 0, 0x7f, 0], 9).is_err());
        assert!(check(7, &[7], 7).is_ok());
    }
}
