//! What figures of alignments are made of: counts that add up, of statistics or read back from a report.

use biofast_bam::Op;

use super::Statistics;
use super::along::AlongCounts;
use super::basics::{FRAGMENTS, MAX_INDEL, MAX_INSERT, OPS};
use super::depth::{DepthHistogram, MAX_DEPTH};
use super::figures::{
    Alignment, Coverage, DuplicateTypes, Figures, InsertSize, ReadsByFragment, RecordCounts,
    ReferenceReport,
};
use super::invalid::Invalid;
use super::partial::PartialAlignments;
use crate::measure::flagstat::FlagStat;
use crate::measure::picard::gc_bias::GcBias;
use crate::measure::reads::report::{Statistics as ReadStatistics, rounded};
use crate::measure::reads::{Collector, Lengths, Percent};

/// The counts of a report.
pub(super) struct AlignmentCounts {
    /// Name, length, mapped and unmapped records of each.
    pub(super) references: Vec<(String, u64, [u64; 2])>,
    /// Those that passed quality control, and those that failed it.
    records: [FlagStat; 2],
    unplaced: u64,
    mapping_qualities: [u64; 256],
    ops: [(u64, u64); OPS],
    edit_distance: u64,
    clipped: u64,
    indels: Box<[[u64; 2]; MAX_INDEL]>,
    along: AlongCounts,
    duplicate_types: DuplicateTypes,
    gc_bias: Option<GcBias>,
    /// Records of pairs by insert size and orientation.
    inserts: Vec<[u64; 3]>,
    reads: [Option<Box<Collector>>; FRAGMENTS],
    pub(super) depths: Option<DepthHistogram>,
    pub(super) partial: Option<PartialAlignments>,
}

/// The letters of CIGAR operations by code.
const LETTERS: [char; OPS] = ['M', 'I', 'D', 'N', 'S', 'H', 'P', '=', 'X', '?'];
const _: () = assert!(Op::Unknown as usize + 1 == LETTERS.len());

/// Whoever counts that far, each part of a report may be as large, and none of the sums of 1,000 parts overflows.
const MOST: u64 = 1 << 54;

impl AlignmentCounts {
    pub(super) fn of(s: &Statistics) -> AlignmentCounts {
        let counts = &s.counts;
        let basics = &counts.basics;
        let references = s.header.references().iter().enumerate().map(|(index, reference)| {
            let name = String::from_utf8_lossy(&reference.name).into_owned();
            (name, reference.length, counts.references.counts(Some(index)))
        });
        AlignmentCounts {
            references: references.collect(),
            records: counts.flags.finish(),
            unplaced: counts.references.counts(None).iter().sum(),
            mapping_qualities: counts.mapping_qualities.0,
            ops: basics.ops,
            edit_distance: basics.edit_distance(),
            clipped: basics.clipped,
            indels: basics.indels.clone(),
            along: counts.along.counts(&basics.lengths),
            duplicate_types: counts.duplicate_types,
            gc_bias: s.gc_bias.clone(),
            inserts: basics.inserts(),
            reads: counts.reads.clone(),
            depths: s.depths.clone(),
            partial: s.partial.clone(),
        }
    }

    /// The figures of these counts.
    pub(super) fn figures(self) -> Figures {
        let depths = self.depths.as_ref();
        let length = self.references.iter().map(|reference| reference.1).sum();
        let references = self.references.into_iter().enumerate();
        let references = references.map(|(index, (name, length, [mapped, unmapped]))| {
            let depths = depths.map(|depths| depths.of_reference(index));
            let (covered, depth_bases) = depths.unzip();
            ReferenceReport {
                name,
                length,
                mapped,
                unmapped,
                covered,
                depth_bases,
                mean_depth: depth_bases.map(|bases| ratio(bases, length)),
            }
        });
        let references = references.collect();
        let aligned_bases: u64 =
            [Op::Match, Op::Insertion, Op::SequenceMatch, Op::SequenceMismatch]
                .map(|op| self.ops[op as usize].1)
                .iter()
                .sum();
        let [passed, failed] = self.records;
        let [first, last, other] =
            self.reads.each_ref().map(|reads| reads.as_deref().map(ReadStatistics::from));
        Figures {
            records: RecordCounts { passed, failed },
            references,
            unplaced: self.unplaced,
            mapping_quality: (0u8..=255)
                .zip(self.mapping_qualities)
                .filter(|&(_, n)| n > 0)
                .collect(),
            alignment: Alignment {
                aligned_bases,
                edit_distance: self.edit_distance,
                error_rate: ratio(self.edit_distance, aligned_bases),
                operations: LETTERS
                    .into_iter()
                    .zip(self.ops)
                    .filter(|(_, (n, _))| *n > 0)
                    .map(|(letter, (n, bases))| (letter, n, bases))
                    .collect(),
                clipped_records: self.clipped,
                indels: (1..)
                    .zip(self.indels.iter())
                    .filter(|(_, n)| n[0] + n[1] > 0)
                    .map(|(len, n)| (len, n[0], n[1]))
                    .collect(),
                soft_clipped: self.along.soft_clipped(),
                mismatches: self.along.mismatches(),
            },
            insert_size: insert_size(&self.inserts),
            coverage: depths.map(|depths| coverage(depths, length)),
            duplicate_types: self.duplicate_types,
            gc_bias: self.gc_bias,
            reads: ReadsByFragment { first, last, other },
            partial: self.partial,
        }
    }

