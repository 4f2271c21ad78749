//! Lines on standard error, or kept for another program.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use super::fault::Fault;

/// A line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// `error`, `warning`, `hint` or `note`.
    pub level: String,
    /// What is said.
    pub text: String,
}

/// Where the messages of a run go; a clone's go there, too.
#[derive(Clone, Debug)]
pub(crate) struct Console(Arc<Sink>);

#[derive(Debug)]
enum Sink {
    /// Standard error; messages begin with the name of the command, as logs of a pipeline have messages of several.
    Stderr(Option<&'static str>),
    /// The program that has the run in its process.
    Host(Mutex<(Vec<Message>, Option<Fault>)>),
}

impl Console {
    /// Standard error, for a run of this command, if it is one.
    pub(crate) fn stderr(command: Option<&'static str>) -> Console {
        Console(Arc::new(Sink::Stderr(command)))
    }

    /// Messages are kept.
    pub(crate) fn kept() -> Console {
        Console(Arc::new(Sink::Host(Mutex::default())))
    }

    /// The messages so far, and the first error.
    pub(crate) fn take(&self) -> (Vec<Message>, Option<Fault>) {
        match &*self.0 {
            Sink::Stderr(_) => (Vec::new(), None),
            Sink::Host(kept) => {
                std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    /// Whether people may see it.
    pub(crate) fn is_stderr(&self) -> bool {
        matches!(*self.0, Sink::Stderr(_))
    }

    /// A line. If even that can't be written, the exit code still tells.
    pub(crate) fn message(&self, level: &str, text: &str) {
        match &*self.0 {
            // At once, so that lines of programs that share it aren't mixed up.
            Sink::Stderr(Some(command)) => {
                self.say(&format!("biofast {command}: {level}: {text}\n"));
            }
            Sink::Stderr(None) => self.say(&format!("biofast: {level}: {text}\n")),
            Sink::Host(kept) => {
                let message = Message { level: level.into(), text: text.into() };
                kept.lock().unwrap_or_else(PoisonError::into_inner).0.push(message);
            }
        }
    }

    /// What was done, or how.
    pub(crate) fn note(&self, text: &str) {
        self.message("note", text);
    }

    /// What may not be as it is meant.
    pub(crate) fn warning(&self, text: &str) {
        self.message("warning", text);
    }

    /// What helps.
    pub(crate) fn hint(&self, text: &str) {
        self.message("hint", text);
    }

    /// What is wrong.
    pub(crate) fn error(&self, text: &str) {
        self.message("error", text);
    }

    /// The same, for programs as well: the first one is the run's.
    pub(crate) fn fail(&self, fault: Fault) {
        self.error(&fault.text);
        if let Sink::Host(kept) = &*self.0 {
            kept.lock().unwrap_or_else(PoisonError::into_inner).1.get_or_insert(fault);
        }
    }

    /// Text for people, such as a summary. One nobody reads is no error.
    pub(crate) fn say(&self, text: &str) {
        if self.is_stderr() {
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// Whether text for a stream is coloured: on a terminal unless `NO_COLOR` is set, and elsewhere if `CLICOLOR_FORCE` is, as other
/// programs have it (<https://bixense.com/clicolors>). Empty and, of the latter, 0 are as if unset.
pub(crate) fn is_coloured(stream: &impl std::io::IsTerminal) -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if value("NO_COLOR").is_some() {
        return false;
    }
    value("CLICOLOR_FORCE").is_some_and(|value| value != "0") || stream.is_terminal()
}
