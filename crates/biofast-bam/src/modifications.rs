//! Base modifications of a read of which bases are cut off (SAM optional fields specification,
//! section 1.7: MM, ML and MN).
//!
//! MM lists modified bases by how many bases of the same letter are skipped before each, from the
//! start of the read as it was sequenced, which for unaligned reads is the start of the sequence.
//! ML has a probability for each of them, and for each of several modifications named together.

use std::io::Write as _;
use std::ops::Range;

use biofast_kernels as kernels;

use crate::record::Record;
use crate::tags::Tag;

/// A field's name, and its value as it is stored after the type.
pub(crate) type NewValue = ([u8; 2], Vec<u8>);

impl Record<'_> {
    /// Whether what MM, ML and MN say of base modifications fits the sequence, where that is stored, and one another.
    #[doc(hidden)]
    pub fn has_good_modifications(&self) -> bool {
        let len = self.sequence_len();
        if len == 0 {
            return true;
        }
        let mut letters = Vec::with_capacity(len);
        let packed = self.packed_sequence();
        match self.flags() & crate::flag::REVERSE != 0 {
            true => kernels::unpack_bases_reverse_complement(packed, len, &mut letters),
            false => kernels::unpack_bases(packed, len, &mut letters),
        }
        trim(self, &letters, 0..len).is_ok()
    }
}

/// New values of the fields of a record when only `bases` of its sequence `letters` are left.
pub(crate) fn trim(
    record: &Record<'_>,
    letters: &[u8],
    bases: Range<usize>,
) -> Result<Vec<NewValue>, &'static str> {
    let find = |names: [&[u8; 2]; 2]| -> Result<Option<Tag<'_>>, &'static str> {
        let mut found = record.tags().filter(|tag| names.contains(&&tag.name));
        match (found.next(), found.next()) {
            (first, None) => Ok(first),
            _ => Err("its base modifications can't be trimmed: MM, ML or MN occurs twice"),
        }
    };
    let mut out = Vec::new();
    if let Some(tag) = find([b"MN", b"MN"])? {
        let Some(length) = tag.as_int() else { return Err("its MN is not a whole number") };
        if length != letters.len() as i64 {
            return Err(
                "its base modifications can't be trimmed: MN differs from the length of the sequence",
            );
        }
        // Not longer than before, so it fits the type.
        let bytes = (bases.len() as u64).to_le_bytes();
        out.push((tag.name, bytes[..tag.value.len()].to_vec()));
    }
    let (lists, probabilities) = (find([b"MM", b"Mm"])?, find([b"ML", b"Ml"])?);
    let Some(lists) = lists else {
        return match probabilities {
            Some(tag) if !elements(&tag)?.is_empty() => {
                Err("its base modifications can't be trimmed: ML occurs without MM")
            }
            _ => Ok(out),
        };
    };
    let Some(text) = lists.as_text() else { return Err("its MM is not text") };
    let old = probabilities.as_ref().map(elements).transpose()?;
    let trimmed = trim_lists(text, old, letters, bases)?;
    out.push((lists.name, [&trimmed.lists[..], b"\0"].concat()));
    if let Some(tag) = probabilities {
        let mut value = vec![b'C'];
        // As many as before, or fewer.
        value.extend_from_slice(&(trimmed.probabilities.len() as u32).to_le_bytes());
        value.extend_from_slice(&trimmed.probabilities);
        out.push((tag.name, value));
    }
    Ok(out)
}

fn elements<'a>(tag: &Tag<'a>) -> Result<&'a [u8], &'static str> {
    match (tag.kind, tag.value) {
        (b'B', [b'C', _, _, _, _, elements @ ..]) => Ok(elements),
        _ => Err("its ML is not an array of type C"),
    }
}

/// What is left of MM and ML.
#[derive(Debug, Default, PartialEq, Eq)]
struct Trimmed {
    lists: Vec<u8>,
    probabilities: Vec<u8>,
}

const MALFORMED: &str = "its base modifications can't be trimmed: MM is malformed";

