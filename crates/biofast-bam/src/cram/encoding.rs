//! The compression header: what is preserved, and how each data series is encoded (CRAM
//! specification, sections 8.4 and 13).

use std::borrow::Cow;

use crate::cram::bytes::{Bits, ByteCursor, Result, bad};

/// How values of a data series are stored.
#[derive(Debug)]
pub(super) enum Encoding {
    /// In an external block, by its slot.
    External(usize),
    Huffman(Huffman),
    Beta {
        offset: i32,
        bits: u32,
    },
    Subexp {
        offset: i32,
        k: u32,
    },
    Gamma {
        offset: i32,
    },
    /// A byte array: its length, and its bytes.
    Array(Box<Encoding>, Box<Encoding>),
    /// A byte array in an external block, up to a byte.
    Until(u8, usize),
    /// Not read at all: numbers are 0, arrays empty.
    Skipped,
}

/// A canonical Huffman code: (length, code, symbol) in the order of codes.
#[derive(Debug)]
pub(super) struct Huffman(Vec<(u32, u32, i32)>);

/// The data of one slice.
pub(super) struct Data<'a> {
    pub(super) core: Bits<'a>,
    /// External blocks by slot.
    pub(super) external: Vec<ByteCursor<'a>>,
}

/// Content ids of external blocks; an id's index is its slot.
pub(super) type Slots = Vec<i32>;

fn slot(id: i32, slots: &mut Slots) -> usize {
    slots.iter().position(|&known| known == id).unwrap_or_else(|| {
        slots.push(id);
        slots.len() - 1
    })
}

impl Encoding {
    /// Reads an encoding; `None` if it is the one that encodes nothing.
    pub(super) fn read(bytes: &mut ByteCursor<'_>, slots: &mut Slots) -> Result<Option<Encoding>> {
        let kind = bytes.itf8()?;
        let len = bytes.length()?;
        let mut bytes = ByteCursor::new(bytes.take(len)?);
        let bits = |n: i32| match u32::try_from(n) {
            Ok(n @ 0..=32) => Ok(n),
            _ => bad("an encoding of more than 32 bits"),
        };
        let required = |encoding: Option<Encoding>| match encoding {
            Some(encoding) => Ok(Box::new(encoding)),
            None => bad("a byte array without an encoding"),
        };
        Ok(Some(match kind {
            0 => return Ok(None),
            1 => Encoding::External(slot(bytes.itf8()?, slots)),
            3 => Encoding::Huffman(Huffman::read(&mut bytes)?),
            4 => {
                let len = required(Encoding::read(&mut bytes, slots)?)?;
                let values = required(Encoding::read(&mut bytes, slots)?)?;
                // Arrays of arrays would let a small header nest without end.
                if [&len, &values].iter().any(|e| e.is_array()) {
                    return bad("a byte array of byte arrays");
                }
                Encoding::Array(len, values)
            }
            5 => Encoding::Until(bytes.byte()?, slot(bytes.itf8()?, slots)),
            6 => Encoding::Beta { offset: bytes.itf8()?, bits: bits(bytes.itf8()?)? },
            7 => Encoding::Subexp { offset: bytes.itf8()?, k: bits(bytes.itf8()?)? },
            9 => Encoding::Gamma { offset: bytes.itf8()? },
            _ => {
                return bad(
                    "an encoding other than external, Huffman, beta, gamma, subexponential or byte array",
                );
            }
        }))
    }

    fn is_array(&self) -> bool {
        matches!(self, Encoding::Array(..) | Encoding::Until(..))
    }

    /// Calls `f` with the slots of external blocks that hold values; `false` if some values
    /// are in the core block.
    fn each_slot(&self, f: &mut impl FnMut(usize)) -> bool {
        match self {
            Encoding::External(slot) | Encoding::Until(_, slot) => {
                f(*slot);
                true
            }
            Encoding::Array(len, values) => len.each_slot(f) & values.each_slot(f),
            // One symbol takes no bits.
            Encoding::Huffman(Huffman(codes)) => codes.iter().all(|(len, ..)| *len == 0),
            Encoding::Beta { bits, .. } => *bits == 0,
            Encoding::Subexp { .. } | Encoding::Gamma { .. } => false,
            Encoding::Skipped => true,
        }
    }

    #[inline]
    pub(super) fn int(&self, data: &mut Data<'_>) -> Result<i32> {
        match self {
            Encoding::External(slot) => data.external[*slot].itf8(),
            Encoding::Skipped => Ok(0),
            _ => self.core(data),
        }
    }

