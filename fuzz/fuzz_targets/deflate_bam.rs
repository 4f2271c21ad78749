//! Our deflate of BAM: two decoders read it back, on every instruction set the same bytes.
#![no_main]

use biofast_deflate::{BamDeflater, Block, Inflater};
use biofast_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

/// Records made of the input, since few inputs are records: lengths, letters, positions and qualities come from its bytes.
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
    let Some((&[how, size], rest)) = data.split_first_chunk::<2>() else { return };
    let mut text = if how & 1 == 0 || rest.is_empty() {
        rest.to_vec()
    } else {
        records(rest, 2048 + usize::from(size) * 250)
    };
    // A block starts and ends anywhere in a record, and some records are damaged.
    text.drain(..(usize::from(how) >> 2).min(text.len()));
    if how & 2 != 0 {
        for change in rest.as_chunks::<3>().0.iter().take(4) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
            if let Some(byte) = text.get_mut(at) {
                *byte = change[2];
            }
        }
    }
    text.truncate(1 << 16);
    let mut first: Option<(bool, Vec<u8>)> = None;
    for isa in biofast_kernels::available() {
        let Some(mut deflater) = BamDeflater::with_isa(isa) else { continue };
        let mut stream = b"before".to_vec();
        let done = bounded(text.len(), || deflater.deflate(&text, &mut stream));
        assert!(stream.starts_with(b"before") && (done || stream.len() == 6));
        let made = (done, stream.split_off(6));
        match &first {
            Some(first) => assert!(*first == made, "{isa:?} makes other bytes"),
            None => first = Some(made),
        }
    }
    let Some((true, stream)) = first else { return };
    let mut back = vec![0; text.len()];
    Inflater::new()
        .inflate_blocks([Block { input: &stream, output: &mut back }])
        .expect("our own decoder reads it");
    assert!(back == text);
    back.fill(0);
    let n = libdeflater::Decompressor::new().deflate_decompress(&stream, &mut back);
    assert!(n == Ok(text.len()) && back == text);
});
