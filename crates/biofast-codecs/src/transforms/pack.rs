//! Several symbols in a byte, where few symbols occur.

use crate::error::Error;
use crate::input::{Input, put_uint7};

/// Bits of a symbol if so many occur.
fn bits(symbols: usize) -> Option<u32> {
    match symbols {
        1 => Some(0),
        2 => Some(1),
        3..=4 => Some(2),
        5..=16 => Some(4),
        _ => None,
    }
}

/// Packs the data, and appends the map of symbols and the packed length. `None`, and nothing, if there are too many symbols.
pub(crate) fn encode(data: &[u8], out: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut codes = [0u8; 256];
    data.iter().for_each(|&symbol| codes[usize::from(symbol)] = 1);
    let map: Vec<u8> = (0..=255).filter(|&symbol| codes[usize::from(symbol)] > 0).collect();
    let bits = bits(map.len())?;
    for (code, &symbol) in (0..).zip(&map) {
        codes[usize::from(symbol)] = code;
    }
    let packed = match bits {
        0 => Vec::new(),
        1 => pack_each::<8>(data, &codes),
        2 => pack_each::<4>(data, &codes),
        _ => pack_each::<2>(data, &codes),
    };
    out.push(map.len() as u8);
    out.extend(&map);
    put_uint7(out, packed.len() as u32);
    Some(packed)
}

/// With `N` codes a byte.
fn pack_each<const N: usize>(data: &[u8], codes: &[u8; 256]) -> Vec<u8> {
    let pack = |symbols: &[u8]| {
        let codes = symbols.iter().map(|&symbol| codes[usize::from(symbol)]);
        codes.enumerate().fold(0, |byte, (at, code)| byte | code << (at * 8 / N))
    };
    // Apart, so that the loop over whole chunks knows how long they are.
    let (whole, rest) = data.as_chunks::<N>();
    let mut packed: Vec<u8> = whole.iter().map(|symbols| pack(symbols)).collect();
    packed.extend(Some(rest).filter(|rest| !rest.is_empty()).map(pack));
    packed
}

/// The symbols by their codes.
pub(crate) struct Map {
    symbols: [u8; 16],
    bits: u32,
}

impl Map {
    pub(crate) fn read(input: &mut Input<'_>) -> Result<Map, Error> {
        let count = usize::from(input.byte()?);
        let mut symbols = [0; 16];
        // More than 16, of which 256 are written as 0: htslib says that these are packed, too, and stores them as they are.
        let Some(bits) = bits(count) else { return Ok(Map { symbols, bits: 8 }) };
        symbols[..count].copy_from_slice(input.take(count)?);
        Ok(Map { symbols, bits })
    }

    /// Replaces `out` by the symbols.
    pub(crate) fn unpack(
        &self,
        packed: &[u8],
        raw_len: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.resize(raw_len, 0);
        match self.bits {
            0 => out.fill(self.symbols[0]),
            1 => self.unpack_each::<8>(packed, out)?,
            2 => self.unpack_each::<4>(packed, out)?,
            8 if packed.len() == raw_len => out.copy_from_slice(packed),
            8 => return Err(Error::Invalid("packed data of another length")),
            _ => self.unpack_each::<2>(packed, out)?,
        }
        Ok(())
    }

    /// With `N` symbols a byte.
    fn unpack_each<const N: usize>(&self, packed: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let bits = self.bits;
        if packed.len() != out.len().div_ceil(N) {
            return Err(Error::Invalid("packed data of another length"));
        }
        // What each byte unpacks to.
        let mut table = [[0; N]; 256];
        for (byte, symbols) in table.iter_mut().enumerate() {
            for (at, symbol) in (0..).zip(symbols) {
                *symbol = self.symbols[byte >> (at * bits) & ((1 << bits) - 1)];
            }
        }
        let (whole, rest) = out.as_chunks_mut::<N>();
        for (place, &byte) in whole.iter_mut().zip(packed) {
            *place = table[usize::from(byte)];
        }
        if let Some(&byte) = packed.last() {
            rest.copy_from_slice(&table[usize::from(byte)][..rest.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_htslib_calls_packed_and_is_not_is_read() {
        for count in [0, 17, 255] {
            let map = Map::read(&mut Input(&[count, 7, 9])).expect("a map without symbols");
            let mut out = b"what was before".to_vec();
            assert_eq!(map.unpack(b"abc", 3, &mut out), Ok(()));
            assert_eq!(out, b"abc");
            assert!(map.unpack(b"abc", 4, &mut out).is_err());
        }
    }
}
