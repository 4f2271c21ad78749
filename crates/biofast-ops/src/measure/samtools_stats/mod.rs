//! The counts of `samtools stats`, number for number and for each [version](SamtoolsVersion), from one parallel pass.
//!
//! What doesn't depend on order is gathered by every worker and merged; coverage, GC-depth and
//! barcodes are passed through one pileup in the order of the file.

pub(crate) mod barcodes;
mod batch_pile;
#[doc(hidden)]
pub mod cycles;
mod mismatches;
#[doc(hidden)]
pub mod pileup;
mod reference;

use std::io;
use std::ops::ControlFlow;

use biofast_bam::{Batch, Fasta, Record, flag};
use biofast_io::crc32;
use biofast_kernels as kernels;

use crate::measure::alignments::basics::{Basics, ExaminedRecord, Fragment, add_all};
use crate::measure::alignments::in_order::InOrder;
use crate::measure::compat::SamtoolsVersion;
use crate::measure::doubt::doubt_of_reference;
use crate::measure::failure::Failure;
use barcodes::{Barcodes, PendingBarcode};
use batch_pile::BatchPile;
use cycles::Cycles;
use pileup::Pileup;
use reference::ReferenceReader;

/// Classes of GC content.
#[doc(hidden)]
pub const GC_CLASSES: usize = 200;

/// What `samtools stats` reports.
pub struct SamtoolsStats {
    /// The version that they are those of.
    pub version: SamtoolsVersion,
    #[doc(hidden)]
    pub counts: SamtoolsCounts,
    #[doc(hidden)]
    pub pileup: Pileup,
    #[doc(hidden)]
    pub barcodes: Barcodes,
}

impl SamtoolsStats {
    /// A doubt about the reference, if one was given and most of the aligned bases differ from it.
    pub fn doubt_of_reference(&self) -> Option<String> {
        doubt_of_reference(self.pileup.mismatches.total(), self.counts.basics.aligned_bases())
    }
}

/// What a worker counts.
#[doc(hidden)]
pub struct SamtoolsCounts {
    pub basics: Basics,
    pub cycles: Cycles,
    /// CRC-32 of names, packed sequences and qualities, added up.
    pub checksums: [u32; 3],
    /// Records by MAPQ that are mapped, primary, not duplicate and passed quality control.
    pub mapping_qualities: Box<[u64; 256]>,
    version: SamtoolsVersion,
    /// First and last fragments by class of GC content, as differences to the class before.
    gc: [Box<[i64; GC_CLASSES + 1]>; 2],
    reference: Option<ReferenceReader>,
    fault: Option<io::Error>,
}

/// What a chunk leaves for the ordered part.
#[derive(Default)]
pub struct SamtoolsChunk {
    pub(crate) records: InOrder,
    pile: BatchPile,
    barcodes: Vec<PendingBarcode>,
}

impl SamtoolsChunk {
    /// Finds the mismatches of the record pushed last.
    fn add_mismatches(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        reference: &mut ReferenceReader,
    ) -> io::Result<()> {
        let InOrder { records, mismatches, .. } = &mut self.records;
        let before = mismatches.len();
        mismatches::find(record, seen, reference, mismatches)?;
        if let Some(placed) = records.last_mut() {
            placed.mismatches = (mismatches.len() - before) as u32;
        }
        Ok(())
    }
}

/// What is made of the records in the order of the file.
pub(crate) struct SamtoolsOrdered {
    pileup: Pileup,
    barcodes: Barcodes,
}

impl SamtoolsOrdered {
    pub(crate) fn new(version: SamtoolsVersion, reference: Option<&Fasta>) -> SamtoolsOrdered {
        let pileup = Pileup::new(version, reference.cloned().map(ReferenceReader::new));
        SamtoolsOrdered { pileup, barcodes: Barcodes::default() }
    }

    /// Adds the records of the next chunk; the barcodes are taken.
    pub(crate) fn add(&mut self, left: &mut SamtoolsChunk) -> ControlFlow<()> {
        self.barcodes.add(&mut left.barcodes);
        let flow = self.pileup.add(&left.records, &left.pile);
        left.records.clear();
        left.pile.clear();
        flow
    }

    /// The report of all records, which were counted beside.
    pub(crate) fn finish(self, mut counts: SamtoolsCounts) -> Result<SamtoolsStats, Failure> {
        let SamtoolsOrdered { mut pileup, barcodes } = self;
        counts.cycles.settle();
        if let Some(fault) = counts.fault.take().or(pileup.fault.take()) {
            return Err(Failure::Reference(fault));
        }
        if let Some(record) = counts.basics.malformed {
            return Err(Failure::MalformedTags(record + 1));
        }
        pileup.finish();
        Ok(SamtoolsStats { version: counts.version, counts, pileup, barcodes })
    }
}

impl SamtoolsCounts {
    pub(crate) fn new(version: SamtoolsVersion, reference: Option<&Fasta>) -> SamtoolsCounts {
        SamtoolsCounts {
            basics: Basics::default(),
            cycles: Cycles::default(),
            checksums: [0; 3],
            mapping_qualities: Box::new([0; 256]),
            version,
            gc: std::array::from_fn(|_| Box::new([0; GC_CLASSES + 1])),
            reference: reference.map(|fasta| ReferenceReader::new(fasta.clone())),
            fault: None,
        }
    }

