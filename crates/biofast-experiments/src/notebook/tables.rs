//! The tables of a notebook entry: one factor across, all others down. Made from a summary, written between
//! the entry's markers.

use std::fmt::Write as _;

use anyhow::Result;

use super::numbers;
use crate::core::cell::Cell;
use crate::core::protocol::Protocol;
use crate::core::summary::{CellResult, Summary};
use crate::core::verdict::CheckResult;
use crate::core::verdict::{Outcome, Tally};

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "tables.md";

/// Why a verdict is what it is, in one or two sentences made from the same data.
pub(crate) fn reason(summary: &Summary, protocol: &Protocol) -> String {
    let tally = Tally::of(&summary.checks);
    let carrying = summary.checks.iter().filter(|check| check.carries).count();
    let rule = match &protocol.verdict.partly_needs[..] {
        [] => "partly if some hold and some fail".to_owned(),
        needed => format!("partly only if {} hold", needed.join(" and ")),
    };
    let mut text = format!(
        "Of {} that carry it, {}: reproduced if all hold, refuted if all fail, {rule}, undecided if the open ones \
         could change it.",
        counted(carrying, "statement"),
        tally.text()
    );
    let set_aside = summary.checks.iter().filter(|check| check.set_aside).count();
    if set_aside > 0 {
        text += &format!(
            " Set aside after the run: {}, which leaves any verdict undecided.",
            counted(set_aside, "criterion")
        );
    }
    if summary.unbound {
        text += " It ran on a tree with changes that no commit holds, which leaves any verdict undecided.";
    }
    if summary.as_written != summary.verdict {
        text += &format!(" The protocol's rule alone gives *{}*.", summary.as_written.text());
    }
    text
}

/// `1 statement`, `2 criteria`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    match (count, what.strip_suffix("on")) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}a"),
        _ => format!("{count} {what}s"),
    }
}

/// The statements that carry a verdict; where none could be measured, our own.
pub(crate) fn carrying(summary: &Summary, protocol: &Protocol) -> Result<String> {
    let mut text = String::new();
    let is_open = |check: &&CheckResult| check.carries && check.outcome != Outcome::NotMeasurable;
    let any = summary.checks.iter().any(|check| is_open(&check));
    statements(&mut text, summary, protocol, |check| {
        check.carries || (!any && check.measured.is_some())
    })?;
    let own = Tally::of_predictions(&summary.checks).text();
    if any && !own.is_empty() {
        writeln!(text, "\nOur own predictions, which carry no verdict: {own}.")?;
    }
    Ok(text)
}

fn statements(
    text: &mut String,
    summary: &Summary,
    protocol: &Protocol,
    wanted: impl Fn(&CheckResult) -> bool,
) -> Result<()> {
    writeln!(text, "| statement | claimed | measured | holds if | outcome |")?;
    writeln!(text, "|---|---|---:|---:|---|")?;
    let all = summary.checks.iter().zip(&protocol.verdict.checks);
    for (check, rule) in all.filter(|(check, _)| wanted(check)) {
        let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
        let note = match (&check.note, check.carries) {
            (Some(note), _) => format!(" ({note})"),
            (None, true) => String::new(),
            (None, false) => " (our prediction)".to_owned(),
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {}{note} |",
            check.name,
            check.claim,
            measured(check, metric, rule.over.is_empty()),
            check.bound,
            check.outcome.text(),
        )?;
    }
    Ok(())
}

pub(crate) fn verdict(summary: &Summary, protocol: &Protocol) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "Verdict: **{}**. {}\n", summary.verdict.text(), reason(summary, protocol))?;
    statements(&mut text, summary, protocol, |_| true)?;
    let covered = 100.0 * summary.coverage;
    let carrying = summary.checks.iter().filter(|check| check.carries).count();
    let missed = (carrying as f64 * (1.0 - summary.coverage)).min(1.0) * 100.0;
    writeln!(
        text,
        "\nA/A control, the same condition under two names, in {}: medians differed by up to {} % (bias), ends of \
         intervals by up to {} % (spread). Intervals are order statistics of {} repetitions and cover the median with {} %. \
         Of {} that carry the verdict, at least one interval misses its median with a probability of up to {} %.",
        counted(summary.control.len(), "pair"),
        numbers::figure(summary.noise * 100.0),
        numbers::figure(summary.spread * 100.0),
        summary.cells.iter().map(|cell| cell.repetitions).max().unwrap_or(0),
        numbers::figure(covered),
        counted(carrying, "statement"),
        numbers::figure(missed),
    )?;
    serial(&mut text, summary, protocol)?;
    Ok(text)
}

/// Conditions in which several threads took turns; those where it was a third of the repetitions by name.
fn serial(text: &mut String, summary: &Summary, protocol: &Protocol) -> Result<()> {
    let found = || summary.cells.iter().filter(|c| c.serial > 0);
    let (often, seldom): (Vec<&CellResult>, Vec<&CellResult>) =
        found().partition(|c| 3 * c.serial >= c.repetitions);
    if often.is_empty() && seldom.is_empty() {
        return Ok(());
    }
    let of =
        |c: &&CellResult| format!("{} ({} of {})", cell_of(c, protocol), c.serial, c.repetitions);
    let mut parts: Vec<String> = often.iter().map(of).collect();
    if !seldom.is_empty() {
        let repetitions: usize = seldom.iter().map(|c| c.serial).sum();
        parts.push(format!("{repetitions} in {} other condition(s)", seldom.len()));
    }
    writeln!(
        text,
        "\nRepetitions whose threads took turns on one core (CPU time at most 1.1 times the wall time), which say nothing about \
         memory; a statement counts only if it comes out the same without them: {}.",
        parts.join("; ")
    )?;
    Ok(())
}

