//! What is changed of a read, in a fixed order.

use std::io;
use std::ops::Range;

use biofast_fastq::fasta::Sequences;
use biofast_fastq::{Reader, Record};
use biofast_io::{Options, Source};

use super::qualities::QualityMap;
use super::renaming::Renaming;
use crate::change::grep::COMPLEMENTS;

/// Upper or lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// ACGT.
    Upper,
    /// acgt.
    Lower,
}

/// The letters of nucleic acids: T of DNA, U of RNA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NucleicAcid {
    /// U becomes T.
    Dna,
    /// T becomes U.
    Rna,
}

/// What letters the other strand is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alphabet {
    /// Those of each read: U where it has U and no T, else T. Of reads that have neither it isn't known, so that one file may come
    /// to have both.
    #[default]
    EachRead,
    /// These, and a read with the other letter is refused.
    Expected(NucleicAcid),
    /// These, whatever a read has.
    Forced(NucleicAcid),
}

/// The letters of the first read with a T or U; `None` if the first 64 KB of text have neither. They are those of the
/// whole input, unless a later read contradicts them. The source stays unread.
pub fn letters_of(source: &mut Source) -> Option<NucleicAcid> {
    // What is wrong with the input is said by who reads it.
    let start = source.peek(LOOKED_AT).ok()?;
    let start = Source::from_reader("", io::Cursor::new(start));
    let mut reads = Reader::new(Sequences(start), &Options::serial()).ok()?;
    while let Ok(Some(read)) = reads.next_record() {
        let letter = read.sequence().iter().find_map(|base| match base {
            b'T' | b't' => Some(NucleicAcid::Dna),
            b'U' | b'u' => Some(NucleicAcid::Rna),
            _ => None,
        });
        if letter.is_some() {
            return letter;
        }
    }
    None
}

/// So much text is looked at for letters.
const LOOKED_AT: usize = 64 << 10;

/// The edits made to each read, in the order of the fields.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// Qualities are Phred + 64, and become Phred + 33.
    pub phred64: bool,
    /// The quality, Phred + 33, of reads that have none.
    pub quality: Option<u8>,
    /// What qualities become.
    pub qualities: Option<QualityMap>,
    /// The part of the sequence that is kept.
    pub subseq: Option<BaseSpan>,
    /// The other strand is written, and qualities reversed.
    pub reverse_complement: bool,
    /// What letters that is written in.
    pub alphabet: Alphabet,
    /// The letters of DNA or RNA.
    pub letters: Option<NucleicAcid>,
    /// The case of bases.
    pub case: Option<Case>,
    /// New header lines.
    pub rename: Renaming,
}

/// A part of a sequence: its first and last base, counted from 1, or from the end if negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseSpan {
    first: i64,
    last: i64,
}

impl BaseSpan {
    /// The bases from `first` to `last`; a 0 is the beginning or the end.
    pub fn new(first: i64, last: i64) -> BaseSpan {
        BaseSpan { first, last }
    }

    /// The part of a sequence of this length, as `seqkit subseq` takes it: an end beyond it is its end, and what begins outside
    /// of it is empty.
    pub fn of(self, len: usize) -> Range<usize> {
        let whole = len as i64;
        let first = match self.first {
            0 => 1,
            first if first < 0 => whole + first + 1,
            first => first,
        };
        let last = match self.last {
            0 => whole,
            last if last < 0 => whole + last + 1,
            last => last.min(whole),
        };
        match first >= 1 && first <= last {
            true => first as usize - 1..last as usize,
            false => 0..0,
        }
    }
}

/// Room for an edited read.
#[derive(Debug, Default)]
pub struct EditedRead {
    definition: Vec<u8>,
    sequence: Vec<u8>,
    qualities: Vec<u8>,
}

impl Edits {
    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        let Edits {
            phred64,
            quality,
            qualities,
            subseq,
            reverse_complement,
            alphabet: _,
            letters,
            case,
            rename,
        } = self;
        !phred64
            && quality.is_none()
            && qualities.is_none()
            && subseq.is_none()
            && !reverse_complement
            && letters.is_none()
            && case.is_none()
            && rename.is_empty()
    }

    /// The read as edited. `shared` bytes of its name are those that its mate has, too. The numbers are that of the read or pair, counted
    /// from 1, and 1 or 2 for the mate.
    ///
    /// # Errors
    /// If a quality is no Phred + 64, a read has other letters than are expected, or it would have no name.
    pub fn apply<'a>(
        &self,
        read: &Record<'a>,
        shared: usize,
        numbers: (u64, u8),
        room: &'a mut EditedRead,
    ) -> Result<Record<'a>, String> {
        if self.is_empty() {
            return Ok(*read);
        }
        let EditedRead { definition, sequence, qualities } = room;
        let part = match self.subseq {
            Some(span) => span.of(read.sequence().len()),
            None => 0..read.sequence().len(),
        };
        sequence.clear();
        qualities.clear();
        sequence.extend_from_slice(&read.sequence()[part.clone()]);
        let has_qualities = read.has_qualities() || self.quality.is_some();
        match (read.has_qualities(), self.quality) {
            (true, _) => qualities.extend_from_slice(&read.qualities()[part]),
            (false, Some(quality)) => qualities.resize(sequence.len(), quality),
            (false, None) => {}
        }
        if self.phred64 && read.has_qualities() {
            if let Some(&found) = qualities.iter().find(|&&quality| quality < 64) {
                return Err(format!(
                    "expected Phred+64 qualities ('@' to '~'), found '{}'",
                    char::from(found)
                ));
            }
            qualities.iter_mut().for_each(|quality| *quality -= 31);
        }
        if let Some(map) = &self.qualities {
            map.apply(qualities);
        }
        if self.reverse_complement {
            qualities.reverse();
            // What is replaced afterwards needn't be told.
            let alphabet = self.letters.map_or(self.alphabet, Alphabet::Forced);
            reverse_complement(sequence, alphabet)?;
        }
        match self.letters {
            Some(NucleicAcid::Dna) => replace(sequence, b'U', b'T'),
            Some(NucleicAcid::Rna) => replace(sequence, b'T', b'U'),
            None => {}
        }
        match self.case {
            Some(Case::Upper) => sequence.make_ascii_uppercase(),
            Some(Case::Lower) => sequence.make_ascii_lowercase(),
            None => {}
        }
        let renamed = Record::without_qualities(read.definition(), sequence);
        self.rename.write(&renamed, shared, numbers, definition)?;
        Ok(match has_qualities {
            true => Record::new(definition, sequence, qualities),
            false => Record::without_qualities(definition, sequence),
        })
    }
}

