//! Reads of BAM made ready for the kernels of FASTQ: unpacked, in the direction of sequencing, and
//! handed over many at a time.

use biofast_bam::{Record, flag};
use biofast_kernels as kernels;

use crate::measure::reads::statistic::long_reads::{LONG, ReadOrigin};

/// Reads handed over at once: what the column kernels take together.
pub(crate) const READS: usize = 240;

/// Bases that may wait.
const BASES: usize = 256 << 10;

/// Reads that wait to be counted, unpacked.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnpackedReads {
    bases: Vec<u8>,
    /// Phred+33.
    qualities: Vec<u8>,
    /// Where each read ends in the two.
    ends: Vec<(usize, usize)>,
    /// Of long reads, by their number, where it is known.
    origins: Vec<(usize, ReadOrigin)>,
}

impl UnpackedReads {
    /// Adds the read as it was sequenced: reversed and complemented if it is aligned to the
    /// reverse strand. Its qualities are left out if they are missing, or without `qualities`.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, qualities: bool) {
        let (packed, len, raw) =
            (record.packed_sequence(), record.sequence_len(), record.qualities());
        let qualities = qualities && !kernels::is_missing(raw.as_slice());
        if record.flags() & flag::REVERSE == 0 {
            kernels::unpack_bases(packed, len, &mut self.bases);
            if qualities {
                kernels::copy_qualities(raw.as_slice(), &mut self.qualities);
            }
        } else {
            kernels::unpack_bases_reverse_complement(packed, len, &mut self.bases);
            if qualities {
                kernels::copy_qualities_reversed(raw.as_slice(), &mut self.qualities);
            }
        }
        if len >= LONG
            && qualities
            && let Some(origin) = ReadOrigin::of_record(record)
        {
            self.origins.push((self.ends.len(), origin));
        }
        self.ends.push((self.bases.len(), self.qualities.len()));
    }

    /// Whether it is time to [`take`](Self::take) them.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.ends.len() == READS || self.bases.len() >= BASES
    }

    /// Gives all reads to `count`: their bases, their qualities, empty where there are none, and the origins that are known.
    pub(crate) fn take(
        &mut self,
        count: impl FnOnce(&mut [&[u8]], &mut [&[u8]], &[(usize, ReadOrigin)]),
    ) {
        if self.ends.is_empty() {
            return;
        }
        let mut bases: [&[u8]; READS] = [&[]; READS];
        let mut qualities: [&[u8]; READS] = [&[]; READS];
        let mut start = (0, 0);
        for (read, &end) in self.ends.iter().enumerate() {
            bases[read] = &self.bases[start.0..end.0];
            qualities[read] = &self.qualities[start.1..end.1];
            start = end;
        }
        let reads = self.ends.len();
        count(&mut bases[..reads], &mut qualities[..reads], &self.origins);
        self.bases.clear();
        self.qualities.clear();
        self.ends.clear();
        self.origins.clear();
    }
}
