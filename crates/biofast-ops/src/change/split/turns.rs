//! Each read or pair to the next part in turn.

use std::num::NonZeroU64;

use biofast_fastq::{Inputs, Readable, Transform};
use biofast_io::Options;
use biofast_io::output::Output;

use super::target::{MateAmounts, SplitAmount, SplitOutputs, SplitTarget, append, reads};
use crate::Error;

/// Splits so; the parts are open all the time.
pub(super) fn split<E, O, S>(
    inputs: Inputs<S>,
    options: [Options; 2],
    parts: NonZeroU64,
    target: SplitTarget<O>,
) -> Result<SplitOutputs, E>
where
    E: From<Error>,
    O: FnMut(u64, usize) -> Result<Output, E>,
    S: Readable,
{
    let SplitTarget { files, mut open, .. } = target;
    let numbers = (1..=parts.get()).flat_map(|part| (0..files).map(move |file| (part, file)));
    let mut outputs =
        numbers.map(|(part, file)| open(part, file)).collect::<Result<Vec<Output>, E>>()?;
    let number = outputs.len() / files;
    let amounts = Transform::new(inputs)
        .options_of_each(options)
        .run(
            &mut outputs,
            || vec![MateAmounts::default(); number],
            |amounts, unit, texts| {
                // Less than the number of outputs.
                let part = (unit.index % parts) as usize;
                for (mate, record, file) in reads(&unit, files) {
                    amounts[part][mate].add(&SplitAmount::of(&record));
                    append(&mut texts[part * files + file], &record);
                }
            },
            |amounts, others| {
                for (amount, other) in amounts.iter_mut().flatten().zip(others.iter().flatten()) {
                    amount.add(other);
                }
            },
        )
        .map_err(Error::from)?;
    Ok(SplitOutputs { outputs, parts: amounts })
}
