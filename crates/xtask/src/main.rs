//! `cargo xtask`: what a release consists of, and the goldens of tests. For those who publish biofast, and for CI; see
//! docs/releasing.md.

mod archive;
mod changes;
mod compile;
mod components;
mod dist;
mod parity;
mod versions;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
What a release of biofast consists of

Usage: cargo xtask <COMMAND>

Commands:
  dist [--target TRIPLE]... [--out DIR] [--deb]
            Build the program with the profile `dist` for each target [default: this machine's
            Linux with musl], and pack it with completions, manual pages, licences and checksums
            into DIR [default: target/dist-files]; with --deb as Debian's package, too (cargo-deb)
  pages PROGRAM DIR
            Write the manual pages, completions and JSON schemas that a program prints, and the
            licences of what is in it, to DIR
  sbom      Print the list of components (CycloneDX 1.5) to standard output
  licences  Print the licences of all components to standard output
  versions  Check that every file that names the version names the same one
  changes COMMIT
            Print what the commits after this one say for CHANGELOG.md, by section
  docs      Write docs/commands.md, the page of all options, which `mdbook build docs` needs
  goldens   Write what tests compare biofast's output with, by the tools it is compared with
  parity PEER PATH
            Run all comparisons with a program, such as samtools, with the one at PATH, and print what
            differs. PEER is samtools, picard (a jar or a folder of jars), mosdepth, fastqc, or the name of
            a program that tests find by its name
  package   Check that every crate can be packaged from what is committed
";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root()?;
    match words.as_slice() {
        ["dist", options @ ..] => dist::run(&root, &dist::Options::parse(&root, options)?),
        ["sbom"] => {
            let sbom = components::sbom(&root, &components::of_program(&root, None)?)?;
            Ok(writeln!(std::io::stdout(), "{sbom:#}")?)
        }
        ["licences"] => {
            let text = components::licences(&components::of_program(&root, None)?)?;
            Ok(std::io::stdout().write_all(text.as_bytes())?)
        }
        ["pages", program, out] => dist::write_pages(&root, program.as_ref(), out.as_ref()),
        ["versions"] => versions::check(&root),
        ["changes", after] => changes::run(&root, after),
        ["docs"] => docs(&root),
        ["goldens"] => goldens(&root),
        ["parity", peer, program] => parity::run(&root, peer, program.as_ref()),
        ["package"] => package(&root),
        [] | ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            Ok(())
        }
        [other, ..] => bail!("no command '{other}'\n\n{HELP}"),
    }
}

/// The root of the repository.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(Path::to_path_buf).context("no workspace above this crate")
}

/// The test that compares the goldens with the tools writes them if it is told to.
fn goldens(root: &Path) -> Result<()> {
    let test = ["peers", "goldens::goldens_are_what"];
    run(cargo(root).args(test).env("BIOFAST_RENEW", "1"))
}

/// The test of the page of all options writes it if it is told to.
fn docs(root: &Path) -> Result<()> {
    let test = ["test", "--package", "biofast-cli", "--lib", "reference::"];
    run(cargo(root).args(test).env("BIOFAST_RENEW", "1"))
}

/// `cargo package` of every published crate, with a build of what was packed.
fn package(root: &Path) -> Result<()> {
    run(cargo(root).args(["package", "--workspace", "--locked"]).args([
        "--exclude", "biofast-testkit", "--exclude", "biofast-experiments", "--exclude",
        "biofast-xtask",
    ]))
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs a command; that it fails is an error that names it.
fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("can't run {command:?}"))?;
    if !status.success() {
        bail!("{status}: {command:?}");
    }
    Ok(())
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("can't run {command:?}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {command:?}\n{message}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} printed no text"))
}
