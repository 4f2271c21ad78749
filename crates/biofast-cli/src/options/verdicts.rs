//! Verdicts about figures, and what becomes of a run by them.

use std::cell::RefCell;

use anyhow::{Context, Result, bail};
use biofast_io::output::Output;
use biofast_io::{Escaped, TextBounds, display_name};
use biofast_ops::verdicts::{
    Assessment, History, Judged as Judgement, Library, TOO_FEW, Verdict, VerdictRules,
};
use biofast_report::tables::verdicts;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{BaselineArg, InFile, OutFile};
use crate::console::Console;
use crate::session::{Exit, Session};
use crate::{inputs, output};

/// How figures are judged.
#[derive(clap::Args)]
pub(crate) struct VerdictArgs {
    /// Evaluate the results by the limits for this type of library: pass, warn or fail
    ///
    /// Deviations that are normal for the type are not judged.
    #[arg(long, value_name = "TYPE", value_parser = libraries())]
    library: Option<Library>,

    /// Evaluate the results by the limits in FILE
    ///
    /// Each line has a check and its limits for warnings and failures, or 'off'. Other checks keep the limits of
    /// --library.
    #[arg(long, value_name = "FILE")]
    limits: Option<InFile>,

    /// Exit with code 1 if any check has this verdict or a worse one; all outputs are still written
    #[arg(long, value_enum, value_name = "VERDICT")]
    fail_on: Option<FailOn>,

    /// Write the verdicts to FILE as tab-separated values, a line for each sample and check
    #[arg(long, value_name = "FILE")]
    verdicts: Option<OutFile>,
}

/// The worst that is let pass is better than this.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// On a warning or a failure
    Warn,
    /// On a failure
    Fail,
}

/// Types of libraries, with other names that people have for them.
fn libraries() -> impl TypedValueParser<Value = Library> {
    let value = |library: Library| {
        PossibleValue::new(library.name()).help(library.about()).aliases(library.aliases())
    };
    PossibleValuesParser::new(Library::ALL.map(value))
        .try_map(|name| Library::named(&name).ok_or("unknown library type"))
}

