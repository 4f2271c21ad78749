//! The generated part of `docs/accuracy.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::contestants::{AccuracyContestant, Task};
use super::score::{Merging, Trimming};
use super::{Measured, Options, Outcome};
use crate::files;

const PAGE: &str = "docs/accuracy.md";
const BEGIN: &str = "<!-- written by `biofast-lab accuracy`, do not edit -->";
const END: &str = "<!-- end of accuracy -->";
/// biofast is behind where its error is more than this times the best peer's.
const BEHIND: f64 = 1.01;

/// Replaces the generated part of the page.
pub(super) fn write(root: &Path, part: &str) -> Result<()> {
    let path = root.join(PAGE);
    let page = files::read(&path)?;
    let (before, rest) = page.split_once(BEGIN).context("the page has no place for results")?;
    let (_, after) = rest.split_once(END).context("a begin without its end")?;
    files::write(&path, format!("{before}{BEGIN}\n\n{part}\n{END}{after}"))
}

/// The tables.
pub(super) fn part(
    outcomes: &[Outcome],
    options: &Options,
    version: impl Fn(&AccuracyContestant) -> Option<String>,
) -> Result<String> {
    let mut versions = BTreeMap::new();
    for Outcome { contestant, .. } in outcomes {
        if let Some(version) = version(contestant) {
            versions.insert(contestant.program, version);
        }
    }
    let versions: Vec<_> =
        versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut text = String::new();
    writeln!(
        text,
        "{} pairs or reads of each library, seed {}. {}.\n",
        options.pairs,
        options.seed,
        versions.join(", ")
    )?;
    for (task, title) in
        [(Task::TrimPairs, "Trimming pairs"), (Task::TrimReads, "Trimming single reads")]
    {
        let rows: Vec<_> = outcomes.iter().filter_map(|outcome| trimmed(outcome, task)).collect();
        if !rows.is_empty() {
            writeln!(text, "### {title}\n")?;
            write_trimming(&mut text, &rows)?;
        }
    }
    let merged: Vec<_> = outcomes.iter().filter_map(merging).collect();
    if !merged.is_empty() {
        writeln!(text, "### Merging pairs\n")?;
        write_merging(&mut text, &merged)?;
    }
    Ok(text)
}

type Row<'a, T> = (&'a Outcome, &'a T);

fn trimmed(outcome: &Outcome, task: Task) -> Option<Row<'_, Trimming>> {
    match &outcome.measured {
        Measured::Trimming(score) if outcome.contestant.task == task => Some((outcome, score)),
        _ => None,
    }
}

fn merging(outcome: &Outcome) -> Option<Row<'_, Merging>> {
    match &outcome.measured {
        Measured::Merging(score) => Some((outcome, score)),
        Measured::Trimming(_) => None,
    }
}

fn write_trimming(text: &mut String, rows: &[Row<'_, Trimming>]) -> Result<()> {
    writeln!(text, "| library | | RMSE | exact, % | cut | left |")?;
    writeln!(text, "|---|---|---:|---:|---:|---:|")?;
    let mut behind = Vec::new();
    for of_library in rows.chunk_by(|(a, _), (b, _)| a.library.name == b.library.name) {
        let is_own = |row: &&Row<'_, Trimming>| row.0.contestant.program == "biofast";
        let least = |own: bool| {
            let rmse =
                of_library.iter().filter(|row| is_own(row) == own).map(|(_, score)| score.rmse());
            rmse.fold(f64::INFINITY, f64::min)
        };
        let (own, peer) = (least(true), least(false));
        if own > BEHIND * peer {
            behind.push(format!(
                "`{}` ({own:.4}, best peer {peer:.4})",
                of_library[0].0.library.name
            ));
        }
        for (at, (outcome, score)) in of_library.iter().enumerate() {
            let rmse = score.rmse();
            let mark = if rmse == own.min(peer) { "**" } else { "" };
            writeln!(
                text,
                "| {} | {} | {mark}{rmse:.4}{mark} | {:.3} | {} | {} |",
                if at == 0 { outcome.library.name } else { "" },
                outcome.contestant.name,
                100.0 * score.exact as f64 / score.reads.max(1) as f64,
                score.cut,
                score.left,
            )?;
        }
    }
    let behind = if behind.is_empty() { "nowhere".to_owned() } else { behind.join(", ") };
    writeln!(text, "\nBehind: {behind}.\n")?;
    Ok(())
}

fn write_merging(text: &mut String, rows: &[Row<'_, Merging>]) -> Result<()> {
    writeln!(
        text,
        "| library | | pairs | merged, % | others | wrong length | wrong bases per million |"
    )?;
    writeln!(text, "|---|---|---:|---:|---:|---:|---:|")?;
    for of_library in rows.chunk_by(|(a, _), (b, _)| a.library.name == b.library.name) {
        for (at, (outcome, score)) in of_library.iter().enumerate() {
            writeln!(
                text,
                "| {} | {} | {} | {:.3} | {} | {} | {:.1} |",
                if at == 0 { outcome.library.name } else { "" },
                outcome.contestant.name,
                score.pairs,
                100.0 * score.merged as f64 / score.pairs.max(1) as f64,
                score.others,
                score.wrong_len,
                1e6 * score.wrong_bases as f64 / score.bases.max(1) as f64,
            )?;
        }
    }
    writeln!(text)?;
    Ok(())
}
