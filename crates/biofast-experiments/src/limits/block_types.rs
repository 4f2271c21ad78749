//! The types of the blocks inside deflate streams (RFC 1951, 3.2.3): stored, fixed, dynamic. To get from one block's
//! header to the next, every symbol in between has to be decoded; bytes are counted, not produced.
//! Used by entry 031 and by `biofast-lab limit block-types`. Deliberately plain, so that it can be read beside the RFC.

use anyhow::{Context as _, Result, bail, ensure};

use crate::limits::find_blocks;

/// What a BGZF file's deflate streams consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BlockTypes {
    /// BGZF blocks, each with a deflate stream.
    pub bgzf: u64,
    /// BGZF blocks that inflate to nothing, such as the one at the end.
    pub empty: u64,
    /// Deflate blocks of type 0.
    pub stored: u64,
    /// Deflate blocks of type 1.
    pub fixed: u64,
    /// Deflate blocks of type 2.
    pub dynamic: u64,
    /// Inflated bytes in blocks of these three types.
    pub bytes: [u64; 3],
}

impl BlockTypes {
    /// Deflate blocks.
    pub fn deflate(&self) -> u64 {
        self.stored + self.fixed + self.dynamic
    }
}

/// Looks at all blocks of a BGZF file in memory.
///
/// # Errors
/// If it isn't BGZF, or a stream is invalid or of another length than stated.
pub fn of_bgzf(file: &[u8]) -> Result<BlockTypes> {
    let mut types = BlockTypes::default();
    for block in find_blocks(file)? {
        let at = block.start;
        let stream = &file[at + block.header.header_len..at + block.header.block_len - 8];
        let before: u64 = types.bytes.iter().sum();
        walk(stream, &mut types).with_context(|| format!("BGZF block at byte {at}"))?;
        let found = types.bytes.iter().sum::<u64>() - before;
        let stated = block.inflated_len as u64;
        ensure!(found == stated, "{found} bytes instead of {stated} at byte {at}");
        types.bgzf += 1;
        types.empty += u64::from(found == 0);
    }
    Ok(types)
}

/// Adds the blocks of one stream, which must end with its last block.
fn walk(stream: &[u8], types: &mut BlockTypes) -> Result<()> {
    let mut bits = Bits { bytes: stream, at: 0 };
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => {
                bits.align();
                let (len, check) = (bits.take(16)?, bits.take(16)?);
                ensure!(len == !check & 0xffff, "the length of a stored block is damaged");
                bits.skip_bytes(len as usize)?;
                types.stored += 1;
                types.bytes[0] += u64::from(len);
            }
            1 => {
                let (literals, distances) = fixed_codes()?;
                types.fixed += 1;
                types.bytes[1] += symbols(&mut bits, &literals, &distances)?;
            }
            2 => {
                let (literals, distances) = dynamic_codes(&mut bits)?;
                types.dynamic += 1;
                types.bytes[2] += symbols(&mut bits, &literals, &distances)?;
            }
            _ => bail!("a block of the reserved type 3"),
        }
        if last {
            ensure!(bits.at.div_ceil(8) == stream.len(), "bytes behind the last block");
            return Ok(());
        }
    }
}

/// Bits from the least significant one of each byte on.
struct Bits<'a> {
    bytes: &'a [u8],
    /// In bits.
    at: usize,
}

impl Bits<'_> {
    /// The next `n` bits (at most 16); zeros behind the end.
    fn peek(&self, n: u32) -> u32 {
        let start = self.at / 8;
        let mut word = [0; 4];
        let rest = self.bytes.get(start..).unwrap_or_default();
        let len = rest.len().min(4);
        word[..len].copy_from_slice(&rest[..len]);
        (u32::from_le_bytes(word) >> (self.at % 8)) & ((1 << n) - 1)
    }

    fn skip(&mut self, n: u32) -> Result<()> {
        self.at += n as usize;
        ensure!(self.at <= self.bytes.len() * 8, "the stream is cut");
        Ok(())
    }

    fn take(&mut self, n: u32) -> Result<u32> {
        let value = self.peek(n);
        self.skip(n)?;
        Ok(value)
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    fn skip_bytes(&mut self, n: usize) -> Result<()> {
        self.at += 8 * n;
        ensure!(self.at <= self.bytes.len() * 8, "the stream is cut");
        Ok(())
    }
}

