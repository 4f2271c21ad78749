//! The arguments about the overlap of mates, as typed, and what they mean.

use anyhow::{Result, bail};
use biofast_ops::filter::Filter;
use biofast_ops::filter::trim::{MateOverlap, MateRule};

use super::bounds::number;
use crate::options::OutFile;

/// What is made of mates that lie on each other, with the meaning the options have in fastp.
#[derive(clap::Args)]
pub(super) struct MateArgs {
    /// Merge overlapping mates into one read, corrected like with --correct
    #[arg(long)]
    merge: bool,

    /// Write merged reads to FILE [default: to --out, with the unmerged pairs]
    #[arg(long, alias = "merged_out", value_name = "FILE", requires = "merge")]
    pub(super) merged_out: Option<OutFile>,

    /// Correct mismatches of overlapping mates
    ///
    /// A base of quality 30 or more replaces one of quality 14 or less.
    #[arg(long, alias = "correction")]
    correct: bool,

    /// Require mates to overlap by more than N bases
    #[arg(long, alias = "overlap_len_require", value_name = "N", default_value_t = 30)]
    overlap_len_require: usize,

    /// Maximum number of mismatches in the overlap
    #[arg(long, alias = "overlap_diff_limit", value_name = "N", default_value_t = 5)]
    overlap_diff_limit: usize,

    /// Maximum percentage of mismatches in the overlap
    #[arg(
        long,
        alias = "overlap_diff_percent_limit",
        value_name = "PERCENT",
        default_value_t = 20.0
    )]
    overlap_diff_percent_limit: f64,
}

impl MateArgs {
    /// The first option given that is of pairs.
    pub(super) fn given(&self) -> Option<&'static str> {
        match (self.merge, self.correct) {
            (true, _) => Some("--merge"),
            (_, true) => Some("--correct"),
            _ => None,
        }
    }

    pub(super) fn merges(&self) -> bool {
        self.merge
    }

    pub(super) fn corrects(&self) -> bool {
        self.correct || self.merge
    }

    pub(super) fn rule(&self) -> Result<MateRule> {
        let percent =
            number("--overlap-diff-percent-limit", self.overlap_diff_percent_limit, 0.0, 100.0)?;
        Ok(MateRule {
            min_len: self.overlap_len_require,
            max_mismatches: self.overlap_diff_limit,
            max_share: percent / 100.0,
        })
    }

    /// Adds what looks at both mates, where it is asked for, or `measured` for the page; the adapters of pairs are cut behind
    /// it.
    pub(super) fn add(&self, paired: bool, measured: bool, filter: Filter) -> Result<Filter> {
        match self.given() {
            None if !(paired && measured) => return Ok(filter),
            Some(option) if !paired => {
                bail!("{option} needs pairs: two files, or --interleaved")
            }
            _ => {}
        }
        let mates = MateOverlap::new(self.rule()?);
        Ok(filter.trim(if self.corrects() { mates.correct() } else { mates }))
    }
}
