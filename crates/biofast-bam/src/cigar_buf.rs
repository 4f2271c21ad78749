//! CIGARs that are made or changed, and how CIGARs are written as text.

use std::fmt;
use std::str::FromStr;

use biofast_io::{Location, Shown};

use crate::cigar::{Cigar, MAX_OP_LEN, Op};
use crate::error::{Error, ErrorKind};

/// The letters of operations by their code; the last stands for all codes without a meaning.
const LETTERS: [u8; 10] = *b"MIDNSHP=XB";

/// A CIGAR of one's own: pairs of an operation and its length in bases.
///
/// ```
/// use biofast_bam::{CigarBuf, Op};
///
/// let mut cigar: CigarBuf = "5S20M".parse()?;
/// cigar.push(Op::Deletion, 2)?;
/// cigar.push(Op::Match, 10)?;
/// assert_eq!(cigar.to_string(), "5S20M2D10M");
/// assert_eq!((cigar.as_cigar().read_len(), cigar.as_cigar().reference_len()), (35, 32));
/// assert!("5".parse::<CigarBuf>().is_err());
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct CigarBuf {
    words: Vec<[u8; 4]>,
}

impl CigarBuf {
    /// A CIGAR without operations, `*` in text.
    pub const fn new() -> CigarBuf {
        CigarBuf { words: Vec::new() }
    }

    /// A CIGAR of these operations.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn from_ops(ops: impl IntoIterator<Item = (Op, u32)>) -> Result<CigarBuf, Error> {
        let mut cigar = CigarBuf::new();
        ops.into_iter().try_for_each(|(op, len)| cigar.push(op, len))?;
        Ok(cigar)
    }

    /// Adds an operation at the end.
    ///
    /// # Errors
    /// If it is unknown, or its length not below 2^28.
    pub fn push(&mut self, op: Op, len: u32) -> Result<(), Error> {
        if op == Op::Unknown || len > MAX_OP_LEN {
            let letter = char::from(LETTERS[op as usize]);
            return Err(invalid(format!("{len}{letter}").as_bytes()));
        }
        self.words.push((len << 4 | op as u32).to_le_bytes());
        Ok(())
    }

    /// The CIGAR to look at.
    pub fn as_cigar(&self) -> Cigar<'_> {
        Cigar::from_words(&self.words)
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Takes the place of this one.
    pub(crate) fn copy_from(&mut self, cigar: Cigar<'_>) {
        self.words.clear();
        self.words.extend_from_slice(cigar.as_words());
    }
}

fn invalid(found: &[u8]) -> Error {
    let kind = ErrorKind::BadLine {
        expected: "a CIGAR of lengths below 2^28 with operations MIDNSHP=X, or '*'",
        found: format!("'{}'", Shown(found)),
    };
    Error::new(kind, Location::default())
}

impl From<Cigar<'_>> for CigarBuf {
    fn from(cigar: Cigar<'_>) -> Self {
        CigarBuf { words: cigar.as_words().to_vec() }
    }
}

impl FromStr for CigarBuf {
    type Err = Error;

    /// Reads a CIGAR as SAM text has it.
    fn from_str(text: &str) -> Result<CigarBuf, Error> {
        let mut cigar = CigarBuf::new();
        if text == "*" {
            return Ok(cigar);
        }
        let bad = || invalid(text.as_bytes());
        let mut rest = text.as_bytes();
        if rest.is_empty() {
            return Err(bad());
        }
        while !rest.is_empty() {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (&letter, after) = rest[digits..].split_first().ok_or_else(bad)?;
            let code = LETTERS.iter().position(|&l| l == letter).ok_or_else(bad)?;
            let len = std::str::from_utf8(&rest[..digits]).ok().and_then(|n| n.parse().ok());
            let len: u32 = len.filter(|&len| len <= MAX_OP_LEN).ok_or_else(bad)?;
            cigar.words.push((len << 4 | code as u32).to_le_bytes());
            rest = after;
        }
        Ok(cigar)
    }
}

/// As SAM text: `*` without operations.
impl fmt::Display for Cigar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("*");
        }
        self.words().try_for_each(|word| {
            let letter = LETTERS.get((word & 15) as usize).copied().unwrap_or(b'?');
            write!(f, "{}{}", word >> 4, char::from(letter))
        })
    }
}

impl fmt::Display for CigarBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_cigar().fmt(f)
    }
}

impl fmt::Debug for CigarBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}
