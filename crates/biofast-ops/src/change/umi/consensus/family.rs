//! The reads of a molecule, unpacked: overlapping mates corrected, then turned, masked and cut as they were sequenced.

use std::collections::HashMap;
use std::ops::Range;

use biofast_bam::{Error, Op, Record, flag};

use super::model::{MAX_QUALITY, MIN_QUALITY, NO_CALL};
use super::overhang::{MateCigar, clip_past_mate, needs_mate};
use crate::change::grep::COMPLEMENTS;

/// An operation of a simplified CIGAR: its code and its length.
pub(super) type SimpleOp = (u8, u32);

/// The records of a molecule, with their bases and qualities.
#[derive(Default)]
pub(super) struct Family<'r> {
    pub(super) records: Vec<Record<'r>>,
    bases: Vec<u8>,
    qualities: Vec<u8>,
    starts: Vec<usize>,
    /// Primary records by name and by whether they are first in their pair, once they were needed.
    mates: Option<HashMap<(&'r [u8], bool), usize>>,
}

/// A read as it is compared with others: in the direction in which it was sequenced.
#[derive(Clone, Debug)]
pub(super) struct SourceRead {
    /// Its record.
    pub(super) index: usize,
    pub(super) bases: Vec<u8>,
    pub(super) qualities: Vec<u8>,
    pub(super) cigar: Vec<SimpleOp>,
    pub(super) is_unmapped: bool,
    pub(super) is_first: bool,
    /// Reads with the lowest ranks are kept where there are too many.
    pub(super) rank: i32,
    /// Whether the CIGAR of its mate was needed and isn't known.
    pub(super) lacks_mate: bool,
}

/// How reads are prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadRules {
    pub(super) min_quality: u8,
    pub(super) trims: bool,
}

impl<'r> Family<'r> {
    /// Takes the records of another molecule.
    pub(super) fn fill(&mut self, records: impl IntoIterator<Item = Record<'r>>) {
        self.records.clear();
        self.bases.clear();
        self.qualities.clear();
        self.starts.clear();
        self.mates = None;
        for record in records {
            self.starts.push(self.bases.len());
            record.sequence().append_to(&mut self.bases);
            let scores = record.qualities().as_slice();
            self.qualities.extend_from_slice(scores);
            self.records.push(record);
        }
        self.starts.push(self.bases.len());
    }

    fn range(&self, index: usize) -> Range<usize> {
        self.starts[index]..self.starts[index + 1]
    }

