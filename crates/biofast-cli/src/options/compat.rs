//! In the form of which version reports of other programs are written.

use anyhow::{Result, bail};
use biofast_ops::compat::{Compat, Peer};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::console::Hinted;

/// Versions of other programs.
#[derive(clap::Args)]
pub(crate) struct CompatArgs {
    /// Write the reports of a program like this version of it, not like the current one
    ///
    /// Repeat the option, or separate programs by commas. The default is the last version listed for each program.
    #[arg(long, value_name = "PEER=VERSION", value_delimiter = ',', value_parser = versions(Peer::ALL))]
    compat: Vec<PeerVersion>,
}

/// A version of a program, as `PEER=VERSION`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerVersion {
    peer: Peer,
    version: &'static str,
}

/// The versions of the programs whose reports a command writes.
pub(crate) fn versions(
    peers: &'static [Peer],
) -> impl TypedValueParser<Value = PeerVersion> + use<> {
    let all = || {
        let all =
            |&peer: &Peer| peer.versions().iter().map(move |version| PeerVersion { peer, version });
        peers.iter().flat_map(all)
    };
    PossibleValuesParser::new(all().map(|found| found.version))
        .try_map(move |text| all().find(|found| found.version == text).ok_or("unknown version"))
}

impl CompatArgs {
    /// The versions that are chosen, where reports of some programs are written.
    ///
    /// # Errors
    /// If a version is chosen for another program, or two of one.
    pub(crate) fn of(&self, writes: impl Fn(Peer) -> bool) -> Result<Compat> {
        let mut compat = Compat::default();
        for (number, PeerVersion { peer, version }) in self.compat.iter().enumerate() {
            if !writes(*peer) {
                bail!("--compat {version} has no effect: no report of {} is written", peer.name());
            }
            let before = self.compat[..number].iter().find(|other| other.peer == *peer);
            if let Some(other) = before.filter(|other| other.version != *version) {
                bail!(
                    "--compat takes one version of a program, but got {} and {version}",
                    other.version
                );
            }
            compat.choose(version);
        }
        Ok(compat)
    }

    /// An error if a version is chosen for a part of a result, whose counts are those of all versions.
    pub(crate) fn refuse_for_parts(&self) -> Result<()> {
        match self.compat.is_empty() {
            true => Ok(()),
            false => Err(Hinted::error(
                "--compat has no effect on a part: its counts are those of all versions",
                "choose the version in `biofast merge --out-dir DIR --compat PEER=VERSION`",
            )),
        }
    }
}
