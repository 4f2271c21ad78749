//! What is counted of mapped primary reads by position, as they were sequenced: soft clips from the CIGAR, mismatches from the
//! `MD` field, or from the reference where it is missing. Positions are those of [`positions`](crate::measure::reads), so that
//! memory does not grow with length.

use std::ops::Range;

use biofast_bam::{Cigar, MdPiece, MdPieces, Op, Record, flag};

use super::basics::{ExaminedRecord, FRAGMENTS, Fragment, add_all};
use super::beside::BesideReference;
use super::figures::{CountsAtPosition, MismatchesByPosition};
use super::invalid::Invalid;
use crate::measure::reads::Lengths;
use crate::measure::reads::statistic::positions::{EXACT_POSITIONS, bin_of, bin_range};

/// The counts. Merging two equals counting both inputs.
#[derive(Default)]
pub(crate) struct AlongReads {
    /// Whether mismatches are counted: that looks for a field of each record.
    compares: bool,
    /// Bases of reads that aren't mapped, which are few. Those of all are known by their lengths.
    unmapped: ByPosition,
    soft_clipped: ByPosition,
    /// Records that were compared.
    compared: u64,
    aligned: ByPosition,
    mismatches: ByPosition,
    /// The columns of the record at hand that differ.
    columns: Vec<u64>,
}

/// Bases of first and of last reads by position.
#[derive(Clone, Debug, Default)]
struct ByPosition {
    /// By how much each position has more than the one before: a stretch is its two ends.
    steps: Vec<[u64; 2]>,
    /// By bin, behind [`EXACT_POSITIONS`].
    later: Vec<[u64; 2]>,
}

impl ByPosition {
    /// Counts the bases of a stretch of positions in so many reads.
    #[inline]
    fn add(&mut self, read: usize, stretch: Range<u64>, reads: u64) {
        if stretch.is_empty() {
            return;
        }
        let exact = EXACT_POSITIONS as u64;
        if stretch.start < exact {
            let (start, end) = (stretch.start as usize, stretch.end.min(exact) as usize);
            if self.steps.len() <= end {
                self.steps.resize(end + 1, [0; 2]);
            }
            self.steps[start][read] = self.steps[start][read].wrapping_add(reads);
            self.steps[end][read] = self.steps[end][read].wrapping_sub(reads);
        }
        if stretch.end > exact {
            let later = stretch.start.max(exact) as usize..stretch.end as usize;
            self.add_later(read, later, reads);
        }
    }

    #[inline(never)]
    fn add_later(&mut self, read: usize, stretch: Range<usize>, reads: u64) {
        let bins = bin_of(stretch.start)..bin_of(stretch.end - 1) + 1;
        let len = self.later.len().max(bins.end - EXACT_POSITIONS);
        self.later.resize(len, [0; 2]);
        for bin in bins {
            let Range { start, end } = bin_range(bin);
            let bases = end.min(stretch.end) - start.max(stretch.start);
            self.later[bin - EXACT_POSITIONS][read] += bases as u64 * reads;
        }
    }

    fn merge(&mut self, other: &ByPosition) {
        let ByPosition { steps, later } = other;
        self.steps.resize(self.steps.len().max(steps.len()), [0; 2]);
        for (mine, theirs) in self.steps.as_flattened_mut().iter_mut().zip(steps.as_flattened()) {
            *mine = mine.wrapping_add(*theirs);
        }
        self.later.resize(self.later.len().max(later.len()), [0; 2]);
        add_all(self.later.as_flattened_mut(), later.as_flattened());
    }

    /// The bases by bin.
    fn bins(&self) -> Vec<[u64; 2]> {
        let mut sum = [0u64; 2];
        let exact = self.steps.iter().take(EXACT_POSITIONS).map(|step| {
            sum = [sum[0].wrapping_add(step[0]), sum[1].wrapping_add(step[1])];
            sum
        });
        let mut bins: Vec<[u64; 2]> = exact.collect();
        if !self.later.is_empty() {
            bins.resize(EXACT_POSITIONS, [0; 2]);
            bins.extend(&self.later);
        }
        bins
    }
}

impl AlongReads {
    /// With mismatches, or without.
    pub(super) fn new(compares: bool) -> AlongReads {
        AlongReads { compares, ..AlongReads::default() }
    }

