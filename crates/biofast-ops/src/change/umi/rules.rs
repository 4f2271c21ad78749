//! Which records are grouped, and by what: their UMI, their place, their cell and their gene.

use biofast_bam::{Cigar, Error, Header, Op, Record, Value, flag};
use memchr::memmem;

use super::cluster::UmiMethod;
use crate::change::filter::regex::{self, Regex};
use crate::change::retag::NO_UMI_IN_NAME;

/// What is done with the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiTask {
    /// All reads are written with the number and the UMI of their group.
    Group,
    /// One read of each group is written, and its mate.
    Dedup,
}

/// Where the UMI of a read is, and that of its cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UmiLocation {
    /// Behind the last of these separators in the name; the cell's barcode is in front of it, behind the last but one.
    Name {
        /// What stands before the UMI.
        separator: Vec<u8>,
    },
    /// In a tag.
    Tag {
        /// The UMI.
        umi: BarcodeTag,
        /// The cell's barcode.
        cell: BarcodeTag,
    },
    /// In parts of the name between colons, behind `UMI_` and `CELL_`.
    NameParts,
}

impl Default for UmiLocation {
    fn default() -> UmiLocation {
        UmiLocation::Name { separator: b"_".to_vec() }
    }
}

/// A tag that has a barcode in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarcodeTag {
    /// The tag.
    pub tag: [u8; 2],
    /// The barcode ends where this begins, unless it is empty.
    pub end: Vec<u8>,
    /// This is left out of the barcode, unless it is empty.
    pub delimiter: Vec<u8>,
}

impl BarcodeTag {
    /// All of what this tag holds.
    pub fn new(tag: [u8; 2]) -> BarcodeTag {
        BarcodeTag { tag, end: Vec::new(), delimiter: Vec::new() }
    }

    /// Appends the barcode; `false` if there is no such tag.
    fn append(&self, record: &Record<'_>, out: &mut Vec<u8>) -> Result<bool, Error> {
        let Some(text) = text_of(record, self.tag, "the tag of its barcode isn't text")? else {
            return Ok(false);
        };
        let end = match &self.end[..] {
            [] => None,
            end => memmem::find(text, end),
        };
        let mut rest = &text[..end.unwrap_or(text.len())];
        if !self.delimiter.is_empty() {
            while let Some(at) = memmem::find(rest, &self.delimiter) {
                out.extend_from_slice(&rest[..at]);
                rest = &rest[at + self.delimiter.len()..];
            }
        }
        out.extend_from_slice(rest);
        Ok(true)
    }
}

/// The text in a tag.
fn text_of<'r>(
    record: &Record<'r>,
    tag: [u8; 2],
    why: &'static str,
) -> Result<Option<&'r [u8]>, Error> {
    // What is stored of it, as a character is borrowed, too.
    let Some(found) = record.tags().find(|found| found.name == tag) else { return Ok(None) };
    match found.kind {
        b'Z' | b'A' => Ok(Some(found.value)),
        _ => Err(record.unwritable(why)),
    }
}

/// What becomes of reads that can be grouped only by half of their pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UmiPolicy {
    /// They are left out.
    Discard,
    /// They are grouped all the same.
    #[default]
    Use,
    /// They are written without being grouped.
    Output,
}

/// What a gene is, where reads are grouped by gene in place of position.
#[derive(Clone, Debug)]
pub enum UmiGene {
    /// A reference sequence, as of transcripts.
    Contig,
    /// What this tag says.
    Tag {
        /// The gene.
        gene: [u8; 2],
        /// Whether it was assigned.
        assigned: [u8; 2],
        /// Reads of which the tag `assigned` says something like this have no gene.
        skipped: GenePattern,
    },
}

/// A regular expression, as [`UmiGene::Tag`] has it.
#[derive(Clone, Debug)]
pub struct GenePattern(Regex);

impl GenePattern {
    /// A pattern in the syntax of the crate `regex`, over bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(pattern: &str) -> Result<GenePattern, String> {
        regex::compile(pattern).map(GenePattern)
    }
}

/// How the best read of those with the same UMI and place is found among those of the highest mapping quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultimappingTag {
    /// By the number of alignments in `NH`: the lowest.
    Nh,
    /// By the number of alignments in `X0`.
    X0,
    /// By `XT`: one that is `U`.
    Xt,
}

