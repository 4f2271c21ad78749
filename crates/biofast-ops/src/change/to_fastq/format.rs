//! One record as FASTQ: as it came off the sequencer, whatever strand it is aligned to.

use biofast_bam::{Error, Record, flag};
use biofast_kernels as kernels;

use super::segment::TemplateSegment;

/// The character of a missing quality, as samtools 1.16 writes it.
const MISSING: u8 = b'B';

/// How a read is written.
#[derive(Clone, Debug)]
pub struct FastqFormat {
    /// Whether first reads of pairs get `/1` and second ones `/2` after their name, as samtools 1.24 does it: a read that isn't flagged as
    /// one of a pair (0x1) keeps its name.
    pub suffix: bool,
    /// The optional fields that follow the name.
    pub tags: TagChoice,
    /// The field whose barcode goes into a Casava description (`1:N:0:ACGT`), if that is wanted.
    pub casava: Option<[u8; 2]>,
    /// The character of qualities that aren't there.
    pub missing_quality: u8,
    /// Whether the field OQ, where there is one, has the qualities.
    pub original_qualities: bool,
}

/// Some optional fields.
#[derive(Clone, Debug, Default)]
pub enum TagChoice {
    /// None.
    #[default]
    None,
    /// Those of these names.
    Some(Vec<[u8; 2]>),
    /// All.
    All,
}

impl Default for FastqFormat {
    fn default() -> FastqFormat {
        FastqFormat {
            suffix: false,
            tags: TagChoice::None,
            casava: None,
            missing_quality: MISSING,
            original_qualities: false,
        }
    }
}

impl FastqFormat {
    /// Whether the record has bases, and qualities to be written.
    #[inline]
    pub(super) fn has_qualities(&self, record: &Record<'_>) -> bool {
        record.sequence_len() > 0
            && (!kernels::is_missing(record.qualities().as_slice())
                || self.original(record).is_some())
    }

    #[inline]
    fn original<'a>(&self, record: &Record<'a>) -> Option<&'a [u8]> {
        let has_bases = record.sequence_len() > 0;
        if self.original_qualities && has_bases { text_of(record, *b"OQ") } else { None }
    }

    /// The text of the barcode field, if a description wants one.
    pub(super) fn barcode<'a>(&self, record: &Record<'a>) -> Option<&'a [u8]> {
        text_of(record, self.casava?)
    }

    /// Appends the four lines of a record, of which the second and the fourth are empty if it has no bases. `barcode` is that of the
    /// first read of the pair, which its mate is given, too.
    ///
    /// # Errors
    /// If its name holds a control character, its optional fields are asked for and can't be read, or a quality has no
    /// character.
    pub(super) fn write(
        &self,
        record: &Record<'_>,
        part: TemplateSegment,
        barcode: Option<&[u8]>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.reserve(record.as_bytes().len() * 2);
        out.push(b'@');
        out.extend_from_slice(record.check_name()?);
        if self.suffix && part != TemplateSegment::Other && record.flags() & flag::PAIRED != 0 {
            out.extend_from_slice(if part == TemplateSegment::First { b"/1" } else { b"/2" });
        }
        if self.casava.is_some() {
            let barcode = barcode.or_else(|| self.barcode(record));
            write_casava(record, barcode.unwrap_or(b"0"), out);
        }
        match &self.tags {
            TagChoice::None => {}
            TagChoice::Some(names) => record.write_tags(|name| names.contains(&name), out)?,
            TagChoice::All => record.write_tags(|_| true, out)?,
        }
        out.push(b'\n');
        append_bases(record, out);
        out.extend_from_slice(b"\n+\n");
        self.append_qualities(record, out)?;
        out.push(b'\n');
        Ok(())
    }

    /// Appends the qualities in the order in which they were sequenced.
    ///
    /// # Errors
    /// If one has no character, or OQ is of another length.
    pub(super) fn append_qualities(
        &self,
        record: &Record<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let is_reverse = record.flags() & flag::REVERSE != 0;
        let len = record.sequence_len();
        let raw = record.qualities();
        if let Some(original) = self.original(record) {
            if original.len() != len {
                return Err(record.unwritable("its OQ differs in length from its sequence"));
            }
            match is_reverse {
                true => out.extend(original.iter().rev()),
                false => out.extend_from_slice(original),
            }
        } else if kernels::is_missing(raw.as_slice()) {
            out.resize(out.len() + len, self.missing_quality);
        } else {
            record.check_qualities()?;
            match is_reverse {
                true => kernels::copy_qualities_reversed(raw.as_slice(), out),
                false => kernels::copy_qualities(raw.as_slice(), out),
            }
        }
        Ok(())
    }
}

/// Appends the bases as they were sequenced.
pub(super) fn append_bases(record: &Record<'_>, out: &mut Vec<u8>) {
    let (packed, len) = (record.packed_sequence(), record.sequence_len());
    match record.flags() & flag::REVERSE != 0 {
        true => kernels::unpack_bases_reverse_complement(packed, len, out),
        false => kernels::unpack_bases(packed, len, out),
    }
}

/// The text of an optional field.
fn text_of<'a>(record: &Record<'a>, name: [u8; 2]) -> Option<&'a [u8]> {
    record.tags().find(|tag| tag.name == name).and_then(|tag| tag.as_text())
}

/// ` 1:N:0:BARCODE`, where what separates barcodes becomes `+`. A read that is flagged as both mates is the first one here.
fn write_casava(record: &Record<'_>, barcode: &[u8], out: &mut Vec<u8>) {
    let flags = record.flags();
    let failed = flags & flag::QC_FAIL != 0;
    let part = match (flags & flag::READ1 != 0, flags & flag::READ2 != 0) {
        (true, _) => b'1',
        (false, true) => b'2',
        (false, false) => b'0',
    };
    out.extend_from_slice(&[b' ', part, b':', if failed { b'Y' } else { b'N' }]);
    out.extend_from_slice(b":0:");
    let letter = |&b: &u8| if b.is_ascii_alphabetic() || barcode == b"0" { b } else { b'+' };
    out.extend(barcode.iter().map(letter));
}
