//! The forms in which `biofast coverage` prints depths: what each takes, and what makes it, of a file or of the reports of its shards.

use anyhow::{Result, bail};
use biofast_bam::Header;
use biofast_io::output::Output;
use biofast_ops::compat::{Peer, SamtoolsVersion};
use biofast_ops::coverage::{DepthColumns, DepthSink, PerReference, ReferenceSums};
use biofast_report::bedgraph::BedGraph;
use biofast_report::samtools;
use biofast_report::samtools::depth::{DepthLineRules, DepthLines};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::output;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CoverageFormat {
    /// Human-readable table
    Table,
    /// Same table as tab-separated values
    Tsv,
    /// Output of `samtools coverage`, for one file
    SamtoolsCoverage,
    /// Output of `samtools depth`, for one file
    SamtoolsDepth,
    /// bedGraph of one file: intervals of equal depth above 0, or with -a all
    Bedgraph,
}

/// What the text of one file takes.
#[derive(Clone, Copy, Default)]
pub(super) struct TextTraits {
    /// `--min-base-quality`, and depths of each mate: it is samtools'.
    pub(super) of_samtools: bool,
    /// `-a`.
    pub(super) takes_all: bool,
    /// The sums of each reference.
    pub(super) sums: bool,
    /// What records reach over, beside depths.
    pub(super) spans: bool,
}

impl CoverageFormat {
    /// Whether it is in the form of a version of this program.
    pub(super) fn is_of(self, peer: Peer) -> bool {
        self == CoverageFormat::SamtoolsCoverage && peer == Peer::Samtools
    }

    /// What the text takes, if it is of one file; the tables are of any number.
    pub(super) fn text_traits(self) -> Option<TextTraits> {
        Some(match self {
            CoverageFormat::Table | CoverageFormat::Tsv => return None,
            CoverageFormat::SamtoolsCoverage => {
                TextTraits { of_samtools: true, sums: true, ..TextTraits::default() }
            }
            CoverageFormat::Bedgraph => TextTraits { takes_all: true, ..TextTraits::default() },
            CoverageFormat::SamtoolsDepth => TextTraits {
                of_samtools: true,
                takes_all: true,
                spans: true,
                ..TextTraits::default()
            },
        })
    }
}

/// Where depths come from.
pub(super) trait DepthInput {
    /// Gives all depths to a sink; also returns the sums of each reference, if they were computed.
    fn collect<D: DepthSink + Send>(
        self,
        sink: impl FnOnce(&Header) -> D,
    ) -> Result<(Header, D, Vec<ReferenceSums>)>;
}

/// Writes the text of one file, of all references or the `only` one; `all` is how often `-a` was given. What is samtools' is that of
/// this version.
pub(super) fn text(
    (format, version): (CoverageFormat, SamtoolsVersion),
    depths: impl DepthInput,
    only: Option<&[u8]>,
    all: u8,
    out: Output,
) -> Result<Output> {
    Ok(match format {
        CoverageFormat::Table | CoverageFormat::Tsv => bail!("a table isn't the text of one file"),
        CoverageFormat::SamtoolsCoverage => {
            let (header, depths, sums) = depths.collect(PerReference::new)?;
            let depths = depths.finish();
            let text = samtools::coverage::text(version, &header, &depths, &sums, only);
            output::filled(out, text)?
        }
        CoverageFormat::Bedgraph => {
            let lines = |header: &Header| BedGraph::new(header, out, only, all > 0);
            depths.collect(lines)?.1.finish()?
        }
        CoverageFormat::SamtoolsDepth => {
            let rules = DepthLineRules { all, ..DepthLineRules::default() };
            let lines = |header: &Header| {
                DepthColumns::new(header, DepthLines::new(header, out, only, rules))
            };
            depths.collect(lines)?.1.into_sink().finish()?
        }
    })
}
