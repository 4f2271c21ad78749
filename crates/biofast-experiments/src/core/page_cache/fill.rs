//! Ways in which a file comes into the page cache.

use std::fs::File;
use std::io::Read as _;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use memmap2::Mmap;

/// Who brings the pages of a file that isn't resident into the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Plain reads of 1 MB from front to back.
    Reads,
    /// Plain reads of a page each, in random order.
    RandomReads,
    /// A map without advice, touched from front to back.
    Touch,
    /// The same, from back to front.
    TouchBack,
    /// A map that MADV_POPULATE_READ brings in.
    Populate,
    /// `posix_fadvise(WILLNEED)` for the whole file.
    Ahead,
    /// The same for 128 KB at a time.
    AheadPieces,
    /// A program that writes 1 MB at a time.
    Writes,
    /// A program that writes a page at a time.
    SmallWrites,
}

/// Of reads and writes.
const PIECE: usize = 1 << 20;
/// The smallest page there is.
const PAGE: usize = 4 << 10;
/// What Linux reads ahead unless told otherwise.
const AHEAD: u64 = 128 << 10;

impl Fill {
    /// All of them with their names in protocols.
    pub(crate) const ALL: [(&'static str, Fill); 9] = [
        ("reads", Fill::Reads),
        ("random-reads", Fill::RandomReads),
        ("touch", Fill::Touch),
        ("touch-back", Fill::TouchBack),
        ("populate", Fill::Populate),
        ("ahead", Fill::Ahead),
        ("ahead-128K", Fill::AheadPieces),
        ("writes", Fill::Writes),
        ("small-writes", Fill::SmallWrites),
    ];

    pub(crate) fn of(name: &str) -> Result<Fill> {
        let found = Fill::ALL.iter().find(|(own, _)| *own == name);
        found.map(|(_, fill)| *fill).with_context(|| format!("no way to fill is called {name:?}"))
    }

    /// Brings the file in.
    pub(super) fn run(self, path: &Path) -> Result<()> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        match self {
            Fill::Reads => read_on(&file)?,
            Fill::RandomReads => {
                let mut page = [0; PAGE];
                let pages = len.div_ceil(PAGE as u64);
                for page_number in scattered(pages) {
                    file.read_at(&mut page, page_number * PAGE as u64)?;
                }
            }
            Fill::Touch | Fill::TouchBack => {
                let map = map(&file)?;
                let touch = |at: usize| std::hint::black_box(map[at]);
                let places = (0..map.len()).step_by(PAGE);
                if self == Fill::Touch {
                    places.for_each(|at| _ = touch(at));
                } else {
                    places.rev().for_each(|at| _ = touch(at));
                }
            }
            Fill::Populate => populate(&map(&file)?)?,
            Fill::Ahead => ahead(&file, len, len)?,
            Fill::AheadPieces => ahead(&file, len, AHEAD)?,
            Fill::Writes => write_again(path, PIECE)?,
            Fill::SmallWrites => write_again(path, PAGE)?,
        }
        Ok(())
    }
}

/// Reads from where the file stands to its end.
fn read_on(mut file: &File) -> Result<()> {
    let mut buffer = vec![0; PIECE];
    while file.read(&mut buffer)? > 0 {}
    Ok(())
}

/// The numbers below `count`, each once, next to none of its neighbours.
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    // A prime that no number of pages here is a multiple of.
    const STEP: u64 = 2_654_435_761;
    (0..count).map(move |i| i * STEP % count)
}

fn map(file: &File) -> Result<Mmap> {
    // SAFETY: the map is read-only, and files that are filled are the laboratory's own, which no other process cuts.
    Ok(unsafe { Mmap::map(file)? })
}

#[cfg(target_os = "linux")]
fn populate(map: &Mmap) -> Result<()> {
    map.advise(memmap2::Advice::PopulateRead).context("the kernel has no MADV_POPULATE_READ")
}

#[cfg(not(target_os = "linux"))]
fn populate(_: &Mmap) -> Result<()> {
    anyhow::bail!("this system has no MADV_POPULATE_READ")
}

/// Asks for pieces of the file and waits until they are there. The system may do less than it is asked: what is missing at
/// the end is read.
fn ahead(file: &File, len: u64, piece: u64) -> Result<()> {
    let mut from = 0;
    while from < len {
        super::advise(file, from, piece.min(len - from), super::Advice::WillNeed)?;
        from += piece;
    }
    for _ in 0..200 {
        if super::residency(file, len)? >= 1.0 {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    read_on(file)
}

/// Writes what is in the file once more, after its pages were dropped, and waits until the disk has it.
fn write_again(path: &Path, piece: usize) -> Result<()> {
    let bytes = std::fs::read(path)?;
    let mut file = File::options().write(true).open(path)?;
    super::advise(&file, 0, 0, super::Advice::DontNeed)?;
    for part in bytes.chunks(piece) {
        file.write_all(part)?;
    }
    Ok(file.sync_all()?)
}