    /// Corrects bases that both reads of a pair have: equal ones get the sum of both qualities, of others the better one is taken.
    pub(super) fn correct_overlaps(&mut self) {
        let mut pairs: HashMap<&'r [u8], [Option<usize>; 2]> = HashMap::new();
        let mut index = 0;
        while index < self.records.len() {
            let record = &self.records[index];
            let read = |record: &Record<'_>| match record.flags() & (flag::READ1 | flag::READ2) {
                0 => None,
                flags => Some(usize::from(flags & flag::READ1 == 0)),
            };
            let next = self.records.get(index + 1).filter(|next| next.name() == record.name());
            let after = self.records.get(index + 2).filter(|next| next.name() == record.name());
            match (read(record), next.and_then(read)) {
                // Mostly both stand side by side.
                (Some(one), Some(other))
                    if one != other && after.is_none() && !pairs.contains_key(record.name()) =>
                {
                    let both = if one == 0 { [index, index + 1] } else { [index + 1, index] };
                    pairs.insert(record.name(), both.map(Some));
                    index += 2;
                }
                (read, _) => {
                    if let Some(read) = read {
                        pairs.entry(record.name()).or_default()[read] = Some(index);
                    }
                    index += 1;
                }
            }
        }
        for pair in pairs.into_values() {
            if let [Some(first), Some(second)] = pair {
                self.correct_pair(first, second);
            }
        }
    }

    fn correct_pair(&mut self, first: usize, second: usize) {
        let (one, other) = (&self.records[first], &self.records[second]);
        if (one.flags() | other.flags()) & flag::UNMAPPED != 0
            || one.reference_id() != other.reference_id()
            || one.alignment_end().min(other.alignment_end())
                <= i64::from(one.position().max(other.position()))
        {
            return;
        }
        let (starts, mut others) =
            ([self.starts[first], self.starts[second]], aligned(other).peekable());
        let is_called = |base: u8| !matches!(base, b'N' | b'.');
        for (place, at) in aligned(one) {
            while others.next_if(|(other, _)| *other < place).is_some() {}
            let Some((_, other)) = others.next_if(|(other, _)| *other == place) else { continue };
            let [one, other] = [starts[0] + at, starts[1] + other];
            let bases = [self.bases[one], self.bases[other]];
            if !bases.into_iter().all(is_called) {
                continue;
            }
            let [better, worse] = [self.qualities[one], self.qualities[other]];
            let (base, quality) = match better.cmp(&worse) {
                _ if bases[0] == bases[1] => {
                    (bases[0], (u16::from(better) + u16::from(worse)).min(MAX_QUALITY.into()) as u8)
                }
                std::cmp::Ordering::Equal => (NO_CALL, MIN_QUALITY),
                std::cmp::Ordering::Greater => (bases[0], (better - worse).max(MIN_QUALITY)),
                std::cmp::Ordering::Less => (bases[1], (worse - better).max(MIN_QUALITY)),
            };
            for at in [one, other] {
                (self.bases[at], self.qualities[at]) = (base, quality);
            }
        }
    }

    /// The read of a record; `None` if nothing is left of it.
    ///
    /// # Errors
    /// If the record has no qualities.
    pub(super) fn source(
        &mut self,
        index: usize,
        rules: ReadRules,
        is_ranked: bool,
    ) -> Result<Option<SourceRead>, Error> {
        let record = self.records[index];
        let range = self.range(index);
        let len = range.len();
        if len == 0 {
            return Ok(None);
        }
        if record.qualities().is_missing() {
            return Err(record.ungroupable("a consensus needs qualities, and it has none"));
        }
        let clipped = self.clip(index);
        let is_reverse = record.flags() & flag::REVERSE != 0;
        let mut bases = self.bases[range.clone()].to_vec();
        let mut qualities = self.qualities[range].to_vec();
        if is_reverse {
            bases.reverse();
            bases.iter_mut().for_each(|base| *base = COMPLEMENTS[usize::from(*base)]);
            qualities.reverse();
        }
        let trimmed = match rules.trims {
            true => trim_point(&qualities, rules.min_quality),
            false => len,
        };
        for (base, quality) in bases.iter_mut().zip(&mut qualities).take(trimmed) {
            if *quality < rules.min_quality {
                (*base, *quality) = (NO_CALL, MIN_QUALITY);
            }
        }
        let kept = len.saturating_sub(clipped.unwrap_or(0)).min(trimmed);
        let kept = bases[..kept].iter().rposition(|base| *base != NO_CALL).map_or(0, |at| at + 1);
        if kept == 0 {
            return Ok(None);
        }
        bases.truncate(kept);
        qualities.truncate(kept);
        Ok(Some(SourceRead {
            index,
            bases,
            qualities,
            cigar: simple_cigar(&record, is_reverse, (kept < len).then_some(kept)),
            is_unmapped: record.flags() & flag::UNMAPPED != 0,
            is_first: record.flags() & flag::READ1 != 0,
            rank: if is_ranked { name_rank(record.name()) } else { 0 },
            lacks_mate: clipped.is_none(),
        }))
    }

    /// How many bases at the end of a read go beyond its mate; `None` if the mate's CIGAR is needed and isn't known.
    fn clip(&mut self, index: usize) -> Option<usize> {
        let record = self.records[index];
        if let Some(tag) = record.tags().find(|tag| tag.name == *b"MC" && tag.kind == b'Z') {
            let cigar = MateCigar::of_text(tag.value);
            return Some(cigar.map_or(0, |cigar| clip_past_mate(&record, &cigar)));
        }
        if !needs_mate(&record) {
            return Some(0);
        }
        let is_first = |record: &Record<'_>| record.flags() & flag::READ1 != 0;
        let records = &self.records;
        let mates = self.mates.get_or_insert_with(|| {
            let mut mates = HashMap::new();
            for (index, record) in records.iter().enumerate() {
                if record.flags() & flag::PAIRED != 0 {
                    mates.entry((record.name(), is_first(record))).or_insert(index);
                }
            }
            mates
        });
        let mate = records[*mates.get(&(record.name(), !is_first(&record)))?];
        if mate.flags() & flag::UNMAPPED != 0 {
            return Some(0);
        }
        let cigar = MateCigar::of_ops(mate.cigar().words().collect());
        Some(cigar.map_or(0, |cigar| clip_past_mate(&record, &cigar)))
    }
}

