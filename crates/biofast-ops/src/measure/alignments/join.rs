//! Reports of parts to the report of the whole.
//!
//! All counts add up. Coverage needs more: positions that two parts cover have a depth in neither. A report that was made
//! as a [part](super::partial) carries the depths that others may add to, and a report without them joins exactly if the
//! references it covers are covered by no other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::counts::AlignmentCounts;
use super::depth::{DepthHistogram, MAX_DEPTH};
use super::figures::Figures;
pub use super::invalid::Invalid;
use super::partial::{PartKind, PartialAlignments, ReferencePosition, place, rank};
use super::runs::{Changes, DepthRuns, stretches};
use crate::measure::coverage::{MateSeam, Seams};
use crate::measure::picard::{Picard, Unjoinable};

/// Why the whole has no coverage though all parts have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeftOut {
    /// Several parts cover this reference, and one of them doesn't tell how deep where.
    #[error("several parts cover {0}, but not all of them have depths by position")]
    Unknown(String),
    /// A part reaches this position (from 1) of a reference, of which another part has summed up its depths.
    #[error("alignments of one part reach {0}:{1}, past the depths recorded by another part")]
    Reaches(String, u64),
    /// Some are pieces of a file, others are not.
    #[error("some parts are pieces of a file and others are not")]
    Mixed,
}

/// Parts on their way to the whole: pieces of one file in their order, or files of one sample in any.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::alignments::{Statistics, join::AlignmentJoin, partial::PartKind, report::Figures};
///
/// let options = Options::default();
/// let figures = |records: &str| {
///     let sam = format!("@SQ\tSN:c\tLN:9\n{records}").into_bytes();
///     let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
///     let input = Input::open(Source::from_reader("example", std::io::Cursor::new(sam)), &opened)?;
///     let part = Statistics::collect_part(input.source, &options, Some(PartKind::Shard));
///     part.map(|statistics| Figures::from(&statistics)).map_err(|fault| fault.error)
/// };
/// let mut join = AlignmentJoin::default();
/// for record in ["a\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\n", "b\t0\tc\t3\t9\t4M\t*\t0\t0\tACGT\tIIII\n"] {
///     join.add(&figures(record)?)?;
/// }
/// let (whole, left_out) = join.finish(false)?.ok_or("no parts")?;
/// // Two positions are covered twice.
/// assert_eq!(whole.coverage.ok_or("not sorted")?.histogram, [(1, 4), (2, 2)]);
/// assert_eq!(left_out, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct AlignmentJoin {
    sum: Option<AlignmentCounts>,
    parts: Vec<DepthPart>,
    picard: Option<Box<Picard>>,
}

/// What joining depths takes of a part.
struct DepthPart {
    kind: Option<PartKind>,
    first: Option<ReferencePosition>,
    last: Option<ReferencePosition>,
    /// Stretches of places, which others must not reach: there depths are only known summed up.
    settled: Vec<(u64, u64)>,
    /// The depths that are known, by reference.
    known: Vec<(u32, Changes)>,
    /// The ends of the pieces that it is made of.
    seams: Vec<MateSeam>,
}

impl AlignmentJoin {
    /// Adds the figures of a part.
    ///
    /// # Errors
    /// If they contradict themselves, or are of other references than those before. Nothing can be done with the others
    /// then.
    pub fn add(&mut self, figures: &Figures) -> Result<(), Invalid> {
        let mut counts = AlignmentCounts::read_back(figures)?;
        let mut partial = counts.partial.take();
        self.add_picard(partial.as_mut().and_then(|partial| partial.picard.take()))?;
        self.parts.push(DepthPart::new(partial, &counts)?);
        let Some(sum) = &mut self.sum else {
            self.sum = Some(counts);
            return Ok(());
        };
        let names = |counts: &AlignmentCounts| -> Vec<(String, u64)> {
            counts.references.iter().map(|(name, length, _)| (name.clone(), *length)).collect()
        };
        if names(sum) != names(&counts) {
            return Err(Invalid::References);
        }
        sum.merge(&counts)
    }

