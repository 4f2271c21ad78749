//! The base modifications of a read, one by one (SAM optional fields specification, section 1.7: MM, ML and MN).

use biofast_kernels as kernels;

use crate::error::Error;
use crate::flag;
use crate::modifications::{number, read_what};
use crate::record::Record;
use crate::value::{Array, Value};

/// A modification listed for a base of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modification {
    /// The base's index in the sequence as the record has it, counted from 0.
    pub position: usize,
    /// The unmodified base that the list is of, as the read was sequenced: `A`, `C`, `G`, `T`, `U`, or `N` for any. In the
    /// sequence of a record on the reverse strand there is its complement.
    pub base: u8,
    /// Whether the modification is on the strand opposite to the one sequenced (`-`).
    pub is_opposite: bool,
    /// Which one it is.
    pub code: ModificationCode,
    /// How probable it is, in 256ths from the lower end of the range it stands for; `None` without ML.
    pub probability: Option<u8>,
}

/// The modification of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModificationCode {
    /// A letter of the specification, as `m` for 5-methylcytosine.
    Letter(u8),
    /// A number of the database ChEBI.
    Chebi(u32),
}

/// Iterator over the [modifications](Record::modifications) of a record.
#[derive(Clone, Debug)]
pub struct Modifications(std::vec::IntoIter<Modification>);

impl Iterator for Modifications {
    type Item = Modification;

    fn next(&mut self) -> Option<Modification> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Modifications {}

impl Record<'_> {
    /// The base modifications of MM (or Mm) with their probabilities of ML, in the order of the lists: along the read as it
    /// was sequenced, so with falling positions on the reverse strand. None if there is no MM.
    ///
    /// Bases that a list skips aren't given, whether they are unmodified (`.`) or not known to be (`?`).
    ///
    /// ```
    /// use biofast_bam::{ModificationCode, Reader};
    ///
    /// let sam = b"r\t4\t*\t0\t0\t*\t*\t0\t0\tACCGTC\tIIIII#\tMM:Z:C+mh,1,0;\tML:B:C,7,9,200,1\n";
    /// let mut reader = Reader::from_reader("example", &sam[..])?;
    /// let record = reader.next_record()?.expect("a record");
    /// let methylated = record
    ///     .modifications()?
    ///     .filter(|found| found.code == ModificationCode::Letter(b'm'))
    ///     .map(|found| (found.position, found.probability));
    /// assert_eq!(methylated.collect::<Vec<_>>(), [(2, Some(7)), (5, Some(200))]);
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If MM, ML and MN are malformed, or don't fit the sequence or one another.
    pub fn modifications(&self) -> Result<Modifications, Error> {
        self.list_modifications()
            .map(|found| Modifications(found.into_iter()))
            .map_err(|reason| self.bad_tags(reason))
    }

    fn list_modifications(&self) -> Result<Vec<Modification>, &'static str> {
        let [mut lists, mut probabilities, mut length] = [None; 3];
        let mut tags = self.tags();
        for tag in tags.by_ref() {
            let slot = match &tag.name {
                b"MM" | b"Mm" => &mut lists,
                b"ML" | b"Ml" => &mut probabilities,
                b"MN" => &mut length,
                _ => continue,
            };
            if slot.replace(tag).is_some() {
                return Err("MM, ML or MN occurs twice");
            }
        }
        if tags.is_malformed() {
            return Err(crate::tags::MALFORMED);
        }
        let probabilities = match probabilities.map(|tag| tag.typed()) {
            None => None,
            Some(Some(Value::Array(Array::U8(elements)))) => Some(elements.as_slice()),
            Some(_) => return Err("ML is not an array of type C"),
        };
        let Some(lists) = lists else {
            return match probabilities {
                None | Some([]) => Ok(Vec::new()),
                Some(_) => Err("ML occurs without MM"),
            };
        };
        let Some(Value::Text(text)) = lists.typed() else { return Err("MM is not text (Z)") };
        let len = self.sequence_len();
        if length.is_some_and(|tag| tag.as_int() != Some(len as i64)) {
            return Err("MN differs from the length of the sequence");
        }
        let (mut letters, packed) = (Vec::with_capacity(len), self.packed_sequence());
        let is_reverse = self.flags() & flag::REVERSE != 0;
        match is_reverse {
            true => kernels::unpack_bases_reverse_complement(packed, len, &mut letters),
            false => kernels::unpack_bases(packed, len, &mut letters),
        }
        let mut found = list(text, probabilities, &letters)?;
        if is_reverse {
            // Each lies within the sequence.
            found.iter_mut().for_each(|one| one.position = len - 1 - one.position);
        }
        Ok(found)
    }
}

const MALFORMED: &str = "MM is malformed";

/// The modifications by their places in the read as it was sequenced.
fn list(
    text: &[u8],
    probabilities: Option<&[u8]>,
    letters: &[u8],
) -> Result<Vec<Modification>, &'static str> {
    let mut found = Vec::new();
    let mut rest = probabilities;
    let lists = match text.strip_suffix(b";") {
        Some(lists) => Some(lists),
        None if text.is_empty() => None,
        None => return Err(MALFORMED),
    };
    for one in lists.into_iter().flat_map(|lists| lists.split(|&b| b == b';')) {
        let mut parts = one.split(|&b| b == b',');
        let what = parts.next().unwrap_or_default();
        let (counted, codes) = read_what(what).map_err(|_| MALFORMED)?;
        let codes = read_codes(what, codes)?;
        // A base, a strand and a code at least, as was seen.
        let (base, is_opposite) = (what[0], what[1] == b'-');
        let mut places = (0..letters.len()).filter(|&at| counted.is_none_or(|b| b == letters[at]));
        for skipped in parts {
            let skipped = number(skipped).ok_or(MALFORMED)?;
            let place = usize::try_from(skipped).ok().and_then(|skipped| places.nth(skipped));
            let position = place.ok_or("MM extends past the end of the sequence")?;
            let own = match &mut rest {
                Some(rest) => Some(rest.split_off(..codes.len()).ok_or("ML is shorter than MM")?),
                None => None,
            };
            found.extend(codes.iter().enumerate().map(|(index, &code)| Modification {
                position,
                base,
                is_opposite,
                code,
                probability: own.map(|own| own[index]),
            }));
        }
    }
    match rest {
        Some([_, ..]) => Err("ML is longer than MM"),
        _ => Ok(found),
    }
}

/// The codes of a list, of which there are `count`.
fn read_codes(what: &[u8], count: usize) -> Result<Vec<ModificationCode>, &'static str> {
    let codes = &what[2..];
    let codes = codes.strip_suffix(b".").or(codes.strip_suffix(b"?")).unwrap_or(codes);
    if codes.first().is_some_and(u8::is_ascii_digit) {
        let code = number(codes).and_then(|code| u32::try_from(code).ok()).ok_or(MALFORMED)?;
        return Ok(vec![ModificationCode::Chebi(code)]);
    }
    Ok(codes.iter().take(count).map(|&code| ModificationCode::Letter(code)).collect())
}
