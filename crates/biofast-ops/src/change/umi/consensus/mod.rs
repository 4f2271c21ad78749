//! Consensus reads of the templates of each molecule, like fgbio's CallMolecularConsensusReads and CallDuplexConsensusReads, and
//! `fgumi simplex` and `fgumi duplex` (0.9): the same bases, qualities and tags.
//!
//! Records of a molecule (`MI`) stand together. Workers call batches that end between molecules.

mod duplex;
mod family;
mod model;
mod overhang;
mod strand;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Header, Query, Record, flag};
use biofast_io::Options;
use biofast_io::output::Output;

use duplex::{DuplexConsensus, LeastReads, is_enough};
use family::{Family, ReadRules, SourceRead, keep_most_common};
use model::UmiCaller;
use strand::StrandCaller;
use write::{ConsensusRecord, ReadKind, RecordRoom};

use crate::change::apart::LoneNames;
use crate::change::edit::{Rewrite, RewrittenFormat};
use crate::change::sort::duplicates::gate::hash_of_name;
use crate::{Error, Refusal};

/// How consensus reads are called.
#[derive(Clone, Debug)]
pub struct ConsensusRules {
    /// Whether both strands of molecules are put together, which `MI` tells by `/A` and `/B`.
    pub duplex: bool,
    /// The fewest reads of a molecule; with [`duplex`](Self::duplex) of both strands, of the one with more, and of the other.
    pub min_reads: [usize; 3],
    /// The most reads that are used of an end, and of a strand.
    pub max_reads: Option<usize>,
    /// The quality of errors from before UMIs were attached.
    pub error_rate_pre_umi: u8,
    /// That of errors from then on until sequencing.
    pub error_rate_post_umi: u8,
    /// Bases of lower quality aren't used.
    pub min_input_base_quality: u8,
    /// Consensus bases of lower quality aren't called, unless both strands are put together.
    pub min_consensus_base_quality: u8,
    /// Whether reads are cut where their qualities at the end are low.
    pub trim: bool,
    /// Whether bases that both reads of a pair have are first made one.
    pub consensus_overlaps: bool,
    /// Whether unmapped reads are used, too.
    pub allow_unmapped: bool,
    /// Whether tags are written that have a value for each base.
    pub per_base_tags: bool,
    /// What names begin with; the libraries of the input if it isn't given.
    pub name_prefix: Option<Vec<u8>>,
    /// The read group of consensus reads.
    pub read_group: Vec<u8>,
}

impl ConsensusRules {
    /// Those of fgumi.
    pub fn new(min_reads: [usize; 3]) -> ConsensusRules {
        ConsensusRules {
            duplex: false,
            min_reads,
            max_reads: None,
            error_rate_pre_umi: 45,
            error_rate_post_umi: 40,
            min_input_base_quality: 10,
            min_consensus_base_quality: 2,
            trim: false,
            consensus_overlaps: true,
            allow_unmapped: false,
            per_base_tags: true,
            name_prefix: None,
            read_group: b"A".to_vec(),
        }
    }
}

/// What was read and called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsensusCounts {
    /// Records read.
    pub records: u64,
    /// Of them, those without `MI`, which are left out.
    pub without_molecule: u64,
    /// Molecules.
    pub molecules: u64,
    /// Molecules with a consensus.
    pub called: u64,
    /// Consensus reads.
    pub reads: u64,
}

impl ConsensusCounts {
    fn merge(&mut self, other: ConsensusCounts) {
        self.records += other.records;
        self.without_molecule += other.without_molecule;
        self.molecules += other.molecules;
        self.called += other.called;
        self.reads += other.reads;
    }
}

/// Calls consensus reads of an input.
pub struct ConsensusMaker {
    input: String,
    header: Header,
    prefix: Vec<u8>,
    rules: ConsensusRules,
}

