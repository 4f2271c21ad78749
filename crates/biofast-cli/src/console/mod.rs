//! What is said on standard error: messages, hints, a progress bar; and how standard streams and signals are treated.

mod hints;
mod progress;
pub(crate) mod stdio;
pub(crate) mod typed;
mod verbose;

use biofast::io::{Escaped, Location, Notes, Warning};

use crate::embedded::{self, FaultKind};

pub(crate) use hints::Hinted;
pub(crate) use progress::Bar;
pub(crate) use verbose::describe;

/// Whether text for a stream is coloured: on a terminal unless `NO_COLOR` is set, and elsewhere if `CLICOLOR_FORCE` is, as other
/// programs have it (<https://bixense.com/clicolors>). Empty and, of the latter, 0 are as if unset.
pub(crate) fn is_coloured(stream: &impl std::io::IsTerminal) -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if value("NO_COLOR").is_some() {
        return false;
    }
    value("CLICOLOR_FORCE").is_some_and(|value| value != "0") || stream.is_terminal()
}

/// What is wrong, and what helps, for results that go on after an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) text: String,
    pub(crate) hint: Option<String>,
    /// What kind of a fault it is and where, for programs.
    pub(crate) fault: Option<(FaultKind, Box<Location>)>,
}

impl Trouble {
    /// A trouble without a hint.
    pub(crate) fn new(text: impl Into<String>) -> Trouble {
        Trouble { text: text.into(), hint: None, fault: None }
    }

    /// What an error says.
    pub(crate) fn of(error: &(dyn std::error::Error + 'static)) -> Trouble {
        let causes = std::iter::successors(Some(error), |error| error.source());
        let fault = embedded::fault_of(causes.clone());
        Trouble { text: error.to_string(), hint: hints::of(causes), fault }
    }

    /// With what is said before it.
    pub(crate) fn after(self, before: &str) -> Trouble {
        Trouble { text: format!("{before}: {}", self.text), ..self }
    }

    /// Says what is wrong.
    pub(crate) fn tell(&self) {
        match embedded::guest() {
            Some(guest) => guest.fail(self),
            None => message("error", &self.text),
        }
    }

    /// Says what helps, where that is known.
    pub(crate) fn hint(&self) {
        if let Some(hint) = &self.hint {
            message("hint", hint);
        }
    }
}

impl From<&anyhow::Error> for Trouble {
    fn from(error: &anyhow::Error) -> Trouble {
        let fault = embedded::fault_of(error.chain());
        Trouble { text: described(error), hint: hints::of(error.chain()), fault }
    }
}

/// An error and what caused it, as far as it doesn't say so itself.
fn described(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match text.as_str() {
            "" => text = cause,
            said if said.ends_with(&cause) => {}
            said => text = format!("{said}: {cause}"),
        }
    }
    text
}

/// Says what was noticed of an input.
pub(crate) fn warn(name: &str, notes: &Notes) {
    let name = Escaped(name.as_bytes());
    for warning in notes.warnings() {
        message("warning", &format!("{name}: {}", warning_text(&warning)));
    }
}

/// A warning, and whether it can be made an error.
pub(crate) fn warning_text(warning: &Warning) -> String {
    let text = warning.to_string();
    let strict = "--strict makes this an error";
    match warning {
        Warning::Tolerated { count: 2.., .. } => match text.strip_suffix(')') {
            Some(counted) => format!("{counted}; {strict})"),
            None => text,
        },
        Warning::MissingEofBlock | Warning::BlankLines { .. } | Warning::Tolerated { .. } => {
            format!("{text} ({strict})")
        }
        _ => text,
    }
}

/// A line on standard error. If even that can't be written, the exit code still tells.
pub(crate) fn message(level: &str, text: &str) {
    match embedded::guest() {
        Some(guest) => guest.note(level, text),
        // At once, so that lines of programs that share it aren't mixed up.
        None => say(&format!("biofast: {level}: {text}\n")),
    }
}

/// Text on standard error, such as a summary. One nobody reads is no error.
pub(crate) fn say(text: &str) {
    use std::io::Write;
    if !embedded::is_guest() {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
