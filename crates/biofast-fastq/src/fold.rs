//! The parallel face: batches of records folded on all threads.

use biofast_io::pipeline::{self, Fault};
use biofast_io::{Options, Source};

use crate::error::Error;
use crate::framer::Framer;
use crate::record::Batch;

/// Folds all records of `source` on `options.threads` threads.
///
/// Every worker starts with `init()`, calls `accept` for each batch of records it gets, and
/// the workers' results are merged at the end. Each record is accepted exactly once; which
/// worker gets which batch is not determined, so `merge` must not depend on order.
///
/// ```
/// use biofast_fastq::par_fold;
/// use biofast_io::{Options, Source};
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let bases = par_fold(
///     source,
///     &Options::default(),
///     || 0usize,
///     |bases, batch| *bases += batch.iter().map(|r| r.sequence().len()).sum::<usize>(),
///     |bases, other| *bases += other,
/// )
/// .map_err(|fault| fault.error)?;
/// assert_eq!(bases, 6);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// The first fault in the order of the file, with the result over exactly the records before
/// it, whatever the number of threads.
pub fn par_fold<C: Send>(
    source: Source,
    options: &Options,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>) + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Fault<C, Error>> {
    let framer = Framer::new(source.name(), options);
    pipeline::fold(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame| accept(so_far, frame.batch(chunk)),
        merge,
    )
}
