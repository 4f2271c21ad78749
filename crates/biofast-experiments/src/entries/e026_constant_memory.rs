//! 026: whether the memory of `stats` depends on the size of the input, by container and threads; a process for each
//! measurement. An empty process is beside it.

use biofast_io::{Options, Source};

use super::prelude::*;
use super::{kernel, stream};

pub(super) struct ConstantMemory;

impl Entry for ConstantMemory {
    fn applies(&self, cell: &Cell) -> bool {
        // A process that does nothing has neither threads nor a size.
        let least = cell.get("threads") == "1" && cell.get("container") == "plain";
        kernel::threads_exist(cell) && (cell.get("work") != "nothing" || least)
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = stream::text_bytes(cell, lab)?;
        let options = Options { threads: cell.number("threads")?, ..Options::serial() };
        let nothing = cell.get("work") == "nothing";
        Ok(Box::new(move |_| {
            let stats = || stream::stats(Source::open(&path)?, &options);
            Ok(Outcome::hashed(if nothing { String::new() } else { stats()? }, bytes))
        }))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(kernel::dataset(cell.get("reads"))?, stream::format(cell.get("container"))?)
}
