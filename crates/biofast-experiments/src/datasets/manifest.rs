//! `datasets/manifest.toml`: what every generated file must be. Read by `build` and `verify`, which treat any
//! difference as an error; written by `build --update-manifest`.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::count::{Counted, count};
use super::profile::Profile;
use super::to_hex;
use super::writer::Format;
use crate::files;

/// The manifest's file name inside the datasets directory.
pub const MANIFEST_NAME: &str = "manifest.toml";

const HEADER: &str = "# The generated datasets. Written by `biofast-lab datasets build --update-manifest`; do not edit.\n\
                      # Paths are relative to this file. README.md beside it explains the fields.\n\n";

/// All known files.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// One entry a file, in the order of the catalogue.
    #[serde(default)]
    pub file: Vec<FileEntry>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The dataset it holds.
    pub dataset: String,
    /// Path relative to the manifest.
    pub file: String,
    /// Container.
    pub format: Format,
    /// Seed of the generator.
    pub seed: u64,
    /// Quality profile.
    pub profile: Profile,
    /// FASTQ or BAM records.
    pub records: u64,
    /// Bases in all records.
    pub bases: u64,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

impl Manifest {
    /// Reads the manifest in `dir`; an absent one is empty.
    pub fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(MANIFEST_NAME);
        if path.exists() { files::read_toml(&path) } else { Ok(Manifest::default()) }
    }

    /// Writes the manifest to `dir`.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(MANIFEST_NAME);
        let text =
            HEADER.to_owned() + &toml::to_string(self).context("cannot serialise the manifest")?;
        files::write(&path, text)
    }

    /// The entry of a file.
    pub fn find(&self, file: &str) -> Option<&FileEntry> {
        self.file.iter().find(|entry| entry.file == file)
    }

    /// Adds or replaces an entry and keeps entries in the order of `catalogue` (names of files).
    pub fn replace(&mut self, entry: FileEntry, catalogue: &[String]) {
        self.file.retain(|old| old.file != entry.file);
        self.file.push(entry);
        self.file.sort_by_key(|e| catalogue.iter().position(|name| *name == e.file));
    }

    /// Fails, naming each differing field, unless `found` is what the manifest says.
    pub fn check(&self, found: &FileEntry) -> Result<()> {
        let Some(expected) = self.find(&found.file) else {
            bail!(
                "{} is not in the manifest; `datasets build --update-manifest {}` adds it",
                found.file,
                found.dataset
            );
        };
        let fields: [(&str, String, String); 7] = [
            ("format", format!("{:?}", expected.format), format!("{:?}", found.format)),
            ("seed", expected.seed.to_string(), found.seed.to_string()),
            ("profile", expected.profile.name().to_owned(), found.profile.name().to_owned()),
            ("records", expected.records.to_string(), found.records.to_string()),
            ("bases", expected.bases.to_string(), found.bases.to_string()),
            ("bytes", expected.bytes.to_string(), found.bytes.to_string()),
            ("sha256", expected.sha256.clone(), found.sha256.clone()),
        ];
        let differences: Vec<String> = fields
            .iter()
            .filter(|(_, want, have)| want != have)
            .map(|(field, want, have)| format!("{field} {have}, manifest {want}"))
            .collect();
        ensure!(differences.is_empty(), "{}: {}", found.file, differences.join("; "));
        Ok(())
    }
}

impl FileEntry {
    /// Size and checksum of the file of this entry, read 1 MB at a time; records and bases are taken over.
    pub fn rehash(&self, dir: &Path) -> Result<FileEntry> {
        let path = dir.join(&self.file);
        let mut hash = Sha256::new();
        let bytes = read_parts(&path, |part| hash.update(part))?;
        Ok(FileEntry { bytes, sha256: to_hex(&hash.finalize()), ..self.clone() })
    }

    /// What the file of this entry is now: size, checksum, records and bases are recomputed from its bytes.
    pub fn recompute(&self, dir: &Path) -> Result<FileEntry> {
        let Counted { records, bases } = count(&dir.join(&self.file), self.format, 1)?;
        Ok(FileEntry { records, bases, ..self.rehash(dir)? })
    }
}

/// Hands a file's bytes to `sink` in parts of up to 1 MB; returns how many there were.
fn read_parts(path: &Path, mut sink: impl FnMut(&[u8])) -> Result<u64> {
    let mut file = files::open(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let n =
            file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if n == 0 {
            return Ok(bytes);
        }
        sink(&buffer[..n]);
        bytes += n as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> FileEntry {
        FileEntry {
            dataset: "d".into(),
            file: "generated/d.fq".into(),
            format: Format::Fastq,
            seed: 1,
            profile: Profile::Hiseq,
            records: 2,
            bases: 7,
            bytes: 26,
            sha256: "00".into(),
        }
    }

    #[test]
    fn mismatch_is_an_error_that_names_the_field() {
        let manifest = Manifest { file: vec![entry()] };
        manifest.check(&entry()).expect("the same entry");
        let error = manifest
            .check(&FileEntry { bases: 8, ..entry() })
            .expect_err("bases differ")
            .to_string();
        assert_eq!(error, "generated/d.fq: bases 8, manifest 7");
        assert!(manifest.check(&FileEntry { file: "generated/e.fq".into(), ..entry() }).is_err());
    }
}