impl ConsensusMaker {
    /// For an input of this name with this header.
    ///
    /// # Errors
    /// If the header says that the records are in the order of coordinates.
    pub fn new(
        input: &str,
        header: &Header,
        rules: ConsensusRules,
    ) -> Result<ConsensusMaker, Error> {
        if header.is_sorted_by_coordinate() {
            let why = "sorted by coordinate, but a consensus needs records grouped by molecule";
            return Err(Refusal::NotByMolecule(format!("{input}: {why}")).into());
        }
        let prefix = rules.name_prefix.clone().unwrap_or_else(|| prefix_of(header));
        Ok(ConsensusMaker {
            input: input.into(),
            header: consensus_header(header, &rules.read_group)?,
            prefix,
            rules,
        })
    }
}

/// The libraries of read groups, or their IDs where they have none.
fn prefix_of(header: &Header) -> Vec<u8> {
    let names: BTreeSet<&[u8]> = header
        .read_groups()
        .filter_map(|group| header.library(group.id()?).or(group.id()))
        .collect();
    let joined = names.into_iter().collect::<Vec<_>>().join(&b"|"[..]);
    match joined.len() > 200 {
        true => format!("{:x}", hash_of_name(&joined)).into_bytes(),
        false => joined,
    }
}

/// A header without references: one read group, with what those of the input say.
fn consensus_header(header: &Header, read_group: &[u8]) -> Result<Header, Error> {
    let mut text = b"@HD\tVN:1.6\tSO:unsorted\tGO:query\n@RG\tID:".to_vec();
    text.extend_from_slice(read_group);
    for tag in [b"SM", b"LB", b"PL", b"PU", b"CN", b"DS"] {
        let mut values: Vec<Vec<u8>> = Vec::new();
        for group in header.read_groups() {
            let Some(value) = group.field(*tag).filter(|value| !value.is_empty()) else { continue };
            let value = if tag == b"PL" { value.to_ascii_uppercase() } else { value.to_vec() };
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if !values.is_empty() {
            text.push(b'\t');
            text.extend_from_slice(tag);
            text.push(b':');
            text.extend_from_slice(&values.join(&b","[..]));
        }
    }
    let groups = header.read_groups().count();
    let name = String::from_utf8_lossy(read_group).into_owned();
    let comment = format!(
        "\n@CO\tRead group {name} contains consensus reads generated from {groups} input read groups.\n"
    );
    text.extend_from_slice(comment.as_bytes());
    Ok(Header::from_text(&text)?)
}

/// The molecule of a record, and its cell.
fn molecule_of<'r>(record: &Record<'r>) -> (Option<&'r [u8]>, &'r [u8]) {
    let (mut molecule, mut cell) = (None, &b""[..]);
    for tag in record.tags() {
        match &tag.name {
            b"MI" => molecule = tag.as_text(),
            b"CB" => cell = tag.as_text().unwrap_or_default(),
            _ => {}
        }
    }
    (molecule, cell)
}

/// A molecule without its strand.
fn without_strand(molecule: &[u8]) -> &[u8] {
    match molecule.iter().rposition(|byte| *byte == b'/') {
        Some(at) if at > 0 => &molecule[..at],
        _ => molecule,
    }
}

/// Whether a record belongs with the one before it.
fn are_together(one: &Record<'_>, other: &Record<'_>, duplex: bool) -> bool {
    match (molecule_of(one), molecule_of(other)) {
        ((Some(one), cell), (Some(other), other_cell)) => {
            let is_same = match duplex {
                true => without_strand(one) == without_strand(other),
                false => one == other,
            };
            is_same && cell == other_cell
        }
        ((None, _), (None, _)) => false,
        // What has none may stand between others.
        _ => true,
    }
}

impl Rewrite for ConsensusMaker {
    type Counts = ConsensusCounts;

