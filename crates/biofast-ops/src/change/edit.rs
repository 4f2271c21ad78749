//! Alignments rewritten in their order: what changes records one by one is a [`RecordEdit`], and all that is written so a
//! [`Rewrite`].

use biofast_bam::{self as bam, Batch, Error, Header, MAX_RECORD_LEN, Query, Record, SamWriter};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Copies;

/// How rewritten records are stored.
pub struct RewrittenFormat {
    /// `None`: as BAM.
    sam: Option<SamWriter>,
}

impl RewrittenFormat {
    /// BAM.
    pub fn bam() -> RewrittenFormat {
        RewrittenFormat { sam: None }
    }

    /// SAM under this header.
    pub fn sam(header: &Header) -> RewrittenFormat {
        RewrittenFormat { sam: Some(SamWriter::new(header)) }
    }

    /// Appends a record, and notes whether it is one of the batch as it is stored there.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn put(
        &self,
        record: &Record<'_>,
        batch: Batch<'_>,
        text: &mut Vec<u8>,
        copies: &mut [Copies],
    ) -> Result<(), Error> {
        let Some(sam) = &self.sam else {
            let at = text.len();
            record.write_bam(text);
            copies.iter_mut().take(1).for_each(|copies| batch.copied(record, at, copies));
            return Ok(());
        };
        sam.write(record, text)
    }
}

/// What makes other alignments of those of a file, and keeps their order.
pub trait Rewrite {
    /// What is told in the end.
    type Counts;

    /// The header of what is written.
    fn header(&self) -> &Header;

    /// Writes what becomes of the records of `query` to the first of `outputs`, behind what was
    /// [appended](Output::append) to it. BGZF blocks of which no record changes are copied, if the output is
    /// [`copying`](Output::copying).
    ///
    /// # Errors
    /// The first fault of the input, a record that can't be changed so, or the failure of an output.
    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<Self::Counts, crate::Error>;
}

/// A change of each record by itself.
pub trait RecordEdit: Sync {
    /// The header of the records as they become.
    fn header(&self) -> &Header;

    /// What becomes of a record, made in `room` if it is another one; `None` if it is left out.
    ///
    /// # Errors
    /// If it can't be read, or can't be changed so.
    fn edit<'r>(
        &self,
        record: Record<'r>,
        room: &'r mut Vec<u8>,
    ) -> Result<Option<Record<'r>>, Error>;
}

/// How many records an edit has read, changed and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditCounts {
    /// Records read.
    pub read: u64,
    /// Records written.
    pub written: u64,
    /// Records written that are others than those read.
    pub changed: u64,
}

impl<E: RecordEdit> Rewrite for E {
    type Counts = EditCounts;

    fn header(&self) -> &Header {
        RecordEdit::header(self)
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<EditCounts, crate::Error> {
        let (_, (counts, _)) = bam::Transform::new(query).options(options).run_copying(
            outputs,
            <(EditCounts, Vec<u8>)>::default,
            |(counts, room), batch, texts, copies| {
                for record in batch {
                    record.check()?;
                    counts.read += 1;
                    let Some(edited) = self.edit(record, room)? else { continue };
                    counts.written += 1;
                    let is_changed = edited.as_bytes() != record.as_bytes();
                    counts.changed += u64::from(is_changed);
                    let written = if is_changed { edited } else { record };
                    format.put(&written, batch, &mut texts[0], copies)?;
                }
                Ok::<_, Error>(())
            },
            |(counts, _), (other, _)| {
                counts.read += other.read;
                counts.written += other.written;
                counts.changed += other.changed;
            },
        )?;
        Ok(counts)
    }
}

/// Hands over the records of a batch, checked: those of a name that follow one another together, or each by itself.
pub(super) fn by_name<'b>(
    batch: Batch<'b>,
    together: bool,
    mut each: impl FnMut(&[Record<'b>]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut records = batch.iter().peekable();
    let mut group = Vec::new();
    while let Some(first) = records.next() {
        first.check()?;
        group.clear();
        group.push(first);
        while let Some(next) = records.next_if(|next| together && next.name() == first.name()) {
            next.check()?;
            group.push(next);
        }
        each(&group)?;
    }
    Ok(())
}

/// The record that was made of another one.
///
/// # Errors
/// If it is too long for BAM.
pub(super) fn made<'r>(of: &Record<'_>, bytes: &'r [u8]) -> Result<Record<'r>, Error> {
    if bytes.len() as u64 > MAX_RECORD_LEN {
        return Err(of.unwritable("it is too long for BAM with what is added to it"));
    }
    Ok(Record::from_checked(bytes))
}
