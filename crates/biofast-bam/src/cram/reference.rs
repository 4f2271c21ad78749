//! Reference sequences from a FASTA file.

use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::remote::{Ranged, address, beside, is_there};
use biofast_io::{Container, Options, Reader, Source};
use md5::{Digest, Md5};
use noodles_fasta as fasta;

use crate::cram::bytes::Result;
use crate::error::{Error, ErrorKind};
use crate::fasta::index;

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

impl Fasta {
    fn indexed<R>(reader: fasta::io::IndexedReader<R>) -> Fasta
    where
        R: io::BufRead + io::Seek + Send + Sync + 'static,
    {
        let names = reader.index().as_ref().iter().map(|r| r.name().to_vec()).collect();
        let adapter = fasta::repository::adapters::IndexedReader::new(reader);
        Fasta { adapter: Box::new(adapter), names: Some(names), kept: Vec::new() }
    }
}

/// A file whose reads are tried again when a signal interrupts them, as noodles' FASTA reader doesn't.
struct Patient(Ranged);

impl io::Read for Patient {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(out) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

impl io::Seek for Patient {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Repository {
    /// Opens a FASTA file: by its index (`.fai`) if there is one, by one made in memory if it
    /// is not compressed, and otherwise as a whole.
    pub(super) fn open(path: &Path) -> std::result::Result<Repository, Error> {
        let name: Arc<str> = biofast_io::display_name(path).into();
        let open = || -> io::Result<Fasta> {
            let has = |suffix: &str| is_there(&beside(path, suffix));
            let content = Reader::new(Source::open(path)?, &Options::default())?;
            let container = content.container();
            let indexed = has(".fai")? && (container == Container::Plain || has(".gzi")?);
            if container == Container::Plain {
                let index = match indexed {
                    true => index::parse(&beside(path, ".fai"))?,
                    false => index::made(path)?,
                };
                let file = BufReader::new(Patient(Ranged::open(path)?));
                return Ok(Fasta::indexed(fasta::io::IndexedReader::new(file, index)));
            }
            // The reader of compressed parts takes files only.
            if indexed && address(path).is_none() {
                let builder = fasta::io::indexed_reader::Builder::default();
                return Ok(Fasta::indexed(builder.build_from_path(path)?));
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
