//! Which reads or pairs are duplicates, and which one is kept.

use biofast_fastq::pair::MateNaming;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DedupBy {
    /// The bases, of pairs those of both mates.
    #[default]
    Sequence,
    /// The name, of pairs without what tells the mates apart.
    Name,
    /// The molecular identifier in the name.
    Umi,
}

/// Which of several is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The first one.
    #[default]
    First,
    /// That with the highest sum of base qualities, of pairs of both mates; of several the first one. The input is read
    /// twice.
    Best,
}

/// Which reads or pairs are duplicates, and which one is kept. Not every combination is possible: see
/// [`check`](Self::check).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dedup {
    pub(super) by: DedupBy,
    pub(super) umi_separator: Option<u8>,
    pub(super) mismatches: u8,
    pub(super) ignore_case: bool,
    pub(super) either_strand: bool,
    pub(super) prefix: Option<usize>,
    pub(super) keep: Keep,
    pub(super) mates: MateNaming,
}

/// The most mismatches.
pub const MOST_MISMATCHES: u8 = 2;

impl Dedup {
    /// The same bases, as they are written.
    pub fn new() -> Dedup {
        Dedup::default()
    }

    /// Compares something else; [`DedupBy::Umi`] needs [`umi`](Self::umi).
    pub fn by(self, by: DedupBy) -> Dedup {
        Dedup { by, ..self }
    }

    /// The molecular identifier counts, too: what follows the last `separator` in the name of the first mate. It is of letters
    /// of bases, `+`, `-` and `_`; a name without one is a fault.
    pub fn umi(self, separator: u8) -> Dedup {
        Dedup { umi_separator: Some(separator), ..self }
    }

    /// A read is a duplicate of one that is kept, stands before it and has the same length (of pairs: the same lengths) if
    /// they differ in so many places at most, both mates together. 0 to [`MOST_MISMATCHES`].
    pub fn mismatches(self, mismatches: u8) -> Dedup {
        Dedup { mismatches, ..self }
    }

    /// Whether lower-case letters are upper-case ones.
    pub fn ignore_case(self, ignore_case: bool) -> Dedup {
        Dedup { ignore_case, ..self }
    }

    /// Whether a read is the same as its reverse complement, and a pair the same as the one whose mates are exchanged: what
    /// the other strand of the fragment reads as. U is T then.
    pub fn either_strand(self, either_strand: bool) -> Dedup {
        Dedup { either_strand, ..self }
    }

    /// Compares the first bases alone, so many of each mate; a shorter read is compared as a whole.
    pub fn prefix(self, bases: usize) -> Dedup {
        Dedup { prefix: Some(bases), ..self }
    }

    /// Which one is kept.
    pub fn keep(self, keep: Keep) -> Dedup {
        Dedup { keep, ..self }
    }

    /// What makes mates, whose names are compared without what tells one from the other.
    pub fn mates(self, mates: MateNaming) -> Dedup {
        Dedup { mates, ..self }
    }

    /// Whether this can be done.
    ///
    /// # Errors
    /// What can't be done together, in words.
    pub fn check(&self) -> Result<(), &'static str> {
        let by_sequence = self.by == DedupBy::Sequence;
        if self.mismatches > MOST_MISMATCHES {
            return Err("at most 2 mismatches are supported");
        }
        if self.by == DedupBy::Name && (self.mismatches > 0 || self.umi_separator.is_some()) {
            return Err("mismatches and UMIs can't be combined with comparing names");
        }
        if !by_sequence && (self.ignore_case || self.either_strand || self.prefix.is_some()) {
            return Err("case, strand and prefix apply only when sequences are compared");
        }
        if self.by == DedupBy::Umi && self.umi_separator.is_none() {
            return Err("the separator of the UMI is missing");
        }
        if self.keep == Keep::Best && self.mismatches > 0 {
            return Err("with mismatches, only the first of several duplicates can be kept");
        }
        Ok(())
    }
}
