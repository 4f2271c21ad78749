//! Partial results of shards to the report of the whole, or to a larger part.

use anyhow::{Context, Result, bail};
use biofast_ops::check::PartialCheck;
use biofast_ops::compat::Peer;
use biofast_ops::flagstat::FlagStat;
use biofast_report::samtools::idxstats::Table;

use super::whole::{Merging, OF_STATS};
use crate::commands::check::{self, CheckedInput, Row, ShardCheck, ShardVerdict};
use crate::commands::coverage::parts::{self as coverage, ShardDepths};
use crate::commands::stats::{self, NeededFigures, ShardRow, ShardRows};
use crate::parts::{self, Mergeable, Part, PartJoin};
use crate::session::Exit;

/// Merges partial results of `command`, of which the first has been read. Each of `plans` gives those of one plan, in any
/// order; what is written has the files of all plans, in their order.
pub(super) fn run<T: Iterator<Item = Result<(String, Vec<u8>)>>>(
    command: &str,
    plans: impl IntoIterator<Item = T>,
    merging: Merging<'_>,
) -> Result<Exit> {
    match command {
        "check" => merge(plans, merging, &["--partial", "--json"], write_checks, check_part),
        "coverage" => {
            let takes = &["--partial", "--out-dir", "-T (--tsv)", "depths"];
            merge(plans, merging, takes, write_depths, as_it_is)
        }
        "flagstat" => {
            let write = |counts: Vec<Vec<[FlagStat; 2]>>, merging: Merging<'_>| {
                merging.write_flagstat(&the_one(counts)?)
            };
            merge(plans, merging, &["--partial", "--json", "-T (--tsv)"], write, as_it_is)
        }
        "idxstats" => {
            let write = |tables: Vec<Vec<Table>>, merging: Merging<'_>| {
                merging.finish(the_one(tables)?.text())
            };
            merge(plans, merging, &["--partial", "-T (--tsv)"], write, as_it_is)
        }
        "stats" => {
            let write = |files: Vec<Vec<ShardRows>>, merging: Merging<'_>| {
                let rows = files.into_iter().flatten().flat_map(|file| file.entries);
                merging.write_rows(rows.collect())
            };
            merge(plans, merging, OF_STATS, write, stats_part)
        }
        other => bail!("reports of {other} can't be merged"),
    }
}

/// Merges partial results whose command takes these options. `write` writes the whole, of which there is one for each file,
/// and `part` gives what is written of a larger part.
fn merge<M: Mergeable, T: Iterator<Item = Result<(String, Vec<u8>)>>>(
    plans: impl IntoIterator<Item = T>,
    merging: Merging<'_>,
    takes: &[&str],
    write: impl FnOnce(Vec<Vec<M>>, Merging<'_>) -> Result<Exit>,
    part: impl Fn(Part<M>, &Merging<'_>) -> Result<(Part<M::Payload>, Exit)>,
) -> Result<Exit> {
    merging.refuse(M::COMMAND, takes)?;
    let mut joins = Vec::new();
    for texts in plans {
        let mut join = PartJoin::<M>::new();
        for read in texts {
            let (label, text) = read?;
            join.add(&text, &label)?;
        }
        joins.push(join);
    }
    if !merging.args.partial {
        let files = joins.into_iter().map(PartJoin::whole).collect::<Result<_>>()?;
        return write(files, merging);
    }
    let join = the_one(joins.into_iter().map(|join| vec![join]).collect())?;
    if merging.page.is_some() {
        bail!("--html can't be combined with --partial: the HTML report needs all shards");
    }
    let (options, files) = join.larger()?;
    let parts: Vec<_> =
        files.into_iter().map(|file| part(file, &merging)).collect::<Result<_>>()?;
    let worst = parts.iter().map(|part| part.1).max_by_key(|exit| *exit as u8);
    let parts = parts.into_iter().map(|part| part.0).collect();
    merging.finish(parts::text::<M>(options, parts)?)?;
    Ok(worst.unwrap_or(Exit::Fine))
}

/// The result of the one file that there is.
fn the_one<M>(files: Vec<Vec<M>>) -> Result<M> {
    let mut files = files.into_iter().flatten();
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => bail!("a report of one file is expected"),
    }
}

fn as_it_is<M>(file: Part<M>, _: &Merging<'_>) -> Result<(Part<M>, Exit)> {
    Ok((file, Exit::Fine))
}

fn write_depths(files: Vec<Vec<ShardDepths>>, merging: Merging<'_>) -> Result<Exit> {
    let Merging { args, out, session, .. } = merging;
    let depths = &the_one(files)?;
    match (out, args.out_dir.as_deref()) {
        (Some(out), _) => coverage::merge(depths, args.format.tsv, out),
        (None, Some(folder)) => {
            let threads = args.reading.watch(session).options.threads;
            let how = (threads, args.reading.messages.quiet);
            let version = args.compat.of(|peer| peer == Peer::Mosdepth)?.mosdepth;
            coverage::write_files(depths, (folder, &args.depths, version), how, session)
        }
        (None, None) => bail!("no output"),
    }
}

fn write_checks(plans: Vec<Vec<ShardCheck>>, merging: Merging<'_>) -> Result<Exit> {
    let mut rows: Vec<Row> = Vec::new();
    for files in plans {
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
        rows.extend(paths.into_iter().zip(outcomes).map(row));
    }
    let text = check::text(&rows, merging.args.format.json, false)?;
    merging.finish(text)?;
    Ok(check::exit_code(&rows))
}

fn check_part(file: Part<ShardCheck>, _: &Merging<'_>) -> Result<(Part<ShardVerdict>, Exit)> {
    let ShardCheck { path, found } = file.payload;
    let exit = if found.outcome().fault.is_none() { Exit::Fine } else { Exit::CheckFailed };
    Ok((Part { shard: file.shard, payload: ShardVerdict { path, found: Ok(found) } }, exit))
}

fn stats_part(file: Part<ShardRows>, merging: &Merging<'_>) -> Result<(Part<ShardRow>, Exit)> {
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
