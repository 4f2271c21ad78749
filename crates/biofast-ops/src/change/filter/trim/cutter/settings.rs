//! How adapters are searched for, and what is no adapter.

use super::align;

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
}

impl Default for AdapterSettings {
    fn default() -> AdapterSettings {
        AdapterSettings {
            max_errors: 0.1,
            min_overlap: 3,
            indels: true,
            adapter_wildcards: true,
            read_wildcards: false,
        }
    }
}

/// Why something is no adapter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InvalidSpec {
    /// It has no bases.
    Empty,
    /// It has more bases than any adapter.
    TooLong(usize),
    /// It is no share of the bases that may be errors, and no number of them.
    Errors(f64),
    /// It has a letter that is no base and no IUPAC code.
    Letter(char, String),
    /// It fits everything.
    OnlyN(String),
    /// What is in braces is no number up to 10,000, or there is nothing before it.
    Braces(String),
    /// It can't be in this place.
    Place(String, &'static str),
    /// A parameter that isn't known, or has no such value.
    Parameter(String, &'static str),
    /// The last one of what is tied to an end was asked for.
    Rightmost(String),
    /// A least overlap of what must be there as a whole.
    AnchoredOverlap(String),
    /// `required` or `optional`, but there is one part only.
    NotLinked(String),
    /// `anywhere` of a part of two.
    LinkedAnywhere(String),
    /// A parameter that is of one adapter, not of a file.
    OfFile(String),
    /// A line of a FASTA text isn't one.
    Fasta(usize),
    /// A FASTA text without sequences.
    NoFasta,
}

impl std::fmt::Display for InvalidSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use InvalidSpec as E;
        match self {
            E::Empty => write!(f, "empty adapter"),
            E::TooLong(n) => {
                write!(f, "an adapter has {n} bases: expected at most {}", align::LONGEST)
            }
            E::Errors(errors) => write!(
                f,
                "{errors:?} is not a valid error rate: expected 0 or more and less than 1, or a whole number of errors up to {}",
                align::LONGEST
            ),
            E::Letter(letter, text) => write!(
                f,
                "'{text}' is not a valid adapter: '{}' is not a base or IUPAC code",
                letter.escape_default()
            ),
            E::OnlyN(text) => {
                write!(f, "'{text}' is not a valid adapter: N alone matches everything")
            }
            E::Braces(text) => {
                write!(
                    f,
                    "'{text}': expected a letter and a number up to 10000 in braces, as in A{{10}}"
                )
            }
            E::Place(text, expected) => write!(f, "'{text}': expected an adapter {expected}"),
            E::Parameter(text, expected) => write!(f, "';{text}': expected {expected}"),
            E::Rightmost(text) => {
                write!(f, "'{text}': rightmost applies only to adapters inside a read")
            }
            E::AnchoredOverlap(text) => {
                write!(f, "'{text}' must match completely: min_overlap doesn't apply")
            }
            E::NotLinked(text) => {
                write!(
                    f,
                    "'{text}': required and optional apply only to the parts of linked adapters (A...B)"
                )
            }
            E::LinkedAnywhere(text) => {
                write!(f, "'{text}': the parts of linked adapters can't be anywhere")
            }
            E::OfFile(text) => write!(
                f,
                "'{text}': anywhere, rightmost, required and optional apply to adapters, not to a file of them"
            ),
            E::Fasta(line) => {
                write!(f, "line {line}: expected FASTA, starting with '>'")
            }
            E::NoFasta => write!(f, "no sequences"),
        }
    }
}

impl std::error::Error for InvalidSpec {}
