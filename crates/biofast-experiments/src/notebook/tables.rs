//! The tables of a notebook entry: one factor across, all others down. Made from a summary, written between
//! the entry's markers.

use std::fmt::Write as _;

use anyhow::Result;

use super::numbers;
use crate::core::cell::Cell;
use crate::core::protocol::Protocol;
use crate::core::summary::{CellResult, Outcome, Summary, Tally};

pub(crate) fn verdict(summary: &Summary, protocol: &Protocol) -> Result<String> {
    let mut text = String::new();
    let tally = Tally::of(&summary.checks).text();
    let tally = if tally.is_empty() { "nothing here carries one".to_owned() } else { tally };
    writeln!(text, "Verdict: **{}** ({tally}).\n", summary.verdict.text())?;
    writeln!(text, "| statement | claimed | measured | holds if | outcome |")?;
    writeln!(text, "|---|---|---:|---:|---|")?;
    for (check, rule) in summary.checks.iter().zip(&protocol.verdict.checks) {
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
    writeln!(
        text,
        "\nA/A control: the same condition under two names differed by up to {} %, in {} pair(s).",
        numbers::figure(summary.noise * 100.0),
        summary.control.len()
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

pub(crate) fn measured(
    check: &super::summary::CheckResult,
    metric: &str,
    is_value: bool,
) -> String {
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
    writeln!(text, "`{metric}`, median and 95 % interval:\n")?;
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
                "cpu_s" => c.medians.get("user_s")? + c.medians.get("sys_s")?,
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

/// What the index says was measured: at most three statements that carry the verdict, or, where none of them
/// could be measured, of our own.
pub(crate) fn headline(summary: &Summary, protocol: &Protocol) -> String {
    let statements = |carries: bool| -> Vec<String> {
        summary
            .checks
            .iter()
            .zip(&protocol.verdict.checks)
            .filter(|(c, _)| c.carries == carries && c.outcome != Outcome::NotMeasurable)
            .take(3)
            .map(|(check, rule)| {
                let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
                format!("{}: {}", check.name, measured(check, metric, rule.over.is_empty()))
            })
            .collect()
    };
    let carrying = statements(true);
    let all = if carrying.is_empty() { statements(false) } else { carrying };
    all.join("; ")
}

/// A result's condition, with its levels in the order of the protocol's factors.
pub(crate) fn cell_of(result: &CellResult, protocol: &Protocol) -> Cell {
    protocol.factors.iter().fold(Cell::default(), |cell, factor| {
        cell.with(&factor.name, result.levels.get(&factor.name).map_or("", String::as_str))
    })
}
