//! Streams by a library in Rust.

use std::io;

use bzip2::{Action, Compress, Compression, Status};

/// Makes a stream of each text.
pub(crate) struct Bzip2Compressor {
    level: Compression,
}

/// Room that is added when there is no more.
const ROOM: usize = 64 << 10;

impl Bzip2Compressor {
    /// `level` is from 1 to 9: the length of a block in units of 100,000 bytes.
    ///
    /// # Errors
    /// If there is no such level.
    pub(crate) fn new(level: u8) -> io::Result<Bzip2Compressor> {
        let level = Compression::try_new(level.into())
            .ok_or_else(|| io::Error::other("bzip2 has levels 1 to 9"))?;
        Ok(Bzip2Compressor { level })
    }

    /// Appends the stream of `text` to `out`.
    pub(crate) fn compress(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        // The library's streams can't be begun anew; 0 is its usual effort against long repeats.
        let mut stream = Compress::new(self.level, 0);
        loop {
            if out.capacity() - out.len() < ROOM {
                out.reserve(ROOM.max(text.len() / 4));
            }
            // What has been taken so far the stream knows.
            let taken = usize::try_from(stream.total_in()).unwrap_or(text.len());
            let rest = text.get(taken..).unwrap_or_default();
            match stream.compress_vec(rest, out, Action::Finish) {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