impl MultimappingTag {
    fn name(self) -> [u8; 2] {
        match self {
            MultimappingTag::Nh => *b"NH",
            MultimappingTag::X0 => *b"X0",
            MultimappingTag::Xt => *b"XT",
        }
    }

    /// What is compared: the lower, the better.
    fn value(self, record: &Record<'_>) -> Result<i32, Error> {
        let value = match (self, record.tag(&self.name())?) {
            (MultimappingTag::Xt, Some(Value::Character(b'U') | Value::Text(b"U"))) => Some(0),
            (MultimappingTag::Xt, Some(Value::Character(_) | Value::Text(_))) => Some(1),
            (MultimappingTag::Xt, _) => None,
            (_, value) => value.and_then(|value| value.as_int()),
        };
        let value = value.and_then(|value| i32::try_from(value).ok());
        value.ok_or_else(|| record.unwritable("it lacks the tag that tells of multimapping"))
    }
}

/// Which records are grouped, and by what.
#[derive(Clone, Debug)]
pub struct UmiRules {
    /// How UMIs of one place are put into groups.
    pub method: UmiMethod,
    /// Mismatches of UMIs that are connected.
    pub threshold: usize,
    /// Where UMIs are.
    pub location: UmiLocation,
    /// Whether reads are grouped by cell, too.
    pub per_cell: bool,
    /// Whether they are grouped by gene in place of position.
    pub gene: Option<UmiGene>,
    /// Whether reads of one position are one group whatever their UMI is, which they need not have.
    pub ignore_umi: bool,
    /// Whether templates of another length are others, and mates are kept with the first reads of pairs.
    pub paired: bool,
    /// Of pairs, reads that are unpaired.
    pub unpaired: UmiPolicy,
    /// Of pairs, reads whose mate is unmapped; with [`Output`](UmiPolicy::Output) unmapped reads, too.
    pub unmapped: UmiPolicy,
    /// Reads whose mate is on another reference sequence.
    pub chimeric: UmiPolicy,
    /// The lowest mapping quality of reads that are grouped.
    pub min_mapq: u8,
    /// Whether spliced reads are others than those that aren't, by where the splice is.
    pub spliced_is_unique: bool,
    /// Clipped bases at the 3′ end that aren't a splice.
    pub soft_clip_threshold: u32,
    /// Whether reads of another length are others.
    pub read_length: bool,
    /// Whether the length of templates doesn't matter.
    pub ignore_tlen: bool,
    /// Whether reads wait for the end of the reference sequence, so that any number of bases may be clipped.
    pub whole_contig: bool,
    /// How reads of the same mapping quality are told from each other.
    pub multimapping: Option<MultimappingTag>,
}

impl Default for UmiRules {
    fn default() -> UmiRules {
        UmiRules {
            method: UmiMethod::default(),
            threshold: 1,
            location: UmiLocation::default(),
            per_cell: false,
            gene: None,
            ignore_umi: false,
            paired: false,
            unpaired: UmiPolicy::Use,
            unmapped: UmiPolicy::Discard,
            chimeric: UmiPolicy::Use,
            min_mapq: 0,
            spliced_is_unique: false,
            soft_clip_threshold: 4,
            read_length: false,
            ignore_tlen: false,
            whole_contig: false,
            multimapping: None,
        }
    }
}

/// What becomes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordFate {
    /// It is left out; a mate may need it all the same.
    Dropped,
    /// It is written without being grouped.
    Plain,
    /// It is grouped.
    Grouped,
}

/// Where a read is, as umi_tools sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UmiPosition {
    /// Where it begins, clipped bases included, of a reverse read behind it.
    pub(super) position: i64,
    /// Where it is spliced, from its beginning; 0 if it isn't.
    pub(super) splice: u32,
}

/// What was counted of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UmiReadCounts {
    /// Records of the input.
    pub records: u64,
    /// Reads that were grouped.
    pub grouped: u64,
    /// Reads that were not, as they have no UMI, or no barcode of a cell, in a tag.
    pub without_umi: u64,
    /// Reads that were not, as they have no gene.
    pub without_gene: u64,
}

