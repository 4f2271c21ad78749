//! Records as a container of one slice (CRAM specification, sections 7, 8 and 10).

use std::io;

use super::choices::Choosing;
use super::codec::{Codecs, Kit, put_raw_block};
use super::columns::{Columns, EMBEDDED};
use super::extent::{self, Extent};
use super::features::{self, DerivedTags, Stretch};
use super::header::ContainerStart;
use super::pairs::{self, Mate};
use super::reference::{Stretches, WriterReference};
use crate::cram::bytes::{put_itf8, put_ltf8};
use crate::cram::container::{COMPRESSION_HEADER, CORE, SLICE_HEADER};
use crate::cram::encoding::{Series, TagKey};
use crate::cram::record::{DETACHED, KEPT, MATE_DOWNSTREAM, NO_SEQUENCE, QUALITIES, SEVERAL};
use crate::cram::reference::md5;
use crate::cram_options::Losses;
use crate::flag::{MATE_REVERSE, MATE_UNMAPPED, PAIRED, REVERSE, UNMAPPED};
use crate::record::{Record, record_at};

/// What is stored of FLAG.
const FLAGS: u16 = 0xfff;

/// Records that become a container.
pub(super) struct SliceRecords {
    /// As BAM stores them.
    pub(super) bytes: Vec<u8>,
    /// Where each starts.
    pub(super) starts: Vec<u32>,
    /// How many come before in the file.
    pub(super) counter: u64,
    /// How it is decided how blocks are compressed.
    pub(super) choosing: Choosing,
}

/// What a container is to be stored with.
pub(super) struct SlicePlan {
    pub(super) reference: WriterReference,
    /// The read groups of the header, each at its index.
    pub(super) read_groups: Vec<Vec<u8>>,
}

/// A container, ready to be written.
#[derive(Debug, Default)]
pub(super) struct EncodedContainer {
    pub(super) bytes: Vec<u8>,
    /// Of each reference, in the order of references.
    pub(super) extents: Vec<Extent>,
    /// Where the slice starts behind the container's header, and its bytes.
    pub(super) slice: (usize, usize),
    pub(super) losses: Losses,
}

/// Makes a container of records. An error is that of the reference.
pub(super) fn encode(
    records: &SliceRecords,
    plan: &SlicePlan,
    kit: &mut Kit,
    columns: &mut Columns,
) -> io::Result<EncodedContainer> {
    columns.clear();
    let views: Vec<Record<'_>> =
        records.starts.iter().map(|&start| record_at(&records.bytes, start)).collect();
    let ends: Vec<i64> = views.iter().map(last_position).collect();
    let extents = extent::of(&views, &ends);
    let reference = match &extents[..] {
        [one] => one.reference,
        _ => SEVERAL,
    };
    let stretches = plan.reference.stretches(&extents)?;
    let mates = pairs::find(&views, |at| ends[at]);
    let is_sorted = views.is_sorted_by_key(Record::position);
    let delta = reference >= 0 && is_sorted;
    let first = extents.first().filter(|_| reference >= 0);
    let (start, span) =
        first.map_or((0, 0), |extent| (extent.start, extent.end + 1 - extent.start));

    let mut slice = SliceEncoder {
        plan,
        columns,
        reference,
        last_start: if delta { start } else { 0 },
        delta,
        letters: Vec::new(),
        own_reference: Vec::new(),
        derived: DerivedTags::default(),
        tags: Vec::new(),
        losses: Losses::default(),
        bases: 0,
    };
    for (record, mate) in views.iter().zip(&mates) {
        slice.put(record, *mate, &stretches)?;
    }
    let SliceEncoder { columns, losses, bases, .. } = slice;

    let mut blocks = Vec::new();
    // What is embedded needn't be there otherwise.
    let needs_reference = plan.reference.is_there() && !plan.reference.is_embedded();
    let header = columns.compression_header(delta, needs_reference);
    put_raw_block(COMPRESSION_HEADER, &header, &mut blocks);
    let slice_at = blocks.len();
    let mut codecs = Codecs::new(kit, records.choosing.known());
    columns.blocks(&mut codecs);
    let known = stretches.of(reference);
    let embedded = known.filter(|_| plan.reference.is_embedded()).map(|known| {
        // As long as the slice, whatever the sequence.
        let mut bases = known.bases.to_vec();
        bases.resize(span as usize, b'N');
        codecs.bytes(EMBEDDED, &bases);
        bases
    });
    let Codecs { out: external, ids, choices, .. } = codecs;
    records.choosing.tell(choices);
    let mut header = Vec::new();
    put_itf8(reference, &mut header);
    put_itf8(start as i32, &mut header);
    put_itf8(span as i32, &mut header);
    put_itf8(views.len() as i32, &mut header);
    put_ltf8(records.counter as i64, &mut header);
    put_itf8(1 + ids.len() as i32, &mut header);
    put_itf8(ids.len() as i32, &mut header);
    ids.iter().for_each(|&id| put_itf8(id, &mut header));
    put_itf8(if embedded.is_some() { EMBEDDED } else { -1 }, &mut header);
    let compared = embedded.as_deref().or(known.map(|known| known.bases));
    header.extend(compared.map_or([0; 16], md5));
    put_raw_block(SLICE_HEADER, &header, &mut blocks);
    put_raw_block(CORE, &[], &mut blocks);
    blocks.extend(external);

    let mut bytes = Vec::with_capacity(blocks.len() + 64);
    let before = ContainerStart {
        reference,
        start,
        span,
        records: views.len(),
        counter: records.counter,
        bases,
        blocks: 3 + ids.len(),
        landmark: slice_at,
    };
    before.put(blocks.len(), &mut bytes);
    let slice = (slice_at, blocks.len() - slice_at);
    if columns.held() > KEPT {
        *columns = Columns::default();
    }
    bytes.extend(blocks);
    Ok(EncodedContainer { bytes, extents, slice, losses })
}