pub(crate) fn measured(check: &CheckResult, metric: &str, is_value: bool) -> String {
    match (&check.measured, &check.level) {
        (None, _) => "–".to_owned(),
        (Some(_), Some(level)) => level.clone(),
        (Some(interval), None) if is_value => numbers::interval(metric, interval),
        (Some(interval), None) => numbers::ratio(interval),
    }
}

/// All tables of a summary: the metric, the ratio to the baseline, and what else the protocol asks for.
pub(crate) fn all(summary: &Summary, protocol: &Protocol) -> Result<String> {
    let mut text = String::new();
    let metric = &protocol.metric;
    writeln!(text, "`{metric}`, median and interval:\n")?;
    let cell = |c: &CellResult| Some(numbers::interval(metric, &c.metric));
    pivot(&mut text, summary, protocol, cell)?;
    if !protocol.baseline.is_empty() {
        let baseline: Vec<String> =
            protocol.baseline.iter().map(|(n, l)| format!("{n} {l}")).collect();
        writeln!(
            text,
            "\nThe baseline ({}) divided by the condition, paired by repetition (above 1: less than the baseline):\n",
            baseline.join(", ")
        )?;
        pivot(&mut text, summary, protocol, |c| c.speedup.as_ref().map(numbers::ratio))?;
    }
    for name in &protocol.table.also {
        writeln!(text, "\n`{name}`, median:\n")?;
        pivot(&mut text, summary, protocol, |c| {
            let value = match name.as_str() {
                "mb_per_s" => c.bytes as f64 / 1e6 / c.metric.median,
                name => *c.medians.get(name)?,
            };
            Some(numbers::value(name.strip_suffix("_per_s").unwrap_or(name), value))
        })?;
    }
    Ok(text)
}

fn pivot(
    text: &mut String,
    summary: &Summary,
    protocol: &Protocol,
    entry: impl Fn(&CellResult) -> Option<String>,
) -> Result<()> {
    let across = &protocol.table.columns;
    let down: Vec<&str> =
        protocol.factors.iter().map(|f| f.name.as_str()).filter(|name| name != across).collect();
    let mut columns: Vec<&str> = Vec::new();
    let mut rows: Vec<Vec<&str>> = Vec::new();
    let row_of = |c: &CellResult| -> Vec<String> {
        down.iter().map(|name| c.levels.get(*name).cloned().unwrap_or_default()).collect()
    };
    for c in &summary.cells {
        let column = c.levels.get(across).map_or("", String::as_str);
        if !columns.contains(&column) {
            columns.push(column);
        }
        let row: Vec<&str> =
            down.iter().map(|name| c.levels.get(*name).map_or("", String::as_str)).collect();
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    // In the order of the protocol, in which levels may be missing at the scale that was run.
    let order = |factor: &str, level: &str| {
        let factor = protocol.factors.iter().find(|f| f.name == factor);
        factor.and_then(|f| f.levels.iter().chain(&f.full).position(|l| l == level))
    };
    columns.sort_by_key(|level| order(across, level).unwrap_or(usize::MAX));
    writeln!(text, "| {} | {} |", down.join(" | "), columns.join(" | "))?;
    writeln!(text, "|{}{}|", "---|".repeat(down.len()), vec!["---:"; columns.len()].join("|"))?;
    for row in &rows {
        let found: Vec<String> = columns
            .iter()
            .map(|column| {
                let cell = summary.cells.iter().find(|c| {
                    c.levels.get(across).map(String::as_str) == Some(*column) && row_of(c) == *row
                });
                cell.and_then(&entry).unwrap_or_else(|| "–".to_owned())
            })
            .collect();
        if found.iter().any(|text| text != "–") {
            writeln!(text, "| {} | {} |", row.join(" | "), found.join(" | "))?;
        }
    }
    Ok(())
}

pub(crate) fn factors(protocol: &Protocol) -> Result<String> {
    let mut text = String::from("| factor | levels | |\n|---|---|---|\n");
    for factor in &protocol.factors {
        let mut levels = factor.levels.join(", ");
        if !factor.full.is_empty() {
            write!(levels, "; with `--full` also {}", factor.full.join(", "))?;
        }
        writeln!(text, "| {} | {levels} | {} |", factor.name, factor.about)?;
    }
    Ok(text)
}

/// `method table, reads 1K`.
pub(crate) fn describe(levels: &std::collections::BTreeMap<String, String>) -> String {
    let parts: Vec<String> = levels.iter().map(|(n, l)| format!("{n} {l}")).collect();
    parts.join(", ")
}

/// What the index says of each statement that carries the verdict, or, where none could be measured, of our own.
pub(crate) fn headline(summary: &Summary, protocol: &Protocol) -> String {
    let statements = |carries: bool| -> Vec<String> {
        let all = summary.checks.iter().zip(&protocol.verdict.checks);
        let own = all.filter(|(c, _)| c.carries == carries && c.measured.is_some());
        own.map(|(check, rule)| {
            let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
            let measured = measured(check, metric, rule.over.is_empty());
            format!("{}: {measured} ({})", check.name, check.outcome.text())
        })
        .collect()
    };
    let carrying = statements(true);
    match carrying.is_empty() {
        false => carrying.join("; "),
        true => format!("Our predictions: {}", statements(false).join("; ")),
    }
}

/// A result's condition, with its levels in the order of the protocol's factors.
pub(crate) fn cell_of(result: &CellResult, protocol: &Protocol) -> Cell {
    protocol.factors.iter().fold(Cell::default(), |cell, factor| {
        cell.with(&factor.name, result.levels.get(&factor.name).map_or("", String::as_str))
    })
}
