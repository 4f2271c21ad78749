//! Reads of many samples to files of each, by barcodes in the reads, in index reads or in header lines.
//!
//! A [`ReadStructure`] of each input says what its bases are, a [`Sheet`] has the samples, a [`Matcher`] finds the sample of a
//! barcode; [`Demux`] puts them together. The rules and the texts are those of fqtk.

mod barcode;
mod ends;
mod header;
mod matcher;
mod pairs;
mod regions;
mod sheet;
mod structure;
mod unknown;

use std::ops::Range;

use biofast_fastq::pair::MateNaming;
use biofast_fastq::{Record, Refusal};

use crate::change::grep::reverse_complement;
use crate::measure::records::{Checksum, Sum};

pub use barcode::LONGEST_BARCODE;
pub use ends::{EndSearch, RequiredEnds, SampleByEnds};
pub use header::{BarcodePlace, UmiPlace};
pub use matcher::{BarcodeError, MatchRules, Matcher};
pub use pairs::IndexPairs;
pub use regions::BarcodeRegions;
pub use sheet::{Sample, Sheet, SheetError};
pub use structure::{ReadStructure, Segment, SegmentKind, StructureError};
pub use unknown::Unknown;

/// Of so many reads at the start the barcodes of no sample are counted, unless [another number](Demux::count_unknown) is asked for.
pub const LOOKED_AT: u64 = 200_000;

/// What becomes of reads that are too short for their structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TooShort {
    /// They are an error.
    #[default]
    Refuse,
    /// They and their mates are left out, and counted.
    Skip,
}

/// Where an output's reads come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputSegment {
    /// Which input, counted from 0.
    pub input: usize,
    /// Which part of its reads.
    pub segment: Segment,
    /// Which one of its kind it is, counted from 1: the number of the mate, for templates.
    pub number: usize,
}

/// Why reads can't be demultiplexed in this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The barcodes of reads have another length than those of samples.
    #[error("barcodes have {read} bases in the read structures but {expected} in the sample sheet")]
    Length {
        /// In reads.
        read: usize,
        /// Of samples.
        expected: usize,
    },
    /// There is no barcode in the reads.
    #[error("no read structure has a barcode (B)")]
    NoBarcode,
    /// No output would have reads: no structure has a segment of this kind.
    #[error("no read structure has a segment {}", .0.letter())]
    Nothing(SegmentKind),
    /// The read structures of a sample can't be obeyed.
    #[error("the read structure of sample {}: {why}", .sample + 1)]
    Sample {
        /// Which one, counted from 0.
        sample: usize,
        /// Why.
        why: String,
    },
}

/// How reads go to samples.
///
/// ```
/// use biofast_fastq::Transform;
/// use biofast_io::output::{self, Output};
/// use biofast_io::Source;
/// use biofast_ops::demux::{Demux, MatchRules, Matcher, Sample, SegmentKind};
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-demux-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let samples = [Sample::new("s1", "ACGT"), Sample::new("s2", "GGAA")];
/// let matcher = Matcher::new(&samples, MatchRules::default())?;
/// // Four bases of barcode, two of UMI, then the template.
/// let demux = Demux::new(matcher, vec!["4B2M+T".parse()?], &[SegmentKind::Template])?;
/// let mut outputs = Vec::new();
/// for name in ["s1", "s2", "unmatched"] {
///     outputs.push(Output::create_with(&folder.join(name), Default::default())?);
/// }
/// let reads = Source::from_reader(
///     "example",
///     &b"@a\nACGTCCTTT\n+\nIIIIIIIII\n@b\nTTTTTTTTT\n+\nIIIIIIIII\n"[..],
/// );
/// let worker = Transform::new(vec![reads]).run(
///     &mut outputs,
///     || demux.worker(),
///     |worker, number, records, texts| worker.apply(number, records, texts),
///     |worker, other| worker.merge(other),
/// )?;
/// output::commit(outputs, false)?;
/// assert_eq!(worker.finish().templates, [1, 0, 1]);
/// assert_eq!(std::fs::read(folder.join("s1"))?, b"@a:CC 1:N:0:ACGT\nTTT\n+\nIII\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Demux {
    matcher: Matcher,
    structures: Vec<ReadStructure>,
    /// Where barcodes are compared, if that isn't where the structures have them.
    regions: Option<BarcodeRegions>,
    /// What is written of each read, one output a sample each.
    pieces: Vec<OutputSegment>,
    header_barcodes: bool,
    turned: u32,
    parts: Vec<usize>,
    umi_place: UmiPlace,
    barcode_place: BarcodePlace,
    too_short: TooShort,
    /// Samples whose reads have structures of their own.
    own: Vec<Option<SampleLayout>>,
    mates: MateNaming,
    /// What looks for barcodes at the ends of reads, instead of where the structures have them.
    ends: Option<EndSearch>,
    /// Indexes that are looked for one by one where a barcode belongs to no sample.
    index_pairs: Option<IndexPairs>,
    counted: u64,
}