    pub(crate) fn accept(&mut self, batch: Batch<'_>, left: &mut SamtoolsChunk) {
        self.prepare(batch);
        for (number, record) in batch.numbered() {
            self.add_checksums(&record);
            if let Some(seen) = self.basics.add(&record, number) {
                let gc = self.add(&record, &seen, left);
                let matters = seen.unclipped_len >= pileup::FIRST_READ_LEN as u64;
                if matters || record.flags() & flag::UNMAPPED == 0 {
                    left.records.push(&record, &seen, gc);
                    self.add_mismatches(&record, &seen, left);
                }
            }
        }
        self.find_depths(left);
    }

    /// Finds the depths of a batch, once all its records are pushed. With a reference there is more to be found in order.
    pub(crate) fn find_depths(&self, left: &mut SamtoolsChunk) {
        if self.reference.is_none() {
            left.pile.fill(&left.records);
        }
    }

    /// Gets ready for the records of a batch.
    pub(crate) fn prepare(&self, batch: Batch<'_>) {
        // A chunk that ends within the header has neither records nor a header.
        if let Some(reference) = &self.reference
            && !batch.is_empty()
        {
            reference.bind(batch.header());
        }
    }

    /// Counts a record of a batch that was [prepared](Self::prepare) for, but for its checksums and [`Basics`]; returns
    /// the share of G and C of a primary read. Then its place is pushed, and after it come its
    /// [mismatches](Self::add_mismatches).
    #[inline]
    pub(crate) fn add(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        left: &mut SamtoolsChunk,
    ) -> f32 {
        if record.flags() & flag::SUPPLEMENTARY == 0 {
            self.cycles.push(record, seen.fragment);
        }
        self.add_without_cycles(record, seen, left)
    }

    /// The same of a record whose cycles are counted.
    #[inline]
    pub(crate) fn add_without_cycles(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        left: &mut SamtoolsChunk,
    ) -> f32 {
        const LEFT_OUT: u16 = flag::UNMAPPED
            | flag::SECONDARY
            | flag::SUPPLEMENTARY
            | flag::QC_FAIL
            | flag::DUPLICATE;
        self.mapping_qualities[usize::from(record.mapping_quality())] +=
            u64::from(record.flags() & LEFT_OUT == 0);
        let mut gc = 0;
        if record.flags() & flag::SUPPLEMENTARY == 0 {
            gc = self.add_gc(record, seen.fragment);
            if seen.fragment == Fragment::First {
                barcodes::find(record, &mut left.barcodes);
            }
        }
        gc as f32 / record.sequence_len() as f32
    }

    /// Finds the mismatches of the record pushed last, if it is mapped and there is a reference.
    #[inline]
    pub(crate) fn add_mismatches(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        left: &mut SamtoolsChunk,
    ) {
        if let Some(reference) = &mut self.reference
            && record.flags() & flag::UNMAPPED == 0
            && self.fault.is_none()
        {
            self.fault = left.add_mismatches(record, seen, reference).err();
        }
    }

    #[inline]
    pub(crate) fn add_checksums(&mut self, record: &Record<'_>) {
        let name = record.name();
        // Some writers pad names with NULs.
        let name = match name.contains(&0) {
            true => name.split(|&b| b == 0).next().unwrap_or_default(),
            false => name,
        };
        let mut add = |which: usize, bytes: &[u8]| {
            self.checksums[which] = self.checksums[which].wrapping_add(crc32(bytes));
        };
        add(0, name);
        let len = record.sequence_len();
        if len > 0 {
            add(1, record.packed_sequence());
            // Up to 1.21 as many bytes as the packed sequence has.
            let counted =
                if self.version >= SamtoolsVersion::V1_24 { len } else { len.div_ceil(2) };
            add(2, &record.qualities()[..counted]);
        }
    }

    /// Counts the classes of GC content a primary read may belong to; returns G + C.
    #[inline]
    fn add_gc(&mut self, record: &Record<'_>, fragment: Fragment) -> u64 {
        if fragment == Fragment::Other {
            return 0;
        }
        let len = record.sequence_len() as u64;
        let gc = kernels::count_packed_gc(record.packed_sequence(), record.sequence_len()).gc;
        let last = GC_CLASSES as u64 - 1;
        let classes = &mut self.gc[fragment as usize];
        classes[(gc * last / len) as usize] += 1;
        classes[((gc + 1) * last / len).min(last) as usize] -= 1;
        gc
    }

    /// Adds what another one counted, and what waits in both.
    pub(crate) fn join(&mut self, mut other: SamtoolsCounts) {
        self.cycles.settle();
        other.cycles.settle();
        self.merge(other);
    }

    fn merge(&mut self, other: SamtoolsCounts) {
        let SamtoolsCounts {
            basics,
            cycles,
            checksums,
            mapping_qualities,
            version: _,
            gc,
            reference: _,
            fault,
        } = other;
        self.basics.merge(&basics);
        self.cycles.merge(&cycles);
        for (mine, theirs) in self.checksums.iter_mut().zip(checksums) {
            *mine = mine.wrapping_add(theirs);
        }
        add_all(&mut self.mapping_qualities[..], &mapping_qualities[..]);
        for (mine, theirs) in self.gc.iter_mut().zip(&gc) {
            mine.iter_mut().zip(theirs.iter()).for_each(|(a, b)| *a += b);
        }
        self.fault = self.fault.take().or(fault);
    }

    /// First or last fragments by class of GC content.
    #[doc(hidden)]
    pub fn gc_classes(&self, fragment: usize) -> [u64; GC_CLASSES] {
        let mut sum = 0;
        std::array::from_fn(|class| {
            sum += self.gc[fragment][class];
            sum as u64
        })
    }
}