    fn header(&self) -> &Header {
        &self.header
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<ConsensusCounts, Error> {
        let query = query.into();
        let input: Arc<str> = query.name().into();
        let duplex = self.rules.duplex;
        let transform = bam::Transform::new(query)
            .options(options)
            .keep_together(move |one, other| are_together(one, other, duplex));
        let (_, worker) = transform.run_copying(
            outputs,
            || ConsensusWorker::new(self),
            |worker: &mut ConsensusWorker<'_>, batch: Batch<'_>, texts, copies| {
                worker
                    .add(batch, |made, worker| {
                        worker.counts.reads += 1;
                        format.put(&made, batch, &mut texts[0], copies)
                    })
                    .map_err(|error| Error::from(batch.located(error).in_input(&input)))
            },
            ConsensusWorker::merge,
        )?;
        let ConsensusCounts { molecules, without_molecule, .. } = worker.counts;
        if molecules == 0 && without_molecule > 0 {
            let why = format!("none of the {without_molecule} reads has a molecule (MI)");
            return Err(Refusal::NotByMolecule(format!("{}: {why}", self.input)).into());
        }
        match worker.seen.apart() {
            None => Ok(worker.counts),
            Some((one, other)) => Err(Refusal::NotByMolecule(format!(
                "{}: records {one} and {other} are of one molecule (MI) but not next to each other",
                self.input
            ))
            .into()),
        }
    }
}

/// What a worker has.
struct ConsensusWorker<'a> {
    maker: &'a ConsensusMaker,
    caller: Option<Box<Callers>>,
    counts: ConsensusCounts,
    seen: LoneNames,
}

/// What calls bases and UMIs.
struct Callers {
    strand: StrandCaller,
    umis: UmiCaller,
    room: RecordRoom,
}

type PutConsensus<'p, 'a> =
    dyn FnMut(Record<'_>, &mut ConsensusWorker<'a>) -> Result<(), bam::Error> + 'p;

