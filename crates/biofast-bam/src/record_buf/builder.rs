//! Records made in one expression.

use crate::cigar_buf::CigarBuf;
use crate::error::Error;
use crate::flag;
use crate::record_buf::RecordBuf;
use crate::value::Value;

/// Makes a [`RecordBuf`]; see [`RecordBuf::mapped`] and [`RecordBuf::unmapped`].
///
/// ```
/// use biofast_bam::{RecordBuf, flag};
///
/// let record = RecordBuf::mapped("r1", 0, 99, "2S4M".parse()?)
///     .flags(flag::PAIRED | flag::READ1 | flag::MATE_REVERSE)
///     .mapping_quality(60)
///     .mate(0, 299, 204)
///     .sequence(b"TTACGT")
///     .qualities([30; 6])
///     .tag(b"NM", 0u8)
///     .build()?;
/// assert_eq!((record.position(), record.alignment_end()), (99, 103));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder makes nothing before `build`"]
pub struct RecordBuilder {
    record: RecordBuf,
    /// The first value that can't be stored.
    fault: Option<Error>,
}

impl RecordBuf {
    /// Starts an aligned record: its name, the index of its reference in the header, its leftmost position, counted
    /// from 0, and its CIGAR. Unless set, its flags are 0 and its mapping quality is 255, unknown.
    pub fn mapped(
        name: impl AsRef<[u8]>,
        reference_id: i32,
        position: i32,
        cigar: CigarBuf,
    ) -> RecordBuilder {
        let mut record = RecordBuf::default();
        record.set_name(name).set_flags(0).set_mapping_quality(255);
        record.set_reference_id(reference_id).set_position(position).set_cigar(cigar);
        RecordBuilder { record, fault: None }
    }

    /// Starts an unaligned record: flagged as unmapped, and without a position (−1).
    pub fn unmapped(name: impl AsRef<[u8]>) -> RecordBuilder {
        let mut record = RecordBuf::default();
        record.set_name(name);
        RecordBuilder { record, fault: None }
    }
}

impl RecordBuilder {
    /// Sets flags. Whether the read is mapped was said at the start and stays.
    pub fn flags(mut self, flags: u16) -> Self {
        let mapped = self.record.flags() & flag::UNMAPPED;
        self.record.set_flags(flags & !flag::UNMAPPED | mapped);
        self
    }

    /// Sets the mapping quality.
    pub fn mapping_quality(mut self, mapping_quality: u8) -> Self {
        self.record.set_mapping_quality(mapping_quality);
        self
    }

    /// Sets the mate's reference and position, and the template length.
    pub fn mate(mut self, reference_id: i32, position: i32, template_len: i32) -> Self {
        self.record.set_mate_reference_id(reference_id).set_mate_position(position);
        self.record.set_template_len(template_len);
        self
    }

    /// Sets the reference and position of an unmapped read, which are those of its mate.
    pub fn place(mut self, reference_id: i32, position: i32) -> Self {
        self.record.set_reference_id(reference_id).set_position(position);
        self
    }

    /// Sets the sequence, as letters.
    pub fn sequence(mut self, letters: impl AsRef<[u8]>) -> Self {
        self.record.set_sequence(letters);
        self
    }

    /// Sets the qualities: Phred values without an offset.
    pub fn qualities(mut self, qualities: impl AsRef<[u8]>) -> Self {
        self.record.set_qualities(qualities);
        self
    }

    /// Adds an optional field, or replaces it.
    pub fn tag<'v>(mut self, name: &[u8; 2], value: impl Into<Value<'v>>) -> Self {
        if let Err(error) = self.record.set_tag(name, value) {
            self.fault.get_or_insert(error);
        }
        self
    }

    /// The record.
    ///
    /// # Errors
    /// The first field that can't be stored, or contradicts the others. Whether its references are in a header is
    /// seen when it is written.
    pub fn build(self) -> Result<RecordBuf, Error> {
        match self.fault {
            Some(error) => Err(error),
            None => self.record.check_alone().map(|()| self.record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_at_the_end_the_first_one_first() {
        let built = RecordBuf::unmapped("r").tag(b"XX", "a\tb").tag(b"9X", 1u8).build();
        let error = built.map_err(|error| error.to_string()).expect_err("a tab");
        assert!(error.contains("control characters"), "{error}");
    }

    #[test]
    fn flags_leave_alone_whether_it_is_mapped() -> Result<(), Error> {
        let read = RecordBuf::unmapped("r").flags(flag::PAIRED).build()?;
        assert_eq!(read.flags(), flag::PAIRED | flag::UNMAPPED);
        let read = RecordBuf::mapped("r", 0, 0, CigarBuf::new()).flags(0xffff).build()?;
        assert_eq!(read.flags(), !flag::UNMAPPED);
        Ok(())
    }
}
