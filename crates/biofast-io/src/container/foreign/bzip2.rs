//! bzip2, by a library in Rust.

use std::io;

use bzip2::{Decompress, Status};

use super::decode::{Appetite, Decode, DecodeStep, Opened, Then, stuck};

pub(super) fn open() -> io::Result<Opened> {
    Ok(Some(Box::new(Bzip2 { stream: Decompress::new(false), is_complete: false })))
}

struct Bzip2 {
    stream: Decompress,
    /// Whether the stream has ended: the data may end, or another begin.
    is_complete: bool,
}

impl Decode for Bzip2 {
    fn appetite(&self, _position: u64) -> Appetite {
        Appetite { most: usize::MAX, least: 1 }
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> DecodeStep {
        if self.is_complete {
            if input.is_empty() {
                return DecodeStep { used: 0, made: 0, then: Then::End };
            }
            self.stream = Decompress::new(false);
        }
        let (taken, given) = (self.stream.total_in(), self.stream.total_out());
        let result = self.stream.decompress(input, out);
        let used = (self.stream.total_in() - taken) as usize;
        let made = (self.stream.total_out() - given) as usize;
        self.is_complete = result == Ok(Status::StreamEnd);
        let then = match result {
            Err(error) => Then::Fault(error.to_string()),
            Ok(_) if used > 0 || made > 0 || self.is_complete => Then::More,
            Ok(_) => stuck(input),
        };
        DecodeStep { used, made, then }
    }
}
