//! What the program says about itself: completions for shells, manual pages, and how it was built.

use anyhow::{Context, Result};
use biofast_io::display_name;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::options::Folder;
use crate::output;
use crate::session::{Exit, Session};

/// Print shell completions
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast completions bash > biofast.bash
  biofast completions zsh > _biofast
  biofast completions fish > biofast.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages
///
/// With DIR, writes a page for each command: biofast.1, biofast-stats.1 and so on. Without it, prints the page of
/// biofast itself.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast man | man -l -
  biofast man man1")]
pub(crate) struct ManArgs {
    /// Output folder, created if it doesn't exist
    #[arg(value_name = "DIR")]
    folder: Option<Folder>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    mut all: clap::Command,
    session: &mut Session,
) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut all, "biofast", &mut text);
    print(session, &text)
}

pub(crate) fn manual(args: &ManArgs, all: clap::Command, session: &mut Session) -> Result<Exit> {
    let mut command = all.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else { return print(session, &page(command)?.1) };
    session
        .files
        .make_folder(folder)
        .with_context(|| format!("can't create the folder {}", display_name(folder)))?;
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in std::iter::once(command).chain(commands) {
        let (name, text) = page(command)?;
        pages.push(output::filled(output::report(session, Some(&folder.join(name)))?, text)?);
    }
    biofast_io::output::commit(pages, false)?;
    Ok(Exit::Fine)
}

/// The name of the manual page's file, and the page.
fn page(command: clap::Command) -> Result<(String, Vec<u8>)> {
    let page = Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok((page.get_filename(), text))
}

fn print(session: &mut Session, text: &[u8]) -> Result<Exit> {
    output::finish(output::report(session, None)?, text)?;
    Ok(Exit::Fine)
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
pub(crate) fn version(session: &mut Session) -> Result<Exit> {
    print(session, description().as_bytes())
}

/// How the program was built, and what it makes of this machine: lines of text.
pub(super) fn description() -> String {
    let kernels = biofast_kernels::available();
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
        biofast_kernels::active(),
        kernels.join(", "),
        biofast_io::available_threads(),
    )
}

/// The CPU's name where the system tells it.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
