//! Numbers in entries.

/// The bytes of a number at the front of `bytes`, which are taken from them.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

/// Seven bits a byte, the lowest first.
pub(super) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) fn read_number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.split_off_first().copied().unwrap_or_default();
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_read_again() {
        for number in (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, u64::MAX >> bit]) {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!((read_number(&mut rest), rest), (number, &[7][..]));
        }
    }
}
