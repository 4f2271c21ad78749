//! zstd, by the reference library.

use std::io;

use zstd::stream::raw::{self, InBuffer, Operation as _, OutBuffer};

use super::decode::{Appetite, Decode, DecodeStep, Opened, Then};

/// The library's limit of the window in MiB: what `zstd` decompresses without `--long` or `--memory`.
const LIMIT: u64 = 128;

/// The bytes of a block header.
const BLOCK_HEADER: usize = 3;

pub(super) fn open() -> io::Result<Opened> {
    let decoder = raw::Decoder::new()?;
    Ok(Some(Box::new(Zstd { decoder, wanted: 0, is_full: false })))
}

/// On a fault this library doesn't tell what it had decoded in the same call. So it gets one block or one header a
/// call, and nothing while it may hold decoded bytes.
struct Zstd {
    decoder: raw::Decoder<'static>,
    /// The bytes the decoder can use next; 0 between frames.
    wanted: usize,
    /// The decoder may hold more than there was room for.
    is_full: bool,
}

impl Zstd {
    /// How many bytes are one header, or one block: the decoder asks for the header of the next block with it.
    fn step_len(&self) -> usize {
        match self.wanted.saturating_sub(BLOCK_HEADER) {
            0 => self.wanted.max(1),
            alone => alone,
        }
    }
}

impl Decode for Zstd {
    fn appetite(&self, _position: u64) -> Appetite {
        Appetite { most: self.step_len(), least: 1 }
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> DecodeStep {
        if input.is_empty() && self.wanted == 0 {
            return DecodeStep { used: 0, made: 0, then: Then::End };
        }
        let room = out.len();
        let mut given = InBuffer::around(if self.is_full { &[] } else { input });
        let mut out = OutBuffer::around(out);
        let result = self.decoder.run(&mut given, &mut out);
        let (used, made) = (given.pos(), out.pos());
        let then = match result {
            Err(error) if error.to_string().contains("too much memory") => Then::Limit(LIMIT),
            Err(error) => Then::Fault(error.to_string()),
            Ok(wanted) => {
                self.wanted = wanted;
                self.is_full = wanted > 0 && made == room;
                if input.is_empty() && made == 0 { Then::Cut } else { Then::More }
            }
        };
        DecodeStep { used, made, then }
    }
}
