//! A read while it is being trimmed.

use std::ops::Range;

use biofast_fastq::Record;

use crate::change::grep::COMPLEMENTS;

/// A record, and which of its bases are left after trimming.
#[derive(Clone, Copy, Debug)]
pub struct TrimmedRead<'a> {
    record: Record<'a>,
    /// Those of the record, or what an [edit](TrimUnit::edit) made of them.
    sequence: &'a [u8],
    qualities: &'a [u8],
    start: usize,
    end: usize,
    /// So many of the bases cut off the front are an identifier.
    identifier: usize,
    edited: bool,
}

impl<'a> TrimmedRead<'a> {
    /// The whole record.
    pub fn new(record: Record<'a>) -> TrimmedRead<'a> {
        let (sequence, qualities) = (record.sequence(), record.qualities());
        let end = sequence.len();
        TrimmedRead { record, sequence, qualities, start: 0, end, identifier: 0, edited: false }
    }

    /// The record as it was read.
    pub fn record(&self) -> &Record<'a> {
        &self.record
    }

    /// The bases left.
    #[inline]
    pub fn sequence(&self) -> &'a [u8] {
        &self.sequence[self.start..self.end]
    }

    /// The qualities of the bases left, ASCII.
    #[inline]
    pub fn qualities(&self) -> &'a [u8] {
        &self.qualities[self.start..self.end]
    }

    /// How many bases are left.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bases of the fragment were cut off the front so far: an [identifier](Self::drop_identifier) is not part of it.
    pub fn cut_front(&self) -> usize {
        self.start - self.identifier
    }

    /// How many bases of an [identifier](Self::drop_identifier) were cut off the front.
    pub fn identifier(&self) -> usize {
        self.identifier
    }

    /// Which bases of the record are left.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether anything was cut off.
    pub fn is_trimmed(&self) -> bool {
        self.len() < self.record.sequence().len()
    }

    /// Whether it is not what was read any more: anything was cut off, or bases or qualities were edited.
    pub fn is_changed(&self) -> bool {
        self.edited || self.is_trimmed()
    }

    /// The read with what an edit made of its bases and qualities.
    pub(super) fn with(self, edited: &'a EditedBases) -> TrimmedRead<'a> {
        let EditedBases { sequence, qualities, .. } = edited;
        TrimmedRead { sequence, qualities, edited: true, ..self }
    }

    /// Cuts `n` bases off the front, or all there are.
    pub fn drop_front(&mut self, n: usize) {
        self.start += n.min(self.len());
    }

    /// Cuts an identifier of `n` bases off the front, or all there are. The other mate of a short fragment ends with its reverse
    /// complement, which is not part of the fragment either.
    pub fn drop_identifier(&mut self, n: usize) {
        let n = n.min(self.len());
        self.start += n;
        self.identifier += n;
    }

    /// Cuts `n` bases off the end, or all there are.
    pub fn drop_tail(&mut self, n: usize) {
        self.end -= n.min(self.len());
    }

    /// Cuts the end off so that at most `len` bases are left.
    pub fn truncate(&mut self, len: usize) {
        self.end = self.end.min(self.start.saturating_add(len));
    }
}

/// Bases and qualities while they are changed.
#[derive(Clone, Debug, Default)]
pub struct EditedBases {
    /// Whether there is anything here.
    pub(super) used: bool,
    sequence: Vec<u8>,
    qualities: Vec<u8>,
    /// The bases left.
    left: Range<usize>,
}

impl EditedBases {
    /// Takes what `read` has, to be changed.
    pub(super) fn take(&mut self, read: &TrimmedRead<'_>) {
        self.used = true;
        self.sequence.clear();
        self.sequence.extend_from_slice(read.sequence);
        self.qualities.clear();
        self.qualities.extend_from_slice(read.qualities);
        self.left = read.range();
    }

    /// The bases left of `read`, with what the trimmer that is at work has changed of them.
    pub(super) fn sequence_of<'r>(&'r self, read: &TrimmedRead<'r>) -> &'r [u8] {
        match self.used {
            true => read.with(self).sequence(),
            false => read.sequence(),
        }
    }

    /// The bases left.
    pub fn sequence_mut(&mut self) -> &mut [u8] {
        &mut self.sequence[self.left.clone()]
    }

    /// The qualities of the bases left, ASCII.
    pub fn qualities_mut(&mut self) -> &mut [u8] {
        &mut self.qualities[self.left.clone()]
    }

    /// Turns all into the other strand.
    fn reverse_complement(&mut self) {
        self.sequence.reverse();
        self.sequence.iter_mut().for_each(|base| *base = COMPLEMENTS[usize::from(*base)]);
        self.qualities.reverse();
        self.left = self.sequence.len() - self.left.end..self.sequence.len() - self.left.start;
    }
}

