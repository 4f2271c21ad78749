//! The optional fields of a record (SAM specification, sections 1.5 and 4.2.4).

use std::fmt;

use biofast_io::Escaped;

use crate::cigar::Cigar;
use crate::value::Value;

/// A tag of a record, with its value as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Two letters, such as `NM`.
    pub name: [u8; 2],
    /// The type letter as stored: one of `AcCsSiIfZHB`, or `d` (64-bit float), which is not in the
    /// specification but read and written by htslib.
    pub kind: u8,
    /// The value's bytes: without the final NUL of `Z` and `H`, with the element type and the
    /// count of `B`.
    pub value: &'a [u8],
}

impl<'a> Tag<'a> {
    /// The value of an integer type.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        let v = self.value;
        Some(match (self.kind, v.len()) {
            (b'c', 1) => i64::from(v[0] as i8),
            (b'C', 1) => i64::from(v[0]),
            (b's', 2) => i64::from(i16::from_le_bytes([v[0], v[1]])),
            (b'S', 2) => i64::from(u16::from_le_bytes([v[0], v[1]])),
            (b'i', 4) => i64::from(i32::from_le_bytes([v[0], v[1], v[2], v[3]])),
            (b'I', 4) => i64::from(u32::from_le_bytes([v[0], v[1], v[2], v[3]])),
            _ => return None,
        })
    }

    /// The text of a `Z` or `H` field.
    #[inline]
    pub fn as_text(&self) -> Option<&'a [u8]> {
        matches!(self.kind, b'Z' | b'H').then_some(self.value)
    }

    /// The value with its type. `None` if the two contradict each other, as they never do in [`Tags`].
    #[inline]
    pub fn typed(&self) -> Option<Value<'a>> {
        Value::read(self.kind, self.value)
    }

    /// The elements' bytes of an array of 32-bit integers (`B:I` or `B:i`).
    pub(crate) fn as_u32_array(&self) -> Option<&'a [u8]> {
        match (self.kind, self.value) {
            (b'B', [b'I' | b'i', _, _, _, _, elements @ ..]) => Some(elements),
            _ => None,
        }
    }
}

/// The optional fields of a record one after the other. Ends at the first malformed one; then
/// [`is_malformed`](Tags::is_malformed) holds.
///
/// ```
/// use biofast_bam::RecordBuf;
///
/// let record = RecordBuf::unmapped("r").tag(b"RG", "a").tag(b"XS", biofast_bam::Value::array(&[1i16, -2][..])).build()?;
/// let mut tags = record.tags();
/// let text: Vec<String> = tags.by_ref().filter_map(|t| Some(t.typed()?.to_string())).collect();
/// assert_eq!(text, ["Z:a", "B:s,1,-2"]);
/// assert!(!tags.is_malformed());
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tags<'a> {
    rest: &'a [u8],
    malformed: bool,
}

impl<'a> Tags<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Tags { rest: bytes, malformed: false }
    }

    /// What hasn't been iterated over.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether the iteration ended at a field that is cut off or of an unknown type.
    #[inline]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// The length of a value at the start of `rest` with what ends it, where `kind` doesn't say it alone; `usize::MAX` if it is
    /// malformed. A number and no option, so that it is returned in a register.
    fn varied_len(kind: u8, rest: &[u8]) -> usize {
        let len = match kind {
            b'Z' | b'H' => find_nul(rest).map(|n| n + 1),
            b'B' => array_len(rest),
            _ => None,
        };
        len.unwrap_or(usize::MAX)
    }
}

/// The length of an array at the start of `rest`, with its type and count.
fn array_len(rest: &[u8]) -> Option<usize> {
    let [kind, count @ ..] = rest.first_chunk::<5>()?;
    let size = match kind {
        b'c' | b'C' => 1,
        b's' | b'S' => 2,
        b'i' | b'I' | b'f' => 4,
        _ => return None,
    };
    let elements = (u32::from_le_bytes(*count) as usize).checked_mul(size)?;
    elements.checked_add(5)
}

/// The length of a value of a type whose values have one, by the type's letter.
static SIZES: [u8; 256] = {
    let mut sizes = [0; 256];
    // `d` is not in the specification; samtools reads and writes it.
    let kinds = *b"AcCsSiIfd";
    let lens = [1, 1, 1, 2, 2, 4, 4, 4, 8];
    let mut n = 0;
    while n < kinds.len() {
        sizes[kinds[n] as usize] = lens[n];
        n += 1;
    }
    sizes
};

/// Where the first NUL is. Most texts are short: the first bytes are looked at without a call.
#[inline]
fn find_nul(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    for (index, word) in text.as_chunks::<8>().0.iter().take(4).enumerate() {
        let word = u64::from_le_bytes(*word);
        let zeros = word.wrapping_sub(ONES) & !word & (0x80 * ONES);
        if zeros != 0 {
            return Some(8 * index + zeros.trailing_zeros() as usize / 8);
        }
    }
    let seen = (text.len() / 8).min(4) * 8;
    match &text[seen..] {
        short if short.len() < 8 => short.iter().position(|&byte| byte == 0).map(|n| seen + n),
        long => memchr::memchr(0, long).map(|n| seen + n),
    }
}