impl<'a> ConsensusWorker<'a> {
    fn new(maker: &'a ConsensusMaker) -> ConsensusWorker<'a> {
        let rules = &maker.rules;
        let errors = (rules.error_rate_pre_umi, rules.error_rate_post_umi);
        let strand = match rules.duplex {
            true => StrandCaller::new(errors, 1, model::MIN_QUALITY),
            false => {
                StrandCaller::new(errors, rules.min_reads[0], rules.min_consensus_base_quality)
            }
        };
        let callers = Callers { strand, umis: UmiCaller::new(), room: RecordRoom::default() };
        ConsensusWorker {
            maker,
            caller: Some(Box::new(callers)),
            counts: ConsensusCounts::default(),
            seen: LoneNames::default(),
        }
    }

    fn merge(&mut self, other: ConsensusWorker<'a>) {
        self.counts.merge(other.counts);
        self.seen.merge(other.seen);
    }

    /// Calls the molecules of a batch, which begins and ends between molecules.
    fn add(
        &mut self,
        batch: Batch<'_>,
        mut put: impl FnMut(Record<'_>, &mut ConsensusWorker<'a>) -> Result<(), bam::Error>,
    ) -> Result<(), bam::Error> {
        let rules = &self.maker.rules;
        let mut records: Vec<Record<'_>> = Vec::new();
        let mut current: Option<(&[u8], &[u8])> = None;
        let mut family = Family::default();
        for (number, record) in batch.numbered() {
            record.check()?;
            self.counts.records += 1;
            let flags = record.flags();
            if flags & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0
                || flags & flag::UNMAPPED != 0 && !rules.allow_unmapped
            {
                continue;
            }
            let (Some(molecule), cell) = molecule_of(&record) else {
                self.counts.without_molecule += 1;
                continue;
            };
            let shown = if rules.duplex { without_strand(molecule) } else { molecule };
            if current != Some((shown, cell)) {
                if let Some((molecule, _)) = current {
                    family.fill(records.drain(..));
                    self.call(molecule, &mut family, &mut put)?;
                }
                current = Some((shown, cell));
                let whole = [shown, b"\t", cell].concat();
                self.seen.add(hash_of_name(&whole), number + 1);
            }
            records.push(record);
        }
        if let Some((molecule, _)) = current {
            family.fill(records);
            self.call(molecule, &mut family, &mut put)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        molecule: &[u8],
        family: &mut Family<'_>,
        put: &mut PutConsensus<'_, 'a>,
    ) -> Result<(), bam::Error> {
        self.counts.molecules += 1;
        let Some(mut callers) = self.caller.take() else { return Ok(()) };
        let before = self.counts.reads;
        let called = match self.maker.rules.duplex {
            true => self.call_duplex(family, &mut callers, put),
            false => self.call_simplex(molecule, family, &mut callers, put),
        };
        self.caller = Some(callers);
        self.counts.called += u64::from(self.counts.reads > before);
        called
    }

    fn read_rules(&self) -> ReadRules {
        let rules = &self.maker.rules;
        ReadRules { min_quality: rules.min_input_base_quality, trims: rules.trim }
    }

    fn call_simplex(
        &mut self,
        molecule: &[u8],
        family: &mut Family<'_>,
        callers: &mut Callers,
        put: &mut PutConsensus<'_, 'a>,
    ) -> Result<(), bam::Error> {
        let rules = &self.maker.rules;
        let least = rules.min_reads[0];
        if family.records.len() < least {
            return Ok(());
        }
        if rules.consensus_overlaps {
            family.correct_overlaps();
        }
        let kind_of = |record: &Record<'_>| match record.flags() {
            flags if flags & flag::PAIRED == 0 => Some(ReadKind::Fragment),
            flags if flags & flag::READ1 != 0 => Some(ReadKind::First),
            flags if flags & flag::READ2 != 0 => Some(ReadKind::Second),
            _ => None,
        };
        let mut called = Vec::new();
        for kind in [ReadKind::Fragment, ReadKind::First, ReadKind::Second] {
            let indexes: Vec<usize> = (0..family.records.len())
                .filter(|index| kind_of(&family.records[*index]) == Some(kind))
                .collect();
            if indexes.len() < least {
                continue;
            }
            let mut reads: Vec<SourceRead> = Vec::with_capacity(indexes.len());
            for index in indexes {
                reads.extend(family.source(index, self.read_rules(), rules.max_reads.is_some())?);
            }
            if reads.len() < least {
                continue;
            }
            keep_most_common(&mut reads);
            if let Some(most) = rules.max_reads.filter(|most| reads.len() > *most) {
                let mut order: Vec<usize> = (0..reads.len()).collect();
                order.sort_by_key(|index| reads[*index].rank);
                let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
                let mut index = 0..;
                reads.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
            }
            if reads.len() >= least {
                called.push((kind, reads));
            }
        }
        // One read of a pair alone is nothing.
        let pairs = called.iter().filter(|(kind, _)| *kind != ReadKind::Fragment).count();
        for (kind, reads) in called {
            if kind != ReadKind::Fragment {
                if pairs < 2 {
                    continue;
                }
                check_mates(family, &reads)?;
            }
            let consensus = callers.strand.call(&reads);
            let maker = self.maker;
            let parts = (&consensus.bases[..], &consensus.qualities[..]);
            let name = (&maker.prefix[..], molecule);
            let mut record = ConsensusRecord::new(&mut callers.room, name, kind, parts);
            record.text(*b"RG", &maker.rules.read_group);
            record.depths([*b"cD", *b"cM", *b"cE"], &consensus.depths, &consensus.errors);
            if maker.rules.per_base_tags {
                record.shorts(*b"cd", &consensus.depths);
                record.shorts(*b"ce", &consensus.errors);
            }
            record.text(*b"MI", molecule);
            let first = &family.records[reads[0].index];
            if let Some(cell) = text_of(first, *b"CB") {
                record.text(*b"CB", cell);
            }
            let umis: Vec<&[u8]> = reads
                .iter()
                .filter_map(|read| text_of(&family.records[read.index], *b"RX"))
                .collect();
            record.umi(&mut callers.umis, &umis, first)?;
            put(record.end()?, self)?;
        }
        Ok(())
    }

    fn call_duplex(
        &mut self,
        family: &mut Family<'_>,
        callers: &mut Callers,
        put: &mut PutConsensus<'_, 'a>,
    ) -> Result<(), bam::Error> {
        let rules = &self.maker.rules;
        let least: LeastReads = rules.min_reads;
        family.records.retain(|record| record.flags() & flag::PAIRED != 0);
        let mut strands = Vec::with_capacity(family.records.len());
        for record in &family.records {
            strands.push(match molecule_of(record).0 {
                Some([.., b'/', b'A']) => 0,
                Some([.., b'/', b'B']) => 1,
                _ => {
                    return Err(record.ungroupable(
                        "its molecule (MI) doesn't end in /A or /B, which a duplex consensus needs",
                    ));
                }
            });
        }
        let Some(first) = family.records.first().copied() else { return Ok(()) };
        let molecule = molecule_of(&first).0.unwrap_or_default();
        let molecule = &molecule[..molecule.len() - 2];
        // Records of one strand first, as they are combined so.
        let mut order: Vec<usize> = (0..strands.len()).collect();
        order.sort_by_key(|index| strands[*index]);
        let records: Vec<Record<'_>> = order.iter().map(|index| family.records[*index]).collect();
        let of_a = strands.iter().filter(|strand| **strand == 0).count();
        family.fill(records);
        let is_first =
            |index: usize, family: &Family<'_>| family.records[index].flags() & flag::READ1 != 0;
        let firsts = |range: std::ops::Range<usize>, family: &Family<'_>| {
            range.filter(|index| is_first(*index, family)).count()
        };
        let all = family.records.len();
        let pairs = [firsts(0..of_a, family), firsts(of_a..all, family)];
        if rules.consensus_overlaps && (least[2] == 0 || (of_a > 0 && of_a < all)) {
            family.correct_overlaps();
        }
        if !is_enough(least, pairs[0], pairs[1]) {
            return Ok(());
        }
        // First reads of A and second ones of B are of one end of the molecule.
        let end_of = |index: usize, family: &Family<'_>| {
            let flags = family.records[index].flags();
            let is_second = flags & (flag::READ1 | flag::READ2) == flag::READ2;
            match (is_first(index, family), is_second) {
                (true, _) => Some(usize::from(index >= of_a)),
                (_, true) => Some(usize::from(index < of_a)),
                _ => None,
            }
        };
        let mut ends = [Vec::new(), Vec::new()];
        for index in 0..all {
            if let Some(end) = end_of(index, family) {
                ends[end].push(index);
            }
        }
        // Ordered by read, then strand, as fgbio has them.
        if of_a > 0 && of_a < all {
            let is_reverse = |index: &usize| family.records[*index].flags() & flag::REVERSE != 0;
            let is_mixed =
                |end: &Vec<usize>| end.iter().any(|index| is_reverse(index) != is_reverse(&end[0]));
            if ends.iter().any(is_mixed) {
                return Ok(());
            }
        }
        let mut called = Vec::new();
        for end in ends {
            let mut reads = Vec::with_capacity(end.len());
            for index in end {
                let read = family.source(index, self.read_rules(), rules.max_reads.is_some())?;
                if let Some(read) = read {
                    check_mates(family, std::slice::from_ref(&read))?;
                    reads.push(read);
                }
            }
            keep_most_common(&mut reads);
            let (a, b): (Vec<SourceRead>, Vec<SourceRead>) =
                reads.into_iter().partition(|read| read.index < of_a);
            called.push([a, b]);
        }
        let [Some(second), Some(one)] = [called.pop(), called.pop()] else { return Ok(()) };
        let mut consensus = |reads: &[SourceRead]| {
            let reads = capped(reads, rules.max_reads);
            (!reads.is_empty()).then(|| callers.strand.call(&reads))
        };
        let found = [&one, &second].map(|end| [consensus(&end[0]), consensus(&end[1])]);
        let (duplexes, sources): ([Option<DuplexConsensus>; 2], [[&[SourceRead]; 2]; 2]) =
            match found {
                [[Some(a1), Some(b2)], [Some(a2), Some(b1)]] => {
                    let both = |end: &'_ [Vec<SourceRead>; 2]| {
                        end.iter().flatten().cloned().collect::<Vec<_>>()
                    };
                    let (reads, others) = (both(&one), both(&second));
                    let duplexes = [
                        DuplexConsensus::of_both(a1, b2, reads.iter()),
                        DuplexConsensus::of_both(a2, b1, others.iter()),
                    ];
                    (duplexes, [[&one[0][..], &one[1]], [&second[0], &second[1]]])
                }
                [[Some(a1), None], [Some(a2), None]] if least[2] == 0 => {
                    let duplexes = [a1, a2].map(alone);
                    (duplexes, [[&one[0][..], &[]], [&second[0], &[]]])
                }
                // The first reads of B alone are first ones.
                [[None, Some(b2)], [None, Some(b1)]] if least[2] == 0 => {
                    let duplexes = [b1, b2].map(alone);
                    (duplexes, [[&[][..], &second[1]], [&[], &one[1]]])
                }
                _ => return Ok(()),
            };
        let [Some(one), Some(second)] = duplexes else { return Ok(()) };
        if !(one.has_enough(least) && second.has_enough(least)) {
            return Ok(());
        }
        let cell = text_of(&family.records[0], *b"CB");
        let kinds = [ReadKind::First, ReadKind::Second];
        for ((duplex, sources), kind) in [one, second].iter().zip(sources).zip(kinds) {
            let maker = self.maker;
            let parts = (&duplex.bases[..], &duplex.qualities[..]);
            let name = (&maker.prefix[..], molecule);
            let mut record = ConsensusRecord::new(&mut callers.room, name, kind, parts);
            record.text(*b"MI", molecule);
            if let Some(cell) = cell {
                record.text(*b"CB", cell);
            }
            record.text(*b"RG", &maker.rules.read_group);
            record.duplex(duplex, maker.rules.per_base_tags);
            let mut umis: Vec<Vec<u8>> = Vec::new();
            for read in sources.into_iter().flatten() {
                let of = &family.records[read.index];
                let Some(umi) = text_of(of, *b"RX") else { continue };
                umis.push(match read.is_first == (kind == ReadKind::First) {
                    true => umi.to_vec(),
                    false => turned(umi),
                });
            }
            record.umi(&mut callers.umis, &umis, &first)?;
            put(record.end()?, self)?;
        }
        Ok(())
    }
}

