//! Aligned pairs: the reads of `short.rs` at the places they came from, as a coordinate-sorted BAM file.
//! Called by `writer.rs`. No aligner is involved: the generator knows where each fragment lies; what an
//! aligner would add (mapping qualities, unmapped reads, duplicates, extra alignments) is drawn.

use std::ops::Range;

use rayon::prelude::*;

use super::Dataset;
use super::genome::{Genome, complement};
use super::profile::SHORT_LEN;
use super::short::{Fragment, Read, SHORT_CHUNK, ShortReads};
use super::writer::push_number;
use crate::rng::Rng;

const PURPOSE_ALIGN: u64 = 0x0061_6c69_676e;
const READ_GROUP: &[u8] = b"S1";

const PAIRED: u16 = 0x1;
const PROPER: u16 = 0x2;
const UNMAPPED: u16 = 0x4;
const MATE_UNMAPPED: u16 = 0x8;
const REVERSE: u16 = 0x10;
const MATE_REVERSE: u16 = 0x20;
const MATE: [u16; 2] = [0x40, 0x80];
const SECONDARY: u16 = 0x100;
const DUPLICATE: u16 = 0x400;
const SUPPLEMENTARY: u16 = 0x800;

const MATCH: u32 = 0;
const SOFT_CLIP: u32 = 4;
const HARD_CLIP: u32 = 5;
/// Bases that a supplementary alignment hides.
const HIDDEN: usize = 90;

/// Sorts unplaced records behind all others.
const UNPLACED: u32 = u32::MAX;

/// A whole dataset in memory: records as they were generated, and the order they are written in.
pub(crate) struct Aligned {
    chunks: Vec<Chunk>,
    /// Chunk and record in it, by position; records at the same position stay as generated.
    order: Vec<(u32, u32)>,
}

/// The records of some thousand pairs, one after the other.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// Position and end in `bytes` of each record.
    ends: Vec<(u32, usize)>,
    bases: u64,
}

impl Aligned {
    /// Aligns all pairs of `dataset` (of which it has `records`).
    pub(crate) fn new(dataset: &Dataset, genome: &Genome) -> Self {
        let mates = [0, 1].map(|mate| {
            ShortReads::new(genome, dataset.profile, dataset.names, dataset.seed, mate)
        });
        let count = dataset.records.div_ceil(SHORT_CHUNK);
        let chunks: Vec<Chunk> = (0..count)
            .into_par_iter()
            .map(|chunk| {
                let pairs = SHORT_CHUNK.min(dataset.records - chunk * SHORT_CHUNK);
                Chunk::new(&mates, dataset.seed, chunk, pairs)
            })
            .collect();
        let mut keys: Vec<(u32, u32, u32)> = Vec::new();
        for (i, chunk) in (0..).zip(&chunks) {
            keys.extend((0..).zip(&chunk.ends).map(|(j, &(pos, _))| (pos, i, j)));
        }
        keys.sort_unstable();
        Aligned { chunks, order: keys.into_iter().map(|(_, i, j)| (i, j)).collect() }
    }

    /// Number of records, those of pairs and the extra alignments.
    pub(crate) fn records(&self) -> u64 {
        self.order.len() as u64
    }

    pub(crate) fn bases(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.bases).sum()
    }

    /// The records in order, each with its length in front.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|&(i, j)| self.chunks[i as usize].record(j as usize))
    }
}

/// Everything before the first record.
pub(crate) fn header(genome_len: usize) -> Vec<u8> {
    let mut text = b"@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:sim\tLN:".to_vec();
    push_number(genome_len as u64, &mut text);
    text.extend_from_slice(b"\n@RG\tID:S1\tSM:sim\tLB:sim\tPL:ILLUMINA\n");
    let mut out = b"BAM\x01".to_vec();
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(&text);
    for number in [1, 4] {
        out.extend_from_slice(&u32::to_le_bytes(number));
    }
    out.extend_from_slice(b"sim\0");
    out.extend_from_slice(&(genome_len as u32).to_le_bytes());
    out
}

/// One alignment of a read: where, how, and the part of the read it shows.
struct Alignment {
    pos: usize,
    reverse: bool,
    /// Lengths and operations, in the order of the genome.
    cigar: Vec<(usize, u32)>,
    mapq: u8,
    /// Bases of the genome it covers, and where in the shown sequence they are.
    aligned: Range<usize>,
    /// The part of the read, in the order of the genome, that the record holds.
    shown: Range<usize>,
}