/// The positions on the reference, and in the read, of its aligned bases.
fn aligned(record: &Record<'_>) -> impl Iterator<Item = (i64, usize)> + use<> {
    let (mut place, mut at) = (i64::from(record.position()), 0);
    let ops: Vec<(Op, u32)> = record.cigar().iter().collect();
    ops.into_iter().flat_map(move |(op, len)| {
        let (from, start, len) = (place, at, len as usize);
        place += if op.consumes_reference() { len as i64 } else { 0 };
        at += if op.consumes_read() { len } else { 0 };
        let aligned = if op.is_aligned() { len } else { 0 };
        (0..aligned).map(move |offset| (from + offset as i64, start + offset))
    })
}

/// Where a read is cut whose qualities at the end are low: from where the sum of what they lack is highest.
fn trim_point(qualities: &[u8], min_quality: u8) -> usize {
    if min_quality == 0 {
        return 0;
    }
    let (mut score, mut most, mut point) = (0, 0, qualities.len());
    for (index, quality) in qualities.iter().enumerate().rev() {
        score += i32::from(min_quality) - i32::from(*quality);
        if score < 0 {
            break;
        }
        if score > most {
            (most, point) = (score, index);
        }
    }
    point
}

/// The CIGAR of a read as it was sequenced, of `kept` bases if it was cut; clipped and mismatched bases are matches in it.
fn simple_cigar(record: &Record<'_>, is_reverse: bool, kept: Option<usize>) -> Vec<SimpleOp> {
    let mut ops: Vec<u32> = record.cigar().words().collect();
    if is_reverse {
        ops.reverse();
    }
    let mut left = kept.unwrap_or(usize::MAX);
    let mut simple: Vec<SimpleOp> = Vec::new();
    for word in ops {
        if left == 0 {
            break;
        }
        let (op, mut len) = ((word & 15) as u8, word >> 4);
        if matches!(op, 0 | 1 | 4 | 7 | 8) {
            len = len.min(left.min(u32::MAX as usize) as u32);
            left -= if left == usize::MAX { 0 } else { len as usize };
        }
        let op = if matches!(op, 4 | 5 | 7 | 8) { 0 } else { op };
        match simple.last_mut().filter(|(last, _)| *last == op) {
            Some((_, last)) => *last += len,
            None => simple.push((op, len)),
        }
    }
    simple
}

/// The rank of a read's name: htsjdk's Murmur3 hash of its characters.
fn name_rank(name: &[u8]) -> i32 {
    let mix = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = 42u32;
    let pairs = name.chunks_exact(2);
    let rest = pairs.remainder();
    for pair in pairs {
        hash ^= mix(u32::from(pair[0]) | u32::from(pair[1]) << 16);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if let [last] = rest {
        hash ^= mix(u32::from(*last));
    }
    hash ^= 2 * name.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16) as i32
}

