//! Promised equalities, tested in every clone: what another tool printed stands in tests/golden, and biofast's command prints the
//! same.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::common::goldens::{cases, folder, of_peer};

/// All goldens together stay small.
const MOST_BYTES: u64 = 310_000;

#[test]
fn biofast_prints_what_other_tools_printed() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in cases().iter().filter(|case| case.name != "version") {
        let golden = of_peer(&case.peer).0.join(&case.name);
        let expected = std::fs::read(&golden).unwrap();
        assert!(!expected.is_empty(), "{} is empty", golden.display());
        let found = case.printed(&case.ours);
        compared += 1;
        if found != expected {
            let lines = expected.split(|&b| b == b'\n').zip(found.split(|&b| b == b'\n'));
            let line = lines.take_while(|(a, b)| a == b).count() + 1;
            wrong.push(format!("{}: other than {}, line {line}", case.ours, golden.display()));
        }
    }
    assert!(compared >= 46, "{compared} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_golden_has_its_command_and_all_are_small() {
    let cases = cases();
    let commands = cases.iter().filter(|case| case.name != "version");
    let expected: BTreeSet<_> =
        commands.map(|case| of_peer(&case.peer).0.join(&case.name)).collect();
    let entries =
        |path: PathBuf| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let peers = entries(folder()).filter(|path| path.is_dir() && !path.ends_with("input"));
    let found: BTreeSet<_> = peers.flat_map(entries).collect();
    assert_eq!(found, expected);
    let bytes: u64 = found.iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}
