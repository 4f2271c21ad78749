//! What is read: a path, or a Python object with `read`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use biofast_io::output::is_same_file;
use biofast_io::{Location, Source};
use biofast_ops::shards::Plan;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyEOFError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::ending::attach;
use crate::errors::{ReadFailure, internal};

/// An input that is yet to be opened.
pub(crate) enum Input {
    Path(PathBuf),
    /// The only shard of a plan, of this file.
    Shard(Box<Plan>, PathBuf),
    Object(String, Py<PyAny>),
}

impl Input {
    /// The path, or the object that can be read.
    pub(crate) fn of(input: &Bound<'_, PyAny>) -> PyResult<Input> {
        if is_object(input)? {
            let name = object_name(input)?;
            refuse_text(&name, input)?;
            return Ok(Input::Object(name, input.clone().unbind()));
        }
        Ok(Input::Path(input.extract()?))
    }

    /// A shard of it, of a plan that [`parts_of_plan`] has made.
    pub(crate) fn shard(self, plan: &str) -> PyResult<Input> {
        let usage = |text: String| PyErr::from(ReadFailure::Usage(text));
        let plan: Plan =
            serde_json::from_str(plan).map_err(|error| usage(format!("a shard: {error}")))?;
        match self {
            Input::Path(path) => Ok(Input::Shard(Box::new(plan), path)),
            Input::Shard(..) | Input::Object(..) => Err(usage("shards are of a path".into())),
        }
    }

    pub(crate) fn open(self) -> Result<Source, ReadFailure> {
        Ok(match self {
            Input::Path(path) => Source::open(path)?,
            Input::Shard(plan, path) => {
                // Files may have been copied since, to another machine: the time of change doesn't count.
                plan.check_file(0, &path, true)?;
                plan.open(1, 0, &path)?
            }
            Input::Object(name, object) => Source::from_reader(&name, Object::new(object)),
        })
    }

    pub(crate) fn path(&self) -> Option<&PathBuf> {
        match self {
            Input::Path(path) | Input::Shard(_, path) => Some(path),
            Input::Object(..) => None,
        }
    }
}

/// The shards of a plan of one file, as plans of one shard each: what a worker needs of it.
#[pyfunction]
pub(crate) fn parts_of_plan(plan: &str) -> PyResult<Vec<String>> {
    let mut plan: Plan = serde_json::from_str(plan).map_err(internal)?;
    plan.check().map_err(ReadFailure::from)?;
    let shards = std::mem::take(&mut plan.shards);
    let text = |shard| serde_json::to_string(&Plan { shards: vec![shard], ..plan.clone() });
    shards.into_iter().map(text).collect::<Result<_, _>>().map_err(internal)
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
pub(crate) fn refuse_read(output: &Path) -> Result<(), ReadFailure> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    match read.iter().filter_map(Weak::upgrade).find(|path| is_same_file(path, output)) {
        Some(path) => Err(ReadFailure::Usage(format!(
            "{} is being read: write to another file, or let go of what reads it first",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Bytes asked of an object at once: each time the interpreter is waited for.
const AT_ONCE: usize = 1 << 20;

/// Whether an input is an object to read from, and not a path. Some paths have a method `read`, too.
#[pyfunction]
pub(crate) fn is_object(input: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!input.is_instance_of::<PyString>()
        && !input.hasattr("__fspath__")?
        && input.hasattr("read")?)
}

/// What a file object is called in messages and reports: by its name, or else its type.
#[pyfunction]
pub(crate) fn object_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let named = object.getattr("name").and_then(|name| name.extract::<String>());
    let name = match named {
        Ok(name) if !name.is_empty() => name,
        // Of a file that was opened by its number that is the name.
        _ => object.get_type().name()?.to_string(),
    };
    Ok(format!("<file object {name}>"))
}

/// An error if an object gives text.
pub(crate) fn refuse_text(name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    if object.is_instance(&object.py().import("io")?.getattr("TextIOBase")?)? {
        let text = format!("{name} is open as text: open it as binary, with mode 'rb'");
        return Err(PyTypeError::new_err(text));
    }
    Ok(())
}

/// A Python object as a reader.
pub(crate) struct Object {
    object: Py<PyAny>,
    rest: Vec<u8>,
    at: usize,
    raised: Raised,
}

/// What an object raised while it was read.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

impl Object {
    pub(crate) fn new(object: Py<PyAny>) -> Object {
        Object::telling(object, Raised::default())
    }

    /// The same, of which an exception is left there.
    pub(crate) fn telling(object: Py<PyAny>, raised: Raised) -> Object {
        Object { object, rest: Vec::new(), at: 0, raised }
    }

    /// More bytes; none at the end.
    fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        let got = self.object.bind(py).call_method1("read", (AT_ONCE,))?;
        self.rest.clear();
        if let Ok(bytes) = got.cast::<PyBytes>() {
            self.rest.extend_from_slice(bytes.as_bytes());
            return Ok(());
        }
        let Ok(buffer) = PyBuffer::<u8>::get(&got) else {
            let kind = got.get_type().name()?;
            let hint = match got.is_instance_of::<PyString>() {
                true => ": it has to be open as binary",
                false => "",
            };
            return Err(PyTypeError::new_err(format!("read() returned {kind}, not bytes{hint}")));
        };
        self.rest = buffer.to_vec(py)?;
        Ok(())
    }
}

/// An exception as an error of reading, of which it stays the cause.
fn reading_error(py: Python<'_>, error: PyErr) -> io::Error {
    let kind = error.get_type(py);
    let name = kind.qualname().map(|name| name.to_string()).unwrap_or_default();
    let module = kind.module().map(|name| name.to_string()).unwrap_or_default();
    let is_damaged = matches!(
        (module.as_str(), name.as_str()),
        ("zlib", "error") | ("gzip", "BadGzipFile") | ("_lzma" | "lzma", "LZMAError")
    );
    let kind = match error.is_instance_of::<PyEOFError>(py) {
        true => io::ErrorKind::UnexpectedEof,
        false if is_damaged => io::ErrorKind::InvalidData,
        false => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

impl Read for Object {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            self.at = 0;
            let filled = attach(|py| {
                self.fill(py).map_err(|error| {
                    *self.raised.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(error.clone_ref(py));
                    reading_error(py, error)
                })
            });
            filled.unwrap_or_else(|| Err(io::Error::other("the Python interpreter has ended")))?;
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
