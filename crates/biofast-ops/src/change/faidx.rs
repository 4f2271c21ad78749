//! Sequences, and parts of them, out of FASTA and FASTQ files, through their indexes: what `samtools faidx` does.

use biofast_bam::{Error, ErrorKind, Fasta, FastaIndex, SequencePart};
use biofast_io::{Container, Location, Options, Reader, Source, gzi};

use crate::change::grep::reverse_complement;

/// The indexes of a FASTA or FASTQ file.
pub struct FaidxIndexes {
    /// Where the sequences are (`.fai`).
    pub fai: FastaIndex,
    /// Where the blocks are (`.gzi`), if it is compressed with bgzip.
    pub gzi: Option<Vec<u8>>,
}

/// Makes the indexes of a FASTA or FASTQ file. One that is compressed is read twice: `again` opens it for that.
///
/// # Errors
/// If it can't be read or is compressed in another way than with bgzip; the first line that can't be indexed; a name that
/// two sequences have.
pub fn build(
    source: Source,
    options: &Options,
    again: impl FnOnce() -> Result<Source, biofast_io::Error>,
) -> Result<FaidxIndexes, Error> {
    let name = source.name().to_owned();
    let fault = |what: String, line: Option<u64>| {
        let at = Location { line, ..Location::in_input(&name[..].into()) };
        Error::new(ErrorKind::NotIndexable(what), at)
    };
    let reader = Reader::new(source, options)?;
    let container = reader.container();
    if !matches!(container, Container::Plain | Container::Bgzf) {
        let found = container.name();
        return Err(fault(format!("expected a plain file or bgzip, found {found}"), None));
    }
    let fai = FastaIndex::build(&name, reader)?;
    if let Some(second) = fai.duplicate() {
        return Err(fault(format!("two sequences are named '{}'", second.name), Some(second.line)));
    }
    let gzi = match container {
        Container::Bgzf => Some(gzi::build(again()?, &Options { notes: None, ..options.clone() })?),
        _ => None,
    };
    Ok(FaidxIndexes { fai, gzi })
}

/// How parts of sequences are written.
#[derive(Clone, Debug, Default)]
pub struct Extraction {
    /// Bases a line; `None` for as many as in the file.
    pub line_width: Option<u64>,
    /// Whether the other strand is written.
    pub reverse_complement: bool,
    /// What is appended to names.
    pub name_suffix: String,
    /// Whether FASTQ is written, of what is FASTQ, and not FASTA.
    pub is_fastq: bool,
}

/// How much of a region there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractedPart {
    /// All of it.
    Whole,
    /// Less, as the sequence ends before it does.
    Truncated,
    /// Nothing.
    Nothing,
}

impl Extraction {
    /// Appends a region of a sequence, under the name of the region.
    ///
    /// ```
    /// use biofast_bam::{Fasta, FastaIndex};
    /// use biofast_ops::faidx::{ExtractedPart, Extraction};
    ///
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-faidx-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("x.fa");
    /// let text = b">chr1\nACGTA\nCC\n";
    /// std::fs::write(&path, text)?;
    /// let fasta = Fasta::open_indexed(&path, FastaIndex::build("x.fa", &text[..])?, None)?;
    /// let mut out = Vec::new();
    /// let part = Extraction::default().write(&fasta, "chr1:4-6", &mut out)?;
    /// assert_eq!((part, &out[..]), (ExtractedPart::Whole, &b">chr1:4-6\nTAC\n"[..]));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the region is malformed or of a sequence that the file doesn't have; if the index doesn't fit the file, or it can't be read.
    pub fn write(
        &self,
        fasta: &Fasta,
        region: &str,
        out: &mut Vec<u8>,
    ) -> Result<ExtractedPart, Error> {
        let (number, interval) = fasta.index().region(region)?;
        let positions = interval.start as u64..interval.end as u64;
        let width = self.line_width.unwrap_or_else(|| fasta.index().line_width(number)).max(1);
        let width = usize::try_from(width).unwrap_or(usize::MAX);
        let mut text = Vec::new();
        fasta.append(number, SequencePart::Bases, positions.clone(), &mut text)?;
        let found = text.len() as u64;
        self.write_name(region, out);
        if self.reverse_complement {
            let mut other = Vec::new();
            reverse_complement(&text, &mut other);
            text = other;
        }
        write_lines(&text, width, out);
        if self.is_fastq {
            text.clear();
            fasta.append(number, SequencePart::Qualities, positions.clone(), &mut text)?;
            if self.reverse_complement {
                text.reverse();
            }
            out.extend_from_slice(b"+\n");
            write_lines(&text, width, out);
        }
        Ok(match found {
            0 => ExtractedPart::Nothing,
            // Without an end, a region goes to that of the sequence.
            _ if interval.end < i64::MAX && found < positions.end - positions.start => {
                ExtractedPart::Truncated
            }
            _ => ExtractedPart::Whole,
        })
    }

    /// Appends the record of a region that isn't there, which has no bases.
    pub fn write_missing(&self, region: &str, out: &mut Vec<u8>) {
        self.write_name(region, out);
        if self.is_fastq {
            out.extend_from_slice(b"+\n");
        }
    }

    fn write_name(&self, region: &str, out: &mut Vec<u8>) {
        out.push(if self.is_fastq { b'@' } else { b'>' });
        out.extend_from_slice(region.as_bytes());
        out.extend_from_slice(self.name_suffix.as_bytes());
        out.push(b'\n');
    }
}

fn write_lines(text: &[u8], width: usize, out: &mut Vec<u8>) {
    for line in text.chunks(width) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
}
