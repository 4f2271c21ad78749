//! UMIs of sorted alignments: reads of one place whose UMIs are taken for one are put into a group, or all but one of them are left out.
//! What `umi_tools group` and `umi_tools dedup` (1.1.6) do.
//!
//! The input is read twice. At first a few numbers of each read are kept until all reads of its place have come; then it is decided
//! about the place, and what is kept is a bit of each record, or the number of its group. At last records are written in their order.
//!
//! ```
//! use biofast_bam::{Input, InputOptions, Query};
//! use biofast_io::output::{Output, commit};
//! use biofast_io::{Options, Source};
//! use biofast_ops::edit::RewrittenFormat;
//! use biofast_ops::umi::{UmiReports, UmiRules, UmiTask, find_umis};
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-doc-umi-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("unique.sam");
//! let sam = b"@SQ\tSN:c\tLN:99\n\
//!     x_ACGT\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     y_ACGT\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     z_ACGA\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n";
//! let options = Options::default();
//! let open = || {
//!     let source = Source::from_reader("example", &sam[..]);
//!     Ok::<_, biofast_bam::Error>(Query::from(Input::open(source, &InputOptions::new(&options))?.source))
//! };
//! let rules = UmiRules::default();
//! let found = find_umis(open()?, &options, &rules, UmiTask::Dedup, UmiReports::default())?;
//! assert_eq!((found.counts().grouped, found.places().groups), (3, 1));
//! let (header, query) = open()?.peek_header()?;
//! let mut outputs = vec![Output::create_with(&path, Default::default())?];
//! found.write(query, &options, &mut outputs, &RewrittenFormat::sam(&header))?;
//! commit(outputs, false)?;
//! assert!(std::fs::read_to_string(&path)?.starts_with("y_ACGT"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cluster;
mod codes;
mod consensus;
mod correct;
mod decisions;
mod filter;
mod molecules;
mod neighbors;
mod places;
mod rules;
mod stats;
mod survey;
mod write;

use std::sync::Arc;

use biofast_bam::{Fold, Query};
use biofast_io::Options;
use biofast_io::output::Output;

pub use cluster::{UmiMethod, cluster_umis};
pub use consensus::{ConsensusCounts, ConsensusMaker, ConsensusRules};
pub use correct::{UmiCorrectionCounts, UmiCorrectionRules, UmiCorrector, UmiListError};
pub use filter::{ConsensusFilter, ConsensusFilterCounts, ConsensusFilterRules};
pub use molecules::{MoleculeCounts, MoleculeGrouper, MoleculeRules, MoleculeStrategy};
pub use places::UmiPlaceCounts;
pub use rules::{
    BarcodeTag, GenePattern, MultimappingTag, UmiGene, UmiLocation, UmiPolicy, UmiReadCounts,
    UmiRules, UmiTask,
};
pub use stats::{PerUmi, UmiStatistics, UmiSummary};
pub use write::WrittenUmis;

use codes::OddBarcodes;
use decisions::UmiDecisions;
use places::PlaceGatherer;
use survey::{ReadSurveyor, SurveyedReads};

use crate::{Error, Refusal};

/// What is told of the groups.
#[derive(Default)]
pub struct UmiReports<'a> {
    /// Gets a row for each read that is grouped, by group, without a header.
    pub rows: Option<&'a mut Output>,
    /// Whether there are [statistics](FoundUmis::statistics).
    pub statistics: bool,
}

/// The groups of an input.
pub struct FoundUmis {
    task: UmiTask,
    keeps_mates: bool,
    odd: OddBarcodes,
    decisions: UmiDecisions,
    counts: UmiReadCounts,
    places: UmiPlaceCounts,
    statistics: Option<UmiStatistics>,
    /// The tags of the number of a group and of its UMI.
    tags: [[u8; 2]; 2],
}

/// Puts the reads of an input into groups by their places and UMIs. It must be sorted by coordinate.
///
/// # Errors
/// The first fault of the input; if a read has no UMI in its name, or if none has one in its tag; if UMIs of a place that have to be compared
/// have several lengths; if a report can't be written.
pub fn find_umis(
    query: impl Into<Query>,
    options: &Options,
    rules: &UmiRules,
    task: UmiTask,
    reports: UmiReports<'_>,
) -> Result<FoundUmis, Error> {
    let query = query.into();
    let name = query.name().to_owned();
    let input = Arc::from(&name[..]);
    let (header, query) = query.peek_header()?;
    let UmiReports { rows, statistics } = reports;
    let keeps_names = rows.is_some();
    let mut gatherer = PlaceGatherer::new((&name, &header), rules, task, statistics, rows);
    let mut counts = UmiReadCounts::default();
    Fold::new(query).options(options).ordered(
        || ReadSurveyor::new(rules, task, keeps_names),
        |surveyor, batch, found: &mut SurveyedReads| {
            let located = |error| Error::from(batch.located(error).in_input(&input));
            surveyor.survey(&batch, found).map_err(located)
        },
        |_, _| (),
        |found| {
            counts.add(&found.counts);
            gatherer.take(found)
        },
    )?;
    gatherer.finish()?;
    if counts.grouped == 0 && counts.without_umi > 0 {
        let sought = match &rules.location {
            UmiLocation::Tag { umi, cell } if rules.per_cell => {
                format!("a UMI in the tag {} and a cell barcode in {}", shown(umi), shown(cell))
            }
            UmiLocation::Tag { umi, .. } => format!("a UMI in the tag {}", shown(umi)),
            _ => "a UMI".into(),
        };
        return Err(Refusal::NoUmis { input: name, reads: counts.without_umi, sought }.into());
    }
    let (decisions, odd, places, stats) = gatherer.into_parts();
    Ok(FoundUmis {
        task,
        keeps_mates: rules.paired,
        statistics: stats.map(|stats| stats.finish(&odd)),
        odd,
        decisions,
        counts,
        places,
        tags: [*b"UG", *b"BX"],
    })
}

fn shown(tag: &BarcodeTag) -> String {
    String::from_utf8_lossy(&tag.tag).into_owned()
}

impl FoundUmis {
    /// What was counted of reads.
    pub fn counts(&self) -> UmiReadCounts {
        self.counts
    }

    /// What was counted of places and groups.
    pub fn places(&self) -> UmiPlaceCounts {
        self.places
    }

    /// Statistics of UMIs, if they were asked for.
    pub fn statistics(&self) -> Option<&UmiStatistics> {
        self.statistics.as_ref()
    }

    /// The tags that grouped reads get: for the number of the group, `UG` by default, and for its UMI, `BX` by default.
    #[must_use]
    pub fn with_tags(mut self, number: [u8; 2], umi: [u8; 2]) -> FoundUmis {
        self.tags = [number, umi];
        self
    }
}