/// The last position that a record covers, counted from 1, as readers of CRAM count it.
fn last_position(record: &Record<'_>) -> i64 {
    record.alignment_end()
}

struct SliceEncoder<'a, 'r> {
    plan: &'a SlicePlan,
    columns: &'a mut Columns,
    reference: i32,
    last_start: i64,
    delta: bool,
    letters: Vec<u8>,
    /// The bases that one record is aligned to, where they are far apart.
    own_reference: Vec<u8>,
    derived: DerivedTags,
    tags: Vec<(TagKey, &'r [u8])>,
    losses: Losses,
    bases: u64,
}

impl<'r> SliceEncoder<'_, 'r> {
    fn put(&mut self, record: &Record<'r>, mate: Mate, stretches: &Stretches) -> io::Result<()> {
        let flags = record.flags();
        self.losses.flags += u64::from(flags & !FLAGS != 0);
        let is_mapped = flags & UNMAPPED == 0;
        let len = match record.sequence_len() {
            // The CIGAR of an unmapped read isn't stored.
            0 if is_mapped => record.cigar().read_len() as usize,
            len => len,
        };
        let has_bases = record.sequence_len() > 0;
        let has_qualities = has_bases && record.qualities().first() != Some(&0xff);
        self.bases += len as u64;
        let columns = &mut *self.columns;
        columns.number(Series::BF, i32::from(flags & FLAGS));
        let how = match mate {
            Mate::Detached => DETACHED,
            Mate::Downstream(_) => MATE_DOWNSTREAM,
            Mate::Upstream => 0,
        };
        let of = |flag: i32, is_set: bool| if is_set { flag } else { 0 };
        let how = how | of(QUALITIES, has_qualities) | of(NO_SEQUENCE, !has_bases);
        columns.number(Series::CF, how);
        if self.reference == SEVERAL {
            columns.number(Series::RI, record.reference_id());
        }
        columns.number(Series::RL, len as i32);
        let start = i64::from(record.position()) + 1;
        // Both are positions, so that their difference has 32 bits.
        columns.number(Series::AP, if self.delta { start - self.last_start } else { start } as i32);
        if self.delta {
            self.last_start = start;
        }
        let group = self.read_group(record);
        let columns = &mut *self.columns;
        columns.number(Series::RG, group.unwrap_or(-1));
        let names = columns.bytes(Series::RN);
        names.extend_from_slice(record.name());
        names.push(0);
        match mate {
            Mate::Detached => {
                let is_paired = flags & PAIRED != 0;
                self.losses.mates += u64::from(!is_paired && record.mate_reference_id() >= 0);
                let of = |flag: i32, bit: u16| if is_paired && flags & bit != 0 { flag } else { 0 };
                columns.number(Series::MF, of(1, MATE_REVERSE) | of(2, MATE_UNMAPPED));
                columns.number(Series::NS, record.mate_reference_id());
                columns.number(Series::NP, record.mate_position().wrapping_add(1));
                columns.number(Series::TS, record.template_len());
            }
            Mate::Downstream(distance) => columns.number(Series::NF, distance as i32),
            Mate::Upstream => {}
        }
        self.letters.clear();
        match has_bases {
            true => record.sequence().append_to(&mut self.letters),
            false => self.letters.resize(len, b'N'),
        }
        if is_mapped {
            // Tags come before features, and which are stored depends on these.
            let mut known = stretches.of(record.reference_id());
            if known.is_none() && self.plan.reference.is_there() {
                self.plan.reference.stretch_of(record, &mut self.own_reference)?;
                let first = i64::from(record.position());
                known = Some(Stretch { bases: &self.own_reference, first });
            }
            let (columns, derived) = (&mut *self.columns, &mut self.derived);
            let is_kept = features::encode(record, &self.letters, known, columns, derived);
            self.losses.cigars += u64::from(!is_kept);
            self.derived.are_known &= has_bases;
        } else {
            self.losses.cigars += u64::from(!record.cigar().is_empty());
            self.losses.mapping_qualities += u64::from(record.mapping_quality() != 0);
        }
        self.put_tags(record, is_mapped, group.is_some());
        let columns = &mut *self.columns;
        match is_mapped {
            true => columns.number(Series::MQ, record.mapping_quality().into()),
            false if has_bases => columns.bytes(Series::BA).extend_from_slice(&self.letters),
            false => {}
        }
        if has_qualities {
            columns.qualities(record.qualities().as_slice(), flags & REVERSE != 0);
        }
        Ok(())
    }

