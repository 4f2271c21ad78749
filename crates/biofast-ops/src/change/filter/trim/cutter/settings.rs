//! How adapters are searched for, and what is no adapter.

use super::align::LONGEST;

/// How adapters are searched for, unless their own parameters say otherwise. The defaults are those of cutadapt: an
/// error rate of 0.1, an overlap of at least 3 bases, and indels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdapterSettings {
    /// Below 1 the share of the compared bases that may be errors, else the number of errors in a whole adapter.
    pub max_errors: f64,
    /// The fewest bases of the adapter that count as a match.
    pub min_overlap: usize,
    /// Whether bases may be inserted or missing.
    pub indels: bool,
    /// Whether IUPAC letters of an adapter stand for several bases.
    pub adapter_wildcards: bool,
    /// Whether IUPAC letters of a read do.
    pub read_wildcards: bool,
    /// What decides whether an adapter matches.
    pub matching: AdapterMatching,
}

/// What decides whether an adapter matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterMatching {
    /// The number of errors, like in cutadapt.
    #[default]
    Errors,
    /// The qualities of bases that match and that don't, without insertions and deletions. Of 3′ adapters only.
    Qualities,
}

impl Default for AdapterSettings {
    fn default() -> AdapterSettings {
        AdapterSettings {
            max_errors: 0.1,
            min_overlap: 3,
            indels: true,
            adapter_wildcards: true,
            read_wildcards: false,
            matching: AdapterMatching::Errors,
        }
    }
}

/// Why something is no adapter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSpec {
    /// It has no bases.
    #[error("empty adapter")]
    Empty,
    /// It has more bases than any adapter.
    #[error("an adapter has {0} bases: expected at most {LONGEST}")]
    TooLong(usize),
    /// It is no share of the bases that may be errors, and no number of them.
    #[error(
        "{0:?} is not a valid error rate: expected 0 or more and less than 1, or a whole number of errors up to {LONGEST}"
    )]
    Errors(f64),
    /// It has a letter that is no base and no IUPAC code.
    #[error("'{1}' is not a valid adapter: '{letter}' is not a base or IUPAC code", letter = .0.escape_default())]
    Letter(char, String),
    /// It isn't one of those that can be matched by quality.
    #[error("'{0}' can't be matched by quality: expected a 3′ adapter of A, C, G, T and N (SEQ)")]
    NotByQuality(String),
    /// It fits everything.
    #[error("'{0}' is not a valid adapter: N alone matches everything")]
    OnlyN(String),
    /// What is in braces is no number up to 10,000, or there is nothing before it.
    #[error("'{0}': expected a letter and a number up to 10000 in braces, as in A{{10}}")]
    Braces(String),
    /// It can't be in this place.
    #[error("'{0}': expected an adapter {1}")]
    Place(String, &'static str),
    /// A parameter that isn't known, or has no such value.
    #[error("';{0}': expected {1}")]
    Parameter(String, &'static str),
    /// The last one of what is tied to an end was asked for.
    #[error("'{0}': rightmost applies only to adapters inside a read")]
    Rightmost(String),
    /// A least overlap of what must be there as a whole.
    #[error("'{0}' must match completely: min_overlap doesn't apply")]
    AnchoredOverlap(String),
    /// `required` or `optional`, but there is one part only.
    #[error("'{0}': required and optional apply only to the parts of linked adapters (A...B)")]
    NotLinked(String),
    /// `anywhere` of a part of two.
    #[error("'{0}': the parts of linked adapters can't be anywhere")]
    LinkedAnywhere(String),
    /// A parameter that is of one adapter, not of a file.
    #[error(
        "'{0}': anywhere, rightmost, required and optional apply to adapters, not to a file of them"
    )]
    OfFile(String),
    /// A line of a FASTA text isn't one.
    #[error("line {0}: expected FASTA, starting with '>'")]
    Fasta(usize),
    /// A FASTA text without sequences.
    #[error("no sequences")]
    NoFasta,
}
