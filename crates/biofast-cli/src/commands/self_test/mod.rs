//! `biofast self-test`: whether the program does on this machine what it should, and how fast.

mod jobs;
mod kernels;
mod speed;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use biofast_io::output::{Files, commit};

use crate::session::{Exit, Session};
use crate::{output, sample};

/// Quickly test this installation: kernels, every command, speed
///
/// Compares the kernels of each instruction set with plain code. Runs a sample through the commands with each
/// instruction set and several numbers of threads, which must give the same bytes. Measures the reading speed, and
/// reports what slows it down.
///
/// The exit code is 1 if a test fails. About 100 MB of temporary files are written, and removed at the end.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast self-test --no-speed
  biofast self-test --no-speed > self-test.txt")]
pub(crate) struct Args {
    /// Skip the speed measurement
    #[arg(long)]
    no_speed: bool,
}

/// A line of the result.
struct TestLine {
    what: String,
    /// What went wrong, or what there is to say.
    result: Result<String, String>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let report = output::report(session, None)?;
    let folder = tempfile::tempdir().context("can't make a folder for temporary files")?;
    let sample = folder.path().join("sample");
    fs::create_dir(&sample).with_context(|| format!("can't make {}", sample.display()))?;
    commit(sample::write(&sample, &mut Files::default())?, false)?;
    let mut lines = kernels::test();
    lines.extend(jobs::test(&sample)?);
    let mut text = super::about::description();
    text.push('\n');
    let failed = lines.iter().filter(|line| line.result.is_err()).count();
    for TestLine { what, result } in &lines {
        match result {
            Ok(said) => writeln!(text, "ok     {what}: {said}")?,
            Err(said) => writeln!(text, "WRONG  {what}: {said}")?,
        }
    }
    if !args.no_speed {
        text.push_str(&speed::measure(&sample, folder.path())?);
    }
    match failed {
        0 => text.push_str("\nAll tests passed.\n"),
        n => writeln!(
            text,
            "\n{n} of {} tests failed: please report this with the text above.",
            lines.len()
        )?,
    }
    output::finish(report, text)?;
    Ok(if failed > 0 { Exit::CheckFailed } else { Exit::Fine })
}

/// This program with arguments, in a folder, at an instruction set.
fn this_program(folder: &Path, isa: Option<&str>) -> Result<std::process::Command> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let mut command = std::process::Command::new(program);
    command.current_dir(folder).stdin(std::process::Stdio::null());
    if let Some(isa) = isa {
        command.env("BIOFAST_SIMD", isa);
    }
    Ok(command)
}
