//! Records of FASTQ: which are in their plainest form, and what is found in each.

use crate::GcCounts;
use crate::dispatch::kernels;

/// The result of [`crate::summarize_reads`] for one read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// G and C, and all of A, C, G and T.
    pub counts: GcCounts,
    /// The sum of error probabilities: see [`crate::sum_error_probability`].
    pub error_sum: u64,
}

/// [`count_gc_acgt`](crate::count_gc_acgt) and [`sum_error_probability`](crate::sum_error_probability) of many reads in one call, which saves the set-up of each.
///
/// As many entries are written as the shortest of the three slices has.
///
/// ```
/// use biofast_kernels::{ReadSummary, summarize_reads};
///
/// let (bases, qualities): ([&[u8]; 2], [&[u8]; 2]) = ([b"ACGT", b"GG"], [b"IIII", b"##"]);
/// let mut summaries = [ReadSummary::default(); 2];
/// summarize_reads(&bases, &qualities, &mut summaries);
/// assert_eq!(summaries.map(|read| read.counts.gc), [2, 2]);
/// assert!(summaries[0].error_sum < summaries[1].error_sum);
/// ```
#[inline]
pub fn summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    (kernels().summarize_reads)(bases, qualities, out);
}

/// Counts the plain records of FASTQ at the front of those that start at byte `start` of `bytes` and whose four lines end
/// at `newlines`. A record is plain if its first line starts with `@` and [`find_control`] finds nothing in it, the third is
/// `+` alone, the second has only what [`find_invalid_base`](crate::find_invalid_base) accepts and the fourth as many qualities, all valid, and no line
/// ends with a carriage return.
///
/// ```
/// let text = b"@a\nACGT\n+\nIIII\n@b\nAC\n+b\nII\n";
/// assert_eq!(biofast_kernels::count_plain_records(text, 0, &[[2, 7, 9, 14], [17, 20, 23, 26]]), 1);
/// ```
///
/// # Panics
/// If the newlines are not in ascending order or not inside of `bytes`.
#[inline]
pub fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    (kernels().count_plain_records)(bytes, start, newlines)
}

/// Appends the offsets of the line feeds of the plain records of FASTQ at the front of those that start at byte `start` of
/// `bytes`, four a record; returns where these records end. As [`index_newlines`](crate::index_newlines) and
/// [`count_plain_records`] together, in one pass.
///
/// ```
/// let mut newlines = Vec::new();
/// let text = b"@a\nACGT\n+\nIIII\n@b\nAC\n+b\nII\n";
/// assert_eq!(biofast_kernels::index_plain_records(text, 0, &mut newlines), 15);
/// assert_eq!(newlines, [2, 7, 9, 14]);
/// ```
///
/// # Panics
/// If `start` is beyond `bytes`, or if `bytes.len()` doesn't fit `u32`.
#[inline]
pub fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize {
    assert!(start <= bytes.len() && bytes.len() <= u32::MAX as usize, "offsets fit 32 bits");
    (kernels().index_plain_records)(bytes, start, out)
}

