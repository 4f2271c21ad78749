//! The arguments about the overlap of mates, as typed, and what they mean.

use anyhow::{Result, bail};
use biofast_ops::filter::Filter;
use biofast_ops::filter::trim::{BestOverlap, MateOverlap, MateRule, MergeRule};
use clap::ValueEnum;

use super::bounds::number;
use crate::options::{Given, OutFile};

/// What is made of mates that lie on each other, with the meaning the options have in fastp.
#[derive(clap::Args)]
pub(super) struct MateArgs {
    /// Merge overlapping mates into one read
    #[arg(long)]
    merge: bool,

    /// How --merge finds the overlap, and which bases it takes
    #[arg(long, value_enum, value_name = "RULE", default_value_t = MergeRuleArg::Fastp, requires = "merge")]
    merge_rule: MergeRuleArg,

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MergeRuleArg {
    /// The first overlap with few mismatches, corrected like with --correct, like fastp
    Fastp,
    /// The overlap with the highest score, by qualities, and the bases of higher quality
    Best,
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
        self.correct || self.merge && self.merge_rule == MergeRuleArg::Fastp
    }

    /// How mates are merged.
    pub(super) fn merge_rule(&self) -> Result<MergeRule> {
        Ok(match self.merge_rule {
            MergeRuleArg::Fastp => MergeRule::First(self.rule()?),
            MergeRuleArg::Best => {
                MergeRule::Best(BestOverlap { min_len: self.overlap_len_require })
            }
        })
    }

    /// Refuses what has no effect.
    pub(super) fn check(&self, given: &Given, is_fastp: bool) -> Result<()> {
        if self.merge_rule == MergeRuleArg::Fastp {
            return Ok(());
        }
        if is_fastp {
            bail!("--preset fastp merges by fastp's rule, not by --merge-rule best");
        }
        let limits = [
            ("overlap_diff_limit", "--overlap-diff-limit"),
            ("overlap_diff_percent_limit", "--overlap-diff-percent-limit"),
        ];
        if !self.correct
            && let Some((_, option)) = limits.iter().find(|(id, _)| given.has(id))
        {
            bail!("{option} has no effect with --merge-rule best");
        }
        Ok(())
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
            // Mates are laid on each other by another rule where they are merged.
            _ if !(self.corrects() || measured) => return Ok(filter),
            _ => {}
        }
        let mates = MateOverlap::new(self.rule()?);
        Ok(filter.trim(if self.corrects() { mates.correct() } else { mates }))
    }
}
