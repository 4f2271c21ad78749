//! Reference sequences from a FASTA file.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use md5::{Digest, Md5};

use crate::cram::bytes::Result;
use crate::cram::store::ReferenceStore;
use crate::error::{Error, ErrorKind};
use crate::fasta::{Fasta, md5_sums_of};
use crate::header::Header;

/// Bases kept at hand beside those in use: a large chromosome.
const KEPT: usize = 256 << 20;

/// Where bases come from that a CRAM file doesn't have.
pub(super) struct Repository {
    origin: ReferenceOrigin,
    /// Sequences by index, the one used last at the end.
    kept: Mutex<Vec<(usize, Arc<[u8]>)>>,
}

enum ReferenceOrigin {
    /// They aren't wanted.
    Nowhere,
    Fasta {
        fasta: Fasta,
        name: Arc<str>,
    },
    /// What the environment names, and the sums of the header.
    Store(ReferenceStore, OnceLock<Vec<Option<[u8; 16]>>>),
}

impl Repository {
    fn new(origin: ReferenceOrigin) -> Repository {
        Repository { origin, kept: Mutex::default() }
    }

    /// Without any sequence.
    pub(super) fn nowhere() -> Repository {
        Repository::new(ReferenceOrigin::Nowhere)
    }

    /// The sequences that are where the environment says.
    pub(super) fn of_environment() -> Repository {
        let store = ReferenceStore::of_environment();
        Repository::new(ReferenceOrigin::Store(store, OnceLock::new()))
    }

    /// Opens a FASTA file: by its index (`.fai`) if there is one, by one made in memory if not, and as a whole if it is
    /// compressed otherwise than with bgzip.
    pub(super) fn open(path: &Path) -> std::result::Result<Repository, Error> {
        let name: Arc<str> = biofast_io::display_name(path).into();
        match Fasta::open_as(path, true) {
            Ok(fasta) => Ok(Repository::new(ReferenceOrigin::Fasta { fasta, name })),
            Err(error) => Err(Error::from_io(error, &name)),
        }
    }

    /// Finds the sequences of the header, with which they are compared.
    pub(super) fn bind(&self, header: &Header) {
        match &self.origin {
            ReferenceOrigin::Nowhere => {}
            ReferenceOrigin::Fasta { fasta, .. } => fasta.bind(header),
            ReferenceOrigin::Store(_, sums) => {
                sums.get_or_init(|| md5_sums_of(header));
            }
        }
    }

    /// The first reference of the header that isn't there, as far as is known without looking at its bases.
    pub(super) fn lacks(&self, header: &Header) -> Option<usize> {
        self.bind(header);
        let number = 0..header.references().len();
        match &self.origin {
            ReferenceOrigin::Nowhere => number.into_iter().next(),
            ReferenceOrigin::Fasta { .. } => None,
            ReferenceOrigin::Store(store, sums) => {
                let sum = |at: usize| sums.get().and_then(|sums| *sums.get(at)?);
                number.into_iter().find(|&at| sum(at).and_then(|sum| store.find(&sum)).is_none())
            }
        }
    }

    /// The sequence called `name`, in capitals; `index` is its number in the header.
    pub(super) fn get(&self, index: usize, name: &[u8]) -> Result<Arc<[u8]>> {
        let missing = |given| {
            let name = biofast_io::Shown(name).to_string();
            Err(ErrorKind::MissingReference { name, given })
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(kept, _)| *kept == index) {
            let found = kept.remove(at);
            let bases = Arc::clone(&found.1);
            kept.push(found);
            return Ok(bases);
        }
        let bases: Arc<[u8]> = match &self.origin {
            ReferenceOrigin::Nowhere => return missing(false),
            // A header has fewer than 2^31 sequences.
            ReferenceOrigin::Fasta { fasta, name: file } => match fasta.load(index as i32) {
                Ok(bases) => bases.into(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return missing(true),
                Err(error) => return Err(Error::from_io(error, file).into_parts().0),
            },
            ReferenceOrigin::Store(store, sums) => {
                let sum = sums.get().and_then(|sums| *sums.get(index)?);
                match sum.map_or(Ok(None), |sum| store.load(&sum)) {
                    Ok(Some(bases)) => bases.into(),
                    Ok(None) => return missing(false),
                    Err(error) => return Err(ErrorKind::read(error)),
                }
            }
        };
        let held =
            |kept: &[(usize, Arc<[u8]>)]| kept.iter().map(|kept| kept.1.len()).sum::<usize>();
        while !kept.is_empty() && held(&kept) + bases.len() > KEPT {
            kept.remove(0);
        }
        kept.push((index, Arc::clone(&bases)));
        Ok(bases)
    }
}

/// The MD5 sum that slices state of their stretch of the reference.
pub(super) fn md5(bases: &[u8]) -> [u8; 16] {
    Md5::digest(bases).into()
}
