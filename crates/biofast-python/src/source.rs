//! What is read: a path, or a Python object with `read`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use biofast::io::output::is_same_file;
use biofast::io::{Location, Source};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Trouble;

/// An input that is yet to be opened.
pub(crate) enum Input {
    Path(PathBuf),
    Object(String, Py<PyAny>),
}

impl Input {
    /// The path, or the object that can be read.
    pub(crate) fn of(input: &Bound<'_, PyAny>) -> PyResult<Input> {
        if input.hasattr("read")? {
            let name = input.getattr("name").and_then(|name| name.extract::<String>());
            return Ok(Input::Object(
                name.unwrap_or_else(|_| "file object".into()),
                input.clone().unbind(),
            ));
        }
        Ok(Input::Path(input.extract()?))
    }

    pub(crate) fn open(self) -> Result<Source, Trouble> {
        Ok(match self {
            Input::Path(path) => Source::open(path)?,
            Input::Object(name, object) => {
                Source::from_reader(&name, Object { object, rest: Vec::new(), at: 0 })
            }
        })
    }

    pub(crate) fn path(&self) -> Option<&PathBuf> {
        match self {
            Input::Path(path) => Some(path),
            Input::Object(..) => None,
        }
    }
}

/// The files that are being read.
static READ: Mutex<Vec<Weak<PathBuf>>> = Mutex::new(Vec::new());

/// Keeps a file from being written to by a writer of this package, until it is dropped.
pub(crate) type Held = Option<Arc<PathBuf>>;

/// Holds a file that is read.
pub(crate) fn hold(path: Option<&Path>) -> Held {
    let path = Arc::new(path?.to_owned());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.retain(|path| path.strong_count() > 0);
    read.push(Arc::downgrade(&path));
    Some(path)
}

/// An error if a file that is being read would be replaced.
pub(crate) fn refuse_read(output: &Path) -> Result<(), Trouble> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    match read.iter().filter_map(Weak::upgrade).find(|path| is_same_file(path, output)) {
        Some(path) => Err(Trouble::Usage(format!(
            "{} is being read: write to another file, or let go of what reads it first",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Bytes asked of an object at once: each time the interpreter is waited for.
const AT_ONCE: usize = 1 << 20;

/// A Python object as a reader.
struct Object {
    object: Py<PyAny>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for Object {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            self.at = 0;
            Python::attach(|py| -> PyResult<()> {
                let got = self.object.call_method1(py, "read", (AT_ONCE,))?;
                self.rest.clear();
                self.rest.extend_from_slice(got.bind(py).cast::<PyBytes>()?.as_bytes());
                Ok(())
            })
            .map_err(|error| io::Error::other(error.to_string()))?;
        }
        let rest = &self.rest[self.at..];
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}

/// The place of a record, counted from 1.
pub(crate) fn place(name: &str, record: u64) -> Location {
    let mut at = Location::in_input(&name.into());
    at.record = Some(record);
    at
}
