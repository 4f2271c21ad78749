//! What Picard asks of a record's optional fields, found in one walk over them, and what several metrics ask of its bases.

use biofast_bam::Record;

use super::no_calls;

/// Optional fields of a record, and its bases.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordFields<'a> {
    /// Whether there is `SA`: other parts of a chimeric alignment.
    pub(crate) has_other_alignments: bool,
    /// `MQ`: the mapping quality of the mate.
    pub(crate) mate_quality: Option<i64>,
    /// Whether `XN` is 1: a read of A and N alone.
    pub(crate) is_noise: bool,
    /// `OQ`: the original qualities, as Phred+33.
    pub(crate) original_qualities: Option<&'a [u8]>,
    /// Whether the fields end in one that can't be read.
    pub(crate) is_malformed: bool,
    /// Whether any base may be N.
    pub(crate) has_n: bool,
}

impl<'a> RecordFields<'a> {
    #[inline]
    pub(crate) fn of(record: &Record<'a>) -> RecordFields<'a> {
        let mut fields = RecordFields { has_n: no_calls::has_n(record), ..RecordFields::default() };
        let mut tags = record.tags();
        for tag in tags.by_ref() {
            match &tag.name {
                b"SA" => fields.has_other_alignments = true,
                b"MQ" => fields.mate_quality = tag.as_int(),
                b"XN" => fields.is_noise = tag.as_int() == Some(1),
                b"OQ" => fields.original_qualities = tag.as_text(),
                _ => {}
            }
        }
        fields.is_malformed = tags.is_malformed();
        fields
    }
}
