//! Notebook entries: `lab-notebook/YYYY-MM/YYYYMMDD-NNN-TYPE-slug.md`. What follows from the protocol and the
//! results is written between markers and again at every `report`; the rest of a section is by hand and kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::{figure, numbers, tables};
use crate::core::conditions::Conditions;
use crate::core::notes::By;
use crate::core::protocol::Protocol;
use crate::core::summary::Summary;
use crate::files;

pub(crate) const OPEN: &str = "<!-- generated -->";
pub(crate) const CLOSE: &str = "<!-- end of generated -->";

/// The sections of an entry, in order, and whether they are written by hand alone.
pub(crate) const SECTIONS: [(&str, bool); 10] = [
    ("Objective", false),
    ("Background", true),
    ("Prediction", false),
    ("Design", false),
    ("Hardware", false),
    ("Methods", false),
    ("Results", false),
    ("Findings", true),
    ("Limitations", true),
    ("What biofast does about it", true),
];

pub(crate) struct MachineResults {
    /// The folder's name.
    pub(crate) machine: String,
    pub(crate) conditions: Conditions,
    pub(crate) summary: Summary,
    /// Folders of pilots and earlier runs that are kept beside the results.
    pub(crate) kept: Vec<String>,
}

/// The entry's file, if there is one.
pub(crate) fn find(notebook: &Path, protocol: &Protocol) -> Result<Option<PathBuf>> {
    let ending = format!("-{}-{}-{}.md", protocol.id, protocol.kind, protocol.slug);
    let mut found = ending_with(notebook, &ending)?;
    ensure!(found.len() <= 1, "more than one notebook entry ends in {ending}");
    Ok(found.pop())
}

/// The pages whose names end so.
pub(crate) fn ending_with(notebook: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let months = files::list(notebook)?.into_iter().filter(|path| path.is_dir());
    let pages = months.map(|month| files::list(&month)).collect::<Result<Vec<_>>>()?;
    let ends = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
    };
    Ok(pages.into_iter().flatten().filter(ends).collect())
}

/// Where a new entry goes; `date` is `YYYY-MM-DD…`.
pub(crate) fn new_path(notebook: &Path, protocol: &Protocol, date: &str) -> PathBuf {
    dated_path(notebook, &format!("{}-{}-{}", protocol.id, protocol.kind, protocol.slug), date)
}

/// Where a page of that name goes.
pub(crate) fn dated_path(notebook: &Path, name: &str, date: &str) -> PathBuf {
    let day: String = date.chars().take(10).filter(|c| *c != '-').collect();
    notebook.join(date.chars().take(7).collect::<String>()).join(format!("{day}-{name}.md"))
}

/// The whole entry; hand-written text is taken from `old`.
pub(crate) fn render(
    path: &Path,
    protocol: &Protocol,
    results: &[MachineResults],
    old: &str,
) -> Result<String> {
    let mut text = frontmatter(path, protocol, results)?;
    writeln!(text, "\n# {} {}", protocol.id, protocol.title)?;
    let notes = &protocol.notes;
    let or_open =
        |words: &str| if words.is_empty() { "not written yet".to_owned() } else { one_line(words) };
    writeln!(
        text,
        "\n{OPEN}\n**Answer.** {}  \n**What to do.** {}\n{CLOSE}",
        or_open(&notes.answer),
        or_open(&notes.advice)
    )?;
    write_sections(&mut text, &SECTIONS, old, |name| generated(name, protocol, results))?;
    Ok(text)
}

