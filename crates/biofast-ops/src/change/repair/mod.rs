//! Mates that have lost each other: two files, or a mixed one, become pairs in the order of the first reads, and reads without
//! mates go elsewhere.
//!
//! The input is read twice. The first reading sees names only and finds which reads have mates (`find`): where both files go
//! on in nearly the same order, no more is remembered than what is missing in one of them. The second one (`weave`) takes
//! first reads in their order, and second reads as far as needed; those that come before their turn wait in memory, or, if that
//! takes too much, in temporary files that are joined in parts and merged.

mod apart;
mod bits;
mod feed;
mod find;
mod source;
mod stream;
mod totals;
mod weave;

use biofast_io::Options;
use biofast_io::output::{Output, Writer, threads_of_each};
use serde::Serialize;
use stream::RepairWriters;

pub use super::again::RereadInput;
pub use super::spill::SpillLimits;
pub use totals::RepairTotals;

use crate::Error;
use feed::{Feed, Naming, ReadContent};
use find::PairingMap;
use source::RepairInput;

/// What is read.
pub enum Sources {
    /// First and second reads in one file, in any order. A read says which it is by `/1` or `/2` or a Casava description;
    /// of those that don't, the first of a name is a first read and the next one its mate.
    Mixed(RereadInput),
    /// First and second reads in a file each, in any order.
    Two(RereadInput, RereadInput),
}

/// Where reads go.
pub struct RepairOutputs {
    /// Pairs: one output, or one for each mate.
    pub pairs: Vec<Output>,
    /// First and second reads without mates, where they are wanted.
    pub orphans: [Option<Output>; 2],
    /// All reads without mates, if they are wanted: in the order of a mixed input, else first reads before second ones. The
    /// input is read once more.
    pub all_orphans: Option<Output>,
}

/// What was done.
pub struct RepairResult {
    /// The outputs, to be [committed](biofast_io::output::commit): those of pairs, of first and second reads without mates, and of all.
    pub outputs: Vec<Output>,
    /// What was read and written.
    pub totals: RepairTotals,
    /// How it was done.
    pub effort: RepairEffort,
}

/// How it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairEffort {
    /// Second reads that came before their turn.
    pub moved_reads: u64,
    /// Bytes of names and text in temporary files.
    pub stored_bytes: u64,
}

/// Writes pairs in the order of their first reads, and reads without mates.
///
/// Mates have the same [template name](biofast_fastq::pair::template_name), or what [`mates`](Options::mates) of the options says. If a name is there several times, the first one of it among
/// first reads goes with the first one among second reads, the next with the next, and what is left has no mate.
///
/// `limits.memory` is for names and reads that wait, beside a bit or two for each read; beyond it, temporary files are used.
/// What can be read only once is kept in one. Nothing that is written depends on threads or memory.
///
/// ```
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::repair::{RepairOutputs, RereadInput, Sources, SpillLimits, repair};
///
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("biofast-doc-repair-{}", std::process::id()));
/// let source = |text: &'static [u8]| RereadInput::once(Source::from_reader("example", text));
/// let first = source(b"@a/1\nA\n+\nI\n@b/1\nC\n+\nI\n@c/1\nG\n+\nI\n");
/// let second = source(b"@c/2\nT\n+\nI\n@a/2\nA\n+\nI\n");
/// let outputs = RepairOutputs {
///     pairs: vec![Output::create_with(&path, Default::default())?],
///     orphans: [None, None],
///     all_orphans: None,
/// };
/// let limits = SpillLimits { memory: 64 << 20, folder };
/// let options = [Options::default(), Options::default()];
/// let done = repair(Sources::Two(first, second), options, &limits, outputs)?;
/// output::commit(done.outputs, false)?;
/// let text = "@a/1\nA\n+\nI\n@a/2\nA\n+\nI\n@c/1\nG\n+\nI\n@c/2\nT\n+\nI\n";
/// assert_eq!(std::fs::read_to_string(&path)?, text);
/// assert_eq!(done.totals.orphans[0].sum.records, 1);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault of an input; a read among the first ones that says it is a second one, or the other way round; the failure
/// of an output or of a temporary file.
pub fn repair(
    sources: Sources,
    options: [Options; 2],
    limits: &SpillLimits,
    outputs: RepairOutputs,
) -> Result<RepairResult, Error> {
    let mut effort = RepairEffort::default();
    let mut keep = |input: RereadInput, options: &Options| -> Result<RepairInput, Error> {
        let (kept, stored) = RepairInput::new(input, options, &limits.folder)?;
        effort.stored_bytes += stored;
        Ok(kept)
    };
    let mut kept = match sources {
        Sources::Mixed(input) => vec![keep(input, &options[0])?],
        Sources::Two(one, two) => vec![keep(one, &options[0])?, keep(two, &options[1])?],
    };
    let opened = kept.iter().map(RepairInput::open).collect::<Result<_, _>>()?;
    for (kept, naming) in kept.iter_mut().zip(Naming::of(opened, &options)?) {
        kept.naming = naming;
    }
    let RepairOutputs { pairs, orphans, all_orphans } = outputs;
    let number = pairs.len() + orphans.iter().flatten().count();
    let each = threads_of_each(options[0].threads, number);
    let writer = |output: Output| Writer::new(output, each);
    let [one, two] = orphans.map(|output| output.map(writer).transpose());
    let writers = RepairWriters {
        pairs: pairs.into_iter().map(writer).collect::<Result<_, _>>()?,
        orphans: [one?, two?],
    };
    let (found, stored) = find::find(&kept, &options, limits)?;
    effort.stored_bytes += stored;
    // What was noticed is noticed once.
    let options = options.map(|options| Options { notes: None, progress: None, ..options });
    let woven = weave::weave(&kept, &options, limits, &found, writers);
    // A fault that wasn't there before is one of the change.
    kept.iter().try_for_each(RepairInput::check)?;
    let woven = woven?;
    effort.moved_reads = woven.moved;
    effort.stored_bytes += woven.stored;
    let RepairWriters { pairs, orphans } = woven.writers;
    let all = pairs.into_iter().chain(orphans.into_iter().flatten());
    let mut outputs = all.map(Writer::into_output).collect::<Result<Vec<_>, _>>()?;
    if let Some(output) = all_orphans {
        outputs.push(write_together(&kept, &options, &found, output)?);
        kept.iter().try_for_each(RepairInput::check)?;
    }
    Ok(RepairResult { outputs, totals: woven.totals, effort })
}

/// Writes all reads without mates to one output.
fn write_together(
    kept: &[RepairInput],
    options: &[Options; 2],
    found: &PairingMap,
    output: Output,
) -> Result<Output, Error> {
    let mut writer = Writer::new(output, options[0].threads)?;
    for ((kept, options), orphans) in kept.iter().zip(options).zip(&found.orphans) {
        let mut reads = Feed::new(kept.named()?, options, ReadContent::Text)?;
        while let Some(read) = reads.next()? {
            if orphans.has(read.ordinal) {
                writer.append(read.text)?;
            }
        }
    }
    Ok(writer.into_output()?)
}

#[cfg(test)]
mod tests;
