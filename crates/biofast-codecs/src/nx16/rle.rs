//! Lengths of runs instead of repeated symbols, for the symbols that repeat most often.

use biofast_kernels::Isa;

use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::nx16::order0;
use crate::transforms::smaller;

/// Symbols of a run that are written at once.
const SHORT: usize = 16;

/// Symbols and, apart, for some of them how often each is repeated.
pub(super) struct Runs {
    pub(super) symbols: Vec<u8>,
    /// Which symbols have lengths, and the lengths.
    lengths: Vec<u8>,
}

/// Takes runs out; `None` if it doesn't pay.
pub(super) fn encode(data: &[u8]) -> Option<Runs> {
    // Where a run saves more than lengths of others cost.
    let mut repeats = [0i64; 256];
    let mut rest = data;
    while let Some((&symbol, after)) = rest.split_first() {
        let more = repeats_of(symbol, after);
        repeats[usize::from(symbol)] += more as i64 - 1;
        rest = &after[more..];
    }
    let has_lengths = repeats.map(|repeats| repeats > 0);
    let with: Vec<u8> = (0..=255).filter(|&symbol| has_lengths[usize::from(symbol)]).collect();
    if with.is_empty() {
        return None;
    }
    // All 256 are stated as none.
    let mut lengths = vec![with.len() as u8];
    lengths.extend(&with);
    let mut symbols = Vec::with_capacity(data.len() / 4);
    let mut rest = data;
    while let Some((&symbol, after)) = rest.split_first() {
        symbols.push(symbol);
        rest = after;
        if has_lengths[usize::from(symbol)] {
            let more = repeats_of(symbol, rest);
            put_uint7(&mut lengths, more as u32);
            rest = &rest[more..];
        }
    }
    (symbols.len() + lengths.len() < data.len()).then_some(Runs { symbols, lengths })
}

/// How many bytes at the front are this symbol.
#[inline]
fn repeats_of(symbol: u8, data: &[u8]) -> usize {
    let mut count = 0;
    for eight in data.as_chunks::<8>().0 {
        let differ = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([symbol; 8]);
        if differ != 0 {
            return count + differ.trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    count + data[count..].iter().take_while(|&&next| next == symbol).count()
}

impl Runs {
    /// Appends the lengths, compressed if that makes them smaller; returns whether it does.
    pub(super) fn put(&self, isa: Isa, is_wide: bool, out: &mut Vec<u8>) -> bool {
        let mut compressed = Vec::new();
        if is_wide {
            order0::encode::<32>(isa, &self.lengths, &mut compressed);
        } else {
            order0::encode::<4>(isa, &self.lengths, &mut compressed);
        }
        let is_stored = compressed.len() >= self.lengths.len();
        put_uint7(out, (self.lengths.len() as u32) << 1 | u32::from(is_stored));
        put_uint7(out, self.symbols.len() as u32);
        if is_stored {
            out.extend(&self.lengths);
        } else {
            put_uint7(out, compressed.len() as u32);
            out.extend(&compressed);
        }
        !is_stored
    }
}

/// Lengths of runs, to expand symbols.
pub(super) struct Lengths {
    /// All bits are set for symbols that have lengths, none for others.
    masks: [u8; 256],
    /// The lengths as stored, from `start` on.
    data: Vec<u8>,
    start: usize,
}

impl Lengths {
    /// Reads lengths, and how many symbols they belong to: at most `expanded_len`.
    pub(super) fn read(
        isa: Isa,
        input: &mut Input<'_>,
        is_wide: bool,
        expanded_len: usize,
    ) -> Result<(Lengths, usize), Error> {
        let stated = input.uint7()?;
        let count = smaller(input.uint7()?, expanded_len)?;
        let len = (stated >> 1) as usize;
        let mut data = Vec::new();
        if stated & 1 == 1 {
            data.extend_from_slice(input.take(len)?);
        } else {
            let compressed = Input(input.u7_slice()?);
            // A list of symbols, and no length has more than five bytes.
            if len > 257 + 5 * count {
                return Err(Error::Invalid("more lengths of runs than symbols"));
            }
            match is_wide {
                false => order0::decode::<4>(isa, compressed, len, &mut data)?,
                true => order0::decode::<32>(isa, compressed, len, &mut data)?,
            }
        }
        let mut list = Input(&data);
        let with = match list.byte()? {
            0 => 256,
            with => usize::from(with),
        };
        let mut masks = [0; 256];
        list.take(with)?.iter().for_each(|&symbol| masks[usize::from(symbol)] = 0xff);
        Ok((Lengths { masks, data, start: 1 + with }, count))
    }

    /// Replaces `out` by the symbols with their repeats.
    pub(super) fn expand(
        &self,
        symbols: &[u8],
        expanded_len: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.resize(expanded_len, 0);
        let mut rest = &mut out[..];
        let lengths = self.data.get(self.start..).unwrap_or_default();
        let mut at = 0;
        for &symbol in symbols {
            // Nobody can predict which symbols have lengths, but that those have a single byte.
            let mask = self.masks[usize::from(symbol)];
            let byte = lengths.get(at).unwrap_or(&0xff) & mask;
            let mut more = usize::from(byte);
            if byte < 0x80 {
                at += usize::from(mask & 1);
            } else {
                let mut left = Input(&lengths[at..]);
                more = left.uint7()? as usize;
                at = lengths.len() - left.0.len();
            }
            if more >= rest.len() {
                return Err(Error::Invalid("runs longer than the data"));
            }
            // Most runs are short: what is written behind them is written over.
            match rest.first_chunk_mut() {
                Some(chunk) if more < SHORT => *chunk = [symbol; SHORT],
                _ => rest[..=more].fill(symbol),
            }
            rest = &mut rest[more + 1..];
        }
        if !rest.is_empty() {
            return Err(Error::Invalid("runs shorter than the data"));
        }
        Ok(())
    }
}
