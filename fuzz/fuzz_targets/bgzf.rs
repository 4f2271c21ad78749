//! BGZF blocks: raw bytes, or blocks made of the input and damaged. Serial and parallel readers and both decoders
//! agree, and what is accepted is what another gzip reader finds.
#![no_main]

use std::io::Read;

use biofast_fuzz::{bounded, gunzips_alike, options, source};
use biofast_io::{Container, Options, Reader, gzi};
use biofast_testkit::container;
use libfuzzer_sys::fuzz_target;

fn read(data: &[u8], options: &Options) -> (Vec<u8>, Option<String>) {
    let mut out = Vec::new();
    let result = Reader::new(source("x", data), options)
        .map_err(Into::into)
        .and_then(|mut r| r.read_to_end(&mut out));
    (out, result.err().map(|e: std::io::Error| e.to_string()))
}

/// The first byte says how blocks are made of the rest: their size, and what is damaged.
fn made(how: u8, data: &[u8]) -> Vec<u8> {
    let damage = usize::from(how >> 4) * 3;
    let (damage, text) = data.split_at(damage.min(data.len()));
    let mut out = container::bgzf(text, 1 + usize::from(how & 15) * 90);
    for change in damage.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % out.len();
        out[at] ^= change[2];
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    let file = if how & 1 == 0 { rest.to_vec() } else { made(how, rest) };
    if Container::sniff(&file) != Container::Bgzf {
        return;
    }
    // DEFLATE makes at most 1,032 bytes of one: the limit of memory holds for the reader, not for its caller.
    let strict = read(&file, &options(1, 1 << 16));
    let small = read(&file, &options(1, 100));
    assert_eq!(strict, small, "chunks of another size");
    let lenient = read(&file, &Options { strict: false, ..options(1, 1 << 16) });
    assert_eq!(strict.0, lenient.0);
    if lenient.1.is_none() {
        gunzips_alike(&file, &lenient.0);
    }
    let index = |threads| {
        bounded(file.len(), || {
            gzi::build(source("x", &file), &options(threads, 300)).map_err(|e| e.to_string())
        })
    };
    let (one, three) = (index(1), index(3));
    assert_eq!(one, three);
    assert!(one.is_err() || strict.1.is_none(), "an index of a faulty file: {strict:?}");
});
