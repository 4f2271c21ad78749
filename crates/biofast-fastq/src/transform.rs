//! Reads, pairs, or reads of several files to outputs, in order, on all threads.

use std::ops::ControlFlow;

use biofast_io::output::Output;
use biofast_io::pipeline::{self, Failure, Group, Plan, TransformInput};
use biofast_io::{MateNaming, Options};

use crate::checks::Readable;
use crate::error::Error;
use crate::framer::{Framer, framed};
use crate::inputs::{Inputs, Unit};
use crate::outcome::UnitOutcome;
use crate::record::Record;
use crate::units::{Shape, Together};

/// Turns reads into outputs on several threads, in the order of the reads: what to read, and how.
///
/// The inputs are [`Inputs`] of reads or pairs, or a list of files that are read in step.
/// Pairs are checked: names must agree (see [`crate::pair`]), and both inputs must have
/// the same number of reads.
///
/// ```
/// use biofast_fastq::{Inputs, Transform, write_record};
/// use biofast_io::{Source, output};
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("long.fq");
/// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
/// let kept = Transform::new(Inputs::Single(reads)).run(
///     &mut outputs,
///     || 0,
///     |kept, unit, texts| -> std::io::Result<()> {
///         if unit.first.sequence().len() > 3 {
///             *kept += 1;
///             write_record(&mut texts[0], &unit.first)?;
///         }
///         Ok(())
///     },
///     |kept, other| *kept += other,
/// )?;
/// output::commit(outputs, false)?;
/// assert_eq!((kept, std::fs::read(&path)?.as_slice()), (1, &b"@a\nACGT\n+\nIIII\n"[..]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A function that is given to it may return nothing, a [`ControlFlow`] that ends the reading early, or a [`Result`] with an
/// error of the caller's own, which is returned unchanged. A [`Refusal`](crate::Refusal) becomes an error that names the record:
///
/// ```
/// use biofast_fastq::{ErrorKind, Inputs, Refusal, Transform, write_record};
/// use biofast_io::output::{Compression, Output};
/// use biofast_io::{Source, pipeline::Failure};
///
/// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nNN\n+\n##\n"[..]);
/// let result = Transform::new(Inputs::Single(reads)).run(
///     &mut [Output::stream("nowhere", std::io::sink(), Compression::default())],
///     || (),
///     |(), unit, texts| -> Result<(), Refusal> {
///         if unit.first.sequence().iter().all(|&base| base == b'N') {
///             return Err("no base is known".into());
///         }
///         texts[0].extend_from_slice(unit.first.sequence());
///         Ok(())
///     },
///     |(), ()| (),
/// );
/// let Err(Failure::Input(error)) = result else { panic!("b is refused") };
/// assert!(matches!(error.kind(), ErrorKind::Refused(why) if why == "no base is known"));
/// assert_eq!(error.at().record, Some(2));
/// ```
#[must_use = "nothing is read before it is run"]
pub struct Transform<I> {
    inputs: I,
    options: Option<Options>,
    of_each: Vec<Options>,
    limit: Option<u64>,
}

impl<I> Transform<I> {
    /// All reads of `inputs`.
    pub fn new(inputs: I) -> Transform<I> {
        Transform { inputs, options: None, of_each: Vec::new(), limit: None }
    }

    biofast_io::builder_options!();

    /// The options of each input in their order, where they aren't the same: of the first are the number of threads and what
    /// makes mates.
    pub fn options_of_each(mut self, options: impl IntoIterator<Item = Options>) -> Self {
        self.of_each = options.into_iter().collect();
        self
    }

    /// Reads the first `units` (reads, pairs or records of all files) if that is a number, and looks at nothing behind them.
    pub fn limit(mut self, units: impl Into<Option<u64>>) -> Self {
        self.limit = units.into();
        self
    }

    /// The inputs as the pipeline reads them in step, and what is said in common.
    fn open<S: Readable>(
        (options, of_each): (Option<Options>, Vec<Options>),
        limit: Option<u64>,
        shape: Shape,
        sources: Vec<S>,
    ) -> (Vec<TransformInput<Framer<S>>>, Plan, Together) {
        let mut names = Vec::new();
        let mut inputs = Vec::new();
        let mut of_each = of_each.into_iter();
        let default = options.unwrap_or_default();
        for source in sources {
            let options = of_each.next().unwrap_or_else(|| default.clone());
            let (source, framer) = framed(source, &options);
            names.push(source.name().to_owned());
            inputs.push(TransformInput { source, options, framer });
        }
        let first = inputs.first().map(|input| &input.options);
        let (threads, rule) = first.map_or((1, MateNaming::Strict), |o| (o.threads, o.mates));
        let multiple = if matches!(shape, Shape::Interleaved) { 2 } else { 1 };
        let limit = limit.map(|n| n.saturating_mul(multiple as u64));
        (inputs, Plan { threads, multiple, limit }, Together { shape, rule, names })
    }
}

