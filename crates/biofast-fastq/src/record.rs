//! Records borrowed from the chunk they were read with.

/// One read: its name and description, sequence and qualities.
///
/// ```
/// use biofast_fastq::Record;
///
/// let read = Record::new(b"M1:7:1 1:N:0:ACGT", b"GATTACA", b"IIIII##");
/// assert_eq!(read.name(), b"M1:7:1");
/// assert_eq!(read.description(), b"1:N:0:ACGT");
/// // ASCII, Phred + 33.
/// let phred: Vec<u8> = read.qualities().iter().map(|quality| quality - 33).collect();
/// assert_eq!((read.sequence().len(), phred[0], phred[6]), (7, 40, 2));
/// ```
#[derive(Clone, Copy)]
pub struct Record<'a> {
    definition: &'a [u8],
    sequence: &'a [u8],
    /// None of FASTA.
    qualities: Option<&'a [u8]>,
    /// From the `@` to the line feed behind the qualities, where the parts lie as in four lines with a bare `+`; else
    /// empty.
    lines: &'a [u8],
}

/// The parts count, not how they were written.
impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |r: &Self| (r.definition, r.sequence, r.qualities);
        parts(self) == parts(other)
    }
}

impl Eq for Record<'_> {}

impl std::fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record")
            .field("definition", &self.definition)
            .field("sequence", &self.sequence)
            .field("qualities", &self.qualities)
            .finish()
    }
}

impl<'a> Record<'a> {
    /// A record of the given parts. `definition` is the header line without `@`; `qualities`
    /// are ASCII, Phred + 33, as many as bases.
    #[inline]
    pub fn new(definition: &'a [u8], sequence: &'a [u8], qualities: &'a [u8]) -> Self {
        Record { definition, sequence, qualities: Some(qualities), lines: &[] }
    }

    /// A FASTA record. It has no qualities; `definition` is the header line without `>`.
    #[inline]
    pub fn without_qualities(definition: &'a [u8], sequence: &'a [u8]) -> Self {
        Record { definition, sequence, qualities: None, lines: &[] }
    }

    /// The record as [`write_record`](crate::write_record) writes it, if it was read so: four lines, LF, a bare `+`.
    #[inline]
    pub(crate) fn lines(&self) -> Option<&'a [u8]> {
        let plus = self.definition.len() + self.sequence.len() + 2;
        let around = [self.lines.first()?, self.lines.get(plus - self.sequence.len() - 1)?];
        let middle = self.lines.get(plus..plus + 3)?;
        let regular = around == [&b'@', &b'\n'] && middle == b"\n+\n";
        (regular && self.lines.last() == Some(&b'\n')).then_some(self.lines)
    }

    /// The header line without `@`: name and description.
    #[inline]
    pub fn definition(&self) -> &'a [u8] {
        self.definition
    }

    /// The read's name: the header up to the first space or tab.
    #[inline]
    pub fn name(&self) -> &'a [u8] {
        &self.definition[..self.name_len()]
    }

    /// What follows the name and one space or tab; empty if nothing does.
    #[inline]
    pub fn description(&self) -> &'a [u8] {
        self.definition.get(self.name_len() + 1..).unwrap_or_default()
    }

    #[inline]
    fn name_len(&self) -> usize {
        first_blank(self.definition)
    }

    /// The bases, as in the file.
    #[inline]
    pub fn sequence(&self) -> &'a [u8] {
        self.sequence
    }

    /// The qualities in ASCII, Phred + 33. None of [FASTA](crate::fasta).
    #[inline]
    pub fn qualities(&self) -> &'a [u8] {
        self.qualities.unwrap_or_default()
    }

    /// Whether it has qualities, as all records of FASTQ have, or was read from [FASTA](crate::fasta).
    #[inline]
    pub fn has_qualities(&self) -> bool {
        self.qualities.is_some()
    }
}

/// Where the first space or tab is, or else the end: asked for several times a read.
#[inline]
fn first_blank(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // The top bit of the first byte that is zero; those above may be wrong.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (words, rest) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = zero(word ^ (ONES * u64::from(b' '))) | zero(word ^ (ONES * u64::from(b'\t')));
        if found != 0 {
            return 8 * i + (found.trailing_zeros() / 8) as usize;
        }
    }
    let blank = rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len());
    8 * words.len() + blank
}

/// Where a record's parts are in its batch's bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) definition: u32,
    pub(crate) definition_len: u32,
    pub(crate) sequence: u32,
    pub(crate) qualities: u32,
    /// Bases and qualities.
    pub(crate) len: u32,
}

