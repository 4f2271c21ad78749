//! How the pages of a file lie together: Linux keeps a file's pages in folios of one page or of up to 2 MB, and maps a folio of
//! many pages with fewer faults. Which page belongs to which folio is told by `/proc/self/pagemap` and `/proc/kpageflags`, to
//! root only.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use memmap2::Mmap;

/// The folios of a file that is in the page cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Folios {
    /// The size of the folio that a page is in, in KB, averaged over the pages.
    pub(crate) kb: f64,
    /// The share of pages in folios of less than 64 KB.
    pub(crate) small: f64,
}

/// Of `/proc/self/pagemap` and `/proc/kpageflags`: the bits with the page's number, and the one that is set in all pages of a
/// folio but the first.
const NUMBER: u64 = (1 << 55) - 1;
const TAIL: u64 = 1 << 16;
const ENTRY: usize = 8;
/// The pages of the largest folio of x86-64, which is what is looked up at once.
const RUN: usize = 512;
const PAGE_KB: f64 = 4.0;
const SMALL: usize = 16;

/// The folios of a file that is resident; none if the system doesn't tell.
pub(super) fn of(file: &File) -> Option<Folios> {
    let numbers = page_numbers(file)?;
    let flags = File::open("/proc/kpageflags").ok()?;
    let mut is_tail = Vec::with_capacity(numbers.len());
    let mut at = 0;
    let mut buffer = [0; RUN * ENTRY];
    while at < numbers.len() {
        // Pages of a folio lie one behind the other.
        let next = numbers[at..].iter().take(RUN).zip(numbers[at]..);
        let run = next.take_while(|(number, expected)| *number == expected).count();
        let entries = &mut buffer[..run * ENTRY];
        flags.read_exact_at(entries, numbers[at] * ENTRY as u64).ok()?;
        is_tail.extend(words(entries).map(|flags| flags & TAIL != 0));
        at += run;
    }
    Some(condense(&is_tail))
}

/// The number of each page of a file, by a map of it; none if one isn't known.
fn page_numbers(file: &File) -> Option<Vec<u64>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return None;
    }
    // SAFETY: the map is read-only, its bytes are looked at by nobody, and the laboratory's files are cut by no other process.
    let map = unsafe { Mmap::map(file) }.ok()?;
    #[cfg(target_os = "linux")]
    map.advise(memmap2::Advice::PopulateRead).ok()?;
    let page = PAGE_KB as usize * 1024;
    let mut entries = vec![0; map.len().div_ceil(page) * ENTRY];
    let place = map.as_ptr() as usize / page * ENTRY;
    File::open("/proc/self/pagemap").ok()?.read_exact_at(&mut entries, place as u64).ok()?;
    let numbers: Vec<u64> = words(&entries).map(|entry| entry & NUMBER).collect();
    (!numbers.contains(&0)).then_some(numbers)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<ENTRY>().0.iter().map(|entry| u64::from_ne_bytes(*entry))
}

/// From which pages go on with the folio before them.
fn condense(is_tail: &[bool]) -> Folios {
    let (mut squares, mut small, mut pages) = (0, 0, 0);
    let mut close = |run: usize| {
        pages += run;
        squares += run * run;
        small += if run < SMALL { run } else { 0 };
    };
    let mut run = 0;
    for &tail in is_tail {
        if !tail {
            close(run);
            run = 0;
        }
        run += 1;
    }
    close(run);
    let pages = pages.max(1) as f64;
    Folios { kb: squares as f64 / pages * PAGE_KB, small: small as f64 / pages }
}
