//! Commands in the process of another program: what they print is kept for it, and it can follow and end them.
//!
//! A run belongs to the thread that started it, and to the threads of [`pool`]; there the functions below find it. Where there
//! is none, this is the program `biofast`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use biofast::io::output::{self, Compression, Output};
use biofast::io::{CancellationToken, Location, Options, Progress};
use biofast::ops::{cat, dedup, repair, sort};
use biofast::{bam, fastq, io as bytes};

use crate::commands::needed_for;
use crate::console::{Trouble, typed};

/// A command that is run by a library call. Standard output and messages are in its [`Outcome`]; files are written as the program
/// writes them: complete, or not at all.
///
/// ```
/// use biofast_cli::Run;
/// # let folder = tempfile::tempdir()?;
/// # let reads = folder.path().join("reads.fq");
/// # std::fs::write(&reads, "@a\nACGT\n+\nIIII\n")?;
/// let outcome = Run::new(["stats".into(), "--json".into(), reads.into()]).run();
/// assert_eq!(outcome.code, 0);
/// assert!(String::from_utf8_lossy(&outcome.stdout).contains("\"reads\":1"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Run {
    arguments: Vec<OsString>,
    cancellation: CancellationToken,
    progress: Arc<Progress>,
    lent: HashMap<String, Lent>,
}

impl Run {
    /// A run of these words: the name of the command, its options and inputs, as they stand behind `biofast`.
    pub fn new(arguments: impl IntoIterator<Item = OsString>) -> Run {
        Run {
            arguments: arguments.into_iter().collect(),
            cancellation: CancellationToken::new(),
            progress: Arc::default(),
            lent: HashMap::new(),
        }
    }

    /// Where `word` stands among the inputs, `reader` is read: once, as standard input is. Messages and reports have the word as its
    /// name. If what is read is a file after all, `path` keeps it from being replaced by an output.
    ///
    /// ```
    /// use biofast_cli::Run;
    ///
    /// let run = Run::new(["stats", "--json", "<reads>"].map(Into::into));
    /// let outcome = run.with_input("<reads>", None, &b"@a\nACGT\n+\nIIII\n"[..]).run();
    /// assert!(String::from_utf8_lossy(&outcome.stdout).contains("\"bases\":4"));
    /// ```
    #[must_use]
    pub fn with_input(
        mut self,
        word: impl Into<String>,
        path: Option<PathBuf>,
        reader: impl Read + Send + 'static,
    ) -> Run {
        self.lent.insert(word.into(), Lent { path, reader: Some(Box::new(reader)) });
        self
    }

    /// Ends with [`FaultKind::Cancelled`] soon after this is cancelled; outputs don't appear then.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Run {
        self.cancellation = cancellation;
        self
    }

    /// Where the bytes of the inputs are counted, as they are stored, while they are read.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<Progress>) -> Run {
        self.progress = progress;
        self
    }

    /// Runs the command on this thread and as many others as it is told to use.
    pub fn run(self) -> Outcome {
        let words = self.arguments.iter().map(|word| shown(word)).collect();
        let guest = Arc::new(Guest {
            words,
            cancellation: self.cancellation,
            progress: self.progress,
            lent: Mutex::new(self.lent),
            stdout: Arc::default(),
            messages: Mutex::default(),
            fault: Mutex::default(),
        });
        let before = GUEST.replace(Some(Arc::clone(&guest)));
        let code = run_words(self.arguments, &guest);
        GUEST.set(before);
        Outcome {
            code,
            stdout: std::mem::take(&mut *locked(&guest.stdout)),
            messages: std::mem::take(&mut *locked(&guest.messages)),
            fault: locked(&guest.fault).take(),
        }
    }
}

/// What became of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// 0 fine, 1 a check failed, 2 an error.
    pub code: u8,
    /// What the program would have printed on standard output.
    pub stdout: Vec<u8>,
    /// Errors, warnings and hints, in their order.
    pub messages: Vec<Message>,
    /// The first error.
    pub fault: Option<Fault>,
}

/// A line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// `error`, `warning`, `hint` or `note`.
    pub level: String,
    /// What is said.
    pub text: String,
}

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

/// The words this process was started with, once [`main`](crate::main) knows them.
static WORDS: OnceLock<Vec<String>> = OnceLock::new();

thread_local! {
    /// The run that this thread works for.
    static GUEST: RefCell<Option<Arc<Guest>>> = const { RefCell::new(None) };
}

/// A run that another program follows.
pub(crate) struct Guest {
    words: Vec<String>,
    cancellation: CancellationToken,
    progress: Arc<Progress>,
    lent: Mutex<HashMap<String, Lent>>,
    stdout: Arc<Mutex<Vec<u8>>>,
    messages: Mutex<Vec<Message>>,
    fault: Mutex<Option<Fault>>,
}