impl Span {
    /// In the place of qualities: there are none. No record ends there.
    pub(crate) const NO_QUALITIES: u32 = u32::MAX;
}

/// The records of one chunk, in file order.
///
/// ```
/// use biofast_fastq::Fold;
/// use biofast_io::Source;
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// // The longest read, and its number in the input.
/// let longest = Fold::new(source).run(
///     || (0, 0),
///     |longest, batch| {
///         for (number, read) in (batch.first_record()..).zip(batch) {
///             *longest = (*longest).max((read.sequence().len(), number));
///         }
///     },
///     |longest, other| *longest = other.max(*longest),
/// )?;
/// assert_eq!(longest, (4, 0));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) spans: &'a [Span],
    pub(crate) first: u64,
}

impl<'a> Batch<'a> {
    /// How many records.
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The number of the first record in the input, counted from 0.
    #[inline]
    pub fn first_record(&self) -> u64 {
        self.first
    }

    /// Record `index` of the batch.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> Record<'a> {
        self.record(&self.spans[index])
    }

    /// The records in order.
    #[inline]
    pub fn iter(&self) -> Records<'a> {
        Records { batch: *self, spans: self.spans.iter() }
    }

    /// The qualities of the records in order, without a look at the rest of them. They are empty where a record has none.
    #[inline]
    pub fn qualities(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let bytes = self.bytes;
        self.spans.iter().map(move |span| match span.qualities {
            Span::NO_QUALITIES => &[],
            start => &bytes[start as usize..][..span.len as usize],
        })
    }

    /// The records in `range` of the batch.
    ///
    /// # Panics
    /// If the range reaches beyond [`len`](Self::len).
    #[inline]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Batch<'a> {
        let first = self.first + range.start as u64;
        Batch { bytes: self.bytes, spans: &self.spans[range], first }
    }

    // A call for each read is 6 % of all instructions of `stats`.
    #[inline(always)]
    fn record(&self, span: &Span) -> Record<'a> {
        let part = |start: u32, len: u32| &self.bytes[start as usize..][..len as usize];
        if span.qualities == Span::NO_QUALITIES {
            return Record::without_qualities(
                part(span.definition, span.definition_len),
                part(span.sequence, span.len),
            );
        }
        let regular = span.sequence == span.definition + span.definition_len + 1
            && span.qualities == span.sequence + span.len + 3;
        // The last one of a file may lack its line feed.
        let lines =
            (span.definition as usize).wrapping_sub(1)..(span.qualities + span.len) as usize + 1;
        Record {
            definition: part(span.definition, span.definition_len),
            sequence: part(span.sequence, span.len),
            qualities: Some(part(span.qualities, span.len)),
            lines: self.bytes.get(lines).filter(|_| regular).unwrap_or_default(),
        }
    }
}

impl<'a> IntoIterator for Batch<'a> {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// Iterator over the records of a [`Batch`].
#[derive(Clone)]
pub struct Records<'a> {
    batch: Batch<'a>,
    spans: std::slice::Iter<'a, Span>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        self.spans.next().map(|span| self.batch.record(span))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.spans.size_hint()
    }
}

impl ExactSizeIterator for Records<'_> {}

/// The longest record in bytes, all four lines together: 2 GiB. Positions inside a chunk are
/// 32-bit.
pub const MAX_RECORD_LEN: u64 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_split_at_the_first_blank() {
        let record = Record::new(b"r1/1\tx y", b"", b"");
        assert_eq!((record.name(), record.description()), (&b"r1/1"[..], &b"x y"[..]));
        let record = Record::new(b"r1", b"", b"");
        assert_eq!((record.name(), record.description()), (&b"r1"[..], &b""[..]));
    }

    #[test]
    fn the_first_blank_is_found_wherever_it_is_and_whatever_is_around_it() {
        for len in 0..40 {
            // Bytes that differ from a blank by one bit, or by a borrow.
            for filler in [b'!', b'\x08', b'\x0b', b'\x1f', b'\0', b'\xa0', b'\x89', b'\xff', b'a']
            {
                let mut text = vec![filler; len];
                assert_eq!(first_blank(&text), len, "{filler}");
                for at in (0..len).rev() {
                    text[at] = if at % 2 == 0 { b' ' } else { b'\t' };
                    assert_eq!(first_blank(&text), at, "{filler}");
                }
            }
        }
    }
}
