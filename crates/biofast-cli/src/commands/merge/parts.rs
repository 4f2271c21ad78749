//! Partial results of shards to the report of the whole, or to a larger part.

use std::cmp::max_by_key;

use anyhow::{Context, Result, bail};
use biofast_ops::check::PartialCheck;
use biofast_ops::flagstat::FlagStat;
use biofast_report::samtools::idxstats::Table;

use super::whole::{Merging, OF_STATS};
use crate::commands::check::{self, CheckedInput, Row, ShardCheck};
use crate::commands::coverage::parts::{self as coverage, ShardDepths};
use crate::commands::stats::{self, NeededFigures, ShardRow, ShardRows};
use crate::parts::{self, Mergeable, Part, PartJoin, PartOptions};
use crate::session::Exit;

/// A command whose partial results `merge` reads.
trait Merged: Mergeable {
    /// The options that reports of some commands only have a meaning for, those it takes.
    const TAKES: &'static [&'static str];

    /// Writes what one run over all shards writes.
    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit>;

    /// A part as it is written, and what it says of the input.
    fn part(file: Part<Self>, merging: &Merging<'_>) -> Result<(Part<Self::Payload>, Exit)>;
}

/// Merges partial results of `command`, of which the first has been read.
pub(super) fn run(
    command: &str,
    texts: impl Iterator<Item = Result<(String, Vec<u8>)>>,
    merging: Merging<'_>,
) -> Result<Exit> {
    match command {
        "check" => merge::<ShardCheck>(texts, merging),
        "coverage" => merge::<ShardDepths>(texts, merging),
        "flagstat" => merge::<[FlagStat; 2]>(texts, merging),
        "idxstats" => merge::<Table>(texts, merging),
        "stats" => merge::<ShardRows>(texts, merging),
        other => bail!("reports of {other} can't be merged"),
    }
}

fn merge<M: Merged>(
    texts: impl Iterator<Item = Result<(String, Vec<u8>)>>,
    merging: Merging<'_>,
) -> Result<Exit> {
    merging.refuse(M::COMMAND, M::TAKES)?;
    let mut join = PartJoin::<M>::new();
    for read in texts {
        let (label, text) = read?;
        join.add(&text, &label)?;
    }
    if !merging.args.partial {
        return M::write(join.whole()?, merging);
    }
    let (options, files) = join.larger()?;
    write_larger(options, files, merging)
}

/// Writes a larger part.
fn write_larger<M: Merged>(
    options: PartOptions,
    files: Vec<Part<M>>,
    merging: Merging<'_>,
) -> Result<Exit> {
    if merging.page.is_some() {
        bail!("--html can't be combined with --partial: the HTML report needs all shards");
    }
    let mut worst = Exit::Fine;
    let mut written = Vec::new();
    for file in files {
        let (part, exit) = M::part(file, &merging)?;
        worst = max_by_key(worst, exit, |exit| *exit as u8);
        written.push(part);
    }
    merging.finish(parts::text::<M>(options, written)?)?;
    Ok(worst)
}

impl Merged for [FlagStat; 2] {
    const TAKES: &'static [&'static str] = &["--partial", "--json", "-T (--tsv)"];

    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit> {
        merging.write_flagstat(files.first().context("no input")?)
    }

    fn part(file: Part<Self>, _: &Merging<'_>) -> Result<(Part<Self>, Exit)> {
        Ok((file, Exit::Fine))
    }
}

impl Merged for Table {
    const TAKES: &'static [&'static str] = &["--partial"];

    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit> {
        merging.finish(files.first().context("no input")?.text())?;
        Ok(Exit::Fine)
    }

    fn part(file: Part<Self>, _: &Merging<'_>) -> Result<(Part<Self>, Exit)> {
        Ok((file, Exit::Fine))
    }
}

impl Merged for ShardDepths {
    const TAKES: &'static [&'static str] = &["--partial", "--out-dir", "-T (--tsv)", "depths"];

    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit> {
        let Merging { args, out, session, .. } = merging;
        let depths = files.first().context("no input")?;
        match (out, args.out_dir.as_deref()) {
            (Some(out), _) => coverage::merge(depths, args.format.tsv, out),
            (None, Some(folder)) => {
                let threads = args.reading.watch(session).options.threads;
                let how = (threads, args.reading.messages.quiet);
                coverage::write_files(depths, (folder, &args.depths), how, session)
            }
            (None, None) => bail!("no output"),
        }
    }

    fn part(file: Part<Self>, _: &Merging<'_>) -> Result<(Part<Self>, Exit)> {
        Ok((file, Exit::Fine))
    }
}

impl Merged for ShardCheck {
    const TAKES: &'static [&'static str] = &["--partial", "--json"];

    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit> {
        let (paths, found): (Vec<_>, Vec<_>) =
            files.into_iter().map(|file| (file.path, file.found)).unzip();
        let outcomes = match <[_; 2]>::try_from(found) {
            Ok(mates) => PartialCheck::with_mates(mates).into(),
            Err(found) => Vec::from_iter(found.iter().map(PartialCheck::outcome)),
        };
        let row = |(path, outcome)| {
            let verdict = Ok(CheckedInput { outcome, partial: None });
            Row { path, part: None, verdict }
        };
        let rows: Vec<Row> = paths.into_iter().zip(outcomes).map(row).collect();
        let text = check::text(&rows, merging.args.format.json, false)?;
        merging.finish(text)?;
        Ok(check::exit_code(&rows))
    }

    fn part(file: Part<Self>, _: &Merging<'_>) -> Result<(Part<Self::Payload>, Exit)> {
        let ShardCheck { path, found } = file.payload;
        let exit = if found.outcome().fault.is_none() { Exit::Fine } else { Exit::CheckFailed };
        Ok((Part { shard: file.shard, payload: check::ShardVerdict { path, found: Ok(found) } }, exit))
    }
}

impl Merged for ShardRows {
    const TAKES: &'static [&'static str] = OF_STATS;

    fn write(files: Vec<Self>, merging: Merging<'_>) -> Result<Exit> {
        merging.write_rows(files.into_iter().flat_map(|file| file.entries).collect())
    }

    fn part(file: Part<Self>, merging: &Merging<'_>) -> Result<(Part<ShardRow>, Exit)> {
        let args = merging.args;
        let Part { shard, payload: ShardRows { mut entries, .. } } = file;
        if let Some(sample) = &args.sample {
            if shard.files > 1 {
                bail!(
                    "--sample can't be combined with --partial for mates: they stay two rows until all shards are merged"
                );
            }
            entries.iter_mut().for_each(|entry| entry.sample.clone_from(sample));
        }
        let wanted = NeededFigures::new(args.format, false);
        let mut entries = stats::join_by_sample(entries, wanted, true)?;
        stats::report(&merging.session.console, &entries, args.reading.messages.quiet);
        let entry = entries.first_mut().context("no input")?;
        entry.shard = Some(shard);
        let exit = if entry.errors.is_empty() { Exit::Fine } else { Exit::Failed };
        Ok((ShardRow::of(entry)?, exit))
    }
}