    /// The index of the read group, if the header has it and all of the tag follows from it.
    fn read_group(&self, record: &Record<'_>) -> Option<i32> {
        let mut groups = record.tags().filter(|tag| tag.name == *b"RG");
        let group = groups.next().filter(|group| group.kind == b'Z')?;
        let known = || self.plan.read_groups.iter().position(|known| known == group.value);
        if groups.next().is_some() { None } else { known().map(|at| at as i32) }
    }

    fn put_tags(&mut self, record: &Record<'r>, is_mapped: bool, has_group: bool) {
        self.tags.clear();
        let derived = &self.derived;
        let count = |name: &[u8; 2]| record.tags().filter(|tag| tag.name == *name).count();
        let (mut has_md, mut has_nm) = (false, false);
        for tag in record.tags() {
            let follows = match &tag.name {
                b"RG" => has_group,
                b"CG" => record.has_long_cigar(),
                b"MD" => {
                    has_md = true;
                    let is_same = tag.kind == b'Z' && tag.value == derived.md.text;
                    is_mapped && derived.are_known && is_same && count(b"MD") == 1
                }
                b"NM" => {
                    has_nm = true;
                    let is_same = tag.kind == b'C' && tag.as_int() == Some(derived.nm.into());
                    is_mapped && derived.are_known && is_same && count(b"NM") == 1
                }
                _ => false,
            };
            if !follows {
                let [a, b] = tag.name;
                self.tags.push(([a, b, tag.kind], tag.value));
            }
        }
        // htslib's note that the read had no MD (1) or no NM (2), which readers would add.
        const NOTES: [[u8; 1]; 4] = [[0], [1], [2], [3]];
        let note = usize::from(!has_md) | (2 * usize::from(!has_nm));
        if is_mapped && self.plan.reference.is_there() && note != 0 {
            self.tags.push((*b"cFC", &NOTES[note]));
        }
        self.columns.tags(&self.tags);
    }
}
