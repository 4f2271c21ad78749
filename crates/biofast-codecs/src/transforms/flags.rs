//! What a stream's first byte says.

use crate::error::Error;
use crate::input::Input;

pub(crate) const ORDER: u8 = 0x01;
/// rANS: 32 states. The arithmetic coder: bzip2 in its place.
pub(crate) const OTHER: u8 = 0x04;
pub(crate) const STRIPE: u8 = 0x08;
pub(crate) const NO_SIZE: u8 = 0x10;
pub(crate) const STORED: u8 = 0x20;
pub(crate) const RLE: u8 = 0x40;
pub(crate) const PACK: u8 = 0x80;

/// Reads a stream's flags, and its length if it states one.
pub(super) fn read(input: &mut Input<'_>, raw_len: usize) -> Result<u8, Error> {
    let flags = input.byte()?;
    if flags & NO_SIZE == 0 {
        let stated = input.uint7()?.into();
        if stated != raw_len as u64 {
            return Err(Error::Length { expected: raw_len, stated });
        }
    }
    Ok(flags)
}