const LONGEST: u32 = 15;

/// A Huffman code as a table over the next 15 bits: symbol and length; length 0 is no code.
struct Code {
    table: Vec<(u16, u8)>,
}

impl Code {
    /// From the code length of each symbol, 0 for those that don't occur.
    fn new(lengths: &[u8]) -> Result<Code> {
        let mut counts = [0u32; LONGEST as usize + 1];
        for &len in lengths {
            counts[usize::from(len)] += 1;
        }
        counts[0] = 0;
        let mut next = [0u32; LONGEST as usize + 2];
        for len in 1..=LONGEST as usize {
            next[len + 1] = (next[len] + counts[len]) << 1;
            ensure!(next[len] + counts[len] <= 1 << len, "more codes than bits");
        }
        let mut table = vec![(0, 0); 1 << LONGEST];
        for (symbol, &len) in lengths.iter().enumerate().filter(|(_, len)| **len > 0) {
            let code = next[usize::from(len)];
            next[usize::from(len)] += 1;
            // Codes come with their most significant bit first.
            let reversed = code.reverse_bits() >> (32 - u32::from(len));
            for entry in table.iter_mut().skip(reversed as usize).step_by(1 << len) {
                *entry = (symbol as u16, len);
            }
        }
        Ok(Code { table })
    }

    fn decode(&self, bits: &mut Bits<'_>) -> Result<u16> {
        let (symbol, len) = self.table[bits.peek(LONGEST) as usize];
        ensure!(len > 0, "a code that isn't in use");
        bits.skip(u32::from(len))?;
        Ok(symbol)
    }
}

fn fixed_codes() -> Result<(Code, Code)> {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Ok((Code::new(&lengths)?, Code::new(&[5; 30])?))
}

fn dynamic_codes(bits: &mut Bits<'_>) -> Result<(Code, Code)> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    let used = bits.take(4)? as usize + 4;
    let mut lengths = [0; 19];
    for &symbol in &ORDER[..used] {
        lengths[symbol] = bits.take(3)? as u8;
    }
    let code = Code::new(&lengths)?;
    let mut lengths = Vec::with_capacity(literals + distances);
    while lengths.len() < literals + distances {
        let (value, times) = match code.decode(bits)? {
            16 => {
                let before = *lengths.last().context("a repeat of nothing")?;
                (before, 3 + bits.take(2)?)
            }
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            len => (len as u8, 1),
        };
        lengths.extend(std::iter::repeat_n(value, times as usize));
    }
    ensure!(lengths.len() == literals + distances, "code lengths run over");
    Ok((Code::new(&lengths[..literals])?, Code::new(&lengths[literals..])?))
}

/// Reads symbols up to the end of the block; returns how many bytes they stand for.
fn symbols(bits: &mut Bits<'_>, literals: &Code, distances: &Code) -> Result<u64> {
    let mut bytes = 0;
    loop {
        let symbol = u32::from(literals.decode(bits)?);
        bytes += match symbol {
            0..256 => {
                bytes += 1;
                continue;
            }
            256 => return Ok(bytes),
            257..265 => symbol - 254,
            265..285 => {
                let extra = (symbol - 261) / 4;
                let base = ((4 + (symbol - 265) % 4) << extra) + 3;
                base + bits.take(extra)?
            }
            285 => 258,
            _ => bail!("a length symbol that doesn't exist"),
        } as u64;
        let distance = u32::from(distances.decode(bits)?);
        ensure!(distance < 30, "a distance symbol that doesn't exist");
        bits.skip((distance / 2).saturating_sub(1))?;
    }
}
