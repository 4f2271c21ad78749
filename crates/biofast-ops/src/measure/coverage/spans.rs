//! What is left of a batch's records for the depth: the stretches of the reference that they cover.

use biofast_bam::{Batch, Op, Record, Reference, flag};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use super::changes::{BatchDepths, BatchSpans, DepthFinder, DepthKinds};
use super::span::{MateRole, RecordSpan, SpanGroup, SpanPosition};

/// Which bases of an alignment count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Its aligned bases; where two mates of a proper pair overlap, those of one.
    #[default]
    Once,
    /// Its aligned bases.
    Each,
    /// Its aligned bases; of the second record of a name those that lie behind the end of the first one, if that might overlap its
    /// mate, like `samtools depth -s`.
    Behind,
    /// All from its first to its last base, deletions and skips with them.
    Whole,
}

/// Which records count, and which of their bases. The defaults are those of mosdepth.
#[derive(Clone, Debug)]
pub struct DepthRules {
    /// Which records, by flags and mapping quality.
    pub filter: flag::Filter,
    /// Which read groups; empty: all records.
    pub read_groups: Vec<Vec<u8>>,
    /// What of an alignment counts.
    pub counting: Counting,
    /// Only bases of at least this quality count.
    pub min_base_quality: u8,
    /// Whether deleted bases count, too.
    pub deletions: bool,
    /// Whether [`ReferenceSums`] are wanted.
    pub sums: bool,
    /// Only records of at least so many bases count, without those that are clipped at the ends.
    pub min_len: u32,
}

impl Default for DepthRules {
    /// As mosdepth: no unmapped, secondary, failed or duplicate records, and mates once.
    fn default() -> DepthRules {
        let none_of = flag::UNMAPPED | flag::SECONDARY | flag::QC_FAIL | flag::DUPLICATE;
        DepthRules {
            filter: flag::Filter { none_of, ..flag::Filter::default() },
            read_groups: Vec::new(),
            counting: Counting::Once,
            min_base_quality: 0,
            deletions: false,
            sums: false,
            min_len: 0,
        }
    }
}

impl DepthRules {
    /// Whether a record counts.
    #[inline]
    fn accept(&self, record: &Record<'_>) -> bool {
        self.filter.accepts(record.flags(), record.mapping_quality())
            && (self.read_groups.is_empty() || is_of(record, &self.read_groups))
            && (self.min_len == 0 || unclipped_len(record) >= self.min_len.into())
    }
}

/// Which [`Spans`] are wanted.
#[derive(Clone, Debug)]
pub struct SpanRules {
    /// What counts.
    pub rules: DepthRules,
    /// Whether the records are a part of a file, whose names other processes hash, too.
    pub is_part: bool,
}

/// Sums over the counted records of a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSums {
    /// Records.
    pub reads: u64,
    /// Their mapping qualities.
    pub mapping_qualities: u64,
    /// The qualities of their bases that count.
    pub base_qualities: u64,
    /// The number of these: bases of records without a sequence have no quality.
    pub bases_with_quality: u64,
    /// Whether any of them lies on the reference.
    pub is_covered: bool,
}

impl ReferenceSums {
    /// Adds the sums of the same references.
    pub fn merge_all(mine: &mut Vec<ReferenceSums>, theirs: Vec<ReferenceSums>) {
        mine.resize(mine.len().max(theirs.len()), ReferenceSums::default());
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            mine.reads += theirs.reads;
            mine.mapping_qualities += theirs.mapping_qualities;
            mine.base_qualities += theirs.base_qualities;
            mine.bases_with_quality += theirs.bases_with_quality;
            mine.is_covered |= theirs.is_covered;
        }
    }
}

/// The intervals that the records of a batch cover.
#[derive(Debug, Default)]
pub struct Spans {
    pub(super) groups: Vec<SpanGroup>,
    pub(super) records: Vec<RecordSpan>,
    /// The stretches of the reference that count, record after record: start and end, excluded.
    pub(super) blocks: Vec<(u32, u32)>,
    /// The depths of all records, and those with mates once, if they were [found](Self::find_depths) …
    pub(super) each: BatchDepths,
    pub(super) once: BatchDepths,
    /// … and then also the stretches that records reach over, group after group.
    pub(super) extents: Vec<(u32, u32)>,
    finder: Option<Box<DepthFinder>>,
    /// The first record out of order: its number from 0, the place before it and its own.
    pub(super) fault: Option<(u64, SpanPosition, SpanPosition)>,
    /// Whether the hashes of names are those of every process.
    are_lasting: bool,
    /// Counted records that extend past the end of their reference: the number of the first one, from 0, and how many.
    beyond: Option<(u64, u64)>,
}

