//! The `biofast` command line: arguments in, exit code out.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 an error. A closed pipe is not an error.

mod alignments;
mod check;
mod fastq;
mod filter;
mod import;
mod index;
mod inputs;
mod merge;
mod output;
mod progress;
mod reading;
mod stats;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Statistics of sequencing reads and alignments, at the speed of decompression.
#[derive(Parser)]
#[command(name = "biofast", version, propagate_version = true, max_term_width = 100)]
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
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match check_overrides() {
        Err(error) => Err(error),
        Ok(()) => match &cli.command {
            Command::Stats(args) => stats::run(args),
            Command::Filter(args) => filter::run(args),
            Command::Check(args) => check::run(args),
            Command::Flagstat(args) => alignments::flagstat(args),
            Command::Idxstats(args) => alignments::idxstats(args),
            Command::Index(args) => index::run(args),
            Command::Merge(args) => merge::run(args),
            Command::View(args) => view::run(args),
            Command::Fastq(args) => fastq::run(args),
            Command::Import(args) => import::run(args),
        },
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            message("error", &described(&error));
            ExitCode::from(2)
        }
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
    Ok(())
}

/// A line on standard error. If even that can't be written, the exit code still tells.
fn message(level: &str, text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "biofast: {level}: {text}");
}
