//! Consensus reads left out, and bases of them masked, by depth, errors and quality, like fgbio's FilterConsensusReads and
//! `fgumi filter` (0.9).

use biofast_bam::{self as bam, Array, Batch, Error, Header, Query, Record, Value, flag};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_kernels::summarize_raw_qualities;

use crate::change::edit::{Rewrite, RewrittenFormat, by_name, made};
use crate::change::grep::COMPLEMENTS;
use crate::change::sort::duplicates::gate::check_header;
use crate::tags::{append_tags, stored_tags};

/// What is asked of a consensus: of both strands, of the better one, and of the other.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsensusFilterRules {
    /// The fewest reads.
    pub min_reads: [u64; 3],
    /// The highest rate of errors of a read.
    pub max_read_error_rate: [f64; 3],
    /// The highest rate of errors of a base: others are masked.
    pub max_base_error_rate: [f64; 3],
    /// Bases of lower quality are masked.
    pub min_base_quality: Option<u8>,
    /// The lowest mean quality of a read.
    pub min_mean_base_quality: Option<f64>,
    /// The most bases of a read that are N, of each of its bases; as their number from 1 on.
    pub max_no_call_fraction: f64,
    /// Whether bases are masked of which both strands say something else.
    pub require_strand_agreement: bool,
    /// Whether each record is looked at by itself, and not with all of its name.
    pub single_records: bool,
    /// Whether tags with a value for each base are turned around where the record is.
    pub reverse_per_base_tags: bool,
}

impl ConsensusFilterRules {
    /// Those of fgumi.
    pub fn new(min_reads: [u64; 3]) -> ConsensusFilterRules {
        ConsensusFilterRules {
            min_reads,
            max_read_error_rate: [0.025; 3],
            max_base_error_rate: [0.1; 3],
            min_base_quality: None,
            min_mean_base_quality: None,
            max_no_call_fraction: 0.2,
            require_strand_agreement: false,
            single_records: false,
            reverse_per_base_tags: false,
        }
    }
}

/// What was read, written and masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsensusFilterCounts {
    /// Records read.
    pub records: u64,
    /// Records written.
    pub written: u64,
    /// Bases masked in primary records that were written.
    pub masked: u64,
}

/// Filters consensus reads.
pub struct ConsensusFilter {
    header: Header,
    rules: ConsensusFilterRules,
}

impl ConsensusFilter {
    /// For an input of this name with this header.
    ///
    /// # Errors
    /// If the header says that the records are sorted by coordinate, but all of a name are needed.
    pub fn new(
        input: &str,
        header: &Header,
        rules: ConsensusFilterRules,
    ) -> Result<ConsensusFilter, crate::Error> {
        if !rules.single_records {
            check_header(input, header, "filtering consensus reads")?;
        }
        Ok(ConsensusFilter { header: header.clone(), rules })
    }

