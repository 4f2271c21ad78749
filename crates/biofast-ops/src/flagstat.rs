//! Counts of alignment records by flag, as `samtools flagstat` defines and prints them
//! (version 1.16.1, byte for byte).

use std::fmt::Write as _;

use biofast_bam::{Batch, Error, Header, Query, flag};
use biofast_io::Options;
use biofast_io::pipeline::Fault;
use serde::{Deserialize, Serialize};

/// Values the 12 defined flag bits can have together.
const FLAGS: usize = 1 << 12;

/// MAPQ from which a mate on another reference counts as surely so.
const SURE_MAPQ: u8 = 5;

/// Counts records by all their flags at once; everything else is derived at the end, so the
/// loop over records has no branch on flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    by_flags: Box<[Counts; FLAGS]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    records: u64,
    /// Those whose mate is on another reference.
    elsewhere: u64,
    /// Those of these with a MAPQ of at least [`SURE_MAPQ`].
    surely_elsewhere: u64,
}

impl Default for Collector {
    fn default() -> Self {
        Collector { by_flags: Box::new([Counts::default(); FLAGS]) }
    }
}

impl Collector {
    /// A collector of nothing.
    pub fn new() -> Self {
        Collector::default()
    }

    /// Collects all records of a BAM input, or those of a query.
    ///
    /// # Errors
    /// The first fault of the input, with the counts of the records before it.
    pub fn collect(
        input: impl Into<Query>,
        options: &Options,
    ) -> Result<(Header, Collector), Fault<Collector, Error>> {
        biofast_bam::par_fold_regions(
            input,
            options,
            Collector::new,
            Collector::accept,
            |mine, theirs| mine.merge(&theirs),
        )
    }

    /// Adds the records of a batch.
    pub fn accept(&mut self, batch: Batch<'_>) {
        for record in batch {
            let counts = &mut self.by_flags[usize::from(record.flags()) % FLAGS];
            let elsewhere = record.mate_reference_id() != record.reference_id();
            let sure = record.mapping_quality() >= SURE_MAPQ;
            counts.records += 1;
            counts.elsewhere += u64::from(elsewhere);
            counts.surely_elsewhere += u64::from(elsewhere & sure);
        }
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &Collector) {
        for (mine, theirs) in self.by_flags.iter_mut().zip(other.by_flags.iter()) {
            mine.records += theirs.records;
            mine.elsewhere += theirs.elsewhere;
            mine.surely_elsewhere += theirs.surely_elsewhere;
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
    fn add(&mut self, flags: u16, counts: &Counts) {
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

    /// Every line of the report: its name in text and TSV, its count, and what the count is a
    /// share of, if a percentage is printed.
    fn lines(&self) -> [(&'static str, u64, Option<u64>); 16] {
        [
            ("in total (QC-passed reads + QC-failed reads)", self.total, None),
            ("primary", self.primary, None),
            ("secondary", self.secondary, None),
            ("supplementary", self.supplementary, None),
            ("duplicates", self.duplicates, None),
            ("primary duplicates", self.primary_duplicates, None),
            ("mapped", self.mapped, Some(self.total)),
            ("primary mapped", self.primary_mapped, Some(self.primary)),
            ("paired in sequencing", self.paired, None),
            ("read1", self.read1, None),
            ("read2", self.read2, None),
            ("properly paired", self.properly_paired, Some(self.paired)),
            ("with itself and mate mapped", self.both_mapped, None),
            ("singletons", self.singletons, Some(self.paired)),
            ("with mate mapped to a different chr", self.mate_elsewhere, None),
            ("with mate mapped to a different chr (mapQ>=5)", self.mate_surely_elsewhere, None),
        ]
    }
}

/// A percentage as samtools computes it, in single precision; `None` of nothing.
fn percent(part: u64, whole: u64) -> Option<String> {
    let share = f64::from(part as f32 / whole as f32) * 100.0;
    (whole > 0).then(|| format!("{share:.2}"))
}

fn percent_or_na(part: u64, whole: u64) -> String {
    percent(part, whole).map_or("N/A".into(), |p| p + "%")
}

/// The text of `samtools flagstat`.
pub fn text(counts: &[FlagStat; 2]) -> String {
    let mut out = String::new();
    for (passed, failed) in counts[0].lines().into_iter().zip(counts[1].lines()) {
        let (name, n, whole) = passed;
        // Writing to a String can't fail, here and below.
        let _ = write!(out, "{n} + {} {name}", failed.1);
        if let (Some(whole), Some(failed_whole)) = (whole, failed.2) {
            let shares = (percent_or_na(n, whole), percent_or_na(failed.1, failed_whole));
            let _ = write!(out, " ({} : {})", shares.0, shares.1);
        }
        out.push('\n');
    }
    out
}

/// The text of `samtools flagstat -O tsv`.
pub fn tsv(counts: &[FlagStat; 2]) -> String {
    let mut out = String::new();
    for (passed, failed) in counts[0].lines().into_iter().zip(counts[1].lines()) {
        let (name, n, whole) = passed;
        let name = name.strip_prefix("in ").unwrap_or(name);
        let _ = writeln!(out, "{n}\t{}\t{name}", failed.1);
        if let (Some(whole), Some(failed_whole)) = (whole, failed.2) {
            let shares = (percent_or_na(n, whole), percent_or_na(failed.1, failed_whole));
            let _ = writeln!(out, "{}\t{}\t{name} %", shares.0, shares.1);
        }
    }
    out
}

/// The text of `samtools flagstat -O json`.
pub fn json(counts: &[FlagStat; 2]) -> String {
    let object = |counts: &FlagStat| {
        let mut fields = Vec::new();
        for (index, (name, n, whole)) in counts.lines().into_iter().enumerate() {
            let name = match index {
                0 => "total",
                15 => "with mate mapped to a different chr (mapQ >= 5)",
                _ => name,
            };
            fields.push(format!("\"{name}\": {n}"));
            if let Some(whole) = whole {
                let share = percent(n, whole).unwrap_or("null".into());
                fields.push(format!("\"{name} %\": {share}"));
            }
        }
        fields.join(", \n  ")
    };
    format!(
        "{{\n \"QC-passed reads\": {{ \n  {} \n }},\n \"QC-failed reads\": {{ \n  {} \n }}\n}}\n",
        object(&counts[0]),
        object(&counts[1])
    )
}
