//! Reads or pairs to outputs, in order, on all threads.

use std::convert::Infallible;
use std::fmt::Display;

use biofast_io::output::Output;
use biofast_io::pipeline::{self, Ending, Failure, Group, Part, Plan, TransformInput};
use biofast_io::{Location, Options, Source};

use crate::checks::Readable;
use crate::error::{Error, ErrorKind};
use crate::fold::framed;
use crate::framer::Framer;
use crate::pair::{MateNaming, pair_fault};
use crate::record::{Record, Records};

/// The inputs of a transform, each a [`Source`] or something else that is [`Readable`].
pub enum Inputs<S = Source> {
    /// Reads without mates.
    Single(S),
    /// First and second reads one after the other.
    Interleaved(S),
    /// First and second reads in a file each, in the same order.
    Paired(S, S),
}

impl<S> Inputs<S> {
    /// Whether the reads are pairs.
    pub fn is_paired(&self) -> bool {
        !matches!(self, Inputs::Single(_))
    }
}

/// A read, or a pair of reads whose names agree.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Its number among the units of the input, counted from 0.
    pub index: u64,
    /// The read, or the first of the pair.
    pub first: Record<'a>,
    /// The second of the pair.
    pub second: Option<Record<'a>>,
}

/// Reads `inputs` on `options[0].threads` threads and writes what `each` makes of their units to
/// `outputs`, in the order of the units.
///
/// `each` appends to one text an output. `limit` is the number of units after which reading
/// stops. Pairs are checked: names must agree (see [`crate::pair`]), and both inputs must have
/// the same number of reads. `options` are those of the first and, for paired files, of the
/// second input.
///
/// ```
/// use biofast_fastq::{Inputs, par_transform, write_record};
/// use biofast_io::{Options, Source, output};
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("long.fq");
/// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
/// let kept = par_transform(
///     Inputs::Single(reads),
///     [Options::default(), Options::default()],
///     None,
///     &mut outputs,
///     || 0,
///     |kept, unit, texts| {
///         if unit.first.sequence().len() > 3 {
///             *kept += 1;
///             write_record(&mut texts[0], &unit.first).expect("memory");
///         }
///     },
///     |kept, other| *kept += other,
/// )?;
/// output::commit(outputs, false)?;
/// assert_eq!((kept, std::fs::read(&path)?.as_slice()), (1, &b"@a\nACGT\n+\nIIII\n"[..]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, after everything before it has been given to the
/// outputs; or the failure of an output. The outputs are then not complete.
pub fn par_transform<C: Send, S: Readable>(
    inputs: Inputs<S>,
    options: [Options; 2],
    limit: Option<u64>,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    each: impl Fn(&mut C, Unit<'_>, &mut [Vec<u8>]) + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Failure<Error>> {
    let each = |so_far: &mut C, unit: Unit<'_>, texts: &mut [Vec<u8>]| {
        each(so_far, unit, texts);
        Ok::<(), Infallible>(())
    };
    par_try_transform(inputs, options, limit, outputs, init, each, merge)
}

