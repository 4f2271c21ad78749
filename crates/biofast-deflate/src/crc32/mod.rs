//! CRC-32 as gzip has it (RFC 1952, section 8): polynomial 0x04c11db7, bits reversed, start and end inverted.

use std::sync::OnceLock;

use biofast_kernels::Isa;

use scalar::Update;

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod combine;
mod fold;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// The CRC-32 of `bytes`, as in gzip (polynomial 0x04C11DB7, reflected).
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    crc.update(bytes);
    crc.sum()
}

/// The CRC-32 of bytes that come in parts.
///
/// ```
/// let mut crc = biofast_deflate::Crc32::new();
/// crc.update(b"1234");
/// crc.update(b"56789");
/// assert_eq!(crc.sum(), 0xcbf4_3926);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Crc32 {
    register: u32,
}

impl Crc32 {
    /// The CRC-32 of no bytes, which is 0.
    pub fn new() -> Self {
        Self { register: !0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        static CHOSEN: OnceLock<Update> = OnceLock::new();
        let update = CHOSEN.get_or_init(|| update_for(biofast_kernels::active()));
        self.register = update(self.register, bytes);
    }

    /// Appends `len` bytes, of which only the CRC-32, `sum`, is needed.
    pub fn append(&mut self, sum: u32, len: u64) {
        self.register = !(combine::shift(self.sum(), len) ^ sum);
    }

    /// The CRC-32 of the bytes so far.
    pub fn sum(&self) -> u32 {
        !self.register
    }
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

/// The fastest way on this CPU that `isa` doesn't rule out.
fn update_for(isa: Isa) -> Update {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::update(isa).unwrap_or(scalar::update),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => aarch64::update().unwrap_or(scalar::update),
        _ => scalar::update,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * i / 7 + i / 256) as u8).collect()
    }

    #[test]
    fn every_level_agrees_with_libdeflate_at_every_length() {
        let data = bytes(5000);
        for isa in biofast_kernels::available() {
            let update = update_for(isa);
            for start in 0..3 {
                for end in (start..1200).chain([2047, 2048, 2049, 4095, 4999]) {
                    let part = &data[start..end.max(start)];
                    assert_eq!(!update(!0, part), libdeflater::crc32(part), "{isa} {}", part.len());
                }
            }
        }
    }

    #[test]
    fn pieces_make_the_whole() {
        let data = bytes(4000);
        for cut in (0..data.len()).step_by(37) {
            let mut crc = Crc32::new();
            crc.update(&data[..cut]);
            crc.update(&data[cut..]);
            assert_eq!(crc.sum(), libdeflater::crc32(&data), "{cut}");
            let mut crc = Crc32::new();
            crc.append(crc32(&data[..cut]), cut as u64);
            crc.append(crc32(&data[cut..]), (data.len() - cut) as u64);
            assert_eq!(crc.sum(), libdeflater::crc32(&data), "{cut}");
        }
    }
}
