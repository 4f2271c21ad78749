//! Maps with one advice each, given by memmap2 or by the system call itself, and advice about files: what entry 056 takes
//! apart.
#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail};
use memmap2::Mmap;

use crate::core::page_cache;

/// What the kernel is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Advice {
    /// MADV_SEQUENTIAL, by memmap2.
    sequential: bool,
    /// The same by the system call itself.
    sequential_raw: bool,
    /// MADV_WILLNEED, by memmap2.
    will_need: bool,
    /// POSIX_FADV_SEQUENTIAL about the file, which doubles the window that is read ahead.
    file: bool,
}

impl Advice {
    pub(crate) fn of(name: &str) -> Result<Advice> {
        let none = Advice::default();
        Ok(match name {
            "none" => none,
            "seq" => Advice { sequential: true, ..none },
            "seq-raw" => Advice { sequential_raw: true, ..none },
            "need" => Advice { will_need: true, ..none },
            "both" => Advice { sequential: true, will_need: true, ..none },
            "fadvise" => Advice { file: true, ..none },
            "seq+fadvise" => Advice { sequential: true, file: true, ..none },
            other => bail!("no advice is called {other:?}"),
        })
    }

    /// Says about a file what is to be said about it.
    pub(crate) fn of_file(self, file: &File) -> Result<()> {
        match self.file {
            true => page_cache::advise(file, 0, 0, page_cache::Advice::Sequential),
            false => Ok(()),
        }
    }
}

/// A map of a whole file.
pub(crate) struct Advised(Mmap);

impl Advised {
    pub(crate) fn open(path: &Path, advice: Advice) -> Result<Advised> {
        let file = File::open(path)?;
        advice.of_file(&file)?;
        // SAFETY: the map is read-only, and the file is in the laboratory's scratch directory, which no other process changes.
        let map = unsafe { Mmap::map(&file)? };
        #[cfg(unix)]
        {
            if advice.sequential {
                map.advise(memmap2::Advice::Sequential)?;
            }
            if advice.will_need {
                map.advise(memmap2::Advice::WillNeed)?;
            }
            if advice.sequential_raw {
                let start = map.as_ptr().cast_mut().cast();
                // SAFETY: start and length are those of a live map; the advice changes nothing but what is read ahead.
                let code = unsafe { libc::madvise(start, map.len(), libc::MADV_SEQUENTIAL) };
                anyhow::ensure!(code == 0, "madvise: {}", std::io::Error::last_os_error());
            }
        }
        Ok(Advised(map))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
