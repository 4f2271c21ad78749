//! Our deflate of BAM: two decoders read it back, on every instruction set the same bytes.
#![no_main]

use biofast_deflate::{BamDeflater, Effort};
use biofast_fuzz::deflaters::{block, bytes_of, comes_back};
use libfuzzer_sys::fuzz_target;

/// Records made of the input, since few inputs are records: lengths, letters, positions and qualities come from its bytes.
fn records(seed: &[u8], want: usize) -> Vec<u8> {
    let mut next = bytes_of(seed);
    let mut out = Vec::new();
    let style = next();
    let mut position = i32::from(next());
    let genome: Vec<u8> = (0..512).map(|_| next()).collect();
    while out.len() < want {
        let len = match style & 3 {
            0 => 100,
            1 | 2 => usize::from(next()),
            _ => 16 * usize::from(next()),
        };
        position = position.wrapping_add(if style & 4 == 0 { 2 } else { i32::from(next()) });
        let operations = if style & 8 == 0 { 1 } else { usize::from(next()) % 5 };
        let name = format!("{}:{position}\0", if style & 16 == 0 { style } else { next() });
        let tags = usize::from(next()) % 40;
        let size = 32 + name.len() + 4 * operations + len.div_ceil(2) + len + tags;
        let reference = if style & 32 == 0 { 0 } else { i32::from(next() % 3) - 1 };
        let fields = [
            size as i32,
            reference,
            position,
            0x1248_3c00 | name.len() as i32,
            operations as i32 | i32::from(next() % 4) << 20,
            len as i32,
            reference,
            position,
            0,
        ];
        out.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        out.extend(name.bytes());
        for _ in 0..operations {
            out.extend((u32::from(next()) << 4 | u32::from(next() % 9)).to_le_bytes());
        }
        let start = (position / 2).rem_euclid(512) as usize;
        out.extend(genome.iter().cycle().skip(start).take(len.div_ceil(2)));
        let values = if style & 64 == 0 { 4 } else { 94 };
        out.extend((0..len).map(|_| next() % values));
        out.extend((0..tags).map(|i| b"NMCxMDZ1A2\0"[i % 11]));
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let Some(text) = block(data, 2, records) else { return };
    for effort in [Effort::Fast, Effort::Balanced] {
        comes_back(&text, |isa, stream| {
            Some(BamDeflater::with_isa(effort, isa)?.deflate(&text, stream))
        });
    }
});
