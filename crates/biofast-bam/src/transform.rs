//! Records to outputs, in order, on all threads.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::{self, Copies, Failure, Group, Outcome, Part, TransformInput};

use crate::error::Error;
use crate::framer::{BelongsTogether, Framer};
use crate::header::Header;
use crate::query::{Picked, Plan, Query};
use crate::record::{Batch, Record};
use crate::start::header_of;

/// Turns the records of a [`Query`], or of a [`Source`](biofast_io::Source) that holds BAM, into outputs on several threads,
/// in the order of the records: what to read, and how.
///
/// ```
/// use biofast_bam::{Input, InputOptions, SamWriter, Transform, peek_header};
/// use biofast_io::{Options, Source, output};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-bam-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("mapped.sam");
/// let sam = b"@SQ\tSN:c\tLN:9\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Default::default() };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, source) = peek_header(input.source)?;
/// let writer = SamWriter::new(&header);
/// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
/// Transform::new(source).options(&options).run(
///     &mut outputs,
///     || (),
///     |(), batch, texts| {
///         let mapped = batch.iter().filter(|record| record.flags() & 4 == 0);
///         mapped.into_iter().try_for_each(|record| writer.write(&record, &mut texts[0]))
///     },
///     |(), ()| (),
/// )?;
/// output::commit(outputs, false)?;
/// assert_eq!(std::fs::read(&path)?, b"r1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is read before it is run"]
pub struct Transform {
    query: Query,
    options: Option<Options>,
    together: Option<BelongsTogether>,
}

impl Transform {
    /// All records that `query` asks for.
    pub fn new(query: impl Into<Query>) -> Transform {
        Transform { query: query.into(), options: None, together: None }
    }

    biofast_io::builder_options!();

    /// Whether records of the same name that follow one another are never split over batches: the longest such run has to fit
    /// memory.
    pub fn keep_names_together(mut self, together: bool) -> Self {
        let same_name = |one: &Record<'_>, other: &Record<'_>| one.name() == other.name();
        self.together = together.then(|| Box::new(same_name) as BelongsTogether);
        self
    }

    /// Never splits a record and the one before it over batches where `together` says so of both: the longest such run has to fit
    /// memory, and 4 GiB.
    #[doc(hidden)]
    pub fn keep_together(
        mut self,
        together: impl Fn(&Record<'_>, &Record<'_>) -> bool + Send + 'static,
    ) -> Self {
        self.together = Some(Box::new(together));
        self
    }

    fn start(self) -> Started {
        let (source, framer, plan) = Plan::new(self.query, &self.options.unwrap_or_default());
        let framer = match self.together {
            Some(together) => framer.keep_together(together),
            None => framer,
        };
        let header = framer.header_slot();
        let input = TransformInput { source, options: plan.options.clone(), framer };
        let lockstep = pipeline::Plan { threads: plan.options.threads, multiple: 1, limit: None };
        Started { input, plan, lockstep, header }
    }

