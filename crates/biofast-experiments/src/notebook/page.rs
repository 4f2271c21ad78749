//! Notebook entries: `lab-notebook/YYYY-MM/YYYYMMDD-NNN-TYPE-slug.md`. What follows from the protocol and the
//! results is written between markers and again at every `report`; the rest of a section is by hand and kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::{answer, figure, numbers, tables};
use crate::core::conditions::Conditions;
use crate::core::notes::{By, Claim};
use crate::core::protocol::Protocol;
use crate::core::summary::Summary;
use crate::files;

pub(crate) const OPEN: &str = "<!-- generated -->";
pub(crate) const CLOSE: &str = "<!-- end of generated -->";

/// The sections of an entry, in order; all are written by hand alone.
pub(crate) const SECTIONS: [(&str, bool); 4] = [
    ("Background", true),
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
    writeln!(text, "\n{OPEN}\n{}\n{CLOSE}", head(protocol, results)?.trim())?;
    write_sections(&mut text, &SECTIONS, old, |_| Ok(String::new()))?;
    Ok(text)
}

/// The screen a reader sees first: question, claim, answer, verdict, the statements that carry it, the figure.
fn head(protocol: &Protocol, results: &[MachineResults]) -> Result<String> {
    let mut text = String::new();
    let notes = &protocol.notes;
    writeln!(text, "**Question.** {}\n", one_line(&protocol.question))?;
    claims(&mut text, protocol)?;
    let Some(first) = results.first() else {
        text.push_str("\n**Answer.** Not measured yet.\n");
        return Ok(text);
    };
    let expand = |words: &str| answer::expand(&one_line(words), protocol, &first.summary);
    if !notes.withdrawn.is_empty() {
        writeln!(text, "\n**Since then.** {}", expand(&notes.withdrawn)?)?;
    }
    writeln!(text, "\n**Answer** ({}). {}", first.named(), expand(&notes.answer)?)?;
    writeln!(text, "\n**What to do.** {}", expand(&notes.advice)?)?;
    for r in results {
        let folder = format!("../../results/{}/{}", protocol.name(), r.machine);
        let on = if results.len() > 1 { format!(" ({})", r.named()) } else { String::new() };
        writeln!(
            text,
            "\n**Verdict: {}**{on}. {}",
            r.summary.verdict.text(),
            tables::reason(&r.summary, protocol)
        )?;
        writeln!(text, "\n{}", tables::carrying(&r.summary, protocol)?.trim())?;
        writeln!(text, "\n![{}]({folder}/{})", protocol.figure.title, figure::NAME)?;
        writeln!(
            text,
            "\n[All statements, tables, design and method]({folder}/{}) · \
             [every repetition]({folder}/measurements.csv) · [protocol](../../experiments/{}/protocol.toml) · \
             `cargo lab run {}`",
            tables::NAME,
            protocol.name(),
            protocol.id,
        )?;
    }
    Ok(text)
}

/// Everything measured on one machine, with design, method and decisions: a file beside the measurements.
pub(crate) fn details(protocol: &Protocol, r: &MachineResults) -> Result<String> {
    let mut text = format!(
        "# {} {}\n\nEverything measured on {}. Generated by `cargo lab report {}`; the entry itself is in the \
         [lab notebook](../../../lab-notebook/INDEX.md).\n",
        protocol.id,
        protocol.title,
        r.named(),
        protocol.id
    );
    writeln!(text, "\n## Statements\n\n{}", tables::verdict(&r.summary, protocol)?)?;
    design(&mut text, protocol)?;
    writeln!(text, "\n## Method\n")?;
    method(&mut text, r)?;
    decisions(&mut text, protocol)?;
    writeln!(text, "\n## Tables\n\n{}", tables::all(&r.summary, protocol)?)?;
    Ok(text)
}

