//! Commands: words in, what the program would print out.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use biofast_cli::Run;
use biofast_io::{CancellationToken, Progress};
use biofast_ops::verdicts::{Library, VerdictRules};
use biofast_ops::{alignments, reads};
use biofast_report::html;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::attended::attended;
use crate::ending::attach;
use crate::errors::{internal, of_fault};
use crate::source::{Object, Raised, refuse_text};

/// What `run` returns: the exit code, standard output, messages as (level, text), and the first error.
type Answer<'py> = (u8, Bound<'py, PyBytes>, Vec<(String, String)>, Option<PyErr>);

/// Runs a command as `biofast WORDS…` does. `objects` are inputs that are no files: the word that stands for one, and the file that is
/// read there, if there is one. `progress` is called with the bytes read so far, on another thread; what it raises ends
/// the run.
#[pyfunction]
#[pyo3(signature = (words, progress=None, objects=Vec::new()))]
pub(crate) fn run(
    py: Python<'_>,
    words: Vec<OsString>,
    progress: Option<Py<PyAny>>,
    objects: Vec<(String, Option<PathBuf>, Py<PyAny>)>,
) -> PyResult<Answer<'_>> {
    let cancellation = CancellationToken::new();
    let (raised, unread) = (Raised::default(), Raised::default());
    let mut run = Run::new(words).with_cancellation(cancellation.clone());
    if let Some(callback) = progress {
        let (cancellation, raised) = (cancellation.clone(), Arc::clone(&raised));
        run = run.with_progress(Arc::new(Progress::with_callback(move |bytes| {
            if let Some(Err(error)) = attach(|py| callback.call1(py, (bytes,)).map(drop)) {
                cancellation.cancel();
                *raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
        })));
    }
    for (word, path, object) in objects {
        refuse_text(&word, object.bind(py))?;
        run = run.with_input(word, path, Object::telling(object, Arc::clone(&unread)));
    }
    let outcome = attended(py, &cancellation, move || run.run())?;
    if let Some(error) = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
        return Err(error);
    }
    let messages =
        outcome.messages.into_iter().map(|message| (message.level, message.text)).collect();
    let error = outcome.fault.as_ref().map(|fault| of_fault(py, fault));
    let cause = unread.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    if let (Some(error), Some(cause)) = (&error, cause) {
        error.set_cause(py, Some(cause));
    }
    Ok((outcome.code, PyBytes::new(py, &outcome.stdout), messages, error))
}

/// The program: runs `words`, of which the first is its name, prints, and returns the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| biofast_cli::main(words))
}

/// The page for the browser of what `biofast stats --json` printed, with the verdicts that a page has.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, json: &str) -> PyResult<String> {
    py.detach(|| -> serde_json::Result<String> {
        let rules = VerdictRules::of(Library::Any);
        if let Ok(mut report) = serde_json::from_str::<alignments::report::AlignmentReport>(json)
            && report.schema == alignments::report::SCHEMA
        {
            report.judge(&rules);
            let json = serde_json::to_string(&report)? + "\n";
            return Ok(html::stats(None, None, Some((&report, &json)), None));
        }
        let mut report: reads::report::ReadReport = serde_json::from_str(json)?;
        report.judge(&rules);
        let json = serde_json::to_string(&report)? + "\n";
        Ok(html::stats(None, Some((&report, &json)), None, None))
    })
    .map_err(internal)
}