/// [`par_transform`] with an `each` that may refuse a unit: its reason becomes the fault of that
/// record, with its name and number.
///
/// ```
/// use biofast_fastq::{ErrorKind, Inputs, par_try_transform, write_record};
/// use biofast_io::output::{Compression, Output};
/// use biofast_io::{Options, Source, pipeline::Failure};
///
/// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nNN\n+\n##\n"[..]);
/// let result = par_try_transform(
///     Inputs::Single(reads),
///     [Options::default(), Options::default()],
///     None,
///     &mut [Output::stream("nowhere", std::io::sink(), Compression::default())],
///     || (),
///     |(), unit, texts| {
///         if unit.first.sequence().iter().all(|&base| base == b'N') {
///             return Err("no base is known".to_owned());
///         }
///         write_record(&mut texts[0], &unit.first).map_err(|error| error.to_string())
///     },
///     |(), ()| (),
/// );
/// let Err(Failure::Input(error)) = result else { panic!("b is refused") };
/// assert!(matches!(error.kind(), ErrorKind::Refused(why) if why == "no base is known"));
/// assert_eq!(error.at().record, Some(2));
/// ```
///
/// # Errors
/// As [`par_transform`], and the first refusal.
pub fn par_try_transform<C: Send, R: Display, S: Readable>(
    inputs: Inputs<S>,
    options: [Options; 2],
    limit: Option<u64>,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    each: impl Fn(&mut C, Unit<'_>, &mut [Vec<u8>]) -> Result<(), R> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Failure<Error>> {
    let [first, second] = options;
    let (threads, rule) = (first.threads, first.mates);
    let (shape, sources) = match inputs {
        Inputs::Single(source) => (Shape::Single, vec![(source, first)]),
        Inputs::Interleaved(source) => (Shape::Interleaved, vec![(source, first)]),
        Inputs::Paired(one, two) => (Shape::Paired, vec![(one, first), (two, second)]),
    };
    let mut names: Vec<String> = Vec::new();
    let mut inputs = Vec::new();
    for (source, options) in sources {
        let (source, framer) = framed(source, &options);
        names.push(source.name().to_owned());
        inputs.push(TransformInput { source, options, framer });
    }
    let multiple = if matches!(shape, Shape::Interleaved) { 2 } else { 1 };
    let limit = limit.map(|n| n.saturating_mul(multiple as u64));
    let (result, ending) = pipeline::transform(
        inputs,
        Plan { threads, multiple, limit },
        outputs,
        init,
        |so_far, group: &Group<Framer<S>>, texts: &mut [Vec<u8>]| {
            units((shape, rule), group, &names, |unit| each(so_far, unit, texts))
        },
        merge,
    )?;
    even(ending, &names).map_err(Failure::Input)?;
    Ok(result)
}

/// An error unless all inputs ended together.
pub(crate) fn even<S: Readable>(ending: Ending<Framer<S>>, names: &[String]) -> Result<(), Error> {
    match ending {
        Ending::Even => Ok(()),
        Ending::Uneven { ended, input, left } => {
            let batch = left.frame().batch(left.chunk());
            let index = left.records().start;
            let kind = ErrorKind::MateMissing {
                name: batch.get(index).name().to_vec(),
                missing_in: names[ended].clone(),
            };
            let record = batch.first_record() + index as u64 + 1;
            Err(Error::new(kind, at(&names[input], record)))
        }
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Single,
    Interleaved,
    Paired,
}

/// The location of a record, counted from 1.
pub(crate) fn at(name: &str, record: u64) -> Location {
    Location { name: Some(name.into()), record: Some(record), ..Location::default() }
}

/// Calls `each` for the units of a group, up to the first pair that isn't one.
fn units<R: Display, S: Readable>(
    (shape, rule): (Shape, MateNaming),
    group: &Group<Framer<S>>,
    names: &[String],
    mut each: impl FnMut(Unit<'_>) -> Result<(), R>,
) -> Result<(), Error> {
    let refused = |reason: R, record: u64| {
        Error::new(ErrorKind::Refused(reason.to_string()), at(&names[0], record + 1))
    };
    let start = group.first_record();
    let mut reads = records(group.input(0));
    match shape {
        Shape::Single => {
            for (index, first) in (start..).zip(reads) {
                each(Unit { index, first, second: None }).map_err(|e| refused(e, index))?;
            }
        }
        Shape::Interleaved => {
            let mut record = start;
            while let (Some(first), Some(second)) = (reads.next(), reads.next()) {
                if let Some((kind, mate)) = pair_fault(&first, &second, rule) {
                    return Err(Error::new(kind, at(&names[0], record + mate as u64 + 1)));
                }
                let unit = Unit { index: record / 2, first, second: Some(second) };
                each(unit).map_err(|e| refused(e, record))?;
                record += 2;
            }
        }
        Shape::Paired => {
            let pairs = reads.zip(records(group.input(1)));
            for (index, (first, second)) in (start..).zip(pairs) {
                if let Some((kind, mate)) = pair_fault(&first, &second, rule) {
                    return Err(Error::new(kind, at(&names[mate], index + 1)));
                }
                let unit = Unit { index, first, second: Some(second) };
                each(unit).map_err(|e| refused(e, index))?;
            }
        }
    }
    Ok(())
}

pub(crate) fn records<S: Readable>(parts: &[Part<Framer<S>>]) -> impl Iterator<Item = Record<'_>> {
    parts.iter().flat_map(|part| -> Records<'_> {
        let batch = part.frame().batch(part.chunk());
        batch.slice(part.records()).iter()
    })
}
