//! Consensus reads as unaligned records.

use biofast_bam::{Error, Record, Unaligned, flag};

use super::duplex::DuplexConsensus;
use super::model::UmiCaller;
use super::strand::{MAX_DEPTH, StrandConsensus};
use crate::tags::append_text;

/// Which read of a template a consensus is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadKind {
    Fragment,
    First,
    Second,
}

/// Memory for records that is used again.
#[derive(Default)]
pub(super) struct RecordRoom {
    name: Vec<u8>,
    qualities: Vec<u8>,
    tags: Vec<u8>,
    record: Vec<u8>,
}

/// A record that is made.
pub(super) struct ConsensusRecord<'a> {
    room: &'a mut RecordRoom,
    flags: u16,
    bases: &'a [u8],
}

impl<'a> ConsensusRecord<'a> {
    /// One without tags.
    pub(super) fn new(
        room: &'a mut RecordRoom,
        (prefix, molecule): (&[u8], &[u8]),
        kind: ReadKind,
        (bases, qualities): (&'a [u8], &[u8]),
    ) -> ConsensusRecord<'a> {
        room.name.clear();
        [prefix, b":", molecule].iter().for_each(|part| room.name.extend_from_slice(part));
        room.qualities.clear();
        room.qualities.extend(qualities.iter().map(|quality| quality + b'!'));
        room.tags.clear();
        let flags = match kind {
            ReadKind::Fragment => 0,
            ReadKind::First => flag::PAIRED | flag::MATE_UNMAPPED | flag::READ1,
            ReadKind::Second => flag::PAIRED | flag::MATE_UNMAPPED | flag::READ2,
        };
        ConsensusRecord { room, flags, bases }
    }

    pub(super) fn text(&mut self, name: [u8; 2], text: &[u8]) {
        append_text(name, text, &mut self.room.tags);
    }

    fn int(&mut self, name: [u8; 2], value: i32) {
        self.room.tags.extend_from_slice(&name);
        if let Ok(value) = i8::try_from(value) {
            self.room.tags.extend([b'c', value as u8]);
        } else if let Ok(value) = u8::try_from(value) {
            self.room.tags.extend([b'C', value]);
        } else if let Ok(value) = u16::try_from(value) {
            self.room.tags.push(b'S');
            self.room.tags.extend_from_slice(&value.to_le_bytes());
        } else {
            self.room.tags.push(b'i');
            self.room.tags.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn float(&mut self, name: [u8; 2], value: f32) {
        self.room.tags.extend_from_slice(&name);
        self.room.tags.push(b'f');
        self.room.tags.extend_from_slice(&value.to_le_bytes());
    }

    /// An array of 16-bit numbers.
    pub(super) fn shorts(&mut self, name: [u8; 2], values: &[u16]) {
        self.room.tags.extend_from_slice(&name);
        self.room.tags.extend_from_slice(b"Bs");
        self.room.tags.extend_from_slice(&(values.len() as u32).to_le_bytes());
        for value in values {
            self.room.tags.extend_from_slice(&(*value).min(MAX_DEPTH).to_le_bytes());
        }
    }

    /// The highest depth, the lowest one, and the rate of errors.
    pub(super) fn depths(&mut self, names: [[u8; 2]; 3], depths: &[u16], errors: &[u16]) {
        let (most, least) = range_of(depths.iter().map(|depth| i32::from(*depth)));
        self.int(names[0], most);
        self.int(names[1], least);
        self.float(names[2], rate(sum(errors), sum(depths)));
    }

    /// The tags of both strands, and of what was made of them.
    pub(super) fn duplex(&mut self, duplex: &DuplexConsensus, per_base: bool) {
        let none = StrandConsensus::default();
        let other = duplex.other.as_ref();
        let strands = [(b'a', Some(&duplex.one)), (b'b', other)];
        for (letter, strand) in strands {
            let StrandConsensus { bases, qualities, depths, errors } = strand.unwrap_or(&none);
            let (most, least) = range_of(depths.iter().map(|depth| i32::from(*depth)));
            self.int([letter, b'D'], most);
            self.float([letter, b'E'], rate(sum(errors), sum(depths)));
            self.int([letter, b'M'], least);
            if per_base && strand.is_some() {
                self.text([letter, b'c'], bases);
                self.shorts([letter, b'd'], depths);
                self.shorts([letter, b'e'], errors);
                let shown: Vec<u8> = qualities.iter().map(|quality| quality + 33).collect();
                self.text([letter, b'q'], &shown);
            }
        }
        let depth = |strand: Option<&StrandConsensus>, at: usize| {
            strand.and_then(|strand| strand.depths.get(at)).map_or(0, |depth| i32::from(*depth))
        };
        let depths =
            (0..duplex.bases.len()).map(|at| depth(Some(&duplex.one), at) + depth(other, at));
        let (most, least) = range_of(depths.clone());
        self.int(*b"cD", most);
        self.float(*b"cE", rate(sum(&duplex.errors), depths.map(i64::from).sum()));
        self.int(*b"cM", least);
    }

    /// The consensus of UMIs, if there are some.
    pub(super) fn umi(
        &mut self,
        caller: &mut UmiCaller,
        umis: &[impl AsRef<[u8]>],
        of: &Record<'_>,
    ) -> Result<(), Error> {
        if umis.is_empty() {
            return Ok(());
        }
        self.room.tags.extend_from_slice(b"RXZ");
        if !caller.call(umis, &mut self.room.tags) {
            return Err(
                of.ungroupable("the UMIs (RX) of its molecule have different lengths or parts")
            );
        }
        self.room.tags.push(0);
        Ok(())
    }

    /// The whole record.
    ///
    /// # Errors
    /// If it can't be stored.
    pub(super) fn end(self) -> Result<Record<'a>, Error> {
        let RecordRoom { name, qualities, tags, record } = self.room;
        record.clear();
        let (flags, sequence) = (self.flags, self.bases);
        Unaligned { name, flags, sequence, qualities, tags }.write(record)?;
        Ok(Record::from_checked(&record[4..]))
    }
}

fn sum(values: &[u16]) -> i64 {
    values.iter().map(|value| i64::from(*value)).sum()
}

fn rate(errors: i64, depth: i64) -> f32 {
    if depth > 0 { errors as f32 / depth as f32 } else { 0.0 }
}

/// The highest and the lowest number.
fn range_of(values: impl Iterator<Item = i32> + Clone) -> (i32, i32) {
    (values.clone().max().unwrap_or(0), values.min().unwrap_or(0))
}
