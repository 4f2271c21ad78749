//! Wraps bytes in every container biofast reads.

use std::io::{Read, Write};

/// The containers of a matrix test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The bytes themselves.
    Plain,
    /// One gzip member.
    Gzip,
    /// A gzip member every so many bytes.
    GzipMembers(usize),
    /// BGZF blocks of so many bytes.
    Bgzf(usize),
    /// One zstd frame.
    Zstd,
    /// One bzip2 stream.
    Bzip2,
    /// One xz stream.
    Xz,
}

/// One of each.
pub const KINDS: [Kind; 8] = [
    Kind::Plain,
    Kind::Gzip,
    Kind::GzipMembers(37),
    Kind::Bgzf(41),
    Kind::Bgzf(65_280),
    Kind::Zstd,
    Kind::Bzip2,
    Kind::Xz,
];

/// `data` in a container of the given kind.
pub fn wrap(kind: Kind, data: &[u8]) -> Vec<u8> {
    match kind {
        Kind::Plain => data.to_vec(),
        Kind::Gzip => gzip(data),
        Kind::GzipMembers(_) if data.is_empty() => gzip(data),
        Kind::GzipMembers(size) => data.chunks(size).flat_map(gzip).collect(),
        Kind::Bgzf(size) => bgzf(data, size),
        Kind::Zstd => zstd::encode_all(data, 3).unwrap(),
        Kind::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Kind::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// One gzip member.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// What another decoder makes of gzip members, BGZF blocks among them; `None` if it finds a fault.
pub fn gunzip(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(data).read_to_end(&mut out).ok()?;
    Some(out)
}

/// Where the blocks of BGZF data start, by their stated lengths; the last place is the end.
pub fn bgzf_starts(data: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    // Blocks of `bgzf` have no extra field but BC.
    while let Some(size) = data.get(at + 16..at + 18) {
        at += usize::from(u16::from_le_bytes([size[0], size[1]])) + 1;
        starts.push(at);
    }
    starts
}

/// BGZF blocks of `size` bytes and the end-of-file block.
pub fn bgzf(data: &[u8], size: usize) -> Vec<u8> {
    let mut out: Vec<u8> = data.chunks(size).flat_map(|part| bgzf_block(part, &[])).collect();
    // Byte for byte as the specification has it.
    out.extend(bgzf_block_of(b"", &[3, 0], &[]));
    out
}

/// One BGZF block, with `extra` gzip subfields before the BC one.
pub fn bgzf_block(data: &[u8], extra: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
    let mut deflated = vec![0; compressor.deflate_compress_bound(data.len())];
    let n = compressor.deflate_compress(data, &mut deflated).unwrap();
    deflated.truncate(n);
    bgzf_block_of(data, &deflated, extra)
}

/// One BGZF block around deflate data made elsewhere.
pub fn bgzf_block_of(data: &[u8], deflated: &[u8], extra: &[u8]) -> Vec<u8> {
    let xlen = extra.len() + 6;
    let total = 12 + xlen + deflated.len() + 8;
    let mut out = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff];
    out.extend((xlen as u16).to_le_bytes());
    out.extend(extra);
    out.extend(b"BC\x02\x00");
    out.extend(u16::try_from(total - 1).unwrap().to_le_bytes());
    out.extend(deflated);
    out.extend(libdeflater::crc32(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

/// Deflate data of one or more stored blocks.
pub fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut parts = data.chunks(65_535).peekable();
    while let Some(part) = parts.next() {
        let len = part.len() as u16;
        out.push(u8::from(parts.peek().is_none()));
        out.extend(len.to_le_bytes());
        out.extend((!len).to_le_bytes());
        out.extend(part);
    }
    out
}
