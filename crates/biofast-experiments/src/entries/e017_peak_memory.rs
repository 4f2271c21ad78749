//! 017: peak memory of loading all reads and of streaming them, a process for each measurement.

use super::prelude::*;
use super::{kernel, peak_memory};

pub(super) struct PeakMemory;

impl Entry for PeakMemory {
    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = std::fs::metadata(&path)?.len() as usize;
        let method = cell.get("method").to_owned();
        Ok(Box::new(move |_| Ok(Outcome::new(peak_memory::go_over(&method, &path)?, bytes))))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(kernel::dataset(cell.get("reads"))?, Format::Fastq)
}
