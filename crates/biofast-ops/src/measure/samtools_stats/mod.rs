//! The counts of `samtools stats` 1.16.1, number for number, from one parallel pass.
//!
//! What doesn't depend on order is gathered by every worker and merged; coverage, GC-depth and
//! barcodes are passed through one pileup in the order of the file.

pub(crate) mod barcodes;
pub(crate) mod cycles;
mod mismatches;
pub(crate) mod pileup;
mod reference;

use std::io;

use biofast_bam::{Batch, Error, Fasta, Record, flag, par_fold_ordered};
use biofast_io::pipeline::Fault;
use biofast_io::{Options, Source, crc32};
use biofast_kernels as kernels;

use crate::measure::alignments::basics::{Basics, Fragment, Seen};
use crate::measure::alignments::in_order::InOrder;
use barcodes::{Barcodes, Found};
use cycles::Cycles;
use pileup::Pileup;
use reference::Reference;

/// Classes of GC content.
pub(crate) const GC_CLASSES: usize = 200;

/// What `samtools stats` reports.
pub struct SamtoolsStats {
    pub(crate) counts: Counts,
    pub(crate) pileup: Pileup,
    pub(crate) barcodes: Barcodes,
}

/// Why the statistics can't be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The alignments are faulty.
    Input(Error),
    /// The reference can't be read.
    Reference(io::Error),
    /// The optional fields of this record, counted from 1, are malformed.
    MalformedTags(u64),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(f),
            Failure::Reference(error) => write!(f, "{error}"),
            Failure::MalformedTags(record) => {
                write!(f, "record {record}: its optional fields can't be read")
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The errors themselves are all of the message.
        match self {
            Failure::Input(error) => error.source(),
            Failure::Reference(error) => error.source(),
            Failure::MalformedTags(_) => None,
        }
    }
}

/// What a worker counts.
pub(crate) struct Counts {
    pub(crate) basics: Basics,
    pub(crate) cycles: Cycles,
    /// CRC-32 of names, packed sequences and (halves of) qualities, added up.
    pub(crate) checksums: [u32; 3],
    /// First and last fragments by class of GC content, as differences to the class before.
    gc: [Box<[i64; GC_CLASSES + 1]>; 2],
    reference: Option<Reference>,
    fault: Option<io::Error>,
}

/// What a chunk leaves for the ordered part.
#[derive(Default)]
struct Left {
    records: InOrder,
    barcodes: Vec<Found>,
}

impl Left {
    /// Finds the mismatches of the record pushed last.
    fn add_mismatches(
        &mut self,
        record: &Record<'_>,
        seen: &Seen<'_>,
        reference: &mut Reference,
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

impl SamtoolsStats {
    /// Collects all records of `source`; with a reference also what needs one.
    ///
    /// # Errors
    /// The first fault of the input or the reference.
    pub fn collect(
        source: Source,
        options: &Options,
        reference: Option<&Fasta>,
    ) -> Result<SamtoolsStats, Failure> {
        let mut pileup = Pileup::new(reference.cloned().map(Reference::new));
        let mut barcodes = Barcodes::default();
        let (_, mut counts) = par_fold_ordered(
            source,
            options,
            || Counts::new(reference),
            |counts: &mut Counts, batch, left: &mut Left| {
                // A chunk that ends within the header has neither records nor a header.
                if let Some(reference) = reference
                    && !batch.is_empty()
                {
                    reference.bind(batch.header());
                }
                counts.accept(batch, left);
            },
            |counts, mut other| {
                other.cycles.settle();
                counts.cycles.settle();
                counts.merge(other);
            },
            |left| {
                barcodes.add(&mut left.barcodes);
                pileup.add(&mut left.records)
            },
        )
        .map_err(|Fault { error, .. }| Failure::Input(error))?;
        counts.cycles.settle();
        if let Some(fault) = counts.fault.take().or(pileup.fault.take()) {
            return Err(Failure::Reference(fault));
        }
        if let Some(record) = counts.basics.malformed {
            return Err(Failure::MalformedTags(record + 1));
        }
        pileup.finish();
        Ok(SamtoolsStats { counts, pileup, barcodes })
    }
}

impl Counts {
    fn new(reference: Option<&Fasta>) -> Counts {
        Counts {
            basics: Basics::default(),
            cycles: Cycles::default(),
            checksums: [0; 3],
            gc: std::array::from_fn(|_| Box::new([0; GC_CLASSES + 1])),
            reference: reference.map(|fasta| Reference::new(fasta.clone())),
            fault: None,
        }
    }

    fn accept(&mut self, batch: Batch<'_>, left: &mut Left) {
        for (number, record) in (batch.first_record()..).zip(batch.iter()) {
            self.add_checksums(&record);
            let Some(seen) = self.basics.add(&record, number) else { continue };
            let flags = record.flags();
            let mut gc = 0;
            if flags & flag::SUPPLEMENTARY == 0 {
                self.cycles.push(&record, seen.fragment);
                gc = self.add_gc(&record, seen.fragment);
                if seen.fragment == Fragment::First {
                    barcodes::find(&record, &mut left.barcodes);
                }
            }
            let mapped = flags & flag::UNMAPPED == 0;
            if mapped || seen.unclipped_len >= pileup::FIRST_READ_LEN as u64 {
                let share = gc as f32 / record.sequence_len() as f32;
                left.records.push(&record, &seen, share, (0, i64::MAX));
            }
            if let Some(reference) = &mut self.reference
                && mapped
                && self.fault.is_none()
            {
                left.add_mismatches(&record, &seen, reference).unwrap_or_else(|fault| {
                    self.fault = Some(fault);
                });
            }
        }
    }

    #[inline]
    fn add_checksums(&mut self, record: &Record<'_>) {
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
            // As many bytes as the packed sequence has.
            add(2, &record.qualities()[..len.div_ceil(2)]);
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

    fn merge(&mut self, other: Counts) {
        let Counts { basics, cycles, checksums, gc, reference: _, fault } = other;
        self.basics.merge(&basics);
        self.cycles.merge(&cycles);
        for (mine, theirs) in self.checksums.iter_mut().zip(checksums) {
            *mine = mine.wrapping_add(theirs);
        }
        for (mine, theirs) in self.gc.iter_mut().zip(&gc) {
            mine.iter_mut().zip(theirs.iter()).for_each(|(a, b)| *a += b);
        }
        self.fault = self.fault.take().or(fault);
    }

    /// First or last fragments by class of GC content.
    pub(crate) fn gc_classes(&self, fragment: usize) -> [u64; GC_CLASSES] {
        let mut sum = 0;
        std::array::from_fn(|class| {
            sum += self.gc[fragment][class];
            sum as u64
        })
    }
}
