//! One version in all files that name it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Files that name the version of the release, and what stands before it there.
const NAMED: &[(&str, &str)] = &[
    ("CITATION.cff", "\nversion: "),
    ("codemeta.json", "\"version\": \""),
    ("crates/biofast-python/Cargo.toml", "\nversion = \""),
    ("packaging/bioconda/meta.yaml", "set version = \""),
    ("packaging/homebrew/biofast.rb", "refs/tags/v"),
    ("packaging/debian/changelog", "biofast ("),
    ("packaging/galaxy/macros.xml", "TOOL_VERSION@\">"),
];

/// Folders with a folder for each command, a file in these that names the version, and what stands before it there.
const NAMED_BY_COMMAND: &[(&str, &str, &str)] = &[
    ("packaging/nf-core/biofast", "environment.yml", "bioconda::biofast="),
    ("packaging/nf-core/biofast", "main.nf", "singularity/biofast:"),
    ("packaging/nf-core/biofast", "main.nf", "biocontainers/biofast:"),
    ("packaging/snakemake/bio/biofast", "environment.yaml", "biofast ="),
];

/// The version in `[workspace.package]`.
pub(crate) fn of_workspace(root: &Path) -> Result<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("can't read Cargo.toml")?;
    after(&manifest, "[workspace.package]\nversion = \"").context("no version in Cargo.toml")
}

/// The version behind the first `start` in a text: digits and dots, and an ending such as `-rc.1`.
fn after(text: &str, start: &str) -> Option<String> {
    let rest = &text[text.find(start)? + start.len()..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-');
    // The name of an archive, and the number of a package's build: 0.2.0--0, 0.2.0-1.
    let version = rest[..end.unwrap_or(rest.len())].trim_end_matches(".tar.gz");
    let build = |(_, build): &(&str, &str)| build.bytes().all(|byte| byte.is_ascii_digit());
    let version = version.rsplit_once('-').filter(build).map_or(version, |(version, _)| version);
    let version = version.trim_end_matches('-');
    (!version.is_empty()).then(|| version.to_owned())
}

/// Fails, naming each file, if one names another version than the workspace, or none.
pub(crate) fn check(root: &Path) -> Result<()> {
    let version = of_workspace(root)?;
    let mut wrong = Vec::new();
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    for line in manifest.lines().filter(|line| line.contains("path = \"crates/")) {
        if let Some(other) = after(line, "version = \"").filter(|other| *other != version) {
            wrong.push(format!("Cargo.toml: {other} in {line}"));
        }
    }
    let mut named: Vec<(String, &str)> =
        NAMED.iter().map(|&(file, start)| (file.to_owned(), start)).collect();
    for &(folder, file, start) in NAMED_BY_COMMAND {
        let entries = fs::read_dir(root.join(folder));
        for entry in entries.with_context(|| format!("can't read {folder}"))? {
            let command = entry?.file_name().to_string_lossy().into_owned();
            named.push((format!("{folder}/{command}/{file}"), start));
        }
    }
    named.sort();
    for (file, start) in &named {
        let text =
            fs::read_to_string(root.join(file)).with_context(|| format!("can't read {file}"))?;
        match after(&text, start) {
            Some(other) if other == version => {}
            Some(other) => wrong.push(format!("{file}: {other}")),
            None => wrong.push(format!("{file}: nothing after {start:?}")),
        }
    }
    let changes = fs::read_to_string(root.join("CHANGELOG.md"))?;
    if !changes.contains(&format!("\n## {version}")) {
        wrong.push(format!("CHANGELOG.md: no section {version}"));
    }
    if wrong.is_empty() {
        println!("{version} in all {} places", named.len() + 2);
        return Ok(());
    }
    bail!("the version is {version}, but\n  {}", wrong.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_ends_where_its_characters_do() {
        assert_eq!(after("x = \"0.2.0\"", "x = \"").as_deref(), Some("0.2.0"));
        assert_eq!(after("v1.0.0-rc.1.tar.gz\"", "v").as_deref(), Some("1.0.0-rc.1"));
        assert_eq!(after("biofast=0.2.0", "biofast=").as_deref(), Some("0.2.0"));
        assert_eq!(after("biofast:0.2.0--0'", "biofast:").as_deref(), Some("0.2.0"));
        assert_eq!(after("nothing", "v"), None);
        assert_eq!(after("v\n", "v"), None);
    }
}
