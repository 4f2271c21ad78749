//! `manifest.json`: under what conditions a run's results came about. No host names, no absolute paths:
//! results are committed.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::inputs::UsedDataset;
use super::measurements;
use super::protocol::Protocol;
use super::runner::Plan;
use super::sources::Sources;
use super::surroundings::Surroundings;
use crate::core::machine;
use crate::datasets::to_hex;
use crate::files;

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "manifest.json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Conditions {
    pub(crate) schema: u32,
    pub(crate) entry: String,
    /// Of the protocol the run followed.
    pub(crate) protocol_sha256: String,
    pub(crate) scale: String,
    pub(crate) repetitions: usize,
    pub(crate) seed: u64,
    /// UTC, when the run began.
    pub(crate) date: String,
    pub(crate) seconds: f64,
    pub(crate) command: String,
    pub(crate) commit: String,
    pub(crate) rustc: String,
    pub(crate) flags: String,
    pub(crate) arch: String,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_kb: Option<u64>,
    pub(crate) kernel: String,
    /// Of the datasets.
    pub(crate) filesystem: String,
    /// Where inputs were: in memory, or in the page cache or not.
    pub(crate) cache: String,
    /// Instruction sets the kernels have here, the fastest last.
    pub(crate) simd: Vec<String>,
    pub(crate) datasets: Vec<UsedDataset>,
    /// Of what the entry measures; empty in results older than this field.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub(crate) sources: Sources,
    /// Absent in results older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) surroundings: Option<Surroundings>,
    /// Of a run on a tree with changes: the commit in which all measured sources have these checksums.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) sources_commit: String,
    /// When checksums were added to a run that is older than they are; empty where the run wrote them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) bound: String,
    /// Of the measurements.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) measurements_sha256: String,
    /// Of this manifest without this field: a change after the run shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) seal: String,
}

/// What a result must be built with.
const PLAIN_FLAGS: &str = "release, no RUSTFLAGS";

/// The checksum of a folder's measurements.
fn measured(dir: &Path) -> Result<String> {
    let bytes = files::read_bytes(&dir.join(measurements::NAME))?;
    Ok(to_hex(&Sha256::digest(bytes)))
}

impl Conditions {
    /// The conditions of a run that begins now.
    pub(crate) fn now(protocol: &Protocol, plan: &Plan<'_>) -> Self {
        let machine = machine::this_machine();
        let job = machine::JobRecord::now();
        Conditions {
            schema: 1,
            entry: protocol.name(),
            protocol_sha256: protocol.sha256.clone(),
            scale: plan.scale.name().to_owned(),
            repetitions: plan.repetitions,
            seed: plan.seed,
            date: job.date,
            seconds: 0.0,
            command: format!("biofast-lab {}", job.command.join(" ")),
            commit: job.commit,
            rustc: job.rustc,
            flags: flags(),
            arch: machine.arch,
            cpu: machine.cpu,
            cores: machine.cores,
            memory_kb: machine.memory_kb,
            kernel: machine.kernel,
            filesystem: filesystem(plan.dir).unwrap_or_else(|| "unknown".to_owned()),
            cache: "inputs in memory".to_owned(),
            simd: biofast_kernels::available().iter().map(|isa| isa.name().to_owned()).collect(),
            datasets: Vec::new(),
            sources: Sources::new(),
            surroundings: Some(Surroundings::now(plan.dir)),
            sources_commit: String::new(),
            bound: String::new(),
            measurements_sha256: String::new(),
            seal: String::new(),
        }
    }

    /// Writes the manifest of measurements that are in the folder already, bound to them.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let mut bound = Conditions { measurements_sha256: measured(dir)?, ..self.clone() };
        bound.seal = bound.sealed()?;
        files::write(&dir.join(NAME), files::to_json(&bound)?)
    }

    /// The checksum of everything but the seal.
    fn sealed(&self) -> Result<String> {
        let bare = Conditions { seal: String::new(), ..self.clone() };
        Ok(to_hex(&Sha256::digest(files::to_json(&bare)?)))
    }

    /// What was changed after the run, or doesn't say what was run.
    pub(crate) fn faults(&self, dir: &Path) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        if self.measurements_sha256 != measured(dir)? {
            faults.push("measurements were changed after the run".to_owned());
        }
        if self.seal != self.sealed()? {
            faults.push("the manifest was changed after the run".to_owned());
        }
        if self.flags != PLAIN_FLAGS {
            faults.push(format!("built with other options than {PLAIN_FLAGS:?}: {:?}", self.flags));
        }
        Ok(faults)
    }

    /// Whether a commit, or checksums of sources that are those of a commit, say what was measured. Where nothing does,
    /// an entry has no verdict until it is run again.
    pub(crate) fn is_of_a_commit(&self) -> bool {
        let modified = self.commit.contains(char::is_whitespace);
        !self.sources.is_empty() && (!modified || !self.sources_commit.is_empty())
    }

    /// How results are tied to what was run, for a reader.
    pub(crate) fn bound_text(&self) -> String {
        if !self.is_of_a_commit() {
            return "It ran on a tree with changes that no commit holds: its verdict is undecided until it is run again."
                .to_owned();
        }
        let mut text = format!(
            "Checksums of {} sources and of the measurements are in the manifest.",
            self.sources.len()
        );
        if !self.bound.is_empty() {
            text += &format!(
                " They were added on {}: sources from the commit, measurements as committed.",
                self.bound
            );
        }
        if !self.sources_commit.is_empty() {
            let commit = self.sources_commit.get(..12).unwrap_or(&self.sources_commit);
            text += &format!(
                " The tree had changes, but the measured sources are those of commit {commit}."
            );
        }
        text
    }

    pub(crate) fn read(dir: &Path) -> Result<Self> {
        files::read_json(&dir.join(NAME))
    }

    /// One line about the machine.
    pub(crate) fn machine(&self) -> String {
        let gib = |kb: u64| format!(", {:.1} GiB of memory", kb as f64 / 1_048_576.0);
        let memory = self.memory_kb.map(gib).unwrap_or_default();
        format!(
            "{}, {} core(s){memory}, {}, {}, file system {}",
            self.cpu, self.cores, self.arch, self.kernel, self.filesystem
        )
    }
}

fn flags() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let profile = machine::profile_of(&program);
    match std::env::var("RUSTFLAGS") {
        Ok(flags) if !flags.is_empty() => format!("{profile}, RUSTFLAGS={flags}"),
        _ => format!("{profile}, no RUSTFLAGS"),
    }
}

/// The type of the file system a directory is on.
fn filesystem(dir: &Path) -> Option<String> {
    let dir = fs::canonicalize(dir).ok()?;
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    // The longest mount point that the directory is below.
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (point, kind) = (fields.next()?, fields.next()?);
            dir.starts_with(point).then(|| (point.len(), kind.to_owned()))
        })
        .max()
        .map(|(_, kind)| kind)
}
