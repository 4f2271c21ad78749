//! The decoder.

use crate::error::Error;
use crate::fqzcomp::context::{CONTEXTS, ReadSoFar};
use crate::fqzcomp::params::AllParams;
use crate::input::Input;
use crate::range::{Models, RangeDecoder};

pub(super) fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut input = Input(stream);
    let stated = input.uint7()?.into();
    if stated != raw_len as u64 {
        return Err(Error::Length { expected: raw_len, stated });
    }
    let all = AllParams::read(&mut input)?;
    let mut qualities = Models::new(CONTEXTS, all.symbols());
    let mut lengths = Models::new(4, 256);
    let [mut reversed, mut repeated] = [(); 2].map(|()| Models::new(1, 2));
    let mut selectors = Models::new(1, 1 + usize::from(all.max_selector));
    let mut coder = RangeDecoder::start(input)?;

    let mut out = Vec::with_capacity(raw_len);
    let mut set = &all.sets[0];
    let (mut len, mut turned) = (None, Vec::new());
    while out.len() < raw_len {
        let mut selector = 0;
        if set.has_selector || all.sets.len() > 1 {
            selector = selectors.decode(0, &mut coder)?;
        }
        let chosen = match &all.selectors {
            Some(table) => table[usize::from(selector)] as usize,
            None if all.sets.len() > 1 => selector.into(),
            None => 0,
        };
        set = all.sets.get(chosen).ok_or(Error::Invalid("no such set of parameters"))?;
        let read_len = match len {
            Some(len) if set.has_fixed_len => len,
            _ => {
                let mut bytes = [0; 4];
                for (at, byte) in bytes.iter_mut().enumerate() {
                    *byte = lengths.decode(at, &mut coder)?;
                }
                u32::from_le_bytes(bytes) as usize
            }
        };
        len = Some(read_len);
        let start = out.len();
        if read_len == 0 || read_len > raw_len - start {
            return Err(Error::Invalid("reads of other lengths than the qualities"));
        }
        let is_reversed = all.can_reverse && reversed.decode(0, &mut coder)? == 1;
        if set.can_repeat && repeated.decode(0, &mut coder)? == 1 {
            let from = start.checked_sub(read_len);
            let from = from.ok_or(Error::Invalid("qualities that repeat none"))?;
            out.extend_from_within(from..start);
        } else {
            let mut read = ReadSoFar::new(read_len, selector);
            let mut context = set.start as usize;
            for _ in 0..read_len {
                let symbol = qualities.decode(context, &mut coder)?;
                out.push(set.map.as_ref().map_or(symbol, |map| map[usize::from(symbol)]));
                context = read.add(set, symbol);
            }
        }
        if is_reversed {
            turned.push(start..start + read_len);
        }
    }
    coder.finish()?;
    // Now that no read repeats one of them.
    turned.into_iter().for_each(|read| out[read].reverse());
    Ok(out)
}
