//! The `biofast` command line: arguments in, exit code out.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 an error. A closed pipe is not an error.

mod about;
mod alignments;
mod check;
mod effects;
mod fastq;
mod filter;
mod hints;
mod import;
mod index;
mod inputs;
mod merge;
mod output;
mod paths;
mod progress;
mod reading;
mod stats;
mod stdio;
mod verbose;
mod view;

use std::process::ExitCode;

use biofast::io::output::Files;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

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

#[derive(Subcommand)]
enum Command {
    Stats(stats::Args),
    Filter(Box<filter::Args>),
    Check(check::Args),
    Flagstat(alignments::FlagstatArgs),
    Idxstats(alignments::IdxstatsArgs),
    Index(index::Args),
    Merge(merge::Args),
    View(Box<view::Args>),
    Fastq(Box<fastq::Args>),
    Import(Box<import::Args>),
    Completions(about::CompletionsArgs),
    Man(about::ManArgs),
}

fn main() -> ExitCode {
    silence_decompressors();
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let result = match about::is_verbose_version(&arguments) {
        true => check_overrides().and_then(|()| about::version()),
        false => {
            let matches = Cli::command().get_matches();
            // What clap has parsed it can also turn into the arguments.
            let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
            stdio::handle_signals();
            for warning in effects::given_in_vain(&Cli::command(), &matches) {
                message("warning", &warning);
            }
            check_overrides()
                .and_then(|()| paths::named(&matches))
                .and_then(|mut files| run(&cli.command, &mut files))
        }
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            stdio::end_by_signal();
            let error = described(&error);
            message("error", &error);
            hint(&error);
            ExitCode::from(2)
        }
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

fn run(command: &Command, files: &mut Files) -> anyhow::Result<ExitCode> {
    match command {
        Command::Stats(args) => stats::run(args, files),
        Command::Filter(args) => filter::run(args, files),
        Command::Check(args) => check::run(args, files),
        Command::Flagstat(args) => alignments::flagstat(args, files),
        Command::Idxstats(args) => alignments::idxstats(args, files),
        Command::Index(args) => index::run(args, files),
        Command::Merge(args) => merge::run(args, files),
        Command::View(args) => view::run(args, files),
        Command::Fastq(args) => fastq::run(args, files),
        Command::Import(args) => import::run(args, files),
        Command::Completions(args) => about::completions(args, files),
        Command::Man(args) => about::manual(args, files),
    }
}

/// An error and what caused it, as far as it doesn't say so itself.
fn described(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match text.as_str() {
            "" => text = cause,
            said if said.ends_with(&cause) => {}
            said => text = format!("{said}: {cause}"),
        }
    }
    text
}

/// Environment variables that would be ignored if they were misspelt.
fn check_overrides() -> anyhow::Result<()> {
    biofast::kernels::check_override()?;
    biofast::io::codec::check_override()?;
    biofast::io::codec::check_piece_len()?;
    Ok(())
}

/// What to do about an error, where that is known.
fn hint(error: &str) {
    if let Some(hint) = hints::of(error) {
        message("hint", &hint);
    }
}

/// A line on standard error. If even that can't be written, the exit code still tells.
fn message(level: &str, text: &str) {
    use std::io::Write;
    // At once, so that lines of programs that share it aren't mixed up.
    let line = format!("biofast: {level}: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
