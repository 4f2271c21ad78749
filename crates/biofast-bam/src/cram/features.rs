//! Read features: the sequence, qualities, CIGAR and the tags MD and NM of a mapped read, from
//! what differs from the reference (CRAM specification, section 10.6).

use super::container::MAX_SLICE;
use super::record::{CramRecord, Slice};
use crate::cram::bytes::{Result, bad, length};
use crate::cram::encoding::{Compression, Data, Encoding, Series};
use crate::cram::md::Md;

/// A stretch of the reference, in capitals, whose first base is at `first`, counted from 1.
#[derive(Clone, Copy)]
pub(super) struct Bases<'a> {
    pub(super) bases: &'a [u8],
    pub(super) first: i64,
    /// The length of the whole reference sequence.
    pub(super) len: i64,
}

impl Bases<'_> {
    /// The base at `position`; N beyond the end.
    fn at(&self, position: i64) -> u8 {
        let index = usize::try_from(position - self.first).ok();
        index.and_then(|n| self.bases.get(n)).copied().unwrap_or(b'N')
    }
}

/// Which tags are to be computed.
pub(super) struct ComputedTags {
    pub(super) md: bool,
    pub(super) nm: bool,
}

const MATCH: u32 = 0;
const INSERTION: u32 = 1;
const DELETION: u32 = 2;
const SKIP: u32 = 3;
const SOFT_CLIP: u32 = 4;
const HARD_CLIP: u32 = 5;
const PADDING: u32 = 6;
/// What qualities are where only some are stored.
const DEFAULT_QUALITY: u8 = 30;

/// What is built while features are read.
struct Read<'a> {
    known: Option<Bases<'a>>,
    out: &'a mut Slice,
    /// Where this read's bases begin.
    start: usize,
    len: usize,
    /// Whether the sequence is `*`; it still has a length.
    missing: bool,
    has_qualities: bool,
    cigar_start: usize,
    /// The operation under way.
    op: (u32, u64),
    /// Bases of the read that are done, and the position of the next base of the reference.
    done: usize,
    position: i64,
    md: Option<Md>,
    edits: u32,
}

