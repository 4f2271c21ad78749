//! Memory maps of input files, and the handler that turns "the file was cut while mapped" into
//! an error instead of a death by SIGBUS.
//!
//! Touching a mapped page that lies behind the new end of a file raises SIGBUS. The handler
//! installed with the first map looks whether the address belongs to one of our maps; if so, it
//! puts zero pages over the rest of that map and marks it as cut. The reader sees zeros, checks
//! the mark before it believes anything, and reports the file as shrunk. Any other SIGBUS goes
//! to the handler that was there before.
#![allow(unsafe_code)]

use std::fs::File;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use memmap2::Mmap;

use crate::input::MapAdvice;

/// A read-only map of a whole regular file, registered with the SIGBUS handler. Public for experiments.
pub struct Map {
    map: Mmap,
    advice: MapAdvice,
    /// To ask for the file's length again.
    file: File,
    slot: usize,
}

/// Maps that can exist at once; beyond that, files are read instead.
const SLOTS: usize = 256;

struct MapSlot {
    taken: AtomicBool,
    /// The address range `start..end` of the map; `start == 0` is no map.
    start: AtomicUsize,
    end: AtomicUsize,
    cut: AtomicBool,
}

static REGISTRY: [MapSlot; SLOTS] = [const {
    MapSlot {
        taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        cut: AtomicBool::new(false),
    }
}; SLOTS];

/// What handled SIGBUS before, leaked once.
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());
static PAGE_SIZE: AtomicUsize = AtomicUsize::new(4096);
static INSTALL: Once = Once::new();