impl Spans {
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.records.clear();
        self.blocks.clear();
        self.each.clear();
        self.once.clear();
        self.extents.clear();
        self.fault = None;
        self.beyond = None;
    }

    /// Counted records that extend past the end of their reference: the number of the first one, from 0, and how many.
    pub(crate) fn beyond(&self) -> Option<(u64, u64)> {
        self.beyond
    }

    /// The place of the first record: reference, −1 for none, and position.
    pub(crate) fn first_place(&self) -> Option<(i32, i32)> {
        self.groups.first().map(|group| (group.reference as i32, group.first))
    }

    /// Whether the records are those of a part, whose hashes of names other processes have, too.
    pub(crate) fn set_lasting(&mut self, is_part: bool) {
        self.are_lasting = is_part;
    }

    /// Finds the depths of the records of a batch, once all of them are added, unless they are those of a part.
    pub(crate) fn find_depths(&mut self, kinds: DepthKinds, references: &[Reference]) {
        if self.are_lasting || kinds == DepthKinds::default() {
            return;
        }
        let mut finder = self.finder.take().unwrap_or_default();
        let spans = BatchSpans {
            groups: &mut self.groups,
            records: &self.records,
            blocks: &self.blocks,
            extents: &mut self.extents,
        };
        finder.find(spans, [&mut self.each, &mut self.once], kinds, references);
        self.finder = Some(finder);
    }

    /// Adds the records of a batch, with sums where the rules ask for them.
    pub(crate) fn add_with_sums(
        &mut self,
        batch: Batch<'_>,
        rules: &DepthRules,
        sums: &mut Vec<ReferenceSums>,
    ) {
        let references = batch.header().references();
        if rules.sums && !batch.is_empty() {
            sums.resize(references.len(), ReferenceSums::default());
        }
        for (number, record) in batch.numbered() {
            self.add_record(number, &record, references, rules, sums);
        }
    }

    /// Adds a record, whose number in the file counts from 0, unless one before was out of order.
    #[inline]
    pub(crate) fn add_record(
        &mut self,
        number: u64,
        record: &Record<'_>,
        references: &[Reference],
        rules: &DepthRules,
        sums: &mut [ReferenceSums],
    ) {
        if self.fault.is_some() {
            return;
        }
        let place = (record.reference_id() as u32, record.position());
        let group = match self.groups.last_mut() {
            Some(group) if group.reference == place.0 && group.last <= place.1 => group,
            Some(group) if (group.reference, group.last) > place => {
                self.fault = Some((number, (group.reference, group.last), place));
                return;
            }
            _ => {
                self.groups.push(SpanGroup {
                    reference: place.0,
                    first: place.1,
                    last: place.1,
                    record: number,
                    has_inside: false,
                    spans: 0,
                    blocks: 0,
                    extents: 0,
                });
                // Just pushed.
                let last = self.groups.len() - 1;
                &mut self.groups[last]
            }
        };
        group.last = place.1;
        let Some(reference) = references.get(place.0 as usize) else { return };
        let length = reference.length as i64;
        let is_behind = i64::from(place.1) >= length;
        // No index leads to what lies outside.
        if is_behind || (place.1 < 0 && record.alignment_end() <= 0) {
            if is_behind {
                self.note_behind(number, record, rules);
            }
            return;
        }
        group.has_inside = true;
        if !rules.accept(record) {
            return;
        }
        group.spans += 1;
        let mut not_wanted = ReferenceSums::default();
        let sums = match sums.get_mut(place.0 as usize) {
            Some(sums) if rules.sums => {
                sums.reads += 1;
                sums.is_covered |= record.flags() & flag::UNMAPPED == 0;
                sums.mapping_qualities += u64::from(record.mapping_quality());
                sums
            }
            _ => &mut not_wanted,
        };
        let end = self.push(record, length, rules, sums);
        if end > length {
            self.beyond.get_or_insert((number, 0)).1 += 1;
        }
    }

    /// Notes a record that starts behind the end of its reference, if it counts.
    #[cold]
    fn note_behind(&mut self, number: u64, record: &Record<'_>, rules: &DepthRules) {
        if rules.accept(record) {
            self.beyond.get_or_insert((number, 0)).1 += 1;
        }
    }

    /// Adds a record; returns where it ends.
    #[inline]
    fn push(
        &mut self,
        record: &Record<'_>,
        length: i64,
        rules: &DepthRules,
        sums: &mut ReferenceSums,
    ) -> i64 {
        let position = i64::from(record.position());
        let clip = |at: i64| at.clamp(0, length) as u32;
        let before = self.blocks.len();
        let cigar = record.cigar();
        let end = if rules.counting == Counting::Whole {
            let end = record.alignment_end();
            self.blocks.push((clip(position), clip(end)));
            end
        } else {
            let looks_at_bases = rules.min_base_quality > 0 || rules.deletions || rules.sums;
            let end = if looks_at_bases {
                self.push_bases(record, length, rules, sums)
            } else if let (1, Some((Op::Match, len))) = (cigar.len(), cigar.get(0)) {
                // Most alignments are one stretch of matches.
                let end = position + i64::from(len);
                let block = (clip(position), clip(end));
                if block.0 < block.1 {
                    self.blocks.push(block);
                }
                end
            } else {
                let mut at = position;
                for (op, len) in cigar.iter() {
                    if !op.consumes_reference() {
                        continue;
                    }
                    let next = at + i64::from(len);
                    if op.is_aligned() {
                        self.push_block(before, clip(at), clip(next));
                    }
                    at = next;
                }
                at
            };
            // Unmapped, or without bases on the reference.
            if record.flags() & flag::UNMAPPED != 0 || end == position { position + 1 } else { end }
        };
        let role = match rules.counting {
            Counting::Once => role(record, end),
            Counting::Behind => role_by_name(record, end),
            Counting::Each | Counting::Whole => MateRole::None,
        };
        let key = match role {
            MateRole::None => 0,
            _ if self.are_lasting => lasting_key(record.name()),
            _ => key(record.name()),
        };
        let single = cigar.len() == 1 && self.blocks.len() == before + 1;
        self.records.push(RecordSpan {
            start: clip(position),
            end: clip(end),
            blocks: (self.blocks.len() - before) as u32,
            role,
            mate: record.mate_position(),
            is_single: single,
            key,
        });
        end
    }

    /// Adds a stretch of the record whose first one has the number `before`, unless it is empty.
    #[inline]
    fn push_block(&mut self, before: usize, from: u32, to: u32) {
        if from >= to {
            return;
        }
        match self.blocks[before..].last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => self.blocks.push((from, to)),
        }
    }

    /// Adds the stretches of bases that are good enough, and their qualities; the end of the alignment.
    fn push_bases(
        &mut self,
        record: &Record<'_>,
        length: i64,
        rules: &DepthRules,
        sums: &mut ReferenceSums,
    ) -> i64 {
        let before = self.blocks.len();
        let clip = |at: i64| at.clamp(0, length) as u32;
        let all = record.qualities();
        let least = rules.min_base_quality;
        let (mut at, mut base) = (i64::from(record.position()), 0usize);
        for (op, len) in record.cigar().iter() {
            let next = at + i64::from(len);
            if op.is_aligned() {
                let own = all.get(base..).unwrap_or_default();
                let own = &own[..own.len().min(len as usize)];
                // What lies outside the reference is no base of a position.
                let inside = (clip(next) - clip(at)) as usize;
                let skipped = (i64::from(clip(at)) - at).max(0) as usize;
                let own = own.get(skipped..).unwrap_or_default();
                let own = &own[..own.len().min(inside)];
                if least == 0 {
                    sums.base_qualities += sum_of(own);
                    sums.bases_with_quality += own.len() as u64;
                    self.push_block(before, clip(at), clip(next));
                } else {
                    let mut from = clip(at);
                    for (&quality, position) in own.iter().zip(clip(at)..) {
                        if quality < least {
                            self.push_block(before, from, position);
                            from = position + 1;
                        } else {
                            sums.base_qualities += u64::from(quality);
                            sums.bases_with_quality += 1;
                        }
                    }
                    self.push_block(before, from, clip(next));
                }
            } else if rules.deletions
                && op == Op::Deletion
                && all.get(base).is_none_or(|&quality| quality >= least)
            {
                self.push_block(before, clip(at), clip(next));
            }
            if op.consumes_reference() {
                at = next;
            }
            if op.consumes_read() {
                base += len as usize;
            }
        }
        at
    }
}

