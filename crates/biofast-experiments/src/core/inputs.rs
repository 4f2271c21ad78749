//! What conditions work on: the reads of a dataset in memory, or its files. Made once, checked against the
//! manifest, shared by all conditions of a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, ensure};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::pinning;
use super::protocol::Scale;
use crate::datasets::manifest::{FileEntry, Manifest};
use crate::datasets::{self, Format, to_hex};
use crate::files;

/// Bases and qualities of a dataset of short reads, each in one piece.
pub(crate) struct Reads {
    pub(crate) bases: Vec<u8>,
    pub(crate) qualities: Vec<u8>,
    /// Of every read.
    pub(crate) len: usize,
}

/// A file or text that took part, for the manifest of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UsedDataset {
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) records: u64,
}

/// Datasets, thread pools and places, for entries.
pub(crate) struct Lab {
    /// Where datasets live.
    dir: PathBuf,
    /// For files an entry writes; removed at the end.
    pub(crate) scratch: PathBuf,
    pub(crate) scale: Scale,
    /// True in a child process that runs one condition: files were verified by its parent.
    child: bool,
    reads: Mutex<BTreeMap<String, Arc<Reads>>>,
    pools: Mutex<BTreeMap<usize, Arc<ThreadPool>>>,
    used: Mutex<BTreeMap<String, UsedDataset>>,
}

impl Lab {
    pub(crate) fn new(dir: &Path, scratch: &Path, scale: Scale, child: bool) -> Self {
        Lab {
            dir: dir.to_owned(),
            scratch: scratch.to_owned(),
            scale,
            child,
            reads: Mutex::default(),
            pools: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// The reads of a dataset, generated in memory; their text must have the manifest's checksum.
    pub(crate) fn reads(&self, name: &str) -> Result<Arc<Reads>> {
        let mut all = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reads) = all.get(name) {
            return Ok(Arc::clone(reads));
        }
        let entry = self.entry(name, Format::Fastq)?;
        let mut hash = Sha256::new();
        let mut reads = Reads {
            bases: Vec::with_capacity(entry.bases as usize),
            qualities: Vec::with_capacity(entry.bases as usize),
            len: (entry.bases / entry.records.max(1)) as usize,
        };
        datasets::generate(name, |text| {
            hash.update(text);
            // Parts end with whole records.
            let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
            for record in lines.chunks_exact(4) {
                ensure!(record[1].len() == reads.len, "reads of {name} differ in length");
                reads.bases.extend_from_slice(record[1]);
                reads.qualities.extend_from_slice(record[3]);
            }
            Ok(())
        })?;
        let sha256 = to_hex(&hash.finalize());
        ensure!(
            sha256 == entry.sha256,
            "the text of {name} has the checksum {sha256}, the manifest says {}",
            entry.sha256
        );
        self.note(&entry);
        let reads = Arc::new(reads);
        all.insert(name.to_owned(), Arc::clone(&reads));
        Ok(reads)
    }

    /// The path of a dataset's file, which is built if absent and verified once.
    pub(crate) fn file(&self, name: &str, format: Format) -> Result<PathBuf> {
        let entry = self.entry(name, format)?;
        let path = self.dir.join(&entry.file);
        let known =
            self.used.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&entry.file);
        if !self.child && !known {
            if !path.exists() {
                datasets::build(&[name.to_owned()], &self.dir, false)?;
            }
            // In parts: a child's max RSS starts from this process's, so this process stays small.
            Manifest::read(&self.dir)?.check(&entry.rehash(&self.dir)?)?;
            self.note(&entry);
        }
        Ok(path)
    }

    /// What the manifest says about a dataset's file.
    pub(crate) fn entry(&self, name: &str, format: Format) -> Result<FileEntry> {
        let file = datasets::file_of(name, format)?;
        let manifest = Manifest::read(&self.dir)?;
        let entry = manifest
            .find(&file)
            .with_context(|| format!("{file} is not in the manifest of {}", self.dir.display()))?;
        Ok(entry.clone())
    }

    /// A pool of so many threads, each kept on a CPU, made once.
    pub(crate) fn pool(&self, threads: usize) -> Result<Arc<ThreadPool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&threads) {
            return Ok(Arc::clone(pool));
        }
        let cpus = pinning::allowed();
        let pool = Arc::new(
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .start_handler(move |worker| pinning::pin(&cpus, worker))
                .build()
                .context("cannot start threads")?,
        );
        pools.insert(threads, Arc::clone(&pool));
        Ok(pool)
    }

    /// A file in the scratch directory that `write` fills, made once under a name.
    pub(crate) fn scratch_file(
        &self,
        name: &str,
        write: impl FnOnce(&mut File) -> Result<()>,
    ) -> Result<PathBuf> {
        self.scratch_path(name, |path| {
            let part = self.scratch.join(format!("{name}.part"));
            let mut file = files::create(&part)?;
            write(&mut file)?;
            std::fs::rename(&part, path)
                .with_context(|| format!("cannot rename to {}", path.display()))
        })
    }

    /// A file or folder in the scratch directory that `make` makes at its path, once under a name.
    pub(crate) fn scratch_path(
        &self,
        name: &str,
        make: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let path = self.scratch.join(name);
        if !path.exists() {
            make(&path)?;
        }
        Ok(path)
    }

    /// Everything used so far.
    pub(crate) fn used(&self) -> Vec<UsedDataset> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn note(&self, entry: &FileEntry) {
        let used = UsedDataset {
            file: entry.file.clone(),
            sha256: entry.sha256.clone(),
            bytes: entry.bytes,
            records: entry.records,
        };
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(used.file.clone(), used);
    }
}
