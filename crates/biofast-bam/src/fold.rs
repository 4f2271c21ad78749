//! Batches of records folded on all threads, and the header alone.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::{self, Fault, Frames};
use biofast_io::{Location, Options, Source};

use crate::error::{Error, ErrorKind};
use crate::framer::Framer;
use crate::header::{Header, MAX_HEADER, Parsed};
use crate::record::Batch;

/// Folds all records of `source` on `options.threads` threads and returns the header beside the
/// result.
///
/// Every worker starts with `init()`, calls `accept` for each batch of records it gets, and the
/// workers' results are merged at the end. Each record is accepted exactly once; which worker
/// gets which batch is not determined, so `merge` must not depend on order.
///
/// The source holds BAM. SAM or CRAM given directly is the error [`NotBam`](crate::ErrorKind::NotBam):
/// [`Input::open`](crate::Input::open) makes BAM of them, as here.
///
/// ```
/// use biofast_bam::{Detail, ErrorKind, Input, InputOptions, par_fold};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, bases) = par_fold(
///     input.source,
///     &options,
///     || 0,
///     |bases, batch| *bases += batch.iter().map(|record| record.sequence_len()).sum::<usize>(),
///     |bases, other| *bases += other,
/// )?;
/// assert_eq!((header.references().len(), bases), (1, 5));
///
/// // The same without `Input::open`:
/// let sam = Source::from_reader("example", &sam[..]);
/// let Err(fault) = par_fold(sam, &options, || (), |(), _| (), |(), ()| ()) else { panic!("not BAM") };
/// assert!(matches!(fault.error.kind(), ErrorKind::NotBam(_)));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// The first fault in the order of the file, with the result over exactly the records before it;
/// [`NotBam`](crate::ErrorKind::NotBam) if the source holds SAM or CRAM that didn't come through [`Input::open`](crate::Input::open).
pub fn par_fold<C: Send>(
    source: Source,
    options: &Options,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>) + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(Header, C), Fault<C, Error>> {
    let framer = Framer::new(source.name(), Arc::default(), options);
    let slot = framer.header_slot();
    let result = pipeline::fold(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame| accept(so_far, frame.batch(chunk)),
        merge,
    )?;
    Ok((header_of(&slot), result))
}

