//! Places for adapters in the names of outputs.

use anyhow::{Result, bail};
use biofast_ops::filter::AdapterRule;

use super::args::Args;
use crate::options::OutFile;

/// Stands for the adapter that a read has, of pairs the first one.
pub(super) const NAME: &str = "{name}";
/// Stand for the adapters that both mates have.
pub(super) const NAMES: [&str; 2] = ["{name1}", "{name2}"];
/// What the names of outputs have places for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    None,
    /// The adapter of a read, of pairs of the first one.
    First,
    /// Those of both mates.
    Both,
}

impl Places {
    /// Those that a name has.
    fn in_name(path: &OutFile) -> Result<Places> {
        let Some(name) = path.to_str() else { return Ok(Places::None) };
        let [one, two] = NAMES.map(|place| name.contains(place));
        match (name.contains(NAME), one || two) {
            (false, false) => Ok(Places::None),
            (true, false) => Ok(Places::First),
            (false, true) if one && two => Ok(Places::Both),
            (false, true) => bail!(
                "{name} has only {}: use {} and {} for the adapters of both mates, or {NAME} for the adapter of the first read",
                if one { NAMES[0] } else { NAMES[1] },
                NAMES[0],
                NAMES[1],
            ),
            (true, true) => bail!("{name} has {NAME} as well as {} and {}", NAMES[0], NAMES[1]),
        }
    }

    /// Those that the outputs have, and the names with them.
    pub(super) fn of(args: &Args) -> Result<(Places, Vec<&str>)> {
        let given: Vec<&OutFile> = [&args.out, &args.out2].into_iter().flatten().collect();
        let mut found = Vec::new();
        for path in &given {
            found.push(Self::in_name(path)?);
        }
        let Some((&first, others)) = found.split_first() else {
            return Ok((Places::None, Vec::new()));
        };
        if others.iter().any(|&other| other != first) {
            bail!(
                "--out and --out2 must contain the same of {NAME}, {} and {}, or none of them",
                NAMES[0],
                NAMES[1]
            );
        }
        let names = match first {
            Places::None => Vec::new(),
            _ => given.iter().filter_map(|path| path.to_str()).collect(),
        };
        Ok((first, names))
    }

    /// Which reads are taken where only those with an adapter are: the files decide which adapter that is.
    pub(super) fn rule(self, rule: AdapterRule) -> Result<AdapterRule> {
        Ok(match (self, rule) {
            (Places::First, AdapterRule::Required { .. }) => AdapterRule::RequiredInFirst,
            (Places::Both, AdapterRule::Required { .. }) => AdapterRule::RequiredInBoth,
            (Places::First | Places::Both, AdapterRule::Refused) => bail!(
                "--discard-trimmed removes the reads with adapters, so the files that --out names for adapters would be empty"
            ),
            (_, rule) => rule,
        })
    }
}
