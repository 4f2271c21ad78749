//! What an input holds: its content decides, and where that says nothing, its name says what it
//! should be.

use biofast_io::{Container, Location, Source};
use serde::{Deserialize, Serialize};

use super::{Fault, Rule};

/// A format of data that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Reads.
    Fastq,
    /// Sequences without qualities.
    Fasta,
    /// Alignments, binary.
    Bam,
    /// Alignments as text.
    Sam,
    /// Alignments against a reference.
    Cram,
    /// Anything else: only its container can be checked.
    Other,
}

/// Enough to tell the formats apart, as much as the sniffing of alignments takes.
const START: usize = 8 << 10;

impl Format {
    /// `FASTQ`, `FASTA`, `BAM`, `SAM`, `CRAM` or `other`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Fastq => "FASTQ",
            Format::Fasta => "FASTA",
            Format::Bam => "BAM",
            Format::Sam => "SAM",
            Format::Cram => "CRAM",
            Format::Other => "other",
        }
    }

    /// What a file of this name should hold, if the name says so.
    pub fn of_name(name: &str) -> Option<Format> {
        let mut name = name.to_ascii_lowercase();
        for suffix in [".gz", ".bgz", ".bgzf", ".zst", ".bz2", ".xz"] {
            if let Some(len) = name.strip_suffix(suffix).map(str::len) {
                name.truncate(len);
                break;
            }
        }
        match name.rsplit_once('.')?.1 {
            "fastq" | "fq" => Some(Format::Fastq),
            "fasta" | "fa" | "fna" | "ffn" | "faa" | "frn" | "fas" => Some(Format::Fasta),
            "bam" => Some(Format::Bam),
            "sam" => Some(Format::Sam),
            "cram" => Some(Format::Cram),
            _ => None,
        }
    }
}

impl From<biofast_bam::Format> for Format {
    fn from(format: biofast_bam::Format) -> Format {
        match format {
            biofast_bam::Format::Bam => Format::Bam,
            biofast_bam::Format::Sam => Format::Sam,
            biofast_bam::Format::Cram => Format::Cram,
            _ => Format::Other,
        }
    }
}

/// Says how to read the input. `expected` is what the caller insists on.
///
/// # Errors
/// The fault of an input that can't be what it should be, with what it should be.
pub(super) fn recognise(
    source: &mut Source,
    expected: Option<Format>,
) -> Result<Format, (Format, Fault)> {
    // Whoever reads the bytes will come upon the damage.
    let are_reads = |format: &Format| matches!(format, Format::Fastq | Format::Fasta);
    let unseen = || expected.filter(are_reads).unwrap_or(Format::Other);
    let Ok(start) = source.peek(START) else { return Ok(unseen()) };
    let (found, what) = match biofast_bam::Format::sniff(source) {
        Ok(format) => (format.into(), ""),
        // The system, which gave the bytes a moment ago, refuses them now: that is no other format.
        Err(error) if matches!(error.kind(), biofast_bam::ErrorKind::Io(_)) => return Ok(unseen()),
        Err(_) if start.is_empty() => (Format::Other, "nothing"),
        Err(_)
            if is_fastq(&start)
                && (Format::of_name(source.name()) == Some(Format::Fastq)
                    || !is_list_of_names(&start)) =>
        {
            (Format::Fastq, "")
        }
        // By another name it is a file of that format which begins wrongly.
        Err(_)
            if is_fasta(&start)
                && matches!(Format::of_name(source.name()), None | Some(Format::Fasta)) =>
        {
            (Format::Fasta, "")
        }
        Err(_) => (Format::Other, describe(&start)),
    };
    let fault = |wanted: &str, found: &str, format| {
        let message = format!("expected {wanted}, found {found}");
        Err((format, Fault::new(Rule::Format, message, Location::default())))
    };
    let by_name = || Format::of_name(source.name());
    match (found, expected) {
        (Format::Other, _) => match expected.or_else(by_name) {
            // No reads are FASTQ, too.
            Some(format) if start.is_empty() && are_reads(&format) => Ok(format),
            Some(format) if format != Format::Other => fault(format.name(), what, format),
            _ if start.is_empty() => Ok(Format::Other),
            _ => Ok(Format::Other),
        },
        (found, Some(wanted)) if wanted != Format::Other && wanted != found => {
            fault(wanted.name(), found.name(), wanted)
        }
        (_, Some(Format::Other)) => Ok(Format::Other),
        (found, _) => Ok(found),
    }
}

