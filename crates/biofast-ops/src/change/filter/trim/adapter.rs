//! Adapters of known sequence.

use super::Trim;
use super::overlap::mismatches;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// The adapters of a common library preparation kit, for first and second reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kit {
    /// Its name on the command line.
    pub name: &'static str,
    /// The adapter at the end of first and of second reads.
    pub adapters: [&'static str; 2],
}

/// The kits that are known by name. Sequences as the makers publish them.
pub const KITS: &[Kit] = &[
    Kit {
        name: "truseq",
        adapters: ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT"],
    },
    Kit { name: "nextera", adapters: ["CTGTCTCTTATACACATCT", "CTGTCTCTTATACACATCT"] },
    Kit { name: "small-rna", adapters: ["TGGAATTCTCGGGTGCCAAGG", "GATCGTCGGACTGTAGAACTCTGAAC"] },
    Kit {
        name: "mgi",
        adapters: [
            "AAGTCGGAGGCCAAGCGGTCTTAGGAAGACAA",
            "AAGTCGGATCGTAGCCATGTCGTTCTGTGAGCCAAGGAGTTG",
        ],
    },
];

/// Cuts a read at the first adapter found in it.
///
/// An adapter is found at a position if adapter and read overlap from there by at least the minimum overlap, and differ
/// in at most the given fraction of the overlapping bases, rounded down. N in the adapter matches any base.
#[derive(Clone, Debug)]
pub struct Adapters {
    adapters: [Vec<Vec<u8>>; 2],
    min_overlap: usize,
    error_rate: f64,
}

/// An adapter that isn't a sequence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a valid adapter: expected A, C, G, T and N")]
pub struct InvalidAdapter(String);

impl Adapters {
    /// No adapters yet; `min_overlap` bases at least (and at least 1), and of those compared at
    /// most the share `error_rate` that differ.
    pub fn new(min_overlap: usize, error_rate: f64) -> Adapters {
        Adapters { adapters: [Vec::new(), Vec::new()], min_overlap: min_overlap.max(1), error_rate }
    }

    /// Adds an adapter of first (0) or second (1) reads.
    ///
    /// # Errors
    /// If it is empty or has other letters than A, C, G, T and N.
    pub fn add(&mut self, mate: usize, adapter: &[u8]) -> Result<(), InvalidAdapter> {
        let adapter = adapter.to_ascii_uppercase();
        if adapter.is_empty() || adapter.iter().any(|b| !b"ACGTN".contains(b)) {
            return Err(InvalidAdapter(String::from_utf8_lossy(&adapter).into_owned()));
        }
        self.adapters[mate.min(1)].push(adapter);
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.adapters.iter().all(Vec::is_empty)
    }

    /// Where `adapter` is first found in `sequence`.
    fn find(&self, sequence: &[u8], adapter: &[u8]) -> Option<usize> {
        let has_n = adapter.contains(&b'N');
        (0..(sequence.len() + 1).saturating_sub(self.min_overlap)).find(|&at| {
            let len = adapter.len().min(sequence.len() - at);
            let allowed = (len as f64 * self.error_rate) as usize;
            let (read, adapter) = (&sequence[at..at + len], &adapter[..len]);
            if has_n {
                let differ = read.iter().zip(adapter).filter(|&(a, b)| *b != b'N' && a != b);
                return differ.count() <= allowed;
            }
            mismatches(read, adapter, allowed) <= allowed
        })
    }
}

impl Trimmer for Adapters {
    fn kind(&self) -> Trim {
        Trim::Adapter
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let found = self.adapters[mate].iter().filter_map(|a| self.find(read.sequence(), a)).min();
        if let Some(at) = found {
            read.truncate(at);
        }
    }
}