/// Leaves unmapped reads out if others are mapped, and of the others those with the most common alignment.
pub(super) fn keep_most_common(sources: &mut Vec<SourceRead>) {
    if sources.iter().any(|read| !read.is_unmapped) {
        sources.retain(|read| !read.is_unmapped);
    }
    if sources.len() < 2 || sources.iter().all(|read| read.cigar == sources[0].cigar) {
        return;
    }
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(sources[*index].bases.len()));
    let mut groups: Vec<(&[SimpleOp], Vec<usize>)> = Vec::new();
    for index in order {
        let cigar = &sources[index].cigar;
        let mut is_found = false;
        // A short read may be the beginning of several others.
        for (_, members) in groups.iter_mut().filter(|(other, _)| is_prefix(cigar, other)) {
            members.push(index);
            is_found = true;
        }
        if !is_found {
            groups.push((cigar, vec![index]));
        }
    }
    // What is compared of operations: first the length. The lower one wins.
    let key = |cigar: &[SimpleOp]| -> Vec<(u32, u8)> {
        cigar.iter().map(|(op, len)| (*len, *op)).collect()
    };
    let best = groups.into_iter().max_by(|(one, members), (other, others)| {
        members.len().cmp(&others.len()).then_with(|| key(other).cmp(&key(one)))
    });
    let mut is_kept = vec![false; sources.len()];
    best.into_iter().flat_map(|(_, members)| members).for_each(|index| is_kept[index] = true);
    let mut kept = is_kept.into_iter();
    sources.retain(|_| kept.next().unwrap_or(false));
}

/// Whether a CIGAR is the beginning of another.
fn is_prefix(one: &[SimpleOp], other: &[SimpleOp]) -> bool {
    if one.len() > other.len() {
        return false;
    }
    let last = one.len().saturating_sub(1);
    one.iter().zip(other).enumerate().all(|(index, ((op, len), (other_op, other_len)))| {
        op == other_op && if index == last { len <= other_len } else { len == other_len }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_htsjdk() {
        for (name, rank) in [
            ("q0", -593_808_727),
            ("q2", -974_105_965),
            ("q9", 98_042_550),
            ("read0", 916_970_908),
            ("read5", -1_573_193_749),
        ] {
            assert_eq!(name_rank(name.as_bytes()), rank, "{name}");
        }
    }

    #[test]
    fn reads_are_trimmed_where_what_lacks_is_most() {
        assert_eq!(trim_point(&[30, 30, 2, 2], 20), 2);
        assert_eq!(trim_point(&[30, 2, 25, 2, 2], 20), 1);
        assert_eq!(trim_point(&[30, 30], 20), 2);
        assert_eq!(trim_point(&[5, 5], 20), 0);
        assert_eq!(trim_point(&[30], 0), 0);
    }

    #[test]
    fn the_most_common_alignment_is_kept() {
        let read = |index: usize, cigar: &[SimpleOp]| SourceRead {
            index,
            bases: vec![
                b'A';
                cigar.iter().filter(|(op, _)| *op < 2).map(|(_, n)| *n as usize).sum()
            ],
            qualities: Vec::new(),
            cigar: cigar.to_vec(),
            is_unmapped: false,
            is_first: true,
            rank: 0,
            lacks_mate: false,
        };
        let kept = |reads: &[&[SimpleOp]]| {
            let mut reads: Vec<SourceRead> =
                reads.iter().enumerate().map(|(index, cigar)| read(index, cigar)).collect();
            keep_most_common(&mut reads);
            reads.iter().map(|read| read.index).collect::<Vec<_>>()
        };
        let (plain, indel): (&[SimpleOp], &[SimpleOp]) = (&[(0, 10)], &[(0, 5), (1, 1), (0, 4)]);
        assert_eq!(kept(&[plain, indel, plain]), [0, 2]);
        assert_eq!(kept(&[indel, &[(0, 4)], plain, indel]), [0, 1, 3]);
        // Of as many, the one whose first match is shorter.
        assert_eq!(kept(&[plain, indel]), [1]);
    }
}
