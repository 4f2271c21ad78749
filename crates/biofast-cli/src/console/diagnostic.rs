//! What is wrong with an input or a run, and what helps.

use biofast_io::Location;

use super::fault::{Fault, FaultKind, fault_of};
use super::hints;
use super::lines::Console;

/// What is wrong, and what helps, for results that go on after an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    pub(crate) text: String,
    pub(crate) hint: Option<String>,
    /// What kind of a fault it is and where, for programs.
    pub(crate) fault: Option<(FaultKind, Box<Location>)>,
}

impl Diagnostic {
    /// A trouble without a hint.
    pub(crate) fn new(text: impl Into<String>) -> Diagnostic {
        Diagnostic { text: text.into(), hint: None, fault: None }
    }

    /// What an error says.
    pub(crate) fn of(error: &(dyn std::error::Error + 'static)) -> Diagnostic {
        let causes = std::iter::successors(Some(error), |error| error.source());
        let fault = fault_of(causes.clone());
        let hint = hints::of(causes).map(|hint| hints::with_name(hint, fault.as_ref()));
        Diagnostic { text: without_number(error.to_string()), hint, fault }
    }

    /// With what is said before it.
    pub(crate) fn after(self, before: &str) -> Diagnostic {
        Diagnostic { text: format!("{before}: {}", self.text), ..self }
    }

    /// Says what is wrong.
    pub(crate) fn tell(&self, console: &Console) {
        let (kind, at) = self.fault.clone().unwrap_or((FaultKind::Other, Box::default()));
        console.fail(Fault { kind, text: self.text.clone(), hint: self.hint.clone(), at: *at });
    }

    /// Says what helps, where that is known.
    pub(crate) fn hint(&self, console: &Console) {
        if let Some(hint) = &self.hint {
            console.hint(hint);
        }
    }
}

impl From<&anyhow::Error> for Diagnostic {
    fn from(error: &anyhow::Error) -> Diagnostic {
        let fault = fault_of(error.chain());
        let hint = hints::of(error.chain()).map(|hint| hints::with_name(hint, fault.as_ref()));
        Diagnostic { text: described(error), hint, fault }
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
    without_number(text)
}

/// A message of the system without its number, as in "No such file or directory (os error 2)".
fn without_number(mut text: String) -> String {
    if let Some(start) = text.rfind(" (os error ")
        && let Some(length) = text[start..].find(')')
    {
        text.replace_range(start..=start + length, "");
    }
    text
}
