//! What the program says about itself: completions for shells, manual pages, and how it was built.

use std::process::ExitCode;

use anyhow::{Context, Result};
use biofast::io::display_name;
use biofast::io::output::Files;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::options::Folder;
use crate::output;

/// Print the completions of a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast completions bash > biofast.bash
  biofast completions zsh > _biofast
  biofast completions fish > biofast.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages
///
/// With a folder, a page for each command is written there, as biofast.1, biofast-stats.1 and so on;
/// without, the page of biofast itself is printed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast man | man -l -
  biofast man man1")]
pub(crate) struct ManArgs {
    /// The folder; it is made if it doesn't exist
    #[arg(value_name = "DIR")]
    folder: Option<Folder>,
}

pub(crate) fn completions(args: &CompletionsArgs, files: &mut Files) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::all(), "biofast", &mut text);
    print(files, &text)
}

pub(crate) fn manual(args: &ManArgs, files: &mut Files) -> Result<ExitCode> {
    let mut command = super::all().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else { return print(files, &page(command)?.1) };
    files
        .make_folder(folder)
        .with_context(|| format!("can't make the folder {}", display_name(folder)))?;
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in std::iter::once(command).chain(commands) {
        let (name, text) = page(command)?;
        pages.push(output::filled(output::report(files, Some(&folder.join(name)))?, text)?);
    }
    biofast::io::output::commit(pages, false)?;
    Ok(ExitCode::SUCCESS)
}

/// The name of the manual page's file, and the page.
fn page(command: clap::Command) -> Result<(String, Vec<u8>)> {
    let page = Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok((page.get_filename(), text))
}

fn print(files: &mut Files, text: &[u8]) -> Result<ExitCode> {
    output::finish(output::report(files, None)?, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the arguments ask for [`version`]: `--version --verbose`, which clap can't tell from
/// `--version`, as it stops there.
pub(crate) fn is_verbose_version(arguments: &[std::ffi::OsString]) -> bool {
    let given =
        |names: [&str; 2]| arguments.iter().any(|argument| names.iter().any(|n| argument == n));
    match arguments {
        [both] => both == "-Vv" || both == "-vV",
        [_, _] => given(["--version", "-V"]) && given(["--verbose", "-v"]),
        _ => false,
    }
}

/// Prints how the program was built, and what it makes of this machine.
pub(crate) fn version() -> Result<ExitCode> {
    print(&mut Files::default(), description().as_bytes())
}

/// How the program was built, and what it makes of this machine: lines of text.
pub(super) fn description() -> String {
    let kernels = biofast::kernels::available();
    let kernels: Vec<String> = kernels.iter().map(ToString::to_string).collect();
    let mut features = Vec::new();
    if cfg!(feature = "mmap") {
        features.push("mmap");
    }
    if cfg!(feature = "remote") {
        features.push("remote");
    }
    let features = if features.is_empty() { "none".into() } else { features.join(", ") };
    format!(
        "biofast {}\nbuild:    {}, {}\nfeatures: {features}\nCPU:      {}\nSIMD:     {} (of {})\n\
         threads:  {}\n",
        env!("CARGO_PKG_VERSION"),
        if cfg!(debug_assertions) { "debug" } else { "release" },
        format_args!("{} {}", std::env::consts::ARCH, std::env::consts::OS),
        cpu().unwrap_or_else(|| "unknown".into()),
        biofast::kernels::active(),
        kernels.join(", "),
        biofast::io::available_threads(),
    )
}

/// The CPU's name where the system tells it.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