/// Where a read has all its qualities stored (`has_qualities`), those that features give don't count, and none are appended.
#[allow(clippy::too_many_arguments)] // one call; the parts are borrowed from one decoder
pub(super) fn decode(
    record: &mut CramRecord,
    len: usize,
    missing: bool,
    has_qualities: bool,
    known: Option<Bases<'_>>,
    wanted: ComputedTags,
    data: &mut Data<'_>,
    compression: &Compression,
    out: &mut Slice,
) -> Result<()> {
    let start = out.bases.len();
    // Bases that no feature gives and no reference knows are equal to it, whatever it is.
    out.bases.resize(start + len, b'=');
    if !has_qualities {
        out.qualities.resize(start + len, 0xff);
    }
    let mut read = Read {
        known,
        start,
        len,
        missing,
        has_qualities,
        cigar_start: out.cigars.len(),
        out,
        op: (MATCH, 0),
        done: 0,
        position: record.start,
        md: (known.is_some() && wanted.md).then(Md::default),
        edits: 0,
    };
    let series = |series| compression.series(series);
    let count = length(series(Series::FN)?.int(data)?)?;
    let (codes, distances) = match count {
        0 => (&Encoding::Skipped, &Encoding::Skipped),
        _ => (series(Series::FC)?, series(Series::FP)?),
    };
    let mut last = 0;
    for _ in 0..count {
        let code = codes.byte(data)?;
        let at = length(distances.int(data)?)? + last;
        last = at;
        // Where nothing of the read is taken, a feature may stand behind its end.
        let room = usize::from(matches!(code, b'N' | b'P' | b'H' | b'D'));
        if at == 0 || (len > 0 && at > len + room) {
            return bad("a read feature outside of its read");
        }
        read.matches_to(at - 1)?;
        match code {
            b'X' => {
                let code = series(Series::BS)?.byte(data)?;
                let reference = read.known.map_or(b'N', |known| known.at(read.position));
                let row = match reference {
                    b'A' => 0,
                    b'C' => 1,
                    b'G' => 2,
                    b'T' => 3,
                    _ => 4,
                };
                let Some(&base) = compression.substitutions[row].get(usize::from(code)) else {
                    return bad("a substitution code above 3");
                };
                read.put(at - 1, &[base]);
                read.mismatch(1)?;
            }
            b'B' => {
                let base = series(Series::BA)?.byte(data)?;
                read.put(at - 1, &[base]);
                let quality = series(Series::QS)?.byte(data)?;
                read.put_qualities(at - 1, &[quality]);
                read.mismatch(1)?;
            }
            b'b' => {
                let bases = series(Series::BB)?.array_of(data)?;
                read.put(read.done, &bases);
                read.mismatch(bases.len())?;
            }
            b'I' | b'i' | b'S' => {
                let bases = match code {
                    b'I' => series(Series::IN)?.array_of(data)?,
                    b'S' => series(Series::SC)?.array_of(data)?,
                    _ => vec![series(Series::BA)?.byte(data)?].into(),
                };
                read.put(at - 1, &bases);
                let op = if code == b'S' { SOFT_CLIP } else { INSERTION };
                read.extend(op, bases.len() as u64)?;
                read.done += bases.len();
                if op == INSERTION {
                    read.edits = read.edits.saturating_add(bases.len() as u32);
                }
            }
            b'D' => {
                let n = length(series(Series::DL)?.int(data)?)?;
                read.extend(DELETION, n as u64)?;
                read.deletion(n)?;
            }
            b'N' => {
                let n = length(series(Series::RS)?.int(data)?)?;
                read.extend(SKIP, n as u64)?;
                read.position += n as i64;
            }
            b'P' => {
                let n = length(series(Series::PD)?.int(data)?)?;
                read.extend(PADDING, n as u64)?;
            }
            b'H' => {
                let n = length(series(Series::HC)?.int(data)?)?;
                read.extend(HARD_CLIP, n as u64)?;
            }
            b'Q' => {
                let quality = series(Series::QS)?.byte(data)?;
                read.put_qualities(at - 1, &[quality]);
            }
            b'q' => {
                let qualities = series(Series::QQ)?.array_of(data)?;
                if len > 0 && qualities.len() > len - (at - 1).min(len) {
                    return bad("a read feature that goes beyond its read or reference");
                }
                read.put_qualities(at - 1, &qualities);
            }
            _ => return bad("an unknown read feature"),
        }
        if (len > 0 && read.done > len) || read.position - 1 > i64::from(i32::MAX) {
            return bad("a read feature that goes beyond its read or reference");
        }
    }
    read.matches_to(len)?;
    read.flush();
    record.cigar = read.cigar_start..read.out.cigars.len();
    record.end = (read.position - 1).max(record.start);
    read.finish_tags(wanted);
    Ok(())
}