/// The sum of qualities: narrow sums of short stretches, of which many are added up at once.
#[inline]
fn sum_of(qualities: &[u8]) -> u64 {
    let short = |part: &[u8]| part.iter().fold(0u16, |sum, &quality| sum + u16::from(quality));
    // 256 × 255 fits.
    qualities.chunks(256).map(|part| u64::from(short(part))).sum()
}

/// What a record that ends at `end` is to its mate.
fn role(record: &Record<'_>, end: i64) -> MateRole {
    let flags = record.flags();
    if flags & flag::PROPER_PAIR == 0 || flags & flag::SUPPLEMENTARY != 0 {
        return MateRole::None;
    }
    let (position, mate) = (record.position(), record.mate_position());
    if record.mate_reference_id() != record.reference_id() || end <= i64::from(mate) {
        return MateRole::Other;
    }
    match position.cmp(&mate) {
        std::cmp::Ordering::Less => MateRole::First,
        std::cmp::Ordering::Equal => MateRole::Together,
        std::cmp::Ordering::Greater => MateRole::Other,
    }
}

/// What a record that ends at `end` is to the next one of its name, as samtools sees it.
fn role_by_name(record: &Record<'_>, end: i64) -> MateRole {
    if record.flags() & (flag::PAIRED | flag::MATE_UNMAPPED) != flag::PAIRED {
        return MateRole::None;
    }
    let mate = record.mate_position();
    let is_near = record.mate_reference_id() == record.reference_id() && i64::from(mate) <= end;
    if mate == -1 || is_near { MateRole::Opens } else { MateRole::Closes }
}