    #[inline]
    pub(super) fn byte(&self, data: &mut Data<'_>) -> Result<u8> {
        match self {
            Encoding::External(slot) => data.external[*slot].byte(),
            Encoding::Skipped => Ok(0),
            _ => Ok(self.core(data)? as u8),
        }
    }

    /// Values from the core block.
    #[inline(never)]
    fn core(&self, data: &mut Data<'_>) -> Result<i32> {
        let core = &mut data.core;
        Ok(match self {
            Encoding::Huffman(huffman) => huffman.symbol(core)?,
            Encoding::Beta { offset, bits } => (core.bits(*bits)? as i32).wrapping_sub(*offset),
            Encoding::Gamma { offset } => {
                let mut n = 0;
                while core.bit()? == 0 {
                    n += 1;
                    if n > 31 {
                        return bad("a gamma code of more than 32 bits");
                    }
                }
                ((1 << n | core.bits(n)?) as i32).wrapping_sub(*offset)
            }
            Encoding::Subexp { offset, k } => {
                let mut ones = 0;
                while core.bit()? == 1 {
                    ones += 1;
                    if ones + k > 32 {
                        return bad("a subexponential code of more than 32 bits");
                    }
                }
                let value = match ones {
                    0 => core.bits(*k)?,
                    _ => {
                        let n = k + ones - 1;
                        1u32.checked_shl(n).unwrap_or(0) | core.bits(n)?
                    }
                };
                (value as i32).wrapping_sub(*offset)
            }
            Encoding::External(_)
            | Encoding::Array(..)
            | Encoding::Until(..)
            | Encoding::Skipped => {
                return bad("a byte array where a number is expected");
            }
        })
    }

    /// `n` bytes, appended to `out`.
    #[inline]
    pub(super) fn run(&self, n: usize, data: &mut Data<'_>, out: &mut Vec<u8>) -> Result<()> {
        if let Encoding::External(slot) = self {
            out.extend_from_slice(data.external[*slot].take(n)?);
            return Ok(());
        }
        for _ in 0..if matches!(self, Encoding::Skipped) { 0 } else { n } {
            out.push(self.byte(data)?);
        }
        Ok(())
    }

    /// How many bytes of it there are, where they are in a block of their own, else 0.
    pub(super) fn stored(&self, data: &Data<'_>) -> usize {
        match self {
            Encoding::External(slot) | Encoding::Until(_, slot) => data.external[*slot].len(),
            Encoding::Array(_, values) => values.stored(data),
            _ => 0,
        }
    }

    /// A byte array, appended to `out`.
    #[inline]
    pub(super) fn array(&self, data: &mut Data<'_>, out: &mut Vec<u8>) -> Result<()> {
        if let Some(bytes) = self.stored_array(data)? {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        match self {
            Encoding::Array(len, values) => {
                let n = Encoding::array_len(len, data)?;
                values.run(n, data, out)
            }
            Encoding::Skipped => Ok(()),
            _ => bad("a number where a byte array is expected"),
        }
    }

    /// The same, without a copy where its bytes stand in a block.
    #[inline]
    pub(super) fn array_of<'a>(&self, data: &mut Data<'a>) -> Result<Cow<'a, [u8]>> {
        if let Some(bytes) = self.stored_array(data)? {
            return Ok(bytes.into());
        }
        let mut bytes = Vec::new();
        self.array(data, &mut bytes)?;
        Ok(bytes.into())
    }

    /// A byte array whose bytes stand in a block; nothing is taken of others.
    #[inline]
    fn stored_array<'a>(&self, data: &mut Data<'a>) -> Result<Option<&'a [u8]>> {
        match self {
            Encoding::Array(len, values) => match **values {
                Encoding::External(slot) => {
                    let n = Encoding::array_len(len, data)?;
                    data.external[slot].take(n).map(Some)
                }
                _ => Ok(None),
            },
            Encoding::Until(stop, slot) => data.external[*slot].until(*stop).map(Some),
            _ => Ok(None),
        }
    }

    #[inline]
    fn array_len(len: &Encoding, data: &mut Data<'_>) -> Result<usize> {
        let n = super::bytes::length(len.int(data)?)?;
        if n > super::container::MAX_SLICE {
            return bad("a byte array of more than 1 GiB");
        }
        Ok(n)
    }
}

