//! `biofast-lab limit deflate --regions-bam`: what an encoder would make of BAM that knows the regions of a record.
//!
//! Fixed fields and names are compared with those of the record before, at their known places; CIGAR, tags and, if so
//! wished, bases are looked up by a hash of four bytes; qualities are runs and literals. The size is that of an optimal code
//! for each block. No bits are written, so that the speed is one that no such encoder reaches.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use biofast_io::bgzf::BLOCK_TEXT;

use crate::limits::bam::{Record, records};
use crate::limits::encoders::{libdeflate, read};

/// Bytes that the code lengths of a block take, about.
const HEADER: usize = 80;
const MIN_COPY: usize = 3;
const MAX_COPY: usize = 258;
const MAX_DISTANCE: usize = 32_768;
/// Bytes from which a copy that was found by its hash is taken.
const HASHED: usize = 4;
const SLOTS: usize = 1 << 13;

/// A literal, or a copy: length, and distance in the low 16 bits, less one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Literal(u8),
    Copy(u16, u16),
}

struct Encoder {
    /// The last place of each hash, behind the start of the block.
    table: Vec<u16>,
    tokens: Vec<Token>,
    search_bases: bool,
}

impl Encoder {
    /// Makes tokens of a block; `records` are those that begin in it or before it and end in it or behind.
    fn encode(&mut self, text: &[u8], block: Range<usize>, records: &[Record]) {
        self.table.fill(0);
        self.tokens.clear();
        let clamp = |at: usize| at.clamp(block.start, block.end);
        let bytes = &text[block.clone()];
        let mut before: Option<&Record> = None;
        let mut done = 0;
        for record in records {
            let [start, name, cigar, bases, qualities, tags, end] = [
                record.start, record.name, record.cigar, record.bases, record.qualities,
                record.tags, record.end,
            ]
            .map(|at| clamp(at) - block.start);
            self.search(bytes, done..start);
            match before.filter(|before| before.start >= block.start) {
                Some(before) => {
                    self.like(bytes, start..name, before.start - block.start);
                    self.like(bytes, name..cigar, before.name - block.start);
                }
                None => self.literals(bytes, start..cigar),
            }
            self.search(bytes, cigar..bases);
            match self.search_bases {
                true => self.search(bytes, bases..qualities),
                false => self.literals(bytes, bases..qualities),
            }
            self.runs(bytes, qualities..tags);
            self.search(bytes, tags..end);
            before = Some(record);
            done = end;
        }
        self.search(bytes, done..bytes.len());
    }

    fn literals(&mut self, text: &[u8], range: Range<usize>) {
        self.tokens.extend(text[range].iter().map(|&byte| Token::Literal(byte)));
    }

    /// Copies what is the same as in the earlier bytes from `from` on, at the same places.
    fn like(&mut self, text: &[u8], range: Range<usize>, from: usize) {
        let (mut at, distance) = (range.start, range.start - from);
        while at < range.end {
            let same = (at..range.end).take_while(|&i| text[i] == text[i - distance]).count();
            if same >= MIN_COPY && distance <= MAX_DISTANCE {
                self.copy(same, distance);
                at += same;
            } else {
                self.tokens.push(Token::Literal(text[at]));
                at += 1;
            }
        }
    }