/// Bases without those that are clipped at the ends; those of the CIGAR where there is no sequence.
fn unclipped_len(record: &Record<'_>) -> u64 {
    let cigar = record.cigar();
    if record.sequence_len() == 0 {
        let used = cigar.iter().filter(|(op, _)| op.is_aligned() || *op == Op::Insertion);
        return used.map(|(_, len)| u64::from(len)).sum();
    }
    let clipped = |at: usize| {
        cigar.get(at).filter(|(op, _)| *op == Op::SoftClip).map(|(_, len)| u64::from(len))
    };
    let front = (0..cigar.len()).map_while(clipped);
    // What is clipped from end to end is so once.
    let others = front.clone().count()..cigar.len();
    let back = others.rev().map_while(clipped);
    (record.sequence_len() as u64).saturating_sub(front.sum::<u64>() + back.sum::<u64>())
}

/// Whether a record is of one of the read groups.
fn is_of(record: &Record<'_>, groups: &[Vec<u8>]) -> bool {
    match record.tag(b"RG") {
        Ok(Some(value)) => {
            value.as_text().is_some_and(|own| groups.iter().any(|group| group == own))
        }
        _ => false,
    }
}

/// The hash of a name, with a key of this process: nobody can choose names that share one.
#[inline]
pub(crate) fn key(name: &[u8]) -> u128 {
    static SEEDS: OnceLock<[u64; 4]> = OnceLock::new();
    let seeds = SEEDS.get_or_init(|| {
        let random = RandomState::new();
        [0, 1, 2, 3].map(|n: u64| random.hash_one(n) | 1)
    });
    hash(name, seeds)
}

/// The same in every process, for what several of them join.
#[inline]
pub(crate) fn lasting_key(name: &[u8]) -> u128 {
    // Digits of pi.
    const SEEDS: [u64; 4] = [
        0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89,
    ];
    hash(name, &SEEDS)
}

#[inline]
fn hash(name: &[u8], seeds: &[u64; 4]) -> u128 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let (mut low, mut high) = (seeds[0] ^ name.len() as u64, seeds[1]);
    let mut add = |word: u64| {
        low = fold(low ^ word, seeds[2]).wrapping_add(seeds[0]);
        high = fold(high ^ word, seeds[3]).wrapping_add(seeds[1]);
    };
    let (words, rest) = name.as_chunks::<8>();
    words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    u128::from(fold(high, seeds[2])) << 64 | u128::from(fold(low, seeds[3]))
}
