//! Which checks a reader makes, as a type.

use biofast_io::Source;

/// What reads are read from: a [`Source`] of FASTQ, all of which is checked, one whose [letters are unchecked](UncheckedLetters), or
/// one of [FASTQ or FASTA](crate::fasta::Sequences).
///
/// ```
/// use biofast_fastq::{Readable, Reader, UncheckedLetters};
/// use biofast_io::{Options, Source};
///
/// fn count<S: Readable>(source: S) -> Result<u64, biofast_fastq::Error> {
///     let mut reader = Reader::new(source, &Options::default())?;
///     while reader.next_record()?.is_some() {}
///     Ok(reader.records_read())
/// }
///
/// let source = || Source::from_reader("example", &b"@r\nACGT\n+\nIIII\n"[..]);
/// assert_eq!(count(source())?, 1);
/// assert_eq!(count(UncheckedLetters(source()))?, 1);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
pub trait Readable: sealed::Sealed + 'static {
    /// Whether the characters of headers, sequences and qualities are checked.
    #[doc(hidden)]
    const LETTERS: bool;

    /// Whether it may be FASTA.
    #[doc(hidden)]
    const FASTA: bool = false;

    /// Where the bytes come from.
    fn into_source(self) -> Source;
}

/// A source whose letters aren't checked: for data that a checking reader has passed before, such as what `biofast
/// check` calls good.
///
/// The shape of records is still checked: `@`, `+`, as many qualities as bases, a whole last record. Given up are
/// the checks of sequence characters, quality characters and control characters in headers, so any byte but a line
/// feed may come in them. Wrapped records (of more than four lines) are checked as always. In files that were cut and joined in the middle of lines this mode finds records that
/// aren't any where a checking reader finds a fault.
///
/// ```
/// use biofast_fastq::{Fold, UncheckedLetters};
/// use biofast_io::{Options, Source};
///
/// let count = |text: &'static [u8]| {
///     Fold::new(UncheckedLetters(Source::from_reader("example", text)))
///         .options(&Options::default())
///         .run(|| 0, |count, batch| *count += batch.len(), |count, other| *count += other)
/// };
/// assert_eq!(count(b"@r\nAC GT\n+\nIIIII\n")?, 1);
/// assert!(count(b"@r\nACGT\n+\nIIIII\n").is_err());
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
pub struct UncheckedLetters(
    /// Where the bytes come from.
    pub Source,
);

impl Readable for Source {
    const LETTERS: bool = true;

    fn into_source(self) -> Source {
        self
    }
}

impl Readable for UncheckedLetters {
    const LETTERS: bool = false;

    fn into_source(self) -> Source {
        self.0
    }
}

pub(crate) mod sealed {
    /// Readers know all ways to check.
    pub trait Sealed {}
    impl Sealed for biofast_io::Source {}
    impl Sealed for super::UncheckedLetters {}
}
