//! The parallel face: batches of records, or pairs of reads, folded on all threads.

use std::ops::ControlFlow;
use std::path::Path;

use biofast_io::pipeline::{self, Failure, Fault, Outcome};
use biofast_io::{Options, Source};

use crate::checks::Readable;
use crate::error::Error;
use crate::framer::framed;
use crate::inputs::{Inputs, Unit};
use crate::outcome::UnitOutcome;
use crate::record::Batch;
use crate::transform::Transform;

/// Folds all records of an input on several threads: what to read, and how.
///
/// The input is a [`Source`], something else that is [`Readable`], or [`Inputs`], whose pairs are read together.
/// Every worker starts with `init()`, calls `accept` for each batch of records it gets, and
/// the workers' results are merged at the end. Each record is accepted exactly once; which
/// worker gets which batch is not determined, so `merge` must not depend on order.
///
/// ```
/// use biofast_fastq::Fold;
/// use biofast_io::Source;
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let bases = Fold::new(source).threads(2).run(
///     || 0,
///     |bases, batch| *bases += batch.iter().map(|read| read.sequence().len()).sum::<usize>(),
///     |bases, other| *bases += other,
/// )?;
/// assert_eq!(bases, 6);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// `accept` may end the reading early by returning a [`ControlFlow`], or fail with an error of the caller's own type,
/// which is returned unchanged: see [`Outcome`](pipeline::Outcome). Of several ends (the limit, `Break`, failures,
/// faults of the input) the first one in the order of the file counts, whatever the number of threads. All batches before it
/// have been accepted then; a few behind a `Break` or failure may have been, too: [`ordered`](Fold::ordered) is for
/// results that must not depend on that.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use biofast_fastq::Fold;
/// use biofast_io::Source;
///
/// // Is there a read of poly-A among the first million?
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nAAAA\n+\nIIII\n"[..]);
/// let found = Fold::new(source).limit(1_000_000).run(
///     || false,
///     |found, batch| {
///         *found |= batch.iter().any(|read| read.sequence().iter().all(|&base| base == b'A'));
///         if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     },
///     |found, other| *found |= other,
/// )?;
/// assert!(found);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[must_use = "nothing is read before it is run"]
pub struct Fold<I = Source> {
    input: I,
    options: Option<Options>,
    limit: Option<u64>,
}

impl<I> Fold<I> {
    /// All records of `input`.
    pub fn new(input: I) -> Fold<I> {
        Fold { input, options: None, limit: None }
    }

    biofast_io::builder_options!();

    /// Reads exactly the first `records` (or pairs) if that is a number. What is behind them is not looked at: a fault there
    /// is none.
    pub fn limit(mut self, records: impl Into<Option<u64>>) -> Self {
        self.limit = records.into();
        self
    }
}

impl Fold {
    /// All records of a file of FASTQ.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Fold, Error> {
        Ok(Fold::new(Source::open(path)?))
    }
}

impl<S: Readable> Fold<S> {
    /// Reads the input, and returns the merged results of the workers.
    ///
    /// # Errors
    /// The first fault or failure in the order of the file. After a fault of the input the result so far is over
    /// exactly the records before it, whatever the number of threads.
    pub fn run<C, R>(
        self,
        init: impl Fn() -> C + Sync,
        accept: impl Fn(&mut C, Batch<'_>) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<C, Fault<C, R::Error>>
    where
        C: Send,
        R: Outcome<Error>,
    {
        let (options, limit) = (self.options.unwrap_or_default(), self.limit);
        let (source, framer) = framed(self.input, &options);
        pipeline::fold(
            source,
            &options,
            framer,
            init,
            |so_far, chunk, frame| {
                within(limit, frame.batch(chunk), |batch| accept(so_far, batch).into_flow())
            },
            merge,
        )
    }

    /// The same, and beside it what depends on order: `accept` also fills a `T` for each batch, and
    /// `sink` gets them in the order of the file.
    ///
    /// The sink gets what `accept` has made of everything before the first end in the order of the file,
    /// and of that batch what was made before its failure: the same at any number of threads. It may end the reading
    /// or fail like `accept`, and leaves an empty `T`, which is used again.
    ///
    /// ```
    /// use biofast_fastq::Fold;
    /// use biofast_io::Source;
    ///
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-ordered-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("names.txt");
    /// // The names of the first two reads, to a file that may fill its disk.
    /// let fastq = &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n@c\nT\n+\nI\n"[..];
    /// let mut out = std::fs::File::create(&path)?;
    /// let result = Fold::new(Source::from_reader("example", fastq)).limit(2).ordered(
    ///     || (),
    ///     |(), batch, text: &mut Vec<u8>| {
    ///         for read in batch {
    ///             text.extend_from_slice(read.name());
    ///             text.push(b'\n');
    ///         }
    ///     },
    ///     |(), ()| (),
    ///     |text| -> std::io::Result<()> {
    ///         std::io::Write::write_all(&mut out, text)?;
    ///         text.clear();
    ///         Ok(())
    ///     },
    /// );
    /// result.map_err(|fault| fault.error)?;
    /// assert_eq!(std::fs::read(&path)?, b"a\nb\n");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Fold::run).
    pub fn ordered<C, T, R, O>(
        self,
        init: impl Fn() -> C + Sync,
        accept: impl Fn(&mut C, Batch<'_>, &mut T) -> R + Sync,
        merge: impl Fn(&mut C, C),
        sink: impl FnMut(&mut T) -> O + Send,
    ) -> Result<C, Fault<C, O::Error>>
    where
        C: Send,
        T: Default + Send,
        R: Outcome<Error>,
        O: Outcome<R::Error, Error: From<Error>>,
    {
        let (options, limit) = (self.options.unwrap_or_default(), self.limit);
        let (source, framer) = framed(self.input, &options);
        pipeline::fold_ordered(
            source,
            &options,
            framer,
            init,
            |so_far, chunk, frame, piece| {
                within(limit, frame.batch(chunk), |batch| accept(so_far, batch, piece).into_flow())
            },
            merge,
            sink,
        )
    }
}

impl<S: Readable> Fold<Inputs<S>> {
    /// Reads the inputs in step, and calls `accept` for each read, or for each pair if they are paired; pairs are checked as
    /// [`Transform`] does it.
    ///
    /// ```
    /// use biofast_fastq::{Fold, Inputs};
    /// use biofast_io::Source;
    ///
    /// let first = Source::from_reader("first", &b"@a/1\nACGT\n+\nIIII\n"[..]);
    /// let second = Source::from_reader("second", &b"@a/2\nGG\n+\nII\n"[..]);
    /// let bases = Fold::new(Inputs::Paired(first, second)).run(
    ///     || 0,
    ///     |bases, pair| *bases += pair.records().map(|read| read.sequence().len()).sum::<usize>(),
    ///     |bases, other| *bases += other,
    /// )?;
    /// assert_eq!(bases, 6);
    /// # Ok::<(), biofast_fastq::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault or failure in the order of the data.
    pub fn run<C, R>(
        self,
        init: impl Fn() -> C + Sync,
        accept: impl Fn(&mut C, Unit<'_>) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<C, R::Error>
    where
        C: Send,
        R: UnitOutcome,
    {
        let Fold { input, options, limit } = self;
        let transform = Transform::new(input).options(&options.unwrap_or_default()).limit(limit);
        let result = transform.run(&mut [], init, |so_far, unit, _| accept(so_far, unit), merge);
        result.map_err(|failure| match failure {
            Failure::Input(error) => error,
            // There is none.
            Failure::Output(error) => Error::from(error).into(),
        })
    }
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