    /// Reads the records and writes what `each` makes of them to `outputs`, in their order. Returns the header and the merged
    /// results of the workers.
    ///
    /// `each` gets a batch of the records asked for and appends to one text an output. What was
    /// [appended](Output::append) to an output before comes first in it. If `each` [breaks or fails](Outcome), what it has
    /// appended is still written, and nothing after it. An error of the caller's own is returned unchanged; an [`Error`] about
    /// a record of the batch gets its number and place.
    ///
    /// The outputs appear when they are [committed](biofast_io::output::commit).
    ///
    /// # Errors
    /// The first fault or failure in the order of the data, after everything before it has been given to the
    /// outputs; or the failure of an output. The outputs are then not complete.
    pub fn run<C, R>(
        self,
        outputs: &mut [Output],
        init: impl Fn() -> C + Sync,
        each: impl Fn(&mut C, Batch<'_>, &mut [Vec<u8>]) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<(Header, C), Failure<R::Error>>
    where
        C: Send,
        R: Outcome<Error, Error: 'static>,
    {
        let each = |so_far: &mut C, batch: Batch<'_>, texts: &mut [Vec<u8>], _: &mut [Copies]| {
            each(so_far, batch, texts)
        };
        self.run_copying(outputs, init, each, merge)
    }

    /// [`run`](Self::run) where `each` also says which records it writes [as they are](Batch::copied), for outputs that are
    /// [`copying`](Output::copying).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    #[doc(hidden)]
    pub fn run_copying<C, R>(
        self,
        outputs: &mut [Output],
        init: impl Fn() -> C + Sync,
        each: impl Fn(&mut C, Batch<'_>, &mut [Vec<u8>], &mut [Copies]) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<(Header, C), Failure<R::Error>>
    where
        C: Send,
        R: Outcome<Error, Error: 'static>,
    {
        let Started { input, plan, lockstep, header } = self.start();
        // One input can't be uneven.
        let (picked, _) = pipeline::transform(
            vec![input],
            lockstep,
            outputs,
            || Picked::new(init()),
            |picked, group: &Group<Framer>, texts, copies| {
                write_group(&plan, group, texts, copies, |batch, texts, copies| {
                    plan.pick(picked, batch, |so_far, batch| each(so_far, batch, texts, copies))
                })
            },
            |mine, theirs| mine.merge(theirs, &merge),
        )?;
        end(&plan, &header, picked)
    }

    /// [`run_copying`](Self::run_copying) where `each` has to know what `decide` says, which knows of records further on.
    ///
    /// `survey` adds what it finds in a batch to what is found of a group of them. `decide` takes that in the order of the groups,
    /// and `None` after the last of them, and appends what is decided: one for each group, in their order, whenever it can. Groups
    /// wait in memory until then.
    ///
    /// # Errors
    /// As [`run`](Self::run), and that of `decide`.
    #[doc(hidden)]
    pub fn run_surveyed<C, S, D, R>(
        self,
        outputs: &mut [Output],
        init: impl Fn() -> C + Sync,
        (survey, decide): (
            impl Fn(&mut C, Batch<'_>, &mut S) + Sync,
            impl FnMut(Option<S>, &mut Vec<D>) -> Result<(), R::Error> + Send,
        ),
        each: impl Fn(&mut C, Batch<'_>, &D, &mut [Vec<u8>], &mut [Copies]) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<(Header, C), Failure<R::Error>>
    where
        C: Send,
        S: Default + Send,
        D: Send,
        R: Outcome<Error, Error: 'static>,
    {
        let Started { input, plan, lockstep, header } = self.start();
        let survey = |picked: &mut Picked<C>, group: &Group<Framer>| {
            let mut found = S::default();
            for batch in group.input(0).iter().map(batch_of) {
                plan.pick(picked, batch, |so_far, batch| survey(so_far, batch, &mut found));
            }
            found
        };
        let (picked, _) = pipeline::transform_surveyed(
            vec![input],
            lockstep,
            outputs,
            || Picked::new(init()),
            (survey, decide),
            |picked, group: &Group<Framer>, decided, texts, copies| {
                write_group(&plan, group, texts, copies, |batch, texts, copies| {
                    let each = |so_far: &mut C, batch: Batch<'_>| {
                        each(so_far, batch, &decided, texts, copies)
                    };
                    plan.pick(picked, batch, each)
                })
            },
            |mine, theirs| mine.merge(theirs, &merge),
        )?;
        end(&plan, &header, picked)
    }
}

/// What a transform reads, and how.
struct Started {
    input: TransformInput<Framer>,
    plan: Plan,
    lockstep: pipeline::Plan,
    /// Where the header will be.
    header: Arc<OnceLock<Arc<Header>>>,
}

/// The records of a part of a group.
fn batch_of(part: &Part<Framer>) -> Batch<'_> {
    let whole = part.frame().batch(part.chunk());
    let records = part.records();
    let first = whole.first + records.start as u64;
    Batch { starts: &whole.starts[records], first, ..whole }
}

/// Gives the batches of a group to `each`; what it fails with gets its place.
fn write_group<R: Outcome<Error, Error: 'static>>(
    plan: &Plan,
    group: &Group<Framer>,
    texts: &mut [Vec<u8>],
    copies: &mut [Copies],
    mut each: impl FnMut(Batch<'_>, &mut [Vec<u8>], &mut [Copies]) -> R,
) -> Result<ControlFlow<()>, R::Error> {
    for part in group.input(0) {
        let outcome = each(batch_of(part), texts, copies);
        let whole = part.frame().batch(part.chunk());
        let located = |error: Error| whole.located(error).in_input(&plan.name);
        let flow = outcome.into_flow().map_err(|error| if_ours(error, located))?;
        copies.iter_mut().zip(&*texts).for_each(|(copies, text)| copies.close(part.chunk(), text));
        if flow.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// What came of it all.
fn end<C, E: From<Error>>(
    plan: &Plan,
    header: &OnceLock<Arc<Header>>,
    picked: Picked<C>,
) -> Result<(Header, C), Failure<E>> {
    match picked.misfit {
        true => Err(Failure::Input(plan.misfit().into())),
        false => Ok((header_of(header), picked.so_far)),
    }
}

/// An error as `change` makes it if it is one of this crate; one of the caller's own stays as it is.
fn if_ours<E: 'static>(error: E, change: impl FnOnce(Error) -> Error) -> E {
    let mut error = Some(error);
    if let Some(ours) = (&mut error as &mut dyn Any).downcast_mut::<Option<Error>>() {
        *ours = ours.take().map(change);
    }
    match error {
        Some(error) => error,
        None => unreachable!("it was put back"),
    }
}
