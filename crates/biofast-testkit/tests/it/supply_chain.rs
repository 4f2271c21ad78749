//! Licences, duplicate versions and sources of all dependencies, by `cargo metadata`. What is not allowed here fails.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than a notice.
const LICENCES: [&str; 15] = [
    "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "CC0-1.0",             // tiny-keccak: the public domain
    "CDLA-Permissive-2.0", // the list of certificates in webpki-roots: as MIT, for data
    "ISC",                 // ring and rustls: as MIT
    "MIT", "MIT-0", // borrow-or-share, in tests of the schemas only: MIT without the notice
    "NCSA",  // compiler-rt, in libfuzzer-sys only
    "Unicode-3.0", // tables in unicode-ident
    "Unlicense", "Zlib", "bzip2-1.0.6", // libbz2-rs-sys: as BSD
    "0BSD",
];

/// Crates of which two versions are used, and why.
const DUPLICATES: [(&str, &str); 15] = [
    ("syn", "derive macros on their way from 2 to 3; at build time only"),
    // `reqsign` signs with the keys of Google's service accounts by `rsa` 0.9, which is a generation behind.
    ("block-buffer", RSA),
    ("const-oid", RSA),
    ("cpufeatures", RSA),
    ("crypto-common", RSA),
    ("digest", RSA),
    ("hmac", RSA),
    ("rand", RSA),
    ("rand_core", RSA),
    ("sha2", RSA),
    ("base64", BOON),
    ("r-efi", BOON),
    ("getrandom", "ring and rand 0.8 are a generation behind"),
    ("hashbrown", "rust-ini, which reads profiles, is a generation behind"),
    ("windows-sys", "ring is a generation behind; on Windows only"),
];

/// Why there are two of what `rsa` stands on.
const RSA: &str = "rsa 0.9, of the feature remote only";

/// Why there are two of what `boon` stands on.
const BOON: &str =
    "boon 0.6, which tests of the schemas ask, is a generation behind; in no program";

fn packages(folder: &str) -> Vec<Value> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root)
        .output()
        .unwrap();
    // Those of other platforms must be at hand, too: `cargo fetch`.
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether one of the alternatives of an SPDX expression is allowed in all its parts.
fn allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some((depth, at, len)) = split(expression, &[" OR ", "/", " AND "]) {
        let (left, right) = (&expression[..at], &expression[at + len..]);
        return match depth {
            2 => allowed(left) && allowed(right),
            _ => allowed(left) || allowed(right),
        };
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => allowed(inner),
        None => LICENCES.contains(&expression),
    }
}

/// The first operator outside parentheses, the one that binds least first: which, where, how long.
fn split(expression: &str, operators: &[&str]) -> Option<(usize, usize, usize)> {
    operators.iter().enumerate().find_map(|(which, operator)| {
        let mut depth = 0;
        (0..expression.len()).find_map(|at| {
            match expression.as_bytes()[at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            (depth == 0 && expression[at..].starts_with(operator)).then_some((
                which,
                at,
                operator.len(),
            ))
        })
    })
}

#[test]
fn licences_are_read_as_spdx_says() {
    assert!(allowed("MIT OR GPL-3.0"));
    assert!(allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(allowed("Unlicense/MIT") && allowed("Apache-2.0 / MIT"));
    assert!(!allowed("GPL-3.0") && !allowed("MIT AND GPL-3.0"));
    assert!(!allowed("(MIT OR Apache-2.0) AND GPL-3.0") && !allowed(""));
}

#[test]
#[ignore = "needs the packages of every platform: cargo fetch"]
fn dependencies_have_allowed_licences_one_version_and_one_source() {
    for folder in [".", "fuzz"] {
        let packages = packages(folder);
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut sources = BTreeSet::new();
        let mut wrong = Vec::new();
        for package in &packages {
            let (name, version) =
                (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
            versions.entry(name).or_default().insert(version);
            let licence = package["license"].as_str().unwrap_or_default();
            match package["source"].as_str() {
                Some(source) => {
                    sources.insert(source);
                    if !allowed(licence) {
                        wrong.push(format!("{name} {version}: licence '{licence}'"));
                    }
                }
                None if !name.starts_with("biofast") => wrong.push(format!("{name}: a path")),
                None => {}
            }
        }
        // A git repository or a second registry is a decision to be made here.
        if sources.len() != 1 || !sources.iter().all(|source| source.starts_with("registry+")) {
            wrong.push(format!("sources: {sources:?}"));
        }
        for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
            if !DUPLICATES.iter().any(|(known, _)| known == name) {
                wrong.push(format!("{name}: versions {versions:?}"));
            }
        }
        assert!(wrong.is_empty(), "{folder}:\n{}", wrong.join("\n"));
        eprintln!("{folder}: {} packages are fine", packages.len());
    }
}
