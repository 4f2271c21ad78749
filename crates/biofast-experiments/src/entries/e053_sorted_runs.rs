//! 053: a sort that doesn't fit in memory, with few runs and many, by numbers and by names.

use biofast_bam::Reader;
use biofast_io::{Options, Source};
use biofast_ops::sort::{Order, SortLimits, Sorter};
use sha2::{Digest as _, Sha256};

use super::prelude::*;
use crate::datasets::to_hex;

pub(super) struct SortedRuns;

impl Entry for SortedRuns {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let order = match cell.get("sorted_by") {
            "coordinate" => Order::Coordinate,
            "name" => Order::NaturalName,
            other => bail!("no order is called {other:?}"),
        };
        let runs: usize = cell.get("runs").parse().context("no number of runs")?;
        let path = lab.file("aln_50k", Format::Bam)?;
        let mut input = Input::read(&path)?;
        if order == Order::Coordinate {
            input = input.by_name()?;
        }
        let bytes: usize = input.records.iter().map(Vec::len).sum();
        let memory = bytes.checked_div(runs).unwrap_or(8 * bytes);
        let folder = path.parent().context("a file without a folder")?.to_owned();
        let limits = SortLimits { memory, folder, sums: false };
        Ok(Box::new(move |calls| {
            let (answer, stored) = repeat(calls, || input.sort(order, &limits))?;
            Ok(Outcome::new(answer, bytes)
                .with("stored_runs", stored.0 as f64)
                .with("stored_share", stored.1 as f64 / bytes as f64))
        }))
    }
}

/// A file's records in memory.
struct Input {
    header: biofast_bam::Header,
    records: Vec<Vec<u8>>,
}

impl Input {
    fn read(path: &PathBuf) -> Result<Input> {
        let mut reader = Reader::new(Source::open(path)?, &Options::serial())?;
        let mut records = Vec::new();
        while let Some(record) = reader.next_record()? {
            records.push(record.as_bytes().to_vec());
        }
        Ok(Input { header: reader.header().clone(), records })
    }

    /// The same records in the order of their names.
    fn by_name(self) -> Result<Input> {
        let limits = SortLimits { memory: usize::MAX / 4, ..SortLimits::default() };
        let mut sorter = Sorter::new(Order::NaturalName, &limits);
        self.add_to(&mut sorter)?;
        let mut sorted = sorter.finish(&self.header, 1)?;
        let mut records = Vec::with_capacity(self.records.len());
        while let Some(record) = sorted.next_record()? {
            records.push(record.as_bytes().to_vec());
        }
        Ok(Input { header: self.header, records })
    }

    fn add_to(&self, sorter: &mut Sorter) -> Result<()> {
        for record in &self.records {
            sorter.add(&biofast_bam::Record::from_checked(record))?;
        }
        Ok(())
    }

    /// Sorts them: a checksum of the order, and how many runs and bytes were stored.
    fn sort(&self, order: Order, limits: &SortLimits) -> Result<(String, (u64, u64))> {
        let mut sorter = Sorter::new(order, limits);
        self.add_to(&mut sorter)?;
        let mut sorted = sorter.finish(&self.header, 1)?;
        let mut sum = Sha256::new();
        while let Some(record) = sorted.next_record()? {
            // Flags and place tell records of one name apart.
            sum.update(&record.as_bytes()[..16]);
            sum.update(record.name());
        }
        let summary = sorted.summary();
        Ok((to_hex(&sum.finalize()[..8]), (summary.stored_runs, summary.stored_bytes)))
    }
}