/// The index of the first control character in a header line: a byte below 32 other than a tab, or 127.
#[inline]
pub fn find_control(header: &[u8]) -> Option<usize> {
    header.iter().position(|byte| byte.is_ascii_control() && *byte != b'\t')
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use super::*;
    use crate::bases::reference::{count_gc_acgt, find_invalid_base};
    use crate::quality::reference::{find_invalid_quality, sum_error_probability};

    pub(crate) fn summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
        for ((bases, qualities), out) in bases.iter().zip(qualities).zip(out) {
            let counts = count_gc_acgt(bases);
            *out = ReadSummary { counts, error_sum: sum_error_probability(qualities) };
        }
    }

    pub(crate) fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize {
        let mut newlines = Vec::new();
        crate::newlines::reference::index_newlines(&bytes[start..], start as u32, &mut newlines);
        let (records, _) = newlines.as_chunks();
        let plain = &records[..count_plain_records(bytes, start, records)];
        out.extend_from_slice(plain.as_flattened());
        plain.last().map_or(start, |newlines| newlines[3] as usize + 1)
    }

    pub(crate) fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
        count_plain_with(bytes, start, newlines, |header, bases, qualities| {
            is_text(header)
                && find_invalid_base(bases).is_none()
                && find_invalid_quality(qualities).is_none()
        })
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The kernels over vectors.

    use super::*;
    use crate::newlines::vector::find_newline;
    use crate::vector::Simd;

    #[inline(always)]
    pub(crate) fn count_plain_records<S: Simd>(
        bytes: &[u8],
        start: usize,
        newlines: &[[u32; 4]],
    ) -> usize {
        S::count_plain_records(bytes, start, newlines)
    }

    #[inline(always)]
    pub(crate) fn index_plain_records<S: Simd>(
        bytes: &[u8],
        start: usize,
        out: &mut Vec<u32>,
    ) -> usize {
        S::index_plain_records(bytes, start, out)
    }

    /// Appends the line feeds of the plain records from `start` on; returns where they end. `is_valid` is that of
    /// [`count_plain_with`], and takes no line feed for a base or a quality.
    #[inline(always)]
    pub(crate) fn index_plain_with<S: Simd>(
        bytes: &[u8],
        mut start: usize,
        out: &mut Vec<u32>,
        is_valid: impl Fn(&[u8], &[u8], &[u8]) -> bool,
    ) -> usize {
        let mut len = 0;
        while bytes.get(start) == Some(&b'@') {
            let Some(header) = find_newline::<S>(&bytes[start..]) else { break };
            let header_end = start + header;
            // Most reads are as long as the one before. If there is a line feed before that, the bases aren't valid.
            let is_guess = bytes.get(header_end + 1 + len) == Some(&b'\n');
            let mut next =
                if is_guess { check_at(bytes, start, header_end, len, &is_valid) } else { None };
            if next.is_none() {
                let Some(bases) = find_newline::<S>(&bytes[header_end + 1..]) else { break };
                if is_guess && bases == len {
                    break;
                }
                len = bases;
                next = check_at(bytes, start, header_end, len, &is_valid);
            }
            let Some(end) = next else { break };
            let bases_end = header_end + 1 + len;
            out.extend_from_slice(&[header_end, bases_end, bases_end + 2, end].map(|at| at as u32));
            start = end + 1;
        }
        start
    }

    /// Where the record ends that starts at `start`, if it is plain and has `len` bases up to a line feed.
    #[inline(always)]
    fn check_at(
        bytes: &[u8],
        start: usize,
        header_end: usize,
        len: usize,
        is_valid: impl Fn(&[u8], &[u8], &[u8]) -> bool,
    ) -> Option<usize> {
        let first = header_end + 1;
        let end = first + 2 * len + 3;
        let [header @ .., _] = bytes.get(start..first)? else { return None };
        let (lines, after) = (bytes.get(first..end)?, bytes.get(end)?);
        let (bases, lines) = lines.split_at_checked(len)?;
        let (middle, qualities) = lines.split_first_chunk::<3>()?;
        let is_plain = (middle == b"\n+\n") & (*after == b'\n');
        if is_plain && is_valid(header, bases, qualities) { Some(end) } else { None }
    }

    /// One call for many reads, so that constants are loaded once.
    #[inline(always)]
    pub(crate) fn summarize_reads<S: Simd>(
        bases: &[&[u8]],
        qualities: &[&[u8]],
        out: &mut [ReadSummary],
    ) {
        S::summarize_reads(bases, qualities, out);
    }
}

/// Counts the plain records at the front of those that start at `start` and end at `newlines`, four lines each. A record
/// is plain if its first line starts with `@`, the third is `+` alone, and `is_valid` says so of the first, the second and
/// the fourth, of which the latter have the same length: no control character but tabs in a header, and so no carriage
/// return at its end.
#[inline(always)]
pub(crate) fn count_plain_with(
    bytes: &[u8],
    mut start: usize,
    newlines: &[[u32; 4]],
    is_valid: impl Fn(&[u8], &[u8], &[u8]) -> bool,
) -> usize {
    for (index, quad) in newlines.iter().enumerate() {
        let [header_end, bases_end, plus_end, end] = quad.map(|newline| newline as usize);
        let header = &bytes[start..header_end];
        let bases = &bytes[header_end + 1..bases_end];
        let qualities = &bytes[plus_end + 1..end];
        // Without branches but the last, which is never taken in a good file.
        let is_plain = (header.first() == Some(&b'@'))
            & (bytes[bases_end + 1] == b'+')
            & (plus_end == bases_end + 2)
            & (bases.len() == qualities.len());
        if !is_plain || !is_valid(header, bases, qualities) {
            return index;
        }
        start = end + 1;
    }
    newlines.len()
}

/// Whether a header line has no control character but tabs: [`find_control`] without a place, so that compilers make
/// vector code of it.
pub(crate) fn has_control(header: &[u8]) -> bool {
    header.iter().fold(false, |has, byte| has | (byte.is_ascii_control() & (*byte != b'\t')))
}

/// Whether a header line has no control character but tabs. Nearly all have printable ASCII only, which takes a few
/// instructions to see.
#[inline(always)]
pub(crate) fn is_text(header: &[u8]) -> bool {
    let is_printable = match header.len() {
        32.. => are_printable::<32>(header),
        16.. => are_printable::<16>(header),
        8.. => are_printable::<8>(header),
        _ => are_printable::<1>(header),
    };
    is_printable || !has_control(header)
}

/// Whether all of at least `N` bytes are printable ASCII. Compilers make vector code of it, with the instructions of the
/// function it is inlined into.
#[inline(always)]
fn are_printable<const N: usize>(bytes: &[u8]) -> bool {
    let mut highest = [0u8; N];
    let mut look = |block: &[u8; N]| {
        for (highest, byte) in highest.iter_mut().zip(block) {
            *highest = (*highest).max(byte.wrapping_sub(b' '));
        }
    };
    let (blocks, rest) = bytes.as_chunks();
    blocks.iter().for_each(&mut look);
    // The last block overlaps the one before.
    if let (false, Some(last)) = (rest.is_empty(), bytes.last_chunk()) {
        look(last);
    }
    highest.iter().fold(true, |all, highest| all & (*highest <= b'~' - b' '))
}
