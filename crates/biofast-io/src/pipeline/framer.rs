//! What finds the records of a format.

use super::chunk::Chunk;
use super::chunker::ChunkBuffer;
use crate::error::Error;
use crate::input::{Followed, Notes, Options, Origin, SerialPart, Source};

/// What follows the bytes that are being framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// More data.
    More,
    /// Nothing: the data are complete.
    Data,
    /// A fault: what is incomplete is not an error of its own.
    Fault,
}

/// Finds where records begin and end: the state that passes from chunk to chunk.
///
/// ```
/// use biofast_io::pipeline::{self, End, Framer};
/// use biofast_io::{Carry, Chunk, Error, Options, Source};
/// use std::ops::Range;
///
/// /// A record is a line.
/// #[derive(Default)]
/// struct Lines {
///     unfinished: Carry,
/// }
///
/// impl Framer for Lines {
///     type Frame = Vec<Range<usize>>;
///     type Error = Error;
///
///     fn scan(lines: &mut Vec<Range<usize>>, _: &[u8]) {
///         lines.clear();
///     }
///
///     fn frame(
///         &mut self,
///         chunk: &mut Chunk,
///         lines: &mut Vec<Range<usize>>,
///         end: End,
///     ) -> Result<(), Error> {
///         chunk.join(&mut self.unfinished);
///         let mut start = 0;
///         for (at, _) in chunk.bytes().iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
///             lines.push(start..at);
///             start = at + 1;
///         }
///         match end {
///             End::Data if start < chunk.bytes().len() => lines.push(start..chunk.bytes().len()),
///             End::Data => {}
///             End::More | End::Fault => chunk.cut(start, &mut self.unfinished),
///         }
///         Ok(())
///     }
/// }
///
/// // Chunks of 4 bytes: lines go on from one to the next.
/// let options = Options { chunk_size: 4, ..Options::default() };
/// let longest = pipeline::fold(
///     Source::from_reader("example", &b"a\nthe longest line\nb"[..]),
///     &options,
///     Lines::default(),
///     || 0,
///     |longest, _, lines| *longest = lines.iter().map(Range::len).fold(*longest, usize::max),
///     |longest, other| *longest = other.max(*longest),
/// )?;
/// assert_eq!(longest, 16);
/// # Ok::<(), Error>(())
/// ```
pub trait Framer: Send + 'static {
    /// What is found in one chunk. Workers reuse it: [`scan`](Framer::scan) must clear it.
    type Frame: Default + Send;
    /// The format's error.
    type Error: From<Error> + Send;
    /// Whether BGZF data of this format must end with the end-of-file block, unless
    /// [`allow_missing_eof`](Options::allow_missing_eof) is set.
    const NEEDS_EOF: bool = false;

    /// Work on a chunk's own bytes that needs no knowledge of what came before.
    fn scan(frame: &mut Self::Frame, bytes: &[u8]);

    /// Frames the records of `chunk` in turn: joins the carried bytes in front, lists the
    /// complete records in `frame`, and cuts off and keeps the unfinished rest.
    ///
    /// # Errors
    /// The first fault of the format. `frame` then lists the records before it.
    fn frame(
        &mut self,
        chunk: &mut Chunk,
        frame: &mut Self::Frame,
        end: End,
    ) -> Result<(), Self::Error>;

    /// Told before anything is framed: where the input starts in what it is a part of. A whole starts at 0.
    fn begin(&mut self, _origin: Origin) {}

    /// Told before anything is framed: who is to hear of the records.
    #[doc(hidden)]
    fn follow(&mut self, _followed: Followed) {}

    /// Adds what the framer knows (record, line) to a fault that comes right after the bytes
    /// framed so far.
    fn locate(&self, error: Error) -> Self::Error {
        error.into()
    }
}

/// How input of this format is read.
pub(super) fn options_of<F: Framer>(options: &Options) -> Options {
    match F::NEEDS_EOF {
        true => options.for_alignments(),
        false => options.clone(),
    }
}

/// Tells a framer about the source whose records it is to frame.
pub(super) fn begin<F: Framer>(framer: &mut F, source: &Source) {
    framer.begin(source.origin());
    framer.follow(source.followed.clone());
}

/// The ordered part, the same for a worker and for [`Frames`](super::Frames). `Ok(true)` after the last bytes.
pub(super) fn frame_in_turn<F: Framer>(
    framer: &mut F,
    buffer: &mut ChunkBuffer,
    frame: &mut F::Frame,
    notes: Option<&Notes>,
) -> Result<bool, F::Error> {
    let fault = buffer.take_fault();
    let end = match (&fault, buffer.last) {
        (Some(_), _) => End::Fault,
        (None, true) => End::Data,
        (None, false) => End::More,
    };
    if let Some(notes) = notes {
        notes.framed(buffer.chunk.bytes().len());
    }
    let framed =
        Notes::time(notes, SerialPart::Framing, || framer.frame(&mut buffer.chunk, frame, end));
    // Before any finding is believed: were the bytes those of the file?
    if let Err(error) = buffer.check_intact() {
        return Err(framer.locate(error));
    }
    framed?;
    match fault {
        Some(error) => Err(framer.locate(error)),
        None => {
            if let (Some(warning), Some(notes)) = (buffer.warning.take(), notes) {
                notes.warn(warning);
            }
            Ok(buffer.last)
        }
    }
}