    /// Counts a primary record, beside the reference if there is one.
    #[inline]
    pub(super) fn add(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        beside: Option<&mut BesideReference>,
    ) {
        if seen.fragment == Fragment::Other {
            return;
        }
        let read = seen.fragment as usize;
        if record.flags() & flag::UNMAPPED != 0 {
            self.unmapped.add(read, 0..seen.unclipped_len, 1);
            return;
        }
        if seen.stretch.is_none() {
            self.add_soft_clips(read, record, seen);
        }
        if !self.compares {
            return;
        }
        match (mismatch_text(record), beside) {
            (Some(text), _) => self.compare(read, text, record, seen),
            (None, Some(reference)) => self.compare_beside(read, reference, record, seen),
            (None, None) => {}
        }
    }

    /// Only hard clips are between soft clips and the ends.
    #[inline(never)]
    fn add_soft_clips(&mut self, read: usize, record: &Record<'_>, seen: &ExaminedRecord<'_>) {
        let (cigar, len) = (seen.cigar, seen.unclipped_len);
        let clip = |place: Option<usize>| {
            let (op, len) = place.and_then(|place| cigar.get(place))?;
            matches!(op, Op::SoftClip | Op::HardClip).then_some((op, u64::from(len)))
        };
        let clips = |outer: Option<usize>, inner: Option<usize>| match clip(outer) {
            Some((Op::SoftClip, len)) => (0, len),
            Some((_, hard)) => match clip(inner) {
                Some((Op::SoftClip, len)) => (hard, len),
                _ => (0, 0),
            },
            None => (0, 0),
        };
        let (hard, soft) = clips(Some(0), Some(1));
        let front = hard..hard + soft;
        let (hard, soft) = clips(cigar.len().checked_sub(1), cigar.len().checked_sub(2));
        let end = len.saturating_sub(hard);
        // A read that is nothing but a clip has it once.
        let back = end.saturating_sub(soft).max(front.end)..end;
        self.soft_clipped.add(read, as_sequenced(front, record, seen), 1);
        self.soft_clipped.add(read, as_sequenced(back, record, seen), 1);
    }

    /// Counts aligned bases and those that differ, if the text of `MD` fits the CIGAR.
    #[inline]
    fn compare(
        &mut self,
        read: usize,
        text: &[u8],
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
    ) {
        // Of most reads the text is the length of their only stretch.
        if let Some(stretch) = seen.stretch.map(u64::from)
            && is_number(text, stretch)
        {
            self.compared += 1;
            self.aligned.add(read, as_sequenced(0..stretch, record, seen), 1);
        } else if columns(text, &mut self.columns) == Some(aligned_columns(seen)) {
            self.count_columns(read, record, seen);
        }
    }

    /// The same of a record without `MD`, if the reference has all its bases.
    #[inline(never)]
    fn compare_beside(
        &mut self,
        read: usize,
        reference: &mut BesideReference,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
    ) {
        if reference.differing(record, seen, &mut self.columns) {
            self.count_columns(read, record, seen);
        }
    }

    /// Counts a record of which the columns that differ are known.
    fn count_columns(&mut self, read: usize, record: &Record<'_>, seen: &ExaminedRecord<'_>) {
        self.compared += 1;
        if let Some(stretch) = seen.stretch.map(u64::from) {
            self.aligned.add(read, as_sequenced(0..stretch, record, seen), 1);
            for &place in &self.columns {
                self.mismatches.add(read, as_sequenced(place..place + 1, record, seen), 1);
            }
            return;
        }
        let mut differing = self.columns.iter().copied().peekable();
        let (mut at, mut column) = (0, 0);
        for (op, len) in seen.cigar.iter().map(|(op, len)| (op, u64::from(len))) {
            if op.is_aligned() {
                self.aligned.add(read, as_sequenced(at..at + len, record, seen), 1);
                while let Some(next) = differing.next_if(|next| *next < column + len) {
                    let place = at + next - column;
                    self.mismatches.add(read, as_sequenced(place..place + 1, record, seen), 1);
                }
                column += len;
            }
            at += if is_of_read(op) { len } else { 0 };
        }
    }

    pub(super) fn merge(&mut self, other: &AlongReads) {
        // By name, so that no count can be forgotten.
        let AlongReads {
            compares,
            unmapped,
            soft_clipped,
            compared,
            aligned,
            mismatches,
            columns: _,
        } = other;
        self.compares |= compares;
        self.unmapped.merge(unmapped);
        self.soft_clipped.merge(soft_clipped);
        self.compared += compared;
        self.aligned.merge(aligned);
        self.mismatches.merge(mismatches);
    }

