//! What is gathered of reads only where it is asked for: what FastQC says beyond [`Collector`](super::Collector)'s counts.

use biofast_fastq::Batch;
use serde::{Deserialize, Serialize};

use super::adapters::{AdapterContent, AdapterCounter};
use super::by_read::ByRead;
use super::contaminants::Contaminants;
use super::duplication::{Duplicates, Duplication, NewSequences, upper_case};
use super::numbers::{InvalidReport, dense, sparse};
use super::tiles::{TileQuality, Tiles};

/// The counts.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct Qc {
    pub by_read: ByRead,
    /// What is looked for in the reads.
    pub searches: Option<Box<Searches>>,
}

/// Duplication, adapters and tiles.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct Searches {
    duplicates: DuplicationSource,
    pub adapters: AdapterCounter,
    pub tiles: Tiles,
    /// Room for a read in upper case.
    upper: Vec<u8>,
}

/// Counts of duplicates, or what a report said of them.
#[derive(Clone, Debug, PartialEq)]
enum DuplicationSource {
    Counted(Duplicates),
    Read(Option<Box<Duplication>>),
}

impl Default for DuplicationSource {
    fn default() -> Self {
        DuplicationSource::Counted(Duplicates::default())
    }
}

impl Qc {
    pub(crate) fn merge(&mut self, other: &Qc) {
        let Qc { by_read, searches } = other;
        self.by_read.merge(by_read);
        match (&mut self.searches, searches) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine, _) => *mine = None,
        }
    }

    /// The section of the report.
    pub(super) fn section(&self, contaminants: &Contaminants) -> Section {
        let searches = self.searches.as_deref();
        Section {
            gc_billionths: self.by_read.gc_billionths(),
            mean_phred_histogram: sparse(&self.by_read.mean_quality),
            duplication: searches.and_then(|searches| searches.duplication(contaminants)),
            adapters: searches.map(|searches| searches.adapters.content()),
            tiles: searches.and_then(|searches| searches.tiles.quality()),
        }
    }

    /// The counts of a section.
    pub(super) fn read_back(section: &Section) -> Result<Qc, InvalidReport> {
        let by_read =
            ByRead::read_back(dense(&section.mean_phred_histogram)?, &section.gc_billionths)?;
        let searches = match &section.adapters {
            None => None,
            Some(adapters) => Some(Box::new(Searches {
                duplicates: DuplicationSource::Read(section.duplication.clone().map(Box::new)),
                adapters: AdapterCounter::read_back(adapters)?,
                tiles: match &section.tiles {
                    Some(tiles) => Tiles::read_back(tiles)?,
                    None => Tiles::default(),
                },
                upper: Vec::new(),
            })),
        };
        Ok(Qc { by_read, searches })
    }
}

impl Searches {
    /// Adds the reads of a batch. Sequences that weren't seen before are left in `new`, for [`settle`](Self::settle).
    pub(super) fn accept(&mut self, batch: Batch<'_>, new: &mut NewSequences) {
        let Searches { duplicates, adapters, tiles, upper } = self;
        let mut look_up = match duplicates {
            DuplicationSource::Counted(duplicates) => {
                Some(duplicates.look_up(batch.len() as u64, new))
            }
            DuplicationSource::Read(_) => None,
        };
        for (number, record) in (batch.first_record()..).zip(batch.iter()) {
            let sequence = upper_case(record.sequence(), upper);
            if let Some(look_up) = &mut look_up {
                look_up.add(number, sequence);
            }
            adapters.add(sequence);
            if Tiles::counts(number) {
                tiles.add(number, record.definition(), record.qualities());
            }
        }
    }

    /// The duplicates that are being counted.
    pub(super) fn duplicates(&self) -> Option<&Duplicates> {
        match &self.duplicates {
            DuplicationSource::Counted(duplicates) => Some(duplicates),
            DuplicationSource::Read(_) => None,
        }
    }

    /// What there is to say of duplicates.
    #[doc(hidden)]
    pub fn duplication(&self, contaminants: &Contaminants) -> Option<Duplication> {
        match &self.duplicates {
            DuplicationSource::Counted(duplicates) => duplicates.finish(contaminants),
            DuplicationSource::Read(duplication) => duplication.as_deref().cloned(),
        }
    }

    /// Ends the counting of duplicates: what is said of them from now on is found once.
    pub(super) fn finish_duplicates(&mut self, contaminants: &Contaminants) {
        if let DuplicationSource::Counted(duplicates) = &self.duplicates {
            self.duplicates =
                DuplicationSource::Read(duplicates.finish(contaminants).map(Box::new));
        }
    }

    fn merge(&mut self, other: &Searches) {
        let Searches { duplicates, adapters, tiles, upper: _ } = other;
        match (&mut self.duplicates, duplicates) {
            (DuplicationSource::Counted(mine), DuplicationSource::Counted(theirs)) => {
                mine.merge(theirs)
            }
            // Which sequences are the first of both can't be told from reports.
            (mine, _) => *mine = DuplicationSource::Read(None),
        }
        self.adapters.merge(adapters);
        self.tiles.merge(tiles);
    }
}

/// What FastQC says of reads beyond the other sections: there if it was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Section {
    /// Reads by GC percent from 0 to 100, in billionths of a read: each read counts in shares for the percents its GC stands for, so that
    /// short reads have no gaps between percents.
    pub gc_billionths: Vec<u64>,
    /// `[phred, reads]`: reads by arithmetic mean of their Phred values, rounded down.
    pub mean_phred_histogram: Vec<(u8, u64)>,
    /// How often sequences occur: of one file, not of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplication: Option<Duplication>,
    /// Adapters by position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapters: Option<AdapterContent>,
    /// Qualities by tile, if the names of reads tell the tile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiles: Option<TileQuality>,
}
