//! FASTA: sequences without qualities, wrapped or not, read by the same faces as FASTQ.
//!
//! [`Sequences`] is a source that may hold FASTQ or FASTA; its first byte that isn't a line end says which it is: `>` begins
//! FASTA. Its [`Record`]s then have [no qualities](Record::has_qualities), and their sequence lines are joined. Accepted are lines of any
//! lengths, LF and CRLF, blank lines, records without bases and a missing final newline; checked are header lines (a name, no
//! control characters) and sequence characters, as in FASTQ (letters, digits, `-`, `.`, `*`).
//!
//! ```
//! use biofast_fastq::Fold;
//! use biofast_fastq::fasta::Sequences;
//! use biofast_io::{Options, Source};
//!
//! let bases = |text: &'static [u8]| {
//!     Fold::new(Sequences(Source::from_reader("example", text))).options(&Options::default()).run(
//!         || 0,
//!         |bases, batch| *bases += batch.iter().map(|r| r.sequence().len()).sum::<usize>(),
//!         |bases, other| *bases += other,
//!     )
//! };
//! assert_eq!(bases(b">chr1 first\nACGT\nAC\n>chr2\nG\n")?, 7);
//! assert_eq!(bases(b"@r\nACGT\n+\nIIII\n")?, 4);
//! # Ok::<(), biofast_fastq::Error>(())
//! ```

mod joining;

use std::io::{self, Write};

use biofast_io::{Source, without_container};

use crate::checks::{Readable, sealed};
use crate::error::Error;
use crate::record::Record;

pub(crate) use joining::{ChunkPosition, Joining, Line, Stop};

/// The length of sequence lines that are written unless another is asked for: that of samtools faidx and seqkit.
pub const LINE_WIDTH: usize = 60;

/// How far the first byte that isn't a line end is looked for by [`is_fasta`].
const SNIFFED: usize = 4 << 10;

/// A source of FASTQ or FASTA, detected from its content.
pub struct Sequences(
    /// Where the bytes come from.
    pub Source,
);

impl Readable for Sequences {
    const LETTERS: bool = true;
    const FASTA: bool = true;

    fn into_source(self) -> Source {
        self.0
    }
}

impl sealed::Sealed for Sequences {}

/// Whether `source` holds FASTA, judged by its first bytes, which stay unread.
///
/// # Errors
/// If nothing can be read.
pub fn is_fasta(source: &mut Source) -> Result<bool, Error> {
    let start = source.peek(SNIFFED)?;
    match start.iter().find(|byte| !is_line_end(**byte)) {
        Some(first) => Ok(*first == b'>'),
        // What is empty is what its name says.
        None => Ok(start.len() < SNIFFED && is_named_fasta(source.name())),
    }
}

/// Whether a file's name ends as those of FASTA do, compressed or not.
#[doc(hidden)]
pub fn is_named_fasta(name: &str) -> bool {
    matches!(inner_ending(name).as_str(), "fa" | "fasta" | "fna" | "ffn" | "faa" | "frn" | "fas")
}

/// Whether a file's name ends as those of FASTQ or FASTA do, compressed or not.
#[doc(hidden)]
pub fn is_named_reads(name: &str) -> bool {
    matches!(inner_ending(name).as_str(), "fq" | "fastq") || is_named_fasta(name)
}

/// The ending of a file's name in small letters, without that of its container.
fn inner_ending(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let ending = without_container(&name).rsplit_once('.').map(|(_, ending)| ending);
    ending.unwrap_or_default().to_owned()
}

pub(crate) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Writes name, description and sequence of `record` as FASTA, in lines of `width` bases, or in one line if it is 0.
///
/// ```
/// use biofast_fastq::{Record, fasta};
///
/// let mut text = Vec::new();
/// fasta::write_record(&mut text, &Record::new(b"r1 first", b"ACGTA", b"IIIII"), 3)?;
/// assert_eq!(text, b">r1 first\nACG\nTA\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If `out` can't be written to.
pub fn write_record(out: &mut impl Write, record: &Record<'_>, width: usize) -> io::Result<()> {
    out.write_all(b">")?;
    out.write_all(record.definition())?;
    out.write_all(b"\n")?;
    let sequence = record.sequence();
    if width == 0 || sequence.len() <= width {
        out.write_all(sequence)?;
        return out.write_all(b"\n");
    }
    for line in sequence.chunks(width) {
        out.write_all(line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
