//! One adapter of a kind, and where it is found in a read.

use std::ops::Range;

use super::align::{AdapterAlignment, Aligner, Cell, Comparer, FreeEnds, LONGEST, LetterMatching};
use super::read::CutterRead;
use super::settings::{AdapterMatching, AdapterSettings, InvalidSpec};
use super::weighed::Weigher;
use super::words::Words;

/// Where an adapter may be, and what is cut with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdapterKind {
    /// At the end of a read or inside of it; what follows goes, too.
    Back,
    /// At the start of a read or inside of it; what is before it goes, too.
    Front,
    /// All of it at the start.
    Prefix,
    /// All of it at the end.
    Suffix,
    /// At the start, or the last part of it.
    FrontNotInternal,
    /// At the end, or the first part of it.
    BackNotInternal,
    /// Anywhere: a front adapter if it begins with the read, else a back adapter.
    Anywhere,
    /// As `Front`, the last one that is found.
    RightmostFront,
    /// As `Back`, the last one that is found.
    RightmostBack,
}

impl AdapterKind {
    /// Whether the adapter must be there as a whole.
    pub(super) fn is_anchored(self) -> bool {
        matches!(self, AdapterKind::Prefix | AdapterKind::Suffix)
    }

    fn is_rightmost(self) -> bool {
        matches!(self, AdapterKind::RightmostFront | AdapterKind::RightmostBack)
    }
}

/// Where an adapter was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// In the read as it was searched.
    pub(super) found: Range<usize>,
    /// Whether what is before it goes; else what follows.
    pub(super) front: bool,
    pub(super) score: i32,
    pub(super) errors: i32,
}

impl Match {
    /// What is left of a read of this length.
    pub(super) fn left(&self, len: usize) -> Range<usize> {
        if self.front { self.found.end..len } else { 0..self.found.start }
    }

    /// What is left with the adapter.
    pub(super) fn left_with_adapter(&self, len: usize) -> Range<usize> {
        if self.front { self.found.start..len } else { 0..self.found.end }
    }
}

#[derive(Clone, Debug)]
enum SearchMethod {
    Aligner(Aligner),
    Comparer(Comparer),
    Weigher(Weigher),
}

/// An adapter to be looked for.
#[derive(Clone, Debug)]
pub(super) struct Single {
    kind: AdapterKind,
    sequence: Vec<u8>,
    finder: SearchMethod,
    words: Words,
}

/// What searching needs.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchMemory {
    column: Vec<Cell>,
    reversed: Vec<u8>,
    upper: Vec<u8>,
}

impl Single {
    /// `anywhere`: the alignment may reach over both ends of the read, whatever the kind.
    pub(super) fn new(
        sequence: &[u8],
        kind: AdapterKind,
        anywhere: bool,
        settings: &AdapterSettings,
    ) -> Result<Single, InvalidSpec> {
        let sequence: Vec<u8> = sequence
            .iter()
            .map(|letter| match letter.to_ascii_uppercase() {
                b'U' => b'T',
                b'I' => b'N',
                letter => letter,
            })
            .collect();
        check(&sequence, settings.adapter_wildcards)?;
        check_errors(settings.max_errors)?;
        let wild = sequence.iter().filter(|&&letter| letter == b'N').count();
        let mut rate = settings.max_errors;
        if rate >= 1.0 && wild < sequence.len() {
            rate /= (sequence.len() - wild) as f64;
        }
        let adapter = settings.adapter_wildcards && sequence.iter().any(|b| !b"ACGT".contains(b));
        let letters = match (adapter, settings.read_wildcards) {
            (false, false) => LetterMatching::Plain,
            (adapter, read) => LetterMatching::Wild { adapter, read },
        };
        let whole = kind.is_anchored();
        let min_overlap =
            if whole { sequence.len() } else { settings.min_overlap.min(sequence.len()) };
        let (ends, places) = match kind {
            AdapterKind::Back | AdapterKind::RightmostFront => {
                (FreeEnds::BACK, [true, anywhere, true])
            }
            AdapterKind::Front | AdapterKind::RightmostBack => {
                (FreeEnds::FRONT, [anywhere, true, true])
            }
            AdapterKind::Prefix => (FreeEnds::PREFIX, [false, true, false]),
            AdapterKind::Suffix => (FreeEnds::SUFFIX, [true, false, false]),
            AdapterKind::FrontNotInternal => (FreeEnds::FRONT_NOT_INTERNAL, [false, true, false]),
            AdapterKind::BackNotInternal => (FreeEnds::BACK_NOT_INTERNAL, [true, false, false]),
            AdapterKind::Anywhere => (FreeEnds::ANYWHERE, [true; 3]),
        };
        let ends = if anywhere { FreeEnds::ANYWHERE } else { ends };
        let mut searched = sequence.clone();
        if kind.is_rightmost() {
            searched.reverse();
        }
        let (finder, words) = if settings.matching == AdapterMatching::Qualities {
            let is_plain = sequence.iter().all(|letter| b"ACGTN".contains(letter));
            if kind != AdapterKind::Back || anywhere || !is_plain {
                let text = String::from_utf8_lossy(&sequence).into_owned();
                return Err(InvalidSpec::NotByQuality(text));
            }
            (SearchMethod::Weigher(Weigher::new(&sequence, min_overlap)), Words::default())
        } else if whole && !settings.indels {
            let comparer = Comparer::new(&searched, letters, rate, kind == AdapterKind::Suffix);
            (SearchMethod::Comparer(comparer), Words::default())
        } else {
            let aligner =
                Aligner::new(&searched, letters, rate, ends, settings.indels, min_overlap);
            let words = Words::new(&searched, letters, min_overlap, rate, places);
            (SearchMethod::Aligner(aligner), words)
        };
        Ok(Single { kind, sequence, finder, words })
    }