impl Huffman {
    fn read(bytes: &mut ByteCursor<'_>) -> Result<Huffman> {
        // Each takes a byte at least, so the cursor bounds them.
        let n = bytes.length()?;
        let mut symbols = Vec::new();
        for _ in 0..n {
            symbols.push(bytes.itf8()?);
        }
        if bytes.length()? != n {
            return bad("a Huffman code with different numbers of symbols and lengths");
        }
        let mut codes = Vec::new();
        for symbol in symbols {
            match u32::try_from(bytes.itf8()?) {
                Ok(len @ 0..=31) => codes.push((len, 0, symbol)),
                _ => return bad("a Huffman code of more than 31 bits"),
            }
        }
        codes.sort_by_key(|&(len, _, symbol)| (len, symbol));
        // Writers give series that they don't use a code without symbols.
        let (mut code, mut last) = (0u32, codes.first().map_or(0, |first| first.0));
        for entry in &mut codes {
            code = code.checked_shl(entry.0 - last).unwrap_or(u32::MAX);
            last = entry.0;
            entry.1 = code;
            code = code.saturating_add(1);
        }
        Ok(Huffman(codes))
    }

    #[inline]
    fn symbol(&self, core: &mut Bits<'_>) -> Result<i32> {
        let (mut len, mut found) = (0, 0);
        for &(wanted, code, symbol) in &self.0 {
            found = found << (wanted - len) | core.bits(wanted - len)?;
            len = wanted;
            if code == found {
                return Ok(symbol);
            }
        }
        bad("bits that are not a valid Huffman code")
    }
}

/// Data series, in the order of [`KEYS`].
#[derive(Clone, Copy)]
#[rustfmt::skip]
pub(super) enum Series { BF, CF, RI, RL, AP, RG, RN, MF, NS, NP, TS, NF, TL, FN, FC, FP, BS, IN, SC, DL, BA, BB, RS, PD, HC, MQ, QS, QQ }

#[rustfmt::skip]
pub(super) const KEYS: [&[u8; 2]; 28] = [
    b"BF", b"CF", b"RI", b"RL", b"AP", b"RG", b"RN", b"MF", b"NS", b"NP", b"TS", b"NF", b"TL", b"FN",
    b"FC", b"FP", b"BS", b"IN", b"SC", b"DL", b"BA", b"BB", b"RS", b"PD", b"HC", b"MQ", b"QS", b"QQ",
];

/// A tag and its type in BAM.
pub(super) type TagKey = [u8; 3];

/// What a container's compression header says.
pub(super) struct Compression {
    /// Whether all names are stored.
    pub(super) names: bool,
    /// Whether positions are stored as differences.
    pub(super) delta: bool,
    /// Whether bases may have to be looked up in a reference.
    pub(super) reference: bool,
    /// Whether qualities are stored in the alignment's orientation.
    pub(super) qualities_oriented: bool,
    /// Bases by reference base (A, C, G, T, N) and code.
    pub(super) substitutions: [[u8; 4]; 5],
    /// Lists of tags, each with its slot in `tags`.
    pub(super) tag_lists: Vec<Vec<(TagKey, usize)>>,
    pub(super) tags: Vec<(TagKey, Option<Encoding>)>,
    series: [Option<Encoding>; 28],
    pub(super) slots: Slots,
    /// Which slots are read, if not all.
    kept_slots: Option<Vec<bool>>,
}

impl Compression {
    pub(super) fn series(&self, series: Series) -> Result<&Encoding> {
        match &self.series[series as usize] {
            Some(encoding) => Ok(encoding),
            None => bad("a record needs a data series that the compression header doesn't have"),
        }
    }

    /// Leaves only the series that say where reads are, if no other shares blocks with them;
    /// otherwise changes nothing and returns `false`.
    pub(super) fn keep_placement(&mut self) -> bool {
        use Series::*;
        const KEPT: [Series; 10] = [BF, CF, RI, AP, MF, NS, NP, TS, NF, MQ];
        let kept = |n: usize| KEPT.iter().any(|&series| series as usize == n);
        let mut kept_slots = vec![false; self.slots.len()];
        for encoding in self.series.iter().enumerate().filter(|(n, _)| kept(*n)) {
            if let Some(encoding) = encoding.1 {
                // In the core block they may be: nothing else will be.
                encoding.each_slot(&mut |slot| kept_slots[slot] = true);
            }
        }
        let others = self.series.iter().enumerate().filter(|(n, _)| !kept(*n)).map(|(_, e)| e);
        for encoding in others.chain(self.tags.iter().map(|(_, e)| e)).flatten() {
            let mut apart = true;
            let outside = encoding.each_slot(&mut |slot| apart &= !kept_slots[slot]);
            if !(apart && outside) {
                return false;
            }
        }
        for (n, encoding) in self.series.iter_mut().enumerate() {
            if !kept(n) {
                *encoding = Some(Encoding::Skipped);
            }
        }
        self.tag_lists = vec![Vec::new()];
        self.kept_slots = Some(kept_slots);
        true
    }