    /// Adds the counts of Picard's metrics of the next part.
    fn add_picard(&mut self, counts: Option<Box<Picard>>) -> Result<(), Invalid> {
        if counts.as_ref().is_some_and(|counts| !counts.is_possible()) {
            return Err(Invalid::Inconsistent("counts of Picard's metrics that can't be"));
        }
        if self.parts.is_empty() {
            self.picard = counts;
            return Ok(());
        }
        self.picard = match (self.picard.take(), counts) {
            (Some(mut mine), Some(theirs)) => {
                mine.merge(*theirs).map_err(|why| match why {
                    Unjoinable::Reference => Invalid::Bases,
                    Unjoinable::Contradiction => Invalid::Targets,
                    Unjoinable::Order => Invalid::NotNext,
                    Unjoinable::Reach => Invalid::Reaches,
                })?;
                Some(mine)
            }
            // Of a whole of which a part is missing nothing is said.
            _ => None,
        };
        Ok(())
    }

    /// Picard's counts of the whole, for the metrics that every part has.
    pub fn picard(&self) -> Option<Picard> {
        self.picard.as_deref().cloned().map(Picard::whole)
    }

    /// The figures of the whole; `None` without parts. If all parts have coverage and the whole has not, it is said why. If
    /// the whole `is_part` of something larger, it carries what its parts do.
    ///
    /// # Errors
    /// If depths of parts contradict their sums.
    pub fn finish(self, is_part: bool) -> Result<Option<(Figures, Option<LeftOut>)>, Invalid> {
        let AlignmentJoin { sum, parts, picard } = self;
        let Some(mut sum) = sum else { return Ok(None) };
        let mut left_out = None;
        if !in_order(&parts) {
            sum.depths = None;
        }
        if let Some(depths) = &mut sum.depths {
            let name = |reference: u32| {
                sum.references.get(reference as usize).map_or_else(String::new, |r| r.0.clone())
            };
            left_out = conflict(&parts, name);
            // Mates that overlap across pieces are known when all pieces are.
            let corrections = if is_part { Corrections::new() } else { corrections(&parts) };
            correct(depths, &parts, &corrections)?;
        }
        if left_out.is_some() {
            sum.depths = None;
        }
        if is_part && left_out.is_none() {
            sum.partial = joined(&parts).map(|partial| PartialAlignments { picard, ..partial });
        }
        Ok(Some((sum.figures(), left_out)))
    }
}

impl DepthPart {
    fn new(
        partial: Option<PartialAlignments>,
        counts: &AlignmentCounts,
    ) -> Result<DepthPart, Invalid> {
        const DAMAGED: Invalid = Invalid::Inconsistent("depths of a part that can't be");
        let Some(PartialAlignments { kind, first, last, settled, depths, seams, picard: _ }) =
            partial
        else {
            let covered = counts.depths.as_ref().map(|depths| &depths.by_reference[..]);
            let covered = (0u64..).zip(covered.unwrap_or_default()).filter(|(_, own)| own.0 > 0);
            let settled = covered.map(|(reference, _)| (reference << 32, (reference + 1) << 32));
            let settled = settled.collect();
            return Ok(DepthPart {
                kind: None,
                first: None,
                last: None,
                settled,
                known: Vec::new(),
                seams: Vec::new(),
            });
        };
        let mut known: Vec<(u32, Changes)> = Vec::with_capacity(depths.len());
        for one in &depths {
            let length = counts.references.get(one.reference as usize).map(|r| r.1);
            if known.last().is_some_and(|last| last.0 >= one.reference) {
                return Err(DAMAGED);
            }
            let changes = Changes::read(&one.changes, length.ok_or(DAMAGED)?).ok_or(DAMAGED)?;
            known.push((one.reference, changes));
        }
        let settled = settled.iter().map(|(from, to)| (rank(*from), rank(*to)));
        let settled = settled.filter(|(from, to)| from < to).collect();
        Ok(DepthPart { kind: Some(kind), first, last, settled, known, seams })
    }