/// Other letters of either case.
fn replace(sequence: &mut [u8], from: u8, to: u8) {
    for base in sequence {
        *base = match *base {
            base if base == from => to,
            base if base == from.to_ascii_lowercase() => to.to_ascii_lowercase(),
            base => base,
        };
    }
}

/// Of RNA A becomes U.
fn reverse_complement(sequence: &mut [u8], alphabet: Alphabet) -> Result<(), String> {
    let has = |a: u8| sequence.iter().any(|base| base.eq_ignore_ascii_case(&a));
    let is_rna = match alphabet {
        Alphabet::EachRead => has(b'U') && !has(b'T'),
        Alphabet::Forced(letters) => letters == NucleicAcid::Rna,
        Alphabet::Expected(letters) => {
            let (expected, other) = match letters {
                NucleicAcid::Dna => ("DNA", b'U'),
                NucleicAcid::Rna => ("RNA", b'T'),
            };
            if has(other) {
                let other = char::from(other);
                return Err(format!("it has {other}, but the input was detected as {expected}"));
            }
            letters == NucleicAcid::Rna
        }
    };
    sequence.reverse();
    for base in sequence {
        *base = match (*base, is_rna) {
            (b'A', true) => b'U',
            (b'a', true) => b'u',
            (other, _) => COMPLEMENTS[usize::from(other)],
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_strands_of_dna_and_rna_turn_into_each_other() {
        for (one, other) in [
            (&b"ACGTNacgtn-RYKMBDHVSW"[..], &b"WSBDHVKMRY-nacgtNACGT"[..]),
            (b"ACGUacgu", b"acguACGU"),
            (b"", b""),
        ] {
            let mut found = one.to_vec();
            reverse_complement(&mut found, Alphabet::EachRead).expect("any letters");
            assert_eq!(found, other);
            reverse_complement(&mut found, Alphabet::EachRead).expect("any letters");
            assert_eq!(found, one);
        }
    }

    #[test]
    fn letters_are_those_of_the_whole_input() {
        let turned = |sequence: &[u8], alphabet| {
            let mut found = sequence.to_vec();
            reverse_complement(&mut found, alphabet).map(|()| found)
        };
        let (rna, dna) = (NucleicAcid::Rna, NucleicAcid::Dna);
        assert_eq!(turned(b"AAGG", Alphabet::Expected(rna)), Ok(b"CCUU".to_vec()));
        assert_eq!(turned(b"AAGG", Alphabet::Expected(dna)), Ok(b"CCTT".to_vec()));
        assert_eq!(turned(b"aU", Alphabet::Forced(dna)), Ok(b"At".to_vec()));
        assert_eq!(turned(b"aT", Alphabet::Forced(rna)), Ok(b"Au".to_vec()));
        let why = turned(b"ACGu", Alphabet::Expected(dna)).expect_err("RNA");
        assert_eq!(why, "it has U, but the input was detected as DNA");
        assert!(turned(b"ACGT", Alphabet::Expected(rna)).is_err());
    }

    #[test]
    fn parts_are_those_of_the_definition() {
        for len in 0..6i64 {
            let bases: Vec<i64> = (1..=len).collect();
            for first in -7..8 {
                for last in -7..8 {
                    let of = |at: i64| if at < 0 { len + at + 1 } else { at };
                    let from = if first == 0 { 1 } else { of(first) };
                    let to = if last == 0 { len } else { of(last) };
                    let expected: Vec<i64> = match from >= 1 {
                        true => bases.iter().copied().filter(|b| (from..=to).contains(b)).collect(),
                        false => Vec::new(),
                    };
                    let found = &bases[BaseSpan::new(first, last).of(len as usize)];
                    assert_eq!(found, expected, "{first}:{last} of {len}");
                }
            }
        }
    }
}
