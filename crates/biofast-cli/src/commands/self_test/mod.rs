//! `biofast self-test`: whether the program does on this machine what it should, and how fast.

mod jobs;
mod kernels;
mod speed;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use biofast::io::output::{Files, commit};

use crate::{output, sample};

/// Test on this machine, in seconds: kernels, every command on a sample, and speed
///
/// The kernels of each instruction set are compared with plain code; a sample goes through the commands on every
/// instruction set and number of threads, which must not change a byte; and the speed of reading is measured, with a word
/// on what makes it slower than it could be. Exit code 1 says that something is wrong. Some 100 MB are written to the
/// folder for temporary files and removed in the end.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast self-test --no-speed
  biofast self-test --no-speed > self-test.txt")]
pub(crate) struct Args {
    /// Leave the speed out
    #[arg(long)]
    no_speed: bool,
}

/// A line of the result.
struct Line {
    what: String,
    /// What went wrong, or what there is to say.
    result: Result<String, String>,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let report = output::report(files, None)?;
    let folder = Scratch::new()?;
    let sample = folder.0.join("sample");
    fs::create_dir(&sample).with_context(|| format!("can't make {}", sample.display()))?;
    commit(sample::write(&sample, &mut Files::default())?, false)?;
    let mut lines = kernels::test();
    lines.extend(jobs::test(&sample)?);
    let mut text = super::about::description();
    text.push('\n');
    let failed = lines.iter().filter(|line| line.result.is_err()).count();
    for Line { what, result } in &lines {
        match result {
            Ok(said) => writeln!(text, "ok     {what}: {said}")?,
            Err(said) => writeln!(text, "WRONG  {what}: {said}")?,
        }
    }
    if !args.no_speed {
        text.push_str(&speed::measure(&sample, &folder.0)?);
    }
    match failed {
        0 => text.push_str("\nAll is well.\n"),
        n => writeln!(
            text,
            "\n{n} of {} tests went wrong: please report it with this text.",
            lines.len()
        )?,
    }
    output::finish(report, text)?;
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// A folder for temporary files, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let folder = std::env::temp_dir().join(format!("biofast-self-test-{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("can't make {}", folder.display()))?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing sensible is left to do if the removal fails.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// This program with arguments, in a folder, at an instruction set.
fn this_program(folder: &Path, isa: Option<&str>) -> Result<std::process::Command> {
    let program =
        std::env::current_exe().context("the system doesn't say which file this program is")?;
    let mut command = std::process::Command::new(program);
    command.current_dir(folder).stdin(std::process::Stdio::null());
    if let Some(isa) = isa {
        command.env("BIOFAST_SIMD", isa);
    }
    Ok(command)
}
