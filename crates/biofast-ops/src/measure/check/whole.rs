//! Checks a whole file.

use biofast_io::{Container, Source};

use super::fault::{CheckRule, Error, Warning};
use super::format::CheckedFormat;
use super::options::{Options, noted, reading};
use super::outcome::Outcome;
use super::{alignments, format, reads};

/// Checks an input from its first byte to its last, or to its first fault.
///
/// # Errors
/// If the input can't be read. Everything that is wrong with what can be read is a
/// [`Fault`](super::Fault) of the [`Outcome`].
pub fn check(mut source: Source, options: &Options<'_>) -> Result<Outcome, Error> {
    let (io, notes) = reading(options);
    let mut outcome = match format::recognise(&mut source, options.expected) {
        Ok(format @ (CheckedFormat::Bam | CheckedFormat::Sam | CheckedFormat::Cram)) => {
            alignments::check(source, format, &io, options, &mut Default::default())?
        }
        Ok(CheckedFormat::Fastq) => reads::check_fastq(source, &io, options)?,
        Ok(CheckedFormat::Fasta) => reads::check_fasta(source, &io, options)?,
        Ok(CheckedFormat::Other) => reads::check_bytes(source, &io)?,
        Err((format, fault)) => Outcome { fault: Some(fault), ..Outcome::new(format) },
    };
    outcome.container = notes.container();
    for note in noted(&notes, &outcome) {
        outcome.add_note(&note, 0, None);
    }
    if outcome.format == CheckedFormat::Bam
        && outcome.fault.is_none()
        && let Some(container) = outcome.container
        && !matches!(container, Container::Bgzf | Container::Plain)
    {
        let message = format!("BAM in {}, where tools expect BGZF", container.name());
        outcome.warnings.push(Warning::new(CheckRule::Container, message));
    }
    Ok(outcome)
}
