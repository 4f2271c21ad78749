//! What is said on standard error: messages, hints, a progress bar; and how standard streams and signals are treated. Nothing
//! here knows a command.

mod diagnostic;
mod fault;
mod hints;
mod lines;
mod progress;
pub(crate) mod stdio;
mod warnings;

pub(crate) use diagnostic::Diagnostic;
pub use fault::{Fault, FaultKind};
pub(crate) use hints::{Hinted, PICARD_ARGUMENT, is_picard_argument};
pub use lines::Message;
pub(crate) use lines::{Console, is_coloured};
pub(crate) use progress::Bar;
pub(crate) use warnings::{
    conversion_hint, encoding_warning, warn, warn_of_encoding, warning_text,
};
