//! Records to outputs, in order, on all threads.

use std::sync::Arc;

use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::{self, Copies, Failure, Fault, Group};

use crate::error::Error;
use crate::framer::Framer;
use crate::header::Header;
use crate::query::{Picked, Plan, Query};
use crate::record::Batch;

/// Reads the records of a query on up to `options.threads` threads and writes what `each` makes of
/// them to `outputs`, in their order.
///
/// `each` gets a batch of the records asked for and appends to one text an output. What was
/// [appended](Output::append) to an output before comes first in it. If `each` fails, what it has
/// appended is still written, and nothing after it. With `together`, records of the same name
/// that follow one another are never split over batches: the longest such run has to fit memory.
///
/// ```
/// use biofast_bam::{SamWriter, par_transform};
/// use biofast_io::{Options, Source, output};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-bam-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("mapped.sam");
/// let sam = b"@SQ\tSN:c\tLN:9\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = biofast_bam::InputOptions { io: &options, reference: None, detail: Default::default() };
/// let input = biofast_bam::Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, source) = biofast_bam::peek_header(input.source)?;
/// let writer = SamWriter::new(&header);
/// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
/// par_transform(
///     source,
///     &options,
///     false,
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
///
/// # Errors
/// The first fault in the order of the data, after everything before it has been given to the
/// outputs; or the failure of an output. The outputs are then not complete.
pub fn par_transform<C: Send>(
    query: impl Into<Query>,
    options: &Options,
    together: bool,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    each: impl Fn(&mut C, Batch<'_>, &mut [Vec<u8>]) -> Result<(), Error> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(Header, C), Failure<Error>> {
    let each = |so_far: &mut C, batch: Batch<'_>, texts: &mut [Vec<u8>], _: &mut [Copies]| {
        each(so_far, batch, texts)
    };
    par_transform_copying(query, options, together, outputs, init, each, merge)
}

/// [`par_transform`] where `each` also says which records it writes [as they are](Batch::copied), for outputs that are
/// [`copying`](Output::copying).
///
/// # Errors
/// As [`par_transform`].
#[doc(hidden)]
pub fn par_transform_copying<C: Send>(
    query: impl Into<Query>,
    options: &Options,
    together: bool,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    each: impl Fn(&mut C, Batch<'_>, &mut [Vec<u8>], &mut [Copies]) -> Result<(), Error> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(Header, C), Failure<Error>> {
    let (source, framer, plan) = Plan::new(query.into(), options);
    let framer = if together { framer.keep_names_together() } else { framer };
    let header = framer.header_slot();
    let input = pipeline::TransformInput { source, options: plan.options.clone(), framer };
    let result = pipeline::transform_copying(
        vec![input],
        pipeline::Plan { threads: plan.options.threads, multiple: 1, limit: None },
        outputs,
        || Picked::new(init()),
        |picked, group: &Group<Framer>, texts: &mut [Vec<u8>], copies: &mut [Copies]| {
            for part in group.input(0) {
                let whole = part.frame().batch(part.chunk());
                let (records, first) = (part.records(), whole.first);
                let first = first + records.start as u64;
                let batch = Batch { starts: &whole.starts[records], first, ..whole };
                plan.pick(picked, batch, |so_far, batch| each(so_far, batch, texts, copies))
                    .map_err(|error| whole.located(error))?;
                copies.iter_mut().for_each(|copies| copies.close(part.chunk()));
            }
            Ok(())
        },
        |mine, theirs| mine.merge(theirs, &merge),
    );
    let result = match result {
        // One input can't be uneven.
        Ok((picked, _)) => {
            let header = header.get().map(Arc::clone).unwrap_or_default();
            Ok((Header::clone(&header), picked))
        }
        Err(Failure::Output(error)) => return Err(Failure::Output(error)),
        Err(Failure::Input(error)) => Err(Fault { error, so_far: Picked::new(init()) }),
    };
    let name = Arc::clone(&plan.name);
    plan.finish(result).map_err(|fault| Failure::Input(fault.error.in_input(&name)))
}
