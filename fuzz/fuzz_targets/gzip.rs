//! Ordinary gzip: raw bytes, or members made of the input and damaged. What is accepted is what another reader finds,
//! whatever the size of chunks and of what is read at once, and whether one thread inflates it or three do, in pieces.
#![no_main]

#[path = "../../crates/biofast-io/tests/it/common/reading.rs"]
mod reading;

use std::io::Read;

use biofast_fuzz::{gunzips_alike, options, source};
use biofast_io::{Container, Source};
use libfuzzer_sys::fuzz_target;
use reading::{Dripping, read, read_by_all_threads};

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
    // Three threads that inflate so many compressed bytes before their turn.
    let in_pieces = source("x", &file).with_gzip_piece(20 + 3 * usize::from(how));
    let shared = read_by_all_threads(in_pieces, &options(3, 1000));
    assert_eq!(whole, shared, "other threads, other result");
    if whole.1.is_none() {
        gunzips_alike(&file, &whole.0);
    }
});
