//! The records of a slice (CRAM specification, sections 8.5 and 10).

use std::sync::Arc;

use super::container::MAX_SLICE;
use super::context::Context;
use super::record::{
    CramRecord, DETACHED, MATE_DOWNSTREAM, NO_SEQUENCE, QUALITIES, REVERSE, SEVERAL, Slice,
    SliceBuffers, Span, UNMAPPED,
};
use crate::cram::bytes::{Bits, ByteCursor, Result, bad, length};
use crate::cram::container::{Block, CORE, EXTERNAL, SLICE_HEADER, Version};
use crate::cram::encoding::{Compression, Data, Series};
use crate::cram::features::{self, Bases};
use crate::cram::mates;
use crate::cram::tags;
use crate::input_options::Detail;
use crate::packing;

/// What a slice states of itself.
pub(super) struct SliceHeader {
    /// −1 for none, −2 for several.
    pub(super) reference: i32,
    pub(super) start: i32,
    pub(super) span: i32,
    pub(super) records: usize,
    counter: i64,
    /// How many blocks follow.
    pub(super) blocks: usize,
    embedded: i32,
    md5: [u8; 16],
}

impl SliceHeader {
    /// Takes the block of a slice's header from the front.
    pub(super) fn take(bytes: &mut ByteCursor<'_>, version: Version) -> Result<SliceHeader> {
        let block = Block::take(bytes, version)?;
        if block.content != SLICE_HEADER {
            return bad("a block other than a slice header where a slice should start");
        }
        let bytes = block.decode()?;
        let mut bytes = ByteCursor::new(&bytes);
        let (reference, start, span) = (bytes.itf8()?, bytes.itf8()?, bytes.itf8()?);
        let records = bytes.length()?;
        let counter = if version.major < 3 { bytes.itf8()?.into() } else { bytes.ltf8()? };
        let blocks = bytes.length()?;
        for _ in 0..bytes.length()? {
            // The blocks name themselves.
            bytes.itf8()?;
        }
        let embedded = bytes.itf8()?;
        let mut md5 = [0; 16];
        md5.copy_from_slice(bytes.take(16)?);
        // Of unplaced reads (-1) and of several references (-2) both are to be ignored.
        if reference >= 0 && (start < 0 || span < 0) {
            return bad("a slice with a negative position or span");
        }
        Ok(SliceHeader { reference, start, span, records, counter, blocks, embedded, md5 })
    }
}

/// Decodes the slice at the front of `bytes` into the buffers, whose slice it replaces.
pub(super) fn decode(
    bytes: &mut ByteCursor<'_>,
    compression: &Compression,
    context: &Context,
    placement: bool,
    buffers: &mut SliceBuffers,
) -> Result<()> {
    buffers.shrink();
    let SliceBuffers { slice: out, blocks: buffers } = buffers;
    let header = SliceHeader::take(bytes, context.version)?;
    let mut core = None;
    let mut compressed = Vec::new();
    for _ in 0..header.blocks {
        let block = Block::take(bytes, context.version)?;
        match block.content {
            CORE => core = Some(block.decode()?),
            EXTERNAL if !compression.wants(block.id) => {}
            EXTERNAL => compressed.push(block),
            _ => return bad("a block of a slice that is neither core nor external"),
        }
    }
    let core = core.unwrap_or_default();
    if buffers.len() < compressed.len() {
        buffers.resize_with(compressed.len(), Vec::new);
    }
    let pairs = compressed.iter().zip(buffers);
    let external: Vec<(i32, &[u8])> = pairs
        .map(|(block, buffer)| Ok((block.id, block.decode_into(buffer)?)))
        .collect::<Result<_>>()?;
    let find = |id: i32| external.iter().find(|(known, _)| *known == id).map(|(_, data)| *data);
    // A writer may leave out empty blocks.
    let cursor = |id: &i32| ByteCursor::new(find(*id).unwrap_or_default());
    let data =
        Data { core: Bits::new(&core), external: compression.slots.iter().map(cursor).collect() };

    let mut known = None;
    if header.reference >= 0 && !placement {
        known = if header.embedded >= 0 {
            let Some(bases) = find(header.embedded) else {
                return bad("a slice without the block of its embedded reference");
            };
            if bases.len() < header.span as usize {
                return bad("an embedded reference that is shorter than its slice");
            }
            if !bases.iter().all(|&base| packing::is_base(base)) {
                return bad("an invalid embedded reference");
            }
            let bases = bases.to_ascii_uppercase();
            let (_, _, len) = context.reference(header.reference)?;
            Some(Known { bases: bases.into(), first: header.start.into(), len })
        } else {
            Known::fetch(header.reference, compression, context)?
        };
        if let Some(known) = &known {
            known.check_md5(&header, context)?;
        }
    }
    let stored = |series| compression.series(series).map_or(0, |encoding| encoding.stored(&data));
    let (qualities, names) = (stored(Series::QS), stored(Series::RN));
    out.clear(header.counter);
    // What a slice claims is no reason to ask for memory.
    out.records.reserve(header.records.min(1 << 16));
    out.names.reserve(names);
    out.bases.reserve(qualities);
    out.qualities.reserve(qualities);
    let decoder = Decoder {
        compression,
        context,
        header: &header,
        data,
        out,
        known,
        known_reference: header.reference,
        last_start: header.start.into(),
        placement,
    };
    decoder.run()
}