/// Sequences start with `>`, after any blank lines.
fn is_fasta(start: &[u8]) -> bool {
    start.iter().find(|b| !matches!(b, b'\n' | b'\r')) == Some(&b'>')
}

/// Reads start with `@`, after any blank lines; a mark of the byte order is named by their reader.
fn is_fastq(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    start.iter().find(|b| !matches!(b, b'\n' | b'\r')) == Some(&b'@')
}

/// Four lines that all start with `@`, as no read does: a list of names of reads.
fn is_list_of_names(start: &[u8]) -> bool {
    let mut lines = start.split(|&b| b == b'\n');
    (0..4).all(|_| lines.next().is_some_and(|line| line.starts_with(b"@")))
}

fn describe(start: &[u8]) -> &'static str {
    match start {
        _ if is_fasta(start) => "text that may be FASTA",
        _ if start.starts_with(b"##fileformat=VCF") => "VCF text",
        [b'B', b'A', b'I', 1, ..] => "a BAM index (BAI)",
        [b'C', b'S', b'I', 1, ..] => "an index (CSI)",
        [b'B', b'C', b'F', ..] => "BCF",
        _ if Container::sniff(start) != Container::Plain => "compressed data",
        [b'P', b'K', 3, 4, ..] => "a ZIP archive",
        _ if start.get(257..262) == Some(b"ustar") => "a tar archive",
        _ if start.iter().all(|&b| b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r')) => "other text",
        _ => "other data",
    }
}

/// The fault of data that nothing is known about and that no container protects.
pub(super) fn unknown(start: &[u8]) -> Fault {
    let message = format!("expected FASTQ, FASTA, BAM, SAM or CRAM, found {}", describe(start));
    Fault::new(Rule::Format, message, Location::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_should_hold() {
        for (name, expected) in [
            ("a.fastq", Some(Format::Fastq)),
            ("A.FQ.GZ", Some(Format::Fastq)),
            ("x/y.fq.zst", Some(Format::Fastq)),
            ("x.bam", Some(Format::Bam)),
            ("x.sam.bgz", Some(Format::Sam)),
            ("x.cram", Some(Format::Cram)),
            ("genes.fna.gz", Some(Format::Fasta)),
            ("x.bam.bai", None),
            ("bam", None),
            ("-", None),
        ] {
            assert_eq!(Format::of_name(name), expected, "{name}");
        }
    }

    #[test]
    fn fasta_is_known_by_its_content_unless_its_name_says_otherwise() {
        let found = |name: &str, expected| {
            recognise(&mut Source::from_reader(name, &b"\n>chr1 x\nACGT\n"[..]), expected)
        };
        assert_eq!(found("x.fa", None), Ok(Format::Fasta));
        assert_eq!(found("-", None), Ok(Format::Fasta));
        for (name, expected) in [("x.fq", None), ("x.bam", None), ("x.fa", Some(Format::Fastq))] {
            let (_, fault) = found(name, expected).expect_err(name);
            assert!(fault.message.contains("FASTA"), "{name}: {}", fault.message);
        }
    }

    #[test]
    fn a_list_of_names_is_no_fastq_unless_it_is_called_so() {
        let found = |name: &str, text: &'static str| {
            recognise(&mut Source::from_reader(name, text.as_bytes()), None).ok()
        };
        assert_eq!(found("x.names", "@a\n@b\n@c\n@d\n"), Some(Format::Other));
        assert_eq!(found("x.fq", "@a\n@b\n@c\n@d\n"), Some(Format::Fastq));
        assert_eq!(found("x.names", "@a\nA\n@b\nC\n"), Some(Format::Fastq));
        assert_eq!(found("x.names", "@a\n"), Some(Format::Fastq));
    }
}