    /// Calls `each` with the first and the last place of the stretches whose depths are known.
    fn each_known(&self, mut each: impl FnMut(u64, u64)) {
        for (reference, changes) in &self.known {
            let place = |at: i64| u64::from(*reference) << 32 | at as u64;
            stretches(changes.iter(), |start, end, _| each(place(start), place(end - 1)));
        }
    }
}

/// Whether pieces follow each other in the order of a sorted file, so that the file is sorted if they are.
fn in_order(parts: &[DepthPart]) -> bool {
    let own_order = |(reference, position): ReferencePosition| (reference as u32, position);
    let pieces = parts.iter().filter(|part| part.kind == Some(PartKind::Shard));
    let ends = pieces.filter_map(|part| Some((own_order(part.first?), own_order(part.last?))));
    ends.clone().zip(ends.skip(1)).all(|((_, last), (first, _))| last <= first)
}

/// Why the depths of parts can't be joined exactly.
fn conflict(parts: &[DepthPart], name: impl Fn(u32) -> String) -> Option<LeftOut> {
    let pieces = parts.iter().filter(|part| part.kind == Some(PartKind::Shard)).count();
    if pieces > 0 && pieces < parts.len() {
        return Some(LeftOut::Mixed);
    }
    let own = |(part, of): (usize, &DepthPart)| {
        of.settled.iter().map(move |&(from, to)| (from, to, part)).collect::<Vec<_>>()
    };
    let mut settled: Vec<(u64, u64, usize)> = parts.iter().enumerate().flat_map(own).collect();
    settled.sort_unstable();
    let overlap = settled.windows(2).find(|two| two[1].0 < two[0].1);
    if let Some(&[_, (from, ..)]) = overlap {
        return Some(LeftOut::Unknown(name((from >> 32) as u32)));
    }
    let mut found = None;
    for (part, of) in parts.iter().enumerate() {
        of.each_known(|first, last| {
            let mut at = settled.partition_point(|&(_, to, _)| to <= first);
            while let Some(&(from, _, owner)) = settled.get(at)
                && from <= last
                && found.is_none()
            {
                if owner != part {
                    let place = from.max(first);
                    let position = u64::from(place as u32) + 1;
                    found = Some(LeftOut::Reaches(name((place >> 32) as u32), position));
                }
                at += 1;
            }
        });
    }
    found
}

/// The references that several parts know depths of, with their changes.
fn by_reference(parts: &[DepthPart]) -> BTreeMap<u32, Vec<&Changes>> {
    let mut all = BTreeMap::<u32, Vec<&Changes>>::new();
    for (reference, changes) in parts.iter().flat_map(|part| &part.known) {
        all.entry(*reference).or_default().push(changes);
    }
    all
}

/// By how much depths change where mates overlap across pieces, by reference, in order.
type Corrections = BTreeMap<u32, Vec<(i64, i64)>>;

fn corrections(parts: &[DepthPart]) -> Corrections {
    let mut all = Corrections::new();
    let mut seams = Seams::default();
    for seam in parts.iter().flat_map(|part| &part.seams) {
        seams.add(seam, |reference, at, by| {
            all.entry(reference).or_default().push((at as i64, i64::from(by)));
        });
    }
    all.values_mut().for_each(|own| own.sort_unstable());
    all
}

