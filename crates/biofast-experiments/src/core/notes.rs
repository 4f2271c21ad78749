//! `experiments/NNN-slug/notes.toml`: what is said about an entry beside its protocol, which is never rewritten once the
//! entry ran: the claim word for word, the answer, which sources are measured, and every decision taken after the run,
//! with its reason. The notebook shows all of it.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::files;
use serde::Deserialize;

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
    /// Claims of the same document that this entry doesn't measure.
    #[serde(default)]
    pub(crate) unmeasured: Vec<Unmeasured>,
    /// Checks of the protocol that don't carry the verdict after all.
    #[serde(default)]
    pub(crate) set_aside: Vec<Decision>,
    /// Predictions of the protocol that carry the verdict: on a claim of our own.
    #[serde(default)]
    pub(crate) carry: Vec<Decision>,
    /// Statements that were added after the run.
    #[serde(default, rename = "check")]
    pub(crate) checks: Vec<Check>,
    /// Changes of the protocol's words after the run.
    #[serde(default, rename = "amendment")]
    pub(crate) amendments: Vec<Amendment>,
    /// Sources that changed after the run in a way that leaves the results valid.
    #[serde(default)]
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

/// A protocol that was changed after the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Amendment {
    /// Of the protocol the run followed.
    pub(crate) protocol_sha256: String,
    /// What was changed and why it leaves the results valid.
    pub(crate) why: String,
}

/// A source that was changed after the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub(crate) file: String,
    /// Of the file as it is now, as `check` prints it.
    pub(crate) sha256: String,
    pub(crate) why: String,
}

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
        Ok(Notes { exist: true, ..notes })
    }

    /// Lets the decisions change what the protocol's checks count for.
    pub(crate) fn apply(&self, checks: &mut Vec<Check>) -> Result<()> {
        let decided = self.set_aside.iter().map(|decision| (decision, false, "set aside"));
        let carried = self.carry.iter().map(|decision| (decision, true, "carries the verdict"));
        for (Decision { check, why }, carries, what) in decided.chain(carried) {
            ensure!(!why.trim().is_empty(), "a decision about {check:?} has no reason");
            let found = checks.iter_mut().find(|own| own.name == *check);
            let found = found.with_context(|| format!("notes: no check is called {check:?}"))?;
            found.carries = carries;
            found.note = Some(format!("{what}: {why}"));
        }
        for added in &self.checks {
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
        let whys =
            self.amendments.iter().map(|a| &a.why).chain(self.accepted.iter().map(|a| &a.why));
        if whys.chain(self.unmeasured.iter().map(|u| &u.why)).any(|why| why.trim().is_empty()) {
            faults.push(format!("{NAME}: a decision without a reason"));
        }
        faults
    }
}