/// What reads of a sample are.
#[derive(Debug)]
struct SampleLayout {
    structures: Vec<ReadStructure>,
    pieces: Vec<OutputSegment>,
}

impl Demux {
    /// Reads of these structures, of which segments of these kinds are written.
    ///
    /// # Errors
    /// If barcodes have another length than the samples' have, or nothing would be written.
    pub fn new(
        matcher: Matcher,
        structures: Vec<ReadStructure>,
        kinds: &[SegmentKind],
    ) -> Result<Demux, PlanError> {
        Demux::with(matcher, structures, kinds, false, &[])
    }

    /// The same where samples have barcodes of different lengths or at different positions: the `matcher` is of samples that were
    /// [placed](BarcodeRegions::place) in these regions, and [`sample_structures`](Demux::sample_structures) says what their reads are.
    ///
    /// # Errors
    /// If nothing would be written.
    pub fn of_regions(
        matcher: Matcher,
        structures: Vec<ReadStructure>,
        kinds: &[SegmentKind],
        regions: BarcodeRegions,
    ) -> Result<Demux, PlanError> {
        let pieces = pieces(&structures, kinds).map_err(PlanError::Nothing)?;
        let parts = regions.lens().collect();
        Ok(Demux { regions: Some(regions), ..Demux::of(matcher, structures, pieces, parts) })
    }

    /// Reads of one input whose barcodes are at their ends, and are cut off. The `matcher` is of the same samples.
    pub fn of_ends(matcher: Matcher, ends: EndSearch) -> Demux {
        let structures = vec![ReadStructure::template()];
        let pieces = pieces(&structures, &[SegmentKind::Template]).unwrap_or_default();
        Demux { ends: Some(ends), ..Demux::of(matcher, structures, pieces, Vec::new()) }
    }

    /// The same where the first read's header line has barcodes, too, before those of reads. `parts` are the numbers of bases of the
    /// header's barcodes, or all that are known.
    ///
    /// # Errors
    /// As [`new`](Demux::new).
    pub fn of_headers(
        matcher: Matcher,
        structures: Vec<ReadStructure>,
        kinds: &[SegmentKind],
        parts: &[usize],
    ) -> Result<Demux, PlanError> {
        Demux::with(matcher, structures, kinds, true, parts)
    }

    fn with(
        matcher: Matcher,
        structures: Vec<ReadStructure>,
        kinds: &[SegmentKind],
        header_barcodes: bool,
        header_parts: &[usize],
    ) -> Result<Demux, PlanError> {
        let segments = || structures.iter().flat_map(ReadStructure::segments);
        let barcodes: Vec<Segment> =
            segments().filter(|segment| segment.kind == SegmentKind::Barcode).copied().collect();
        if barcodes.is_empty() && !header_barcodes && matcher.barcode_len() > 0 {
            return Err(PlanError::NoBarcode);
        }
        let fixed: Option<usize> = barcodes.iter().map(|segment| segment.len).sum();
        let expected = matcher.barcode_len();
        if let Some(read) =
            fixed.filter(|&read| if header_barcodes { read > expected } else { read != expected })
        {
            return Err(PlanError::Length { read, expected });
        }
        let pieces = pieces(&structures, kinds).map_err(PlanError::Nothing)?;
        let known = header_parts.iter().copied();
        let parts = known.chain(barcodes.iter().map_while(|segment| segment.len)).collect();
        Ok(Demux { header_barcodes, ..Demux::of(matcher, structures, pieces, parts) })
    }

