//! Reads or pairs to several files, in their order: by number, by bases, by text, or to a number of files; and alignments by the
//! values of a tag.
//!
//! Parts that are written one after the other are cut by whoever takes the reads in order, as only there it is known how
//! much is before them; where reads go to all parts in turn, each worker knows.

mod by_tag;
mod series;
mod target;
mod turns;

use biofast_fastq::{Inputs, Readable};
use biofast_io::Options;
use biofast_io::output::Output;

use crate::Error;
pub use by_tag::{TagSplit, TagValues};
pub(super) use target::append;
pub use target::{MateAmounts, SplitAmount, SplitOutputs, SplitRule, SplitTarget};

/// Writes the reads of `inputs` to the parts that `rule` makes of them, in their order, on `options[0].threads` threads.
/// There is at least one part, which may be empty. Records of [FASTA](biofast_fastq::fasta) stay FASTA, in lines of 60 bases.
///
/// Parts that are written one after the other are closed as they are complete, so that any number of them fits the limit of
/// open files; of [`SplitRule::Turns`] all are open at once. All of them appear together.
///
/// ```
/// use std::num::NonZeroU64;
///
/// use biofast_fastq::Inputs;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::split::{SplitRule, SplitTarget, split};
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-split-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let names = folder.clone();
/// let target = SplitTarget {
///     files: 1,
///     open: move |part: u64, _: usize| -> Result<Output, biofast_ops::Error> {
///         Ok(Output::create_with(&names.join(format!("{part}.fq")), Default::default())?)
///     },
///     sync: false,
/// };
/// let reads = Source::from_reader("example", &b"@a\nAC\n+\nII\n@b\nG\n+\nI\n@c\nT\n+\nI\n"[..]);
/// let rule = SplitRule::Reads(NonZeroU64::new(2).ok_or("zero")?);
/// let written = split(Inputs::Single(reads), [Options::default(), Options::default()], rule, target)?;
/// assert_eq!((written.parts.len(), written.total()[0].bases), (2, 4));
/// output::commit(written.outputs, false)?;
/// assert_eq!(std::fs::read(folder.join("2.fq"))?, b"@c\nT\n+\nI\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output.
pub fn split<E, O, S>(
    inputs: Inputs<S>,
    options: [Options; 2],
    rule: SplitRule,
    target: SplitTarget<O>,
) -> Result<SplitOutputs, E>
where
    E: From<Error> + Send + 'static,
    O: FnMut(u64, usize) -> Result<Output, E> + Send + 'static,
    S: Readable,
{
    let target = SplitTarget { files: target.files.clamp(1, 2), ..target };
    match rule {
        SplitRule::Turns(parts) => turns::split(inputs, options, parts, target),
        _ => series::split(inputs, options, rule, target),
    }
}
