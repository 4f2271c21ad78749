//! A run of a command: what it reads and writes, where its results and messages go, and who follows it.
//!
//! It is made once and handed on; nothing of a run is kept anywhere else. Threads that say something have a clone of its
//! [`Console`].

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::output::{Compression, Files, Output};
use biofast_io::{
    CancellationToken, Error, ErrorKind, Escaped, Location, Options, Progress, remote,
};

use crate::console::Console;

/// How a run ends that gives a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine = 0,
    /// A check failed.
    CheckFailed = 1,
    /// There was an error, which was said.
    Failed = 2,
}

/// What a run has to do with the world around it.
pub(crate) struct Session {
    /// What is read and written.
    pub(crate) files: Files,
    /// Where messages go.
    pub(crate) console: Console,
    /// The words behind the program's name.
    words: Vec<String>,
    /// The command line that they were understood by.
    grammar: clap::Command,
    /// The program that has the run in its process, if that isn't `biofast` itself.
    host: Option<Host>,
}

/// What another program sees of a run, and lends to it.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) stdout: Buffer,
    pub(crate) progress: Arc<Progress>,
    pub(crate) cancellation: CancellationToken,
    /// Inputs, by the words that stand for them.
    pub(crate) lent: HashMap<String, Lent>,
}

impl Session {
    /// A run of these words.
    pub(crate) fn new(words: &[OsString], console: Console) -> Session {
        let shown = |word: &OsString| {
            let escaped = || Escaped(word.as_encoded_bytes()).to_string();
            word.to_str().map_or_else(escaped, str::to_owned)
        };
        let words = words.iter().map(shown).collect();
        let grammar = clap::Command::default();
        Session { files: Files::default(), console, words, grammar, host: None }
    }

    /// The same in the process of another program.
    pub(crate) fn hosted(self, host: Host) -> Session {
        Session { host: Some(host), ..self }
    }

    /// Remembers what the words were understood by.
    pub(crate) fn understand(&mut self, grammar: clap::Command) {
        self.grammar = grammar;
    }

    /// An argument as the help of its command shows it: `-q (--min-mapq)`.
    pub(crate) fn shown(&self, command: &str, id: &str) -> String {
        let argument = self
            .grammar
            .find_subcommand(command)
            .and_then(|command| command.get_arguments().find(|argument| argument.get_id() == id));
        match argument.map(|argument| (argument.get_short(), argument.get_long())) {
            Some((Some(short), Some(long))) => format!("-{short} (--{long})"),
            Some((Some(short), None)) => format!("-{short}"),
            Some((None, Some(long))) => format!("--{long}"),
            _ => id.to_owned(),
        }
    }

    /// The words behind the program's name; addresses without what may be secret.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.words.iter().map(|word| remote::shown_word(word)).collect()
    }

    /// The command line, addresses without what may be secret.
    pub(crate) fn command_line(&self) -> String {
        let words = std::iter::once("biofast".to_owned()).chain(self.arguments());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Options of a reader that the other program can follow and end.
    pub(crate) fn watched(&self, options: Options) -> Options {
        match &self.host {
            Some(host) => Options {
                progress: Some(Arc::clone(&host.progress)),
                cancellation: Some(host.cancellation.clone()),
                ..options
            },
            None => options,
        }
    }

    /// What takes the place of standard output, if it isn't that of the process.
    pub(crate) fn stdout(&self, compression: Compression) -> Option<Output> {
        let host = self.host.as_ref()?;
        Some(Output::stream("-", host.stdout.clone(), compression))
    }

    /// The input that is lent under this word, if it stands for one.
    pub(crate) fn lent(&self, word: &Path) -> Option<Lent> {
        self.host.as_ref()?.lent.get(word.to_str()?).cloned()
    }
}

/// Standard output of a run, for another program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// What was written so far.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *locked(&self.0))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        locked(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An input that the other program reads, and hands on.
#[derive(Clone)]
pub(crate) struct Lent {
    /// The word that stands for it.
    pub(crate) name: String,
    /// The file that it is, where that is known.
    pub(crate) path: Option<PathBuf>,
    /// Until it is opened.
    reader: Arc<Mutex<Option<Box<dyn Read + Send>>>>,
}

impl Lent {
    pub(crate) fn new(
        name: String,
        path: Option<PathBuf>,
        reader: impl Read + Send + 'static,
    ) -> Lent {
        Lent { name, path, reader: Arc::new(Mutex::new(Some(Box::new(reader)))) }
    }

    /// For who reads it.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        locked(&self.reader).take().ok_or_else(|| {
            let text = "this is read twice, but it can be read only once: write it to a file and name the file";
            let error = std::io::Error::new(std::io::ErrorKind::Unsupported, text);
            Error::new(ErrorKind::Io(error), Location::in_input(&self.name.as_str().into()))
        })
    }
}

impl PartialEq for Lent {
    fn eq(&self, other: &Lent) -> bool {
        self.name == other.name
    }
}

impl Eq for Lent {}

impl std::fmt::Debug for Lent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Lent { name, path, .. } = self;
        f.debug_struct("Lent").field("name", name).field("path", path).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
