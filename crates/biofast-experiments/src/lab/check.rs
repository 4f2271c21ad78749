//! `biofast-lab check`: the notebook, the index and the summaries say what the measurements say, no protocol
//! was changed after its results, and nothing is missing. Run by CI.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::conditions::Conditions;
use super::notebook::{self, MachineResults};
use super::protocol::{Protocol, Scale};
use super::{
    Places, compute, figure, figure_note, index, machine_folders, protocols, render_index, summary,
    to_json,
};
use crate::entries;

/// Looks at everything and fails, naming each fault.
pub fn check(places: &Places) -> Result<()> {
    let all = protocols(places)?;
    let mut faults = Vec::new();
    for protocol in &all {
        if let Err(error) = check_entry(places, protocol, &mut faults) {
            faults.push(format!("{}: {error:#}", protocol.name()));
        }
    }
    for entry in entries::ALL {
        if !all.iter().any(|p| p.id == entry.id()) {
            faults.push(format!("entry {} has code, but no protocol", entry.id()));
        }
    }
    match render_index(places) {
        Ok(text) => compare(&places.notebook().join(index::NAME), &text, &mut faults),
        Err(error) => faults.push(format!("index: {error:#}")),
    }
    if faults.is_empty() {
        println!("{} entries agree with their data", all.len());
        return Ok(());
    }
    bail!("{} fault(s):\n  {}", faults.len(), faults.join("\n  "))
}

fn check_entry(places: &Places, protocol: &Protocol, faults: &mut Vec<String>) -> Result<()> {
    let name = protocol.name();
    if !entries::ALL.iter().any(|entry| entry.id() == protocol.id) {
        faults.push(format!("{name} has no code under entries/"));
    }
    let mut results = Vec::new();
    for folder in machine_folders(&places.results(), protocol)? {
        results.push(check_results(&folder, protocol, faults)?);
    }
    let Some(page) = notebook::find(&places.notebook(), protocol)? else {
        faults.push(format!("{name} has no page in the notebook; `biofast-lab report` makes one"));
        return Ok(());
    };
    let text =
        fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    for section in notebook::empty_sections(&text) {
        faults.push(format!("{}: section {section:?} is empty", page.display()));
    }
    compare(&page, &notebook::render(&page, protocol, &results, &text)?, faults);
    Ok(())
}

fn check_results(
    folder: &Path,
    protocol: &Protocol,
    faults: &mut Vec<String>,
) -> Result<MachineResults> {
    let results = compute(folder, protocol)?;
    let conditions: &Conditions = &results.conditions;
    if conditions.protocol_sha256 != protocol.sha256 {
        faults.push(format!(
            "{}: the protocol was changed after the run; run the entry again",
            folder.display()
        ));
    }
    if conditions.scale == Scale::Quick.name() {
        faults.push(format!("{}: a quick run is no result", folder.display()));
    }
    let fields = [
        ("date", &conditions.date),
        ("commit", &conditions.commit),
        ("rustc", &conditions.rustc),
        ("cpu", &conditions.cpu),
        ("kernel", &conditions.kernel),
        ("command", &conditions.command),
    ];
    for (field, value) in fields {
        if value.is_empty() {
            faults.push(format!("{}: manifest without {field}", folder.display()));
        }
    }
    compare(&folder.join(summary::NAME), &to_json(&results.summary)?, faults);
    let drawn = figure::draw(&results.summary, protocol, &figure_note(&results))?;
    compare(&folder.join(figure::NAME), &drawn, faults);
    Ok(results)
}

/// Notes a fault unless the file holds `expected`.
fn compare(path: &Path, expected: &str, faults: &mut Vec<String>) {
    match fs::read_to_string(path) {
        Ok(text) if text == expected => {}
        Ok(text) => {
            let line = text.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or_else(|| text.lines().count().min(expected.lines().count()));
            faults.push(format!(
                "{} differs from the data at line {}; `biofast-lab report` writes it again",
                path.display(),
                line + 1
            ));
        }
        Err(error) => faults.push(format!("cannot read {}: {error}", path.display())),
    }
}
