//! Reference sequences from a FASTA file.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::{Container, Options, Reader, Source};
use md5::{Digest, Md5};
use noodles_fasta as fasta;

use crate::cram::bytes::Result;
use crate::error::{Error, ErrorKind};

/// Bases kept at hand beside those in use: a large chromosome.
const KEPT: usize = 256 << 20;

/// Where bases come from that a CRAM file doesn't have.
pub(super) enum Repository {
    /// None was given.
    Missing,
    Fasta(Mutex<Fasta>),
}

pub(super) struct Fasta {
    adapter: Box<dyn fasta::repository::Adapter>,
    /// The names there are, where that is known.
    names: Option<HashSet<Vec<u8>>>,
    /// Sequences by index, the one used last at the end.
    kept: Vec<(usize, Arc<[u8]>)>,
}

impl Repository {
    /// Opens a FASTA file: by its index (`.fai`) if there is one, by one made in memory if it
    /// is not compressed, and otherwise as a whole.
    pub(super) fn open(path: &Path) -> std::result::Result<Repository, Error> {
        let name: Arc<str> = biofast_io::display_name(path).into();
        let open = || -> io::Result<Fasta> {
            let with_suffix = |suffix: &str| {
                let mut name = path.as_os_str().to_owned();
                name.push(suffix);
                Path::new(&name).exists()
            };
            let content = Reader::new(Source::open(path)?, &Options::default())?;
            let container = content.container();
            let indexed =
                with_suffix(".fai") && (container == Container::Plain || with_suffix(".gzi"));
            if indexed || container == Container::Plain {
                let mut builder = fasta::io::indexed_reader::Builder::default();
                if !indexed {
                    builder = builder.set_index(fasta::fs::index(path)?);
                }
                let reader = builder.build_from_path(path)?;
                let names = reader.index().as_ref().iter().map(|r| r.name().to_vec()).collect();
                let adapter = fasta::repository::adapters::IndexedReader::new(reader);
                return Ok(Fasta {
                    adapter: Box::new(adapter),
                    names: Some(names),
                    kept: Vec::new(),
                });
            }
            let records: Vec<_> =
                fasta::io::Reader::new(content).records().collect::<io::Result<_>>()?;
            Ok(Fasta { adapter: Box::new(records), names: None, kept: Vec::new() })
        };
        match open() {
            Ok(fasta) => Ok(Repository::Fasta(Mutex::new(fasta))),
            Err(error) => {
                let (kind, mut at) = Error::from_io(error, &name).into_parts();
                at.name.get_or_insert(name);
                Err(Error::new(kind, at))
            }
        }
    }

    /// The sequence called `name`, in capitals; `index` is its number in the header.
    pub(super) fn get(&self, index: usize, name: &[u8]) -> Result<Arc<[u8]>> {
        let missing = || ErrorKind::MissingReference {
            name: biofast_io::Shown(name).to_string(),
            given: matches!(self, Repository::Fasta(_)),
        };
        let Repository::Fasta(fasta) = self else { return Err(missing()) };
        let mut fasta = fasta.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = fasta.kept.iter().position(|(kept, _)| *kept == index) {
            let found = fasta.kept.remove(at);
            let bases = Arc::clone(&found.1);
            fasta.kept.push(found);
            return Ok(bases);
        }
        if fasta.names.as_ref().is_some_and(|names| !names.contains(name)) {
            return Err(missing());
        }
        let record = fasta.adapter.get(name).ok_or_else(missing)?.map_err(|e| {
            let reason = format!("can't read the reference sequence: {e}");
            ErrorKind::BadCram(reason.into())
        })?;
        let bases: Arc<[u8]> = record.sequence().as_ref().to_ascii_uppercase().into();
        let held = |fasta: &Fasta| fasta.kept.iter().map(|(_, bases)| bases.len()).sum::<usize>();
        while !fasta.kept.is_empty() && held(&fasta) + bases.len() > KEPT {
            fasta.kept.remove(0);
        }
        fasta.kept.push((index, Arc::clone(&bases)));
        Ok(bases)
    }
}

/// The MD5 sum that slices state of their stretch of the reference.
pub(super) fn md5(bases: &[u8]) -> [u8; 16] {
    Md5::digest(bases).into()
}