    /// Whether the block with this content id holds anything that will be read.
    pub(super) fn wants(&self, id: i32) -> bool {
        let Some(kept) = &self.kept_slots else { return true };
        self.slots.iter().position(|&known| known == id).is_some_and(|slot| kept[slot])
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Compression> {
        let mut bytes = ByteCursor::new(bytes);
        let mut this = Compression {
            names: true,
            delta: true,
            reference: true,
            qualities_oriented: true,
            substitutions: [*b"CGTN", *b"AGTN", *b"ACTN", *b"ACGN", *b"ACGT"],
            tag_lists: Vec::new(),
            tags: Vec::new(),
            series: Default::default(),
            slots: Slots::new(),
            kept_slots: None,
        };
        let mut dictionary = &b""[..];
        let mut map = map(&mut bytes)?;
        for _ in 0..map.1 {
            match map.0.take(2)? {
                b"RN" => this.names = map.0.byte()? != 0,
                b"AP" => this.delta = map.0.byte()? != 0,
                b"RR" => this.reference = map.0.byte()? != 0,
                b"QO" => this.qualities_oriented = map.0.byte()? != 0,
                b"SM" => this.read_substitutions(map.0.take(5)?),
                b"TD" => {
                    let len = map.0.length()?;
                    dictionary = map.0.take(len)?;
                }
                // Flags of version 1.
                b"MI" | b"UI" | b"PI" => drop(map.0.byte()?),
                _ => return bad("an unknown key in the preservation map"),
            }
        }
        let mut map = self::map(&mut bytes)?;
        for _ in 0..map.1 {
            let key = map.0.take(2)?;
            let encoding = Encoding::read(&mut map.0, &mut this.slots)?;
            // Series of older versions (TC, TN, TM, TV) are never asked for.
            if let Some(n) = KEYS.iter().position(|known| &known[..] == key) {
                this.series[n] = encoding;
            }
        }
        let mut map = self::map(&mut bytes)?;
        for _ in 0..map.1 {
            let [_, key @ ..] = map.0.itf8()?.to_be_bytes();
            let encoding = Encoding::read(&mut map.0, &mut this.slots)?;
            this.tags.push((key, encoding));
        }
        this.read_dictionary(dictionary)?;
        Ok(this)
    }

    fn read_substitutions(&mut self, rows: &[u8]) {
        for ((row, bases), others) in rows
            .iter()
            .zip(&mut self.substitutions)
            .zip([b"CGTN", b"AGTN", b"ACTN", b"ACGN", b"ACGT"])
        {
            for (n, base) in others.iter().enumerate() {
                bases[usize::from(row >> (6 - 2 * n) & 3)] = *base;
            }
        }
    }

    /// Lists of tags, each closed by a NUL.
    fn read_dictionary(&mut self, dictionary: &[u8]) -> Result<()> {
        let dictionary = dictionary.strip_suffix(&[0]).unwrap_or(dictionary);
        for list in dictionary.split(|&b| b == 0) {
            let (keys, rest) = list.as_chunks::<3>();
            if !rest.is_empty() {
                return bad("a tag list whose length is not a multiple of three");
            }
            let list =
                keys.iter().map(|key| match self.tags.iter().position(|(known, _)| known == key) {
                    Some(slot) => Ok((*key, slot)),
                    None => bad("a tag without an encoding"),
                });
            self.tag_lists.push(list.collect::<Result<_>>()?);
        }
        Ok(())
    }
}

/// A map's bytes and its number of entries.
fn map<'a>(bytes: &mut ByteCursor<'a>) -> Result<(ByteCursor<'a>, usize)> {
    let len = bytes.length()?;
    let mut map = ByteCursor::new(bytes.take(len)?);
    let count = map.length()?;
    Ok((map, count))
}
