//! xz, by the reference library.

use std::io;

use liblzma::stream::{Action, CONCATENATED, Error, Status, Stream};

use super::decode::{Appetite, Decode, DecodeStep, Opened, Then, stuck};

/// The decoder gets its input, and room for its output, in steps of this.
const STEP: usize = 1 << 15;

/// The most memory of the decoder in MiB: the largest preset, -9, needs 65.
const LIMIT: u64 = 512;

pub(super) fn open() -> io::Result<Opened> {
    let stream = Stream::new_stream_decoder(LIMIT << 20, CONCATENATED)?;
    let held = vec![0; STEP].into();
    Ok(Some(Box::new(Xz { stream, held, decoded: 0, given: 0, then: None })))
}

/// This library notices some faults only when it returns for want of input or of room. Always having the same of both
/// makes what comes before a fault independent of the caller.
struct Xz {
    stream: Stream,
    held: Box<[u8]>,
    /// How many of the held bytes were decoded, and how many of them given away.
    decoded: usize,
    given: usize,
    /// What comes behind the held bytes, once that's known.
    then: Option<Then>,
}

impl Decode for Xz {
    fn appetite(&self, position: u64) -> Appetite {
        let len = STEP - (position % STEP as u64) as usize;
        Appetite { most: len, least: len }
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> DecodeStep {
        if self.decoded == self.held.len() || self.then.is_some() {
            let rest = &self.held[self.given..self.decoded];
            let made = rest.len().min(out.len());
            out[..made].copy_from_slice(&rest[..made]);
            self.given += made;
            if self.given < self.decoded {
                return DecodeStep { used: 0, made, then: Then::More };
            }
            (self.decoded, self.given) = (0, 0);
            return DecodeStep { used: 0, made, then: self.then.take().unwrap_or(Then::More) };
        }
        let (taken, given) = (self.stream.total_in(), self.stream.total_out());
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let result = self.stream.process(input, &mut self.held[self.decoded..], action);
        let used = (self.stream.total_in() - taken) as usize;
        let made = (self.stream.total_out() - given) as usize;
        self.decoded += made;
        self.then = match result {
            Err(Error::MemLimit) => Some(Then::Limit(LIMIT)),
            Err(error) => Some(Then::Fault(error.to_string())),
            Ok(Status::StreamEnd) => Some(Then::End),
            Ok(_) if used > 0 || made > 0 => None,
            Ok(_) => Some(stuck(input)),
        };
        DecodeStep { used, made: 0, then: Then::More }
    }
}
