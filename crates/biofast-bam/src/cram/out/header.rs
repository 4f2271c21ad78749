//! What a CRAM file starts with: its definition, and the header in a container of its own.

use std::io;

use super::codec::{Kit, put_header_block};
use super::reference::of_fasta;
use crate::cram::bytes::{put_itf8, put_ltf8};
use crate::cram::container::Version;
use crate::fasta::Fasta;
use crate::header::Header;

/// The end-of-file container of versions 3 (CRAM specification, section 9).
pub(super) const EOF_CONTAINER: [u8; 38] = [
    0x0f, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xe0, 0x45, 0x4f, 0x46, 0, 0, 0, 0, 1, 0, 5, 0xbd,
    0xd9, 0x4f, 0, 1, 0, 6, 6, 1, 0, 1, 0, 1, 0, 0xee, 0x63, 1, 0x4b,
];

/// Appends the file definition and the header with `text`.
pub(super) fn write(version: Version, text: &[u8], kit: &mut Kit, out: &mut Vec<u8>) {
    out.extend_from_slice(b"CRAM");
    out.extend([version.major, version.minor]);
    // The file's id, which nothing depends on.
    out.extend([0; 20]);
    let mut data = (text.len() as u32).to_le_bytes().to_vec();
    data.extend_from_slice(text);
    let mut block = Vec::new();
    put_header_block(&data, kit, &mut block);
    // Of no records. One thing starts in it: the block.
    let start = ContainerStart { blocks: 1, ..ContainerStart::default() };
    start.put(block.len(), out);
    out.extend(block);
}

/// What stands before the blocks of a container (section 7).
#[derive(Default)]
pub(super) struct ContainerStart {
    pub(super) reference: i32,
    pub(super) start: i64,
    pub(super) span: i64,
    pub(super) records: usize,
    /// How many records come before in the file.
    pub(super) counter: u64,
    pub(super) bases: u64,
    pub(super) blocks: usize,
    /// Where the only thing starts that containers of ours have a place of: a slice, or the file's header.
    pub(super) landmark: usize,
}

impl ContainerStart {
    /// Appends it; `len` bytes of blocks follow.
    pub(super) fn put(&self, len: usize, out: &mut Vec<u8>) {
        let from = out.len();
        out.extend((len as u32).to_le_bytes());
        put_itf8(self.reference, out);
        // Positions have 31 bits, and so has what a container holds.
        for number in [self.start as i32, self.span as i32, self.records as i32] {
            put_itf8(number, out);
        }
        put_ltf8(self.counter as i64, out);
        put_ltf8(self.bases as i64, out);
        for number in [self.blocks as i32, 1, self.landmark as i32] {
            put_itf8(number, out);
        }
        let crc = biofast_io::crc32(&out[from..]);
        out.extend(crc.to_le_bytes());
    }
}

/// The header's text with what readers find the reference by: the MD5 sum (`M5`) of each sequence and the file (`UR`), where the
/// header doesn't have them. Lines of sequences that it lacks are made.
pub(super) fn text_with_reference(
    header: &Header,
    reference: Option<(&Fasta, &str)>,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    header.write_sam(&mut text)?;
    let Some((fasta, address)) = reference else { return Ok(text) };
    let mut out = Vec::with_capacity(text.len());
    let mut number = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let Some(fields) = line.strip_prefix(b"@SQ\t") else {
            out.extend_from_slice(line);
            continue;
        };
        let has = |tag: &[u8]| fields.split(|&byte| byte == b'\t').any(|f| f.starts_with(tag));
        out.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
        if !has(b"M5:") {
            let sum = fasta.md5(number).map_err(of_fasta)?;
            out.extend_from_slice(b"\tM5:");
            out.extend(sum.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()));
        }
        if !has(b"UR:") {
            out.extend_from_slice(b"\tUR:");
            out.extend_from_slice(address.as_bytes());
        }
        out.push(b'\n');
        number += 1;
    }
    Ok(out)
}
