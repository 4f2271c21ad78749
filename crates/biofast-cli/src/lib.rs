//! The `biofast` command line: arguments in, exit code out.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 an error. A closed pipe is not an error.
//!
//! [`main`] is the program. Programs that have the commands in their own process, as the Python package has, use [`Run`]:
//! nothing is printed, and signals are left alone. What has no command is in the crate `biofast`.

mod commands;
mod console;
mod embedded;
mod inputs;
mod options;
mod output;
mod sample;
mod watch;

use std::process::ExitCode;

use clap::FromArgMatches;

use commands::{Command, cache_dir, is_verbose_version, needed_for, run, version};
use console::{Trouble, message, stdio, typed};
pub use embedded::{Fault, FaultKind, Message, Outcome, Run};

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
    silence_decompressors();
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_else(|| "biofast".into());
    let mut arguments: Vec<std::ffi::OsString> = words.collect();
    embedded::remember(&arguments);
    if typed::asks_for_help(&arguments) {
        arguments.truncate(1);
        arguments.push("--help".into());
    }
    let arguments = typed::join_numbers(arguments);
    let result = match is_verbose_version(&arguments) {
        true => check_overrides(None).and_then(|()| version()),
        false => {
            let mut command = needed_for(&arguments);
            match parse(&mut command, &program, &arguments) {
                Ok(matches) => {
                    stdio::handle_signals();
                    run_parsed(&command, &matches)
                }
                Err(shown) => shown,
            }
        }
    };
    match result {
        Ok(code) => embedded::number(code),
        Err(error) if output::is_closed_pipe(&error) => 0,
        Err(error) => {
            stdio::end_by_signal();
            let trouble = Trouble::from(&error);
            trouble.tell();
            trouble.hint();
            2
        }
    }
}

/// Runs what was typed, which `command` has understood.
fn run_parsed(command: &clap::Command, matches: &clap::ArgMatches) -> anyhow::Result<ExitCode> {
    for warning in options::given_in_vain(command, matches) {
        message("warning", &warning);
    }
    check_overrides(cache_dir(matches))?;
    let mut files = options::named(matches)?;
    let result = run(&Command::from_arg_matches(matches)?, &mut files);
    for leftover in files.leftovers() {
        message("warning", &leftover.to_string());
    }
    result
}

/// What was typed, or what became of help that was asked for; if it can't be understood, the run ends with what is wrong with it.
fn parse(
    command: &mut clap::Command,
    program: &std::ffi::OsStr,
    arguments: &[std::ffi::OsString],
) -> Result<clap::ArgMatches, anyhow::Result<ExitCode>> {
    let typed = std::iter::once(program.to_owned()).chain(arguments.iter().cloned());
    command.try_get_matches_from_mut(typed).or_else(|error| {
        if !error.use_stderr() {
            return Err(show(&error));
        }
        let error = typed::with_likely_commands(error, command);
        let error = typed::in_plain_words(error, arguments, command);
        let command = arguments.first().and_then(|command| command.to_str());
        let Some(hint) = typed::hint(&error, command) else { error.exit() };
        // Nobody may be there to read it.
        let _ = error.print();
        message("hint", hint);
        std::process::exit(error.exit_code())
    })
}

/// Prints help, or the version, which somebody may have asked for to keep it.
fn show(help: &clap::Error) -> anyhow::Result<ExitCode> {
    use std::io::Write;
    anyhow::ensure!(!stdio::stdout_was_closed(), "can't write to standard output: it is closed");
    match help.print().and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("can't write standard output"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Panics inside the decompressors of CRAM are caught where they are called, and become errors that name the place:
/// what the runtime would print of them is no message for users.
fn silence_decompressors() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|at| at.file().contains("noodles-cram")) {
            usual(info);
        }
    }));
}

/// Environment variables that would be ignored if they were misspelt.
fn check_overrides(cache: Option<&std::path::Path>) -> anyhow::Result<()> {
    biofast::kernels::check_override()?;
    biofast::io::codec::check_override()?;
    biofast::io::codec::check_lanes()?;
    biofast::io::codec::check_piece_len()?;
    open_addresses(cache)
}

/// Inputs may be addresses from here on.
#[cfg(feature = "remote")]
fn open_addresses(cache: Option<&std::path::Path>) -> anyhow::Result<()> {
    let mut settings = biofast::remote::Settings::from_env().map_err(anyhow::Error::msg)?;
    if let Some(folder) = cache {
        settings.cache = Some(folder.to_owned());
    }
    biofast::remote::install(settings)?;
    Ok(())
}

/// Opening one says that this build can't.
#[cfg(not(feature = "remote"))]
fn open_addresses(cache: Option<&std::path::Path>) -> anyhow::Result<()> {
    anyhow::ensure!(
        cache.is_none(),
        "--cache-dir is for inputs at addresses, which this build can't read: it needs the feature 'remote'"
    );
    Ok(())
}