    /// The counts of which a report was made. What is derived of them is ignored.
    pub(super) fn read_back(figures: &Figures) -> Result<AlignmentCounts, Invalid> {
        let f = figures;
        let mut counts = AlignmentCounts {
            references: Vec::with_capacity(f.references.len()),
            records: [plausible(&f.records.passed)?, plausible(&f.records.failed)?],
            unplaced: count(f.unplaced)?,
            mapping_qualities: [0; 256],
            ops: [(0, 0); OPS],
            edit_distance: f.alignment.edit_distance,
            clipped: count(f.alignment.clipped_records)?,
            indels: Box::new([[0; 2]; MAX_INDEL]),
            along: AlongCounts::read_back(
                &f.alignment.soft_clipped,
                f.alignment.mismatches.as_ref(),
                MOST,
            )?,
            duplicate_types: f.duplicate_types,
            gc_bias: f.gc_bias.clone(),
            inserts: vec![[0; 3]; MAX_INSERT + 1],
            reads: [None, None, None],
            depths: None,
            partial: f.partial.clone(),
        };
        for reference in &f.references {
            let records = [count(reference.mapped)?, count(reference.unmapped)?];
            counts.references.push((reference.name.clone(), count(reference.length)?, records));
        }
        for &(mapq, n) in &f.mapping_quality {
            counts.mapping_qualities[usize::from(mapq)] = count(n)?;
        }
        for &(letter, n, bases) in &f.alignment.operations {
            let Some(op) = LETTERS.iter().position(|other| *other == letter) else {
                return Err(Invalid::Inconsistent("an unknown CIGAR operation"));
            };
            counts.ops[op] = (count(n)?, count(bases)?);
        }
        for &(len, insertions, deletions) in &f.alignment.indels {
            let place = len.checked_sub(1).and_then(|at| counts.indels.get_mut(at));
            let Some(place) = place else {
                return Err(Invalid::Inconsistent("an indel of a length that has no count"));
            };
            *place = [count(insertions)?, count(deletions)?];
        }
        let (pairs, halves) = (&f.insert_size.histogram, &f.insert_size.half_pairs);
        let pairs = pairs.iter().map(|row| (2, row)).chain(halves.iter().map(|row| (1, row)));
        for (records, &(size, inward, outward, other)) in pairs {
            let Some(place) = counts.inserts.get_mut(size) else {
                return Err(Invalid::Inconsistent("an insert size that has no count"));
            };
            for (sum, n) in place.iter_mut().zip([inward, outward, other]) {
                *sum += records * count(n)?;
            }
        }
        let reads = [&f.reads.first, &f.reads.last, &f.reads.other];
        for (counts, reads) in counts.reads.iter_mut().zip(reads) {
            if let Some(reads) = reads {
                count(reads.bases.max(reads.reads))?;
                *counts = Some(Box::new(Collector::try_from(reads).map_err(Invalid::Reads)?));
            }
        }
        counts.depths = f.coverage.as_ref().map(|c| depths(c, &f.references)).transpose()?;
        consistent(f, &counts)?;
        Ok(counts)
    }

