//! Errors as programs are told them: what kind, and where.

use biofast_bam as bam;
use biofast_fastq as fastq;
use biofast_io as bytes;
use biofast_io::{Location, output};
use biofast_ops::{self as ops, Refusal};

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// What kind of an error.
    pub kind: FaultKind,
    /// What is wrong, and where, in one line; of wrong usage in several.
    pub text: String,
    /// What helps, where that is known.
    pub hint: Option<String>,
    /// The input, and the record, line or offset in it, as far as they are known.
    pub at: Location,
}

/// What kind of an error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The words don't make a command.
    Usage,
    /// The data are damaged, cut, or of another format than the command takes.
    Format,
    /// The system refuses to read or write.
    System(std::io::ErrorKind),
    /// The run was cancelled.
    Cancelled,
    /// Anything else that the text tells.
    Other,
}

/// The kind and the place of an error, as its causes tell.
pub(crate) fn fault_of<'e>(
    causes: impl IntoIterator<Item = &'e (dyn std::error::Error + 'static)>,
) -> Option<(FaultKind, Box<Location>)> {
    causes.into_iter().find_map(|error| {
        if let Some(error) = error.downcast_ref::<bytes::Error>() {
            return Some(of_bytes(error));
        }
        if let Some(error) = error.downcast_ref::<fastq::Error>() {
            return Some(match error.kind() {
                fastq::ErrorKind::Io(error) => of_bytes(error),
                fastq::ErrorKind::Output(error) => of_output(error),
                _ => (FaultKind::Format, error.at().clone().into()),
            });
        }
        if let Some(error) = error.downcast_ref::<bam::Error>() {
            return Some(match error.kind() {
                bam::ErrorKind::Io(error) => of_bytes(error),
                bam::ErrorKind::Output(error) => of_output(error),
                _ => (FaultKind::Format, error.at().clone().into()),
            });
        }
        if let Some(error) = error.downcast_ref::<output::Error>() {
            return Some(of_output(error));
        }
        if let Some(ops::Error::Refused(Refusal::NotBgzf(_) | Refusal::Unsalvageable { .. })) =
            error.downcast_ref()
        {
            return Some((FaultKind::Format, Box::default()));
        }
        let system = error.downcast_ref::<std::io::Error>()?;
        Some((FaultKind::System(system.kind()), Box::default()))
    })
}

fn of_bytes(error: &bytes::Error) -> (FaultKind, Box<Location>) {
    let kind = match error.kind() {
        bytes::ErrorKind::Io(error) => FaultKind::System(error.kind()),
        bytes::ErrorKind::NotAFile(_) => FaultKind::System(std::io::ErrorKind::IsADirectory),
        bytes::ErrorKind::Cancelled => FaultKind::Cancelled,
        _ => FaultKind::Format,
    };
    (kind, error.at().clone().into())
}

fn of_output(error: &output::Error) -> (FaultKind, Box<Location>) {
    (FaultKind::System(error.kind()), Location::in_input(&error.name().into()).into())
}
