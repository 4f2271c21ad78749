//! `--keep-percent` and `--target-bases`: the best of long reads.

use std::path::PathBuf;

use anyhow::{Result, bail};
use biofast_io::{Options, Reader, Source};
use biofast_ops::filter::Filter;
use biofast_ops::filter::best::{self, BestReads, BestTarget, Scoring};

use super::Args;
use crate::console::Console;
use crate::inputs::Input;
use crate::options::{Repeated, temp_dir};
use crate::output;

/// The input, to be read twice; `source` is what it is, which is open already.
pub(super) fn repeated(
    args: &Args,
    input: &Input,
    source: Source,
    options: &Options,
) -> Result<Repeated> {
    match input.len() {
        Some(_) => Ok(Repeated::Once(input.clone())),
        None => Repeated::kept(input, Reader::new(source, options)?, &folder(args)),
    }
}

/// Where temporary files go.
pub(super) fn folder(args: &Args) -> PathBuf {
    temp_dir(args.which.temp_dir.as_deref(), args.out.as_deref())
}

/// How many bases, and what makes reads good.
pub(super) type BestCriteria = (BestTarget, Scoring);

/// What is wanted, if anything is.
pub(super) fn wanted(args: &Args, paired: bool) -> Result<Option<BestCriteria>> {
    let which = &args.which;
    let target = BestTarget { percent: which.keep_percent, bases: which.target_bases };
    if target == BestTarget::default() {
        return Ok(None);
    }
    if let Some(percent) = which.keep_percent
        && !(percent > 0.0 && percent <= 100.0)
    {
        bail!("invalid value {percent} for --keep-percent: expected more than 0 and at most 100");
    }
    if paired {
        bail!("--keep-percent and --target-bases apply to single reads, not to pairs");
    }
    if args.adapters.splits() {
        bail!(
            "--keep-percent and --target-bases need whole reads: with --adapter-kit use --middle drop or --middle keep"
        );
    }
    let weights = [
        ("--length-weight", which.length_weight),
        ("--mean-q-weight", which.mean_q_weight),
        ("--window-q-weight", which.window_q_weight),
    ];
    if let Some((name, weight)) =
        weights.into_iter().find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0))
    {
        bail!("invalid value {weight} for {name}: expected 0 or more");
    }
    let scoring = Scoring {
        window: which.window_size.get(),
        length_weight: which.length_weight,
        mean_weight: which.mean_q_weight,
        window_weight: which.window_q_weight,
    };
    Ok(Some((target, scoring)))
}

/// Finds the best.
pub(super) fn find(
    args: &Args,
    wanted: BestCriteria,
    input: &Repeated,
    filter: &Filter,
    options: &Options,
    console: &Console,
) -> Result<BestReads> {
    let found = best::find(input.open()?, options, args.which.head, filter, wanted, &folder(args));
    let best = found.map_err(output::failed)?;
    if !args.reading.messages.quiet {
        let BestReads { total, target, kept, .. } = best;
        let less = if kept < target { "; the input has no more" } else { "" };
        console.note(&format!("kept {kept} of {total} bases; {target} were requested{less}"));
    }
    Ok(best)
}
