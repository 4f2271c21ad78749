//! What a result was measured of: checksums of the source files an entry names, taken when it runs, so that `check` can
//! tell when one of them has changed. Comments, blank lines and tests at the end of a file don't count.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::notes::Notes;
use super::protocol::Protocol;
use crate::datasets::to_hex;
use crate::files;

/// Checksums by file, relative to the repository.
pub(crate) type Sources = BTreeMap<String, String>;

/// Where an entry's own file is, relative to the repository.
const ENTRIES: &str = "crates/biofast-experiments/src/entries";

/// The sources an entry measures, as they are now: its own file and what its notes name.
pub(crate) fn now(root: &Path, protocol: &Protocol) -> Result<Sources> {
    let mut all = Sources::new();
    for file in own_files(root, &protocol.id)? {
        add(root, &file, &mut all)?;
    }
    for place in &protocol.notes.measures {
        add(root, place, &mut all)?;
    }
    if let Some(profile) = profile(&files::read_if_there(&root.join("Cargo.toml"))?) {
        all.insert(PROFILE.to_owned(), digest(&profile));
    }
    Ok(all)
}

/// Stands among the sources for the compiler's options.
const PROFILE: &str = "Cargo.toml [profile.release]";

/// The options of a release build that hold for all crates.
fn profile(cargo: &str) -> Option<String> {
    let (_, rest) = cargo.split_once("\n[profile.release]\n")?;
    let is_option = |line: &&str| !line.trim_start().starts_with(['#', '[']);
    Some(
        rest.lines()
            .take_while(|line| !line.starts_with('['))
            .filter(is_option)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

/// `eNNN_….rs`.
fn own_files(root: &Path, id: &str) -> Result<Vec<String>> {
    let folder = root.join(ENTRIES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let name = |path: PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names = files::list(&folder)?.into_iter().map(name);
    let own = names.filter(|name| name.starts_with(&format!("e{id}_")));
    Ok(own.map(|name| format!("{ENTRIES}/{name}")).collect())
}

/// A file, or the Rust files of a folder and of those in it.
fn add(root: &Path, place: &str, all: &mut Sources) -> Result<()> {
    let path = root.join(place);
    if path.is_dir() {
        for path in files::list(&path)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() || name.ends_with(".rs") {
                add(root, &format!("{}/{name}", place.trim_end_matches('/')), all)?;
            }
        }
        return Ok(());
    }
    let text = files::read(&path).with_context(|| format!("{place}, which an entry measures"))?;
    all.insert(place.to_owned(), digest(&text));
    Ok(())
}

/// The first 16 digits of the SHA-256 of what a compiler would see of a file outside tests.
fn digest(text: &str) -> String {
    let mut hash = Sha256::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.ends_with("mod tests {"))
        {
            break;
        }
        let line = line.trim();
        if !line.is_empty() && !line.starts_with("//") {
            hash.update(line);
            hash.update("\n");
        }
    }
    to_hex(&hash.finalize()[..8])
}

/// What is no longer as it was when the results were recorded, in words; what was accepted is left out.
pub(crate) fn stale(recorded: &Sources, now: &Sources, notes: &Notes) -> Vec<Stale> {
    let accepted = |file: &str, sha256: &str| {
        notes.accepted.iter().any(|a| a.file == file && a.sha256 == sha256)
    };
    let mut found = Vec::new();
    for file in recorded.keys().chain(now.keys().filter(|file| !recorded.contains_key(*file))) {
        let (was, is) = (recorded.get(file), now.get(file));
        let sha256 = is.map_or(GONE, String::as_str);
        if was == is || accepted(file, sha256) {
            continue;
        }
        let how = match (was, is) {
            (Some(_), Some(_)) => "was changed",
            (Some(_), None) => "is gone or no longer named",
            _ => "is measured, but was not when the entry ran",
        };
        found.push(Stale { file: file.clone(), sha256: sha256.to_owned(), how });
    }
    found
}

/// Stands for the checksum of a file that is no more.
const GONE: &str = "gone";

/// A source that isn't what was measured.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stale {
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) how: &'static str,
}

#[cfg(test)]
mod tests {
    use super::super::notes::Accepted;
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let code = "fn a() {\n    b();\n}\n";
        let same = "//! About.\n\n/// More.\nfn a() {\n\n  // why\n  b();\n}\n\n#[cfg(test)]\nmod tests {\n  c();\n}\n";
        assert_eq!(digest(code), digest(same));
        assert_ne!(digest(code), digest("fn a() {\n    c();\n}\n"));
        // Not the end of the file's code.
        assert_ne!(digest(code), digest(&format!("#[cfg(test)]\nmod data;\n{code}")));
    }

    #[test]
    fn changes_are_named_until_they_are_accepted() {
        let of = |pairs: &[(&str, &str)]| -> Sources {
            pairs.iter().map(|(f, s)| ((*f).to_owned(), (*s).to_owned())).collect()
        };
        let recorded = of(&[("a.rs", "1"), ("b.rs", "2"), ("c.rs", "3")]);
        let now = of(&[("a.rs", "1"), ("b.rs", "9"), ("d.rs", "4")]);
        let mut notes = Notes::default();
        let files = |notes: &Notes| -> Vec<String> {
            stale(&recorded, &now, notes).into_iter().map(|s| s.file).collect()
        };
        assert_eq!(files(&notes), ["b.rs", "c.rs", "d.rs"]);
        for (file, sha256) in [("b.rs", "9"), ("c.rs", GONE), ("d.rs", "5")] {
            let why = "only a name".to_owned();
            notes.accepted.push(Accepted { file: file.into(), sha256: sha256.into(), why });
        }
        // What was accepted of d.rs is another version of it.
        assert_eq!(files(&notes), ["d.rs"]);
        assert!(stale(&recorded, &recorded, &Notes::default()).is_empty());
    }
}
