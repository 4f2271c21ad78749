//! Whether inputs hold the mates they should.

use biofast_fastq::fasta::Sequences;
use biofast_fastq::pair;
use biofast_io::MateNaming;

use super::{Args, Entry, reading};
use crate::console::Diagnostic;
use crate::inputs::{Input, Rereads};

/// The inputs as they are before the first reading: mates that don't match are read again.
pub(super) fn rereads(args: &Args, inputs: &[Input]) -> Vec<Rereads> {
    match (args.paired, args.interleaved) {
        (true, _) => Rereads::of_each(inputs, 2),
        (_, true) => Rereads::of_each(inputs, 1),
        _ => Vec::new(),
    }
}

/// Marks the rows of mates, and sets the error of inputs whose reads are not the mates they should be.
pub(super) fn check_pairs(
    args: &Args,
    inputs: &[Input],
    rereads: &[Rereads],
    entries: &mut [Entry],
) {
    let options = reading(args, 2);
    if args.paired {
        let pairs = inputs.chunks_exact(2).zip(rereads).zip(entries.chunks_exact_mut(2));
        for ((inputs, rereads), entries) in pairs {
            let [first, second] = entries else { continue };
            (first.mate, second.mate) = (Some(1), Some(2));
            let (Some(pairs), Some(mates)) = (&first.pairs, &second.pairs) else { continue };
            let sound = first.errors.is_empty() && second.errors.is_empty();
            if sound && !pairs.pairs_with(mates) {
                let error = explain(inputs, rereads, options.mates, || {
                    pair::find_mismatch(
                        Sequences(inputs[0].open()?),
                        Sequences(inputs[1].open()?),
                        &options,
                    )
                });
                first.errors.extend(error.clone());
                second.errors.extend(error);
            }
        }
    } else if args.interleaved {
        for ((input, rereads), entry) in inputs.iter().zip(rereads).zip(entries) {
            let Some(pairs) = &entry.pairs else { continue };
            if entry.errors.is_empty() && !pairs.is_interleaved() {
                let inputs = std::slice::from_ref(input);
                entry.errors.extend(explain(inputs, rereads, options.mates, || {
                    pair::find_interleaved_mismatch(Sequences(input.open()?), &options)
                }));
            }
        }
    }
}

/// Reads inputs that don't seem to pair a second time, to say where. By names alone that decides.
fn explain(
    inputs: &[Input],
    rereads: &Rereads,
    rule: MateNaming,
    find: impl FnOnce() -> Result<Option<biofast_fastq::Error>, biofast_fastq::Error>,
) -> Option<Diagnostic> {
    let names = inputs.iter().map(Input::name).collect::<Vec<_>>().join(" and ");
    let general = format!("{names}: the files don't pair up: read names or counts differ");
    if inputs.iter().any(|input| input.len().is_none()) {
        let general = format!("{general} (a stream can't be read again to find where)");
        return Some(Diagnostic::new(general));
    }
    match rereads.checked(find()) {
        Ok(Some(mismatch)) => Some(Diagnostic::of(&mismatch)),
        Ok(None) if rule == MateNaming::Names => None,
        Ok(None) => Some(Diagnostic::new(general)),
        Err(error) => Some(Diagnostic::of(&error)),
    }
}
