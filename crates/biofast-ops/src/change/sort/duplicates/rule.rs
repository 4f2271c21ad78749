//! How duplicates are told, and what happens to them.

use super::barcodes::BarcodeSource;

/// How duplicates are found and what happens to them.
#[derive(Clone, Debug, Default)]
pub struct Marking {
    /// Whose rule decides.
    pub rule: DuplicateRule,
    /// What two pairs have in common.
    pub mode: Mode,
    /// Records of a duplicate that aren't primary, or aren't aligned, are marked as well.
    pub supplementary: bool,
    /// Reads that failed the checks of quality are looked at, too; one that passed is kept rather.
    pub include_fails: bool,
    /// Marks of the input, and the optional fields `dt` and `do` with them, are removed first.
    pub clear: bool,
    /// Duplicates are left out.
    pub remove: bool,
    /// What else duplicates have in common.
    pub barcode: BarcodeSource,
    /// With Picard's rule: tags of which duplicates have the same text, in their first reads and in their second reads, as its
    /// `READ_ONE_BARCODE_TAG` and `READ_TWO_BARCODE_TAG`.
    pub read_barcodes: [Option<[u8; 2]>; 2],
    /// That no read at all has a barcode is no error.
    pub allow_missing_barcodes: bool,
    /// Records are counted by library, too.
    pub by_library: bool,
    /// Duplicates whose clusters were at most so far from each other on the flow cell are optical ones, if the names of reads tell
    /// it. By the rule of samtools they aren't told from others if this isn't given, or is 0, and if it is, all that is marked gets
    /// the field `dt`; Picard's rule only counts them, up to a distance of 100 if nothing is given.
    pub optical_distance: Option<u32>,
}

/// The distance of Picard's rule.
const PICARD_DISTANCE: u32 = 100;

impl Marking {
    /// Up to which distance duplicates are optical ones, if they are told from others.
    pub(super) fn optical_distance(&self) -> Option<u32> {
        match self.rule {
            DuplicateRule::Samtools => self.optical_distance.filter(|&distance| distance > 0),
            DuplicateRule::Picard => Some(self.optical_distance.unwrap_or(PICARD_DISTANCE)),
        }
    }

    /// Whether duplicates have barcodes in common.
    pub(super) fn has_barcodes(&self) -> bool {
        self.barcode != BarcodeSource::None || self.has_read_barcodes()
    }

    pub(super) fn has_read_barcodes(&self) -> bool {
        self.rule == DuplicateRule::Picard && self.read_barcodes != [None; 2]
    }

    /// Bytes of library and barcode in keys.
    pub(super) fn kind_len(&self) -> usize {
        let numbers = [self.rule == DuplicateRule::Picard, self.has_barcodes()];
        4 * numbers.into_iter().filter(|&has| has).count()
    }
}

/// Whose rule decides which reads are duplicates, and which one is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateRule {
    /// That of `samtools markdup` 1.24, after `samtools fixmate -m`; of equal scores the least name.
    #[default]
    Samtools,
    /// That of MarkDuplicates of Picard 3.4: libraries apart; of equal scores the first on the flow cell, or in coordinate order. It
    /// looks at the first bases of reads (the mode isn't asked for) and at reads that failed checks. Marks of the input, and its
    /// tags `DT`, are removed; nothing else of a record is changed.
    Picard,
}

/// Which ends of two pairs must be at the same positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The outer ends of both reads, clipped bases included. As `samtools markdup -m t`.
    #[default]
    Template,
    /// The first bases of both reads as they were sequenced. As `samtools markdup -m s`.
    Sequence,
}
