//! Records and bases of a file, by the library.

use std::path::Path;

use anyhow::Result;
use biofast_bam as bam;
use biofast_fastq as fastq;
use biofast_io::{Options, Source};

use super::Format;

/// Records and bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counted {
    /// Reads, or alignment records of every kind.
    pub records: u64,
    /// Of all records.
    pub bases: u64,
}

impl Counted {
    pub(crate) fn add(&mut self, bases: usize) {
        self.records += 1;
        self.bases += bases as u64;
    }

    pub(crate) fn merge(&mut self, other: Counted) {
        self.records += other.records;
        self.bases += other.bases;
    }
}

pub(crate) fn count(file: &Path, format: Format, threads: usize) -> Result<Counted> {
    match format {
        Format::Bam => count_bam(file, threads),
        _ => count_fastq(Source::open(file)?, threads),
    }
}

pub(crate) fn count_fastq(source: impl fastq::Readable, threads: usize) -> Result<Counted> {
    let options = Options { threads, ..Options::default() };
    let accept = |counted: &mut Counted, batch: fastq::Batch<'_>| {
        batch.iter().for_each(|record| counted.add(record.sequence().len()));
    };
    let counted =
        fastq::Fold::new(source).options(&options).run(Counted::default, accept, Counted::merge);
    counted.map_err(|fault| fault.error.into())
}

fn count_bam(file: &Path, threads: usize) -> Result<Counted> {
    let options = Options { threads, ..Options::default() };
    let accept = |counted: &mut Counted, batch: bam::Batch<'_>| {
        batch.iter().for_each(|record| counted.add(record.sequence_len()));
    };
    let source = Source::open(file)?;
    let counted =
        bam::Fold::new(source).options(&options).run(Counted::default, accept, Counted::merge);
    Ok(counted.map_err(|fault| fault.error)?.1)
}
