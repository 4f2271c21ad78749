//! Promised equalities, tested in every clone: what another tool printed stands in tests/golden, and biofast's command prints the
//! same. `cargo peers` compares with the tools themselves.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::Folder;

/// All goldens together stay small.
const MOST_BYTES: u64 = 300_000;

struct Case {
    peer: String,
    name: String,
    ours: String,
    left_out: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.tsv")).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    rows.filter(|cells| cells[1] != "version")
        .map(|cells| Case {
            peer: cells[0].clone(),
            name: cells[1].clone(),
            ours: cells[3].clone(),
            left_out: cells[4..].iter().filter(|start| !start.is_empty()).cloned().collect(),
        })
        .collect()
}

/// The folders of goldens: `PEER-VERSION`.
fn peers() -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.is_dir() && !path.ends_with("input")).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What a command prints, without the lines that are left out.
fn printed(case: &Case) -> Vec<u8> {
    let work = Folder::new();
    for name in
        ["R1.fq", "R2.fq", "genome.fa", "names.bam", "aln.bam", "genome.fa.fai", "aln.bam.bai"]
    {
        // In this order: an index is no older than its file.
        work.file(name, std::fs::read(folder().join("input").join(name)).unwrap());
    }
    std::fs::create_dir(work.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_biofast"), work.path("bin/biofast")).unwrap();
    let path = format!("{}:{}", work.path("bin").display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &case.ours]).current_dir(work.path("")).env("PATH", path);
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", case.ours);
    let is_left_out =
        |line: &&[u8]| case.left_out.iter().any(|start| line.starts_with(start.as_bytes()));
    let lines = output.stdout.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| !is_left_out(line)).collect::<Vec<_>>().concat()
}

#[test]
fn biofast_prints_what_other_tools_printed() {
    let peers = peers();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 38, "{} cases", cases.len());
    for case in &cases {
        let of_peer = |path: &&PathBuf| file_name(path).starts_with(&format!("{}-", case.peer));
        let [golden] = &peers.iter().filter(of_peer).collect::<Vec<_>>()[..] else {
            panic!("{} has not one version", case.peer);
        };
        let expected = std::fs::read(golden.join(&case.name)).unwrap();
        assert!(!expected.is_empty(), "{}/{} is empty", case.peer, case.name);
        let found = printed(case);
        if found != expected {
            let line = expected.split(|&b| b == b'\n').zip(found.split(|&b| b == b'\n'));
            let line = line.take_while(|(a, b)| a == b).count() + 1;
            wrong.push(format!(
                "{}: other than {}/{}, line {line}",
                case.ours,
                file_name(golden),
                case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_golden_has_its_command_and_all_are_small() {
    let cases = cases();
    let mut bytes = 0;
    for peer in peers() {
        for golden in std::fs::read_dir(&peer).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file_name(&golden);
            let is_of = |case: &Case| {
                case.name == name && file_name(&peer).starts_with(&format!("{}-", case.peer))
            };
            assert!(cases.iter().any(is_of), "{} is of no command", golden.display());
            bytes += golden.metadata().unwrap().len();
        }
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}
