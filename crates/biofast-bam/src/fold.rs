//! Batches of records folded on all threads, and the header alone.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::{self, Fault, Frames};
use biofast_io::{Options, Source};

use crate::error::Error;
use crate::framer::Framer;
use crate::header::Header;
use crate::record::Batch;

/// Folds all records of `source` on `options.threads` threads and returns the header beside the
/// result.
///
/// Every worker starts with `init()`, calls `accept` for each batch of records it gets, and the
/// workers' results are merged at the end. Each record is accepted exactly once; which worker
/// gets which batch is not determined, so `merge` must not depend on order.
///
/// The source holds BAM: [`Input::open`](crate::Input::open) makes one of SAM and CRAM, too.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, par_fold};
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
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// The first fault in the order of the file, with the result over exactly the records before it.
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
/// and `sink` gets them in the order of the file; see [`pipeline::fold_ordered`].
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

/// Reads the header of a BAM input and nothing more.
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
