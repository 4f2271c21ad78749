//! `lab-notebook/MACHINES.md`: what each machine's results say, side by side: who measured, and the entries about threads,
//! which every machine with more cores answers better. Generated.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::overview::Row;
use super::page::cell;
use super::tables;
use crate::core::conditions::Conditions;
use crate::core::protocol::Protocol;

/// The file's name in the notebook.
pub(crate) const NAME: &str = "MACHINES.md";

const HEAD: &str = "\
# Machines

Whoever has a machine with more cores, or of another kind, can add it: `cargo lab run threads` measures every entry about threads (`cargo lab run all` every
entry) and writes a folder of its own for the machine under `results/`, which is what a pull request needs to hold. This page and the pages of the entries then
show all machines; `cargo lab check` compares them with the data. This page is generated.

";

/// Whether more cores could change what an entry finds.
pub(crate) fn is_about_threads(protocol: &Protocol) -> bool {
    protocol.factors.iter().any(|factor| factor.name == "threads")
}

/// The whole page.
pub(crate) fn render(rows: &[Row]) -> Result<String> {
    let mut text = String::from(HEAD);
    let mut machines: BTreeMap<&str, (&Conditions, Vec<&str>)> = BTreeMap::new();
    for row in rows {
        for r in &row.results {
            let (last, ids) = machines.entry(&r.machine).or_insert((&r.conditions, Vec::new()));
            ids.push(&row.protocol.id);
            if r.conditions.date > last.date {
                *last = &r.conditions;
            }
        }
    }
    writeln!(text, "| machine | hardware and system | cores | entries | last run |")?;
    writeln!(text, "|---|---|---:|---:|---|")?;
    for (machine, (conditions, ids)) in &machines {
        let date = conditions.date.get(..10).unwrap_or_default();
        let (hardware, cores) = (conditions.machine(), conditions.cores);
        writeln!(text, "| `{machine}` | {hardware} | {cores} | {} | {date} |", ids.len())?;
    }
    writeln!(text, "\n## Entries about threads\n")?;
    let names: Vec<&str> = machines.keys().copied().collect();
    writeln!(text, "| entry | statement | claimed | {} |", names.join(" | "))?;
    writeln!(text, "|---|---|---|{}", "---|".repeat(names.len()))?;
    for Row { protocol, results, .. } in rows.iter().filter(|r| is_about_threads(&r.protocol)) {
        let on = |name: &str| results.iter().find(|r| r.machine == name);
        let row = |cells: Vec<String>| cells.join(" | ");
        let verdicts = names.iter().map(|name| match on(name) {
            Some(r) => format!("**{}**", r.summary.verdict.text()),
            None => "not run".to_owned(),
        });
        writeln!(text, "| **{}** | | | {} |", protocol.name(), row(verdicts.collect()))?;
        for (i, rule) in protocol.verdict.checks.iter().enumerate() {
            let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
            let found = names.iter().map(|name| {
                let check = on(name).and_then(|r| r.summary.checks.get(i));
                check.map_or_else(String::new, |check| {
                    let measured = tables::measured(check, metric, rule.over.is_empty());
                    format!("{measured}: {}", check.outcome.text())
                })
            });
            let (name, claim) = (cell(&rule.name), cell(&rule.claim));
            writeln!(text, "| | {name} | {claim} | {} |", row(found.collect()))?;
        }
    }
    Ok(text)
}
