//! Changes inside a DEFLATE stream, good or damaged: libdeflate finds the changed text, on every instruction set the same bytes.
#![no_main]

use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap, crc32};
use biofast_fuzz::bounded;
use biofast_fuzz::deflaters::{block, bytes_of};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use libfuzzer_sys::fuzz_target;

/// Text with copies of its own, made of the input.
fn records(seed: &[u8], want: usize) -> Vec<u8> {
    let mut next = bytes_of(seed);
    let mut out = Vec::new();
    while out.len() < want {
        let (len, back) = (3 + usize::from(next()), 1 + usize::from(next()) * usize::from(next()));
        if next() & 1 == 0 || back > out.len() {
            out.extend((0..len % 60).map(|_| next()));
        } else {
            let start = out.len() - back;
            (start..start + len).for_each(|at| out.push(out[at]));
        }
    }
    out
}

/// The stream and the length of its text: by a level of libdeflate, or the input itself where libdeflate reads it.
fn stream(how: u8, data: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut out = vec![0; 1 << 17];
    if how & 1 == 0 {
        let len = Decompressor::new().deflate_decompress(data, &mut out[..1 << 16]).ok()?;
        return Some((data.to_vec(), len));
    }
    let text = block(data, 3, records)?;
    let mut compressor = Compressor::new(CompressionLvl::new(i32::from(how >> 1) % 13).ok()?);
    let len = compressor.deflate_compress(&text, &mut out).ok()?;
    out.truncate(len);
    Some((out, text.len()))
}

fuzz_target!(|data: &[u8]| {
    let Some((&[how, gap, seed], rest)) = data.split_first_chunk::<3>() else { return };
    let Some((stream, len)) = stream(how, rest) else { return };
    let seeds = [seed, gap, how];
    let mut next = bytes_of(&seeds);
    let mut changes = Vec::new();
    let mut at = usize::from(next());
    while at < len {
        let byte = if seed & 1 == 0 { 4 } else { next() };
        changes.push(Change { at: at as u16, byte });
        at += 1 + usize::from(next()) * usize::from(gap) / 16;
    }
    let mut first = None;
    for isa in biofast_kernels::available() {
        let Some(mut inflater) = Inflater::with_isa(isa) else { continue };
        let (mut text, mut map, mut new) = (vec![0; len], StreamMap::new(), Vec::new());
        let input = Block { input: &stream, output: &mut text };
        // It may have bytes left over, which libdeflate doesn't mind.
        if inflater.inflate_mapped([(input, &mut map)]).is_err() {
            continue;
        }
        let crc = crc32(&text);
        let spliced = bounded(len, || {
            Splicer::new().splice(&stream, &map, &mut text, crc, &changes, 65_510, &mut new)
        });
        let spliced = spliced.expect("all belongs together");
        assert_eq!(spliced.crc, crc32(&text), "{isa:?}");
        if spliced.declined.is_none() {
            let mut back = vec![0; len];
            let n = Decompressor::new().deflate_decompress(&new, &mut back);
            assert!(n == Ok(len) && back == text, "{isa:?}: {n:?}");
        }
        let found = (spliced.declined, new);
        assert!(*first.get_or_insert_with(|| found.clone()) == found, "{isa:?} differs");
    }
});
