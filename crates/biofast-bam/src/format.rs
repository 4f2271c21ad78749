//! Which alignment format an input holds, by content and never by name.

/// A format of alignment records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Binary records, usually in BGZF (SAM specification, section 4.2).
    Bam,
    /// Text (SAM specification, section 1), in any container.
    Sam,
    /// Reference-compressed records (CRAM specification).
    Cram,
}

impl Format {
    /// The name users know: `BAM`, `SAM` or `CRAM`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Bam => "BAM",
            Format::Sam => "SAM",
            Format::Cram => "CRAM",
        }
    }

    /// The format of data that start with `bytes`, or what else they look like.
    pub(crate) fn of(bytes: &[u8]) -> Result<Format, DetectedData> {
        match bytes {
            [b'B', b'A', b'M', 1, ..] => Ok(Format::Bam),
            [b'C', b'R', b'A', b'M', ..] => Ok(Format::Cram),
            [] => Err(DetectedData::Nothing),
            // Cut within the magic number: the reader will say so.
            _ if b"BAM\x01".starts_with(bytes) => Ok(Format::Bam),
            _ if is_header_line(bytes) || is_alignment_line(bytes) => Ok(Format::Sam),
            _ if is_spaced_header(bytes) => Err(DetectedData::SpacedSam),
            [b'@', ..] => Err(DetectedData::MaybeFastq),
            [b'>', ..] => Err(DetectedData::MaybeFasta),
            [b'B', b'C', b'F', ..] => Err(DetectedData::Bcf),
            [b'B', b'A', b'I', 1, ..] => Err(DetectedData::Bai),
            [b'C', b'S', b'I', 1, ..] => Err(DetectedData::Csi),
            _ if bytes.starts_with(b"##fileformat=VCF") => Err(DetectedData::Vcf),
            [b'P', b'K', 3, 4, ..] => Err(DetectedData::Zip),
            _ if bytes.get(257..262) == Some(b"ustar") => Err(DetectedData::Tar),
            _ if bytes.iter().all(|&b| b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r')) => {
                Err(DetectedData::Text)
            }
            _ => Err(DetectedData::Other),
        }
    }
}

/// What data are, if they aren't in the expected format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DetectedData {
    /// No data at all.
    Nothing,
    /// Alignments, but in another format.
    Alignments(Format),
    /// SAM that an editor or a copy has left without its tabs.
    SpacedSam,
    /// Text that begins as FASTQ does.
    MaybeFastq,
    /// Text that begins as FASTA does.
    MaybeFasta,
    /// Variants, binary.
    Bcf,
    /// Variants, text.
    Vcf,
    /// An index of BAM.
    Bai,
    /// An index of BAM or of others.
    Csi,
    /// A ZIP archive.
    Zip,
    /// A tar archive.
    Tar,
    /// Other text.
    Text,
    /// Anything else.
    Other,
}

impl std::fmt::Display for DetectedData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DetectedData::Nothing => "nothing",
            DetectedData::Alignments(format) => format.name(),
            DetectedData::SpacedSam => "SAM with spaces instead of tabs between fields",
            DetectedData::MaybeFastq => "text (FASTQ?)",
            DetectedData::MaybeFasta => "text (FASTA?)",
            DetectedData::Bcf => "BCF",
            DetectedData::Vcf => "VCF text",
            DetectedData::Bai => "a BAM index (BAI)",
            DetectedData::Csi => "an index (CSI)",
            DetectedData::Zip => "a ZIP archive",
            DetectedData::Tar => "a tar archive",
            DetectedData::Text => "text other than SAM",
            DetectedData::Other => "other data",
        })
    }
}

/// A header line with spaces where tabs belong.
fn is_spaced_header(bytes: &[u8]) -> bool {
    [&b"@HD VN:"[..], b"@SQ SN:", b"@RG ID:", b"@PG ID:"]
        .iter()
        .any(|start| bytes.starts_with(start))
}

/// `@XX` and then tab-separated `XX:value` fields, or a comment.
fn is_header_line(bytes: &[u8]) -> bool {
    match bytes {
        [b'@', b'C', b'O', b'\t' | b'\n' | b'\r', ..] => true,
        [b'@', b'H', b'D', b'\t', ..]
        | [b'@', b'S', b'Q', b'\t', ..]
        | [b'@', b'R', b'G', b'\t', ..]
        | [b'@', b'P', b'G', b'\t', ..] => true,
        // Custom record types are allowed.
        [b'@', a, b, b'\t', c, d, b':', ..] => {
            [a, b, c].iter().all(|b| b.is_ascii_alphabetic()) && d.is_ascii_alphanumeric()
        }
        _ => false,
    }
}

/// A name, flags, a reference, a position, a mapping quality and the start of a CIGAR.
fn is_alignment_line(bytes: &[u8]) -> bool {
    let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let fields: Vec<&[u8]> = line.splitn(6, |&b| b == b'\t').collect();
    let [name, flags, reference, position, mapping_quality, cigar] = fields[..] else {
        return false;
    };
    let number = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    !name.is_empty()
        && name.iter().chain(reference).all(|&b| b > b' ')
        && !reference.is_empty()
        && [flags, position, mapping_quality].into_iter().all(number)
        && matches!(cigar, [b'*' | b'0'..=b'9', ..])
        // A line of an index of FASTQ (.fai) has six fields, too; a number is no CIGAR.
        && !(number(cigar) && line.len() < bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        for (bytes, expected) in [
            (&b"BAM\x01\0\0"[..], Format::Bam),
            (b"BA", Format::Bam),
            (b"CRAM\x03\x00", Format::Cram),
            (b"@HD\tVN:1.6\n", Format::Sam),
            (b"@CO\n", Format::Sam),
            (b"@xy\tzz:1\n", Format::Sam),
            (b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tA\t!\n", Format::Sam),
            (b"@odd name\t4\t*\t0\t0\t*", Format::Sam),
        ] {
            let found = Format::of(bytes);
            if bytes.starts_with(b"@odd") {
                assert!(found.is_err(), "a blank in a name");
            } else {
                assert_eq!(found, Ok(expected), "{:?}", String::from_utf8_lossy(bytes));
            }
        }
        for (bytes, expected) in [
            (&b""[..], "nothing"),
            (b"@read1\tx\nACGT\n+\nIIII\n", "FASTQ"),
            (b">chr1\nACGT\n", "FASTA"),
            (b"chr1\t100\t200\n", "text other than SAM"),
            (b"r1\t150\t54\t150\t151\t207\nr2\t150\t413", "text other than SAM"),
            (b"\x7fELF\x02\x01\x01\0", "other data"),
        ] {
            let found = Format::of(bytes).expect_err("another format").to_string();
            assert!(found.contains(expected), "{found}");
        }
    }
}