/// The changes of all depths together, in order.
fn together<'a>(
    parts: &'a [&'a Changes],
    corrections: &'a [(i64, i64)],
) -> impl Iterator<Item = (i64, i64)> + 'a {
    let own = |changes: &'a Changes| Box::new(changes.iter()) as Box<dyn Iterator<Item = _> + 'a>;
    let mut parts: Vec<_> = parts.iter().map(|changes| own(changes)).collect();
    parts.push(Box::new(corrections.iter().copied()));
    let mut next = BinaryHeap::with_capacity(parts.len());
    for (part, changes) in parts.iter_mut().enumerate() {
        next.extend(changes.next().map(|(at, step)| Reverse((at, part, step))));
    }
    std::iter::from_fn(move || {
        let Reverse((at, part, step)) = next.pop()?;
        next.extend(parts[part].next().map(|(at, step)| Reverse((at, part, step))));
        Some((at, step))
    })
}

/// Takes the depths that parts know out of the sums, and puts in what they are together.
fn correct(
    depths: &mut DepthHistogram,
    parts: &[DepthPart],
    corrections: &Corrections,
) -> Result<(), Invalid> {
    const CONTRADICT: Invalid = Invalid::Inconsistent("more depths than are summed up");
    let class = |depth: u64| usize::try_from(depth).map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH));
    let known = by_reference(parts);
    if corrections.keys().any(|reference| !known.contains_key(reference)) {
        return Err(CONTRADICT);
    }
    for (reference, changes) in known {
        let Some((covered, bases)) = depths.by_reference.get_mut(reference as usize) else {
            return Err(CONTRADICT);
        };
        let corrections = corrections.get(&reference).map_or(&[][..], Vec::as_slice);
        if changes.len() < 2 && corrections.is_empty() {
            continue;
        }
        let (mut gone, mut come) = ([0u64; MAX_DEPTH + 1], [0u64; MAX_DEPTH + 1]);
        let (mut gone_bases, mut come_bases) = (0i128, 0i128);
        let size = |from: i64, to: i64, depth: u64| i128::from(to - from) * i128::from(depth);
        for changes in &changes {
            stretches(changes.iter(), |from, to, depth| {
                gone[class(depth)] += (to - from) as u64;
                gone_bases += size(from, to, depth);
            });
        }
        stretches(together(&changes, corrections), |from, to, depth| {
            come[class(depth)] += (to - from) as u64;
            come_bases += size(from, to, depth);
        });
        // The depth isn't below 0 anywhere.
        let corrected: i128 =
            corrections.iter().map(|&(at, step)| -i128::from(at) * i128::from(step)).sum();
        if gone_bases + corrected != come_bases {
            return Err(CONTRADICT);
        }
        *bases = u64::try_from(i128::from(*bases) + corrected).map_err(|_| CONTRADICT)?;
        for ((sum, gone), come) in depths.positions.iter_mut().zip(gone).zip(come) {
            *sum = (*sum).checked_sub(gone).ok_or(CONTRADICT)? + come;
            *covered = (*covered).checked_sub(gone).ok_or(CONTRADICT)? + come;
        }
    }
    Ok(())
}

