//! The parallel face: batches of records folded on all threads.

use std::ops::ControlFlow;

use biofast_io::pipeline::{self, Fault};
use biofast_io::{Options, Source};

use crate::checks::Readable;
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
    source: impl Readable,
    options: &Options,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>) + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Fault<C, Error>> {
    let (source, framer) = framed(source, options);
    pipeline::fold(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame| accept(so_far, frame.batch(chunk)),
        merge,
    )
}

/// [`par_fold`] of the first `limit` records, or of all, with an `accept` that may end the reading early
/// or fail with an error of the caller's own type.
///
/// Exactly the first `limit` records are accepted, and what is behind them is not looked at: a
/// fault there is none. Of several ends (`Break`, failures, faults of the input) the first one in
/// the order of the file counts, whatever the number of threads. All batches before it have been
/// accepted then; a few behind a `Break` or failure may have been, too: use
/// [`par_try_fold_ordered`] for results that must not depend on that.
///
/// Reading can also be ended by [`Options::cancellation`](biofast_io::Options), and watched by
/// [`Options::progress`](biofast_io::Options).
///
/// ```
/// use std::ops::ControlFlow;
///
/// use biofast_fastq::par_try_fold;
/// use biofast_io::{Options, Source};
///
/// // Is there a read of poly-A among the first million?
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nAAAA\n+\nIIII\n"[..]);
/// let found = par_try_fold(
///     source,
///     &Options::default(),
///     Some(1_000_000),
///     || false,
///     |found, batch| -> Result<_, biofast_fastq::Error> {
///         *found |= batch.iter().any(|read| read.sequence().iter().all(|&base| base == b'A'));
///         Ok(if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
///     },
///     |found, other| *found |= other,
/// )?;
/// assert!(found);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// The first fault or failure in the order of the file. After a fault the result so far is over
/// exactly the records before it.
pub fn par_try_fold<C, E>(
    source: impl Readable,
    options: &Options,
    limit: Option<u64>,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>) -> Result<ControlFlow<()>, E> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Fault<C, E>>
where
    C: Send,
    E: From<Error> + Send,
{
    let (source, framer) = framed(source, options);
    pipeline::try_fold(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame| within(limit, frame.batch(chunk), |batch| accept(so_far, batch)),
        merge,
    )
}

/// [`par_fold`], and beside it what depends on order: `accept` also fills a `T` for each batch, and
/// `sink` gets them in the order of the file, until it breaks.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use biofast_fastq::par_fold_ordered;
/// use biofast_io::{Options, Source};
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let mut lengths = Vec::new();
/// par_fold_ordered(
///     source,
///     &Options::default(),
///     || (),
///     |(), batch, some: &mut Vec<usize>| some.extend(batch.iter().map(|r| r.sequence().len())),
///     |(), ()| (),
///     |some| {
///         lengths.append(some);
///         ControlFlow::Continue(())
///     },
/// )?;
/// assert_eq!(lengths, [4, 2]);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// As [`par_fold`].
pub fn par_fold_ordered<C: Send, T: Default + Send>(
    source: impl Readable,
    options: &Options,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>, &mut T) + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> ControlFlow<()> + Send,
) -> Result<C, Fault<C, Error>> {
    let (source, framer) = framed(source, options);
    pipeline::fold_ordered(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame, result| accept(so_far, frame.batch(chunk), result),
        merge,
        sink,
    )
}

/// [`par_fold_ordered`] of the first `limit` records, or of all, with functions that may fail with an
/// error of the caller's own type.
///
/// The sink gets what `accept` has made of everything before the first end in the order of the file,
/// and of that batch what was made before its failure: the same at any number of threads.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use biofast_fastq::par_try_fold_ordered;
/// use biofast_io::{Options, Source};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-ordered-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("names.txt");
/// // The names of the first two reads, to a file that may fill its disk.
/// let fastq = &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n@c\nT\n+\nI\n"[..];
/// let mut out = std::fs::File::create(&path)?;
/// par_try_fold_ordered(
///     Source::from_reader("example", fastq),
///     &Options::default(),
///     Some(2),
///     || (),
///     |(), batch, text: &mut Vec<u8>| {
///         for read in batch {
///             text.extend_from_slice(read.name());
///             text.push(b'\n');
///         }
///         Ok(ControlFlow::Continue(()))
///     },
///     |(), ()| (),
///     |text| -> Result<_, std::io::Error> {
///         std::io::Write::write_all(&mut out, text)?;
///         text.clear();
///         Ok(ControlFlow::Continue(()))
///     },
/// )
/// .map_err(|fault| fault.error)?;
/// assert_eq!(std::fs::read(&path)?, b"a\nb\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The first fault or failure in the order of the file.
pub fn par_try_fold_ordered<C, T, E>(
    source: impl Readable,
    options: &Options,
    limit: Option<u64>,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>, &mut T) -> Result<ControlFlow<()>, E> + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> Result<ControlFlow<()>, E> + Send,
) -> Result<C, Fault<C, E>>
where
    C: Send,
    T: Default + Send,
    E: From<Error> + Send,
{
    let (source, framer) = framed(source, options);
    pipeline::try_fold_ordered(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame, result| {
            within(limit, frame.batch(chunk), |batch| accept(so_far, batch, result))
        },
        merge,
        sink,
    )
}

/// Lets `accept` see what of a batch is among the first `limit` records, and breaks after the last of them.
fn within<E>(
    limit: Option<u64>,
    batch: Batch<'_>,
    accept: impl FnOnce(Batch<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<ControlFlow<()>, E> {
    pipeline::within_limit(limit, batch.first_record(), batch.len(), |len| {
        accept(batch.slice(0..len))
    })
}

/// A source and the framer that makes its checks.
pub(crate) fn framed<S: Readable>(source: S, options: &Options) -> (Source, Framer<S>) {
    let source = source.into_source();
    let framer = Framer::of(source.name(), options);
    (source, framer)
}