impl Alignment {
    /// The true place of the read of `mate`; what reaches into the adapter is clipped.
    fn of(fragment: &Fragment, mate: usize, mapq: u8) -> Self {
        let inside = fragment.len.min(SHORT_LEN);
        let clipped = SHORT_LEN - inside;
        let reverse = fragment.reverse != (mate == 1);
        let pos = if reverse { fragment.start + fragment.len - inside } else { fragment.start };
        let mut cigar = vec![(inside, MATCH), (clipped, SOFT_CLIP)];
        if reverse {
            cigar.reverse();
        }
        cigar.retain(|&(len, _)| len > 0);
        let from = if reverse { clipped } else { 0 };
        let aligned = from..from + inside;
        Alignment { pos, reverse, cigar, mapq, aligned, shown: 0..SHORT_LEN }
    }

    fn end(&self) -> usize {
        self.pos + self.aligned.len()
    }

    fn push_cigar_text(&self, out: &mut Vec<u8>) {
        for &(len, op) in &self.cigar {
            push_number(len as u64, out);
            out.push(b"MIDNSHP=X"[op as usize]);
        }
    }
}

impl Chunk {
    fn new(mates: &[ShortReads<'_>; 2], seed: u64, chunk: u64, pairs: u64) -> Self {
        let mut out = Chunk::default();
        let mut rng = Rng::new(seed, PURPOSE_ALIGN, chunk);
        let mut reads = [Vec::new(), Vec::new()];
        for (reads, mate) in reads.iter_mut().zip(mates) {
            mate.for_each(chunk, pairs, |index, fragment, read| {
                reads.push((index, fragment, read));
            });
        }
        let [first, second] = reads;
        for ((index, fragment, a), (_, _, b)) in first.into_iter().zip(second) {
            let mut name = Vec::new();
            mates[0].push_name(index, fragment.x_offset, &mut name);
            let pair = Pair { genome: mates[0].genome, name, fragment, reads: [a, b] };
            pair.push(&mut rng, &mut out);
        }
        out
    }

    fn record(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1].1 };
        &self.bytes[start..self.ends[index].1]
    }
}

/// Both reads of a fragment.
struct Pair<'a> {
    genome: &'a Genome,
    name: Vec<u8>,
    fragment: Fragment,
    reads: [Read; 2],
}

