//! Alignment records. This crate is at its beginning: it reads the header of a BAM file
//! through biofast's own block reader, so that damaged blocks are noticed; noodles parses it.
//!
//! ```no_run
//! use biofast_io::{Options, Source};
//!
//! let header = biofast_bam::read_header(Source::open("aln.bam")?, &Options::default())?;
//! for (name, reference) in header.reference_sequences() {
//!     println!("{name}\t{}", reference.length());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io;

use biofast_io::{Options, Reader, Source};
use noodles_sam as sam;

/// Reads the header of a BAM input.
///
/// # Errors
/// If the input can't be read or decompressed, is not BAM, or its header is malformed.
pub fn read_header(source: Source, options: &Options) -> io::Result<sam::Header> {
    let reader = Reader::new(source, options)?;
    noodles_bam::io::Reader::from(reader).read_header()
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::container::bgzf;

    fn read(bytes: Vec<u8>) -> io::Result<sam::Header> {
        read_header(Source::from_reader("x", io::Cursor::new(bytes)), &Options::default())
    }

    fn bam(text: &str) -> Vec<u8> {
        let mut bam = b"BAM\x01".to_vec();
        bam.extend((text.len() as u32).to_le_bytes());
        bam.extend(text.as_bytes());
        bam.extend(1u32.to_le_bytes());
        bam.extend(5u32.to_le_bytes());
        bam.extend(b"chr1\x00");
        bam.extend(1000u32.to_le_bytes());
        bam
    }

    #[test]
    fn a_header_split_over_blocks() -> io::Result<()> {
        let header = read(bgzf(&bam("@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000\n"), 7))?;
        let names: Vec<String> =
            header.reference_sequences().keys().map(ToString::to_string).collect();
        assert_eq!(names, ["chr1"]);
        Ok(())
    }

    #[test]
    fn a_damaged_block_and_another_format_are_errors() {
        let mut damaged = bgzf(&bam("@HD\tVN:1.6\n"), 1000);
        let at = damaged.len() / 3;
        damaged[at] ^= 4;
        assert!(read(damaged).is_err());
        assert!(read(bgzf(b"@read\nACGT\n+\nIIII\n", 1000)).is_err());
    }
}
