//! Data to compress, and another decoder.

use libdeflater::crc32;
use noodles_cram as cram;

/// A generator whose numbers are the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Data of a kind: one symbol, two, runs, qualities with memory, skewed, all bytes.
pub(crate) fn data(kind: usize, len: usize) -> Vec<u8> {
    let mut random = Random(kind as u64 + 1);
    let mut last = 30;
    let mut next = |at: usize| match kind {
        0 => 255,
        1 => u8::from(random.below(1000) == 0),
        2 => [b'a', b'b', 0, 255][at / 100 % 4],
        3 => {
            last = match random.below(10) {
                0..6 => last,
                6 => 2,
                n => (last + n as u8 * 5) % 42,
            };
            last
        }
        4 => {
            let bits = random.below(9);
            random.below(1 << bits) as u8
        }
        5 => b"\x00\x0b\x19\x25"[random.below(4).min(random.below(4)) as usize],
        6 => 100 + random.below(16) as u8,
        _ => random.below(256) as u8,
    };
    (0..len).map(&mut next).collect()
}

pub(crate) const KINDS: usize = 8;

/// Lengths around all that is special.
pub(crate) fn lengths() -> impl Iterator<Item = usize> {
    (0..=70).chain([127, 128, 129, 255, 256, 257, 999, 1000, 1001, 2049, 8191, 49_999, 50_000])
}

/// What noodles decompresses a block's data to. It decodes blocks of slices only, so the block is put into a container of one slice.
pub(crate) fn noodles(method: u8, data: &[u8], raw_len: usize) -> Vec<u8> {
    let mut body = Vec::new();
    // A slice header that says "no reference, no records, two blocks".
    let mut slice = vec![0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 2, 1, 1];
    slice.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
    slice.extend([0; 16]);
    put_block(&mut body, 0, 2, slice.len(), &slice);
    put_block(&mut body, 0, 5, 0, &[]);
    put_block(&mut body, method, 4, raw_len, data);
    let mut container = (body.len() as u32).to_le_bytes().to_vec();
    container.extend([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 0, 3, 1, 0]);
    container.extend(crc32(&container).to_le_bytes());
    container.extend(body);
    let mut parsed = cram::io::reader::Container::default();
    cram::io::Reader::new(&container[..]).read_container(&mut parsed).unwrap();
    let slice = parsed.slices().next().unwrap().unwrap();
    let (_, mut external) = slice.decode_blocks().unwrap();
    external.pop().unwrap().1.into_owned()
}

fn put_block(out: &mut Vec<u8>, method: u8, content: u8, raw_len: usize, data: &[u8]) {
    let start = out.len();
    out.extend([method, content, 1]);
    for n in [data.len(), raw_len] {
        let n = n as u32;
        out.push(0xf0 | (n >> 28) as u8);
        out.extend([(n >> 20) as u8, (n >> 12) as u8, (n >> 4) as u8, (n & 0x0f) as u8]);
    }
    out.extend_from_slice(data);
    out.extend(crc32(&out[start..]).to_le_bytes());
}

/// Decodes damaged variants of a stream: any result will do, but no panic. What is decoded has the length asked for.
pub(crate) fn damage<E>(
    stream: &[u8],
    len: usize,
    decode: impl Fn(&[u8], usize) -> Result<Vec<u8>, E>,
) {
    let mut random = Random(stream.len() as u64);
    for _ in 0..200 {
        let mut damaged = stream.to_vec();
        for _ in 0..1 + random.below(3) {
            let reach = damaged.len().min(1 << random.below(12)) as u64;
            let at = random.below(reach) as usize;
            match random.below(4) {
                0 => damaged[at] = random.below(256) as u8,
                1 => damaged[at] ^= 1 << random.below(8),
                2 => damaged.truncate(at.max(1)),
                _ => damaged.insert(at, random.below(256) as u8),
            }
        }
        if let Ok(out) = decode(&damaged, len) {
            assert_eq!(out.len(), len);
        }
    }
}
