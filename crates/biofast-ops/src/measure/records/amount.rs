//! How much some records hold.

use biofast_fastq::Record;
use biofast_kernels as kernels;
use serde::{Deserialize, Serialize};

use super::Checksum;

/// Reads and what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Reads.
    pub reads: u64,
    /// Bases.
    pub bases: u64,
    /// Bases that have qualities.
    pub known: u64,
    /// Bases of Phred 20 and more.
    pub q20: u64,
    /// Bases of Phred 30 and more.
    pub q30: u64,
    /// G and C.
    pub gc: u64,
    /// A, C, G and T.
    pub acgt: u64,
    /// Of the records.
    #[doc(hidden)]
    pub checksum: Checksum,
}

impl Amount {
    /// Of one record.
    pub fn of(record: &Record<'_>) -> Amount {
        let quality = kernels::summarize_qualities(record.qualities());
        let bases = kernels::count_gc_acgt(record.sequence());
        Amount {
            reads: 1,
            bases: record.sequence().len() as u64,
            known: record.qualities().len() as u64,
            q20: quality.q20,
            q30: quality.q30,
            gc: bases.gc,
            acgt: bases.acgt,
            checksum: Checksum::of(record),
        }
    }

    /// Of one alignment: bases and qualities as they are stored, whatever the strand; missing qualities are none. The
    /// buffers are for the unpacked letters.
    pub(crate) fn of_alignment(
        record: &biofast_bam::Record<'_>,
        [sequence, qualities]: &mut [Vec<u8>; 2],
    ) -> Amount {
        sequence.clear();
        qualities.clear();
        kernels::unpack_bases(record.packed_sequence(), record.sequence_len(), sequence);
        let raw = record.qualities();
        if !kernels::is_missing(raw.as_slice()) {
            kernels::copy_qualities(raw.as_slice(), qualities);
        }
        Amount::of(&Record::new(record.name(), sequence, qualities))
    }

    /// Adds other reads.
    pub fn add(&mut self, other: &Amount) {
        let Amount { reads, bases, known, q20, q30, gc, acgt, checksum } = *other;
        self.reads += reads;
        self.bases += bases;
        self.known += known;
        self.q20 += q20;
        self.q30 += q30;
        self.gc += gc;
        self.acgt += acgt;
        self.checksum.merge(checksum);
    }
}

/// Number and checksum of some records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub records: u64,
    /// Of them.
    #[doc(hidden)]
    pub checksum: Checksum,
}

impl Sum {
    /// Adds an alignment, like the sums of `biofast check`.
    pub fn add_alignment(&mut self, record: &biofast_bam::Record<'_>, buffers: &mut [Vec<u8>; 2]) {
        self.add(Sum::from(&Amount::of_alignment(record, buffers)));
    }

    /// Adds other records.
    pub fn add(&mut self, other: Sum) {
        self.records += other.records;
        self.checksum.merge(other.checksum);
    }
}

impl From<&Amount> for Sum {
    fn from(amount: &Amount) -> Sum {
        Sum { records: amount.reads, checksum: amount.checksum }
    }
}

/// Number and checksum of some records, as in reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSum {
    /// How many.
    pub reads: u64,
    /// 16 hexadecimal digits.
    pub checksum: String,
}

impl From<Sum> for RecordSum {
    fn from(sum: Sum) -> RecordSum {
        RecordSum { reads: sum.records, checksum: sum.checksum.to_string() }
    }
}