impl Map {
    /// Maps `len` bytes of `file`; gives the file back if it is empty, too large for the address
    /// space, on a file system that can't map, or if too many maps exist already. It can be
    /// read then.
    ///
    /// # Errors
    /// The file itself, as said.
    pub fn new(file: File, len: u64, advice: MapAdvice) -> Result<Map, File> {
        let len = match usize::try_from(len) {
            Ok(len) if len > 0 => len,
            _ => return Err(file),
        };
        INSTALL.call_once(install_handler);
        let Some(slot) = REGISTRY.iter().position(|s| !s.taken.swap(true, Ordering::AcqRel)) else {
            return Err(file);
        };
        // SAFETY: the map is read-only. Another process may still change the file: bytes that
        // change give wrong records, which are checked like any input, and never memory
        // unsafety, because no value read from the map is used as a bound without a check
        // against a length that doesn't come from it. A file that is cut is handled by the
        // SIGBUS handler.
        let mapped = unsafe { memmap2::MmapOptions::new().len(len).map(&file) };
        let Ok(map) = mapped else {
            REGISTRY[slot].taken.store(false, Ordering::Release);
            return Err(file);
        };
        let start = map.as_ptr() as usize;
        REGISTRY[slot].cut.store(false, Ordering::Release);
        REGISTRY[slot].end.store(start + len, Ordering::Release);
        REGISTRY[slot].start.store(start, Ordering::Release);
        advise(&map, advice);
        Ok(Map { map, advice, file, slot })
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether the file is now shorter than the map. A cut inside the last page raises no
    /// SIGBUS (the rest of that page reads as zeros), so the length is asked for as well.
    pub fn was_cut(&self) -> bool {
        REGISTRY[self.slot].cut.load(Ordering::Acquire)
            || !self.file.metadata().is_ok_and(|m| m.len() >= self.map.len() as u64)
    }

    /// What was said about the map.
    pub(crate) fn advice(&self) -> MapAdvice {
        self.advice
    }

    /// Lets go of the pages of a range: they stay in the system's cache and come back when
    /// touched, but no longer count as this process's memory.
    pub(crate) fn release(&self, range: std::ops::Range<usize>) {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: DONTNEED on a read-only file map only drops page-table entries; a later
            // access reads the file's page again.
            let _ = unsafe {
                self.map.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    range.start,
                    range.end - range.start,
                )
            };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    /// Maps the pages of a range before they are touched: one system call in place of a fault
    /// for every 64 KB.
    pub fn populate(&self, range: std::ops::Range<usize>) {
        #[cfg(target_os = "linux")]
        {
            // Only a hint: an old kernel or a cut file makes it fail, and touching decides.
            let _ = self.map.advise_range(
                memmap2::Advice::PopulateRead,
                range.start,
                range.end.min(self.map.len()).saturating_sub(range.start),
            );
        }
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // The range is forgotten before the fields are dropped and the pages unmapped. The slot
        // may be taken again at once: nobody can touch this map any more.
        REGISTRY[self.slot].start.store(0, Ordering::Release);
        REGISTRY[self.slot].taken.store(false, Ordering::Release);
    }
}

/// Tells the system how the map is going to be read.
fn advise(map: &Mmap, advice: MapAdvice) {
    // Two calls: advice values are numbers, not flags, and `2 | 3` would be WILLNEED alone.
    // Advice that is refused changes nothing but speed.
    if advice.sequential {
        let _ = map.advise(memmap2::Advice::Sequential);
    }
    if advice.will_need {
        let _ = map.advise(memmap2::Advice::WillNeed);
    }
}

fn install_handler() {
    // SAFETY: sysconf only reads a system constant.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    if let Ok(page) = usize::try_from(page) {
        PAGE_SIZE.store(page, Ordering::Relaxed);
    }
    // SAFETY: `sigaction` structs are plain data for which all-zero is valid.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: all zeros is a valid `sigaction` here, too.
    let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_sigbus as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: both pointers are to live structs; `on_sigbus` has the signature SA_SIGINFO asks
    // for and does only what a signal handler may.
    unsafe {
        libc::sigemptyset(&mut action.sa_mask);
        if libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut previous) == 0 {
            PREVIOUS.store(Box::into_raw(Box::new(previous)), Ordering::Release);
            libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn on_sigbus(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid siginfo with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    for slot in &REGISTRY {
        let start = slot.start.load(Ordering::Acquire);
        let end = slot.end.load(Ordering::Acquire);
        // The slot may have changed hands in between. Then it is not the one of this address:
        // a map that is being touched is held by whoever touches it.
        if start != slot.start.load(Ordering::Acquire) {
            continue;
        }
        if start == 0 || address < start || address >= end {
            continue;
        }
        let page = PAGE_SIZE.load(Ordering::Relaxed);
        let from = address & !(page - 1);
        // SAFETY: `from..end` lies inside a map of ours (maps start on a page boundary), so
        // MAP_FIXED replaces only our own pages, by zeros, with the same protection.
        // mmap is a plain system call and touches no lock.
        let placed = unsafe {
            libc::mmap(
                from as *mut libc::c_void,
                end - from,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if placed != libc::MAP_FAILED {
            slot.cut.store(true, Ordering::Release);
            return;
        }
    }
    pass_on(signal, info, context);
}

/// Does what would have happened without our handler.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let previous = PREVIOUS.load(Ordering::Acquire);
    // SAFETY: `previous` was leaked by `install_handler` and is never freed or changed; the
    // function pointers in it were valid handlers for SIGBUS with the flags beside them.
    unsafe {
        if !previous.is_null() {
            let handler = (*previous).sa_sigaction;
            if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
                if (*previous).sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(
                        libc::c_int,
                        *mut libc::siginfo_t,
                        *mut libc::c_void,
                    ) = std::mem::transmute(handler);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
                return;
            }
        }
        // The default action: return with it in place, and the fault strikes again.
        libc::signal(libc::SIGBUS, libc::SIG_DFL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write};

    #[test]
    fn a_file_cut_while_mapped_reads_as_zeros_and_is_marked() -> io::Result<()> {
        let mut file = tempfile::tempfile()?;
        let other = file.try_clone()?;
        file.write_all(&vec![b'A'; 1 << 20])?;
        let map =
            Map::new(other, 1 << 20, MapAdvice::DEFAULT).map_err(|_| io::ErrorKind::Unsupported)?;
        assert_eq!(map.bytes()[0], b'A');
        assert!(!map.was_cut());
        file.set_len(8192)?;
        assert_eq!(map.bytes()[(1 << 20) - 1], 0);
        assert!(map.was_cut());
        // The mark stays when the file grows again.
        file.set_len(1 << 20)?;
        assert!(map.was_cut());
        assert_eq!(map.bytes()[8191], b'A');
        Ok(())
    }
}
