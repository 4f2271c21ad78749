//! The arguments about hosts and contaminants, as typed, and what they mean.

use anyhow::Result;
use biofast_io::{Options, Source};
use biofast_ops::filter::Filter;
use biofast_ops::filter::deplete::{Deplete, DepleteAction, MinimizerIndex};
use clap::ValueEnum;

use super::bounds::number;
use crate::options::InFile;

/// Reads that share minimizers with a reference.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct DepleteArgs {
    /// Remove reads that share minimizers with INDEX: host reads, PhiX, vectors
    ///
    /// INDEX is made by `biofast index --minimizers` or `deacon index build`. A read, or both reads of a pair together, matches
    /// if it has enough minimizers of the index. Reads are judged before they are trimmed.
    #[arg(long, value_name = "INDEX", group = "of_reads")]
    deplete: Option<InFile>,

    /// What to do with reads that match: remove, keep or mask them
    #[arg(
        long,
        value_enum,
        value_name = "ACTION",
        default_value = "remove",
        requires = "deplete",
        group = "of_reads"
    )]
    deplete_action: DepleteActionArg,

    /// Number of different minimizers of the index that make a match
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..), requires = "deplete", group = "of_reads")]
    deplete_min_hits: u64,

    /// Fraction of the minimizers of a read or pair that must be in the index for a match, from 0 to 1
    #[arg(
        long,
        value_name = "F",
        default_value_t = 0.01,
        requires = "deplete",
        group = "of_reads"
    )]
    deplete_min_fraction: f64,

    /// Look only at the first N bases of each read; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0, requires = "deplete", group = "of_reads")]
    deplete_prefix: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DepleteActionArg {
    /// Remove them
    Remove,
    /// Keep them and remove all others
    Keep,
    /// Keep them, and replace the bases that match by N
    Mask,
}

impl DepleteArgs {
    /// The option that changes letters, if it is given.
    pub(super) fn edits(&self) -> Option<&'static str> {
        (self.deplete_action == DepleteActionArg::Mask).then_some("--deplete-action mask")
    }

    /// Reads the index, if one is named, and adds what is done with it.
    pub(super) fn add(&self, filter: Filter) -> Result<Filter> {
        let Some(path) = &self.deplete else { return Ok(filter) };
        let min_fraction = number("--deplete-min-fraction", self.deplete_min_fraction, 0.0, 1.0)?;
        let index = MinimizerIndex::read(Source::open(path)?, &Options::serial())?;
        let mut deplete = Deplete::new(index);
        deplete.min_hits = self.deplete_min_hits;
        deplete.min_fraction = min_fraction;
        deplete.prefix = self.deplete_prefix;
        deplete.action = match self.deplete_action {
            DepleteActionArg::Remove => DepleteAction::Remove,
            DepleteActionArg::Keep => DepleteAction::Keep,
            DepleteActionArg::Mask => DepleteAction::Mask,
        };
        Ok(filter.deplete(deplete))
    }
}
