//! Reads of any number of files in step: the mates of pairs, and the index reads beside them.

use biofast_io::output::Output;
use biofast_io::pipeline::{self, Failure, Group, Plan, TransformInput};
use biofast_io::{Options, Source};

use crate::error::{Error, ErrorKind};
use crate::framer::Framer;
use crate::pair::{MateNaming, is_same_template};
use crate::record::Record;
use crate::transform::{at, even, records};

/// Why a record is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the inputs it is in, counted from 0.
    pub input: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads `inputs` in step on as many threads as the first one's options say, and writes what `each` makes of the records
/// of the same number to `outputs`, in their order.
///
/// `each` gets the number of the records, counted from 0, a record of every input, and a text for every output to append to.
/// All inputs must have the same number of records, whose names agree (see [`crate::pair`]); which mate a name says it is
/// isn't looked at, as index reads may say anything.
///
/// ```
/// use biofast_fastq::{par_transform_files, write_record};
/// use biofast_io::{Options, Source, output};
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-together-{}.fq", std::process::id()));
/// let input = |text: &'static [u8]| (Source::from_reader("example", text), Options::default());
/// let inputs = vec![
///     input(b"@a 1:N:0\nAC\n+\nII\n@b 1:N:0\nGT\n+\nII\n"),
///     input(b"@a 1:N:0\nCCC\n+\nIII\n@b 1:N:0\nTTT\n+\nIII\n"),
///     input(b"@a 2:N:0\nG\n+\nI\n@b 2:N:0\nA\n+\nI\n"),
/// ];
/// let mut outputs = vec![output::Output::create_with(&path, Default::default())?];
/// // First reads whose index read is CCC.
/// let kept = par_transform_files(
///     inputs,
///     None,
///     &mut outputs,
///     || 0,
///     |kept, _, records, texts| {
///         if records[1].sequence() == b"CCC" {
///             *kept += 1;
///             write_record(&mut texts[0], &records[0]).expect("memory");
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
/// The first fault in the order of the data, or the first refusal, after everything before it has been given to the outputs;
/// or the failure of an output. The outputs are then not complete.
pub fn par_transform_files<C: Send>(
    inputs: Vec<(Source, Options)>,
    limit: Option<u64>,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    each: impl Fn(&mut C, u64, &[Record<'_>], &mut [Vec<u8>]) -> Result<(), Refusal> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Failure<Error>> {
    let Some(threads) = inputs.first().map(|(_, options)| options.threads) else {
        return Ok(init());
    };
    let rule = inputs.first().map_or(MateNaming::Strict, |(_, options)| options.mates);
    let names: Vec<String> = inputs.iter().map(|(source, _)| source.name().to_owned()).collect();
    let inputs = inputs.into_iter().map(|(source, options)| {
        let framer = Framer::new(source.name(), &options);
        TransformInput { source, options, framer }
    });
    let (result, ending) = pipeline::transform(
        inputs.collect(),
        Plan { threads, multiple: 1, limit },
        outputs,
        init,
        |so_far, group: &Group<Framer>, texts: &mut [Vec<u8>]| {
            together(group, &names, rule, |number, records| each(so_far, number, records, texts))
        },
        merge,
    )?;
    even(ending, &names).map_err(Failure::Input)?;
    Ok(result)
}

/// Calls `each` for the records of every number in a group, up to the first that don't belong together.
fn together(
    group: &Group<Framer>,
    names: &[String],
    rule: MateNaming,
    mut each: impl FnMut(u64, &[Record<'_>]) -> Result<(), Refusal>,
) -> Result<(), Error> {
    let mut inputs: Vec<_> = (0..names.len()).map(|input| records(group.input(input))).collect();
    let mut number = group.first_record();
    let mut all: Vec<Record<'_>> = Vec::with_capacity(names.len());
    loop {
        all.clear();
        // A group has as many records of each.
        all.extend(inputs.iter_mut().filter_map(Iterator::next));
        let [first, others @ ..] = &all[..] else { return Ok(()) };
        if all.len() < names.len() {
            return Ok(());
        }
        for (other, name) in others.iter().zip(&names[1..]) {
            if !is_same_template(first.name(), other.name(), rule) {
                let [first, second] = [first, other].map(|record| record.name().to_vec());
                let kind = ErrorKind::MateNamesDiffer { first, second };
                return Err(Error::new(kind, at(name, number + 1)));
            }
        }
        each(number, &all).map_err(|refusal| {
            let name = names.get(refusal.input).unwrap_or(&names[0]);
            Error::new(ErrorKind::Refused(refusal.reason), at(name, number + 1))
        })?;
        number += 1;
    }
}
