//! The goldens of tests/golden: what other tools printed, and the commands of both sides.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Folder;

/// The files that commands find, an index behind its file, so that it is no older.
const INPUTS: [&str; 10] = [
    "R1.fq", "R2.fq", "O1.fq", "O2.fq", "genome.fa", "names.bam", "clusters.bam", "aln.bam",
    "genome.fa.fai", "aln.bam.bai",
];

/// A row of `cases.tsv`. That of a peer's version is named `version`, and has no command of ours.
pub(crate) struct Case {
    pub(crate) peer: String,
    pub(crate) name: String,
    pub(crate) theirs: String,
    pub(crate) ours: String,
    left_out: Vec<String>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

pub(crate) fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.tsv")).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let [peer, name, theirs, ours] = [(); 4].map(|()| cells.next().unwrap());
        let left_out = cells.filter(|start| !start.is_empty()).collect();
        Case { peer, name, theirs, ours, left_out }
    })
    .collect()
}

/// The folders of a peer's goldens, with the versions in their names.
pub(crate) fn versions_of(peer: &str) -> Vec<(PathBuf, String)> {
    let all = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let version = |path: PathBuf| {
        let version = path.file_name()?.to_str()?.strip_prefix(peer)?.strip_prefix('-')?.to_owned();
        // `picard-tools` is another peer than `picard`.
        version.starts_with(|c: char| c.is_ascii_digit()).then_some((path, version))
    };
    all.filter_map(version).collect()
}

/// The one there has to be.
pub(crate) fn of_peer(peer: &str) -> (PathBuf, String) {
    let [one] = <[_; 1]>::try_from(versions_of(peer))
        .unwrap_or_else(|found| panic!("{peer} has {} versions, not one", found.len()));
    one
}

impl Case {
    /// What a command of the case prints in a folder with the inputs, without the lines that are left out; biofast is the one
    /// that is tested.
    pub(crate) fn printed(&self, line: &str) -> Vec<u8> {
        let work = Folder::new();
        for name in INPUTS {
            work.file(name, std::fs::read(folder().join("input").join(name)).unwrap());
        }
        std::fs::create_dir(work.path("bin")).unwrap();
        let program = work.path("bin/biofast");
        std::os::unix::fs::symlink(crate::common::binary(), program).unwrap();
        // Picard's charts are left to a script that does nothing, so that R needn't be there.
        let script = work.file("bin/Rscript", "#!/bin/sh\nexit 0\n");
        std::fs::set_permissions(script, PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", work.path("bin").display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(work.path("")).env("PATH", path);
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {said}");
        let is_left_out =
            |line: &&[u8]| self.left_out.iter().any(|start| line.starts_with(start.as_bytes()));
        let lines = output.stdout.split_inclusive(|&byte| byte == b'\n');
        lines.filter(|line| !is_left_out(line)).collect::<Vec<_>>().concat()
    }
}
