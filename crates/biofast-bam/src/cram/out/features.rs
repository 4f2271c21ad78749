//! What of a mapped read differs from the reference (CRAM specification, section 10.6), and the tags MD and NM that follow from it.

use super::columns::Columns;
use crate::cigar::Op;
use crate::cram::encoding::Series;
use crate::cram::md::Md;
use crate::record::Record;

/// A stretch of a reference sequence in capitals.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    /// Up to the end of the sequence at most.
    pub(super) bases: &'a [u8],
    /// The position of the first of them, counted from 0.
    pub(super) first: i64,
}

impl<'a> Stretch<'a> {
    /// The bases at `position` and behind, `len` of them or fewer.
    fn at(&self, position: i64, len: usize) -> &'a [u8] {
        let from = usize::try_from(position - self.first).ok();
        let bases = from.and_then(|from| self.bases.get(from..)).unwrap_or_default();
        &bases[..len.min(bases.len())]
    }
}

/// The tags that readers make of the features of a read.
#[derive(Default)]
pub(super) struct DerivedTags {
    pub(super) md: Md,
    pub(super) nm: u32,
    /// Whether all readers make the same ones.
    pub(super) are_known: bool,
}

impl DerivedTags {
    fn clear(&mut self) {
        self.md.clear();
        (self.nm, self.are_known) = (0, true);
    }

    fn mismatch(&mut self, base: u8) {
        self.md.base(base);
        self.nm += 1;
    }

    fn deletion(&mut self, bases: &[u8], len: u32) {
        self.are_known &= bases.len() == len as usize;
        self.md.deletion(bases.iter().copied());
        self.nm += len;
    }
}

/// What stands for a base that differs from the reference's, until a slice is complete: the place of the reference's base among A, C, G, T
/// and N, times 4, and the place of the other one among those without it.
fn substitution(reference: u8, base: u8) -> Option<u8> {
    let number = |letter| b"ACGTN".iter().position(|&known| known == letter);
    match (number(reference)?, number(base)?) {
        (reference, base) if base < reference => Some((4 * reference + base) as u8),
        (reference, base) if base > reference => Some((4 * reference + base - 1) as u8),
        _ => None,
    }
}

/// Puts the features of a read into the columns. `bases` are its letters, as many as its CIGAR takes; `N` where it has none.
/// Returns whether the CIGAR is read again as it is.
pub(super) fn encode(
    record: &Record<'_>,
    bases: &[u8],
    reference: Option<Stretch<'_>>,
    columns: &mut Columns,
    derived: &mut DerivedTags,
) -> bool {
    derived.clear();
    derived.are_known = reference.is_some();
    let mut read = Features { columns, derived, count: 0, last: 0 };
    let has_n = memchr::memchr(b'N', bases).is_some();
    let (mut done, mut position) = (0, i64::from(record.position()));
    let (mut before, mut is_kept) = (None, true);
    for (op, len) in record.cigar().iter() {
        let n = len as usize;
        let is_aligned = op.is_aligned();
        let own = &bases[done..bases.len().min(done + if op.consumes_read() { n } else { 0 })];
        is_kept &= n > 0 && op != Op::SequenceMatch && op != Op::SequenceMismatch;
        is_kept &= before != Some(op) || op == Op::SoftClip;
        before = Some(op);
        match op {
            _ if n == 0 => {}
            Op::Match | Op::SequenceMatch | Op::SequenceMismatch => match reference {
                Some(reference) => {
                    let known = reference.at(position, n);
                    if has_n && own.iter().zip(known).any(|pair| pair == (&b'N', &b'N')) {
                        read.derived.are_known = false;
                    }
                    read.aligned(done, own, known);
                }
                None => read.stretch(done, own),
            },
            Op::Insertion => {
                read.derived.nm += len;
                if let [base] = own {
                    read.feature(b'i', done);
                    read.columns.bytes(Series::BA).push(*base);
                } else {
                    read.array(b'I', Series::IN, done, own);
                }
            }
            Op::SoftClip => read.array(b'S', Series::SC, done, own),
            Op::Deletion => {
                read.number(b'D', Series::DL, done, len);
                let known = reference.map(|reference| reference.at(position, n));
                read.derived.deletion(known.unwrap_or_default(), len);
            }
            Op::Skip => read.number(b'N', Series::RS, done, len),
            Op::Pad => read.number(b'P', Series::PD, done, len),
            Op::HardClip => read.number(b'H', Series::HC, done, len),
            Op::Unknown => is_kept = false,
        }
        done += own.len();
        if is_aligned || matches!(op, Op::Deletion | Op::Skip) {
            position += i64::from(len);
        }
    }
    read.derived.md.count();
    let count = read.count;
    columns.number(Series::FN, count);
    is_kept
}

struct Features<'a> {
    columns: &'a mut Columns,
    derived: &'a mut DerivedTags,
    count: i32,
    /// Where the feature before is, counted from 1.
    last: usize,
}

impl Features<'_> {
    /// A feature at the base `at` of the read, counted from 0.
    fn feature(&mut self, code: u8, at: usize) {
        self.columns.feature(code, at + 1 - self.last);
        self.last = at + 1;
        self.count += 1;
    }

    fn number(&mut self, code: u8, series: Series, at: usize, len: u32) {
        self.feature(code, at);
        // Below 2^28.
        self.columns.number(series, len as i32);
    }

    fn array(&mut self, code: u8, series: Series, at: usize, bases: &[u8]) {
        self.feature(code, at);
        let array = self.columns.bytes(series);
        array.extend_from_slice(bases);
        array.push(0);
    }

    /// Bases given letter by letter. What readers make MD and NM of them isn't the same.
    fn stretch(&mut self, at: usize, bases: &[u8]) {
        self.feature(b'b', at);
        self.columns.stretch(bases);
        self.derived.are_known = false;
    }

    /// Bases aligned to those of the reference, of which there may be fewer.
    fn aligned(&mut self, start: usize, own: &[u8], known: &[u8]) {
        let (within, beyond) = own.split_at(known.len().min(own.len()));
        let known = &known[..within.len()];
        let mut at = 0;
        loop {
            let equal = equal_len(&within[at..], &known[at..]);
            self.derived.md.matches += equal as u64;
            at += equal;
            if at == within.len() {
                break;
            }
            let is_odd = |&at: &usize| {
                within[at] != known[at] && substitution(known[at], within[at]).is_none()
            };
            match substitution(known[at], within[at]) {
                Some(code) => {
                    self.feature(b'X', start + at);
                    self.columns.bytes(Series::BS).push(code);
                    self.derived.mismatch(known[at]);
                    at += 1;
                }
                None => {
                    let odd = (at..within.len()).take_while(is_odd).count();
                    self.stretch(start + at, &within[at..at + odd]);
                    at += odd;
                }
            }
        }
        if !beyond.is_empty() {
            self.stretch(start + within.len(), beyond);
        }
    }
}

/// How many bytes are equal, from the first one on.
#[inline]
fn equal_len(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut equal = 0;
    for (a, b) in words {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return equal + differ.trailing_zeros() as usize / 8;
        }
        equal += 8;
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}
