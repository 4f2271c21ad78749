//! Numbers of variable length, written (CRAM specification, section 2.3).

/// Appends a number as ITF-8.
#[inline]
pub(super) fn put_itf8(value: i32, out: &mut Vec<u8>) {
    let n = value as u32;
    match n {
        0..0x80 => out.push(n as u8),
        0x80..0x4000 => out.extend([0x80 | (n >> 8) as u8, n as u8]),
        0x4000..0x20_0000 => out.extend([0xc0 | (n >> 16) as u8, (n >> 8) as u8, n as u8]),
        0x20_0000..0x1000_0000 => {
            out.extend([0xe0 | (n >> 24) as u8, (n >> 16) as u8, (n >> 8) as u8, n as u8]);
        }
        _ => {
            let (first, last) = (0xf0 | (n >> 28) as u8, n as u8 & 0x0f);
            out.extend([first, (n >> 20) as u8, (n >> 12) as u8, (n >> 4) as u8, last]);
        }
    }
}

/// Appends a number as LTF-8.
pub(super) fn put_ltf8(value: i64, out: &mut Vec<u8>) {
    let n = value as u64;
    // Each byte has room for seven bits, until there are nine bytes.
    let more = (0..8).find(|more| n >> (7 * more + 7) == 0).unwrap_or(8);
    let ones = !(0xff_u32 >> more) as u8;
    let bytes = n.to_be_bytes();
    match more {
        8 => out.push(0xff),
        _ => out.push(ones | if more < 7 { (n >> (8 * more)) as u8 } else { 0 }),
    }
    out.extend_from_slice(&bytes[8 - more..]);
}

/// Appends bytes with their number before them.
pub(super) fn put_array(bytes: &[u8], out: &mut Vec<u8>) {
    put_itf8(bytes.len() as i32, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cram::bytes::ByteCursor;

    #[test]
    fn numbers_are_read_again() {
        let near = |bit: u32| [-1, 0, 1].map(|n| (1_i64 << bit).wrapping_add(n));
        for value in (0..64).flat_map(near).chain([-1, i64::MIN, i64::MAX]) {
            let mut bytes = Vec::new();
            put_ltf8(value, &mut bytes);
            put_itf8(value as i32, &mut bytes);
            let mut cursor = ByteCursor::new(&bytes);
            assert_eq!(cursor.ltf8().ok(), Some(value));
            assert_eq!(cursor.itf8().ok(), Some(value as i32));
            assert!(cursor.is_empty());
        }
    }
}