    /// The counts, of primary reads of these lengths.
    pub(super) fn counts(&self, lengths: &[Lengths; FRAGMENTS]) -> AlongCounts {
        let mut all = ByPosition::default();
        for read in [Fragment::First as usize, Fragment::Last as usize] {
            lengths[read].iter().for_each(|(len, reads)| all.add(read, 0..len, reads));
        }
        let mut mapped = all.bins();
        for (all, unmapped) in mapped.iter_mut().zip(self.unmapped.bins()) {
            *all = [all[0] - unmapped[0], all[1] - unmapped[1]];
        }
        AlongCounts {
            soft_clipped: [self.soft_clipped.bins(), mapped],
            mismatches: self.compares.then(|| ComparedCounts {
                records: self.compared,
                bases: [self.mismatches.bins(), self.aligned.bins()],
            }),
        }
    }
}

/// By bin, of first and last reads: the bases that are counted, and all.
pub(super) type BasesByBin = [Vec<[u64; 2]>; 2];

/// The counts, of statistics or read back from a report.
#[derive(Clone, Debug)]
pub(super) struct AlongCounts {
    soft_clipped: BasesByBin,
    mismatches: Option<ComparedCounts>,
}

#[derive(Clone, Debug)]
struct ComparedCounts {
    records: u64,
    bases: BasesByBin,
}

impl AlongCounts {
    pub(super) fn soft_clipped(&self) -> Vec<CountsAtPosition> {
        rows(&self.soft_clipped)
    }

    pub(super) fn mismatches(&self) -> Option<MismatchesByPosition> {
        let ComparedCounts { records, bases } = self.mismatches.as_ref()?;
        Some(MismatchesByPosition { records: *records, positions: rows(bases) })
    }

    /// The counts of a report, each of them at most `most`.
    pub(super) fn read_back(
        soft_clipped: &[CountsAtPosition],
        mismatches: Option<&MismatchesByPosition>,
        most: u64,
    ) -> Result<AlongCounts, Invalid> {
        let mismatches = mismatches.map(|found| {
            if found.records > most {
                return Err(Invalid::Inconsistent("a count that is too large"));
            }
            let bases = bases(&found.positions, most)?;
            Ok(ComparedCounts { records: found.records, bases })
        });
        Ok(AlongCounts {
            soft_clipped: bases(soft_clipped, most)?,
            mismatches: mismatches.transpose()?,
        })
    }

    /// Adds other counts; `None` if that exceeds 64 bits. Mismatches are those of the whole only if both have them.
    pub(super) fn merge(&mut self, other: &AlongCounts) -> Option<()> {
        let AlongCounts { soft_clipped, mismatches } = other;
        add_bases(&mut self.soft_clipped, soft_clipped)?;
        self.mismatches = match (self.mismatches.take(), mismatches) {
            (Some(mut mine), Some(theirs)) => {
                mine.records = mine.records.checked_add(theirs.records)?;
                add_bases(&mut mine.bases, &theirs.bases)?;
                Some(mine)
            }
            _ => None,
        };
        Some(())
    }
}

fn add_bases(mine: &mut BasesByBin, theirs: &BasesByBin) -> Option<()> {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        mine.resize(mine.len().max(theirs.len()), [0; 2]);
        for (sum, n) in mine.as_flattened_mut().iter_mut().zip(theirs.as_flattened()) {
            *sum = sum.checked_add(*n)?;
        }
    }
    Some(())
}

/// The rows of a report.
fn rows([some, all]: &BasesByBin) -> Vec<CountsAtPosition> {
    let at = |bins: &[[u64; 2]], bin: usize| bins.get(bin).copied().unwrap_or_default();
    let rows = (0..some.len().max(all.len())).map(|bin| {
        let ([first, last], [of_first, of_last]) = (at(some, bin), at(all, bin));
        let range = bin_range(bin);
        (range.start + 1, range.end, first, of_first, last, of_last)
    });
    rows.filter(|row| row.3 + row.5 > 0).collect()
}

/// The counts of rows.
fn bases(rows: &[CountsAtPosition], most: u64) -> Result<BasesByBin, Invalid> {
    let (mut some, mut all) = (Vec::new(), Vec::new());
    for &(start, end, first, of_first, last, of_last) in rows {
        // No read has more than 2^31 bases.
        let bin = start.checked_sub(1).filter(|first| *first < 1 << 31).map(bin_of);
        let Some(bin) = bin.filter(|bin| bin_range(*bin) == (start - 1..end)) else {
            return Err(Invalid::Inconsistent("a position that has no count"));
        };
        if first > of_first || last > of_last || of_first.max(of_last) > most {
            return Err(Invalid::Inconsistent("more bases at a position than reads have"));
        }
        if some.len() <= bin {
            some.resize(bin + 1, [0; 2]);
            all.resize(bin + 1, [0; 2]);
        }
        some[bin] = [first, last];
        all[bin] = [of_first, of_last];
    }
    Ok([some, all])
}

