//! What the targets of our deflaters share: texts made of the input, and that they come back.

use biofast_deflate::{Block, Inflater};
use biofast_kernels::Isa;

use crate::bounded;

/// Bytes without end, made of the input, for records: few inputs are records themselves.
pub fn bytes_of(seed: &[u8]) -> impl FnMut() -> u8 {
    let mut bytes = seed
        .iter()
        .cycle()
        .copied()
        .zip(0u32..)
        .map(|(b, i)| b ^ (i.wrapping_mul(0x9e37_79b9) >> 24) as u8);
    move || bytes.next().unwrap_or(0)
}

/// A block of at most 64 KiB: the input itself, or about so many bytes of `records` made of it. It begins anywhere in a record, as
/// the bits of its first byte from `skipped` on say, and some records are damaged.
pub fn block(
    data: &[u8],
    skipped: u32,
    records: impl FnOnce(&[u8], usize) -> Vec<u8>,
) -> Option<Vec<u8>> {
    let (&[how, size], rest) = data.split_first_chunk::<2>()?;
    let mut text = if how & 1 == 0 || rest.is_empty() {
        rest.to_vec()
    } else {
        records(rest, 2048 + usize::from(size) * 250)
    };
    text.drain(..(usize::from(how) >> skipped).min(text.len()));
    if how & 2 != 0 {
        for change in rest.as_chunks::<3>().0.iter().take(4) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
            if let Some(byte) = text.get_mut(at) {
                *byte = change[2];
            }
        }
    }
    text.truncate(1 << 16);
    Some(text)
}

/// Panics unless `deflate` appends the same to a stream on every instruction set, and two decoders make `text` of it. It says
/// whether it has made a stream; `None` where the processor lacks the instruction set.
pub fn comes_back(text: &[u8], mut deflate: impl FnMut(Isa, &mut Vec<u8>) -> Option<bool>) {
    let mut first: Option<(bool, Vec<u8>)> = None;
    for isa in biofast_kernels::available() {
        let mut stream = b"before".to_vec();
        let Some(done) = bounded(text.len(), || deflate(isa, &mut stream)) else { continue };
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
}
