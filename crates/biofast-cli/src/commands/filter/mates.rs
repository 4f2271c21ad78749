//! The arguments about the overlap of mates, as typed, and what they mean.

use anyhow::{Result, bail};
use biofast::ops::filter::Filter;
use biofast::ops::filter::trim::{MateRule, Mates};

use super::chain::number;
use crate::options::OutFile;

/// What is made of mates that lie on each other, with the meaning the options have in fastp.
#[derive(clap::Args)]
pub(super) struct MateArgs {
    /// Make one read of the mates of a pair that lie on each other, corrected as by --correct
    #[arg(long)]
    merge: bool,

    /// Write merged reads to FILE; without it they go to --out, with the pairs that can't be merged
    #[arg(long, alias = "merged_out", value_name = "FILE", requires = "merge")]
    pub(super) merged_out: Option<OutFile>,

    /// Where mates differ, a base of quality 30 and more takes the place of one of quality 14 and less
    #[arg(long, alias = "correction")]
    correct: bool,

    /// Fewest bases of mates that lie on each other, and one
    #[arg(long, alias = "overlap_len_require", value_name = "N", default_value_t = 30)]
    overlap_len_require: usize,

    /// Most of these that may differ
    #[arg(long, alias = "overlap_diff_limit", value_name = "N", default_value_t = 5)]
    overlap_diff_limit: usize,

    /// Largest percentage of these that may differ
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
        let mates = Mates::new(self.rule()?);
        Ok(filter.trim(if self.corrects() { mates.correct() } else { mates }))
    }
}
