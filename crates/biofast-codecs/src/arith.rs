//! The adaptive arithmetic coder, after transforms of the data (CRAM codecs specification, section 4). Decoded only: hardly any
//! file has such blocks, which take long to decode.

use std::io::Read;

use crate::error::Error;
use crate::input::Input;
use crate::range::{Models, RangeDecoder};
use crate::transforms::{self, flags, pack, smaller};

/// Decompresses a stream of `raw_len` bytes.
///
/// # Errors
/// The stream states another length, ends too early, or isn't what an encoder writes.
pub fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    transforms::decode(stream, raw_len, &mut out, decode_stream)?;
    Ok(out)
}

/// Decompresses a stream without stripes from behind its length.
fn decode_stream(
    flags: u8,
    mut input: Input<'_>,
    raw_len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let (map, len) = match flags & flags::PACK {
        0 => (None, raw_len),
        _ => {
            let map = pack::Map::read(&mut input)?;
            (Some(map), smaller(input.uint7()?, raw_len)?)
        }
    };
    let data = match flags {
        _ if len == 0 => Vec::new(),
        _ if flags & flags::STORED != 0 => input.take(len)?.to_vec(),
        _ if flags & flags::OTHER != 0 => bunzip2(input, len)?,
        _ if flags & flags::RLE != 0 => decode_runs(flags & flags::ORDER != 0, input, len)?,
        _ => decode_symbols(flags & flags::ORDER != 0, input, len)?,
    };
    match map {
        Some(map) => map.unpack(&data, raw_len, out)?,
        None => *out = data,
    }
    Ok(())
}

/// Models of the symbols, in order 1 one for each symbol before.
fn read_models(is_order1: bool, input: &mut Input<'_>) -> Result<Models, Error> {
    let symbols = match input.byte()? {
        0 => 256,
        symbols => usize::from(symbols),
    };
    Ok(Models::new(if is_order1 { symbols } else { 1 }, symbols))
}

fn decode_symbols(is_order1: bool, mut input: Input<'_>, len: usize) -> Result<Vec<u8>, Error> {
    let mut models = read_models(is_order1, &mut input)?;
    let mut coder = RangeDecoder::start(input)?;
    let mut out = vec![0; len];
    let mut context = 0;
    for symbol in &mut out {
        *symbol = models.decode(context, &mut coder)?;
        if is_order1 {
            context = usize::from(*symbol);
        }
    }
    coder.finish()?;
    Ok(out)
}

/// The most that one number adds to a run: then another follows.
const PART: u8 = 3;

/// Symbols, and how often each is repeated: parts of that have a context for each symbol, one for the second part, and one for those
/// after it.
fn decode_runs(is_order1: bool, mut input: Input<'_>, len: usize) -> Result<Vec<u8>, Error> {
    let mut models = read_models(is_order1, &mut input)?;
    let mut runs = Models::new(258, usize::from(PART) + 1);
    let mut coder = RangeDecoder::start(input)?;
    let mut out = Vec::with_capacity(len);
    let mut context = 0;
    while out.len() < len {
        let symbol = models.decode(context, &mut coder)?;
        if is_order1 {
            context = usize::from(symbol);
        }
        let (mut run, mut part_of) = (1, usize::from(symbol));
        loop {
            let part = runs.decode(part_of, &mut coder)?;
            run += usize::from(part);
            if run > len - out.len() {
                return Err(Error::Invalid("runs longer than the data"));
            }
            if part < PART {
                break;
            }
            part_of = if part_of < 256 { 256 } else { 257 };
        }
        out.resize(out.len() + run, symbol);
    }
    coder.finish()?;
    Ok(out)
}

fn bunzip2(input: Input<'_>, len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let decoder = bzip2::bufread::BzDecoder::new(input.0);
    match decoder.take(len as u64 + 1).read_to_end(&mut out) {
        Ok(found) if found == len => Ok(out),
        Ok(found) => Err(Error::Length { expected: len, stated: found as u64 }),
        Err(_) => Err(Error::Invalid("bzip2 that can't be decompressed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::put_uint7;
    use crate::range::RangeEncoder;
    use crate::transforms::stripe;
    use proptest::prelude::*;

    /// The encoder that the specification describes, without stripes.
    fn encode(data: &[u8], how: u8) -> Vec<u8> {
        let mut out = vec![how];
        if how & flags::NO_SIZE == 0 {
            put_uint7(&mut out, data.len() as u32);
        }
        let packed = (how & flags::PACK != 0).then(|| pack::encode(data, &mut out)).flatten();
        if packed.is_none() {
            out[0] &= !flags::PACK;
        }
        let data = packed.as_deref().unwrap_or(data);
        let is_order1 = how & flags::ORDER != 0;
        let symbols = 1 + usize::from(data.iter().copied().max().unwrap_or(0));
        out.push(symbols as u8);
        let mut models = Models::new(if is_order1 { symbols } else { 1 }, symbols);
        let mut runs = Models::new(258, 4);
        let mut coder = RangeEncoder::new(&mut out);
        let (mut last, mut at) = (0, 0);
        while at < data.len() {
            let symbol = data[at];
            models.encode(if is_order1 { last } else { 0 }, symbol, &mut coder);
            last = usize::from(symbol);
            at += 1;
            if how & flags::RLE != 0 {
                let mut run = data[at..].iter().take_while(|&&next| next == symbol).count();
                at += run;
                let mut contexts = [last, 256].into_iter().chain(std::iter::repeat(257));
                while run >= 3 {
                    runs.encode(contexts.next().expect("no end"), 3, &mut coder);
                    run -= 3;
                }
                runs.encode(contexts.next().expect("no end"), run as u8, &mut coder);
            }
        }
        coder.finish();
        out
    }

    proptest! {
        #[test]
        fn what_the_specification_encodes_is_decoded(
            runs in proptest::collection::vec((0..40u8, 1..40usize), 0..80),
            few in any::<bool>(), how in 0..16u8, stripes in 0..5usize,
        ) {
            let data: Vec<u8> = runs
                .iter()
                .flat_map(|&(symbol, run)| std::iter::repeat_n(if few { symbol % 3 } else { symbol * 6 }, run))
                .collect();
            let how = [0, flags::ORDER][usize::from(how & 1)]
                | [0, flags::RLE][usize::from(how >> 1 & 1)]
                | [0, flags::PACK][usize::from(how >> 2 & 1)];
            let stream = if stripes == 0 { encode(&data, how) } else {
                let streams: Vec<Vec<u8>> = (0..stripes)
                    .map(|first| encode(&stripe::stripe(&data, first, stripes), how | flags::NO_SIZE))
                    .collect();
                let mut out = Vec::new();
                stripe::put(&streams, data.len(), &mut out);
                out
            };
            prop_assert_eq!(decode(&stream, data.len()), Ok(data));
        }
    }
}