impl Read<'_> {
    /// Writes bases, unless the sequence is missing, up to its end.
    #[inline]
    fn put(&mut self, at: usize, bases: &[u8]) {
        if !self.missing && at < self.len {
            let bases = &bases[..bases.len().min(self.len - at)];
            let at = self.start + at;
            self.out.bases[at..at + bases.len()].copy_from_slice(bases);
        }
    }

    fn put_qualities(&mut self, at: usize, qualities: &[u8]) {
        if self.has_qualities {
            return;
        }
        let own = &mut self.out.qualities[self.start..];
        if own.first() == Some(&0xff) {
            own.fill(DEFAULT_QUALITY);
        }
        for (own, quality) in own.iter_mut().skip(at).zip(qualities) {
            *own = *quality;
        }
    }

    /// Adds to the CIGAR.
    #[inline]
    fn extend(&mut self, op: u32, n: u64) -> Result<()> {
        if self.op.0 != op {
            self.flush();
            self.op = (op, 0);
        }
        self.op.1 += n;
        if self.op.1 >= 1 << 28 || 4 * self.out.cigars.len() > MAX_SLICE {
            return bad("a CIGAR operation of 2^28 bases or more");
        }
        // Clips are never joined: each soft clip is a feature of its own.
        if op == SOFT_CLIP {
            self.flush();
        }
        Ok(())
    }

    #[inline]
    fn flush(&mut self) {
        let (op, n) = self.op;
        if n > 0 {
            // Below 2^28.
            self.out.cigars.push((n as u32) << 4 | op);
        }
        self.op.1 = 0;
    }

    /// Bases that equal the reference, up to the read's base `end`, counted from 0.
    fn matches_to(&mut self, end: usize) -> Result<()> {
        let Some(n) = end.checked_sub(self.done).filter(|&n| n > 0) else { return Ok(()) };
        self.extend(MATCH, n as u64)?;
        if let Some(known) = self.known.filter(|_| end <= self.len) {
            if !self.missing {
                let from = usize::try_from(self.position - known.first).unwrap_or(usize::MAX);
                let bases = known.bases.get(from..).unwrap_or_default();
                let bases = &bases[..n.min(bases.len())];
                let own = &mut self.out.bases[self.start + self.done..self.start + end];
                let (equal, beyond) = own.split_at_mut(bases.len());
                equal.copy_from_slice(bases);
                beyond.fill(b'N');
            }
            // N against N counts as a mismatch, but not in a run that goes beyond the end.
            let within = self.position - 1 + n as i64 <= known.len;
            let unknown = &self.out.bases[self.start + self.done..self.start + end];
            if within && !self.missing && memchr::memchr(b'N', unknown).is_some() {
                for &base in unknown {
                    if base == b'N' {
                        self.edits = self.edits.saturating_add(1);
                    }
                    match &mut self.md {
                        Some(md) if base == b'N' => md.base(b'N'),
                        Some(md) => md.matches += 1,
                        None => {}
                    }
                }
            } else if let Some(md) = &mut self.md {
                md.matches += n as u64;
            }
        }
        self.done = end;
        self.position += n as i64;
        Ok(())
    }

    /// `n` bases from `done` on that differ from the reference, or whose reference isn't known.
    #[inline]
    fn mismatch(&mut self, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        self.extend(MATCH, n as u64)?;
        if let Some(known) = self.known {
            for position in (self.position..).take(n) {
                let beyond = position > known.len;
                match &mut self.md {
                    // Where the reference ends, so does MD.
                    Some(md) if beyond => md.end(),
                    Some(md) => md.base(known.at(position)),
                    None => {}
                }
                self.edits = self.edits.saturating_add(u32::from(!beyond));
            }
        }
        self.done += n;
        self.position += n as i64;
        Ok(())
    }

    fn deletion(&mut self, n: usize) -> Result<()> {
        self.edits = self.edits.saturating_add(n as u32);
        if let (Some(md), Some(known)) = (&mut self.md, self.known) {
            if n > known.bases.len() {
                return bad("a deletion longer than its reference sequence");
            }
            md.deletion((self.position..).take(n).map(|position| known.at(position)));
        }
        self.position += n as i64;
        Ok(())
    }

    /// Appends MD and NM, as htslib does for reads stored without them.
    fn finish_tags(self, wanted: ComputedTags) {
        let tags = &mut self.out.tags;
        if let Some(mut md) = self.md {
            md.count();
            tags.extend_from_slice(b"MDZ");
            tags.extend(md.text);
            tags.push(0);
        }
        if self.known.is_some() && wanted.nm {
            tags.extend_from_slice(b"NM");
            match self.edits {
                n @ 0..256 => tags.extend([b'C', n as u8]),
                n @ 256..65_536 => tags.extend([&b"S"[..], &(n as u16).to_le_bytes()].concat()),
                n => tags.extend([&b"I"[..], &n.to_le_bytes()].concat()),
            }
        }
    }
}
