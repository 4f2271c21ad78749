//! Mates: which names belong together, and a check of two whole inputs.

pub use biofast_io::MateNaming;
use biofast_io::{Location, Options};

use crate::checks::Readable;
use crate::error::{Error, ErrorKind};
use crate::reader::Reader;
use crate::record::Record;

/// The part of a read's name that both mates share: the name without a final `/1` or `/2`, and
/// that of a read of the sequence archives, `RUN.SPOT.MATE`, without a final `.1` or `.2` (as
/// `fastq-dump --readids` writes it; the number in `RUN.SPOT` is not a mate's).
///
/// ```
/// use biofast_fastq::pair::template_name;
/// assert_eq!(template_name(b"M1:7:1/1"), b"M1:7:1");
/// assert_eq!(template_name(b"M1:7:1"), b"M1:7:1");
/// assert_eq!(template_name(b"SRR001666.17.2"), b"SRR001666.17");
/// assert_eq!(template_name(b"SRR001666.2"), b"SRR001666.2");
/// ```
pub fn template_name(name: &[u8]) -> &[u8] {
    match name {
        [template @ .., b'/', b'1' | b'2'] => template,
        [template @ .., b'.', b'1' | b'2'] if is_spot(template) => template,
        _ => name,
    }
}

/// Whether a name is the spot of a run of the sequence archives: `SRR`, `ERR` or `DRR` and digits, a
/// dot, digits.
pub fn is_spot(name: &[u8]) -> bool {
    let [b'S' | b'E' | b'D', b'R', b'R', rest @ ..] = name else { return false };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match rest.iter().position(|&b| b == b'.') {
        Some(dot) => digits(&rest[..dot]) && digits(&rest[dot + 1..]),
        None => false,
    }
}

/// What [`MateNaming::Names`] takes off a name, and which mate that says it is: a final 1 or 2 behind `/`, `.`, `_`, `:` or `-`. The
/// spot of a run of the sequence archives (`SRR001666.2`) is no mate's number.
///
/// ```
/// use biofast_fastq::pair::split_mate;
/// assert_eq!(split_mate(b"M1:7:1_2"), Some((&b"M1:7:1"[..], 2)));
/// assert_eq!(split_mate(b"M1:7:12"), None);
/// assert_eq!(split_mate(b"SRR001666.2"), None);
/// assert_eq!(split_mate(b"SRR001666.17.2"), Some((&b"SRR001666.17"[..], 2)));
/// ```
pub fn split_mate(name: &[u8]) -> Option<(&[u8], u8)> {
    match name {
        _ if is_spot(name) => None,
        [template @ .., b'/' | b'.' | b'_' | b':' | b'-', digit @ (b'1' | b'2')]
            if !template.is_empty() =>
        {
            Some((template, digit - b'0'))
        }
        _ => None,
    }
}

/// The part of a read's name that it shares with a mate of this name, by this rule. Names that are equal have no number to take
/// off, except what [`template_name`] does.
///
/// ```
/// use biofast_fastq::pair::{MateNaming, pair_template};
/// assert_eq!(pair_template(b"a_1", b"a_2", MateNaming::Strict), b"a_1");
/// assert_eq!(pair_template(b"a_1", b"a_2", MateNaming::Names), b"a");
/// assert_eq!(pair_template(b"a_1", b"a_1", MateNaming::Names), b"a_1");
/// ```
pub fn pair_template<'a>(name: &'a [u8], mate: &[u8], rule: MateNaming) -> &'a [u8] {
    match rule {
        MateNaming::Names if name != mate => {
            split_mate(name).map_or(name, |(template, _)| template)
        }
        _ => template_name(name),
    }
}

/// Whether two names belong to the same template, whichever of its reads they are of.
pub(crate) fn is_same_template(one: &[u8], two: &[u8], rule: MateNaming) -> bool {
    pair_template(one, two, rule) == pair_template(two, one, rule)
}

/// Which mate a read says it is: 1 or 2 by what [`template_name`] cuts off its name, or by a
/// Casava description (`2:N:0:ACGT`); `None` if it doesn't say.
///
/// ```
/// use biofast_fastq::{Record, pair::mate_number};
/// assert_eq!(mate_number(&Record::new(b"M1:7:1/2", b"", b"")), Some(2));
/// assert_eq!(mate_number(&Record::new(b"M1:7:1 1:N:0:ACGT", b"", b"")), Some(1));
/// assert_eq!(mate_number(&Record::new(b"M1:7:1 length=4", b"", b"")), None);
/// ```
pub fn mate_number(record: &Record<'_>) -> Option<u8> {
    number_of_mate(record.definition(), record.name())
}

/// The same of a definition that begins with this name.
#[inline]
fn number_of_mate(definition: &[u8], name: &[u8]) -> Option<u8> {
    let digit = match (name, definition.get(name.len() + 1..).unwrap_or_default()) {
        ([.., b'/', digit @ (b'1' | b'2')], _) => digit,
        ([spot @ .., b'.', digit @ (b'1' | b'2')], _) if is_spot(spot) => digit,
        (_, [digit @ (b'1' | b'2'), b':', b'Y' | b'N', b':', ..]) => digit,
        _ => return None,
    };
    Some(digit - b'0')
}

