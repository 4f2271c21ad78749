//! The `biofast` command line: arguments in, exit code out.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 an error. A closed pipe is not an error.

mod commands;
mod console;
mod inputs;
mod options;
mod output;
mod sample;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use commands::{Command, is_verbose_version, run, version};
use console::{Trouble, message, stdio, typed};

/// Static builds: the allocator of musl has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Statistics of sequencing reads and alignments, at the speed of decompression.
#[derive(Parser)]
#[command(
    name = "biofast",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "biofast --version --verbose tells how it was built and what it makes of this machine."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    silence_decompressors();
    let mut arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if typed::asks_for_help(&arguments) {
        arguments.truncate(1);
        arguments.push("--help".into());
    }
    let arguments = typed::join_numbers(arguments);
    let result = match is_verbose_version(&arguments) {
        true => check_overrides().and_then(|()| version()),
        false => {
            let matches = parse(&arguments);
            // What clap has parsed it can also turn into the arguments.
            let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
            stdio::handle_signals();
            for warning in options::given_in_vain(&Cli::command(), &matches) {
                message("warning", &warning);
            }
            check_overrides()
                .and_then(|()| options::named(&matches))
                .and_then(|mut files| run(&cli.command, &mut files))
        }
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            stdio::end_by_signal();
            let trouble = Trouble::from(&error);
            message("error", &trouble.text);
            trouble.hint();
            ExitCode::from(2)
        }
    }
}

/// What was typed; if it can't be understood, the run ends with what is wrong with it.
fn parse(arguments: &[std::ffi::OsString]) -> clap::ArgMatches {
    let program = std::env::args_os().next().unwrap_or_else(|| "biofast".into());
    let typed = std::iter::once(program).chain(arguments.iter().cloned());
    Cli::command().try_get_matches_from(typed).unwrap_or_else(|error| {
        let command = arguments.first().and_then(|command| command.to_str());
        let Some(hint) = typed::hint(&error, command) else { error.exit() };
        // Nobody may be there to read it.
        let _ = error.print();
        message("hint", hint);
        std::process::exit(error.exit_code())
    })
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
fn check_overrides() -> anyhow::Result<()> {
    biofast::kernels::check_override()?;
    biofast::io::codec::check_override()?;
    biofast::io::codec::check_lanes()?;
    biofast::io::codec::check_piece_len()?;
    Ok(())
}