impl<S: Readable> Transform<Inputs<S>> {
    /// Reads the inputs and writes what `each` makes of their units to `outputs`, in the order of the units. `each` appends to
    /// one text an output. Without outputs it is a [`Fold`](crate::Fold) of units.
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
        each: impl Fn(&mut C, Unit<'_>, &mut [Vec<u8>]) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<C, Failure<R::Error>>
    where
        C: Send,
        R: UnitOutcome,
    {
        let (shape, sources) = match self.inputs {
            Inputs::Single(source) => (Shape::Single, vec![source]),
            Inputs::Interleaved(source) => (Shape::Interleaved, vec![source]),
            Inputs::Paired(one, two) => (Shape::InStep, vec![one, two]),
        };
        let options = (self.options, self.of_each);
        let (inputs, plan, together) = Self::open(options, self.limit, shape, sources);
        run(inputs, plan, &together, outputs, init, merge, |so_far, group, texts| {
            together.units(group, |unit| each(so_far, unit, texts))
        })
    }
}

impl<S: Readable> Transform<Vec<S>> {
    /// Reads files in step, such as those of mates and of the index reads beside them, and writes what `each` makes of the
    /// records of the same number to `outputs`, in their order.
    ///
    /// `each` gets the number of the records, counted from 0, a record of every input, and a text for every output to append to.
    /// All inputs must have the same number of records, whose names agree (see [`crate::pair`]); which mate a name says it is
    /// isn't looked at, as index reads may say anything.
    ///
    /// ```
    /// use biofast_fastq::{Transform, write_record};
    /// use biofast_io::{Source, output};
    ///
    /// let path = std::env::temp_dir().join(format!("biofast-doc-together-{}.fq", std::process::id()));
    /// let input = |text: &'static [u8]| Source::from_reader("example", text);
    /// let inputs = vec![
    ///     input(b"@a 1:N:0\nAC\n+\nII\n@b 1:N:0\nGT\n+\nII\n"),
    ///     input(b"@a 1:N:0\nCCC\n+\nIII\n@b 1:N:0\nTTT\n+\nIII\n"),
    ///     input(b"@a 2:N:0\nG\n+\nI\n@b 2:N:0\nA\n+\nI\n"),
    /// ];
    /// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
    /// // First reads whose index read is CCC.
    /// let kept = Transform::new(inputs).run(
    ///     &mut outputs,
    ///     || 0,
    ///     |kept, _, records, texts| -> std::io::Result<()> {
    ///         if records[1].sequence() == b"CCC" {
    ///             *kept += 1;
    ///             write_record(&mut texts[0], &records[0])?;
    ///         }
    ///         Ok(())
    ///     },
    ///     |kept, other| *kept += other,
    /// )?;
    /// output::commit(outputs, false)?;
    /// assert_eq!((kept, std::fs::read(&path)?.as_slice()), (1, &b"@a 1:N:0\nAC\n+\nII\n"[..]));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As of pairs.
    pub fn run<C, R>(
        self,
        outputs: &mut [Output],
        init: impl Fn() -> C + Sync,
        each: impl Fn(&mut C, u64, &[Record<'_>], &mut [Vec<u8>]) -> R + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<C, Failure<R::Error>>
    where
        C: Send,
        R: UnitOutcome,
    {
        if self.inputs.is_empty() {
            return Ok(init());
        }
        let options = (self.options, self.of_each);
        let (inputs, plan, together) = Self::open(options, self.limit, Shape::InStep, self.inputs);
        run(inputs, plan, &together, outputs, init, merge, |so_far, group, texts| {
            together.in_step(group, |number, records| each(so_far, number, records, texts))
        })
    }
}

fn run<S: Readable, C: Send, E: From<Error> + Send>(
    inputs: Vec<TransformInput<Framer<S>>>,
    plan: Plan,
    together: &Together,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    merge: impl Fn(&mut C, C),
    work: impl Fn(&mut C, &Group<Framer<S>>, &mut [Vec<u8>]) -> Result<ControlFlow<()>, E> + Sync,
) -> Result<C, Failure<E>> {
    let (result, ending) = pipeline::transform(
        inputs,
        plan,
        outputs,
        init,
        |so_far, group, texts, _| work(so_far, group, texts),
        merge,
    )?;
    together.check_even(ending).map_err(|error| Failure::Input(error.into()))?;
    Ok(result)
}