    /// Its letters, if it follows a fragment of any length and they are A, C, G, T and N.
    pub(super) fn plain_back(&self) -> Option<&[u8]> {
        let is_plain = self.sequence.iter().all(|letter| b"ACGTN".contains(letter));
        (self.kind == AdapterKind::Back && is_plain).then_some(&self.sequence)
    }

    /// Where it is, if it is in the read.
    pub(super) fn find(
        &self,
        searched: CutterRead<'_>,
        memory: &mut SearchMemory,
    ) -> Option<Match> {
        let SearchMemory { column, reversed, upper } = memory;
        let read = searched.sequence;
        let alignment = match &self.finder {
            SearchMethod::Comparer(comparer) => comparer.locate(read)?,
            SearchMethod::Weigher(weigher) => weigher.locate(searched, upper)?,
            SearchMethod::Aligner(aligner) if self.kind.is_rightmost() => {
                reversed.clear();
                reversed.extend(read.iter().rev());
                if !self.words.may_be_in(reversed) {
                    return None;
                }
                let found = aligner.locate(reversed, column)?;
                let (start, end) = found.read;
                AdapterAlignment { read: (read.len() - end, read.len() - start), ..found }
            }
            SearchMethod::Aligner(_) if !self.words.may_be_in(read) => return None,
            SearchMethod::Aligner(aligner) => aligner.locate(read, column)?,
        };
        let (start, end) = alignment.read;
        let front = match self.kind {
            AdapterKind::Front
            | AdapterKind::Prefix
            | AdapterKind::FrontNotInternal
            | AdapterKind::RightmostFront => true,
            AdapterKind::Back
            | AdapterKind::Suffix
            | AdapterKind::BackNotInternal
            | AdapterKind::RightmostBack => false,
            AdapterKind::Anywhere => start == 0,
        };
        Some(Match { found: start..end, front, score: alignment.score, errors: alignment.errors })
    }
}

/// Whether so many errors can be meant: a share of the bases compared, or a whole number of errors.
pub(super) fn check_errors(errors: f64) -> Result<(), InvalidSpec> {
    let is_number = errors.fract() == 0.0 && errors <= LONGEST as f64;
    let valid = errors >= 0.0 && (errors < 1.0 || is_number);
    if valid { Ok(()) } else { Err(InvalidSpec::Errors(errors)) }
}

fn check(sequence: &[u8], wildcards: bool) -> Result<(), InvalidSpec> {
    let text = || String::from_utf8_lossy(sequence).into_owned();
    if sequence.is_empty() {
        return Err(InvalidSpec::Empty);
    }
    if sequence.len() > LONGEST {
        return Err(InvalidSpec::TooLong(sequence.len()));
    }
    let known = |letter: &&u8| match wildcards {
        true => b"ABCDGHKMNRSTUVWXY".contains(letter),
        false => letter.is_ascii_uppercase(),
    };
    if let Some(&letter) = sequence.iter().find(|letter| !known(letter)) {
        return Err(InvalidSpec::Letter(letter.into(), text()));
    }
    if wildcards && sequence.iter().all(|&letter| letter == b'N') {
        return Err(InvalidSpec::OnlyN(text()));
    }
    Ok(())
}