    /// The record as it is written, made in `room`, whether it passes, and how many of its bases were masked.
    fn filtered<'r>(
        &self,
        record: &Record<'_>,
        room: &'r mut Vec<u8>,
    ) -> Result<(Record<'r>, bool, u64), Error> {
        let rules = &self.rules;
        if record.sequence_len() > 0 && record.qualities().is_missing() {
            return Err(record.undecided("consensus reads have qualities, and it has none"));
        }
        room.clear();
        room.extend_from_slice(record.as_bytes());
        if rules.reverse_per_base_tags && record.flags() & flag::REVERSE != 0 {
            reverse_per_base_tags(record, room);
        }
        let oriented = Record::from_checked(room);
        let found = ConsensusTags::of(&oriented, rules.require_strand_agreement)?;
        let mean = mean_quality(record);
        if !found.pass(rules) || rules.min_mean_base_quality.is_some_and(|least| mean < least) {
            return Ok((made(record, room)?, false, 0));
        }
        let len = record.sequence_len();
        let is_masked: Vec<bool> = (0..len)
            .map(|at| {
                let (base, quality) =
                    (record.sequence().get(at), record.qualities().as_slice()[at]);
                found.is_poor(rules, at, base == Some(b'N'), quality)
            })
            .collect();
        let start = room.len() - record.tag_bytes().len();
        let (bases, qualities) = (start - len - len.div_ceil(2), start - len);
        let (mut masked, mut no_calls) = (0, 0);
        for (at, is_masked) in is_masked.into_iter().enumerate() {
            let shift = if at % 2 == 0 { 4 } else { 0 };
            let byte = &mut room[bases + at / 2];
            let was_called = *byte >> shift & 15 != 15;
            if is_masked {
                *byte |= 15 << shift;
                room[qualities + at] = MIN_QUALITY;
            }
            masked += u64::from(is_masked && was_called);
            no_calls += u64::from(is_masked || !was_called);
        }
        let most = rules.max_no_call_fraction;
        let passes = match most >= 1.0 {
            true => no_calls as f64 <= most,
            false => len > 0 && no_calls as f64 / len as f64 <= most,
        };
        if masked > 0 && record.flags() & flag::UNMAPPED == 0 {
            remove_alignment_tags(room);
        }
        Ok((made(record, room)?, passes, masked))
    }

    fn add(
        &self,
        worker: &mut ConsensusFilterWorker,
        batch: Batch<'_>,
        mut put: impl FnMut(&Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        by_name(batch, !self.rules.single_records, |group| {
            worker.counts.records += group.len() as u64;
            self.filter_template(worker, group, &mut put)
        })
    }

    fn filter_template(
        &self,
        worker: &mut ConsensusFilterWorker,
        records: &[Record<'_>],
        put: &mut impl FnMut(&Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_primary =
            |record: &Record<'_>| record.flags() & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0;
        if !self.rules.single_records && !records.iter().any(is_primary) {
            return Err(records[0].undecided("none of the records of its name is primary"));
        }
        let ConsensusFilterWorker { rooms, counts } = worker;
        rooms.resize_with(records.len().max(rooms.len()), Vec::new);
        // If a primary record fails, all of its name do.
        let mut kept: Vec<Option<Record<'_>>> = vec![None; records.len()];
        let mut masked = 0;
        let order = [true, false];
        let mut rooms: Vec<Option<&mut Vec<u8>>> = rooms.iter_mut().map(Some).collect();
        for primary in order {
            for (index, record) in records.iter().enumerate() {
                if is_primary(record) != primary {
                    continue;
                }
                let Some(room) = rooms[index].take() else { continue };
                let (made, passes, bases) = self.filtered(record, room)?;
                if passes {
                    kept[index] = Some(made);
                    masked += if primary { bases } else { 0 };
                } else if primary && !self.rules.single_records {
                    return Ok(());
                }
            }
        }
        counts.masked += masked;
        for record in kept.into_iter().flatten() {
            counts.written += 1;
            put(&record)?;
        }
        Ok(())
    }
}

const MIN_QUALITY: u8 = 2;

impl Rewrite for ConsensusFilter {
    type Counts = ConsensusFilterCounts;

    fn header(&self) -> &Header {
        &self.header
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<ConsensusFilterCounts, crate::Error> {
        let transform = bam::Transform::new(query).options(options).keep_names_together(true);
        let (_, worker) = transform.run_copying(
            outputs,
            ConsensusFilterWorker::default,
            |worker, batch, texts, copies| {
                self.add(worker, batch, |record| format.put(record, batch, &mut texts[0], copies))
            },
            |worker, other| {
                worker.counts.records += other.counts.records;
                worker.counts.written += other.counts.written;
                worker.counts.masked += other.counts.masked;
            },
        )?;
        Ok(worker.counts)
    }
}

/// What a worker has.
#[derive(Default)]
struct ConsensusFilterWorker {
    rooms: Vec<Vec<u8>>,
    counts: ConsensusFilterCounts,
}

/// What the tags of a consensus say: of all, of one strand, and of the other.
struct ConsensusTags {
    is_duplex: bool,
    depth: i64,
    error_rate: f32,
    strand_depths: [Option<i64>; 2],
    strand_error_rates: [Option<f32>; 2],
    /// Depth and errors of each base; those of strands if there are two.
    bases: [[Option<Vec<i64>>; 2]; 2],
    /// Bases of both strands, if they must agree.
    letters: Option<[Vec<u8>; 2]>,
}

impl ConsensusTags {
    fn of(record: &Record<'_>, needs_letters: bool) -> Result<ConsensusTags, Error> {
        let tag = |name: &[u8; 2]| record.tag(name);
        let int = |name| -> Result<Option<i64>, Error> { Ok(tag(name)?.and_then(|v| v.as_int())) };
        let float = |name| -> Result<Option<f32>, Error> {
            Ok(match tag(name)? {
                Some(Value::Float(value)) => Some(value),
                _ => None,
            })
        };
        let array = |name| -> Result<Option<Vec<i64>>, Error> {
            Ok(tag(name)?.and_then(|value| value.as_array()).and_then(|array| array.as_ints()))
        };
        let letters = |name| -> Result<Vec<u8>, Error> {
            Ok(match tag(name)? {
                Some(Value::Text(text)) => text.to_vec(),
                Some(Value::Array(Array::U8(values))) => values.to_vec(),
                _ => Vec::new(),
            })
        };
        let (Some(depth), Some(error_rate)) = (int(b"cD")?, float(b"cE")?) else {
            return Err(record.undecided("it lacks the tags of a consensus read (cD and cE)"));
        };
        let is_duplex = tag(b"aD")?.is_some() && tag(b"bD")?.is_some();
        let strand_depth =
            |depth, least| -> Result<Option<i64>, Error> { Ok(int(depth)?.or(int(least)?)) };
        Ok(ConsensusTags {
            is_duplex,
            depth,
            error_rate,
            strand_depths: [strand_depth(b"aD", b"aM")?, strand_depth(b"bD", b"bM")?],
            strand_error_rates: [float(b"aE")?, float(b"bE")?],
            bases: match is_duplex {
                true => [[array(b"ad")?, array(b"ae")?], [array(b"bd")?, array(b"be")?]],
                false => [[array(b"cd")?, array(b"ce")?], [None, None]],
            },
            letters: match needs_letters && is_duplex {
                true => Some([letters(b"ac")?, letters(b"bc")?]),
                false => None,
            },
        })
    }

    /// Whether the read as a whole passes.
    fn pass(&self, rules: &ConsensusFilterRules) -> bool {
        let enough = |depth: i64, tier: usize| depth.max(0) as u64 >= rules.min_reads[tier];
        let few = |rate: f32, tier: usize| f64::from(rate) <= rules.max_read_error_rate[tier];
        if !(enough(self.depth, 0) && few(self.error_rate, 0)) {
            return false;
        }
        let [one, other] = self.strand_depths;
        if !self.is_duplex || one.is_none() && other.is_none() {
            return true;
        }
        let (one, other) = (one.unwrap_or(0), other.unwrap_or(0));
        let [rate, other_rate] = self.strand_error_rates;
        let rate = (rate.or(other_rate).unwrap_or(0.0), other_rate.or(rate).unwrap_or(0.0));
        let (least, most) = if rate.0 < rate.1 { rate } else { (rate.1, rate.0) };
        enough(one.max(other), 1) && few(least, 1) && enough(one.min(other), 2) && few(most, 2)
    }

    /// Whether a base is masked.
    fn is_poor(&self, rules: &ConsensusFilterRules, at: usize, is_n: bool, quality: u8) -> bool {
        // Of both strands, what isn't called stays as it is.
        if self.is_duplex && is_n {
            return false;
        }
        if rules.min_base_quality.is_some_and(|least| quality < least) {
            return true;
        }
        let value = |values: &Option<Vec<i64>>| {
            values
                .as_ref()
                .and_then(|values| values.get(at))
                .map_or(0, |value| *value as u16 as u64)
        };
        let [one, other] =
            self.bases.each_ref().map(|[depths, errors]| (value(depths), value(errors)));
        let rate = |(depth, errors): (u64, u64)| match depth {
            0 => 0.0,
            depth => errors as f64 / depth as f64,
        };
        let is_over = |rate: f64, tier: usize| rate > rules.max_base_error_rate[tier];
        if !self.is_duplex {
            let has_all = self.bases[0].iter().all(Option::is_some);
            return has_all && (one.0 < rules.min_reads[0] || is_over(rate(one), 0));
        }
        let all = (one.0 + other.0, one.1 + other.1);
        let rates = (rate(one).min(rate(other)), rate(one).max(rate(other)));
        let disagree = self.letters.as_ref().is_some_and(|letters| {
            let [one, other] =
                letters.each_ref().map(|letters| letters.get(at).copied().unwrap_or(b'N'));
            one != other
        });
        all.0 < rules.min_reads[0]
            || is_over(rate(all), 0)
            || one.0.max(other.0) < rules.min_reads[1]
            || is_over(rates.0, 1)
            || one.0.min(other.0) < rules.min_reads[2]
            || is_over(rates.1, 2)
            || disagree && one.0 > 0 && other.0 > 0
    }
}

fn mean_quality(record: &Record<'_>) -> f64 {
    let qualities = record.qualities().as_slice();
    let sum = || summarize_raw_qualities(qualities).sum as f64;
    if qualities.is_empty() { 0.0 } else { sum() / qualities.len() as f64 }
}

/// Turns the tags around that have a value for each base.
fn reverse_per_base_tags(record: &Record<'_>, room: &mut [u8]) {
    const REVERSED: [&[u8; 2]; 14] = [
        b"cd", b"ce", b"ad", b"ae", b"bd", b"be", b"aq", b"bq", b"cu", b"ct", b"au", b"at", b"bu",
        b"bt",
    ];
    for (tag, stored) in stored_tags(record) {
        let value = &mut room[stored.start + 3..stored.start + 3 + tag.value.len()];
        let is_turned = REVERSED.contains(&&tag.name);
        match (tag.kind, &tag.name) {
            (b'Z', b"ac" | b"bc") => {
                value.reverse();
                value.iter_mut().for_each(|base| *base = COMPLEMENTS[usize::from(*base)]);
            }
            (b'Z', _) if is_turned => value.reverse(),
            (b'B', _) if is_turned => {
                let Some((kind, rest)) = value.split_first_mut() else { continue };
                let len = match kind {
                    b'c' | b'C' => 1,
                    b's' | b'S' => 2,
                    _ => 4,
                };
                let Some(elements) = rest.get_mut(4..) else { continue };
                elements.reverse();
                elements.chunks_mut(len).for_each(<[u8]>::reverse);
            }
            _ => {}
        }
    }
}

/// Removes the tags that tell of mismatches: they aren't right any more.
fn remove_alignment_tags(room: &mut Vec<u8>) {
    let record = Record::from_checked(room);
    let start = room.len() - record.tag_bytes().len();
    let mut tags = Vec::new();
    append_tags(&record, &mut tags, |tag| [*b"NM", *b"UQ", *b"MD"].contains(&tag));
    room.truncate(start);
    room.append(&mut tags);
}