/// What is said of optional fields that end an iteration.
pub(crate) const MALFORMED: &str = "its tags are malformed";

/// The value of the first field of this name; `None` if fields before it, or all of them, are malformed.
#[inline]
pub(crate) fn find<'a>(mut tags: Tags<'a>, name: &[u8; 2]) -> Option<Option<Value<'a>>> {
    match tags.find(|tag| tag.name == *name) {
        Some(tag) => tag.typed().map(Some),
        None if tags.is_malformed() => None,
        None => Some(None),
    }
}

/// A record as it is shown to programmers.
pub(crate) struct Described<'a> {
    pub(crate) of: &'static str,
    pub(crate) name: &'a [u8],
    pub(crate) flags: u16,
    pub(crate) place: (i32, i32),
    pub(crate) mapping_quality: u8,
    pub(crate) cigar: Cigar<'a>,
    pub(crate) mate: (i32, i32),
    pub(crate) template_len: i32,
    pub(crate) sequence: &'a [u8],
    pub(crate) qualities: &'a [u8],
    pub(crate) tags: Tags<'a>,
}

impl fmt::Debug for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| Escaped(bytes).to_string();
        let mut tags = self.tags.clone();
        let fields = tags.by_ref().filter_map(|tag| {
            let name = Escaped(&tag.name).to_string();
            Some(format!("{name}:{}", tag.typed()?))
        });
        let mut fields: Vec<String> = fields.collect();
        if tags.is_malformed() {
            fields.push("what follows is malformed".to_owned());
        }
        f.debug_struct(self.of)
            .field("name", &text(self.name))
            .field("flags", &format_args!("{:#x}", self.flags))
            .field("reference_id", &self.place.0)
            .field("position", &self.place.1)
            .field("mapping_quality", &self.mapping_quality)
            .field("cigar", &self.cigar)
            .field("mate_reference_id", &self.mate.0)
            .field("mate_position", &self.mate.1)
            .field("template_len", &self.template_len)
            .field("sequence", &text(self.sequence))
            .field("qualities", &self.qualities)
            .field("tags", &fields)
            .finish()
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    // Returned through memory, a field takes as long again.
    #[inline(always)]
    fn next(&mut self) -> Option<Tag<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.rest.split_first_chunk::<3>().and_then(|(&[a, b, kind], rest)| {
            let (len, end) = match SIZES[usize::from(kind)] {
                0 => {
                    let end = Tags::varied_len(kind, rest);
                    (end - usize::from(kind != b'B'), end)
                }
                size => (usize::from(size), usize::from(size)),
            };
            let value = rest.get(..len)?;
            Some((Tag { name: [a, b], kind, value }, rest.get(end..)?))
        });
        match field {
            Some((tag, rest)) => {
                self.rest = rest;
                Some(tag)
            }
            None => {
                self.rest = &[];
                self.malformed = true;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read_and_its_neighbour_found() {
        let mut bytes = Vec::new();
        bytes.extend(b"XAAq");
        bytes.extend(b"Xcc\xfe");
        bytes.extend(b"XCC\xfe");
        bytes.extend(b"Xss\xfe\xff");
        bytes.extend(b"XSS\xfe\xff");
        bytes.extend(b"Xii\xfe\xff\xff\xff");
        bytes.extend(b"XII\xfe\xff\xff\xff");
        bytes.extend(b"Xff\0\0\x80\x3f");
        bytes.extend(b"Xdd\0\0\0\0\0\0\xf0\x3f");
        bytes.extend(b"XZZab\0");
        bytes.extend(b"XBBs\x02\0\0\0\x01\0\x02\0");
        bytes.extend(b"NMC\x05");
        let mut tags = Tags::new(&bytes);
        let kinds: Vec<u8> = tags.by_ref().map(|t| t.kind).collect();
        assert_eq!(kinds, b"AcCsSiIfdZBC");
        assert!(!tags.is_malformed());
        let ints: Vec<i64> = Tags::new(&bytes).filter_map(|t| t.as_int()).collect();
        assert_eq!(ints, [-2, 254, -2, 65534, -2, 4294967294, 5]);
        let text = Tags::new(&bytes).find_map(|t| t.as_text());
        assert_eq!(text, Some(&b"ab"[..]));
    }

    #[test]
    fn the_end_of_a_text_is_found_wherever_it_is() {
        for len in 0..80 {
            let mut text = vec![0x80; len];
            assert_eq!(find_nul(&text), None);
            for at in (0..len).rev() {
                text[at] = 0;
                assert_eq!(find_nul(&text), Some(at));
                text[at] = 1;
            }
        }
    }

    #[test]
    fn a_field_that_is_cut_off_ends_the_iteration() {
        for bytes in [
            &b"NM"[..],
            b"NMi\x01\0",
            b"XZZabc",
            b"XBBi\xff\xff\xff\xff\0",
            b"XBBq\0\0\0\0",
            b"XQQ\0",
        ] {
            let mut tags = Tags::new(bytes);
            assert_eq!(tags.next(), None);
            assert!(tags.is_malformed());
        }
    }
}
