//! `experiments/NNN-slug/notes.toml`: what is said about an entry beside its protocol, which is never rewritten once the
//! entry ran: the claim word for word, the answer, which sources are measured, and every decision taken after the run,
//! with its reason. The notebook shows all of it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::files;
use serde::{Deserialize, Serialize};

use super::protocol::Check;

/// The file's name in an entry's folder.
pub(crate) const NAME: &str = "notes.toml";

/// What is said about one entry.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notes {
    /// The answer to the protocol's question, in one sentence.
    pub(crate) answer: String,
    /// What a reader should do about it, in one sentence.
    pub(crate) advice: String,
    /// Whose claim the verdict is about.
    #[serde(default)]
    pub(crate) claimed_by: By,
    /// Files and folders of the repository whose code the entry measures, beside its own file.
    pub(crate) measures: Vec<String>,
    #[serde(default, rename = "claim")]
    pub(crate) claims: Vec<Claim>,
    /// What the claim's author said of it later, with our figures beside.
    #[serde(default)]
    pub(crate) withdrawn: String,
    /// Claims of the same document that this entry doesn't measure.
    #[serde(default)]
    pub(crate) unmeasured: Vec<Unmeasured>,
    /// Criteria of the protocol that don't test the claim after all: the verdict is undecided.
    #[serde(default)]
    pub(crate) set_aside: Vec<Decision>,
    /// Criteria that no machine with fewer cores can meet.
    #[serde(default)]
    pub(crate) needs: Vec<Need>,
    /// Statements that were added after the run.
    #[serde(default, rename = "check")]
    pub(crate) checks: Vec<Check>,
    /// Changes of the protocol's words after the run.
    #[serde(default, rename = "amendment")]
    pub(crate) amendments: Vec<Amendment>,
    /// Sources that changed after the run in a way that leaves the results valid; from [`Acceptances`].
    #[serde(skip)]
    pub(crate) accepted: Vec<Accepted>,
    /// Lines across the figure, at values that were claimed.
    #[serde(default, rename = "mark")]
    pub(crate) marks: Vec<Mark>,
    /// There is such a file.
    #[serde(skip)]
    pub(crate) exist: bool,
}

/// Whose claim it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum By {
    /// A document that isn't this project's.
    #[default]
    Others,
    /// This project.
    Ours,
}

/// A claim in the words of its document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) text: String,
    /// The document and the place in it.
    pub(crate) source: String,
    /// Where it can be read.
    #[serde(default)]
    pub(crate) link: String,
}

/// A claim nobody measured here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unmeasured {
    pub(crate) claim: String,
    pub(crate) source: String,
    pub(crate) why: String,
}

/// What was decided about one of the protocol's checks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// The check's name.
    pub(crate) check: String,
    pub(crate) why: String,
}

/// How many cores a statement needs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Need {
    /// The check's name.
    pub(crate) check: String,
    pub(crate) cores: usize,
}

/// A protocol that was changed after the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Amendment {
    /// Of the protocol the run followed.
    pub(crate) protocol_sha256: String,
    /// What was changed and why it leaves the results valid.
    pub(crate) why: String,
}

/// A source that was changed after the run, and why results stay valid.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) file: String,
    /// Of the file as it is now, as `check` prints it.
    pub(crate) sha256: String,
    pub(crate) why: String,
}

/// `accepted.toml`: each reason once, with the sources and entries it is about.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptances {
    #[serde(default)]
    accepted: Vec<Acceptance>,
}

/// A reason why results stay valid.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Acceptance {
    why: String,
    entries: Vec<String>,
    /// Checksums by file.
    sources: BTreeMap<String, Vec<String>>,
}

impl Acceptances {
    /// The file's name in the folder of experiments.
    pub(crate) const NAME: &str = "accepted.toml";

    pub(crate) fn read(experiments: &Path) -> Result<Self> {
        let path = experiments.join(Self::NAME);
        if path.exists() { files::read_toml(&path) } else { Ok(Acceptances::default()) }
    }

    pub(crate) fn write(&self, experiments: &Path) -> Result<()> {
        let text = toml::to_string(self).context("cannot serialise")?;
        files::write(&experiments.join(Self::NAME), HEAD.to_owned() + &text)
    }

    fn of(&self, id: &str) -> Vec<Accepted> {
        let own = self.accepted.iter().filter(|a| a.entries.iter().any(|entry| entry == id));
        let all = own.flat_map(|a| {
            let each = |(file, sums): (&String, &Vec<String>)| {
                let of = |sum: &String| Accepted {
                    file: file.clone(),
                    sha256: sum.clone(),
                    why: a.why.clone(),
                };
                sums.iter().map(of).collect::<Vec<_>>()
            };
            a.sources.iter().flat_map(each).collect::<Vec<_>>()
        });
        all.collect()
    }

