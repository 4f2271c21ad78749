//! `goldens`: the outputs of other tools that tests compare biofast's with, written anew by those tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

const FOLDER: &str = "crates/biofast-cli/tests/golden";

/// Runs every tool's commands, and writes what they print to `PEER-VERSION/`.
///
/// # Errors
/// If a tool is missing or fails; the folders of the others are written all the same.
pub(crate) fn run(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    let table = std::fs::read_to_string(folder.join("cases.tsv"))?;
    let mut peers: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        ensure!(cells.len() >= 4, "cases.tsv: a row of {} cells: {line}", cells.len());
        peers.entry(cells[0]).or_default().push(cells);
    }
    let mut missing = Vec::new();
    for (peer, rows) in peers {
        match write_peer(&folder, peer, &rows) {
            Ok(written) => println!("{}", written.display()),
            Err(error) => missing.push(format!("{peer}: {error:#}")),
        }
    }
    ensure!(missing.is_empty(), "not written:\n{}", missing.join("\n"));
    Ok(())
}

/// All goldens of one tool; where they are.
fn write_peer(folder: &Path, peer: &str, rows: &[Vec<&str>]) -> Result<PathBuf> {
    let is_version = |row: &&Vec<&str>| row[1] == "version";
    let version = rows.iter().find(is_version).context("no row for its version")?;
    let said = String::from_utf8_lossy(&print(folder, version[2])?).into_owned();
    let version = version_in(&said).with_context(|| format!("no version in {said:?}"))?;
    let mut goldens = Vec::new();
    for row in rows.iter().filter(|row| !is_version(row)) {
        let printed = print(folder, row[2]).with_context(|| row[1].to_owned())?;
        goldens.push((row[1], without(&printed, &row[4..])));
    }
    for old in std::fs::read_dir(folder)? {
        let old = old?;
        let of_peer = old.file_name().to_string_lossy().starts_with(&format!("{peer}-"));
        if of_peer {
            std::fs::remove_dir_all(old.path())?;
        }
    }
    let written = folder.join(format!("{peer}-{version}"));
    std::fs::create_dir(&written)?;
    for (name, content) in goldens {
        std::fs::write(written.join(name), content)?;
    }
    Ok(written)
}

/// What a command prints in a folder with the inputs.
fn print(folder: &Path, command: &str) -> Result<Vec<u8>> {
    let work = std::env::temp_dir().join(format!("biofast-goldens-{}", std::process::id()));
    std::fs::create_dir(&work)?;
    let result = in_folder(folder, &work, command);
    std::fs::remove_dir_all(&work)?;
    result
}

fn in_folder(folder: &Path, work: &Path, command: &str) -> Result<Vec<u8>> {
    for name in
        ["R1.fq", "R2.fq", "genome.fa", "names.bam", "aln.bam", "genome.fa.fai", "aln.bam.bai"]
    {
        // In this order: an index is no older than its file.
        std::fs::write(work.join(name), std::fs::read(folder.join("input").join(name))?)?;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(work).stdin(Stdio::null());
    let output = shell.output()?;
    // That of seqtk without a command.
    if !output.status.success() && output.stdout.is_empty() {
        bail!("{command}: {}, {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// The first word that begins with a digit, after a `v` or a colon perhaps, and holds a dot.
fn version_in(text: &str) -> Option<&str> {
    text.split(|c: char| c.is_whitespace() || c == ':')
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// The lines that begin with none of `starts`.
fn without(text: &[u8], starts: &[&str]) -> Vec<u8> {
    let left_out = |line: &&[u8]| {
        starts.iter().any(|start| !start.is_empty() && line.starts_with(start.as_bytes()))
    };
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| !left_out(line)).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        for (text, version) in [
            ("samtools 1.16.1\nUsing htslib 1.16\n", "1.16.1"),
            ("FastQC v0.11.9\n", "0.11.9"),
            ("Version: 1.3-r106\n", "1.3-r106"),
            ("Version:3.4.0\n", "3.4.0"),
            ("5.2\n", "5.2"),
        ] {
            assert_eq!(version_in(text), Some(version));
        }
        assert_eq!(version_in("not found"), None);
    }

    #[test]
    fn lines_are_left_out_by_how_they_begin() {
        assert_eq!(without(b"#a\nb\n##c\n\nd", &["#", ""]), b"b\n\nd");
        assert_eq!(without(b"a\nb", &[]), b"a\nb");
    }
}
