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

/// Of the buffer.
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

/// Counts calls.
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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const WAYS: [Way; 5] =
        [Way::Separate, Way::Vectored, Way::Copied, Way::Batched, Way::Buffered];

    /// Takes at most so many bytes a call, and is interrupted before each.
    struct Short(Vec<u8>, usize, bool);

    impl Write for Short {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let before = self.0.len();
            for slice in slices {
                let room = self.1 - (self.0.len() - before);
                self.0.extend_from_slice(&slice[..slice.len().min(room)]);
            }
            Ok(self.0.len() - before)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_way_writes_the_same_bytes_however_few_a_call_takes() {
        let payload: Vec<u8> = (0..70_000u32).map(|i| (i % 251) as u8).collect();
        let records: Vec<Record<'_>> = (0..900)
            .map(|i| -> Record<'_> {
                let len = if i == 7 { payload.len() } else { i % 90 };
                [&payload[..i % 19], &payload[i..len.max(i)], &payload[..i % 3]]
            })
            .collect();
        let expected = records.concat().concat();
        for way in WAYS {
            for most in [70, 1000, usize::MAX] {
                let mut out = Short(Vec::new(), most, false);
                write_records(&mut out, way, &records, &mut Vec::new()).expect("writes");
                assert!(out.0 == expected, "{way:?} {most}");
            }
        }
    }

    #[test]
    fn calls_are_those_of_the_way() {
        let records: Vec<Record<'_>> = vec![[b"head", b"payload", b"tail"]; 1000];
        let calls = WAYS.map(|way| {
            write_records(&mut Vec::new(), way, &records, &mut Vec::new()).expect("writes")
        });
        assert_eq!(calls, [3000, 1000, 1000, 3, 1]);
    }

    #[test]
    fn a_writer_that_takes_nothing_is_an_error() {
        for way in WAYS {
            let error =
                write_records(&mut [0u8; 3][..], way, &[[b"abc", b"def", b"g"]], &mut Vec::new())
                    .expect_err("full");
            assert_eq!(error.kind(), io::ErrorKind::WriteZero, "{way:?}");
        }
    }
}