impl Pair<'_> {
    /// Draws what the aligner made of the pair and appends its records.
    fn push(&self, rng: &mut Rng, out: &mut Chunk) {
        let r = rng.next();
        let lower = [rng.next(), rng.next()];
        let elsewhere = rng.below((self.genome.len() - SHORT_LEN) as u64) as usize;
        // In 1/1024: one mate unmapped, or both.
        let mapped = match r & 1023 {
            0..10 => [false, true],
            10..20 => [true, false],
            20..22 => [false, false],
            _ => [true, true],
        };
        let alignments = [0, 1].map(|mate| {
            // One read in 16 has a lower mapping quality.
            let s = lower[mate];
            let mapq = if s & 15 == 0 { (s >> 4) % 60 } else { 60 } as u8;
            mapped[mate].then(|| Alignment::of(&self.fragment, mate, mapq))
        });
        let duplicate = if r >> 10 & 1023 < 10 { DUPLICATE } else { 0 };
        let proper = if r >> 20 & 127 > 0 && mapped == [true, true] { PROPER } else { 0 };
        for mate in [0, 1] {
            let (own, other) = (alignments[mate].as_ref(), alignments[1 - mate].as_ref());
            let flag = PAIRED | proper | MATE[mate] | if own.is_some() { duplicate } else { 0 };
            self.push_record(mate, flag, own, other, out);
            // In 1/1024: a second place, or a split.
            let extra = lower[mate] >> 20 & 1023;
            match own {
                Some(own) if extra < 2 => {
                    let second = Alignment {
                        pos: elsewhere,
                        reverse: own.reverse,
                        cigar: own.cigar.clone(),
                        mapq: 0,
                        aligned: own.aligned.clone(),
                        shown: 0..0,
                    };
                    self.push_record(mate, flag | SECONDARY, Some(&second), other, out);
                }
                Some(own) if extra < 4 && own.aligned.len() == SHORT_LEN => {
                    let split = Alignment {
                        pos: own.pos + HIDDEN,
                        reverse: own.reverse,
                        cigar: vec![(HIDDEN, HARD_CLIP), (SHORT_LEN - HIDDEN, MATCH)],
                        mapq: own.mapq,
                        aligned: 0..SHORT_LEN - HIDDEN,
                        shown: HIDDEN..SHORT_LEN,
                    };
                    self.push_record(mate, flag | SUPPLEMENTARY, Some(&split), other, out);
                }
                _ => {}
            }
        }
    }

    fn push_record(
        &self,
        mate: usize,
        mut flag: u16,
        own: Option<&Alignment>,
        other: Option<&Alignment>,
        out: &mut Chunk,
    ) {
        let is_reverse = |a: Option<&Alignment>| a.is_some_and(|a| a.reverse);
        for (bit, set) in [
            (UNMAPPED, own.is_none()),
            (MATE_UNMAPPED, other.is_none()),
            (REVERSE, is_reverse(own)),
            (MATE_REVERSE, is_reverse(other)),
        ] {
            flag |= if set { bit } else { 0 };
        }
        // A read without a place stands where its mate does.
        let place = own.or(other).map(|a| a.pos);
        let mate_place = other.or(own).map(|a| a.pos);
        let number = |place: Option<usize>| place.map_or(-1, |pos| pos as i32);
        let reference = |place: Option<usize>| if place.is_some() { 0 } else { -1i32 };
        let length = match (own, other) {
            (Some(a), Some(b)) => {
                let span = (a.end().max(b.end()) - a.pos.min(b.pos)) as i32;
                if (a.pos, a.reverse) <= (b.pos, b.reverse) { span } else { -span }
            }
            _ => 0,
        };
        let bin = place.map_or(4680, |pos| bin(pos, own.map_or(pos + 1, Alignment::end)));
        let shown = own.map_or(0..SHORT_LEN, |a| a.shown.clone());
        let cigar: &[_] = own.map_or(&[], |a| &a.cigar);

        let start = out.bytes.len();
        let bytes = &mut out.bytes;
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&reference(place).to_le_bytes());
        bytes.extend_from_slice(&number(place).to_le_bytes());
        bytes.push(self.name.len() as u8 + 1);
        bytes.push(own.map_or(0, |a| a.mapq));
        bytes.extend_from_slice(&bin.to_le_bytes());
        bytes.extend_from_slice(&(cigar.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&flag.to_le_bytes());
        bytes.extend_from_slice(&(shown.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&reference(mate_place).to_le_bytes());
        bytes.extend_from_slice(&number(mate_place).to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.name);
        bytes.push(0);
        for &(len, op) in cigar {
            bytes.extend_from_slice(&((len as u32) << 4 | op).to_le_bytes());
        }
        let Read { mut seq, mut qual } = self.reads[mate];
        seq.make_ascii_uppercase();
        if is_reverse(own) {
            seq.reverse();
            qual.reverse();
            seq = seq.map(complement);
        }
        let (seq, qual) = (&seq[shown.clone()], &qual[shown]);
        for pair in seq.chunks(2) {
            bytes.push(nibble(pair[0]) << 4 | pair.get(1).map_or(0, |&b| nibble(b)));
        }
        bytes.extend(qual.iter().map(|q| q - 33));
        if let Some(own) = own {
            // A secondary alignment holds no bases; its place is random, and so is this.
            let mismatches = if seq.is_empty() {
                own.pos % 8
            } else {
                let there = self.genome.forward(own.pos, own.aligned.len());
                seq[own.aligned.clone()].iter().zip(there).filter(|(a, b)| a != b).count()
            };
            let score = own.aligned.len().saturating_sub(5 * mismatches);
            bytes.extend_from_slice(&[b'N', b'M', b'C', mismatches as u8]);
            bytes.extend_from_slice(&[b'A', b'S', b'C', score as u8]);
        }
        if let Some(other) = other {
            bytes.extend_from_slice(b"MCZ");
            other.push_cigar_text(bytes);
            bytes.push(0);
        }
        bytes.extend_from_slice(b"RGZ");
        bytes.extend_from_slice(READ_GROUP);
        bytes.push(0);

        let size = (bytes.len() - start - 4) as u32;
        bytes[start..start + 4].copy_from_slice(&size.to_le_bytes());
        out.ends.push((place.map_or(UNPLACED, |pos| pos as u32), bytes.len()));
        out.bases += seq.len() as u64;
    }
}

/// The smallest bin of the BAI scheme that holds `start..end` (SAM specification, section 5.3).
fn bin(start: usize, end: usize) -> u16 {
    let last = end - 1;
    for (shift, first) in [(14, 4681), (17, 585), (20, 73), (23, 9), (26, 1)] {
        if start >> shift == last >> shift {
            return first + (start >> shift) as u16;
        }
    }
    0
}

/// A base in four bits.
fn nibble(base: u8) -> u8 {
    match base {
        b'A' => 1,
        b'C' => 2,
        b'G' => 4,
        b'T' => 8,
        _ => 15,
    }
}