impl UmiReadCounts {
    pub(super) fn add(&mut self, other: &UmiReadCounts) {
        self.records += other.records;
        self.grouped += other.grouped;
        self.without_umi += other.without_umi;
        self.without_gene += other.without_gene;
    }
}

impl UmiRules {
    /// What becomes of a record by its flags, its mate and its mapping quality.
    pub(super) fn fate(&self, record: &Record<'_>, is_group: bool) -> RecordFate {
        let flags = record.flags();
        let has = |bits: u16| flags & bits != 0;
        let is_unmapped = has(flag::UNMAPPED) || record.reference_id() < 0;
        let plain = |is_wanted: bool| match is_wanted && is_group {
            true => RecordFate::Plain,
            false => RecordFate::Dropped,
        };
        let returns_unmapped = self.unmapped != UmiPolicy::Discard;
        if has(flag::READ2) {
            return plain(!is_unmapped || returns_unmapped);
        }
        if self.paired && !has(flag::PAIRED) && self.unpaired != UmiPolicy::Use {
            return plain(self.unpaired == UmiPolicy::Output);
        }
        if is_unmapped {
            return plain(returns_unmapped);
        }
        if self.paired && has(flag::MATE_UNMAPPED) && self.unmapped != UmiPolicy::Use {
            return plain(self.unmapped == UmiPolicy::Output);
        }
        if has(flag::PAIRED)
            && record.reference_id() != record.mate_reference_id()
            && self.chimeric != UmiPolicy::Use
        {
            return plain(self.chimeric == UmiPolicy::Output);
        }
        match record.mapping_quality() < self.min_mapq {
            true => RecordFate::Dropped,
            false => RecordFate::Grouped,
        }
    }

    /// Puts the UMI and the barcode of the cell into `umi` and `cell`; `false` if the record lacks the tag of one.
    pub(super) fn barcodes(
        &self,
        record: &Record<'_>,
        umi: &mut Vec<u8>,
        cell: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        umi.clear();
        cell.clear();
        if self.ignore_umi && !self.per_cell {
            return Ok(true);
        }
        match &self.location {
            UmiLocation::Name { separator } => {
                let mut parts = last_parts(record.name(), separator);
                let Some([before, last]) = parts.next() else {
                    return Err(record.unwritable(NO_UMI_IN_NAME));
                };
                umi.extend_from_slice(last);
                if self.per_cell {
                    cell.extend_from_slice(before);
                }
            }
            UmiLocation::Tag { umi: of_umi, cell: of_cell } => {
                let has_umi = of_umi.append(record, umi)?;
                if !has_umi || self.per_cell && !of_cell.append(record, cell)? {
                    return Ok(false);
                }
            }
            UmiLocation::NameParts => {
                let (mut has_umi, mut has_cell) = (false, !self.per_cell);
                for part in record.name().split(|byte| *byte == b':') {
                    if let Some(found) = part.strip_prefix(b"UMI_") {
                        has_umi = true;
                        umi.clear();
                        umi.extend_from_slice(found);
                    } else if let Some(found) = part.strip_prefix(b"CELL_")
                        && self.per_cell
                    {
                        has_cell = true;
                        cell.clear();
                        cell.extend_from_slice(found);
                    }
                }
                if !has_umi {
                    return Err(record.unwritable("no part of its name begins with UMI_"));
                }
                if !has_cell {
                    return Err(record.unwritable("no part of its name begins with CELL_"));
                }
            }
        }
        if self.ignore_umi {
            umi.clear();
        }
        Ok(true)
    }