    /// Adds the counts of another part, which has the same references. Depths are added as if no position were covered by
    /// both.
    pub(super) fn merge(&mut self, other: &AlignmentCounts) -> Result<(), Invalid> {
        const BEYOND: Invalid = Invalid::Inconsistent("counts exceed 64 bits");
        // By name, so that no count can be forgotten.
        let AlignmentCounts {
            references,
            records,
            unplaced,
            mapping_qualities,
            ops,
            edit_distance,
            clipped,
            indels,
            along,
            duplicate_types,
            gc_bias,
            inserts,
            reads,
            depths,
            partial: _,
        } = other;
        let add = |mine: &mut u64, theirs: u64| {
            *mine = mine.checked_add(theirs).ok_or(BEYOND)?;
            Ok::<(), Invalid>(())
        };
        for (mine, theirs) in self.references.iter_mut().zip(references) {
            add(&mut mine.2[0], theirs.2[0])?;
            add(&mut mine.2[1], theirs.2[1])?;
        }
        for (mine, theirs) in self.records.iter_mut().zip(records) {
            *mine = mine.checked_add(theirs).ok_or(BEYOND)?;
        }
        add(&mut self.unplaced, *unplaced)?;
        add(&mut self.clipped, *clipped)?;
        self.along.merge(along).ok_or(BEYOND)?;
        self.duplicate_types.merge(duplicate_types);
        self.gc_bias = match (self.gc_bias.take(), gc_bias) {
            // They are those of the whole reference in each part.
            (Some(mut mine), Some(theirs)) if mine.windows == theirs.windows => {
                let windows = mine.windows.clone();
                mine.merge(theirs);
                Some(GcBias { windows, ..mine })
            }
            (Some(_), Some(_)) => return Err(Invalid::Bases),
            _ => None,
        };
        // As it is counted.
        self.edit_distance = self.edit_distance.wrapping_add(*edit_distance);
        let sizes = self.inserts.len().max(inserts.len());
        self.inserts.resize(sizes, [0; 3]);
        let arrays = [
            (&mut self.mapping_qualities[..], &mapping_qualities[..]),
            (self.indels.as_flattened_mut(), indels.as_flattened()),
            (self.inserts.as_flattened_mut(), inserts.as_flattened()),
        ];
        for (mine, theirs) in arrays {
            mine.iter_mut().zip(theirs).try_for_each(|(mine, theirs)| add(mine, *theirs))?;
        }
        for (mine, theirs) in self.ops.iter_mut().zip(ops) {
            add(&mut mine.0, theirs.0)?;
            add(&mut mine.1, theirs.1)?;
        }
        let mut total = 0;
        for (mine, theirs) in self.reads.iter_mut().zip(reads) {
            if let Some(theirs) = theirs {
                let mine = mine.get_or_insert_default();
                mine.merge(theirs);
                // All other counts of reads are at most that.
                add(&mut total, mine.bases().total().max(mine.reads()))?;
            }
        }
        if total > MOST << 4 {
            return Err(BEYOND);
        }
        self.depths = match (self.depths.take(), depths) {
            (Some(mut mine), Some(theirs)) => {
                let sums = mine.positions.iter_mut().zip(theirs.positions.iter());
                sums.into_iter().try_for_each(|(mine, theirs)| add(mine, *theirs))?;
                let references = mine.by_reference.len().max(theirs.by_reference.len());
                mine.by_reference.resize(references, (0, 0));
                for (mine, theirs) in mine.by_reference.iter_mut().zip(&theirs.by_reference) {
                    add(&mut mine.0, theirs.0)?;
                    add(&mut mine.1, theirs.1)?;
                }
                Some(mine)
            }
            _ => None,
        };
        Ok(())
    }
}

/// A count that can be added to many others.
fn count(n: u64) -> Result<u64, Invalid> {
    if n > MOST { Err(Invalid::Inconsistent("a count that is too large")) } else { Ok(n) }
}

/// Whether the counts agree with each other, as far as they must.
fn consistent(f: &Figures, counts: &AlignmentCounts) -> Result<(), Invalid> {
    let agree = |is: bool, what: &'static str| match is {
        true => Ok(()),
        false => Err(Invalid::Inconsistent(what)),
    };
    let sum = |numbers: &mut dyn Iterator<Item = u64>| -> u128 { numbers.map(u128::from).sum() };
    let both = |of: fn(&FlagStat) -> u64| sum(&mut counts.records.iter().map(of));
    let placed = sum(&mut counts.references.iter().flat_map(|reference| reference.2));
    agree(
        placed + u128::from(counts.unplaced) == both(|flags| flags.total),
        "'references' and 'unplaced' don't add up to 'records'",
    )?;
    agree(
        sum(&mut counts.mapping_qualities.iter().copied()) == both(|flags| flags.primary_mapped),
        "'mapping_quality' doesn't add up to the mapped primary 'records'",
    )?;
    let DuplicateTypes { optical, library } = counts.duplicate_types;
    agree(
        sum(&mut [optical, library].into_iter()) <= both(|flags| flags.primary_duplicates),
        "'duplicate_types' has more than the primary duplicates of 'records'",
    )?;
    let started = counts.gc_bias.iter().flat_map(|found| found.by_gc.iter());
    agree(
        sum(&mut started.map(|class| class.reads)) <= both(|flags| flags.total),
        "'gc_bias' has more reads than 'records'",
    )?;
    let reads = sum(&mut counts.reads.iter().flatten().map(|reads| reads.reads()));
    agree(reads <= both(|flags| flags.primary), "'reads' has more than the primary 'records'")?;
    let inserts = &f.insert_size;
    let pairs = sum(&mut inserts.histogram.iter().flat_map(|row| [row.1, row.2, row.3]));
    agree(
        pairs == u128::from(inserts.pairs),
        "'insert_size.histogram' doesn't add up to 'insert_size.pairs'",
    )?;
    let aligned = [Op::Match, Op::Insertion, Op::SequenceMatch, Op::SequenceMismatch];
    agree(
        sum(&mut aligned.into_iter().map(|op| counts.ops[op as usize].1))
            == u128::from(f.alignment.aligned_bases),
        "'alignment.operations' doesn't add up to 'alignment.aligned_bases'",
    )?;
    let Some(depths) = &counts.depths else { return Ok(()) };
    let bases = sum(&mut depths.by_reference.iter().map(|own| own.1));
    let by_depth = (0u128..).zip(depths.positions.iter());
    let least: u128 = by_depth.map(|(depth, n)| depth * u128::from(*n)).sum();
    // The deepest are counted together.
    let is_least = depths.positions[MAX_DEPTH] > 0;
    agree(
        bases == least || (is_least && bases > least),
        "'coverage.histogram' doesn't add up to the 'depth_bases' of 'references'",
    )
}

