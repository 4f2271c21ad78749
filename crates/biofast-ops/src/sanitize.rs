//! Records whose fields contradict each other are put right, as `samtools fixmate` does it (`-z all`) before it looks at mates.

use std::borrow::Cow;
use std::str::FromStr;

use biofast_bam::{Cigar, Op, Record, flag};
use biofast_kernels::decimal::write_unsigned;

/// The longest operation that a CIGAR holds.
const LONGEST: u32 = (1 << 28) - 1;

const SOFT_CLIP: u32 = 4;
const HARD_CLIP: u32 = 5;

/// Tags that say nothing of a read that isn't aligned.
fn is_of_alignment(name: [u8; 2]) -> bool {
    matches!(&name, b"NM" | b"MD" | b"CG" | b"SM")
}

/// Which fields of a record are put right; by default all but `matches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SanitizeRules {
    /// A read without a reference has no position, and neither has one behind the end of its reference.
    pub positions: bool,
    /// A read that isn't aligned has mapping quality 0.
    pub mapping_qualities: bool,
    /// A read without a reference or a position, or behind the end of its reference, isn't aligned.
    pub unmapped: bool,
    /// A CIGAR ends with the reference, and a read that isn't aligned has none.
    pub cigars: bool,
    /// A read that isn't aligned has no tags about an alignment.
    pub tags: bool,
    /// An operation of a CIGAR that continues the one before is joined with it, and empty ones go.
    pub joined: bool,
    /// The operations `=` and `X` become `M`.
    pub matches: bool,
}

impl SanitizeRules {
    /// Everything stays as it is.
    pub const NONE: SanitizeRules = SanitizeRules {
        positions: false,
        mapping_qualities: false,
        unmapped: false,
        cigars: false,
        tags: false,
        joined: false,
        matches: false,
    };
    /// The default.
    const ALL: SanitizeRules = SanitizeRules {
        positions: true,
        mapping_qualities: true,
        unmapped: true,
        cigars: true,
        tags: true,
        joined: true,
        matches: false,
    };
}

impl SanitizeRules {
    /// The words of samtools for these rules, none of which includes others.
    pub fn words(&self) -> Vec<&'static str> {
        let SanitizeRules { positions, mapping_qualities, unmapped, cigars, tags, joined, matches } =
            *self;
        let words = [
            (positions, "pos"),
            (mapping_qualities, "mqual"),
            (unmapped, "unmap"),
            (cigars, "cigar"),
            (tags, "aux"),
            (joined, "cigdup"),
            (matches, "cigarx"),
        ];
        words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
    }
}

impl Default for SanitizeRules {
    fn default() -> SanitizeRules {
        SanitizeRules::ALL
    }
}

/// A word that names no fields to put right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is none of pos, mqual, unmap, cigar, cigdup, cigarx, aux, on, all and off")]
pub struct UnknownRule(String);

/// By the words of samtools, separated by commas.
impl FromStr for SanitizeRules {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<SanitizeRules, UnknownRule> {
        let mut rules = SanitizeRules::NONE;
        for word in text.split(',') {
            match word {
                "all" | "*" => rules = SanitizeRules::ALL,
                "on" => {
                    rules = SanitizeRules { positions: false, joined: false, ..SanitizeRules::ALL }
                }
                "off" | "none" => rules = SanitizeRules::NONE,
                "pos" => rules.positions = true,
                "mqual" => rules.mapping_qualities = true,
                "unmap" => rules.unmapped = true,
                "cigar" => rules.cigars = true,
                "cigdup" => rules.joined = true,
                "cigarx" => (rules.joined, rules.matches) = (true, true),
                "aux" => rules.tags = true,
                _ => return Err(UnknownRule(word.to_owned())),
            }
        }
        Ok(rules)
    }
}