/// Writes sections: what is generated of those that aren't by hand alone, then the hand-written text of `old`.
pub(crate) fn write_sections(
    text: &mut String,
    sections: &[(&'static str, bool)],
    old: &str,
    generated: impl Fn(&str) -> Result<String>,
) -> Result<()> {
    let prose = hand_written(old);
    for (name, by_hand) in sections {
        writeln!(text, "\n## {name}")?;
        if !by_hand {
            writeln!(text, "\n{OPEN}\n{}\n{CLOSE}", generated(name)?.trim())?;
        }
        if let Some(own) = prose.get(name).filter(|own| !own.is_empty()) {
            writeln!(text, "\n{own}")?;
        }
    }
    Ok(())
}

pub(crate) fn empty_sections(sections: &[(&'static str, bool)], text: &str) -> Vec<&'static str> {
    let prose = hand_written(text);
    let empty = |name: &str| prose.get(name).is_none_or(String::is_empty);
    sections
        .iter()
        .filter(|(name, by_hand)| *by_hand && empty(name))
        .map(|(name, _)| *name)
        .collect()
}

/// Text for a table's cell.
pub(crate) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// Each section's text outside the markers.
fn hand_written(text: &str) -> BTreeMap<&str, String> {
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    let mut name = "";
    let mut inside = false;
    for line in text.lines() {
        match line {
            OPEN => inside = true,
            CLOSE => inside = false,
            _ if inside => {}
            _ => match line.strip_prefix("## ") {
                Some(section) => name = section.trim(),
                None => {
                    let own = sections.entry(name).or_default();
                    own.push_str(line);
                    own.push('\n');
                }
            },
        }
    }
    sections.into_iter().map(|(name, own)| (name, own.trim().to_owned())).collect()
}

/// The date in a page's name.
pub(crate) fn date_of(path: &Path) -> Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let digits = name.get(..8).context("the entry's name has no date")?;
    Ok(format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]))
}

fn frontmatter(path: &Path, protocol: &Protocol, results: &[MachineResults]) -> Result<String> {
    let date = date_of(path)?;
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('"', "'"));
    let mut text = String::from("---\n");
    writeln!(text, "entry_id: \"{}\"", protocol.id)?;
    writeln!(text, "date: {date}")?;
    writeln!(text, "type: {}", protocol.kind)?;
    writeln!(text, "status: {}", if results.is_empty() { "planned" } else { "complete" })?;
    writeln!(text, "recreates: {}", quoted(&protocol.source))?;
    writeln!(text, "hypothesis: {}", quoted(&protocol.prediction))?;
    writeln!(text, "verdict: {}", quoted(&verdict(results)))?;
    let mut datasets: Vec<&str> = results
        .iter()
        .flat_map(|r| &r.conditions.datasets)
        .map(|dataset| dataset.file.trim_start_matches("generated/"))
        .collect();
    datasets.sort_unstable();
    datasets.dedup();
    writeln!(text, "datasets: [{}]", datasets.join(", "))?;
    writeln!(text, "results: ../../results/{}", protocol.name())?;
    text.push_str("---\n");
    Ok(text)
}

pub(crate) fn verdict(results: &[MachineResults]) -> String {
    match results {
        [] => "not run yet".to_owned(),
        [first, rest @ ..] if rest.iter().all(|r| r.summary.verdict == first.summary.verdict) => {
            first.summary.verdict.text().to_owned()
        }
        all => {
            let parts: Vec<String> = all
                .iter()
                .map(|r| format!("{} on {}", r.summary.verdict.text(), r.machine))
                .collect();
            parts.join(", ")
        }
    }
}

/// The first digits of a commit, and whether there were changes.
fn short_commit(commit: &str) -> String {
    let (hash, note) = commit.split_once(' ').unwrap_or((commit, ""));
    format!("{} {note}", hash.get(..12).unwrap_or(hash)).trim_end().to_owned()
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn generated(section: &str, protocol: &Protocol, results: &[MachineResults]) -> Result<String> {
    let mut text = String::new();
    match section {
        "Objective" => {
            writeln!(text, "{}\n", protocol.question.trim())?;
            claims(&mut text, protocol)?;
        }
        "Prediction" => {
            writeln!(text, "{}\n", protocol.prediction.trim())?;
            writeln!(text, "Refuted if: {}", one_line(&protocol.refuted_if))?;
        }
        "Design" => {
            writeln!(text, "{}\n", protocol.workload.trim())?;
            writeln!(text, "{}", tables::factors(protocol)?)?;
            writeln!(
                text,
                "Conditions with the same {} must give the same answer. Control: {}.",
                if protocol.equal_work.is_empty() {
                    "work".to_owned()
                } else {
                    protocol.equal_work.join(" and ")
                },
                tables::describe(&protocol.control)
            )?;
            if !protocol.baseline.is_empty() {
                writeln!(text, "Baseline: {}.", tables::describe(&protocol.baseline))?;
            }
            writeln!(text, "\nFaults of the earlier method: {}", one_line(&protocol.known_faults))?;
            writeln!(text, "\nVerdict by this rule: {}", one_line(&protocol.verdict.rule))?;
        }
        "Hardware" => {
            for r in results {
                writeln!(text, "- `{}`: {}", r.machine, r.conditions.machine())?;
            }
        }
        "Methods" => methods(&mut text, protocol, results)?,
        "Results" => {
            for r in results {
                writeln!(text, "### {}\n", r.machine)?;
                writeln!(text, "{}", tables::verdict(&r.summary, protocol)?)?;
                let folder = format!("../../results/{}/{}", protocol.name(), r.machine);
                writeln!(text, "![{}]({folder}/{})\n", protocol.figure.title, figure::NAME)?;
                writeln!(text, "{}", tables::all(&r.summary, protocol)?)?;
            }
            if results.len() > 1 {
                writeln!(text, "Machines side by side: [MACHINES.md](../MACHINES.md).")?;
            }
        }
        _ => {}
    }
    if text.is_empty() {
        text.push_str("Not run yet.");
    }
    Ok(text)
}

/// What was claimed, word for word, and what of it this entry leaves out.
fn claims(text: &mut String, protocol: &Protocol) -> Result<()> {
    let notes = &protocol.notes;
    let whose = match notes.claimed_by {
        By::Others => "Claimed",
        By::Ours => "Claimed by this project",
    };
    if notes.claims.is_empty() {
        let (claim, source) = (one_line(&protocol.claim), one_line(&protocol.source));
        writeln!(text, "{whose}: {claim} ({source})")?;
    } else {
        writeln!(text, "{whose}:\n")?;
        for claim in &notes.claims {
            writeln!(text, "- {} ({})", one_line(&claim.text), one_line(&claim.source))?;
        }
    }
    if !notes.unmeasured.is_empty() {
        writeln!(text, "\nClaimed there as well, and not measured here:\n")?;
        for left in &notes.unmeasured {
            let (claim, source, why) =
                (one_line(&left.claim), one_line(&left.source), one_line(&left.why));
            writeln!(text, "- {claim} ({source}) {why}")?;
        }
    }
    Ok(())
}

/// What was decided after the run, and why results stay valid.
fn decisions(text: &mut String, protocol: &Protocol) -> Result<()> {
    for amendment in &protocol.notes.amendments {
        writeln!(text, "\nThe protocol was amended after the run: {}", one_line(&amendment.why))?;
    }
    for accepted in &protocol.notes.accepted {
        let (file, why) = (&accepted.file, one_line(&accepted.why));
        writeln!(text, "\n`{file}` was changed after a run and results were kept: {why}")?;
    }
    Ok(())
}

fn methods(text: &mut String, protocol: &Protocol, results: &[MachineResults]) -> Result<()> {
    writeln!(text, "```sh\ncargo lab run {}\n```\n", protocol.id)?;
    writeln!(
        text,
        "The protocol is [experiments/{0}/protocol.toml](../../experiments/{0}/protocol.toml); \
         [docs/laboratory.md](../../docs/laboratory.md) says how every entry is measured.",
        protocol.name()
    )?;
    for r in results {
        let c = &r.conditions;
        let (machine, name) = (&r.machine, protocol.name());
        let rustc = c.rustc.split(" (").next().unwrap_or_default();
        writeln!(
            text,
            "\n`{machine}`: `{}`, {}, {} repetitions in {} s, seed {}, commit {}, {rustc}, {}, kernels {}. \
             [Every repetition](../../results/{name}/{machine}/measurements.csv), \
             [conditions and checksums](../../results/{name}/{machine}/manifest.json).",
            c.command,
            c.date,
            c.repetitions,
            numbers::figure(c.seconds.round()),
            c.seed,
            short_commit(&c.commit),
            c.flags,
            c.simd.join(", "),
        )?;
        match c.sources.len() {
            0 if protocol.notes.accepted.is_empty() => {
                writeln!(text, "Sources: unknown, recorded before sources were hashed.")?;
            }
            0 => {
                writeln!(text, "Sources: those accepted below; it ran before sources were hashed.")?
            }
            count => {
                writeln!(text, "Checksums of {count} sources it measured are in the conditions.")?
            }
        }
        if let Some(surroundings) = &c.surroundings {
            writeln!(text, "Surroundings: {}.", surroundings.text())?;
        }
        if !r.kept.is_empty() {
            let link = |run: &String| format!("[{run}](../../results/{name}/{machine}/{run})");
            let links: Vec<String> = r.kept.iter().map(link).collect();
            writeln!(text, "Pilots and earlier runs that are kept: {}.", links.join(", "))?;
        }
    }
    decisions(text, protocol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::protocol::tests::sample;

    #[test]
    fn hand_written_text_survives_and_generated_text_does_not_pile_up() {
        let path = Path::new("lab-notebook/2026-01/20260131-999-kernel-example.md");
        let first = render(path, &sample(), &[], "").expect("renders");
        assert_eq!(empty_sections(&SECTIONS, &first).len(), 4);
        let written = first.replace("## Findings\n", "## Findings\n\nFast is faster.\n");
        let again = render(path, &sample(), &[], &written).expect("renders");
        assert!(again.contains("## Findings\n\nFast is faster.\n"));
        assert_eq!(render(path, &sample(), &[], &again).expect("renders"), again);
        assert_eq!(again.matches(OPEN).count(), first.matches(OPEN).count());
        assert!(again.contains("date: 2026-01-31\n") && again.contains("status: planned\n"));
        assert_eq!(empty_sections(&SECTIONS, &again).len(), 3);
    }
}
