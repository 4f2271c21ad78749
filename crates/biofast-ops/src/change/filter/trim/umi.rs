//! Molecular identifiers: from the front of the reads, or from their headers, into their names.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Where an identifier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiSource {
    /// At the start of the first read of a pair, or of a read without a mate.
    First,
    /// At the start of the second read of a pair.
    Second,
    /// At the start of both.
    Both,
    /// It is the first index in the header of the first read, the `ACGT` of `1:N:0:ACGT+GGTT`.
    Index1,
    /// It is the second index in the header of the second read, the `GGTT` of `2:N:0:ACGT+GGTT`, or the only one.
    Index2,
    /// Both indexes.
    BothIndexes,
}

/// Cuts the UMI off and appends `:` and the UMI to the names of both mates; two UMIs are joined by `_`. A read shorter
/// than the UMI gives what it has.
#[derive(Clone, Debug)]
pub struct Umi {
    /// Where it is.
    pub source: UmiSource,
    /// Its length, at the start of a read.
    pub len: usize,
    /// How many bases behind it are cut off, too.
    pub skip: usize,
    /// What stands before it in names, with `_` between them, if it isn't empty.
    pub prefix: String,
    /// So many bases are left of every read: fastp leaves one.
    pub leaves: usize,
}

impl Umi {
    /// An identifier of `len` bases, with nothing behind it or before it.
    pub fn new(source: UmiSource, len: usize) -> Umi {
        Umi { source, len, skip: 0, prefix: String::new(), leaves: 0 }
    }

    /// Which of the mates starts with an identifier.
    fn is_in_read(&self, mate: usize) -> bool {
        match self.source {
            UmiSource::First => mate == 0,
            UmiSource::Second => mate == 1,
            UmiSource::Both => true,
            UmiSource::Index1 | UmiSource::Index2 | UmiSource::BothIndexes => false,
        }
    }

    /// The identifier in the header of a mate.
    fn of_header<'a>(&self, read: &TrimmedRead<'a>, mate: usize) -> &'a [u8] {
        let definition = read.record().definition();
        match (self.source, mate) {
            (UmiSource::Index1 | UmiSource::BothIndexes, 0) => first_index(definition),
            (UmiSource::Index2 | UmiSource::BothIndexes, 1) => last_index(definition),
            _ => b"",
        }
    }
}

/// What stands behind the last colon of a header, up to a plus sign, by fastp's rule: it has two letters at least, and the header four.
fn first_index(definition: &[u8]) -> &[u8] {
    let mut end = definition.len();
    if end < 4 {
        return b"";
    }
    for at in (0..end - 2).rev() {
        match definition[at] {
            b'+' => end = at,
            b':' => return &definition[at + 1..end],
            _ => {}
        }
    }
    b""
}

/// What stands behind the last plus sign or colon of a header.
fn last_index(definition: &[u8]) -> &[u8] {
    let looked_at = &definition[..definition.len().saturating_sub(2)];
    match looked_at.iter().rposition(|letter| b":+".contains(letter)) {
        Some(at) if definition.len() >= 4 => &definition[at + 1..],
        _ => b"",
    }
}

impl Trimmer for Umi {
    fn kind(&self) -> Trim {
        Trim::Umi
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        if self.is_in_read(mate) {
            let most = read.len().saturating_sub(self.leaves);
            read.drop_identifier(self.len.saturating_add(self.skip).min(most));
        }
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let mut tag = std::mem::take(reads.tag);
        reads.for_each(|read, mate| {
            let bases = read.sequence();
            let identifier = match self.is_in_read(mate) {
                true => &bases[..bases.len().min(self.len)],
                false => self.of_header(read, mate),
            };
            self.trim_read(read, mate);
            if identifier.is_empty() {
                return;
            }
            if tag.is_empty() {
                tag.push(b':');
                tag.extend_from_slice(self.prefix.as_bytes());
                if !self.prefix.is_empty() {
                    tag.push(b'_');
                }
            } else {
                tag.push(b'_');
            }
            tag.extend_from_slice(identifier);
        });
        *reads.tag = tag;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_those_of_the_description() {
        let header = b"A0:1:F 1:N:0:ACGT+GGTT";
        assert_eq!((first_index(header), last_index(header)), (&b"ACGT"[..], &b"GGTT"[..]));
        assert_eq!(
            (first_index(b"r 1:N:0:ACGT"), last_index(b"r 1:N:0:ACGT")),
            (&b"ACGT"[..], &b"ACGT"[..])
        );
        assert_eq!((first_index(b"r"), last_index(b"r")), (&b""[..], &b""[..]));
        assert_eq!((first_index(b"no index"), last_index(b"no index")), (&b""[..], &b""[..]));
    }
}