    /// Adds a source under its reason.
    pub(crate) fn add(&mut self, id: &str, accepted: Accepted) {
        let Accepted { file, sha256, why } = accepted;
        let at = self.accepted.iter().position(|a| a.why == why).unwrap_or_else(|| {
            self.accepted.push(Acceptance { why, entries: Vec::new(), sources: BTreeMap::new() });
            self.accepted.len() - 1
        });
        let Acceptance { entries, sources, .. } = &mut self.accepted[at];
        if !entries.iter().any(|entry| entry == id) {
            entries.push(id.to_owned());
            entries.sort();
        }
        let sums = sources.entry(file).or_default();
        if !sums.contains(&sha256) {
            sums.push(sha256);
        }
    }

    /// Reasons that say nothing.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (i, a) in self.accepted.iter().enumerate() {
            if a.why.trim().is_empty() {
                faults.push(format!("{}: an acceptance without a reason", Self::NAME));
            }
            if self.accepted[..i].iter().any(|other| other.why == a.why) {
                faults.push(format!("{}: a reason is there twice: {}", Self::NAME, a.why));
            }
        }
        faults
    }
}

const HEAD: &str = "\
# Sources that changed after results were recorded, and why the results stay valid: each reason once. Written by
# `biofast-lab accept`; docs/laboratory.md explains it.

";

/// A line across the figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub(crate) value: f64,
    pub(crate) label: String,
}

impl Notes {
    /// Reads the notes in an entry's folder; empty ones if there are none, which `check` reports.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        if !path.exists() {
            return Ok(Notes::default());
        }
        let notes: Notes = files::read_toml(&path)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let id = name.split('-').next().unwrap_or_default();
        let accepted = Acceptances::read(folder.parent().unwrap_or(folder))?.of(id);
        Ok(Notes { exist: true, accepted, ..notes })
    }

    /// Marks what was decided about the protocol's checks, and adds those stated after the run, which carry nothing.
    pub(crate) fn apply(&self, checks: &mut Vec<Check>) -> Result<()> {
        for Decision { check, why } in &self.set_aside {
            ensure!(!why.trim().is_empty(), "a decision about {check:?} has no reason");
            let found = checks.iter_mut().find(|own| own.name == *check);
            let found = found.with_context(|| format!("notes: no check is called {check:?}"))?;
            ensure!(found.carries, "notes: {check:?} carries no verdict and can't be set aside");
            found.set_aside = true;
            found.note = Some(format!("set aside after the run: {why}"));
        }
        for Need { check, cores } in &self.needs {
            let found = checks.iter_mut().find(|own| own.name == *check);
            let found = found.with_context(|| format!("notes: no check is called {check:?}"))?;
            found.needs_cores = Some(*cores);
            found.note = Some(format!("needs {cores} cores"));
        }
        for added in &self.checks {
            ensure!(
                !added.carries,
                "notes: {:?} was stated after the run: it can't carry the verdict",
                added.name
            );
            let note = Some("stated after the run".to_owned());
            checks.push(Check { note, ..added.clone() });
        }
        Ok(())
    }

    /// What is missing or empty; an answer is there once there are results.
    pub(crate) fn faults(&self, has_results: bool) -> Vec<String> {
        if !self.exist {
            return vec![format!(
                "no {NAME} with claim, answer, advice and the sources it measures"
            )];
        }
        let mut faults = Vec::new();
        for (name, text) in [("answer", &self.answer), ("advice", &self.advice)] {
            if has_results && text.trim().is_empty() {
                faults.push(format!("{NAME}: {name} is empty"));
            }
        }
        if self.measures.is_empty() {
            faults.push(format!("{NAME}: measures names no source"));
        }
        if self.claims.is_empty() {
            faults.push(format!("{NAME}: no claim"));
        }
        if self.claims.iter().any(|c| c.text.trim().is_empty() || c.source.trim().is_empty()) {
            faults.push(format!("{NAME}: a claim without words or source"));
        }
        let whys = self.amendments.iter().map(|a| &a.why);
        if whys.chain(self.unmeasured.iter().map(|u| &u.why)).any(|why| why.trim().is_empty()) {
            faults.push(format!("{NAME}: a decision without a reason"));
        }
        faults
    }
}
