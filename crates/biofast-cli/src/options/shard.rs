//! `--shard`: a part of the input, by a plan that `biofast shards` made.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast_io::{TextBounds, display_name};
use biofast_ops::shards::Plan;

use crate::console::Hinted;
use crate::inputs::{self, Input, Layout, Portion};
use crate::session::Session;

/// Which part of the input is read.
#[derive(clap::Args)]
pub(crate) struct ShardArg {
    /// Read only shard N (from 1) of a plan made by `biofast shards`
    ///
    /// The plan names the input files. Files on the command line replace them, for example with copies on another
    /// machine. It is an error if a file has changed since the plan was made. '-#N' reads the plan from standard input,
    /// and PLAN#N/TOTAL requires a plan of TOTAL shards.
    #[arg(long, value_name = "PLAN#N", allow_hyphen_values = true)]
    shard: Option<Name>,
}

/// What names a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    plan: PathBuf,
    number: u64,
    total: Option<u64>,
}

impl FromStr for Name {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Name, &'static str> {
        const EXPECTED: &str =
            "expected PLAN#N or PLAN#N/TOTAL, such as 'plan.json#7' (quoted for the shell)";
        let (plan, number) = text.rsplit_once('#').ok_or(EXPECTED)?;
        let (number, total) = match number.split_once('/') {
            Some((number, total)) => (number, Some(total.parse().map_err(|_| EXPECTED)?)),
            None => (number, None),
        };
        let number = number.parse().map_err(|_| EXPECTED)?;
        if plan.is_empty() || number == 0 {
            return Err(EXPECTED);
        }
        Ok(Name { plan: plan.into(), number, total })
    }
}

impl ShardArg {
    /// Whether a shard is wanted.
    pub(crate) fn any(&self) -> bool {
        self.shard.is_some()
    }

    /// An error if a shard is wanted together with this option, for this reason.
    pub(crate) fn refuse(&self, given: bool, option: &str, why: &str) -> Result<()> {
        if given && self.any() {
            bail!("{option} can't be combined with --shard: {why}");
        }
        Ok(())
    }

    /// The parts of the files of the plan, or of those `named` instead; `None` if no shard is wanted.
    pub(crate) fn inputs(
        &self,
        named: &[impl AsRef<Path>],
        session: &mut Session,
    ) -> Result<Option<Vec<Input>>> {
        let Some(Name { plan: path, number, total }) = &self.shard else { return Ok(None) };
        let plan = Arc::new(read(path, session)?);
        let shown = display_name(path);
        if let Some(total) = total
            && *total != plan.shards.len() as u64
        {
            bail!("{shown} has {} shards, not {total}", plan.shards.len());
        }
        plan.shard(*number).context(shown)?;
        if !named.is_empty() && named.len() != plan.files.len() {
            bail!("the plan has {} files, but {} are named", plan.files.len(), named.len());
        }
        let mut portions = Vec::new();
        for (file, planned) in plan.files.iter().enumerate() {
            let is_copy = !named.is_empty();
            let path = named.get(file).map_or(Path::new(&planned.path), AsRef::as_ref);
            if path == Path::new("-") {
                bail!("a shard needs a regular file, not standard input");
            }
            session.files.read(path)?;
            plan.check_file(file, path, is_copy).map_err(|error| Hinted {
                message: error.to_string(),
                hint: "make a new plan with `biofast shards`, or name the right files after the options (their modification time is then ignored)".into(),
            })?;
            plan.check_index(file, path)?;
            let portion =
                Portion { plan: Arc::clone(&plan), number: *number, file, path: path.to_owned() };
            portions.push(Input::Shard(portion));
        }
        Ok(Some(portions))
    }

    /// The same of reads, and how mates lie in them.
    pub(crate) fn reads(
        &self,
        named: &[impl AsRef<Path>],
        interleaved: bool,
        session: &mut Session,
    ) -> Result<Option<(Vec<Input>, Layout)>> {
        let Some(inputs) = self.inputs(named, session)? else { return Ok(None) };
        if interleaved && inputs.len() > 1 {
            bail!("--interleaved takes one file, but the plan has {}", inputs.len());
        }
        if interleaved {
            keeps_mates_together(&inputs)?;
        }
        let layout = Layout::of(&inputs, interleaved)?;
        Ok(Some((inputs, layout)))
    }

    /// The only one, for commands that read one file.
    pub(crate) fn input(
        &self,
        named: &[impl AsRef<Path>],
        session: &mut Session,
    ) -> Result<Option<Input>> {
        let Some(mut inputs) = self.inputs(named, session)? else { return Ok(None) };
        match inputs.pop() {
            Some(input) if inputs.is_empty() => Ok(Some(input)),
            _ => bail!(
                "expected a plan of one file of alignments, but this plan has two files of mates"
            ),
        }
    }
}

/// An error unless shards end between pairs.
pub(crate) fn keeps_mates_together(inputs: &[Input]) -> Result<()> {
    match inputs {
        [Input::Shard(Portion { plan, .. })] if plan.together != 2 => Err(Hinted {
            message: "the plan's shards may separate the mates of a pair".into(),
            hint: "make the plan with `biofast shards --interleaved`".into(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// An error unless shards end between templates.
pub(crate) fn keeps_templates_together(input: &Input) -> Result<()> {
    match input {
        Input::Shard(Portion { plan, .. }) if !plan.templates => Err(Hinted {
            message: "the plan's shards may separate the mates of a pair".into(),
            hint: "make the plan with `biofast shards --keep-templates`; sort the file by name first (`biofast sort -n`) if it is sorted by coordinate".into(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Reads and checks a plan.
fn read(path: &Path, session: &mut Session) -> Result<Plan> {
    let name = if path == Path::new("-") {
        session.files.read_stdin()?;
        "standard input".to_owned()
    } else {
        session.files.read(path)?;
        biofast_io::display_name(path)
    };
    let text = inputs::text(path, TextBounds::DOCUMENT)?;
    let plan: Plan = serde_json::from_slice(&text)
        .with_context(|| format!("{name}: not a plan of `biofast shards`"))?;
    plan.check().context(name)?;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_named_by_its_plan_and_number() {
        let name = |plan: &str, number, total| Ok(Name { plan: plan.into(), number, total });
        assert_eq!("plan.json#7".parse(), name("plan.json", 7, None));
        assert_eq!("a#b/plan.json#7/100".parse(), name("a#b/plan.json", 7, Some(100)));
        assert_eq!("-#1".parse(), name("-", 1, None));
        for wrong in ["plan.json", "#7", "plan.json#", "plan.json#0", "plan.json#x", "plan.json#7/"]
        {
            assert!(wrong.parse::<Name>().is_err(), "{wrong}");
        }
    }
}