fn alone(strand: strand::StrandConsensus) -> Option<DuplexConsensus> {
    let has_bases = strand.depths.iter().any(|depth| *depth > 0);
    has_bases.then(|| DuplexConsensus::of_one(strand))
}

/// As many reads as may be used, those with the lowest ranks.
fn capped(reads: &[SourceRead], most: Option<usize>) -> Vec<SourceRead> {
    let mut reads = reads.to_vec();
    if let Some(most) = most.filter(|most| reads.len() > *most) {
        reads.sort_by_key(|read| read.rank);
        reads.truncate(most);
    }
    reads
}

/// The parts of a UMI in the opposite order.
fn turned(umi: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = umi.split(|byte| *byte == b'-').collect();
    parts.reverse();
    parts.join(&b'-')
}

/// An error if the CIGAR of a mate is needed and isn't there.
fn check_mates(family: &Family<'_>, reads: &[SourceRead]) -> Result<(), bam::Error> {
    match reads.iter().find(|read| read.lacks_mate) {
        None => Ok(()),
        Some(read) => Err(family.records[read.index].ungroupable(
            "the CIGAR of its mate is needed, but it has no tag MC and the mate isn't in its molecule",
        )),
    }
}

/// The text in a tag.
fn text_of<'r>(record: &Record<'r>, name: [u8; 2]) -> Option<&'r [u8]> {
    record.tags().find(|tag| tag.name == name && tag.kind == b'Z').and_then(|tag| tag.as_text())
}
