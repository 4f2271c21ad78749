//! What an input holds: its content decides, and where that says nothing, its name says what it
//! should be.

use biofast_io::{Container, Location, Source, without_container};
use serde::{Deserialize, Serialize};

use super::fault::{CheckRule, Fault};

/// A format of data that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckedFormat {
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

impl CheckedFormat {
    /// `FASTQ`, `FASTA`, `BAM`, `SAM`, `CRAM` or `other`.
    pub fn name(self) -> &'static str {
        match self {
            CheckedFormat::Fastq => "FASTQ",
            CheckedFormat::Fasta => "FASTA",
            CheckedFormat::Bam => "BAM",
            CheckedFormat::Sam => "SAM",
            CheckedFormat::Cram => "CRAM",
            CheckedFormat::Other => "other",
        }
    }

    /// What a file of this name should hold, if the name says so.
    pub fn of_name(name: &str) -> Option<CheckedFormat> {
        let name = name.to_ascii_lowercase();
        match without_container(&name).rsplit_once('.')?.1 {
            "fastq" | "fq" => Some(CheckedFormat::Fastq),
            "fasta" | "fa" | "fna" | "ffn" | "faa" | "frn" | "fas" => Some(CheckedFormat::Fasta),
            "bam" => Some(CheckedFormat::Bam),
            "sam" => Some(CheckedFormat::Sam),
            "cram" => Some(CheckedFormat::Cram),
            _ => None,
        }
    }
}

impl From<biofast_bam::Format> for CheckedFormat {
    fn from(format: biofast_bam::Format) -> CheckedFormat {
        match format {
            biofast_bam::Format::Bam => CheckedFormat::Bam,
            biofast_bam::Format::Sam => CheckedFormat::Sam,
            biofast_bam::Format::Cram => CheckedFormat::Cram,
            _ => CheckedFormat::Other,
        }
    }
}

/// Says how to read the input. `expected` is what the caller insists on.
///
/// # Errors
/// The fault of an input that can't be what it should be, with what it should be.
pub(super) fn recognise(
    source: &mut Source,
    expected: Option<CheckedFormat>,
) -> Result<CheckedFormat, (CheckedFormat, Fault)> {
    // Whoever reads the bytes will come upon the damage.
    let are_reads =
        |format: &CheckedFormat| matches!(format, CheckedFormat::Fastq | CheckedFormat::Fasta);
    let unseen = || expected.filter(are_reads).unwrap_or(CheckedFormat::Other);
    let Ok(start) = source.peek(START) else { return Ok(unseen()) };
    let (found, what) = match biofast_bam::Format::sniff(source) {
        Ok(format) => (format.into(), ""),
        // The system, which gave the bytes a moment ago, refuses them now: that is no other format.
        Err(error) if matches!(error.kind(), biofast_bam::ErrorKind::Io(_)) => return Ok(unseen()),
        Err(error) if error.kind().is_spaced_sam() => {
            (CheckedFormat::Other, "SAM with spaces instead of tabs between fields")
        }
        Err(_) if start.is_empty() => (CheckedFormat::Other, "nothing"),
        Err(_)
            if is_fastq(&start)
                && (CheckedFormat::of_name(source.name()) == Some(CheckedFormat::Fastq)
                    || !is_list_of_names(&start)) =>
        {
            (CheckedFormat::Fastq, "")
        }
        // By another name it is a file of that format which begins wrongly.
        Err(_)
            if is_fasta(&start)
                && matches!(
                    CheckedFormat::of_name(source.name()),
                    None | Some(CheckedFormat::Fasta)
                ) =>
        {
            (CheckedFormat::Fasta, "")
        }
        Err(_) => (CheckedFormat::Other, describe(&start)),
    };
    let fault = |wanted: &str, found: &str, format| {
        let message = format!("expected {wanted}, found {found}");
        Err((format, Fault::new(CheckRule::Format, message, Location::default())))
    };
    let by_name = || CheckedFormat::of_name(source.name());
    match (found, expected) {
        (CheckedFormat::Other, _) => match expected.or_else(by_name) {
            // No reads are FASTQ, too.
            Some(format) if start.is_empty() && are_reads(&format) => Ok(format),
            Some(format) if format != CheckedFormat::Other => fault(format.name(), what, format),
            _ if start.is_empty() => Ok(CheckedFormat::Other),
            _ => Ok(CheckedFormat::Other),
        },
        (found, Some(wanted)) if wanted != CheckedFormat::Other && wanted != found => {
            fault(wanted.name(), found.name(), wanted)
        }
        (_, Some(CheckedFormat::Other)) => Ok(CheckedFormat::Other),
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
        _ if is_fasta(start) => "text (FASTA?)",
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
    Fault::new(CheckRule::Format, message, Location::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_should_hold() {
        for (name, expected) in [
            ("a.fastq", Some(CheckedFormat::Fastq)),
            ("A.FQ.GZ", Some(CheckedFormat::Fastq)),
            ("x/y.fq.zst", Some(CheckedFormat::Fastq)),
            ("x.bam", Some(CheckedFormat::Bam)),
            ("x.sam.bgz", Some(CheckedFormat::Sam)),
            ("x.cram", Some(CheckedFormat::Cram)),
            ("genes.fna.gz", Some(CheckedFormat::Fasta)),
            ("x.bam.bai", None),
            ("bam", None),
            ("-", None),
        ] {
            assert_eq!(CheckedFormat::of_name(name), expected, "{name}");
        }
    }

    #[test]
    fn fasta_is_known_by_its_content_unless_its_name_says_otherwise() {
        let found = |name: &str, expected| {
            recognise(&mut Source::from_reader(name, &b"\n>chr1 x\nACGT\n"[..]), expected)
        };
        assert_eq!(found("x.fa", None), Ok(CheckedFormat::Fasta));
        assert_eq!(found("-", None), Ok(CheckedFormat::Fasta));
        for (name, expected) in
            [("x.fq", None), ("x.bam", None), ("x.fa", Some(CheckedFormat::Fastq))]
        {
            let (_, fault) = found(name, expected).expect_err(name);
            assert!(fault.message.contains("FASTA"), "{name}: {}", fault.message);
        }
    }

    #[test]
    fn a_list_of_names_is_no_fastq_unless_it_is_called_so() {
        let found = |name: &str, text: &'static str| {
            recognise(&mut Source::from_reader(name, text.as_bytes()), None).ok()
        };
        assert_eq!(found("x.names", "@a\n@b\n@c\n@d\n"), Some(CheckedFormat::Other));
        assert_eq!(found("x.fq", "@a\n@b\n@c\n@d\n"), Some(CheckedFormat::Fastq));
        assert_eq!(found("x.names", "@a\nA\n@b\nC\n"), Some(CheckedFormat::Fastq));
        assert_eq!(found("x.names", "@a\n"), Some(CheckedFormat::Fastq));
    }
}