impl Guest {
    /// Keeps a message.
    pub(crate) fn note(&self, level: &str, text: &str) {
        locked(&self.messages).push(Message { level: level.into(), text: text.into() });
    }

    /// Keeps an error; the first one is the run's.
    pub(crate) fn fail(&self, trouble: &Trouble) {
        self.note("error", &trouble.text);
        let (kind, at) = trouble.fault.clone().unwrap_or((FaultKind::Other, Box::default()));
        locked(&self.fault).get_or_insert_with(|| Fault {
            kind,
            text: trouble.text.clone(),
            hint: trouble.hint.clone(),
            at: *at,
        });
    }
}

/// The run that this thread works for; none in the program itself.
pub(crate) fn guest() -> Option<Arc<Guest>> {
    GUEST.with_borrow(Clone::clone)
}

/// Whether another program runs this.
pub(crate) fn is_guest() -> bool {
    GUEST.with_borrow(Option::is_some)
}

/// An input that the other program reads, and hands on.
struct Lent {
    path: Option<PathBuf>,
    /// Until it is opened.
    reader: Option<Box<dyn Read + Send>>,
}

impl std::fmt::Debug for Lent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lent").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The name of an input that is [handed on](Run::with_input), if this word stands for one.
pub(crate) fn lent(word: &Path) -> Option<String> {
    let (guest, word) = (guest()?, word.to_str()?);
    locked(&guest.lent).contains_key(word).then(|| word.to_owned())
}

/// The file that such an input is, where that is known.
pub(crate) fn lent_path(name: &str) -> Option<PathBuf> {
    locked(&guest()?.lent).get(name)?.path.clone()
}

/// Such an input, for who reads it.
pub(crate) fn open_lent(name: &str) -> Result<Box<dyn Read + Send>, bytes::Error> {
    let reader = guest().and_then(|guest| locked(&guest.lent).get_mut(name)?.reader.take());
    reader.ok_or_else(|| {
        let text =
            "this is read twice, and can be read once only: write it to a file, and name that";
        let error = std::io::Error::new(std::io::ErrorKind::Unsupported, text);
        bytes::Error::new(bytes::ErrorKind::Io(error), Location::in_input(&name.into()))
    })
}

/// A word as text; what of it isn't UTF-8 is escaped, as in names of files.
fn shown(word: &std::ffi::OsStr) -> String {
    let escaped = || bytes::Escaped(word.as_encoded_bytes()).to_string();
    word.to_str().map_or_else(escaped, str::to_owned)
}

/// Remembers the words behind the program's name.
pub(crate) fn remember(arguments: &[OsString]) {
    // Only the first program of a process is the program.
    let _ = WORDS.set(arguments.iter().map(|word| shown(word)).collect());
}

/// The words behind the program's name; addresses without what may be secret.
pub(crate) fn arguments() -> Vec<String> {
    let words = guest()
        .map_or_else(|| WORDS.get().cloned().unwrap_or_default(), |guest| guest.words.clone());
    words.iter().map(|word| biofast::io::remote::shown_word(word)).collect()
}

/// Options of a reader that the other program can follow and end.
pub(crate) fn watched(options: Options) -> Options {
    match guest() {
        Some(guest) => Options {
            progress: Some(Arc::clone(&guest.progress)),
            cancellation: Some(guest.cancellation.clone()),
            ..options
        },
        None => options,
    }
}

/// What takes the place of standard output.
pub(crate) fn stdout(compression: Compression) -> Option<Output> {
    guest().map(|guest| Output::stream("-", Buffer(Arc::clone(&guest.stdout)), compression))
}

/// Threads that work for the same run.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let guest = guest();
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| GUEST.set(guest.clone()))
        .build()
}

