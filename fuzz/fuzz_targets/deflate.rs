//! Our deflate of any text, and every level of BGZF output: two decoders read it back, on every instruction set the
//! same bytes.
#![no_main]

use biofast_deflate::{Block, Effort, FastqDeflater, Inflater};
use biofast_fuzz::bounded;
use biofast_io::bgzf::{self, Deflater};
use biofast_io::output::Level;
use biofast_testkit::container;
use libfuzzer_sys::fuzz_target;

/// Records made of the input, since few inputs are records: lengths, letters and qualities come from its bytes.
fn records(seed: &[u8], want: usize) -> Vec<u8> {
    let mut bytes = seed
        .iter()
        .cycle()
        .copied()
        .zip(0u32..)
        .map(|(b, i)| b ^ (i.wrapping_mul(0x9e37_79b9) >> 24) as u8);
    let mut next = move || bytes.next().unwrap_or(0);
    let mut out = Vec::new();
    let style = next();
    let mut number = u32::from(next());
    while out.len() < want {
        let len = if style & 1 == 0 { 100 } else { usize::from(next()) };
        number = number.wrapping_add(if style & 2 == 0 { 1 } else { u32::from(next()) });
        out.extend(
            format!("@{}:{number}{}\n", style >> 4, if style & 4 == 0 { "" } else { " 1:N:0" })
                .as_bytes(),
        );
        out.extend(
            (0..len)
                .map(|_| b"ACGTNacgt-"[usize::from(next()) % if style & 8 == 0 { 4 } else { 10 }]),
        );
        out.extend(b"\n+\n");
        let binned = style & 16 == 0;
        out.extend(
            (0..len)
                .map(|_| if binned { b"F:,#"[usize::from(next()) & 3] } else { 33 + next() % 94 }),
        );
        out.push(b'\n');
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let Some((&[how, size], rest)) = data.split_first_chunk::<2>() else { return };
    let mut text = if how & 1 == 0 || rest.is_empty() {
        rest.to_vec()
    } else {
        records(rest, 2048 + usize::from(size) * 250)
    };
    // A block starts and ends anywhere in a record, and some records are damaged.
    text.drain(..(usize::from(how) >> 3).min(text.len()));
    if how & 2 != 0 {
        for pair in rest.as_chunks::<3>().0.iter().take(4) {
            let at = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
            if let Some(byte) = text.get_mut(at) {
                *byte = pair[2];
            }
        }
    }
    text.truncate(1 << 16);
    let mut out = Vec::new();
    for effort in [Effort::Fast, Effort::Small] {
        let mut first: Option<(bool, Vec<u8>)> = None;
        for isa in biofast_kernels::available() {
            let Some(mut deflater) = FastqDeflater::with_isa(effort, isa) else { continue };
            let mut stream = b"before".to_vec();
            let done = bounded(text.len(), || deflater.deflate(&text, &mut stream));
            assert!(stream.starts_with(b"before") && (done || stream.len() == 6));
            let made = (done, stream.split_off(6));
            match &first {
                Some(first) => assert!(*first == made, "{isa:?} makes other bytes"),
                None => first = Some(made),
            }
        }
        let Some((true, stream)) = first else { continue };
        let mut back = vec![0; text.len()];
        Inflater::new()
            .inflate_blocks([Block { input: &stream, output: &mut back }])
            .expect("our own decoder reads it");
        assert!(back == text);
        back.fill(0);
        let n = libdeflater::Decompressor::new().deflate_decompress(&stream, &mut back);
        assert!(n == Ok(text.len()) && back == text);
    }
    for level in [Level::default(), Level::Fast, Level::Small] {
        out.clear();
        let mut lengths = Vec::new();
        for part in text.chunks(bgzf::BLOCK_TEXT) {
            Deflater::new(level).deflate(part, &mut out, &mut lengths);
        }
        assert_eq!(lengths.iter().sum::<u32>() as usize, out.len());
        assert_eq!(container::gunzip(&out).unwrap_or_default(), text);
    }
});