    fn of(
        matcher: Matcher,
        structures: Vec<ReadStructure>,
        pieces: Vec<OutputSegment>,
        parts: Vec<usize>,
    ) -> Demux {
        Demux {
            matcher,
            structures,
            regions: None,
            pieces,
            header_barcodes: false,
            turned: 0,
            parts,
            umi_place: UmiPlace::default(),
            barcode_place: BarcodePlace::default(),
            too_short: TooShort::default(),
            own: Vec::new(),
            mates: MateNaming::Strict,
            ends: None,
            index_pairs: None,
            counted: LOOKED_AT,
        }
    }

    /// Counts the pairs of known indexes that belong to no sample.
    #[must_use]
    pub fn index_pairs(mut self, pairs: Option<IndexPairs>) -> Demux {
        self.index_pairs = pairs;
        self
    }

    /// Counts the barcodes of no sample of the first so many reads.
    #[must_use]
    pub fn count_unknown(mut self, reads: u64) -> Demux {
        self.counted = reads;
        self
    }

    /// Of how many reads at the start the barcodes of no sample are counted.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// The pairs of indexes that are counted.
    pub fn pairs(&self) -> Option<&IndexPairs> {
        self.index_pairs.as_ref()
    }

    /// Gives samples read structures of their own: for each sample, in order, one for each input, or none. Their
    /// barcodes must be at the same positions as in all other reads, because the sample isn't known before the barcode
    /// has been read, or in [regions](Demux::of_regions).
    ///
    /// # Errors
    /// If they don't fit the plan.
    pub fn sample_structures(mut self, all: Vec<Vec<ReadStructure>>) -> Result<Demux, PlanError> {
        let mut kinds: Vec<SegmentKind> =
            self.pieces.iter().map(|piece| piece.segment.kind).collect();
        kinds.dedup();
        let barcodes = |structure: &ReadStructure| -> Vec<Segment> {
            let segments = structure.segments().iter();
            segments.filter(|segment| segment.kind == SegmentKind::Barcode).copied().collect()
        };
        for (sample, structures) in all.into_iter().enumerate() {
            if structures.is_empty() || structures == self.structures {
                self.own.push(None);
                continue;
            }
            let wrong = |why: String| PlanError::Sample { sample, why };
            if structures.len() != self.structures.len() {
                let (own, inputs) = (structures.len(), self.structures.len());
                return Err(wrong(format!("{own} structures for {inputs} inputs")));
            }
            for (own, general) in structures.iter().zip(&self.structures) {
                if self.regions.is_none() && barcodes(own) != barcodes(general) {
                    let why = "barcodes (B) must be at the same positions in all reads";
                    return Err(wrong(format!("{own} instead of {general}: {why}")));
                }
            }
            let pieces = pieces(&structures, &kinds).unwrap_or_default();
            let is_same = pieces.len() == self.pieces.len()
                && pieces.iter().zip(&self.pieces).all(|(own, general)| {
                    (own.segment.kind, own.number) == (general.segment.kind, general.number)
                });
            if !is_same {
                let why = "it writes different numbers of segments than the others";
                return Err(wrong(why.into()));
            }
            self.own.push(Some(SampleLayout { structures, pieces }));
        }
        Ok(self)
    }

    /// Compares the second part of barcodes on the other strand, where sequencers read the second index so.
    #[must_use]
    pub fn turn_second(mut self, turn: bool) -> Demux {
        self.turned = if turn { 2 } else { 0 };
        self
    }

    /// What makes mates, whose names get UMIs before what tells one from the other.
    #[must_use]
    pub fn mates(mut self, mates: MateNaming) -> Demux {
        self.mates = mates;
        self
    }

    /// Where UMIs go.
    #[must_use]
    pub fn umi_place(mut self, place: UmiPlace) -> Demux {
        self.umi_place = place;
        self
    }

    /// Where barcodes go.
    #[must_use]
    pub fn barcode_place(mut self, place: BarcodePlace) -> Demux {
        self.barcode_place = place;
        self
    }

    /// What becomes of reads that are too short.
    #[must_use]
    pub fn too_short(mut self, too_short: TooShort) -> Demux {
        self.too_short = too_short;
        self
    }

