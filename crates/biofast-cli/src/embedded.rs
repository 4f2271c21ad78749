//! Commands in the process of another program: what they print is kept for it, and it can follow and end them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use biofast_io::{CancellationToken, Progress};

use crate::commands::needed_for;
use crate::console::{Console, Diagnostic, Fault, Message};
use crate::run;
use crate::session::{Buffer, Host, Lent, Session};
use crate::typed;

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
        let word = word.into();
        self.lent.insert(word.clone(), Lent::new(word, path, reader));
        self
    }

    /// Ends with [`FaultKind::Cancelled`](crate::FaultKind::Cancelled) soon after this is cancelled; outputs don't appear then.
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
        let (console, mut stdout) = (Console::kept(), Buffer::default());
        let session = Session::new(&self.arguments, console.clone()).hosted(Host {
            stdout: stdout.clone(),
            progress: self.progress,
            cancellation: self.cancellation,
            lent: self.lent,
        });
        let code = run_words(self.arguments, session, &mut stdout).unwrap_or_else(|diagnostic| {
            diagnostic.tell(&console);
            2
        });
        let (messages, fault) = console.take();
        Outcome { code, stdout: stdout.take(), messages, fault }
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

/// Parses and runs; returns the exit code.
fn run_words(
    arguments: Vec<OsString>,
    mut session: Session,
    stdout: &mut Buffer,
) -> Result<u8, Diagnostic> {
    let arguments = typed::join_numbers(arguments);
    let words = std::iter::once("biofast".into()).chain(arguments.iter().cloned());
    let mut command = needed_for(&arguments);
    match command.try_get_matches_from_mut(words) {
        Ok(matches) => {
            let exit = run::run(command, &matches, &mut session);
            exit.map(|exit| exit as u8).map_err(|error| Diagnostic::from(&error))
        }
        Err(error) if !error.use_stderr() => {
            let help = error.render().to_string();
            stdout.write_all(help.as_bytes()).map_err(|error| Diagnostic::of(&error))?;
            Ok(0)
        }
        Err(error) => Err(typed::explained(&error, &arguments, &command)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultKind;

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
