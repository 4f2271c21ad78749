//! GZI indexes of BGZF inputs: where each block starts, in the file and in its data, as `bgzip -r` writes it.

use std::sync::Arc;

use super::chunk::{BlockData, Chunk};
use super::fold;
use super::framer::{End, Framer};
use crate::container::gzi;
use crate::error::{Error, ErrorKind, Location};
use crate::input::{Container, Notes, Options, Source};

/// Reads all of a BGZF input, checks every block and returns the GZI index of it.
///
/// ```
/// use biofast_io::{Options, Source, bgzf, gzi};
///
/// let file = std::io::Cursor::new(bgzf::compress(&[b'A'; 100_000]));
/// let index = gzi::build(Source::from_reader("example", file), &Options::default())?;
/// // A count, and where the second of two blocks starts.
/// assert_eq!(index.len(), 8 + 16);
/// # Ok::<(), biofast_io::Error>(())
/// ```
///
/// # Errors
/// If the input can't be read, is damaged, or is anything but BGZF.
pub fn build(source: Source, options: &Options) -> Result<Vec<u8>, Error> {
    let name: Arc<str> = source.name().into();
    let notes = options.notes.clone().unwrap_or_else(|| Arc::new(Notes::default()));
    let options = Options { notes: Some(Arc::clone(&notes)), ..options.clone() };
    let mut entries = fold(
        source,
        &options,
        PositionFramer(0),
        Vec::new,
        |entries: &mut Vec<Entry>, chunk, start| {
            let mut data = *start;
            for BlockData { file_offset, len } in chunk.blocks() {
                if len > 0 {
                    entries.push(Entry { file: file_offset, data });
                }
                data += len as u64;
            }
            if data - start != chunk.bytes().len() as u64 {
                // Bytes that come from no block: found out below by their absence.
                entries.push(Entry { file: u64::MAX, data });
            }
        },
        |all, other| all.extend(other),
    )
    .map_err(|fault| fault.error)?;
    entries.sort_unstable();
    let other_bytes = entries.last().is_some_and(|entry| entry.file == u64::MAX);
    if other_bytes || notes.container() != Some(Container::Bgzf) {
        let what = notes.container().map_or("nothing", Container::name);
        let found = if what == "bgzf" { "other gzip data after the blocks" } else { what };
        return Err(Error::new(ErrorKind::NotBgzf(found), Location::in_input(&name)));
    }
    let rest = entries.get(1..).unwrap_or_default();
    let mut out = Vec::with_capacity(8 + 16 * rest.len());
    let starts = rest.iter().map(|entry| (entry.file, entry.data));
    gzi::write(starts, &mut out)
        .map_err(|error| Error::new(ErrorKind::Io(error), Location::in_input(&name)))?;
    Ok(out)
}

/// Where a block starts: in the file, and in the data.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    file: u64,
    data: u64,
}

/// Frames nothing: only counts the bytes before each chunk.
struct PositionFramer(u64);

impl Framer for PositionFramer {
    type Frame = u64;
    type Error = Error;

    fn scan(_: &mut u64, _: &[u8]) {}

    fn frame(&mut self, chunk: &mut Chunk, frame: &mut u64, _: End) -> Result<(), Error> {
        *frame = self.0;
        self.0 += chunk.bytes().len() as u64;
        Ok(())
    }
}
