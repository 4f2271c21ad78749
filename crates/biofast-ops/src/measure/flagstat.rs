//! Counts of alignment records by flag, as `samtools flagstat` defines them.

use biofast_bam::{Batch, Error, Header, Query, Record, flag};
use biofast_io::Options;
use biofast_io::pipeline::Fault;
use serde::{Deserialize, Serialize};

/// Values the 12 defined flag bits can have together.
const FLAGS: usize = 1 << 12;

/// MAPQ from which a mate on another reference counts as surely so.
const SURE_MAPQ: u8 = 5;

/// Counts records by all their flags at once; everything else is derived at the end, so the
/// loop over records has no branch on flags.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::flagstat::FlagstatCollector;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Placement };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (_, counts) = FlagstatCollector::collect(input.source, &options)?;
/// let [passed, failed] = counts.finish();
/// assert_eq!((passed.total, passed.mapped, failed.total), (2, 1, 0));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagstatCollector {
    by_flags: Box<[FlagCounts; FLAGS]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FlagCounts {
    records: u64,
    /// Those whose mate is on another reference.
    elsewhere: u64,
    /// Those of these with a MAPQ of at least [`SURE_MAPQ`].
    surely_elsewhere: u64,
}

impl Default for FlagstatCollector {
    fn default() -> Self {
        FlagstatCollector { by_flags: Box::new([FlagCounts::default(); FLAGS]) }
    }
}

impl FlagstatCollector {
    /// A collector of nothing.
    pub fn new() -> Self {
        FlagstatCollector::default()
    }

    /// Collects all records of a BAM input, or those of a query.
    ///
    /// # Errors
    /// The first fault of the input, with the counts of the records before it.
    pub fn collect(
        input: impl Into<Query>,
        options: &Options,
    ) -> Result<(Header, FlagstatCollector), Fault<FlagstatCollector, Error>> {
        biofast_bam::Fold::new(input).options(options).run(
            FlagstatCollector::new,
            FlagstatCollector::accept,
            |mine, theirs| mine.merge(&theirs),
        )
    }

    /// Adds the records of a batch.
    pub fn accept(&mut self, batch: Batch<'_>) {
        batch.iter().for_each(|record| self.add(&record));
    }

    /// Adds a record.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        let counts = &mut self.by_flags[usize::from(record.flags()) % FLAGS];
        let elsewhere = record.mate_reference_id() != record.reference_id();
        let sure = record.mapping_quality() >= SURE_MAPQ;
        counts.records += 1;
        counts.elsewhere += u64::from(elsewhere);
        counts.surely_elsewhere += u64::from(elsewhere & sure);
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &FlagstatCollector) {
        for (mine, theirs) in self.by_flags.iter_mut().zip(other.by_flags.iter()) {
            let FlagCounts { records, elsewhere, surely_elsewhere } = theirs;
            mine.records += records;
            mine.elsewhere += elsewhere;
            mine.surely_elsewhere += surely_elsewhere;
        }
    }

    /// The counts people read: of records that passed quality control, and of those that failed.
    pub fn finish(&self) -> [FlagStat; 2] {
        let mut result = [FlagStat::default(); 2];
        for (flags, counts) in (0u16..).zip(self.by_flags.iter()) {
            if counts.records > 0 {
                result[usize::from(flags & flag::QC_FAIL != 0)].add(flags, counts);
            }
        }
        result
    }
}

/// The counts of `samtools flagstat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // the names are those of the lines they print
pub struct FlagStat {
    pub total: u64,
    pub primary: u64,
    pub secondary: u64,
    pub supplementary: u64,
    pub duplicates: u64,
    pub primary_duplicates: u64,
    pub mapped: u64,
    pub primary_mapped: u64,
    pub paired: u64,
    pub read1: u64,
    pub read2: u64,
    pub properly_paired: u64,
    pub both_mapped: u64,
    pub singletons: u64,
    pub mate_elsewhere: u64,
    pub mate_surely_elsewhere: u64,
}

impl FlagStat {
    /// Adds the counts of other records; `None` if one of them exceeds 64 bits.
    pub fn checked_add(&self, other: &FlagStat) -> Option<FlagStat> {
        macro_rules! sums {
            ($($name:ident)*) => {
                Some(FlagStat { $($name: self.$name.checked_add(other.$name)?,)* })
            };
        }
        sums! {
            total primary secondary supplementary duplicates primary_duplicates mapped primary_mapped paired read1 read2
            properly_paired both_mapped singletons mate_elsewhere mate_surely_elsewhere
        }
    }

    fn add(&mut self, flags: u16, counts: &FlagCounts) {
        let n = counts.records;
        let has = |bit: u16| flags & bit != 0;
        let mapped = !has(flag::UNMAPPED);
        let count = |condition: bool, counter: &mut u64| {
            if condition {
                *counter += n;
            }
        };
        count(true, &mut self.total);
        count(has(flag::DUPLICATE), &mut self.duplicates);
        count(mapped, &mut self.mapped);
        if has(flag::SECONDARY) {
            count(true, &mut self.secondary);
            return;
        }
        if has(flag::SUPPLEMENTARY) {
            count(true, &mut self.supplementary);
            return;
        }
        count(true, &mut self.primary);
        count(has(flag::DUPLICATE), &mut self.primary_duplicates);
        count(mapped, &mut self.primary_mapped);
        if !has(flag::PAIRED) {
            return;
        }
        let mate_mapped = !has(flag::MATE_UNMAPPED);
        count(true, &mut self.paired);
        count(has(flag::READ1), &mut self.read1);
        count(has(flag::READ2), &mut self.read2);
        count(has(flag::PROPER_PAIR) && mapped, &mut self.properly_paired);
        count(mapped && mate_mapped, &mut self.both_mapped);
        count(mapped && !mate_mapped, &mut self.singletons);
        if mapped && mate_mapped {
            self.mate_elsewhere += counts.elsewhere;
            self.mate_surely_elsewhere += counts.surely_elsewhere;
        }
    }
}