/// An order-sensitive digest of template names. Two inputs with equal digests and equal
/// numbers of records have the same names in the same order, but for a chance of 2^-64.
///
/// Digests of stretches of one input add up, so they can be made in parallel.
///
/// ```
/// use biofast_fastq::pair::NameDigest;
///
/// let digest = |names: [&[u8]; 2]| {
///     let mut digest = NameDigest::default();
///     for (index, name) in names.into_iter().enumerate() {
///         digest.add(name, index as u64);
///     }
///     digest
/// };
/// assert_eq!(digest([b"a/1", b"b/1"]), digest([b"a/2", b"b/2"]));
/// assert_ne!(digest([b"a/1", b"b/1"]), digest([b"b/2", b"a/2"]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameDigest(u64);

impl NameDigest {
    /// Adds the record that is number `index` of its input, or pair number `index`.
    #[inline]
    pub fn add(&mut self, name: &[u8], index: u64) {
        self.add_exact(template_name(name), index);
    }

    /// The same for a name that is taken as it is.
    #[inline]
    pub fn add_exact(&mut self, name: &[u8], index: u64) {
        self.0 = self.0.wrapping_add(hash(name, index));
    }

    /// Adds the digest of other records of the same input.
    pub fn merge(&mut self, other: NameDigest) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

/// A 64-bit hash of `bytes` and `index` by folded 128-bit multiplications (the construction of
/// wyhash and its relatives). Not for hostile input: nothing but an error message depends on it.
#[inline]
fn hash(bytes: &[u8], index: u64) -> u64 {
    const K0: u64 = 0x9e37_79b9_7f4a_7c15;
    const K1: u64 = 0xd6e8_feb8_6659_fd93;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut state = fold(index ^ K0, bytes.len() as u64 ^ K1);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word), K0);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(state ^ u64::from_le_bytes(last), K1) ^ index
}

/// Reads two inputs side by side and returns the first disagreement of their names or numbers
/// of records; `None` if they are mates throughout.
///
/// ```
/// use biofast_fastq::{ErrorKind, pair::find_mismatch};
/// use biofast_io::{Options, Source};
///
/// let reads = |text: &'static [u8]| Source::from_reader("example", text);
/// let first = || reads(b"@a/1\nA\n+\nI\n@b/1\nA\n+\nI\n");
/// let mates = reads(b"@a/2\nC\n+\nI\n@b/2\nC\n+\nI\n");
/// assert!(find_mismatch(first(), mates, &Options::default())?.is_none());
/// let others = reads(b"@a/2\nC\n+\nI\n@c/2\nC\n+\nI\n");
/// let found = find_mismatch(first(), others, &Options::default())?.expect("b and c");
/// assert!(matches!(found.kind(), ErrorKind::MateNamesDiffer { .. }));
/// assert_eq!(found.at().record, Some(2));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// The first fault of either input.
pub fn find_mismatch<S: Readable>(
    first: S,
    second: S,
    options: &Options,
) -> Result<Option<Error>, Error> {
    let mut first = Reader::new(first, options)?;
    let mut second = Reader::new(second, options)?;
    let names = [first.name().to_owned(), second.name().to_owned()];
    let mut record = 0;
    loop {
        record += 1;
        let at = |name: &str| Location {
            name: Some(name.into()),
            record: Some(record),
            ..Location::default()
        };
        let missing = |record: Record<'_>, missing_in: &str| ErrorKind::MateMissing {
            name: record.name().to_vec(),
            missing_in: missing_in.to_owned(),
        };
        let (kind, place) = match (first.next_record()?, second.next_record()?) {
            (None, None) => return Ok(None),
            (Some(a), None) => (missing(a, &names[1]), 0),
            (None, Some(b)) => (missing(b, &names[0]), 1),
            (Some(a), Some(b)) => match pair_fault(&a, &b, options.mates) {
                Some(fault) => fault,
                None => continue,
            },
        };
        return Ok(Some(Error::new(kind, at(&names[place]))));
    }
}

/// What is wrong with a pair, and which mate says so: 0 or 1.
#[inline]
pub(crate) fn pair_fault(
    first: &Record<'_>,
    second: &Record<'_>,
    rule: MateNaming,
) -> Option<(ErrorKind, usize)> {
    let names = [first.name(), second.name()];
    if !is_same_template(names[0], names[1], rule) {
        let [first, second] = names.map(<[u8]>::to_vec);
        return Some((ErrorKind::MateNamesDiffer { first, second }, 0));
    }
    if rule == MateNaming::Names && names[0] == names[1] {
        return None;
    }
    let wrong = |record: &Record<'_>, mate: u8| {
        let place = usize::from(mate) - 1;
        let found = match rule {
            MateNaming::Strict => number_of_mate(record.definition(), names[place]),
            MateNaming::Names => split_mate(names[place]).map(|(_, mate)| mate),
        };
        let found = found.filter(|&found| found != mate)?;
        let name = names[place].to_vec();
        Some((ErrorKind::WrongMate { name, expected: mate, found }, place))
    };
    wrong(first, 1).or_else(|| wrong(second, 2))
}

