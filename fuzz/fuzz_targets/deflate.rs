//! Our deflate of any text, and every level of BGZF output: two decoders read it back, on every instruction set the
//! same bytes.
#![no_main]

use biofast_deflate::{Effort, FastqDeflater};
use biofast_fuzz::deflaters::{block, bytes_of, comes_back};
use biofast_io::bgzf::{self, Deflater};
use biofast_io::output::Level;
use biofast_testkit::container;
use libfuzzer_sys::fuzz_target;

/// Records made of the input, since few inputs are records: lengths, letters and qualities come from its bytes.
fn records(seed: &[u8], want: usize) -> Vec<u8> {
    let mut next = bytes_of(seed);
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
    let Some(text) = block(data, 3, records) else { return };
    let mut out = Vec::new();
    for effort in [Effort::Fast, Effort::Balanced] {
        comes_back(&text, |isa, stream| {
            Some(FastqDeflater::with_isa(effort, isa)?.deflate(&text, stream))
        });
    }
    for level in [Level::default(), Level::Fast, Level::Balanced, Level::Small] {
        out.clear();
        let mut lengths = Vec::new();
        for part in text.chunks(bgzf::BLOCK_TEXT) {
            Deflater::new(level).deflate(part, &mut out, &mut lengths);
        }
        assert_eq!(lengths.iter().sum::<u32>() as usize, out.len());
        assert_eq!(container::gunzip(&out).unwrap_or_default(), text);
    }
});
