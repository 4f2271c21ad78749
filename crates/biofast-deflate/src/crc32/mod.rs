//! CRC-32 as gzip has it (RFC 1952, section 8): polynomial 0x04c11db7, bits reversed.
mod scalar;

/// The CRC-32 of `bytes`.
pub fn crc32(bytes: &[u8]) -> u32 {
    scalar::update(0, bytes)
}

/// The CRC-32 of bytes that come in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crc32(u32);
