//! Numbers of as many bytes as they need: seven bits a byte, the lowest first.

pub(crate) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The number at the front of `bytes`, which is taken from them; `None` if they end before it does, or after ten bytes.
pub(crate) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_read_again() {
        for number in (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, u64::MAX >> bit]) {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            let mut cut = &bytes[..bytes.len() - 1];
            assert_eq!(read_number(&mut cut), None);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!((read_number(&mut rest), rest), (Some(number), &[7][..]));
        }
    }
}
