//! Unaligned records with bases cut off.

use std::ops::Range;

use crate::error::Error;
use crate::fixed::FIXED_LEN;
use crate::modifications;
use crate::packing;
use crate::record::Record;

/// Text fields with one character a base.
const PER_BASE: [[u8; 2]; 4] = [*b"OQ", *b"BQ", *b"E2", *b"U2"];

/// Arrays with one element a base, in the order of the sequence (PacBio's kinetics).
const ARRAYS: [[u8; 2]; 4] = [*b"ip", *b"pw", *b"fi", *b"fp"];

/// The same in the reverse order.
const REVERSED_ARRAYS: [[u8; 2]; 2] = [*b"ri", *b"rp"];

impl Record<'_> {
    /// This record with `bases` of its sequence alone, and under another name; `out` is where its
    /// bytes will be.
    ///
    /// Fields that follow the bases are cut as well: OQ, BQ, E2, U2 and the kinetics ip, pw, fi,
    /// fp, ri and rp, if they have as many elements as there were bases. Base modifications (MM and
    /// ML, or their older names Mm and Ml) are those of the bases left: the first number of each
    /// list is counted anew. MN becomes the new length.
    ///
    /// ```
    /// use biofast_bam::{Input, InputOptions, Fold};
    /// use biofast_io::{Options, Source};
    ///
    /// let sam = b"@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACCGTC\tIIIII#\tMM:Z:C+m?,0,1;\tML:B:C,7,9\n";
    /// let options = Options::default();
    /// let opened = InputOptions { io: &options, reference: None, detail: Default::default() };
    /// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
    /// let each = |tags: &mut Vec<u8>, batch: biofast_bam::Batch<'_>| {
    ///     for record in batch {
    ///         let mut out = Vec::new();
    ///         let trimmed = record.trimmed(b"r", 2..6, &mut out).expect("unaligned");
    ///         assert_eq!(trimmed.sequence_len(), 4);
    ///         tags.extend_from_slice(trimmed.tag_bytes());
    ///     }
    /// };
    /// let tags = Fold::new(input.source).options(&options).run(Vec::new, each, |a, b| a.extend(b));
    /// assert_eq!(tags.map_err(|fault| fault.error)?.1, b"MMZC+m?,1;\0MLBC\x01\0\0\0\x09");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the record has a CIGAR, fields that contradict its sequence, a move table (mv), or none
    /// of the names BAM can hold.
    ///
    /// # Panics
    /// If there are no such bases.
    #[doc(hidden)]
    pub fn trimmed<'o>(
        &self,
        name: &[u8],
        bases: Range<usize>,
        out: &'o mut Vec<u8>,
    ) -> Result<Record<'o>, Error> {
        out.clear();
        self.write_trimmed(name, bases, out).map_err(|reason| self.unwritable(reason))?;
        Ok(Record::new(out))
    }

    fn write_trimmed(
        &self,
        name: &[u8],
        bases: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let len = self.sequence_len();
        assert!(bases.start <= bases.end && bases.end <= len, "the read doesn't have these bases");
        let name_len = match u8::try_from(name.len()) {
            Ok(len @ 1..=254) => len + 1,
            _ => return Err("names in BAM have 1 to 254 characters"),
        };
        if !self.cigar().is_empty() {
            return Err("it can't be trimmed: it has a CIGAR");
        }
        out.extend_from_slice(&self.as_bytes()[..FIXED_LEN]);
        out[8] = name_len;
        // A part of a sequence whose length fits.
        out[16..20].copy_from_slice(&(bases.len() as u32).to_le_bytes());
        out.extend_from_slice(name);
        out.push(0);
        let letters = letters(self.packed_sequence(), len);
        packing::pack(&letters[bases.clone()], out);
        out.extend_from_slice(&self.qualities()[bases.clone()]);
        if bases.len() == len {
            out.extend_from_slice(self.tag_bytes());
            return Ok(());
        }
        write_tags(self, &letters, bases, out)
    }
}

fn letters(packed: &[u8], len: usize) -> Vec<u8> {
    let mut letters = Vec::with_capacity(len + 1);
    biofast_kernels::unpack_bases(packed, len, &mut letters);
    letters
}

fn write_tags(
    record: &Record<'_>,
    letters: &[u8],
    bases: Range<usize>,
    out: &mut Vec<u8>,
) -> Result<(), &'static str> {
    let len = letters.len();
    let modifications = modifications::trim(record, letters, bases.clone())?;
    let mut tags = record.tags();
    for tag in tags.by_ref() {
        if let Some((_, value)) = modifications.iter().find(|(name, _)| *name == tag.name) {
            out.extend_from_slice(&tag.name);
            out.push(tag.kind);
            out.extend_from_slice(value);
            continue;
        }
        out.extend_from_slice(&tag.name);
        out.push(tag.kind);
        match (tag.kind, tag.value) {
            _ if tag.name == *b"mv" => {
                return Err(
                    "its move table (mv) can't be trimmed: remove it first with `samtools view -x mv`",
                );
            }
            (b'Z', text) if PER_BASE.contains(&tag.name) => {
                if text.len() != len {
                    return Err(
                        "OQ, BQ, E2 or U2 differs in length from the sequence, so the read can't be trimmed",
                    );
                }
                out.extend_from_slice(&text[bases.clone()]);
                out.push(0);
            }
            (b'B', &[kind, a, b, c, d, ref elements @ ..])
                if u32::from_le_bytes([a, b, c, d]) as usize == len
                    && (ARRAYS.contains(&tag.name) || REVERSED_ARRAYS.contains(&tag.name)) =>
            {
                let size = elements.len() / len.max(1);
                let part = match ARRAYS.contains(&tag.name) {
                    true => bases.clone(),
                    false => len - bases.end..len - bases.start,
                };
                out.push(kind);
                out.extend_from_slice(&(part.len() as u32).to_le_bytes());
                out.extend_from_slice(&elements[part.start * size..part.end * size]);
            }
            (kind, value) => {
                out.extend_from_slice(value);
                if matches!(kind, b'Z' | b'H') {
                    out.push(0);
                }
            }
        }
    }
    match tags.is_malformed() {
        true => Err("its tags are malformed"),
        false => Ok(()),
    }
}
