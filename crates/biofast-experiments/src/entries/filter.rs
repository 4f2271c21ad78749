//! What 028 and 055 share: reads of good quality are kept, a read at a time and as the library does it.

use std::io::Write;

use biofast_fastq::{Inputs, Reader, Record, Transform, write_record};
use biofast_io::output::{Compression, Output, commit};
use biofast_io::{Options, Source};
use biofast_kernels::{BaseCounts, ERROR_SCALE, Kernels};

use super::prelude::*;

/// Whether a read has a mean error probability of at most 0.001 a base: Q30.
pub(super) fn is_good(kernels: &Kernels, qualities: &[u8]) -> bool {
    let errors = (kernels.sum_error_probability)(qualities) as f64;
    errors <= 0.001 * ERROR_SCALE * qualities.len() as f64
}

/// Writes the reads that `keep` keeps, as the library does it.
pub(super) fn filter<C: Default + Send>(
    source: Source,
    options: &Options,
    target: &Path,
    compression: Compression,
    keep: impl Fn(&mut C, &Record<'_>) -> bool + Sync,
    merge: impl Fn(&mut C, C) + Sync,
) -> Result<C> {
    let mut outputs = vec![Output::create_with(target, compression)?];
    let counts = Transform::new(Inputs::Single(source))
        .options(options)
        .run(
            &mut outputs,
            C::default,
            |counts, unit, texts| {
                if keep(counts, &unit.first) {
                    // Writing to memory can't fail.
                    let _ = write_record(&mut texts[0], &unit.first);
                }
            },
            merge,
        )
        .map_err(|failure| anyhow!("{failure:?}"))?;
    commit(outputs, false)?;
    Ok(counts)
}

/// What is computed of every read, and what is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    bases: BaseCounts,
    quality: u64,
    kept: u64,
}

impl Found {
    /// Composition and quality of a read; true if it is kept.
    pub(super) fn look_at(&mut self, kernels: &Kernels, bases: &[u8], qualities: &[u8]) -> bool {
        self.bases += (kernels.count_bases)(bases);
        self.quality += (kernels.summarize_qualities)(qualities).sum;
        let keep = is_good(kernels, qualities);
        self.kept += u64::from(keep);
        keep
    }

    pub(super) fn merge(&mut self, other: Found) {
        self.bases += other.bases;
        self.quality += other.quality;
        self.kept += other.kept;
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {} {}", self.bases, self.quality, self.kept)
    }
}

/// Everything on one thread, one read after the other.
pub(super) fn whole(path: &Path, kernels: &Kernels, out: &mut impl Write) -> Result<Found> {
    let mut reader = Reader::new(Source::open(path)?, &Options::serial())?;
    let mut found = Found::default();
    while let Some(record) = reader.next_record()? {
        if keep(&mut found, kernels, &record) {
            write_record(out, &record)?;
        }
    }
    Ok(found)
}

pub(super) fn keep(found: &mut Found, kernels: &Kernels, record: &Record<'_>) -> bool {
    found.look_at(kernels, record.sequence(), record.qualities())
}