/// What a trimmer found out about a read or a pair beside what it cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrimCounts {
    /// The length of the fragment, if it was looked for; [`LONGEST_INSERT`](super::trim::LONGEST_INSERT) if it is longer or unknown.
    pub insert: Option<usize>,
    /// Reads that were corrected, and bases.
    pub corrected: [u64; 2],
    /// Reads and bases that adapters took, as fastp counts them.
    pub adapters: [u64; 2],
    /// Bases that the trimmer at work replaced by N.
    pub masked: u64,
    /// Where each mate has the last adapter that the trimmer at work found, of those that stand at the end of reads.
    pub(super) adapter_places: [Option<AdapterPlace>; 2],
    /// Reads of N alone, where runs of one base are looked for: fastp counts these as runs of A, and cuts nothing.
    pub runs_of_n: u64,
}

/// Where an adapter starts in a read as it was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AdapterPlace {
    /// Bases before it.
    pub at: usize,
    /// Bases that differ, and inserted and missing ones.
    pub errors: usize,
}

/// What a [`Trimmer`](super::Trimmer) works on: a read or a pair.
pub struct TrimUnit<'a, 's> {
    /// The read, or the first of the pair.
    pub first: TrimmedRead<'a>,
    /// The second of the pair.
    pub second: Option<TrimmedRead<'a>>,
    /// What is appended to the names of the reads.
    pub tag: &'s mut Vec<u8>,
    /// A buffer for whatever a trimmer needs.
    pub scratch: &'s mut Vec<u8>,
    /// The mate and the number of each adapter that was found, of those that [the trimmer](super::Trimmer::adapters) has.
    pub found: &'s mut Vec<(usize, usize)>,
    pub(super) edited: &'s mut [EditedBases; 2],
    /// What the trimmer found out beside.
    pub counts: &'s mut TrimCounts,
    /// What a read without a mate is split into, of the bases left; empty if it isn't.
    pub(super) pieces: &'s mut Vec<Range<usize>>,
    /// Whether the trimmer found what the read must not have inside.
    pub(super) adapter_inside: &'s mut bool,
    /// Whether a fixed cut or low quality left nothing of a mate, so that there is no pair any more.
    pub(super) gone: &'s mut [bool; 2],
    /// Whether the read was [turned](Self::take_other_strand).
    pub(super) other_strand: &'s mut bool,
    /// Whether next to nothing but adapter was sequenced.
    pub(super) dimer: &'s mut bool,
    /// What was cut off each mate as its adapter, where the trimmer itself says it.
    pub(super) cut_adapters: &'s mut [Vec<u8>; 2],
}

impl<'a> TrimUnit<'a, '_> {
    /// All bases left.
    pub fn bases(&self) -> usize {
        self.first.len() + self.second.map_or(0, |read| read.len())
    }

    /// The first read (0), or the second of a pair (1).
    pub fn read(&self, mate: usize) -> Option<&TrimmedRead<'a>> {
        if mate == 0 { Some(&self.first) } else { self.second.as_ref() }
    }

    /// The first read (0), or the second of a pair (1).
    pub fn read_mut(&mut self, mate: usize) -> Option<&mut TrimmedRead<'a>> {
        if mate == 0 { Some(&mut self.first) } else { self.second.as_mut() }
    }

    /// Bases and qualities of the first read (0) or the second of a pair (1), to be changed. What is in them when the
    /// trimmer is done is what the next one sees; this one sees them as they were.
    pub fn edit(&mut self, mate: usize) -> &mut EditedBases {
        let read = if mate == 0 { Some(self.first) } else { self.second };
        let edited = &mut self.edited[mate.min(1)];
        if let Some(read) = read
            && !edited.used
        {
            edited.take(&read);
        }
        edited
    }

    /// Takes the other strand: the reverse complement of a read without a mate, and each mate of a pair for the other one. Its
    /// header line ends in ` rc`. A trimmer does so at most once, before it cuts or edits anything.
    pub(super) fn take_other_strand(&mut self) {
        *self.other_strand = true;
        match &mut self.second {
            Some(second) => std::mem::swap(&mut self.first, second),
            None => {
                let edited = self.edit(0);
                edited.reverse_complement();
                let Range { start, end } = edited.left.clone();
                self.first = TrimmedRead { start, end, identifier: 0, ..self.first };
            }
        }
    }

    /// Calls `each` with each read and 0 for the first, 1 for the second of a pair.
    pub fn for_each(&mut self, mut each: impl FnMut(&mut TrimmedRead<'a>, usize)) {
        each(&mut self.first, 0);
        if let Some(second) = &mut self.second {
            each(second, 1);
        }
    }
}