/// [`par_fold`], and beside it what depends on order: `accept` also fills a `T` for each batch,
/// and `sink` gets them in the order of the file; see [`pipeline::fold_ordered`]. SAM and CRAM come through
/// [`Input::open`](crate::Input::open) here, too.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use biofast_bam::{Detail, Input, InputOptions, par_fold_ordered};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut names = Vec::new();
/// par_fold_ordered(
///     input.source,
///     &options,
///     || (),
///     |(), batch, names: &mut Vec<Vec<u8>>| names.extend(batch.iter().map(|r| r.name().to_vec())),
///     |(), ()| (),
///     |some| {
///         names.append(some);
///         ControlFlow::Continue(())
///     },
/// )?;
/// assert_eq!(names, [b"r1", b"r2"]);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// As [`par_fold`].
pub fn par_fold_ordered<C: Send, T: Default + Send>(
    source: Source,
    options: &Options,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>, &mut T) + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> ControlFlow<()> + Send,
) -> Result<(Header, C), Fault<C, Error>> {
    let framer = Framer::new(source.name(), Arc::default(), options);
    par_fold_ordered_framed(source, options, framer, init, accept, merge, sink)
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
/// use biofast_bam::{Detail, Input, InputOptions, par_try_fold};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// // Has one of the first thousand records base qualities?
/// let (_, found) = par_try_fold(
///     input.source,
///     &options,
///     Some(1000),
///     || false,
///     |found, batch| -> Result<_, biofast_bam::Error> {
///         *found |= batch.iter().any(|record| record.qualities().first().is_some_and(|&quality| quality != 0xff));
///         Ok(if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
///     },
///     |found, other| *found |= other,
/// )?;
/// assert!(found);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// The first fault or failure in the order of the file. After a fault the result so far is over
/// exactly the records before it.
pub fn par_try_fold<C, E>(
    source: Source,
    options: &Options,
    limit: Option<u64>,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>) -> Result<ControlFlow<()>, E> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(Header, C), Fault<C, E>>
where
    C: Send,
    E: From<Error> + Send,
{
    let framer = Framer::new(source.name(), Arc::default(), options);
    let slot = framer.header_slot();
    let result = pipeline::try_fold(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame| within(limit, frame.batch(chunk), |batch| accept(so_far, batch)),
        merge,
    )?;
    Ok((header_of(&slot), result))
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
/// use biofast_bam::{Detail, Error, Input, InputOptions, par_try_fold_ordered};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut first = Vec::new();
/// par_try_fold_ordered(
///     input.source,
///     &options,
///     Some(1),
///     || (),
///     |(), batch, names: &mut Vec<Vec<u8>>| {
///         names.extend(batch.iter().map(|record| record.name().to_vec()));
///         Ok(ControlFlow::Continue(()))
///     },
///     |(), ()| (),
///     |names| -> Result<_, Error> {
///         first.append(names);
///         Ok(ControlFlow::Continue(()))
///     },
/// )?;
/// assert_eq!(first, [b"r1"]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// The first fault or failure in the order of the file.
pub fn par_try_fold_ordered<C, T, E>(
    source: Source,
    options: &Options,
    limit: Option<u64>,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>, &mut T) -> Result<ControlFlow<()>, E> + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> Result<ControlFlow<()>, E> + Send,
) -> Result<(Header, C), Fault<C, E>>
where
    C: Send,
    T: Default + Send,
    E: From<Error> + Send,
{
    let framer = Framer::new(source.name(), Arc::default(), options);
    let slot = framer.header_slot();
    let result = pipeline::try_fold_ordered(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame, result| {
            within(limit, frame.batch(chunk), |batch| accept(so_far, batch, result))
        },
        merge,
        sink,
    )?;
    Ok((header_of(&slot), result))
}

/// Lets `accept` see what of a batch is among the first `limit` records, and breaks after the last of them.
fn within<E>(
    limit: Option<u64>,
    batch: Batch<'_>,
    accept: impl FnOnce(Batch<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<ControlFlow<()>, E> {
    pipeline::within_limit(limit, batch.first_record(), batch.len(), |len| {
        accept(Batch { starts: &batch.starts[..len], ..batch })
    })
}

/// [`par_fold_ordered`] with a framer that may do more than framing.
pub(crate) fn par_fold_ordered_framed<C: Send, T: Default + Send>(
    source: Source,
    options: &Options,
    framer: Framer,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, Batch<'_>, &mut T) + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> ControlFlow<()> + Send,
) -> Result<(Header, C), Fault<C, Error>> {
    let slot = framer.header_slot();
    let result = pipeline::fold_ordered(
        source,
        options,
        framer,
        init,
        |so_far, chunk, frame, result| accept(so_far, frame.batch(chunk), result),
        merge,
        sink,
    )?;
    Ok((header_of(&slot), result))
}

fn header_of(slot: &OnceLock<Arc<Header>>) -> Header {
    slot.get().map(|header| Header::clone(header)).unwrap_or_default()
}

/// Reads the header of a BAM input and nothing more; that of SAM and CRAM through [`Input::open`](crate::Input::open).
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, read_header};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// assert_eq!(read_header(input.source, &options)?.references()[0].name, b"c");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// If the input can't be read or decompressed, is not BAM, or its header is malformed.
pub fn read_header(source: Source, options: &Options) -> Result<Header, Error> {
    read_start(source, options).map(|(header, _)| header)
}

/// The header, and where the first record starts if the input is BGZF.
pub(crate) fn read_start(
    source: Source,
    options: &Options,
) -> Result<(Header, Option<VirtualOffset>), Error> {
    let slot = Arc::new(OnceLock::new());
    let framer = Framer::new(source.name(), Arc::clone(&slot), options);
    let mut frames = Frames::new(source, options, framer)?;
    while slot.get().is_none() && frames.advance()? {}
    let place = frames.current().1.place;
    Ok((header_of(&slot), place))
}

/// The header of a source of BAM data. The returned source still starts with it.
///
/// # Errors
/// If it can't be read.
pub fn peek_header(mut source: Source) -> Result<(Header, Source), Error> {
    let mut wanted = 64 << 10;
    loop {
        // A fault at the start is told by the reader, too.
        let bytes = source.peek(wanted).unwrap_or_default();
        if let Ok(Parsed::Complete(header, _)) = Header::parse(&bytes) {
            return Ok((header, source));
        }
        if bytes.len() < wanted || wanted > MAX_HEADER {
            // What is wrong is said by the reader, with its place.
            let options = Options::serial();
            let at = Location { name: Some(source.name().into()), ..Location::default() };
            crate::read_header(source, &options)?;
            return Err(Error::new(ErrorKind::Truncated("the header"), at));
        }
        wanted = if wanted < MAX_HEADER / 8 { wanted * 8 } else { MAX_HEADER + 1 };
    }
}
