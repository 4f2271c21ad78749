//! `--keep-percent` and `--target-bases`: the best of long reads.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use biofast::io::{Error, Options, Reader, Source, display_name};
use biofast::ops::filter::Filter;
use biofast::ops::filter::best::{self, Best, Problem, Scoring, Target};
use biofast::ops::order::Kept;

use super::Args;
use crate::console::message;
use crate::inputs::Input;
use crate::options::temp_dir;

/// An input that is read twice: a file, or what a stream held.
pub(super) enum Again {
    File(Input),
    Kept(Kept, String),
}

impl Again {
    /// `source` is the input, which is open already.
    pub(super) fn new(
        args: &Args,
        input: &Input,
        source: Source,
        options: &Options,
    ) -> Result<Again> {
        if input.len().is_some() {
            return Ok(Again::File(input.clone()));
        }
        let folder = folder(args);
        let name = input.name();
        let stream = Reader::new(source, options)?;
        let kept = Kept::new(stream, &folder).with_context(|| {
            format!("{name} is read twice, and can't be kept in {}", display_name(&folder))
        })?;
        Ok(Again::Kept(kept, name))
    }

    pub(super) fn open(&self) -> Result<Source, Error> {
        match self {
            Again::File(input) => input.open(),
            Again::Kept(kept, name) => kept.open(name),
        }
    }
}

fn folder(args: &Args) -> PathBuf {
    temp_dir(args.which.temp_dir.as_deref(), args.out.as_deref())
}

/// How many bases, and what makes reads good.
pub(super) type Wanted = (Target, Scoring);

/// What is wanted, if anything is.
pub(super) fn wanted(args: &Args, paired: bool) -> Result<Option<Wanted>> {
    let which = &args.which;
    let target = Target { percent: which.keep_percent, bases: which.target_bases };
    if target == Target::default() {
        return Ok(None);
    }
    if let Some(percent) = which.keep_percent
        && !(percent > 0.0 && percent <= 100.0)
    {
        bail!("--keep-percent is {percent}: expected more than 0 and at most 100");
    }
    if paired {
        bail!("--keep-percent and --target-bases are for reads without mates");
    }
    if args.adapters.splits() {
        bail!(
            "--keep-percent and --target-bases are for whole reads: with --adapter-kit, --middle drop or keep leaves them whole"
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
        bail!("{name} is {weight}: expected 0 or more");
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
    wanted: Wanted,
    input: &Again,
    filter: &Filter,
    options: &Options,
) -> Result<Best> {
    let found = best::find(input.open()?, options, args.which.head, filter, wanted, &folder(args));
    let best = found.map_err(|problem| -> anyhow::Error {
        match problem {
            Problem::Input(error) => error.into(),
            problem => problem.into(),
        }
    })?;
    if !args.messages.quiet {
        let Best { total, target, kept, .. } = best;
        let less = if kept < target { ", and there are no more" } else { "" };
        message("note", &format!("of {total} bases {target} are wanted{less}: {kept} are kept"));
    }
    Ok(best)
}