    /// Runs of one byte, and literals.
    fn runs(&mut self, text: &[u8], range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            self.tokens.push(Token::Literal(text[at]));
            let same = text[at + 1..range.end].iter().take_while(|&&b| b == text[at]).count();
            at += 1;
            if same >= MIN_COPY {
                self.copy(same, 1);
                at += same;
            }
        }
    }

    /// Greedy copies of what came before by a hash of four bytes.
    fn search(&mut self, text: &[u8], range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let four = text[at..range.end].first_chunk::<4>().map(|four| u32::from_le_bytes(*four));
            let Some(four) = four else { break };
            let slot = &mut self.table[(four.wrapping_mul(0x9e37_79b1) >> 19) as usize];
            let earlier = usize::from(*slot);
            *slot = at as u16;
            let known = earlier > 0 && earlier < at && at - earlier <= MAX_DISTANCE;
            let most = (range.end - at).min(MAX_COPY);
            let same = match known {
                true => (0..most).take_while(|i| text[at + i] == text[earlier + i]).count(),
                false => 0,
            };
            if same >= HASHED {
                self.copy(same, at - earlier);
                at += same;
            } else {
                self.tokens.push(Token::Literal(text[at]));
                at += 1;
            }
        }
        self.literals(text, at..range.end.max(at));
    }

    fn copy(&mut self, mut length: usize, distance: usize) {
        while length > 0 {
            let n = if length <= MAX_COPY { length } else { MAX_COPY.min(length - MIN_COPY) };
            self.tokens.push(Token::Copy(n as u16, (distance - 1) as u16));
            length -= n;
        }
    }

    /// Bytes of the block under optimal codes.
    fn size(&self) -> usize {
        let (mut symbols, mut distances, mut extra) = ([0u32; 286], [0u32; 30], 0);
        symbols[256] = 1;
        for token in &self.tokens {
            match *token {
                Token::Literal(byte) => symbols[usize::from(byte)] += 1,
                Token::Copy(length, distance) => {
                    let (symbol, bits) = class(u32::from(length - 3), 8, 2);
                    symbols[257 + symbol.min(28)] += 1;
                    extra += bits;
                    let (symbol, bits) = class(u32::from(distance), 4, 1);
                    distances[symbol] += 1;
                    extra += bits;
                }
            }
        }
        HEADER + (coded(&symbols) + coded(&distances) + extra as usize).div_ceil(8)
    }
}

/// Symbol and extra bits of a value: `first` values have a symbol each, then each power of two has 2 to the `shift`.
fn class(value: u32, first: u32, shift: u32) -> (usize, u32) {
    if value < first {
        return (value as usize, 0);
    }
    let bits = value.ilog2() - shift;
    let symbol = (bits << shift) + (value >> bits);
    (symbol as usize, bits)
}

/// Bits that symbols of these counts take under a Huffman code.
fn coded(counts: &[u32]) -> usize {
    let used = counts.iter().filter(|&&n| n > 0).map(|&n| std::cmp::Reverse(n as usize));
    let mut heap: std::collections::BinaryHeap<_> = used.collect();
    let mut bits = 0;
    while let (Some(a), Some(b)) = (heap.pop(), heap.pop()) {
        // The two become one: all in them get a bit more.
        bits += a.0 + b.0;
        heap.push(std::cmp::Reverse(a.0 + b.0));
        if heap.len() == 1 {
            break;
        }
    }
    bits
}

/// Prints sizes and speeds of this encoder, without and with a search in bases, relative to libdeflate's level 1.
pub fn compare(path: &Path, reps: usize, most: usize) -> Result<()> {
    let text = read(path, most)?;
    let records = records(&text).context("not BAM")?;
    let mut level_1 = libdeflate(1)?;
    let encoder =
        |search_bases| Encoder { table: vec![0; SLOTS], tokens: Vec::new(), search_bases };
    let mut encoders = [encoder(false), encoder(true)];
    let mut out = vec![0; 2 * BLOCK_TEXT];
    let mut times = vec![[Duration::ZERO; 3]; reps];
    let mut sizes = [0; 3];
    for times in &mut times {
        sizes = [0; 3];
        for (i, bytes) in text.chunks(BLOCK_TEXT).enumerate() {
            let block = i * BLOCK_TEXT..i * BLOCK_TEXT + bytes.len();
            let first = records.partition_point(|record| record.end <= block.start);
            let last = records.partition_point(|record| record.start < block.end);
            let start = Instant::now();
            sizes[0] += level_1.deflate_compress(bytes, &mut out)?;
            times[0] += start.elapsed();
            for (n, encoder) in encoders.iter_mut().enumerate() {
                let start = Instant::now();
                encoder.encode(&text, block.clone(), &records[first..last]);
                sizes[n + 1] += encoder.size();
                times[n + 1] += start.elapsed();
            }
        }
    }
    ensure!(reps > 0, "no repetitions");
    println!("{}: {} bytes, {} records", path.display(), text.len(), records.len());
    println!("encoder          size   speed at best");
    for (n, name) in ["level 1", "regions", "and bases"].into_iter().enumerate() {
        let mut ratios: Vec<f64> =
            times.iter().map(|t| t[0].as_secs_f64() / t[n].as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let size = sizes[n] as f64 / sizes[0] as f64;
        println!("{name:<12} {size:>8.3} {:>8.2}", ratios[reps / 2]);
    }
    Ok(())
}
