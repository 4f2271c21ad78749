//! Records of three pieces (header, payload, trailer) written in five ways, which give the same bytes and count their
//! system calls. Used by entry 036.

use std::io::{self, IoSlice, Write};

/// How pieces become system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A `write` for each piece.
    Separate,
    /// A `writev` for each record.
    Vectored,
    /// Pieces copied together, a `write` for each record.
    Copied,
    /// A `writev` for as many records as it takes.
    Batched,
    /// Pieces copied to a buffer of 64 KB, which is written when full; larger pieces directly.
    Buffered,
}

const BUFFER: usize = 64 << 10;
/// Pieces that `writev` takes at once, on Linux and macOS, less the last that would cut a record.
const PIECES: usize = 1023;

/// Three pieces of a record.
pub(crate) type Record<'a> = [&'a [u8]; 3];

/// Writes all records; `buffer` is for copies and kept by the caller. Returns the number of calls of `write` and
/// `writev`.
pub(crate) fn write_records(
    out: impl Write,
    way: Way,
    records: &[Record<'_>],
    buffer: &mut Vec<u8>,
) -> io::Result<u64> {
    let mut out = Counted { out, calls: 0 };
    buffer.clear();
    match way {
        Way::Separate => {
            for piece in records.iter().flatten() {
                out.write_all(piece)?;
            }
        }
        Way::Vectored => {
            for record in records {
                write_vectored(&mut out, &mut record.map(IoSlice::new))?;
            }
        }
        Way::Copied => {
            for record in records {
                buffer.clear();
                record.iter().for_each(|piece| buffer.extend_from_slice(piece));
                out.write_all(buffer)?;
            }
        }
        Way::Batched => {
            let mut slices = Vec::with_capacity(PIECES);
            for batch in records.chunks(PIECES / 3) {
                slices.clear();
                slices.extend(batch.iter().flatten().map(|piece| IoSlice::new(piece)));
                write_vectored(&mut out, &mut slices)?;
            }
        }
        Way::Buffered => {
            for piece in records.iter().flatten() {
                if buffer.len() + piece.len() > BUFFER {
                    out.write_all(buffer)?;
                    buffer.clear();
                }
                if piece.len() >= BUFFER {
                    out.write_all(piece)?;
                } else {
                    buffer.extend_from_slice(piece);
                }
            }
            if !buffer.is_empty() {
                out.write_all(buffer)?;
            }
        }
    }
    out.flush()?;
    Ok(out.calls)
}

/// All of the slices, however many bytes a call takes.
fn write_vectored(out: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Empty slices at the front would look like a call that wrote nothing.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match out.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => IoSlice::advance_slices(&mut slices, n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

struct Counted<W> {
    out: W,
    calls: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        self.out.write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.calls += 1;
        self.out.write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
