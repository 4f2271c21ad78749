//! Mapped and unmapped records of each reference sequence, as `samtools idxstats` has them.
//! Counted by reading the file, so that no index is needed, or taken from an index that is proved to be its.

use biofast_bam::{Batch, Error, Header, IndexCounts, Query, Record, flag};
use biofast_io::Options;
use biofast_io::pipeline::Fault;

use crate::measure::qc::Tally;

/// Counts of records by reference sequence: `[mapped, unmapped]`.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::idxstats::IdxstatsCollector;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Placement };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, counts) = IdxstatsCollector::collect(input.source, &options)?;
/// assert_eq!(header.references()[0].name, b"c");
/// // Mapped and unmapped, of the first reference and of none.
/// assert_eq!((counts.counts(Some(0)), counts.counts(None)), ([1, 0], [0, 1]));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdxstatsCollector {
    by_reference: Vec<[u64; 2]>,
    /// Records without a reference.
    unplaced: [u64; 2],
}

impl IdxstatsCollector {
    /// Collects all records of a BAM input, or those of a query.
    ///
    /// # Errors
    /// The first fault of the input, with the counts of the records before it.
    pub fn collect(
        input: impl Into<Query>,
        options: &Options,
    ) -> Result<(Header, IdxstatsCollector), Fault<IdxstatsCollector, Error>> {
        Tally::collect_alone(input, options)
    }

    /// What the index of a file counts.
    pub fn of_index(counts: &IndexCounts) -> IdxstatsCollector {
        let by_reference = counts.by_reference.clone();
        IdxstatsCollector { by_reference, unplaced: [0, counts.unplaced] }
    }

    /// Adds the records of a batch.
    pub fn accept(&mut self, batch: Batch<'_>) {
        self.prepare(batch);
        batch.iter().for_each(|record| self.add(&record));
    }

    /// Makes room for the records of a batch.
    pub(crate) fn prepare(&mut self, batch: Batch<'_>) {
        self.by_reference.resize(batch.reference_count(), [0; 2]);
    }

    /// Adds a record of a batch that was [prepared](Self::prepare) for.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        let unmapped = usize::from(record.flags() & flag::UNMAPPED != 0);
        match usize::try_from(record.reference_id()) {
            Ok(reference) => self.by_reference[reference][unmapped] += 1,
            Err(_) => self.unplaced[unmapped] += 1,
        }
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &IdxstatsCollector) {
        let IdxstatsCollector { by_reference, unplaced } = other;
        let len = self.by_reference.len().max(by_reference.len());
        self.by_reference.resize(len, [0; 2]);
        for (mine, theirs) in self.by_reference.iter_mut().zip(by_reference) {
            mine[0] += theirs[0];
            mine[1] += theirs[1];
        }
        self.unplaced[0] += unplaced[0];
        self.unplaced[1] += unplaced[1];
    }

    /// Mapped and unmapped records of the reference with this index; `None` for those without.
    pub fn counts(&self, reference: Option<usize>) -> [u64; 2] {
        match reference {
            Some(index) => self.by_reference.get(index).copied().unwrap_or_default(),
            None => self.unplaced,
        }
    }
}

impl Tally for IdxstatsCollector {
    fn accept(&mut self, batch: Batch<'_>) {
        IdxstatsCollector::accept(self, batch);
    }

    fn merge(&mut self, other: IdxstatsCollector) {
        IdxstatsCollector::merge(self, &other);
    }
}
