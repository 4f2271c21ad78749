//! How contexts are made: what stands at the front of a stream.

use crate::error::Error;
use crate::fqzcomp::table;
use crate::input::Input;

/// The only version there is.
const VERSION: u8 = 5;

/// What is so for all sets of parameters.
mod all {
    pub(crate) const SEVERAL: u8 = 1;
    pub(crate) const HAS_SELECTORS: u8 = 2;
    pub(crate) const CAN_REVERSE: u8 = 4;
}

/// What is so for one.
mod one {
    pub(crate) const CAN_REPEAT: u8 = 2;
    /// One length for all reads.
    pub(crate) const FIXED_LEN: u8 = 4;
    pub(crate) const HAS_SELECTOR: u8 = 8;
    pub(crate) const HAS_MAP: u8 = 16;
    pub(crate) const HAS_POSITIONS: u8 = 32;
    pub(crate) const HAS_CHANGES: u8 = 64;
    pub(crate) const HAS_QUALITIES: u8 = 128;
}

/// A set of parameters. Numbers in tables are shifted to their place in the context.
#[derive(Clone)]
pub(super) struct Params {
    /// The context of a read's first quality.
    pub(super) start: u32,
    /// A read may be said to have the qualities of the one before.
    pub(super) can_repeat: bool,
    pub(super) has_fixed_len: bool,
    /// A number is stored with each read and becomes part of the context.
    pub(super) has_selector: bool,
    /// The highest symbol.
    pub(super) max_symbol: u8,
    /// Bits of the symbols before in the context, by how many of them each symbol moves the others, and their place.
    pub(super) bits: u32,
    pub(super) shift: u32,
    pub(super) place: u32,
    pub(super) selector_place: u32,
    pub(super) position_place: u32,
    pub(super) change_place: u32,
    /// The quality that a symbol stands for, if these aren't the same.
    pub(super) map: Option<Vec<u8>>,
    /// What a symbol is in the context.
    pub(super) symbols: Option<[u32; 256]>,
    /// What is added for the number of qualities left in the read, and for how often they changed.
    pub(super) positions: Option<Box<[u32; 1024]>>,
    pub(super) changes: Option<[u32; 256]>,
}

/// The parameters of a stream.
pub(super) struct AllParams {
    pub(super) can_reverse: bool,
    /// Which set of parameters a selector chooses.
    pub(super) selectors: Option<[u32; 256]>,
    /// The highest selector; 0 if there are none.
    pub(super) max_selector: u8,
    pub(super) sets: Vec<Params>,
}

impl AllParams {
    pub(super) fn read(input: &mut Input<'_>) -> Result<AllParams, Error> {
        if input.byte()? != VERSION {
            return Err(Error::Invalid("an unknown version of fqzcomp"));
        }
        let flags = input.byte()?;
        let count = if flags & all::SEVERAL != 0 { input.byte()? } else { 1 };
        let (mut max_selector, mut selectors) = (if count > 1 { count } else { 0 }, None);
        if flags & all::HAS_SELECTORS != 0 {
            max_selector = input.byte()?;
            selectors = Some(table::read(input)?);
        }
        let sets = (0..count).map(|_| Params::read(input)).collect::<Result<Vec<_>, _>>()?;
        if sets.is_empty() || sets.iter().any(|set| set.has_selector) && max_selector == 0 {
            return Err(Error::Invalid("fqzcomp without parameters"));
        }
        let can_reverse = flags & all::CAN_REVERSE != 0;
        Ok(AllParams { can_reverse, selectors, max_selector, sets })
    }

    /// Writes them if there is one set, as encoders have it.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        out.push(VERSION);
        out.push(
            flag(self.selectors.is_some(), all::HAS_SELECTORS)
                | flag(self.can_reverse, all::CAN_REVERSE),
        );
        if let Some(selectors) = &self.selectors {
            out.push(self.max_selector);
            table::put(selectors, out);
        }
        self.sets.iter().for_each(|set| set.put(out));
    }

    /// How many symbols all models of qualities have.
    pub(super) fn symbols(&self) -> usize {
        1 + usize::from(self.sets.iter().map(|set| set.max_symbol).max().unwrap_or(0))
    }
}

impl Params {
    fn read(input: &mut Input<'_>) -> Result<Params, Error> {
        let start = u32::from(input.byte()?) | u32::from(input.byte()?) << 8;
        let (flags, max_symbol) = (input.byte()?, input.byte()?);
        let mut nibbles = || input.byte().map(|byte| (u32::from(byte) >> 4, u32::from(byte) & 15));
        let (bits, shift) = nibbles()?;
        let (place, selector_place) = nibbles()?;
        let (position_place, change_place) = nibbles()?;
        let mut map = None;
        if flags & one::HAS_MAP != 0 {
            let mut qualities = vec![u8::MAX; 256];
            let stated = input.take(max_symbol.into())?;
            qualities[..stated.len()].copy_from_slice(stated);
            map = Some(qualities);
        }
        let has = |flag: u8| flags & flag != 0;
        // A table that nobody would look into isn't written.
        let symbols = (has(one::HAS_QUALITIES) && bits > 0).then(|| table::read(input));
        let symbols = symbols.transpose()?;
        let positions = has(one::HAS_POSITIONS).then(|| table::read::<1024>(input)).transpose()?;
        let changes = has(one::HAS_CHANGES).then(|| table::read::<256>(input)).transpose()?;
        Ok(Params {
            start,
            can_repeat: has(one::CAN_REPEAT),
            has_fixed_len: has(one::FIXED_LEN),
            has_selector: has(one::HAS_SELECTOR),
            max_symbol,
            bits,
            shift,
            place,
            selector_place,
            position_place,
            change_place,
            map,
            symbols,
            positions: positions.map(|table| Box::new(table.map(|n| n << position_place))),
            changes: changes.map(|table| table.map(|n| n << change_place)),
        })
    }

    /// Writes them without a table of symbols, which encoders don't have.
    fn put(&self, out: &mut Vec<u8>) {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        out.extend((self.start as u16).to_le_bytes());
        out.push(
            flag(self.can_repeat, one::CAN_REPEAT)
                | flag(self.has_fixed_len, one::FIXED_LEN)
                | flag(self.has_selector, one::HAS_SELECTOR)
                | flag(self.map.is_some(), one::HAS_MAP)
                | flag(self.positions.is_some(), one::HAS_POSITIONS)
                | flag(self.changes.is_some(), one::HAS_CHANGES),
        );
        out.push(self.max_symbol);
        let nibbles = [
            (self.bits, self.shift),
            (self.place, self.selector_place),
            (self.position_place, self.change_place),
        ];
        out.extend(nibbles.map(|(high, low)| (high << 4 | low) as u8));
        if let Some(map) = &self.map {
            out.extend(&map[..usize::from(self.max_symbol)]);
        }
        if let Some(positions) = &self.positions {
            table::put(&positions.map(|n| n >> self.position_place), out);
        }
        if let Some(changes) = &self.changes {
            table::put(&changes.map(|n| n >> self.change_place), out);
        }
    }
}