/// A stretch of a reference sequence, in capitals.
pub(super) struct Known {
    pub(super) bases: Arc<[u8]>,
    /// The position of the first of the bases, counted from 1.
    pub(super) first: i64,
    /// The length of the whole reference sequence, as the header has it.
    pub(super) len: i64,
}

impl Known {
    fn fetch(
        reference: i32,
        compression: &Compression,
        context: &Context,
    ) -> Result<Option<Known>> {
        if !compression.reference {
            return Ok(None);
        }
        let (index, name, len) = context.reference(reference)?;
        let bases = match context.repository.get(index, name) {
            // Bases that only the reference knows won't be looked at.
            Err(crate::ErrorKind::MissingReference { .. }) if context.detail != Detail::Full => {
                return Ok(None);
            }
            found => found?,
        };
        Ok(Some(Known { bases, first: 1, len }))
    }

    fn check_md5(&self, header: &SliceHeader, context: &Context) -> Result<()> {
        if header.md5.iter().all(|&b| b == 0) {
            return Ok(());
        }
        let start = usize::try_from(i64::from(header.start) - self.first).unwrap_or_default();
        let start = start.min(self.bases.len());
        let end = self.bases.len().min(start + header.span as usize);
        if super::reference::md5(&self.bases[start..end]) == header.md5 {
            return Ok(());
        }
        let (_, name, _) = context.reference(header.reference)?;
        let name = biofast_io::Shown(name).to_string();
        Err(crate::ErrorKind::WrongReference(name))
    }
}

struct Decoder<'a> {
    compression: &'a Compression,
    context: &'a Context,
    header: &'a SliceHeader,
    data: Data<'a>,
    out: &'a mut Slice,
    known: Option<Known>,
    known_reference: i32,
    last_start: i64,
    /// Whether all but the placement is skipped.
    placement: bool,
}