    /// What a sample's outputs hold, in their order. The outputs of all samples follow each other in the order of the sheet, and those
    /// of unmatched reads come last.
    pub fn pieces(&self) -> &[OutputSegment] {
        &self.pieces
    }

    /// What finds samples.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// The bases of each part of a barcode, as far as they are known.
    pub fn parts(&self) -> &[usize] {
        &self.parts
    }

    /// Of the barcodes that belong to no sample, how many reads' would belong to one if some of their parts were read on the other
    /// strand: the best choice of parts, and its reads. `None` if it would be none.
    pub fn turned_would_match(&self, unknown: &Unknown) -> Option<(Vec<usize>, u64)> {
        let number = self.parts.len().min(4) as u32;
        let choices = (1..1u32 << number)
            .map(|which| (unknown.turned(&self.matcher, &self.parts, which), which));
        // Of the same number the one that turns less.
        let (reads, which) =
            choices.max_by_key(|&(reads, which)| (reads, u32::MAX - which.count_ones()))?;
        (reads > 0).then(|| {
            ((0..number as usize).filter(|part| which & (1 << part) != 0).collect(), reads)
        })
    }

    /// What a thread does it with.
    pub fn worker(&self) -> DemuxWorker<'_> {
        let samples = self.matcher.samples() + 1;
        DemuxWorker {
            demux: self,
            tally: DemuxTally {
                input: vec![Sum::default(); self.structures.len()],
                written: vec![Sum::default(); samples * self.pieces.len()],
                templates: vec![0; samples],
                skipped: 0,
                ends: [0; 3],
                hopped: vec![0; self.index_pairs.as_ref().map_or(0, IndexPairs::len)],
                unknown: Unknown::default(),
                misfits: 0,
                first_misfit: None,
            },
            barcode: Vec::new(),
            turned: Vec::new(),
            definition: Vec::new(),
        }
    }
}

/// What is written of reads of these structures: segments of these kinds. An error if there are none of a kind.
fn pieces(
    structures: &[ReadStructure],
    kinds: &[SegmentKind],
) -> Result<Vec<OutputSegment>, SegmentKind> {
    let mut pieces = Vec::new();
    for &kind in kinds {
        let mut number = 0;
        for (input, structure) in structures.iter().enumerate() {
            for &segment in structure.segments().iter().filter(|segment| segment.kind == kind) {
                number += 1;
                pieces.push(OutputSegment { input, segment, number });
            }
        }
        if number == 0 {
            return Err(kind);
        }
    }
    Ok(pieces)
}

/// A read whose barcode can't be that of any sample, as it has another length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The number of the read, counted from 0.
    pub number: u64,
    /// Its header line.
    pub definition: Vec<u8>,
    /// The bases of its barcode.
    pub bases: usize,
}

/// What became of reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemuxTally {
    /// Number and checksum of the reads of each input.
    pub input: Vec<Sum>,
    /// Of each output.
    pub written: Vec<Sum>,
    /// Templates (reads that have a name in common) of each sample, and of none.
    pub templates: Vec<u64>,
    /// Templates left out, as a read was too short.
    pub skipped: u64,
    /// Reads of samples with a barcode at the start only, at the end only, and at both [ends](Demux::of_ends).
    pub ends: [u64; 3],
    /// Templates of no sample with each pair of known indexes, by its [number](IndexPairs::number).
    pub hopped: Vec<u64>,
    /// Barcodes of no sample.
    pub unknown: Unknown,
    /// Templates whose barcodes have another length than those of samples.
    pub misfits: u64,
    /// The first of them.
    pub first_misfit: Option<Misfit>,
}

/// Gives the reads of one number after the other to samples.
pub struct DemuxWorker<'d> {
    demux: &'d Demux,
    tally: DemuxTally,
    barcode: Vec<u8>,
    turned: Vec<u8>,
    definition: Vec<u8>,
}

/// Parts of barcodes or UMIs that are in all reads of a number; more are put together on the heap.
const FEW: usize = 8;

/// Some parts of reads.
#[derive(Default)]
struct ReadSegments<'r> {
    few: [&'r [u8]; FEW],
    number: usize,
    more: Vec<&'r [u8]>,
}

