//! Which earlier record the fields of a record resemble.

use crate::encode::text::{Text, word};

use super::fields::Anchor;
use super::records::Record;

/// Slots of the tables of flags and of names.
const FLAGS: usize = 64;
const NAMES: usize = 1024;
/// The end of a name by which it is found, with the 0 behind it.
const NAME_END: usize = 8;
/// How far the length of a name is before it.
const NAME_LENGTH: usize = 24;

/// What is remembered of the records before.
pub(super) struct Anchors {
    before: Option<Record>,
    /// How far its tags are behind those of the one before it; 0 if there is none.
    tags: usize,
    /// Where the last record with a flag begins, by a hash of it; 0 if there is none.
    flags: [u16; FLAGS],
    /// Where the last name begins, by its end.
    names: Box<[u16; NAMES]>,
}

impl Anchors {
    pub(super) fn new() -> Self {
        Self { before: None, tags: 0, flags: [0; FLAGS], names: Box::new([0; NAMES]) }
    }

    pub(super) fn clear(&mut self) {
        (self.before, self.tags) = (None, 0);
        self.flags.fill(0);
        self.names.fill(0);
    }

    /// The anchors of the region from `start`, in the tags of the record before, to the bases of `record`; without one, to
    /// the end of a text.
    #[inline(always)]
    pub(super) fn of(
        &mut self,
        text: &Text,
        n: usize,
        start: usize,
        record: Option<&Record>,
    ) -> [Anchor; 5] {
        let mut anchors = [Anchor::NONE; 5];
        anchors[0] = Anchor { at: start, distance: self.tags };
        let Some(record) = record else { return anchors };
        let before = self.before.replace(*record);
        let since =
            |place: fn(&Record) -> usize| before.map_or(0, |before| place(record) - place(&before));
        self.tags = since(|record| record.tags);
        let like = &mut self.flags[usize::from(record.flag ^ record.flag >> 6) % FLAGS];
        let head = match usize::from(*like) {
            0 => since(|record| record.start),
            like => record.start - like,
        };
        *like = record.start as u16;
        let name = self.same_name(text, n, record);
        let name = name.unwrap_or_else(|| since(|record| record.start));
        anchors[1] = Anchor { at: record.start, distance: head };
        anchors[2] = Anchor { at: record.name, distance: name };
        anchors[3] = Anchor { at: record.cigar, distance: since(|record| record.cigar) };
        anchors
    }

    /// How far back the last equal name is, judged by its length and its end.
    #[inline(always)]
    fn same_name(&mut self, text: &Text, n: usize, record: &Record) -> Option<usize> {
        let length = record.cigar - record.name;
        if record.cigar > n || length < NAME_END {
            return None;
        }
        let end = word(text, record.cigar - NAME_END);
        let hash = end.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let found = &mut self.names[hash as usize % NAMES];
        let earlier = usize::from(*found);
        *found = record.name as u16;
        let same = earlier >= NAME_LENGTH
            && word(text, earlier + length - NAME_END) == end
            && usize::from(text[earlier - NAME_LENGTH]) == length;
        same.then(|| record.name - earlier)
    }
}
