//! Reports of `biofast check --shard` to the report of the whole.

use anyhow::{Context, Result, bail};
use biofast_ops::check::PartialCheck;
use biofast_ops::check::report::{SCHEMA_VERSION, ShardFile, ShardReport};
use biofast_ops::shards::{Cover, ShardPart};

use crate::commands::check::{CheckedInput, Row};

/// Reports of shards: path, which ones, and what they carry.
pub(super) type Checks = Vec<(String, ShardPart, PartialCheck)>;

/// Reads a report of shards.
pub(super) fn read(text: &[u8]) -> Result<(Checks, Vec<Option<ShardPart>>)> {
    const DAMAGED: &str = "damaged, or written by another version of biofast: run `biofast check --json --shard` again";
    let report: ShardReport = serde_json::from_slice(text).context(DAMAGED)?;
    if report.schema_version > SCHEMA_VERSION {
        bail!("written by a later version of biofast: schema version {}", report.schema_version);
    }
    let mut checks = Vec::new();
    for ShardFile { path, shard, partial, .. } in report.files {
        let Some(part) = shard else {
            bail!(
                "a report of whole files: only reports of `biofast check --json --shard` can be merged"
            );
        };
        let Some(partial) = partial else {
            bail!("the shard couldn't be read: run `biofast check --json --shard` again");
        };
        checks.push((path, part, partial));
    }
    let parts = checks.iter().map(|(_, part, _)| Some(part.clone())).collect();
    Ok((checks, parts))
}

/// A row for each file of the plan, of shards that the cover has found to be all, or to be some for a larger part.
pub(super) fn rows(mut checks: Checks, cover: &Cover, is_part: bool) -> Result<Vec<Row>> {
    let place = |part: &ShardPart| (part.file, part.pieces.first().map(|piece| piece.shards.0));
    checks.sort_by_key(|(_, part, _)| place(part));
    let mut files: Vec<(String, u64, PartialCheck)> = Vec::new();
    for (path, part, partial) in checks {
        match files.last_mut() {
            Some((_, file, all)) if *file == part.file => all.append(partial)?,
            _ => files.push((path, part.file, partial)),
        }
    }
    if is_part {
        let row = |(path, file, partial): (String, u64, PartialCheck)| {
            let part = cover.part(file);
            if part.as_ref().is_some_and(|part| part.pieces.len() > 1) {
                bail!("--partial needs check reports of consecutive shards");
            }
            let found = CheckedInput { outcome: partial.outcome(), partial: Some(partial) };
            Ok(Row { path, part, verdict: Ok(found) })
        };
        return files.into_iter().map(row).collect();
    }
    let outcomes = match <[_; 2]>::try_from(files) {
        Ok([(one, _, first), (two, _, second)]) => {
            [one, two].into_iter().zip(PartialCheck::with_mates([first, second])).collect()
        }
        Err(files) => {
            Vec::from_iter(files.into_iter().map(|(path, _, partial)| (path, partial.outcome())))
        }
    };
    let row = |(path, outcome)| {
        let verdict = Ok(CheckedInput { outcome, partial: None });
        Row { path, part: None, verdict }
    };
    Ok(outcomes.into_iter().map(row).collect())
}