/// What the parts carry, together.
fn joined(parts: &[DepthPart]) -> Option<PartialAlignments> {
    let kind = parts.first()?.kind?;
    if parts.iter().any(|part| part.kind != Some(kind)) {
        return None;
    }
    let mut runs = DepthRuns::default();
    for (reference, changes) in by_reference(parts) {
        stretches(together(&changes, &[]), |from, to, depth| {
            runs.push(
                reference,
                from,
                (to - from) as u64,
                u32::try_from(depth).unwrap_or(u32::MAX),
            );
        });
    }
    let ranked = |places: Vec<Option<ReferencePosition>>| {
        let mut places: Vec<ReferencePosition> = places.into_iter().flatten().collect();
        places.sort_by_key(|place| (place.0 as u32, place.1));
        places
    };
    let first = ranked(parts.iter().map(|part| part.first).collect()).first().copied();
    let last = ranked(parts.iter().map(|part| part.last).collect()).last().copied();
    let mut settled: Vec<(u64, u64)> =
        parts.iter().flat_map(|part| part.settled.iter().copied()).collect();
    settled.sort_unstable();
    let settled = settled.into_iter().map(|(from, to)| (place(from), place(to))).collect();
    let seams = parts.iter().flat_map(|part| part.seams.iter().cloned()).collect();
    Some(PartialAlignments {
        kind,
        first,
        last,
        settled,
        depths: runs.finish(),
        seams,
        picard: None,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use biofast_bam::{Detail, Input, InputOptions};
    use biofast_io::{Options, Source};
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;
    use biofast_testkit::sam::{self, SamShape};
    use proptest::prelude::*;

    use super::super::Statistics;
    use super::*;

    /// The figures of SAM text, through JSON.
    fn figures(text: &str, part: Option<PartKind>) -> Figures {
        let options = Options { threads: 1, ..Options::default() };
        let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
        let source = Source::from_reader("x", Cursor::new(text.as_bytes().to_vec()));
        let source = Input::open(source, &opened).unwrap().source;
        let found = Statistics::collect_part(source, &options, part);
        let found = found.map_err(|fault| fault.error).unwrap();
        serde_json::from_str(&json(&Figures::from(&found))).unwrap()
    }

    fn json(figures: &Figures) -> String {
        serde_json::to_string(figures).unwrap()
    }

    fn join(parts: &[Figures], is_part: bool) -> (Figures, Option<LeftOut>) {
        let mut join = AlignmentJoin::default();
        parts.iter().for_each(|part| join.add(part).unwrap());
        join.finish(is_part).unwrap().unwrap()
    }

    /// Pairs of which most overlap, sorted; a few share their names with another pair.
    fn pairs(seed: u64, count: usize) -> String {
        let mut random = Random(seed);
        let mut records = Vec::new();
        for number in 0..count {
            let name = format!("p{}", number % (count - 2).max(1));
            let reference = random.below(2);
            let start = 1 + random.below(3000);
            let mate = start + random.below(90);
            let flags = [[99, 147], [163, 83], [97, 145], [1123, 1171]];
            let flags = flags[random.below(100).saturating_sub(60).div_ceil(14)];
            for (flags, at, other) in [(flags[0], start, mate), (flags[1], mate, start)] {
                let cigars = ["50M", "50M", "20M5D30M", "10S40M", "30M1500N20M", "20M2I28M", "50I"];
                let cigar = cigars[random.below(cigars.len())];
                let line = format!(
                    "{name}\t{flags}\t{}\t{at}\t60\t{cigar}\t=\t{other}\t0\t*\t*\n",
                    ["a", "b"][reference]
                );
                records.push(((reference, at), line));
            }
        }
        records.sort_by_key(|record| record.0);
        "@SQ\tSN:a\tLN:4000\n@SQ\tSN:b\tLN:4000\n".to_owned()
            + &records.into_iter().map(|record| record.1).collect::<String>()
    }

    fn split(text: &str) -> (String, Vec<&str>) {
        let (header, records): (Vec<&str>, Vec<&str>) =
            text.split_inclusive('\n').partition(|line| line.starts_with('@'));
        (header.concat(), records)
    }

    #[test]
    fn a_part_whose_first_record_does_not_count_has_its_mates_all_the_same() {
        let line = |name: &str, flags: u16, reference: &str, at: u32| {
            format!("{name}\t{flags}\t{reference}\t{at}\t60\t50M\t=\t{at}\t0\t*\t*\n")
        };
        let header = "@SQ\tSN:a\tLN:4000000\n@SQ\tSN:b\tLN:4000\n";
        // The mates are on another reference than the duplicate at the start of the part; or on the same one, far behind it.
        for (reference, at) in [("b", 100), ("a", 3_000_000)] {
            let records = [
                line("r", 0, "a", 5),
                line("d", 1024, "a", 10),
                line("m", 99, reference, at),
                line("m", 147, reference, at),
                line("z", 0, reference, at + 500),
            ];
            let piece = |lines: &[String]| {
                figures(&(header.to_owned() + &lines.concat()), Some(PartKind::Shard))
            };
            let pieces = [piece(&records[..1]), piece(&records[1..])];
            let whole = json(&figures(&(header.to_owned() + &records.concat()), None));
            assert_eq!(json(&join(&pieces, false).0), whole, "{reference}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(times(15)))]

        #[test]
        fn pieces_cut_anywhere_give_the_bytes_of_the_whole(
            seed in 0u64..1 << 40,
            records in 0usize..150,
            sorted in prop::bool::weighted(0.8),
            longest in prop_oneof![Just(20u64), Just(150), Just(9000)],
            mut cuts in prop::collection::vec(0usize..150, 0..7),
            first in 0usize..8,
            of_pairs in any::<bool>(),
        ) {
            let shape = SamShape { records, sorted, longest, oddities: true, seed };
            let text = if of_pairs { pairs(seed, 40) } else { sam::text(&shape) };
            let (header, lines) = split(&text);
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(lines.len()));
            cuts.extend([0, lines.len()]);
            cuts.sort_unstable();
            let piece = |ends: &[usize]| figures(&(header.clone() + &lines[ends[0]..ends[1]].concat()), Some(PartKind::Shard));
            let pieces: Vec<Figures> = cuts.windows(2).map(piece).collect();
            let whole = json(&figures(&text, None));
            let (joined, left_out) = join(&pieces, false);
            prop_assert_eq!(left_out, None);
            prop_assert_eq!(&json(&joined), &whole);
            // Some of them first, and those with the rest.
            let first = 1 + first.min(pieces.len() - 1);
            let some = join(&pieces[..first], true).0;
            let some: Figures = serde_json::from_str(&json(&some)).unwrap();
            let all = [&[some], &pieces[first..]].concat();
            prop_assert_eq!(&json(&join(&all, false).0), &whole);
            // All of them to a part that is the whole.
            let some = join(&pieces, true).0;
            prop_assert_eq!(&json(&join(&[some], false).0), &whole);
        }

        #[test]
        fn files_of_one_sample_give_the_bytes_of_all_records_sorted(
            seed in 0u64..1 << 40,
            records in 0usize..150,
            longest in prop_oneof![Just(150u64), Just(9000)],
            lanes in 1usize..5,
            of_pairs in any::<bool>(),
        ) {
            let shape = SamShape { records, sorted: true, longest, oddities: true, seed };
            let text = if of_pairs { pairs(seed, 40) } else { sam::text(&shape) };
            let (header, lines) = split(&text);
            // Mates, which share their name, are in one lane.
            let lane_of = |line: &str| {
                let name = line.split('\t').next().unwrap_or_default();
                name.bytes().map(usize::from).sum::<usize>() % lanes
            };
            let of_lane = |lane: usize| {
                let own: String = lines.iter().filter(|line| lane_of(line) == lane).copied().collect();
                figures(&(header.clone() + &own), Some(PartKind::Lane))
            };
            let parts: Vec<Figures> = (0..lanes).map(of_lane).collect();
            let whole = json(&figures(&text, None));
            prop_assert_eq!(&json(&join(&parts, false).0), &whole);
            let some = join(&parts[1.min(lanes - 1)..], true).0;
            let all = if lanes == 1 { vec![some] } else { vec![some, parts[0].clone()] };
            prop_assert_eq!(&json(&join(&all, false).0), &whole);
        }
    }

    const HEADER: &str = "@SQ\tSN:a\tLN:90000000\n@SQ\tSN:b\tLN:90000000\n";

    fn at(reference: &str, position: u32, cigar: &str) -> String {
        format!("r\t0\t{reference}\t{position}\t9\t{cigar}\t*\t0\t0\tACGT\tIIII\n")
    }

    #[test]
    fn what_cannot_be_joined_is_left_out_with_a_reason() {
        let of = |records: &[String], part| figures(&(HEADER.to_owned() + &records.concat()), part);
        let (a, b) = ([at("a", 5, "4M")], [at("a", 7, "4M"), at("b", 1, "4M")]);
        let whole = json(&of(&[&a[..], &b].concat(), None));
        // Without depths: where both cover a reference, and where none is covered twice.
        let (joined, left_out) = join(&[of(&a, None), of(&b, None)], false);
        assert_eq!(left_out, Some(LeftOut::Unknown("a".into())));
        assert!(joined.coverage.is_none() && joined.references[0].covered.is_none());
        assert_eq!(joined.records.passed.total, 3);
        let (joined, left_out) =
            join(&[of(&b[1..], None), of(&[&a[..], &b[..1]].concat(), None)], false);
        assert_eq!((left_out, &json(&joined)), (None, &whole));
        let (_, left_out) = join(&[of(&a, Some(PartKind::Shard)), of(&b, None)], false);
        assert_eq!(left_out, Some(LeftOut::Mixed));
        let (_, left_out) = join(&[of(&a, Some(PartKind::Lane)), of(&b, None)], false);
        assert_eq!(left_out, Some(LeftOut::Reaches("a".into(), 5)));
        let lanes = [of(&b, Some(PartKind::Lane)), of(&[at("b", 3, "4M")], None)];
        assert_eq!(join(&lanes, false).1, Some(LeftOut::Reaches("b".into(), 1)));
        // Over a skip, beyond what the next piece keeps.
        let far = at("a", 5, "2M3000000N2M");
        let next = [at("a", 9, "4M"), at("a", 3_000_007, "4M"), at("a", 4_000_000, "4M")];
        let parts = [
            of(std::slice::from_ref(&far), Some(PartKind::Shard)),
            of(&next, Some(PartKind::Shard)),
        ];
        let (joined, left_out) = join(&parts, false);
        assert_eq!(left_out, Some(LeftOut::Reaches("a".into(), 3_000_007)));
        assert!(joined.coverage.is_none());
        // Pieces that don't follow each other are those of an unsorted file.
        let pieces = [of(&b, Some(PartKind::Shard)), of(&a, Some(PartKind::Shard))];
        let unsorted = json(&of(&[&b[..], &a].concat(), None));
        assert_eq!(json(&join(&pieces, false).0), unsorted);
        assert!(unsorted.contains("\"coverage\":null"));
    }

    #[test]
    fn figures_that_contradict_themselves_are_refused() {
        let good = figures(&(HEADER.to_owned() + &at("a", 5, "4M")), Some(PartKind::Shard));
        type Damage = fn(&mut Figures);
        let damages: [Damage; 10] = [
            |f| f.references[0].covered = Some(3),
            |f| f.references[1].covered = None,
            |f| f.records.passed.total = u64::MAX,
            |f| f.alignment.operations.push(('Q', 1, 1)),
            |f| f.alignment.indels.push((301, 1, 1)),
            |f| f.alignment.soft_clipped.push((1, 2, 1, 1, 0, 0)),
            |f| f.alignment.soft_clipped.push((9, 9, 2, 1, 0, 0)),
            |f| f.insert_size.half_pairs.push((9000, 1, 1, 1)),
            |f| f.reads.first.as_mut().unwrap().reads = 2,
            |f| f.partial.as_mut().unwrap().depths[0].changes.push('A'),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            let mut bad = good.clone();
            damage(&mut bad);
            assert!(AlignmentJoin::default().add(&bad).is_err(), "{number}");
        }
        let mut join = AlignmentJoin::default();
        join.add(&good).unwrap();
        let others = figures("@SQ\tSN:a\tLN:9\n", None);
        assert!(matches!(join.add(&others), Err(Invalid::References)));
    }
}