/// The first pair of neighbours in an interleaved input whose names differ, or the last read if
/// it has no mate; `None` if all are pairs.
///
/// ```
/// use biofast_fastq::{ErrorKind, pair::find_interleaved_mismatch};
/// use biofast_io::{Options, Source};
///
/// let reads = Source::from_reader("example", &b"@a/1\nA\n+\nI\n@a/2\nC\n+\nI\n@b/1\nA\n+\nI\n"[..]);
/// let found = find_interleaved_mismatch(reads, &Options::default())?.expect("b has no mate");
/// assert!(matches!(found.kind(), ErrorKind::MateMissing { name, .. } if name == b"b/1"));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// The first fault of the input.
pub fn find_interleaved_mismatch(
    source: impl Readable,
    options: &Options,
) -> Result<Option<Error>, Error> {
    let mut reader = Reader::new(source, options)?;
    let input = reader.name().to_owned();
    let mut waiting: Vec<u8> = Vec::new();
    let mut record = 0;
    let at = |record| Location {
        name: Some(input.as_str().into()),
        record: Some(record),
        ..Location::default()
    };
    while let Some(read) = reader.next_record()? {
        record += 1;
        if record % 2 == 1 {
            waiting.clear();
            waiting.extend_from_slice(read.definition());
            continue;
        }
        let first = Record::new(&waiting, b"", b"");
        if let Some((kind, mate)) = pair_fault(&first, &read, options.mates) {
            return Ok(Some(Error::new(kind, at(record - 1 + mate as u64))));
        }
    }
    if record % 2 == 1 {
        let name = Record::new(&waiting, b"", b"").name().to_vec();
        let kind = ErrorKind::MateMissing { name, missing_in: input.clone() };
        return Ok(Some(Error::new(kind, at(record))));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_order_and_not_on_the_mate_number() {
        let digest = |names: &[&[u8]]| {
            let mut digest = NameDigest::default();
            for (i, name) in names.iter().enumerate() {
                digest.add(name, i as u64);
            }
            digest
        };
        assert_eq!(digest(&[b"a/1", b"b/1"]), digest(&[b"a/2", b"b/2"]));
        assert_ne!(digest(&[b"a/1", b"b/1"]), digest(&[b"b/2", b"a/2"]));
        assert_ne!(digest(&[b"a", b"b"]), digest(&[b"a", b"c"]));
    }

    #[test]
    fn archive_names_are_mates_only_with_run_and_spot_before_the_number() {
        let fault = |first: &[u8], second: &[u8]| {
            let [first, second] = [first, second].map(|name| Record::new(name, b"", b""));
            pair_fault(&first, &second, MateNaming::Strict).is_some()
        };
        assert!(!fault(b"SRR1.7.1 7 length=4", b"SRR1.7.2 7 length=4"));
        assert!(!fault(b"ERR1.7", b"ERR1.7"));
        assert!(fault(b"SRR1.1", b"SRR1.2"), "two spots");
        assert!(fault(b"SRR1.7.2", b"SRR1.7.1"), "mates the wrong way round");
        assert!(fault(b"SRR1.7.1", b"SRR1.8.2"));
        assert!(fault(b"chr1.7.1", b"chr1.7.2"), "no archive's name");
    }

    #[test]
    fn names_alone_make_mates_where_that_is_asked_for() {
        let fault = |first: &[u8], second: &[u8]| {
            let [first, second] = [first, second].map(|name| Record::new(name, b"", b""));
            pair_fault(&first, &second, MateNaming::Names).map(|(kind, _)| kind)
        };
        for (first, second) in [
            (&b"a 2:N:0:A"[..], &b"a 1:N:0:A"[..]),
            (b"a.1", b"a.2"),
            (b"a_1 x", b"a_2 y"),
            (b"a:1", b"a:2"),
            (b"a-1", b"a-2"),
            (b"a/1", b"a/2"),
            (b"a/1", b"a"),
            // What ends so may be a place.
            (b"a:2", b"a:2"),
            (b"SRR1.2", b"SRR1.2"),
        ] {
            assert!(fault(first, second).is_none(), "{}", String::from_utf8_lossy(first));
        }
        let differ = |kind| matches!(kind, Some(ErrorKind::MateNamesDiffer { .. }));
        assert!(differ(fault(b"SRR1.1", b"SRR1.2")), "two spots");
        assert!(differ(fault(b"a_1", b"b_2")));
        assert!(differ(fault(b"a_1", b"a_3")));
        assert!(differ(fault(b"_1", b"_2")));
        assert!(matches!(fault(b"a_2", b"a_1"), Some(ErrorKind::WrongMate { expected: 1, .. })));
    }
}