impl<'r> ReadSegments<'r> {
    fn push(&mut self, part: &'r [u8]) {
        match self.few.get_mut(self.number) {
            Some(place) if self.more.is_empty() => *place = part,
            _ => {
                if self.more.is_empty() {
                    self.more.extend_from_slice(&self.few);
                }
                self.more.push(part);
            }
        }
        self.number += 1;
    }

    fn as_slice(&self) -> &[&'r [u8]] {
        if self.more.is_empty() { &self.few[..self.number] } else { &self.more }
    }
}

/// The refusal of the first read that is shorter than its structure.
fn too_short(records: &[Record<'_>], structures: &[ReadStructure]) -> Option<Refusal> {
    for (input, (record, structure)) in records.iter().zip(structures).enumerate() {
        let (bases, shortest) = (record.sequence().len(), structure.shortest());
        if bases < shortest {
            let name = biofast_io::Shown(record.name());
            let reason = format!(
                "{name} has {bases} bases, but read structure {structure} needs {shortest}"
            );
            return Some(Refusal { input, reason });
        }
    }
    None
}

/// Appends a part of a read with this header line.
fn append(text: &mut Vec<u8>, definition: &[u8], record: &Record<'_>, part: Range<usize>) -> Sum {
    let (sequence, qualities) = (&record.sequence()[part.clone()], &record.qualities()[part]);
    let written = Record::new(definition, sequence, qualities);
    text.push(b'@');
    text.extend_from_slice(definition);
    text.push(b'\n');
    text.extend_from_slice(sequence);
    text.extend_from_slice(b"\n+\n");
    text.extend_from_slice(qualities);
    text.push(b'\n');
    Sum { records: 1, checksum: Checksum::of(&written) }
}

/// The barcodes and UMIs of reads of these structures.
fn barcodes_and_umis<'r>(
    records: &[Record<'r>],
    structures: &[ReadStructure],
) -> (ReadSegments<'r>, ReadSegments<'r>) {
    let (mut barcodes, mut umis) = (ReadSegments::default(), ReadSegments::default());
    for (record, structure) in records.iter().zip(structures) {
        for segment in structure.segments() {
            let parts = match segment.kind {
                SegmentKind::Barcode => &mut barcodes,
                SegmentKind::Umi => &mut umis,
                SegmentKind::Template | SegmentKind::Cell | SegmentKind::Skip => continue,
            };
            parts.push(&record.sequence()[segment.of(record.sequence().len())]);
        }
    }
    (barcodes, umis)
}

impl DemuxWorker<'_> {
    /// Appends the reads of a number, one of each input, to the texts of their sample.
    ///
    /// # Errors
    /// If one has fewer bases than its structure needs, unless such reads are left out.
    pub fn apply(
        &mut self,
        number: u64,
        records: &[Record<'_>],
        texts: &mut [Vec<u8>],
    ) -> Result<(), Refusal> {
        let DemuxWorker { demux, tally, barcode, turned, definition } = self;
        for (sum, record) in tally.input.iter_mut().zip(records) {
            sum.add(Sum { records: 1, checksum: Checksum::of(record) });
        }
        if let Some(ends) = &demux.ends {
            if let [record] = records {
                let found = ends.find(record.sequence(), turned);
                let whole = 0..record.sequence().len();
                let (sample, inner) = match found {
                    Some(SampleByEnds { sample, inner, ends }) => {
                        tally.ends[usize::from(ends[1]) * (1 + usize::from(ends[0]))] += 1;
                        (sample, inner)
                    }
                    None => (demux.matcher.samples(), whole),
                };
                tally.templates[sample] += 1;
                if let Some(text) = texts.get_mut(sample) {
                    let sum = append(text, record.definition(), record, inner);
                    tally.written[sample].add(sum);
                }
            }
            return Ok(());
        }
        if let Some(refusal) = too_short(records, &demux.structures) {
            if demux.too_short == TooShort::Skip {
                tally.skipped += 1;
                return Ok(());
            }
            return Err(refusal);
        }
        let (mut barcodes, mut umis) = barcodes_and_umis(records, &demux.structures);
        barcode.clear();
        let mut part_number = 0;
        let mut add = |part: &[u8]| {
            if demux.turned & (1 << part_number) != 0 {
                reverse_complement(part, turned);
                barcode.extend_from_slice(turned);
            } else {
                barcode.extend_from_slice(part);
            }
            // Those that may be turned are the first ones.
            part_number = (part_number + 1).min(31);
        };
        if let Some(first) = records.first().filter(|_| demux.header_barcodes) {
            header::barcodes(first).for_each(&mut add);
        }
        match &demux.regions {
            Some(regions) => regions.append(records, barcode),
            None => barcodes.as_slice().iter().for_each(|part| add(part)),
        }
        let found = demux.matcher.find(barcode);
        if found.is_none() && number < demux.counted {
            tally.unknown.add(barcode);
        }
        if found.is_none()
            && let Some(pairs) = &demux.index_pairs
            && let Some((first, second)) = pairs.find(barcode)
            && pairs.sample(first, second).is_none()
        {
            tally.hopped[pairs.number(first, second)] += 1;
        }
        if barcode.len() != demux.matcher.barcode_len() && demux.matcher.barcode_len() > 0 {
            tally.misfits += 1;
            let first = records.first().map_or(&[][..], |record| record.definition());
            if tally.first_misfit.as_ref().is_none_or(|misfit| number < misfit.number) {
                let (definition, bases) = (first.to_vec(), barcode.len());
                tally.first_misfit = Some(Misfit { number, definition, bases });
            }
        }
        let sample = found.unwrap_or(demux.matcher.samples());
        let is_numbered = demux.mates == MateNaming::Names
            && records.iter().any(|record| record.name() != records[0].name());
        let mut pieces = &demux.pieces;
        if let Some(own) = demux.own.get(sample).and_then(Option::as_ref) {
            if let Some(refusal) = too_short(records, &own.structures) {
                if demux.too_short == TooShort::Skip {
                    tally.skipped += 1;
                    return Ok(());
                }
                return Err(refusal);
            }
            pieces = &own.pieces;
            (barcodes, umis) = barcodes_and_umis(records, &own.structures);
        }
        // The description stays, unless a tag takes its place: those of the header are in it, too.
        if let Some(first) = records.first()
            && demux.header_barcodes
            && demux.barcode_place == BarcodePlace::Tag
        {
            let mut all = ReadSegments::default();
            header::barcodes(first).for_each(|part| all.push(part));
            barcodes.as_slice().iter().for_each(|part| all.push(part));
            barcodes = all;
        }
        tally.templates[sample] += 1;
        for (place, piece) in (sample * demux.pieces.len()..).zip(pieces) {
            let (Some(record), Some(text)) = (records.get(piece.input), texts.get_mut(place))
            else {
                continue;
            };
            let part = piece.segment.of(record.sequence().len());
            definition.clear();
            let added = header::Additions {
                umis: umis.as_slice(),
                barcodes: barcodes.as_slice(),
                mate: piece.number,
                is_numbered,
                umi_place: demux.umi_place,
                barcode_place: demux.barcode_place,
            };
            header::append(definition, record, &added);
            tally.written[place].add(append(text, definition, record, part));
        }
        Ok(())
    }

    /// Adds what another worker did.
    pub fn merge(&mut self, other: Self) {
        let DemuxTally {
            input,
            written,
            templates,
            skipped,
            ends,
            hopped,
            unknown,
            misfits,
            first_misfit,
        } = other.tally;
        let tally = &mut self.tally;
        tally.input.iter_mut().zip(input).for_each(|(sum, other)| sum.add(other));
        tally.written.iter_mut().zip(written).for_each(|(sum, other)| sum.add(other));
        tally.templates.iter_mut().zip(templates).for_each(|(count, other)| *count += other);
        tally.skipped += skipped;
        tally.ends.iter_mut().zip(ends).for_each(|(count, other)| *count += other);
        tally.hopped.iter_mut().zip(hopped).for_each(|(count, other)| *count += other);
        tally.unknown.merge(unknown);
        tally.misfits += misfits;
        let both = [tally.first_misfit.take(), first_misfit];
        tally.first_misfit = both.into_iter().flatten().min_by_key(|misfit| misfit.number);
    }

    /// What became of the reads.
    pub fn finish(self) -> DemuxTally {
        self.tally
    }
}
