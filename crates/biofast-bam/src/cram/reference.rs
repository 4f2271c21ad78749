//! Reference sequences from a FASTA file.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use md5::{Digest, Md5};

use crate::cram::bytes::Result;
use crate::error::{Error, ErrorKind};
use crate::fasta::Fasta;
use crate::header::Header;

/// Bases kept at hand beside those in use: a large chromosome.
const KEPT: usize = 256 << 20;

/// Where bases come from that a CRAM file doesn't have.
pub(super) enum Repository {
    /// None was given.
    Missing,
    Fasta {
        fasta: Fasta,
        name: Arc<str>,
        /// Sequences by index, the one used last at the end.
        kept: Mutex<Vec<(usize, Arc<[u8]>)>>,
    },
}

impl Repository {
    /// Opens a FASTA file: by its index (`.fai`) if there is one, by one made in memory if not, and as a whole if it is
    /// compressed otherwise than with bgzip.
    pub(super) fn open(path: &Path) -> std::result::Result<Repository, Error> {
        let name: Arc<str> = biofast_io::display_name(path).into();
        match Fasta::open_as(path, true) {
            Ok(fasta) => Ok(Repository::Fasta { fasta, name, kept: Mutex::default() }),
            Err(error) => Err(Error::from_io(error, &name)),
        }
    }

    /// Finds the sequences of the header, with which they are compared.
    pub(super) fn bind(&self, header: &Header) {
        if let Repository::Fasta { fasta, .. } = self {
            fasta.bind(header);
        }
    }

    /// The sequence called `name`, in capitals; `index` is its number in the header.
    pub(super) fn get(&self, index: usize, name: &[u8]) -> Result<Arc<[u8]>> {
        let missing = |given| {
            let name = biofast_io::Shown(name).to_string();
            Err(ErrorKind::MissingReference { name, given })
        };
        let Repository::Fasta { fasta, name: file, kept } = self else { return missing(false) };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(kept, _)| *kept == index) {
            let found = kept.remove(at);
            let bases = Arc::clone(&found.1);
            kept.push(found);
            return Ok(bases);
        }
        // A header has fewer than 2^31 sequences.
        let bases: Arc<[u8]> = match fasta.load(index as i32) {
            Ok(bases) => bases.into(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return missing(true),
            Err(error) => return Err(Error::from_io(error, file).into_parts().0),
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