impl VerdictArgs {
    /// An option that is given, if one is.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--library", self.library.is_some()),
            ("--limits", self.limits.is_some()),
            ("--fail-on", self.fail_on.is_some()),
            ("--verdicts", self.verdicts.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Refuses them beside something else, for a reason.
    pub(crate) fn refuse(&self, other: bool, name: &str, why: &str) -> Result<()> {
        match self.given() {
            Some(option) if other => bail!("{option} can't be combined with {name}: {why}"),
            _ => Ok(()),
        }
    }

    /// The limits.
    pub(crate) fn rules(&self) -> Result<VerdictRules> {
        let mut rules = VerdictRules::of(self.library.unwrap_or_default());
        if let Some(path) = &self.limits {
            let name = display_name(path);
            let text = inputs::text(path, TextBounds::TABLE)?;
            let text = std::str::from_utf8(&text).with_context(|| format!("{name}: not text"))?;
            rules.read(text).with_context(|| name.clone())?;
        }
        Ok(rules)
    }

    /// Who judges, also beside the past if there is any. The table of verdicts is opened, if it is wanted.
    pub(crate) fn judge(
        &self,
        baseline: Option<&BaselineArg>,
        session: &mut Session,
    ) -> Result<Judge> {
        let fail_on = self.fail_on.map(|fail_on| match fail_on {
            FailOn::Warn => Verdict::Warn,
            FailOn::Fail => Verdict::Fail,
        });
        let rules = self.rules()?;
        let history = match baseline {
            Some(baseline) => baseline.history(session)?,
            None => None,
        };
        let table = RefCell::new(output::optional_report(session, self.verdicts.as_deref())?);
        let console = session.console.clone();
        let is_asked = self.given().is_some() || history.is_some();
        Ok(Judge { rules, history, is_asked, fail_on, table, console })
    }
}

/// Samples by name, and what they are worth.
pub(crate) type Judged = Vec<(String, Assessment)>;

/// Limits, and whether they were asked for.
pub(crate) struct Judge {
    pub(crate) rules: VerdictRules,
    /// The samples of the past, if there are to be any.
    pub(crate) history: Option<History>,
    is_asked: bool,
    fail_on: Option<Verdict>,
    /// Where verdicts are written as a table, until they are.
    table: RefCell<Option<Output>>,
    console: Console,
}

/// Of more samples sentences are left to reports.
const SENTENCES: usize = 6;

impl Judge {
    /// Whether verdicts were asked for, and belong into every report.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Says on standard error what samples are worth, where it was asked for: a line for each, and of few samples a sentence
    /// for what isn't good. Makes the table appear. Gives the exit code of a run that has ended with `code`.
    pub(crate) fn conclude(&self, samples: &Judged, quiet: bool, code: Exit) -> Result<Exit> {
        if self.is_asked && !quiet {
            let has_sentences = samples.len() <= SENTENCES;
            samples.iter().for_each(|(name, all)| tell(&self.console, name, all, has_sentences));
            warn_of_too_few(&self.console, samples);
        }
        if let Some(table) = self.table.take() {
            output::finish(table, verdicts::tsv(samples))?;
        }
        let is_bad = |(_, all): &&(String, Assessment)| {
            self.fail_on.is_some_and(|worst| all.verdict >= worst)
        };
        let bad: Vec<_> = samples.iter().filter(is_bad).collect();
        // An error is worse.
        let (Exit::Fine, Some((name, worst))) = (code, bad.first()) else {
            return Ok(code);
        };
        if quiet {
            // An exit code of 1 has a reason even then.
            let others = match bad.len() - 1 {
                0 => String::new(),
                1 => "; and 1 more sample".into(),
                n => format!("; and {n} more samples"),
            };
            let name = Escaped(name.as_bytes());
            self.console.message(worst.verdict.name(), &format!("{name}: {}{others}", line(worst)));
        }
        Ok(Exit::CheckFailed)
    }
}

/// Says what a sample is worth.
fn tell(console: &Console, name: &str, assessment: &Assessment, has_sentences: bool) {
    let name = Escaped(name.as_bytes());
    console.note(&format!("{name}: {}", line(assessment)));
    for verdict in [Verdict::Fail, Verdict::Warn] {
        let with = assessment.checks.iter().filter(|one| one.verdict == verdict && has_sentences);
        for Judgement { check, text, .. } in with {
            console.message(verdict.name(), &format!("{name}: {check}: {text}"));
        }
    }
}

/// Says of which samples `--baseline` had too few others, and why of the first.
fn warn_of_too_few(console: &Console, samples: &Judged) {
    let why = |(name, all): &(String, Assessment)| {
        let found = all.checks.iter().find(|one| one.check == TOO_FEW)?;
        Some((name.clone(), found.text.clone()))
    };
    let alone: Vec<(String, String)> = samples.iter().filter_map(why).collect();
    let Some((name, text)) = alone.first() else { return };
    let name = Escaped(name.as_bytes());
    let whom = match &alone[..] {
        [_] => format!("{name} was not compared with --baseline"),
        all => format!("{} samples were not compared with --baseline, such as {name}", all.len()),
    };
    let text = text.strip_prefix("Not measured: ").unwrap_or(text).trim_end_matches('.');
    console.warning(&format!("{whom}: {text}"));
}

/// Verdicts in a line: `fail (library wgs): 1 fail (n-share), 2 warn (…), 9 pass, 1 not measured`.
fn line(assessment: &Assessment) -> String {
    let named = |verdict: Verdict| match &assessment.names(verdict)[..] {
        [] => None,
        names => Some(format!("{} {} ({})", names.len(), verdict.name(), names.join(", "))),
    };
    let mut parts: Vec<String> =
        [named(Verdict::Fail), named(Verdict::Warn)].into_iter().flatten().collect();
    for (verdict, word) in [(Verdict::Pass, "pass"), (Verdict::NotMeasured, "not measured")] {
        match assessment.names(verdict).len() {
            0 => {}
            n => parts.push(format!("{n} {word}")),
        }
    }
    let verdict = assessment.verdict.name();
    if parts.is_empty() {
        parts.push("every check that applies is off".to_owned());
    }
    format!("verdict {verdict} (library {}): {}", assessment.library, parts.join(", "))
}
