//! Files and folders; errors name them.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use biofast_io::{self as io, Source};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of a file; an empty one where there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<String> {
    if path.exists() { read(path) } else { Ok(String::new()) }
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The first `most` bytes of the text of a plain, BGZF or gzip file.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let reader = io::Reader::new(Source::open(path)?, &io::Options::serial())?;
    let read = reader.take(most).read_to_end(&mut text);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text)
}

pub(crate) fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot open {}", path.display()))
}

pub(crate) fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Writes a file, in a folder that is made if there is none.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
}

pub(crate) fn list(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut all = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    all.sort();
    Ok(all)
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_str(&read(path)?).with_context(|| format!("cannot parse {}", path.display()))
}

pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    toml::from_str(&read(path)?).with_context(|| format!("cannot parse {}", path.display()))
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).context("cannot serialise")? + "\n")
}
