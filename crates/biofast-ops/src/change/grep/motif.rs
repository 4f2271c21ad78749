//! Motifs: letters of the IUPAC code, and what they stand for.

/// The bases a letter stands for, as the sum of 1 for A, 2 for C, 4 for G and 8 for T; 0 if it isn't a letter of the
/// code. Case doesn't matter.
///
/// The letters are those of Cornish-Bowden 1985, "Nomenclature for incompletely specified bases in nucleic acid
/// sequences" (doi:10.1093/nar/13.9.3021); `.` is a base that wasn't called, like `N`.
pub const fn bases(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'A' => 1,
        b'C' => 2,
        b'G' => 4,
        b'T' | b'U' => 8,
        b'M' => 1 | 2,
        b'R' => 1 | 4,
        b'W' => 1 | 8,
        b'S' => 2 | 4,
        b'Y' => 2 | 8,
        b'K' => 4 | 8,
        b'V' => 1 | 2 | 4,
        b'H' => 1 | 2 | 8,
        b'D' => 1 | 4 | 8,
        b'B' => 2 | 4 | 8,
        b'N' | b'.' => 15,
        _ => 0,
    }
}

/// The complement of a letter, in the same case. Other characters are unchanged.
pub const fn complement(letter: u8) -> u8 {
    let upper = match letter.to_ascii_uppercase() {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' | b'U' => b'A',
        b'M' => b'K',
        b'K' => b'M',
        b'R' => b'Y',
        b'Y' => b'R',
        b'V' => b'B',
        b'B' => b'V',
        b'H' => b'D',
        b'D' => b'H',
        _ => return letter,
    };
    if letter.is_ascii_lowercase() { upper.to_ascii_lowercase() } else { upper }
}

/// [`complement`] of each letter.
pub(crate) static COMPLEMENTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut letter = 0;
    while letter < 256 {
        table[letter] = complement(letter as u8);
        letter += 1;
    }
    table
};

/// Writes the reverse complement of a sequence over `out`.
pub fn reverse_complement(sequence: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(sequence.iter().rev().map(|&letter| COMPLEMENTS[usize::from(letter)]));
}

/// What is wrong with a motif.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MotifError {
    /// It has no letters.
    #[error("empty motif")]
    Empty,
    /// It has a letter that stands for no base.
    #[error(
        "letter {column} of motif {motif} is '{}', which is not a base or IUPAC code",
        .letter.escape_ascii()
    )]
    Letter {
        /// The motif.
        motif: String,
        /// Which one, counted from 1.
        column: usize,
        /// The letter.
        letter: u8,
    },
}

/// A sequence to search for, in IUPAC letters. Each matches the letters of a read that stand for no other bases than it
/// does: R matches A, G and R, N matches every letter, and an N of a read is matched only by N.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Motif {
    letters: Vec<u8>,
    any_case: bool,
    /// T is what A is on the other strand: T of DNA and U of RNA.
    is_turned: bool,
}

impl Motif {
    /// A motif of these letters. Upper-case letters are found as such, lower-case ones too.
    ///
    /// # Errors
    /// If there are none, or one stands for no base.
    pub fn new(letters: &[u8]) -> Result<Motif, MotifError> {
        if letters.is_empty() {
            return Err(MotifError::Empty);
        }
        if let Some(at) = letters.iter().position(|&letter| bases(letter) == 0) {
            let motif = biofast_io::Escaped(letters).to_string();
            return Err(MotifError::Letter { motif, column: at + 1, letter: letters[at] });
        }
        Ok(Motif { letters: letters.to_vec(), any_case: false, is_turned: false })
    }

    /// Whether letters of a read count whatever their case.
    #[must_use]
    pub fn any_case(mut self, any: bool) -> Motif {
        self.any_case = any;
        self
    }

    /// Its letters.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The same on the other strand, on which T is U, too: the other strand's A is either.
    #[must_use]
    pub fn reverse_complement(&self) -> Motif {
        let mut letters = Vec::new();
        reverse_complement(&self.letters, &mut letters);
        Motif { letters, any_case: self.any_case, is_turned: true }
    }

    /// Whether a letter of a read is what letter `at` stands for.
    pub(super) fn accepts(&self, at: usize, found: u8) -> bool {
        let Some(&letter) = self.letters.get(at) else { return false };
        let same_case = self.any_case
            || found == b'.'
            || letter == b'.'
            || letter.is_ascii_lowercase() == found.is_ascii_lowercase();
        let said = bases(found);
        let exact = self.is_turned || !matches!((letter | 0x20, found | 0x20), (b't', b'u'));
        said != 0 && said & !bases(letter) == 0 && same_case && exact
    }

    /// Whether each letter is found as itself only, so that bytes can be compared: of reads without U, in any case.
    pub(super) fn is_literal(&self) -> bool {
        !self.any_case && self.letters.iter().all(|letter| b"ACGTacgt".contains(letter))
    }

    /// How many letters of `text`, which has as many as the motif, are none that the motif stands for; `None` if it has another
    /// number of letters.
    pub fn mismatches(&self, text: &[u8]) -> Option<u32> {
        if text.len() != self.letters.len() {
            return None;
        }
        Some(text.iter().enumerate().map(|(at, &found)| u32::from(!self.accepts(at, found))).sum())
    }

    /// Whether `text` begins with it.
    pub fn is_at(&self, text: &[u8]) -> bool {
        text.get(..self.letters.len()).is_some_and(|text| self.mismatches(text) == Some(0))
    }
}
