//! Ordinary gzip: raw bytes, or members made of the input and damaged. What is accepted is what another reader finds,
//! whatever the size of chunks and of what is read at once, and whether one thread inflates it or three do, in pieces.
#![no_main]

use std::io::Read;
use std::ops::ControlFlow;

use biofast_fuzz::{gunzips_alike, options, source};
use biofast_io::pipeline::{End, Framer, fold_ordered};
use biofast_io::{Chunk, Container, Error, Options, Reader, Source};
use libfuzzer_sys::fuzz_target;

fn read(source: Source, options: &Options) -> (Vec<u8>, Option<String>) {
    let mut out = Vec::new();
    let result =
        Reader::new(source, options).map_err(Into::into).and_then(|mut r| r.read_to_end(&mut out));
    (out, result.err().map(|e: std::io::Error| e.to_string()))
}

/// Takes all bytes as they come.
struct Bytes;

impl Framer for Bytes {
    type Frame = ();
    type Error = Error;

    fn scan(_: &mut (), _: &[u8]) {}

    fn frame(&mut self, _: &mut Chunk, _: &mut (), _: End) -> Result<(), Error> {
        Ok(())
    }
}

/// By three threads that inflate `piece` compressed bytes before their turn.
fn read_in_pieces(file: &[u8], piece: usize) -> (Vec<u8>, Option<String>) {
    let options = Options { gzip_piece: Some(piece), ..options(3, 1000) };
    let mut out = Vec::new();
    let result = fold_ordered(
        source("x", file),
        &options,
        Bytes,
        || (),
        |(), chunk, (), bytes: &mut Vec<u8>| {
            bytes.clear();
            bytes.extend_from_slice(chunk.bytes());
        },
        |(), ()| (),
        |bytes| {
            out.extend_from_slice(bytes);
            ControlFlow::Continue(())
        },
    );
    (out, result.err().map(|fault| fault.error.to_string()))
}

/// Gives the input in small pieces.
struct Dripping(Vec<u8>, usize, usize);

impl Read for Dripping {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.2.min(out.len()).min(self.0.len() - self.1);
        out[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

/// Members with the optional fields of RFC 1952 that the bits of `how` ask for.
fn made(how: u8, data: &[u8]) -> Vec<u8> {
    let damage = usize::from(how >> 6) * 3;
    let (damage, text) = data.split_at(damage.min(data.len()));
    let mut out = Vec::new();
    for part in text.chunks(1 + text.len() / 2) {
        let mut builder = flate2::GzBuilder::new();
        if how & 2 != 0 {
            builder = builder.filename("name");
        }
        if how & 4 != 0 {
            builder = builder.comment("comment");
        }
        if how & 8 != 0 {
            builder = builder.extra(&b"XY\x01\0z"[..]);
        }
        let mut encoder = builder.read(part, flate2::Compression::fast());
        let mut member = Vec::new();
        let _ = encoder.read_to_end(&mut member);
        out.extend(member);
    }
    if how & 16 != 0 {
        out.extend(b"garbage");
    }
    if how & 32 != 0 {
        out.extend([0; 5]);
    }
    for change in damage.as_chunks::<3>().0 {
        if let Some(len) = std::num::NonZero::new(out.len()) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % len;
            out[at] ^= change[2];
        }
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    let file = if how & 1 == 0 { rest.to_vec() } else { made(how, rest) };
    if Container::sniff(&file) != Container::Gzip {
        return;
    }
    let whole = read(source("x", &file), &options(1, 1 << 16));
    let other = read(
        Source::from_reader("x", Dripping(file.clone(), 0, 1 + usize::from(how >> 2))),
        &options(1, 50),
    );
    assert_eq!(whole, other, "other pieces, other result");
    let shared = read_in_pieces(&file, 20 + 3 * usize::from(how));
    assert_eq!(whole, shared, "other threads, other result");
    if whole.1.is_none() {
        gunzips_alike(&file, &whole.0);
    }
});