/// Counts by flag, each of which is a part of the whole.
fn plausible(counts: &FlagStat) -> Result<FlagStat, Invalid> {
    count(counts.total)?;
    let FlagStat { total, primary, secondary, supplementary, .. } = *counts;
    if [primary, secondary, supplementary].map(u128::from).iter().sum::<u128>() != total.into() {
        return Err(Invalid::Inconsistent("'records': kinds of records don't add up to 'total'"));
    }
    let parts = [counts.mapped, counts.primary_mapped, counts.duplicates, counts.paired];
    if parts.into_iter().any(|part| part > total) {
        return Err(Invalid::Inconsistent("'records': a part is more than 'total'"));
    }
    Ok(*counts)
}

fn depths(coverage: &Coverage, references: &[ReferenceReport]) -> Result<DepthHistogram, Invalid> {
    let mut positions = Box::new([0; MAX_DEPTH + 1]);
    for &(depth, n) in &coverage.histogram {
        match positions.get_mut(depth) {
            Some(place) if depth > 0 => *place = count(n)?,
            _ => return Err(Invalid::Inconsistent("a depth that has no count")),
        }
    }
    let mut by_reference = Vec::with_capacity(references.len());
    for reference in references {
        let (Some(covered), Some(bases)) = (reference.covered, reference.depth_bases) else {
            return Err(Invalid::Inconsistent("a reference without coverage, but others have it"));
        };
        by_reference.push((count(covered)?, count(bases)?));
    }
    let covered = by_reference.iter().try_fold(0, |sum: u64, own| sum.checked_add(own.0));
    let counted = positions.iter().try_fold(0, |sum: u64, n| sum.checked_add(*n));
    if covered.is_none() || covered != counted {
        return Err(Invalid::Inconsistent(
            "'coverage.histogram' doesn't add up to the 'covered' of 'references'",
        ));
    }
    Ok(DepthHistogram { positions, by_reference })
}

fn insert_size(records: &[[u64; 3]]) -> InsertSize {
    let mut sizes = Lengths::default();
    let mut totals = [0; 3];
    let (mut histogram, mut half_pairs) = (Vec::new(), Vec::new());
    for (size, count) in records.iter().enumerate() {
        // Both reads of a pair were counted.
        let pairs = count.map(|n| n / 2);
        let n: u64 = pairs.iter().sum();
        if n > 0 {
            let [inward, outward, other] = pairs;
            histogram.push((size, inward, outward, other));
            totals.iter_mut().zip(pairs).for_each(|(total, n)| *total += n);
            sizes.add(size as u64, n);
        }
        let [inward, outward, other] = count.map(|n| n % 2);
        if inward + outward + other > 0 {
            half_pairs.push((size, inward, outward, other));
        }
    }
    let [inward, outward, other] = totals;
    InsertSize {
        pairs: inward + outward + other,
        inward,
        outward,
        other,
        median: sizes.quartiles()[1] as u64,
        histogram,
        half_pairs,
    }
}

fn coverage(depths: &DepthHistogram, positions: u64) -> Coverage {
    let sums = || depths.by_reference.iter();
    let covered = sums().map(|(covered, _)| covered).sum();
    Coverage {
        positions,
        covered,
        breadth_percent: Percent::of(covered, positions).value(),
        mean_depth: ratio(sums().map(|(_, bases)| bases).sum(), positions),
        histogram: (0..).zip(depths.positions.iter().copied()).filter(|&(_, n)| n > 0).collect(),
    }
}

/// A ratio as JSON shows it; 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { rounded(part as f64 / whole as f64) }
}

impl From<&Statistics> for Figures {
    fn from(statistics: &Statistics) -> Figures {
        AlignmentCounts::of(statistics).figures()
    }
}
