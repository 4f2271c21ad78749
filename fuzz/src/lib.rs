//! What the fuzz targets share: a bound on memory, and ways to read the same input twice.

pub mod deflaters;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use biofast_bam::{Batch, Detail, Header, Input, InputOptions, SamWriter};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::container;

/// Counts what is allocated by Rust code. C libraries (zstd, xz, libdeflate) are seen by libFuzzer's own limit only.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grown(by: usize) {
    let live = LIVE.fetch_add(by, Ordering::Relaxed) + by;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grown(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `f` on an input of `len` bytes and panics if it had more than 64 × input + 64 MB at once.
pub fn bounded<T>(len: usize, f: impl FnOnce() -> T) -> T {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = f();
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(taken <= 64 * len + (64 << 20), "{taken} bytes for an input of {len}");
    result
}

/// A folder for the files of this process, in memory where there is such a place.
pub fn folder() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let shm = Path::new("/dev/shm");
        let folder = if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() };
        folder.expect("a folder")
    });
    folder.path().to_owned()
}

/// How to read: threads and chunk.
pub fn options(threads: usize, chunk_size: usize) -> Options {
    Options { threads, chunk_size, io: IoMode::Read, strict: true, ..Options::serial() }
}

/// `data` as an input of that name.
pub fn source(name: &str, data: &[u8]) -> Source {
    Source::from_reader(name, std::io::Cursor::new(data.to_vec()))
}

/// Panics unless another gzip reader (flate2) finds `ours` in a file that our lenient reader took for a good one.
///
/// Zeros behind the last member are padding for us, as for gzip(1); flate2 takes them for a bad member. Fewer than 16
/// zeros can be the member's own: its length and checksum, and the end of its data.
pub fn gunzips_alike(file: &[u8], ours: &[u8]) {
    let zeros = file.iter().rev().take_while(|&&byte| byte == 0).count();
    let bare = file.len() - zeros;
    let found = (0..=zeros.min(16)).find_map(|n| container::gunzip(&file[..bare + n]));
    assert_eq!(found.as_deref(), Some(ours), "another reader finds something else");
}

/// What reading alignments gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Alignments {
    /// The records' bytes up to the first fault, with their numbers.
    pub records: Vec<(u64, Vec<u8>)>,
    /// The records as SAM text with the header, without the records that can't be text; nothing if the header can't.
    pub text: Option<Vec<u8>>,
    /// The first fault.
    pub error: Option<String>,
}

/// Reads alignments of any format and looks at every part of every record.
pub fn alignments(data: &[u8], options: &Options, detail: Detail) -> Alignments {
    alignments_with(data, options, detail, None)
}

/// The same with a reference for CRAM.
pub fn alignments_with(
    data: &[u8],
    options: &Options,
    detail: Detail,
    reference: Option<PathBuf>,
) -> Alignments {
    let opening = InputOptions { io: options, reference, detail };
    let input = match Input::open(source("x", data), &opening) {
        Ok(input) => input,
        Err(error) => {
            return Alignments { records: vec![], text: None, error: Some(error.to_string()) };
        }
    };
    let folded = biofast_bam::Fold::new(input.source).options(options).run(
        Part::default,
        accept,
        |all, part| {
            all.header = all.header.take().or(part.header);
            all.records.extend(part.records);
        },
    );
    let (mut part, error) = match folded {
        Ok((header, mut part)) => {
            part.header = Some(sam_text(&header));
            (part, None)
        }
        Err(fault) => (fault.so_far, Some(fault.error.to_string())),
    };
    part.records.sort();
    let text = part.header.flatten().map(|mut text| {
        part.records.iter().for_each(|(_, _, line)| text.extend(line));
        text
    });
    let records = part.records.into_iter().map(|(number, bytes, _)| (number, bytes)).collect();
    Alignments { records, text, error }
}

/// The header as SAM text; nothing if it can't be text, and then nothing is left of it.
fn sam_text(header: &Header) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let written = header.write_sam(&mut text);
    assert!(written.is_ok() || text.is_empty(), "half a header was left");
    written.is_ok().then_some(text)
}

#[derive(Default)]
struct Part {
    /// The header as SAM text, once it was seen; nothing inside if it can't be text.
    header: Option<Option<Vec<u8>>>,
    records: Vec<(u64, Vec<u8>, Vec<u8>)>,
}

fn accept(part: &mut Part, batch: Batch<'_>) {
    let writer = SamWriter::new(batch.header());
    part.header.get_or_insert_with(|| sam_text(batch.header()));
    for (number, record) in (batch.first_record()..).zip(batch.iter()) {
        let mut text = Vec::new();
        // What can't be text isn't, and says so.
        let written = writer.write(&record, &mut text);
        assert!(written.is_ok() || text.is_empty(), "half a line was left");
        let parts = (record.alignment_end(), record.has_long_cigar(), record.check().is_ok());
        let tags = record.tags().map(|tag| tag.as_int().unwrap_or(tag.value.len() as i64));
        std::hint::black_box((parts, tags.sum_wrapping()));
        part.records.push((number, record.as_bytes().to_vec(), text));
    }
}

trait SumWrapping {
    fn sum_wrapping(self) -> i64;
}

impl<I: Iterator<Item = i64>> SumWrapping for I {
    fn sum_wrapping(self) -> i64 {
        self.fold(0, i64::wrapping_add)
    }
}

/// Reads `data` on one thread and on three with small chunks: the results must be the same. Returns them.
pub fn alignments_alike(data: &[u8], chunk_size: usize, detail: Detail) -> Alignments {
    let serial = bounded(data.len(), || alignments(data, &options(1, 1 << 16), detail));
    let parallel = bounded(data.len(), || alignments(data, &options(3, chunk_size), detail));
    assert_eq!(serial.error, parallel.error);
    assert_eq!(serial.records, parallel.records);
    serial
}

/// SAM text that was written from records must be read as records that give the same text.
pub fn reads_back(text: &[u8]) {
    let again = alignments(text, &options(1, 1 << 16), Detail::Full);
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(again.error, None, "what was written can't be read: {}", shown(text));
    // The reader puts FLAG and RNAME right, once.
    let again = again.text.expect("a header that was written can be written again");
    let third = alignments(&again, &options(1, 1 << 16), Detail::Full);
    assert_eq!(third.text.as_deref().map(shown), Some(shown(&again)));
}

/// Records with block sizes that fit, however long their parts claim to be.
pub fn framed(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in data.split(|&b| b == 0xf5) {
        out.extend((part.len() as u32).to_le_bytes());
        out.extend(part);
    }
    out
}
