//! Which records count, and what of them.

use biofast_bam::flag;

use super::sums::ChecksumColumn;
use super::tags::ChecksumTags;
use crate::sanitize::SanitizeRules;

/// Which records have checksums, and what of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecksumRules {
    /// Records need all of these flags.
    pub require_flags: u16,
    /// Records with one of these flags don't count.
    pub exclude_flags: u16,
    /// The flags that enter the checksums. Those above 0x80 never do.
    pub flag_mask: u16,
    /// Whether reads that are aligned to the reverse strand count as they were sequenced.
    pub reverse_complement: bool,
    /// The tags that count.
    pub tags: ChecksumTags,
    /// Whether the order of records counts.
    pub order: ChecksumOrder,
    /// Whether reference and position have a column.
    pub positions: bool,
    /// Whether mapping quality and CIGAR have a column.
    pub cigars: bool,
    /// Whether the mate's place and the template length have a column.
    pub mates: bool,
    /// What is put right before.
    pub sanitize: SanitizeRules,
    /// Only so many records count, the first of those that aren't excluded.
    pub limit: Option<u64>,
    /// The definition of the values.
    pub version: ChecksumVersion,
}

/// Whether the order of records counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChecksumOrder {
    /// It doesn't.
    #[default]
    Any,
    /// Within each read group.
    WithinGroups,
    /// In the file, for the values of all records, and within each read group.
    WithinFile,
}

/// Which definition of the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChecksumVersion {
    /// That of samtools 1.22 to 1.23, which leaves out the template length. samtools 1.24 says so, too, but computes version 2.
    One,
    /// That of samtools 1.25.
    #[default]
    Two,
}

impl ChecksumVersion {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            ChecksumVersion::One => "1.0",
            ChecksumVersion::Two => "2.0",
        }
    }

    /// The version of this name.
    pub fn named(name: &str) -> Option<ChecksumVersion> {
        [ChecksumVersion::One, ChecksumVersion::Two].into_iter().find(|one| one.name() == name)
    }
}

impl Default for ChecksumRules {
    /// What survives alignment: primary records, as they were sequenced, without what an aligner adds.
    fn default() -> ChecksumRules {
        ChecksumRules {
            require_flags: 0,
            exclude_flags: flag::SECONDARY | flag::SUPPLEMENTARY,
            flag_mask: flag::PAIRED | flag::READ1 | flag::READ2,
            reverse_complement: true,
            tags: ChecksumTags::default(),
            order: ChecksumOrder::Any,
            positions: false,
            cigars: false,
            mates: false,
            sanitize: SanitizeRules::NONE,
            limit: None,
            version: ChecksumVersion::Two,
        }
    }
}

impl ChecksumRules {
    /// Everything in a file of alignments, in its order, but tags that formats may change (`cF`, `MD`, `NM`), and after
    /// fields that contradict each other are put right: what must survive a conversion of formats.
    pub fn everything() -> ChecksumRules {
        ChecksumRules {
            exclude_flags: 0,
            flag_mask: u16::MAX,
            reverse_complement: false,
            tags: ChecksumTags::all_but([*b"cF", *b"MD", *b"NM"]),
            order: ChecksumOrder::WithinGroups,
            positions: true,
            cigars: true,
            mates: true,
            sanitize: SanitizeRules { matches: true, ..SanitizeRules::default() },
            ..ChecksumRules::default()
        }
    }

    /// The columns of these rules, in their order.
    pub fn columns(&self) -> Vec<ChecksumColumn> {
        let has = |column: &ChecksumColumn| match column {
            ChecksumColumn::Position => self.positions,
            ChecksumColumn::Cigar => self.cigars,
            ChecksumColumn::Mate => self.mates,
            _ => true,
        };
        ChecksumColumn::ALL.into_iter().filter(has).collect()
    }

    /// Whether flags exclude no reads of FASTQ, which are all unmapped, and maybe of pairs.
    pub fn keeps_all_reads(&self) -> bool {
        const OF_READS: u16 =
            flag::PAIRED | flag::UNMAPPED | flag::MATE_UNMAPPED | flag::READ1 | flag::READ2;
        self.exclude_flags & OF_READS == 0 && self.require_flags & !flag::UNMAPPED == 0
    }

    /// Whether records must be looked at one after the other.
    pub fn depends_on_order(&self) -> bool {
        self.order != ChecksumOrder::Any || self.limit.is_some()
    }

    pub(super) fn keeps(&self, flags: u16) -> bool {
        flags & self.exclude_flags == 0 && flags & self.require_flags == self.require_flags
    }
}