/// Whether an operation has bases of the read as it was sequenced.
fn is_of_read(op: Op) -> bool {
    op.consumes_read() || op == Op::HardClip
}

/// A stretch of an alignment in the direction of sequencing, as far as the read has it.
#[inline]
fn as_sequenced(stretch: Range<u64>, record: &Record<'_>, seen: &ExaminedRecord<'_>) -> Range<u64> {
    let len = seen.unclipped_len;
    let (start, end) = (stretch.start.min(len), stretch.end.min(len));
    match record.flags() & flag::REVERSE != 0 {
        true => len - end..len - start,
        false => start..end,
    }
}

/// Columns of read and reference bases beside each other.
fn aligned_columns(seen: &ExaminedRecord<'_>) -> u64 {
    let of = |cigar: Cigar<'_>| {
        let aligned = cigar.iter().filter(|(op, _)| op.is_aligned());
        aligned.map(|(_, len)| u64::from(len)).sum()
    };
    seen.stretch.map_or_else(|| of(seen.cigar), u64::from)
}

/// The text of `MD`, and what may be behind its end.
#[inline]
fn mismatch_text<'a>(record: &Record<'a>) -> Option<&'a [u8]> {
    // Aligners put it second.
    if let [b'N', b'M', b'C', _, b'M', b'D', b'Z', text @ ..] = record.tag_bytes() {
        return Some(text);
    }
    look_for_mismatch_text(record)
}

#[inline(never)]
fn look_for_mismatch_text<'a>(record: &Record<'a>) -> Option<&'a [u8]> {
    record.tags().find(|tag| tag.name == *b"MD")?.as_text()
}

/// Whether a text, which may go on behind its end, is this number.
#[inline]
fn is_number(text: &[u8], number: u64) -> bool {
    let mut value = 0;
    // None that is compared has more digits.
    for byte in text.iter().take(11) {
        match byte {
            b'0'..=b'9' => value = 10 * value + u64::from(byte - b'0'),
            _ => return *byte == 0 && value == number,
        }
    }
    text.len() < 11 && value == number
}

/// How many columns the text of `MD` has; which of them differ goes to `differing`. `None` if it is no such text.
#[inline]
fn columns(text: &[u8], differing: &mut Vec<u64>) -> Option<u64> {
    differing.clear();
    let mut column = 0u64;
    for piece in MdPieces::new(text) {
        match piece.ok()? {
            MdPiece::Same(columns) => column = column.checked_add(columns)?,
            MdPiece::Other(_) => {
                differing.push(column);
                column = column.checked_add(1)?;
            }
            MdPiece::Deleted(_) => {}
        }
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_md() {
        let mut differing = Vec::new();
        let cases: [(&str, Option<u64>, &[u64]); 8] = [
            ("100", Some(100), &[]),
            ("0A0C3", Some(5), &[0, 1]),
            ("10A5^AC6", Some(22), &[10]),
            ("5^AC0T2\0NMC", Some(8), &[5]),
            ("3N", Some(4), &[3]),
            ("", Some(0), &[]),
            ("5-3", None, &[]),
            ("99999999999999999999A", None, &[]),
        ];
        for (text, columns_, places) in cases {
            assert_eq!(columns(text.as_bytes(), &mut differing), columns_, "{text}");
            if columns_.is_some() {
                assert_eq!(differing, places, "{text}");
            }
        }
    }

    #[test]
    fn a_text_that_is_one_number() {
        let cases = [
            ("100", 100, true),
            ("100\0NMC", 100, true),
            ("0100", 100, true),
            ("0", 0, true),
            ("", 0, true),
            ("101", 100, false),
            ("10", 100, false),
            ("100A0", 100, false),
            ("00000000000000100", 100, false),
            ("4294967295", u64::from(u32::MAX), true),
            ("18446744073709551716", 100, false),
        ];
        for (text, number, is) in cases {
            assert_eq!(is_number(text.as_bytes(), number), is, "{text}");
        }
    }

    #[test]
    fn stretches_are_counted_base_by_base() {
        let mut counted = ByPosition::default();
        let mut expected: Vec<[u64; 2]> = Vec::new();
        for (start, end) in
            [(0, 5), (2, 3), (998, 1100), (999, 1000), (1000, 1001), (40, 40), (5, 9000)]
        {
            for read in 0..2 {
                counted.add(read, start..end, 1);
                for position in start..end {
                    let bin = bin_of(position as usize);
                    expected.resize(expected.len().max(bin + 1), [0; 2]);
                    expected[bin][read] += 1;
                }
            }
        }
        let mut merged = ByPosition::default();
        merged.merge(&counted);
        assert_eq!(merged.bins(), expected);
    }
}