impl MachineResults {
    /// The machine for a reader: `AMD EPYC (family 25, model 17), 2 cores`.
    pub(crate) fn named(&self) -> String {
        let c = &self.conditions;
        let parts: Vec<&str> = self.machine.split('-').collect();
        let of = |name: &str| {
            let at = parts.iter().position(|part| *part == name)?;
            parts.get(at + 1).map(|number| format!("{name} {number}"))
        };
        let kind: Vec<String> = ["family", "model"].into_iter().filter_map(of).collect();
        let kind = if kind.is_empty() { String::new() } else { format!(" ({})", kind.join(", ")) };
        format!("{}{kind}, {} cores", one_line(&c.cpu), c.cores)
    }
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
    writeln!(text, "verdict: {}", quoted(&verdict(results)))?;
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

fn design(text: &mut String, protocol: &Protocol) -> Result<()> {
    writeln!(text, "\n## Design\n\n{}\n", protocol.workload.trim())?;
    writeln!(text, "{}", tables::factors(protocol)?)?;
    let equal = match protocol.equal_work.is_empty() {
        true => "work".to_owned(),
        false => protocol.equal_work.join(" and "),
    };
    let control = tables::describe(&protocol.control);
    writeln!(
        text,
        "Conditions with the same {equal} must give the same answer. Control: {control}."
    )?;
    if !protocol.baseline.is_empty() {
        writeln!(text, "Baseline: {}.", tables::describe(&protocol.baseline))?;
    }
    for (name, words) in [
        ("Claim as the protocol has it", &protocol.claim),
        ("Rule in the protocol's words", &protocol.verdict.rule),
        ("Prediction", &protocol.prediction),
        ("The prediction is refuted if", &protocol.refuted_if),
        ("Faults of the earlier method", &protocol.known_faults),
    ] {
        writeln!(text, "\n{name}: {}", one_line(words))?;
    }
    Ok(())
}

/// What was claimed, word for word, and what became of the claim at its author's.
fn claims(text: &mut String, protocol: &Protocol) -> Result<()> {
    let notes = &protocol.notes;
    let whose = match notes.claimed_by {
        By::Others => "Claim",
        By::Ours => "Claim of this project",
    };
    let source = |c: &Claim| match c.link.is_empty() {
        true => one_line(&c.source),
        false => format!("[{}]({})", one_line(&c.source), c.link),
    };
    match &notes.claims[..] {
        [] => {
            let (claim, source) = (one_line(&protocol.claim), one_line(&protocol.source));
            writeln!(text, "**{whose}.** {claim} ({source})")?;
        }
        [only] => writeln!(text, "**{whose}.** {} ({})", one_line(&only.text), source(only))?,
        claims => {
            writeln!(text, "**{whose}.**\n")?;
            for claim in claims {
                writeln!(text, "- {} ({})", one_line(&claim.text), source(claim))?;
            }
        }
    }
    Ok(())
}

/// What was decided after the run, and why results stay valid.
fn decisions(text: &mut String, protocol: &Protocol) -> Result<()> {
    let notes = &protocol.notes;
    for amendment in &notes.amendments {
        writeln!(text, "\nThe protocol was amended after the run: {}", one_line(&amendment.why))?;
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for accepted in &notes.accepted {
        match reasons.iter_mut().find(|(why, _)| *why == accepted.why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((&accepted.why, 1)),
        }
    }
    if !reasons.is_empty() {
        writeln!(text, "\nSources that changed after a run whose results were kept:\n")?;
        for (why, count) in reasons {
            writeln!(text, "- {}: {}", tables::counted(count, "source"), one_line(why))?;
        }
    }
    if !notes.unmeasured.is_empty() {
        writeln!(text, "\nClaimed by the same document, and not measured here:\n")?;
        for left in &notes.unmeasured {
            let (claim, source, why) =
                (one_line(&left.claim), one_line(&left.source), one_line(&left.why));
            writeln!(text, "- {claim} ({source}) {why}")?;
        }
    }
    Ok(())
}

fn method(text: &mut String, r: &MachineResults) -> Result<()> {
    let c = &r.conditions;
    let rustc = c.rustc.split(" (").next().unwrap_or_default();
    writeln!(
        text,
        "{}. `{}`, {}, {} repetitions in {} s, seed {}, commit {}, {rustc}, {}, kernels {}. \
         [Every repetition](measurements.csv), [conditions and checksums](manifest.json); \
         [docs/laboratory.md](../../../docs/laboratory.md) says how every entry is measured.",
        c.machine(),
        c.command,
        c.date,
        c.repetitions,
        numbers::figure(c.seconds.round()),
        c.seed,
        short_commit(&c.commit),
        c.flags,
        c.simd.join(", "),
    )?;
    writeln!(text, "\n{}", c.bound_text())?;
    if let Some(surroundings) = &c.surroundings {
        writeln!(text, "\nSurroundings: {}.", surroundings.text())?;
    }
    if !r.kept.is_empty() {
        let links: Vec<String> = r.kept.iter().map(|run| format!("[{run}]({run})")).collect();
        writeln!(text, "\nPilots and earlier runs that are kept: {}.", links.join(", "))?;
    }
    Ok(())
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
