//! Records of one's own checked and written.

use std::borrow::Cow;

use biofast_io::{Location, Shown};

use crate::cigar::{MAX_OP_LEN, MAX_OPS};
use crate::error::{Error, ErrorKind};
use crate::fixed::FIXED_LEN;
use crate::flag;
use crate::header::{Header, Reference};
use crate::packing;
use crate::record::Record;
use crate::record_buf::RecordBuf;
use crate::sam::bin;

type Reason = Cow<'static, str>;

/// The highest Phred value that has a character.
const HIGHEST_QUALITY: u8 = b'~' - b'!';

impl RecordBuf {
    /// Appends the record in BAM format, block size included, and returns it as a borrowed record. The bin is computed
    /// here.
    ///
    /// # Errors
    /// If the record can't be stored, contradicts itself, or has a reference or position that the header doesn't
    /// have. Nothing is then appended.
    pub fn write_bam<'o>(
        &self,
        header: &Header,
        out: &'o mut Vec<u8>,
    ) -> Result<Record<'o>, Error> {
        self.write(header, false, out)
    }

    /// The same for a record that is changed field by field: each field can be stored, but fields may contradict each other, and positions
    /// lie past the end of their reference. What is returned isn't to be written to a file: [`check`](Self::check) comes before.
    ///
    /// # Errors
    /// If a field can't be stored, or a reference isn't in the header. Nothing is then appended.
    #[doc(hidden)]
    pub fn write_draft<'o>(
        &self,
        header: &Header,
        out: &'o mut Vec<u8>,
    ) -> Result<Record<'o>, Error> {
        self.write(header, true, out)
    }

    fn write<'o>(
        &self,
        header: &Header,
        is_draft: bool,
        out: &'o mut Vec<u8>,
    ) -> Result<Record<'o>, Error> {
        let start = out.len();
        if let Err(reason) = self.encode(header.references(), is_draft, out) {
            out.truncate(start);
            return Err(self.unwritable(reason));
        }
        Ok(Record::new(&out[start + 4..]))
    }

    /// Whether the record can be written under this header.
    ///
    /// # Errors
    /// As [`write_bam`](Self::write_bam).
    pub fn check(&self, header: &Header) -> Result<(), Error> {
        self.check_alone()?;
        let references = header.references();
        self.check_references(references)
            .and_then(|()| self.check_places(references))
            .map_err(|reason| self.unwritable(reason))
    }

    /// The same but for what only a header tells.
    pub(super) fn check_alone(&self) -> Result<(), Error> {
        self.check_fields()
            .and_then(|()| self.check_agreement())
            .and_then(|()| self.check_lengths())
            .and_then(|()| self.check_letters())
            .map_err(|reason| self.unwritable(reason))
    }

    fn unwritable(&self, reason: Reason) -> Error {
        let name = Shown(&self.name).to_string();
        Error::new(ErrorKind::Unwritable { name, reason }, Location::default())
    }

    pub(super) fn bad_tags(&self, reason: &'static str) -> Error {
        let name = Shown(&self.name).to_string();
        Error::new(ErrorKind::BadTags { name, reason }, Location::default())
    }

    /// Whether each field can be stored.
    fn check_fields(&self) -> Result<(), Reason> {
        let refuse = |reason: &'static str| Err(reason.into());
        let printable = self.name.iter().all(u8::is_ascii_graphic);
        if self.name.len() > 254 || !printable || self.name.first() == Some(&b'@') {
            return refuse(
                "its name must have 1 to 254 characters from '!' to '~' and can't start with '@'",
            );
        }
        for (id, position) in self.places() {
            if id < -1 || position < -1 || position == i32::MAX {
                return refuse(
                    "an index of a reference, or a position counted from 0, is out of range",
                );
            }
        }
        if self.cigar().words().any(|word| word & 15 > 9) {
            return refuse("its CIGAR has an unknown operation");
        }
        if self.qualities.iter().fold(0, |highest, &q| highest.max(q)) > HIGHEST_QUALITY {
            return refuse("a quality is above 93, the highest that SAM can express");
        }
        let mut tags = self.tags();
        tags.by_ref().for_each(drop);
        match tags.is_malformed() {
            true => refuse("its tags are malformed"),
            false => Ok(()),
        }
    }

    /// Whether there are as many qualities as bases, and a long CIGAR can be stored.
    fn check_lengths(&self) -> Result<(), Reason> {
        let refuse = |reason: &'static str| Err(reason.into());
        let cigar = self.cigar();
        let (qualities, bases) = (self.qualities.len(), self.sequence.len());
        if qualities > 0 && qualities != bases {
            return Err(format!("it has {qualities} qualities but {bases} bases").into());
        }
        if cigar.len() > MAX_OPS {
            let is_placed = self.reference_id >= 0 && self.position >= 0;
            let fits = |len: u64| len <= u64::from(MAX_OP_LEN);
            if !is_placed || !fits(bases as u64) || !fits(cigar.reference_len()) {
                return refuse(
                    "a CIGAR of more than 65,535 operations needs a position and fewer than 2^28 bases",
                );
            }
            if self.tags().any(|tag| tag.name == *b"CG") {
                return refuse("its CIGAR must be stored in tag CG, which already exists");
            }
        }
        Ok(())
    }

    /// Whether the fields agree with each other.
    fn check_agreement(&self) -> Result<(), Reason> {
        let refuse = |reason: &'static str| Err(reason.into());
        if self.places().iter().any(|&(id, position)| id == -1 && position >= 0) {
            return refuse("it or its mate has a position but no reference");
        }
        let is_mapped = self.flags & flag::UNMAPPED == 0;
        if is_mapped && (self.reference_id < 0 || self.position < 0) {
            return refuse("it is flagged as mapped but has no reference or position");
        }
        let (cigar, bases) = (self.cigar(), self.sequence.len());
        if is_mapped && bases > 0 && !cigar.is_empty() && cigar.read_len() != bases as u64 {
            let read = cigar.read_len();
            return Err(
                format!("its CIGAR covers {read} bases, but the sequence has {bases}").into()
            );
        }
        Ok(())
    }

    fn check_letters(&self) -> Result<(), Reason> {
        match self.sequence.iter().position(|&base| !packing::has_code(base)) {
            Some(at) => Err(packing::no_code(self.sequence[at], at).into()),
            None => Ok(()),
        }
    }

    /// Its own and its mate's.
    fn places(&self) -> [(i32, i32); 2] {
        [(self.reference_id, self.position), (self.mate_reference_id, self.mate_position)]
    }

    fn check_references(&self, references: &[Reference]) -> Result<(), Reason> {
        let n = references.len();
        let unknown = |id: &i32| usize::try_from(*id).is_ok_and(|id| id >= n);
        match self.places().map(|(id, _)| id).iter().find(|id| unknown(id)) {
            Some(id) => Err(format!("the header has {n} references and no index {id}").into()),
            None => Ok(()),
        }
    }

    /// Whether positions lie on their references, as far as the header has these.
    fn check_places(&self, references: &[Reference]) -> Result<(), Reason> {
        for (id, position) in self.places() {
            let reference = usize::try_from(id).ok().and_then(|id| references.get(id));
            if let Some(reference) = reference
                && u64::try_from(position).is_ok_and(|position| position >= reference.length)
            {
                return Err(format!(
                    "position {} is past the end of the reference '{}'",
                    i64::from(position) + 1,
                    Shown(&reference.name)
                )
                .into());
            }
        }
        Ok(())
    }

    /// What was appended before a failure is of no use.
    fn encode(
        &self,
        references: &[Reference],
        is_draft: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Reason> {
        self.check_fields()?;
        if !is_draft {
            self.check_agreement()?;
        }
        self.check_lengths()?;
        self.check_references(references)?;
        if !is_draft {
            self.check_places(references)?;
        }
        let name: &[u8] = if self.name.is_empty() { b"*" } else { &self.name };
        let (cigar, bases) = (self.cigar(), self.sequence.len());
        let is_long = cigar.len() > MAX_OPS;
        let placeholder = [
            ((bases as u32) << 4 | 4).to_le_bytes(),
            // Measured where it is used.
            ((cigar.reference_len() as u32) << 4 | 3).to_le_bytes(),
        ];
        let stored = if is_long { &placeholder[..] } else { cigar.as_words() };
        let start = out.len();
        out.reserve(
            4 + FIXED_LEN + name.len() + 1 + 4 * cigar.len() + 2 * bases + self.tags.len() + 8,
        );
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.reference_id.to_le_bytes());
        out.extend_from_slice(&self.position.to_le_bytes());
        // At most 254 characters.
        out.extend_from_slice(&[name.len() as u8 + 1, self.mapping_quality]);
        let bin = bin(self.position.into(), self.alignment_end());
        out.extend_from_slice(&bin.to_le_bytes());
        // At most 65,535.
        out.extend_from_slice(&(stored.len() as u16).to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
        // Its size is checked at the end.
        out.extend_from_slice(&(bases as u32).to_le_bytes());
        out.extend_from_slice(&self.mate_reference_id.to_le_bytes());
        out.extend_from_slice(&self.mate_position.to_le_bytes());
        out.extend_from_slice(&self.template_len.to_le_bytes());
        out.extend_from_slice(name);
        out.push(0);
        out.extend_from_slice(stored.as_flattened());
        if !packing::pack(&self.sequence, out).nothing() {
            self.check_letters()?;
        }
        match self.qualities.is_empty() {
            true => out.resize(out.len() + bases, 0xff),
            false => out.extend_from_slice(&self.qualities),
        }
        out.extend_from_slice(&self.tags);
        if is_long {
            out.extend_from_slice(b"CGBI");
            out.extend_from_slice(&(cigar.len() as u32).to_le_bytes());
            out.extend_from_slice(cigar.as_words().as_flattened());
        }
        let size = i32::try_from(out.len() - start - 4).map_err(|_| "it is longer than 2 GiB")?;
        out[start..start + 4].copy_from_slice(&size.to_le_bytes());
        Ok(())
    }
}
