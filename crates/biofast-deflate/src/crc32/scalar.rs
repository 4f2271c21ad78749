pub(crate) fn update(crc: u32, bytes: &[u8]) -> u32 {
    let mut c = !crc;
    for &b in bytes { c ^= u32::from(b); for _ in 0..8 { c = (c >> 1) ^ (0xedb88320 & (0u32.wrapping_sub(c & 1))); } }
    !c
}
