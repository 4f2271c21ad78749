//! Each read or pair to the next part in turn.

use std::num::NonZeroU64;

use biofast_fastq::{Inputs, Readable, par_transform};
use biofast_io::Options;
use biofast_io::output::Output;

use super::{Amount, Part, Parts, Problem, Target, append, reads};

/// Splits so; the parts are open all the time.
pub(super) fn split<E, O, S>(
    inputs: Inputs<S>,
    options: [Options; 2],
    parts: NonZeroU64,
    target: Target<O>,
) -> Result<Parts, Problem<E>>
where
    O: FnMut(u64, usize) -> Result<Output, E>,
    S: Readable,
{
    let Target { files, mut open, .. } = target;
    let numbers = (1..=parts.get()).flat_map(|part| (0..files).map(move |file| (part, file)));
    let mut outputs = numbers
        .map(|(part, file)| open(part, file))
        .collect::<Result<Vec<Output>, E>>()
        .map_err(Problem::Open)?;
    let number = outputs.len() / files;
    let amounts = par_transform(
        inputs,
        options,
        None,
        &mut outputs,
        || vec![Part::default(); number],
        |amounts, unit, texts| {
            // Less than the number of outputs.
            let part = (unit.index % parts) as usize;
            for (mate, record, file) in reads(&unit, files) {
                amounts[part][mate].add(&Amount::of(&record));
                append(&mut texts[part * files + file], &record);
            }
        },
        |amounts, others| {
            for (amount, other) in amounts.iter_mut().flatten().zip(others.iter().flatten()) {
                amount.add(other);
            }
        },
    )?;
    Ok(Parts { outputs, parts: amounts })
}
