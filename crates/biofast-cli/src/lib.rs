//! The `biofast` command line: arguments in, exit code out.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 an error. A closed pipe is not an error.
//!
//! [`main`] is the program. Programs that have the commands in their own process, as the Python package has, use [`Run`]:
//! nothing is printed, and signals are left alone. What has no command is in the crate `biofast`.

mod alignments_job;
mod commands;
mod console;
mod embedded;
mod inputs;
mod options;
mod output;
mod parts;
mod reads_job;
mod run;
mod sample;
mod session;
mod typed;
mod watch;

use std::io::Write;

use commands::{is_verbose_version, needed_for, version};
use console::{Console, Diagnostic, stdio};
pub use console::{Fault, FaultKind, Message};
pub use embedded::{Outcome, Run};
use session::{Exit, Session};

/// The command line with all commands, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    commands::all()
}

/// Runs the program with these words, of which the first is its name. Returns the exit code; wrong usage, `--help` and signals end
/// the process from within.
///
/// ```no_run
/// std::process::exit(biofast_cli::main(std::env::args_os()).into());
/// ```
pub fn main(words: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_else(|| "biofast".into());
    let arguments: Vec<std::ffi::OsString> = words.collect();
    let command = arguments.first().and_then(|first| commands::named(first));
    let console = Console::stderr(command);
    match run_words(&program, arguments, &console) {
        Ok(exit) => exit as u8,
        Err(error) if output::is_closed_pipe(&error) => 0,
        Err(error) => {
            stdio::end_by_signal();
            let trouble = Diagnostic::from(&error);
            trouble.tell(&console);
            trouble.hint(&console);
            2
        }
    }
}

/// Runs what these words say.
fn run_words(
    program: &std::ffi::OsStr,
    arguments: Vec<std::ffi::OsString>,
    console: &Console,
) -> anyhow::Result<Exit> {
    let mut session = Session::new(&arguments, console.clone());
    let arguments = typed::join_numbers(arguments);
    match typed::asks_for_help(&arguments) {
        Some(name) => {
            let help = commands::short_help(name);
            show(|| std::io::stdout().write_all(help.as_bytes()))
        }
        None if is_verbose_version(&arguments) => {
            run::check_overrides(None)?;
            version(&mut session)
        }
        None => {
            let mut command = needed_for(&arguments);
            match parse(&mut command, program, &arguments, console) {
                Ok(matches) => {
                    stdio::handle_signals();
                    run::run(command, &matches, &mut session)
                }
                Err(shown) => shown,
            }
        }
    }
}

/// What was typed, or what became of help that was asked for; if it can't be understood, the run ends with what is wrong with it.
fn parse(
    command: &mut clap::Command,
    program: &std::ffi::OsStr,
    arguments: &[std::ffi::OsString],
    console: &Console,
) -> Result<clap::ArgMatches, anyhow::Result<Exit>> {
    let typed = std::iter::once(program.to_owned()).chain(arguments.iter().cloned());
    command.try_get_matches_from_mut(typed).or_else(|error| {
        if !error.use_stderr() {
            return Err(show(|| error.print()));
        }
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            error.exit();
        }
        let trouble = typed::explained(&error, arguments, command);
        trouble.tell(console);
        trouble.hint(console);
        std::process::exit(error.exit_code())
    })
}

/// Prints help, or the version, which somebody may have asked for to keep it.
fn show(print: impl FnOnce() -> std::io::Result<()>) -> anyhow::Result<Exit> {
    anyhow::ensure!(!stdio::stdout_was_closed(), "can't write to standard output: it is closed");
    match print().and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("can't write standard output"))
        }
        _ => Ok(Exit::Fine),
    }
}