/// The record as it should be, without its size in front; `None` if it is so already.
///
/// A read without a reference has no position and isn't aligned, and neither is one that lies behind its reference. What reaches
/// over the end of the reference is clipped. A read that isn't aligned has no CIGAR, no mapping quality, and no tags about an
/// alignment. Operations of a CIGAR that continue the one before are joined with it.
pub(crate) fn sanitized(
    record: &Record<'_>,
    lengths: &[u64],
    rules: SanitizeRules,
) -> Option<Vec<u8>> {
    let (mut reference, mut position) = (record.reference_id(), record.position());
    let mut flags = record.flags();
    let cigar = record.cigar();
    let mut words = None;
    if reference < 0 && rules.positions {
        position = -1;
        flags |= if rules.unmapped { flag::UNMAPPED } else { 0 };
    }
    if flags & flag::UNMAPPED == 0 && rules.cigars {
        let len = usize::try_from(reference).ok().and_then(|at| lengths.get(at));
        let len = len.map_or(0, |&len| len as i64);
        let start = i64::from(position);
        if position < 0 && rules.unmapped {
            flags |= flag::UNMAPPED;
        } else if start >= len && rules.unmapped {
            flags |= flag::UNMAPPED;
            if rules.positions {
                (reference, position) = (-1, -1);
            }
        } else if start + (cigar.reference_len() as i64).max(1) > len {
            words = trimmed(cigar, (len - start).max(0) as u64);
            if words.is_none() {
                flags = flags & !flag::PROPER_PAIR | flag::UNMAPPED;
            }
        }
    }
    let is_unmapped = flags & flag::UNMAPPED != 0;
    let (mut quality, mut has_tags_left) = (record.mapping_quality(), true);
    let drops_tags = is_unmapped && rules.tags;
    if is_unmapped {
        quality = if rules.mapping_qualities { 0 } else { quality };
        has_tags_left = !drops_tags || !record.tags().any(|tag| is_of_alignment(tag.name));
        words = (rules.cigars && !cigar.is_empty()).then(Vec::new);
    } else {
        if rules.matches && cigar.words().any(is_match) {
            let own = words.unwrap_or_else(|| cigar.words().collect());
            words = Some(
                own.into_iter()
                    .map(|word| if is_match(word) { word & !15 } else { word })
                    .collect(),
            );
        }
        if rules.joined && (words.is_some() || !is_joined(cigar)) {
            words = Some(joined(words.unwrap_or_else(|| cigar.words().collect())));
        }
    }
    let before = (record.reference_id(), record.position(), record.flags());
    let is_changed = before != (reference, position, flags)
        || quality != record.mapping_quality()
        || words.is_some()
        || !has_tags_left;
    if !is_changed {
        return None;
    }
    let bytes = record.as_bytes();
    let tags = bytes.len() - record.tag_bytes().len();
    let (name_len, stored) =
        (usize::from(bytes[8]), usize::from(u16::from_le_bytes([bytes[12], bytes[13]])));
    let start_of_cigar = 32 + name_len;
    let start_of_bases = start_of_cigar + 4 * stored;
    let mut out = Vec::with_capacity(bytes.len() + 16);
    out.extend_from_slice(&bytes[..start_of_cigar]);
    // What doesn't fit into its field stands in a tag, and something else in its place.
    let mut in_tag = None;
    match &words {
        None => out.extend_from_slice(&bytes[start_of_cigar..start_of_bases]),
        Some(words) => {
            let fits = words.len() <= usize::from(u16::MAX);
            let in_field = match fits {
                true => words.clone(),
                false => vec![
                    (record.sequence_len() as u32) << 4 | SOFT_CLIP,
                    (reference_len(words) as u32) << 4 | 3,
                ],
            };
            in_tag = (!fits).then_some(words);
            out[12..14].copy_from_slice(&(in_field.len() as u16).to_le_bytes());
            out.extend(in_field.iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    out.extend_from_slice(&bytes[start_of_bases..tags]);
    let is_unwanted = |name: [u8; 2]| {
        drops_tags && is_of_alignment(name)
            || words.is_some() && record.has_long_cigar() && name == *b"CG"
    };
    crate::tags::append_tags(record, &mut out, is_unwanted);
    if let Some(words) = in_tag {
        out.extend_from_slice(b"CGBI");
        out.extend_from_slice(&(words.len() as u32).to_le_bytes());
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    let on_reference = words.as_ref().map_or_else(|| cigar.reference_len(), |w| reference_len(w));
    let len = if is_unmapped { 1 } else { on_reference.max(1) };
    out[0..4].copy_from_slice(&reference.to_le_bytes());
    out[4..8].copy_from_slice(&position.to_le_bytes());
    out[9] = quality;
    out[10..12].copy_from_slice(
        &biofast_bam::bin(i64::from(position), i64::from(position) + len as i64).to_le_bytes(),
    );
    out[14..16].copy_from_slice(&flags.to_le_bytes());
    Some(out)
}

/// Those of a name's records that should be others, by their index.
pub(crate) struct SanitizedRecords(Vec<(usize, Vec<u8>)>);

impl SanitizedRecords {
    pub(crate) fn new(
        records: &[Record<'_>],
        lengths: &[u64],
        rules: SanitizeRules,
    ) -> SanitizedRecords {
        let mut changed = Vec::new();
        for (index, record) in records.iter().enumerate() {
            changed.extend(sanitized(record, lengths, rules).map(|bytes| (index, bytes)));
        }
        SanitizedRecords(changed)
    }

    /// The same records, each as it should be.
    pub(crate) fn of<'s>(&'s self, records: &'s [Record<'s>]) -> Cow<'s, [Record<'s>]> {
        if self.0.is_empty() {
            return Cow::Borrowed(records);
        }
        let mut all = records.to_vec();
        for (index, bytes) in &self.0 {
            all[*index] = Record::from_checked(bytes);
        }
        Cow::Owned(all)
    }
}

/// Whether it says that bases are those of the reference, or others.
fn is_match(word: u32) -> bool {
    matches!(word & 15, 7 | 8)
}

fn consumes_read(word: u32) -> bool {
    matches!(word & 15, 0 | 1 | 4 | 7 | 8)
}

fn consumes_reference(word: u32) -> bool {
    matches!(word & 15, 0 | 2 | 3 | 7 | 8)
}

fn reference_len(words: &[u32]) -> u64 {
    words.iter().filter(|&&word| consumes_reference(word)).map(|&word| u64::from(word >> 4)).sum()
}

/// A CIGAR that reaches over no more than so many bases of the reference, the others clipped; `None` if the operation that
/// would have to be cut begins behind them. A gap over the end goes as a whole (samtools counts its length as clipped bases).
fn trimmed(cigar: Cigar<'_>, mut left: u64) -> Option<Vec<u32>> {
    let mut words = Vec::with_capacity(cigar.len() + 1);
    let mut clipped = None;
    let mut hard = None;
    for word in cigar.words() {
        let len = u64::from(word >> 4);
        if let Some(clipped) = &mut clipped {
            if word & 15 == HARD_CLIP {
                hard = Some(word);
            } else if consumes_read(word) {
                *clipped += len;
            }
        } else if consumes_reference(word) && len > left {
            if left == 0 {
                return None;
            }
            let is_read = consumes_read(word);
            if is_read {
                words.push((left as u32) << 4 | word & 15);
            }
            clipped = Some(if is_read { len - left } else { 0 });
        } else {
            left -= if consumes_reference(word) { len } else { 0 };
            words.push(word);
        }
    }
    let mut clipped = clipped.unwrap_or_default();
    while clipped > 0 {
        let part = clipped.min(u64::from(LONGEST));
        words.push((part as u32) << 4 | SOFT_CLIP);
        clipped -= part;
    }
    words.extend(hard);
    Some(words)
}

/// Whether no operation is empty or continues the one before.
fn is_joined(cigar: Cigar<'_>) -> bool {
    let mut last = None;
    cigar.words().all(|word| {
        let before = last.replace(word & 15);
        word >> 4 > 0 && before != Some(word & 15)
    })
}

fn joined(words: Vec<u32>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::with_capacity(words.len());
    for word in words.into_iter().filter(|word| word >> 4 > 0) {
        match out.last_mut() {
            Some(last) if *last & 15 == word & 15 && (*last >> 4) + (word >> 4) <= LONGEST => {
                *last += word >> 4 << 4;
            }
            _ => out.push(word),
        }
    }
    out
}

/// The characters of a CIGAR.
pub(crate) fn append_text(cigar: Cigar<'_>, out: &mut Vec<u8>) {
    if cigar.is_empty() {
        return out.push(b'*');
    }
    for (op, len) in cigar.iter() {
        write_unsigned(len.into(), out);
        out.push(match op {
            Op::Match => b'M',
            Op::Insertion => b'I',
            Op::Deletion => b'D',
            Op::Skip => b'N',
            Op::SoftClip => b'S',
            Op::HardClip => b'H',
            Op::Pad => b'P',
            Op::SequenceMatch => b'=',
            Op::SequenceMismatch => b'X',
            Op::Unknown => b'?',
        });
    }
}

#[cfg(test)]
mod tests {
    use biofast_bam::{Header, RecordBuf};

    use super::*;

    /// CIGAR and flags of what a read at this position of a reference of 100 bases becomes.
    fn of(position: i32, cigar: &str) -> Option<(String, u16)> {
        let header = Header::from_text(b"@SQ\tSN:c\tLN:1000\n").unwrap();
        let cigar: biofast_bam::CigarBuf = cigar.parse().unwrap();
        let len = cigar.as_cigar().read_len() as usize;
        let read = RecordBuf::mapped("r", 0, position, cigar).sequence("A".repeat(len));
        let read = read.tag(b"NM", 1).tag(b"XX", 2).build().unwrap();
        let mut bytes = Vec::new();
        let record = read.write_bam(&header, &mut bytes).unwrap();
        let sanitized = sanitized(&record, &[100], SanitizeRules::ALL)?;
        let record = Record::from_checked(&sanitized);
        record.check().unwrap();
        assert_eq!(record.sequence_len(), len);
        let mut text = Vec::new();
        append_text(record.cigar(), &mut text);
        let is_unmapped = record.flags() & flag::UNMAPPED != 0;
        assert_eq!(record.tags().count(), if is_unmapped { 1 } else { 2 });
        Some((String::from_utf8(text).unwrap(), record.flags()))
    }

    #[test]
    fn operations_are_joined_up_to_the_longest_there_is() {
        let op = |len: u32, op: u32| len << 4 | op;
        assert_eq!(
            joined(vec![op(5, 0), op(3, 0), op(0, 1), op(2, 0), op(4, 4)]),
            [op(10, 0), op(4, 4)]
        );
        assert_eq!(joined(vec![op(LONGEST - 2, 0), op(2, 0)]), [op(LONGEST, 0)]);
        assert_eq!(joined(vec![op(LONGEST - 2, 0), op(3, 0)]), [op(LONGEST - 2, 0), op(3, 0)]);
    }

    #[test]
    fn what_reaches_over_the_end_of_its_reference_is_clipped() {
        assert_eq!(of(90, "10M"), None);
        let clipped = |text: &str| Some((text.to_owned(), 0));
        assert_eq!(of(95, "10M"), clipped("5M5S"));
        assert_eq!(of(95, "2H10M3S2H"), clipped("2H5M8S2H"));
        assert_eq!(of(95, "2M1I2M4I5M"), clipped("2M1I2M4I1M4S"));
        assert_eq!(of(95, "3M40N7M"), clipped("3M7S"));
        assert_eq!(of(10, "4M3M0D2M"), clipped("9M"));
        // The operation that would be cut begins at the end.
        assert_eq!(of(95, "5M2D5M"), Some(("*".into(), flag::UNMAPPED)));
        assert_eq!(of(95, "2M1I3M4I5M"), Some(("*".into(), flag::UNMAPPED)));
        assert_eq!(of(100, "5M"), Some(("*".into(), flag::UNMAPPED)));
    }
}
