//! Stretches of the reference sequences of an alignment, out of a FASTA file.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use biofast_io::remote::{Ranged, beside, is_there};

use crate::header::Header;

#[cfg(feature = "cram")]
pub(crate) mod index;
#[cfg(not(feature = "cram"))]
#[path = "fasta/no_index.rs"]
mod index;

/// A FASTA file opened for reading stretches of its sequences. Clones share the file.
///
/// The index beside it (`.fai`) is used if there is one; otherwise the file is read once to find
/// its sequences.
///
/// ```
/// use biofast_bam::Fasta;
///
/// # let path = std::env::temp_dir().join(format!("biofast-doc-fasta-{}.fa", std::process::id()));
/// std::fs::write(&path, ">chr1\nACGT\n")?;
/// let fasta = Fasta::open(&path)?;
/// # drop(fasta);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Fasta(Arc<Shared>);

struct Shared {
    file: Ranged,
    name: String,
    sequences: HashMap<Vec<u8>, Entry>,
    /// The sequences in the order of the alignment's references.
    bound: OnceLock<Vec<Bound>>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Bases.
    len: u64,
    /// Where the first base is in the file.
    offset: u64,
    bases_a_line: u64,
    bytes_a_line: u64,
}

struct Bound {
    name: String,
    entry: Option<Entry>,
}

impl Fasta {
    /// Opens a FASTA file, which must not be compressed.
    ///
    /// # Errors
    /// If it or its index can't be read, or it is compressed or not FASTA.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Fasta> {
        let path = path.as_ref();
        let name = biofast_io::display_name(path);
        let invalid =
            |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {what}"));
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{name}: {e}"));
        let file = Ranged::open(path).map_err(named)?;
        let mut start = [0; 2];
        let n = file.read_at(&mut start, 0).map_err(named)?;
        match &start[..n] {
            [0x1f, 0x8b] => {
                return Err(invalid("a compressed reference; decompress it first"));
            }
            [b'>', ..] => {}
            _ => return Err(invalid("not FASTA: it doesn't start with '>'")),
        }
        let index_path = beside(path, ".fai");
        let sequences = match is_there(&index_path)? {
            true => index::read(&index_path)
                .map_err(|e| invalid(&format!("its index (.fai) can't be read: {e}")))?,
            false => index::of(path).map_err(named)?,
        };
        Ok(Fasta(Arc::new(Shared { file, name, sequences, bound: OnceLock::new() })))
    }

    /// Finds the references of `header` among the sequences. The first header counts.
    pub fn bind(&self, header: &Header) {
        self.0.bound.get_or_init(|| {
            let bind = |reference: &crate::Reference| Bound {
                name: String::from_utf8_lossy(&reference.name).into_owned(),
                entry: self.0.sequences.get(&reference.name).copied(),
            };
            header.references().iter().map(bind).collect()
        });
    }

    fn entry(&self, reference: i32) -> io::Result<Entry> {
        let bound = self.0.bound.get().map_or(&[][..], |bound| bound);
        let bound = usize::try_from(reference).ok().and_then(|index| bound.get(index));
        bound.and_then(|bound| bound.entry).ok_or_else(|| {
            let name = bound.map_or("*", |bound| &bound.name);
            let message = format!("{}: no sequence is called {name:?}", self.0.name);
            io::Error::new(io::ErrorKind::NotFound, message)
        })
    }

    /// The length in bases of a reference, given by its index in the header.
    ///
    /// # Errors
    /// If the file doesn't have it.
    pub fn len(&self, reference: i32) -> io::Result<u64> {
        self.entry(reference).map(|entry| entry.len)
    }

    /// Replaces `out` by the bases from `start` (from 0) on: `len` of them, or fewer at the end
    /// of the sequence.
    ///
    /// # Errors
    /// If the file doesn't have the sequence or can't be read.
    pub fn fetch(
        &self,
        reference: i32,
        start: u64,
        len: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let entry = self.entry(reference)?;
        let end = entry.len.min(start.saturating_add(len as u64));
        out.clear();
        if start >= end {
            return Ok(());
        }
        let place = |base: u64| {
            entry.offset
                + base / entry.bases_a_line * entry.bytes_a_line
                + base % entry.bases_a_line
        };
        let (first, last) = (place(start), place(end - 1));
        out.resize((last + 1 - first) as usize, 0);
        let n = self.0.file.read_at(out, first)?;
        let complete = n == out.len();
        out.retain(|b| !b.is_ascii_whitespace());
        if !complete || out.len() as u64 != end - start {
            let message = format!("{}: the file doesn't fit its index (.fai)", self.0.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::bam;

    #[test]
    fn stretches_across_lines_with_and_without_an_index() -> Result<(), Box<dyn std::error::Error>>
    {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("ref.fa");
        std::fs::write(&path, ">chr1 first\nACGTA\nCCGGT\nTT\n>chr2\nGG\n")?;
        let header = bam::header(&[("chr2", 2), ("chr1", 12), ("chr3", 5)]);
        let header = match Header::parse(&header) {
            Ok(crate::header::Parsed::Complete(header, _)) => header,
            _ => return Err("the header is complete".into()),
        };
        for indexed in [false, true] {
            if indexed {
                std::fs::write(
                    dir.path().join("ref.fa.fai"),
                    "chr1\t12\t12\t5\t6\nchr2\t2\t33\t2\t3\n",
                )?;
            }
            let fasta = Fasta::open(&path)?;
            fasta.bind(&header);
            let mut out = Vec::new();
            fasta.fetch(1, 3, 6, &mut out)?;
            assert_eq!(out, b"TACCGG");
            fasta.fetch(1, 10, 100, &mut out)?;
            assert_eq!(out, b"TT");
            fasta.fetch(0, 0, 1, &mut out)?;
            assert_eq!(out, b"G");
            assert_eq!((fasta.len(0)?, fasta.len(1)?), (2, 12));
            assert!(fasta.fetch(2, 0, 1, &mut out).is_err());
            assert!(fasta.fetch(-1, 0, 1, &mut out).is_err());
        }
        Ok(())
    }
}
