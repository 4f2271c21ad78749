//! What is gathered of reads only where it is asked for: what FastQC says beyond [`Collector`](super::Collector)'s counts, and the
//! list of searches.
//!
//! A search is a file with its counts, what it does with a read, its section of the report and the way back; and a line in the list
//! below.

use biofast_fastq::Batch;
use serde::{Deserialize, Serialize};

use super::adapters::{AdapterContent, AdapterCounter};
use super::by_read::ByRead;
use super::contaminants::Contaminants;
use super::duplication::{Duplication, DuplicationSource, upper_case};
use super::measured::{ReadSearch, SearchedRead};
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

/// Declares [`Searches`], what they leave of a batch, and [`Section`] with a field for each search: its name in the report, the
/// type that counts, and its section.
macro_rules! searches {
    ($($(#[$meta:meta])* $name:ident: $search:ty => $section:ty,)*) => {
        /// The counts of every search.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[doc(hidden)]
        pub struct Searches {
            $(pub $name: $search,)*
            /// Room for a read in upper case.
            upper: Vec<u8>,
        }

        /// What a batch leaves.
        #[derive(Default)]
        pub(super) struct LeftOfSearches {
            $($name: <$search as ReadSearch>::Left,)*
        }

        /// What FastQC says of reads beyond the other sections: there if it was asked for.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct Section {
            /// Reads by GC percent from 0 to 100, in billionths of a read: each read counts in shares for the percents its GC stands for, so that
            /// short reads have no gaps between percents.
            pub gc_billionths: Vec<u64>,
            /// `[phred, reads]`: reads by arithmetic mean of their Phred values, rounded down.
            pub mean_phred_histogram: Vec<(u8, u64)>,
            $($(#[$meta])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $name: Option<$section>,)*
        }

        impl Section {
            /// What is known if adapters alone were looked for.
            #[doc(hidden)]
            pub fn of_adapters(content: AdapterContent) -> Section {
                let nothing = Section {
                    gc_billionths: Vec::new(),
                    mean_phred_histogram: Vec::new(),
                    $($name: None,)*
                };
                Section { adapters: Some(content), ..nothing }
            }
        }

        impl Searches {
            /// Adds the reads of a batch. What depends on their order is left, for [`settle`](Self::settle).
            pub(super) fn accept(&mut self, batch: Batch<'_>, left: &mut LeftOfSearches) {
                let reads = batch.len() as u64;
                $(let mut $name = ReadSearch::begin(&mut self.$name, reads, &mut left.$name);)*
                for (number, record) in (batch.first_record()..).zip(batch.iter()) {
                    let read = SearchedRead {
                        number,
                        definition: record.definition(),
                        sequence: upper_case(record.sequence(), &mut self.upper),
                        qualities: record.qualities(),
                    };
                    $(<$search as ReadSearch>::add(&mut $name, &read);)*
                }
            }

            /// Takes in what batches left, in the order of the file.
            pub(super) fn settle(&self, left: &mut LeftOfSearches) {
                $(ReadSearch::settle(&self.$name, &mut left.$name);)*
            }

            fn merge(&mut self, other: &Searches) {
                $(ReadSearch::merge(&mut self.$name, &other.$name);)*
            }

            fn read_back(section: &Section) -> Result<Searches, InvalidReport> {
                $(let $name = ReadSearch::read_back(section.$name.as_ref())?;)*
                Ok(Searches { $($name,)* upper: Vec::new() })
            }
        }

        impl Qc {
            /// The section of the report.
            pub(super) fn section(&self, contaminants: &Contaminants) -> Section {
                let searches = self.searches.as_deref();
                Section {
                    gc_billionths: self.by_read.gc_billionths(),
                    mean_phred_histogram: sparse(&self.by_read.mean_quality),
                    $($name: searches.and_then(|all| ReadSearch::section(&all.$name, contaminants)),)*
                }
            }
        }
    };
}

searches! {
    /// How often sequences occur: of one file, not of several.
    duplication: DuplicationSource => Duplication,
    /// Adapters by position.
    adapters: AdapterCounter => AdapterContent,
    /// Qualities by tile, if the names of reads tell the tile.
    tiles: Tiles => TileQuality,
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

    /// The counts of a section.
    pub(super) fn read_back(section: &Section) -> Result<Qc, InvalidReport> {
        let by_read =
            ByRead::read_back(dense(&section.mean_phred_histogram)?, &section.gc_billionths)?;
        // Where anything is looked for, there is something to say of adapters.
        let searches =
            section.adapters.as_ref().map(|_| Searches::read_back(section)).transpose()?;
        Ok(Qc { by_read, searches: searches.map(Box::new) })
    }
}
