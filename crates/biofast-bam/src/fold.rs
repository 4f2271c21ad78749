//! Batches of records folded on all threads.

use std::ops::ControlFlow;
use std::path::Path;

use biofast_io::pipeline::{self, Fault, Outcome};
use biofast_io::{Options, Source};

use crate::error::Error;
use crate::header::Header;
use crate::input::Input;
use crate::input_options::{Detail, InputOptions};
use crate::query::{Picked, Plan, Query};
use crate::record::Batch;
use crate::start::header_of;

/// Folds the records of an input on several threads: what to read, and how.
///
/// The input is a [`Query`] of some regions, or a [`Source`] that holds BAM, all of whose records are read. SAM or CRAM given directly is the error
/// [`NotBam`](crate::ErrorKind::NotBam): [`Input::open`](crate::Input::open) makes BAM of them.
/// Every worker starts with `init()`, calls `accept` for each batch of records it gets, and the
/// workers' results are merged at the end. Each record is accepted exactly once, however many regions it overlaps; which worker
/// gets which batch is not determined, so `merge` must not depend on order.
///
/// ```
/// use biofast_bam::{Detail, Fold, Input, InputOptions, Query, Selection};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, bases) = Fold::new(input.source).options(&options).run(
///     || 0,
///     |bases, batch| *bases += batch.iter().map(|record| record.sequence_len()).sum::<usize>(),
///     |bases, other| *bases += other,
/// )?;
/// assert_eq!((header.references().len(), bases), (1, 5));
///
/// // The records of two regions that overlap each other.
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut regions = Selection::new();
/// regions.add("c:1-10").add("c:5-20");
/// let (_, found) = Fold::new(Query::scan(input.source, &regions)).options(&options).run(
///     || 0,
///     |found, batch| *found += batch.len(),
///     |found, other| *found += other,
/// )?;
/// assert_eq!(found, 1);
/// # Ok::<(), biofast_bam::Error>(())
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
/// use biofast_bam::{Detail, Fold, Input, InputOptions};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// // Has one of the first thousand records base qualities?
/// let (_, found) = Fold::new(input.source).options(&options).limit(1000).run(
///     || false,
///     |found, batch| {
///         *found |= batch.iter().any(|record| record.qualities().first().is_some_and(|&quality| quality != 0xff));
///         if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     },
///     |found, other| *found |= other,
/// )?;
/// assert!(found);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[must_use = "nothing is read before it is run"]
pub struct Fold {
    query: Query,
    options: Option<Options>,
    limit: Option<u64>,
}

impl Fold {
    /// All records that `query` asks for.
    pub fn new(query: impl Into<Query>) -> Fold {
        Fold { query: query.into(), options: None, limit: None }
    }

    /// All records of a file of BAM, or of SAM or of CRAM that needs no reference.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Fold, Error> {
        let io = Options::default();
        let opened = InputOptions { io: &io, reference: None, detail: Detail::Full };
        Ok(Fold::new(Input::open(Source::open(path)?, &opened)?.source).options(&io))
    }

    biofast_io::builder_options!();

    /// Reads exactly the first `records` if that is a number, and looks at nothing behind them: a fault there is none. Of
    /// regions, records count that are read, wanted or not: [`ordered`](Fold::ordered) can end after so many wanted ones.
    pub fn limit(mut self, records: impl Into<Option<u64>>) -> Self {
        self.limit = records.into();
        self
    }

    /// Reads the input, and returns its header and the merged results of the workers.
    ///
    /// # Errors
    /// The first fault or failure in the order of the file. After a fault of the input the result so far is over
    /// exactly the records before it. With an index also records that show it not to be that of the file.
    pub fn run<C, R>(
        self,
        init: impl Fn() -> C + Sync,
        accept: impl Fn(&mut C, Batch<'_>) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<(Header, C), Fault<C, R::Error>>
    where
        C: Send,
        R: Outcome<Error>,
    {
        let (source, framer, plan) = Plan::new(self.query, &self.options.unwrap_or_default());
        let header = framer.header_slot();
        let result = pipeline::fold(
            source,
            &plan.options,
            framer,
            || Picked::new(init()),
            |picked, chunk, frame| {
                within(self.limit, &plan, picked, frame.batch(chunk), |so_far, batch| {
                    accept(so_far, batch).into_flow()
                })
            },
            |mine, theirs| mine.merge(theirs, &merge),
        );
        finish(&plan, result).map(|so_far| (header_of(&header), so_far))
    }

    /// The same, and beside it what depends on order: `accept` also fills a `T` for each batch, and
    /// `sink` gets them in the order of the file.
    ///
    /// The sink gets what `accept` has made of everything before the first end in the order of the file,
    /// and of that batch what was made before its failure: the same at any number of threads. It may end the reading
    /// or fail like `accept`, and leaves an empty `T`, which is used again.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use biofast_bam::{Detail, Fold, Input, InputOptions};
    /// use biofast_io::{Options, Source};
    ///
    /// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
    /// let options = Options::default();
    /// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
    /// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
    /// let mut names = Vec::new();
    /// Fold::new(input.source).options(&options).ordered(
    ///     || (),
    ///     |(), batch, some: &mut Vec<Vec<u8>>| some.extend(batch.iter().map(|r| r.name().to_vec())),
    ///     |(), ()| (),
    ///     |some| {
    ///         names.append(some);
    ///         if names.len() < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    ///     },
    /// )?;
    /// assert_eq!(names, [b"r1", b"r2"]);
    /// # Ok::<(), biofast_bam::Error>(())
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
    ) -> Result<(Header, C), Fault<C, O::Error>>
    where
        C: Send,
        T: Default + Send,
        R: Outcome<Error>,
        O: Outcome<R::Error, Error: From<Error>>,
    {
        let (source, framer, plan) = Plan::new(self.query, &self.options.unwrap_or_default());
        let header = framer.header_slot();
        let result = pipeline::fold_ordered(
            source,
            &plan.options,
            framer,
            || Picked::new(init()),
            |picked, chunk, frame, piece| {
                within(self.limit, &plan, picked, frame.batch(chunk), |so_far, batch| {
                    accept(so_far, batch, piece).into_flow()
                })
            },
            |mine, theirs| mine.merge(theirs, &merge),
            sink,
        );
        finish(&plan, result).map(|so_far| (header_of(&header), so_far))
    }
}

/// Lets `accept` see what of a batch is wanted and among the first `limit` records, and breaks after the last of them.
fn within<C, E>(
    limit: Option<u64>,
    plan: &Plan,
    picked: &mut Picked<C>,
    batch: Batch<'_>,
    accept: impl FnOnce(&mut C, Batch<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<ControlFlow<()>, E> {
    let is_last = plan.is_last(&batch);
    let flow = pipeline::within_limit(limit, batch.first_record(), batch.len(), |len| {
        plan.pick(picked, Batch { starts: &batch.starts[..len], ..batch }, accept)
    })?;
    Ok(if is_last { ControlFlow::Break(()) } else { flow })
}

/// The result without what picked the records; an error if they show that the index isn't that of the file.
fn finish<C, E: From<Error>>(
    plan: &Plan,
    result: Result<Picked<C>, Fault<Picked<C>, E>>,
) -> Result<C, Fault<C, E>> {
    match result {
        Ok(Picked { so_far, misfit: true, .. }) => {
            Err(Fault { error: plan.misfit().into(), so_far })
        }
        Ok(Picked { so_far, .. }) => Ok(so_far),
        Err(Fault { error, so_far }) => Err(Fault { error, so_far: so_far.so_far }),
    }
}
