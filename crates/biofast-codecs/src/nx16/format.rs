//! What encoder and decoder agree on.

use crate::error::Error;

/// Frequencies of order 0 add up to 2^12; those of order 1, to that or to 2^10.
pub(super) const BITS: u32 = 12;
pub(super) const FEW_BITS: u32 = 10;
/// The lowest state. An encoder starts with it, and a decoder ends.
pub(crate) const LOW: u32 = 1 << 15;

/// What a stream's first byte says.
pub(super) mod flags {
    pub(crate) const ORDER: u8 = 0x01;
    pub(crate) const WIDE: u8 = 0x04;
    pub(crate) const STRIPE: u8 = 0x08;
    pub(crate) const NO_SIZE: u8 = 0x10;
    pub(crate) const STORED: u8 = 0x20;
    pub(crate) const RLE: u8 = 0x40;
    pub(crate) const PACK: u8 = 0x80;
}

/// The length of transformed data, which is at most what it was before.
pub(super) fn smaller(stated: u32, before: usize) -> Result<usize, Error> {
    let len = stated as usize;
    if len <= before { Ok(len) } else { Err(Error::Invalid("a transform that makes data larger")) }
}