    /// The gene of a record, if it has one.
    pub(super) fn gene_of<'r>(
        &self,
        record: &Record<'r>,
        header: &'r Header,
    ) -> Result<Option<&'r [u8]>, Error> {
        let why = "the tag of its gene isn't text";
        match &self.gene {
            None => Ok(None),
            Some(UmiGene::Contig) => Ok(record.reference_name(header)),
            Some(UmiGene::Tag { gene, assigned, skipped }) => {
                let Some(assigned) = text_of(record, *assigned, why)? else { return Ok(None) };
                let gene = text_of(record, *gene, why)?;
                Ok(gene.filter(|gene| !gene.is_empty() && !skipped.0.is_match(assigned)))
            }
        }
    }

    /// Where a mapped record is.
    pub(super) fn position_of(&self, record: &Record<'_>) -> UmiPosition {
        let cigar = record.cigar();
        let clipped = |index: Option<usize>| match index.and_then(|index| cigar.get(index)) {
            Some((Op::SoftClip, len)) => len,
            _ => 0,
        };
        let (first, last) = (clipped(Some(0)), clipped(cigar.len().checked_sub(1)));
        let is_reverse = record.flags() & flag::REVERSE != 0;
        let start = i64::from(record.position());
        let (position, clipped) = match is_reverse {
            true => (start + cigar.reference_len() as i64 + i64::from(last), first),
            false => (start - i64::from(first), last),
        };
        let may_be_spliced = self.spliced_is_unique
            && (clipped > self.soft_clip_threshold || cigar.iter().any(|(op, _)| op == Op::Skip));
        let splice = match may_be_spliced {
            true => find_splice(&cigar, is_reverse),
            false => 0,
        };
        UmiPosition { position, splice }
    }

    /// What is compared between reads of one mapping quality.
    pub(super) fn multimapping_of(&self, record: &Record<'_>) -> Result<i32, Error> {
        self.multimapping.map_or(Ok(0), |tag| tag.value(record))
    }
}

/// What stands behind the last separator, and what stands between it and the one before.
fn last_parts<'n>(
    name: &'n [u8],
    separator: &[u8],
) -> impl Iterator<Item = [&'n [u8]; 2]> + use<'n> {
    // Separators are found from the left, which matters if they overlap.
    let (mut before, mut last) = (None, None);
    if let [byte] = separator {
        last = memchr::memrchr(*byte, name);
        before = last.and_then(|last| memchr::memrchr(*byte, &name[..last]));
    } else {
        for at in memmem::find_iter(name, separator) {
            (before, last) = (last, Some(at));
        }
    }
    let len = separator.len();
    last.map(|last| [&name[before.map_or(0, |at| at + len)..last], &name[last + len..]]).into_iter()
}

/// How far the first splice, or clip at the end, is from the beginning of a read; 0 if there is none.
fn find_splice(cigar: &Cigar<'_>, is_reverse: bool) -> u32 {
    let len = cigar.len();
    let at = |index: usize| cigar.get(if is_reverse { len - 1 - index } else { index });
    let (mut offset, mut start) = (0u32, 0);
    if let Some((Op::SoftClip, clipped)) = (len > 0).then(|| at(0)).flatten() {
        (offset, start) = (clipped, 1);
    }
    for (op, bases) in (start..len).filter_map(at) {
        match op {
            Op::Skip | Op::SoftClip => return offset,
            op if op.consumes_reference() => offset = offset.saturating_add(bases),
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_found_from_the_left() {
        let parts = |name: &'static str, separator: &'static str| {
            last_parts(name.as_bytes(), separator.as_bytes())
                .next()
                .map(|parts| parts.map(|part| String::from_utf8_lossy(part).into_owned()))
        };
        let some = |before: &str, last: &str| Some([before.to_owned(), last.to_owned()]);
        assert_eq!(parts("r1_AC_GT", "_"), some("AC", "GT"));
        assert_eq!(parts("r1_GT", "_"), some("r1", "GT"));
        assert_eq!(parts("r1", "_"), None);
        assert_eq!(parts("a___b", "__"), some("a", "_b"));
        assert_eq!(parts("a__c__b", "__"), some("c", "b"));
    }

    #[test]
    fn splices_are_found_where_umi_tools_finds_them() {
        for (cigar, is_reverse, expected) in [
            ("10M", false, 0),
            ("10M5N10M", false, 10),
            ("3S10M5N10M", false, 13),
            ("10M6S", false, 10),
            ("3S10M", true, 10),
            ("4S10M5N7M2S", true, 9),
            ("2H3S10M5N10M", false, 0),
            ("5I5N10M", false, 0),
        ] {
            let cigar: biofast_bam::CigarBuf = cigar.parse().unwrap();
            let cigar = cigar.as_cigar();
            assert_eq!(find_splice(&cigar, is_reverse), expected, "{cigar} {is_reverse}");
        }
    }
}