/// The number of an exit code.
pub(crate) fn number(code: ExitCode) -> u8 {
    [ExitCode::SUCCESS, ExitCode::from(1)]
        .iter()
        .position(|known| *known == code)
        .map_or(2, |n| n as u8)
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
        let temporary = match (error.downcast_ref(), error.downcast_ref(), error.downcast_ref()) {
            (Some(sort::Problem::Temporary(_, error)), ..) => error,
            (_, Some(dedup::Problem::Temporary(error)), _) => error,
            (.., Some(repair::Problem::Temporary(error))) => error,
            _ => match error.downcast_ref::<cat::Problem>() {
                Some(cat::Problem::NotBgzf(_)) => {
                    return Some((FaultKind::Format, Box::default()));
                }
                _ => error.downcast_ref::<std::io::Error>()?,
            },
        };
        Some((FaultKind::System(temporary.kind()), Box::default()))
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

/// Parses and runs; returns the exit code.
fn run_words(arguments: Vec<OsString>, guest: &Guest) -> u8 {
    let arguments = typed::join_numbers(arguments);
    let words = std::iter::once("biofast".into()).chain(arguments.iter().cloned());
    let mut command = needed_for(&arguments);
    let matches = match command.try_get_matches_from_mut(words) {
        Ok(matches) => matches,
        Err(error) if !error.use_stderr() => {
            locked(&guest.stdout).extend_from_slice(error.render().to_string().as_bytes());
            return 0;
        }
        Err(error) => {
            let first = arguments.first().and_then(|word| word.to_str());
            let hint = typed::hint(&error, first).map(str::to_owned);
            let error = typed::in_plain_words(error, &arguments, &mut command);
            let text = error.render().to_string().trim().to_owned();
            let fault = Some((FaultKind::Usage, Box::default()));
            guest.fail(&Trouble { text, hint, fault });
            return 2;
        }
    };
    match crate::run_parsed(&command, &matches) {
        Ok(code) => number(code),
        Err(error) => {
            guest.fail(&Trouble::from(&error));
            2
        }
    }
}

/// Standard output of a run.
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        locked(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> Outcome {
        Run::new(words.iter().map(OsString::from)).run()
    }

    #[test]
    fn a_fault_of_the_data_tells_its_place() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("cut.fq");
        std::fs::write(&path, "@a\nACGT\n+\nIIII\n@b\nAC\n+\n")?;
        let name = path.display().to_string();
        let outcome = run(&["stats", "--json", &name]);
        assert_eq!(outcome.code, 2);
        let fault = outcome.fault.ok_or(std::io::ErrorKind::Other)?;
        assert_eq!(
            (fault.kind, fault.at.record, fault.at.line),
            (FaultKind::Format, Some(2), Some(8))
        );
        assert_eq!(fault.at.name.as_deref(), Some(&*name));
        // What was counted before is there, as the program prints it.
        assert!(String::from_utf8_lossy(&outcome.stdout).contains("\"reads\":1"));
        Ok(())
    }

    #[test]
    fn wrong_words_and_missing_files_are_told_apart() {
        let fault = |words: &[&str]| run(words).fault.map(|fault| fault.kind);
        assert_eq!(fault(&["stats", "--no-such-option"]), Some(FaultKind::Usage));
        let missing = FaultKind::System(std::io::ErrorKind::NotFound);
        assert_eq!(fault(&["flagstat", "no such file.bam"]), Some(missing));
        assert_eq!(fault(&["filter", "no such file.fq"]), Some(missing));
        assert!(String::from_utf8_lossy(&run(&["stats", "--help"]).stdout).contains("Examples"));
    }

    #[test]
    fn inputs_that_are_handed_on_are_read_once_and_named() -> std::io::Result<()> {
        let words = |words: &[&str]| Run::new(words.iter().map(OsString::from));
        let reads = |text: &'static str| text.as_bytes();
        let outcome = words(&["stats", "--json", "<1>", "<2>"])
            .with_input("<1>", None, reads("@a\nACGT\n+\nIIII\n"))
            .with_input("<2>", None, reads("@a\nAC\n+\n"))
            .run();
        let fault = outcome.fault.ok_or(std::io::ErrorKind::Other)?;
        assert_eq!((fault.at.name.as_deref(), fault.at.record), (Some("<2>"), Some(1)));
        assert!(String::from_utf8_lossy(&outcome.stdout).contains("\"bases\":4"));

        let twice = words(&["filter", "<1>", "<1>"]).with_input("<1>", None, reads(""));
        let fault = twice.run().fault.ok_or(std::io::ErrorKind::Other)?;
        assert!(fault.text.contains("<1> is named more than once"), "{}", fault.text);

        // What it is read from is not replaced.
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("reads.fq");
        std::fs::write(&path, "@a\nACGT\n+\nIIII\n")?;
        let out = path.display().to_string();
        let file = std::fs::File::open(&path)?;
        let run = words(&["filter", "<1>", "-o", &out]).with_input("<1>", Some(path.clone()), file);
        let fault = run.run().fault.ok_or(std::io::ErrorKind::Other)?;
        assert!(fault.text.contains("input"), "{}", fault.text);
        assert_eq!(std::fs::read_to_string(&path)?, "@a\nACGT\n+\nIIII\n");
        Ok(())
    }

    #[test]
    fn a_cancelled_run_leaves_no_output() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("in.fq");
        std::fs::write(&path, "@a\nACGT\n+\nIIII\n")?;
        let cancellation = CancellationToken::new();
        cancellation.cancel();
        let out = folder.path().join("out.fq");
        let words = ["filter".into(), path.into(), "-o".into(), out.clone().into()];
        let outcome = Run::new(words).with_cancellation(cancellation).run();
        assert_eq!(outcome.fault.map(|fault| fault.kind), Some(FaultKind::Cancelled));
        assert!(!out.exists());
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }
}