/// A list keeps its place and what it says of bases that it skips, even if it is empty.
fn trim_lists(
    text: &[u8],
    probabilities: Option<&[u8]>,
    letters: &[u8],
    bases: Range<usize>,
) -> Result<Trimmed, &'static str> {
    let mut out = Trimmed::default();
    let mut rest = probabilities;
    let lists = match text.strip_suffix(b";") {
        Some(text) => text,
        None if text.is_empty() => return no_more(rest, out),
        None => return Err(MALFORMED),
    };
    for list in lists.split(|&b| b == b';') {
        let mut parts = list.split(|&b| b == b',');
        let what = parts.next().unwrap_or_default();
        let (base, codes) = read_what(what)?;
        let count = |range: Range<usize>| {
            letters[range].iter().filter(|&&letter| base.is_none_or(|base| base == letter)).count()
                as u64
        };
        let before = count(0..bases.start);
        let (inside, after) = (count(bases.clone()), count(bases.end..letters.len()));
        out.lists.extend_from_slice(what);
        // The number of the next base that may be modified, and of the next one in the list.
        let (mut next, mut written) = (0u64, before);
        for skipped in parts {
            let at = number(skipped).and_then(|skipped| next.checked_add(skipped));
            let at = at.ok_or(MALFORMED)?;
            if at >= before + inside + after {
                return Err("its base modifications can't be trimmed: MM extends past the end of \
                            its sequence");
            }
            next = at + 1;
            let own = match &mut rest {
                Some(rest) => rest.split_off(..codes),
                None => Some(&[][..]),
            };
            let own =
                own.ok_or("its base modifications can't be trimmed: ML is shorter than MM")?;
            if (before..before + inside).contains(&at) {
                // Memory takes every write.
                let _ = write!(out.lists, ",{}", at - written);
                written = at + 1;
                out.probabilities.extend_from_slice(own);
            }
        }
        out.lists.push(b';');
    }
    no_more(rest, out)
}

fn no_more(rest: Option<&[u8]>, out: Trimmed) -> Result<Trimmed, &'static str> {
    match rest {
        Some([_, ..]) => Err("its base modifications can't be trimmed: ML is longer than MM"),
        _ => Ok(out),
    }
}

/// The letter that is counted (`None` for any) and how many modifications share a list: a base, a
/// strand, codes or one number, and perhaps how skipped bases are meant.
pub(crate) fn read_what(what: &[u8]) -> Result<(Option<u8>, usize), &'static str> {
    let [base, b'+' | b'-', codes @ ..] = what else { return Err(MALFORMED) };
    let codes = codes.strip_suffix(b".").or(codes.strip_suffix(b"?")).unwrap_or(codes);
    let base = match base {
        b'A' | b'C' | b'G' | b'T' => Some(*base),
        b'U' => Some(b'T'),
        b'N' => None,
        _ => return Err(MALFORMED),
    };
    match codes {
        [] => Err(MALFORMED),
        // Ambiguity codes stand for modifications that aren't known, so capitals occur.
        codes if codes.iter().all(u8::is_ascii_alphabetic) => Ok((base, codes.len())),
        codes if codes.iter().all(u8::is_ascii_digit) => Ok((base, 1)),
        _ => Err(MALFORMED),
    }
}

pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    let good = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| good)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One list as it is understood base by base: what it is of, and for each base of the
    /// sequence the probabilities, if it is listed.
    type List = (String, Vec<Option<Vec<u8>>>);

    fn counts(what: &str, letter: u8) -> bool {
        match what.as_bytes()[0] {
            b'N' => true,
            b'U' => letter == b'T',
            base => base == letter,
        }
    }

    /// MM and ML of lists on a sequence, by the definition.
    fn encode(lists: &[List], letters: &[u8]) -> (String, Vec<u8>) {
        let (mut text, mut probabilities) = (String::new(), Vec::new());
        for (what, bases) in lists {
            text += what;
            let mut skipped = 0;
            for (base, &letter) in bases.iter().zip(letters) {
                match base {
                    Some(own) => {
                        text += &format!(",{skipped}");
                        skipped = 0;
                        probabilities.extend(own);
                    }
                    None => skipped += usize::from(counts(what, letter)),
                }
            }
            text += ";";
        }
        (text, probabilities)
    }

    fn lists() -> impl Strategy<Value = (Vec<u8>, Vec<List>)> {
        let what = prop::sample::select(vec![
            ("C+m", 1),
            ("C+m?", 1),
            ("C+mh.", 2),
            ("A+a?", 1),
            ("G-m", 1),
            ("N+n?", 1),
            ("T+27551", 1),
            ("U+76792.", 1),
            ("C+mhfc?", 4),
        ]);
        let letters = prop::collection::vec(prop::sample::select(b"ACGTACGTN".to_vec()), 0..60);
        (letters, prop::collection::vec((what, any::<u64>()), 0..4)).prop_map(|(letters, lists)| {
            let list = |&((what, codes), seed): &((&str, usize), u64)| {
                let mut state = seed | 1;
                let mut random = move || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state
                };
                let base = |&letter: &u8| {
                    let listed = counts(what, letter) && random() % 3 == 0;
                    listed.then(|| (0..codes).map(|_| random() as u8).collect::<Vec<u8>>())
                };
                (what.to_owned(), letters.iter().map(base).collect())
            };
            let lists = lists.iter().map(list).collect();
            (letters, lists)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
        #[test]
        fn what_is_left_is_that_of_the_bases_left(
            (letters, lists) in lists(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()
        ) {
            let (a, b) = (a.index(letters.len() + 1), b.index(letters.len() + 1));
            let bases = a.min(b)..a.max(b);
            let (text, probabilities) = encode(&lists, &letters);
            let found = trim_lists(text.as_bytes(), Some(&probabilities), &letters, bases.clone());
            let left: Vec<List> = lists
                .into_iter()
                .map(|(what, all)| (what, all[bases.clone()].to_vec()))
                .collect();
            let (text, probabilities) = encode(&left, &letters[bases.clone()]);
            let expected = Trimmed { lists: text.into(), probabilities };
            prop_assert_eq!(found.as_ref(), Ok(&expected));
            let without = trim_lists(&expected.lists, None, &letters[bases.clone()], 0..bases.len());
            prop_assert_eq!(without.map(|t| t.lists), Ok(expected.lists));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in "([ACN][+-](m|mh|7|Z)[?.]?(,[0-9]{0,2}){0,3}[;,]?){0,3}|[ -~]{0,20}",
            probabilities in prop::collection::vec(any::<u8>(), 0..8),
            letters in "[ACGTN]{0,12}", cut in 0usize..13,
        ) {
            let letters = letters.as_bytes();
            let cut = cut.min(letters.len());
            let whole = trim_lists(text.as_bytes(), Some(&probabilities), letters, 0..letters.len());
            let part = trim_lists(text.as_bytes(), Some(&probabilities), letters, 0..cut);
            prop_assert_eq!(whole.is_ok(), part.is_ok());
            if let Ok(whole) = whole {
                prop_assert_eq!(whole.probabilities, probabilities);
            }
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let trim = |text: &str, probabilities: Option<&[u8]>| {
            trim_lists(text.as_bytes(), probabilities, b"ACCGTC", 1..4).map(|_| ())
        };
        assert_eq!(trim("C+m,0,1;", Some(&[1, 2])), Ok(()));
        assert_eq!(trim("", Some(&[])), Ok(()));
        for text in ["C+m", "C+m,0,;", "C+m,x;", "C*m;", "Z+m;", "C+;", "C+m1;", "C+m,-1;", ";"] {
            assert_eq!(trim(text, None), Err(MALFORMED), "{text}");
        }
        for (text, probabilities, needed) in [
            ("C+m,3;", &[1][..], "past the end"),
            ("C+m,18446744073709551615,9;", &[1, 2], "past the end"),
            ("C+mh,0,1;", &[1, 2, 3], "shorter"),
            ("C+mh,0,1;", &[1, 2, 3, 4, 5], "longer"),
            ("", &[5], "longer"),
        ] {
            let error = trim(text, Some(probabilities)).expect_err("a fault");
            assert!(error.contains(needed), "{text}: {error}");
        }
    }
}