impl Decoder<'_> {
    fn run(mut self) -> Result<()> {
        for number in 0..self.header.records {
            let record = self.record(number)?;
            self.out.records.push(record);
            // Codes of no bits at all would let a few bytes claim any number of records.
            let out = &*self.out;
            let held =
                size_of::<CramRecord>() * out.records.len() + out.names.len() + out.tags.len();
            if held + 2 * out.bases.len() + 4 * out.cigars.len() > MAX_SLICE {
                return bad("a slice of more than 1 GiB");
            }
        }
        mates::resolve(&mut self.out.records)
    }

    fn int(&mut self, series: Series) -> Result<i32> {
        self.compression.series(series)?.int(&mut self.data)
    }

    fn record(&mut self, number: usize) -> Result<CramRecord> {
        let compression = self.compression;
        let flags = self.int(Series::BF)?;
        if !(0..=0xffff).contains(&flags) {
            return bad("flags of more than 16 bits");
        }
        let cram_flags = self.int(Series::CF)?;
        let mut record = CramRecord { flags, ..CramRecord::default() };
        record.reference = self.header.reference;
        if record.reference == SEVERAL {
            record.reference = self.int(Series::RI)?;
            if !self.placement {
                self.know(record.reference)?;
            }
        }
        if record.reference < -1 || record.reference >= self.context.references() {
            return bad("a record with an unknown reference sequence");
        }
        let len = length(self.int(Series::RL)?)?;
        if len > MAX_SLICE {
            return bad("a read of more than 1 GiB");
        }
        record.start = self.int(Series::AP)?.into();
        if compression.delta {
            record.start += self.last_start;
        }
        if !(0..=i64::from(i32::MAX)).contains(&record.start) {
            return bad("a position below 0 or above 2,147,483,647");
        }
        self.last_start = record.start;
        record.read_group = if self.placement { -1 } else { self.int(Series::RG)? };
        if record.read_group < -1 || record.read_group >= self.context.read_groups.len() as i32 {
            return bad("a read group that the header doesn't have");
        }
        if compression.names {
            record.name = self.name()?;
        }
        record.mate_reference = -1;
        if cram_flags & DETACHED != 0 {
            record.mate_flags = self.int(Series::MF)?;
            if !compression.names {
                record.name = self.name()?;
            }
            record.mate_reference = self.int(Series::NS)?;
            if record.mate_reference < -1 || record.mate_reference >= self.context.references() {
                return bad("a mate with an unknown reference sequence");
            }
            record.mate_start = self.int(Series::NP)?.into();
            record.template_len = Some(self.int(Series::TS)?.into());
        } else if cram_flags & MATE_DOWNSTREAM != 0 {
            let mate = length(self.int(Series::NF)?)? + number + 1;
            if mate >= self.header.records {
                return bad("a mate beyond the end of its slice");
            }
            record.mate = Some(mate);
        }

        if self.placement {
            record.end = record.start;
            if flags & UNMAPPED == 0 {
                record.mapq = self.int(Series::MQ)? as u8;
            }
            return Ok(record);
        }

        let (has_md, has_nm) = self.tags(&mut record)?;
        let mapped = flags & UNMAPPED == 0;
        let missing = cram_flags & NO_SEQUENCE != 0;
        let has_qualities = cram_flags & QUALITIES != 0;
        let start = self.out.bases.len();
        let known = self.known.as_ref().filter(|_| record.reference >= 0);
        if mapped {
            if record.start == 0 {
                return bad("a mapped read without a position");
            }
            let known = known.map(|k| Bases { bases: &k.bases, first: k.first, len: k.len });
            let wanted =
                features::ComputedTags { md: !has_md && !missing, nm: !has_nm && !missing };
            features::decode(
                &mut record, len, missing, has_qualities, known, wanted, &mut self.data,
                compression, self.out,
            )?;
            record.mapq = self.int(Series::MQ)? as u8;
        } else {
            record.end = record.start;
            if missing {
                self.out.bases.resize(start + len, b'N');
            } else {
                compression
                    .series(Series::BA)
                    .and_then(|e| e.run(len, &mut self.data, &mut self.out.bases))
                    .or_else(|e| if len == 0 { Ok(()) } else { Err(e) })?;
            }
            if !has_qualities {
                self.out.qualities.resize(start + len, 0xff);
            }
        }
        if has_qualities {
            let qualities = &mut self.out.qualities;
            if len > 0 {
                compression.series(Series::QS)?.run(len, &mut self.data, qualities)?;
            }
            if !compression.qualities_oriented && flags & REVERSE != 0 {
                qualities[start..].reverse();
            }
        }
        if missing {
            self.out.bases.truncate(start);
            self.out.qualities.truncate(start);
        }
        record.bases = start..self.out.bases.len();
        record.tags.end = self.out.tags.len();
        Ok(record)
    }

    /// Makes sure that the reference sequence of a record is the one at hand.
    fn know(&mut self, reference: i32) -> Result<()> {
        if reference >= 0 && (reference != self.known_reference || self.known.is_none()) {
            self.known = Known::fetch(reference, self.compression, self.context)?;
            self.known_reference = reference;
        }
        Ok(())
    }

    fn name(&mut self) -> Result<Span> {
        let start = self.out.names.len();
        let encoding = self.compression.series(Series::RN)?;
        encoding.array(&mut self.data, &mut self.out.names)?;
        let name = &self.out.names[start..];
        if name.len() > 254 || name.contains(&0) {
            return bad("a read name of more than 254 bytes or with a NUL");
        }
        Ok(start..self.out.names.len())
    }

    /// Decodes the tags; returns whether MD and NM are among them, or the read didn't have them.
    fn tags(&mut self, record: &mut CramRecord) -> Result<(bool, bool)> {
        let out = &mut self.out.tags;
        record.tags = out.len()..out.len();
        let list = self.compression.series(Series::TL)?.int(&mut self.data)?;
        let lists = &self.compression.tag_lists;
        let Some(list) = usize::try_from(list).ok().and_then(|n| lists.get(n)) else {
            return bad("a list of tags that the compression header doesn't have");
        };
        let (mut md, mut nm) = (false, false);
        for (key, slot) in list {
            md |= key.starts_with(b"MD");
            nm |= key.starts_with(b"NM");
            // Some writers store the read group twice.
            if key.starts_with(b"RG") {
                record.read_group = -1;
            }
            let Some((_, Some(encoding))) = self.compression.tags.get(*slot) else {
                return bad("a tag without an encoding");
            };
            out.extend_from_slice(key);
            let start = out.len();
            encoding.array(&mut self.data, out)?;
            if !tags::is_whole(key[2], &out[start..]) {
                return bad("a tag whose value doesn't fit its type");
            }
            // htslib's own note that the read had no MD (1) or NM (2), which follow from the reference.
            if key == b"cFC" {
                md |= out[start] & 1 != 0;
                nm |= out[start] & 2 != 0;
                out.truncate(start - key.len());
            }
        }
        Ok((md, nm))
    }
}
