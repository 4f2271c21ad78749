//! How right reads are trimmed and merged: `biofast-lab accuracy`. Libraries with known fragments are drawn, every contestant that is
//! installed gets them, and the results go to `docs/accuracy.md`. The same seed gives the same page.

mod contestants;
mod page;
mod score;
mod simulate;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::core::{machine, measure};
use crate::datasets::genome::Genome;
use crate::files;
use contestants::{AccuracyContestant, CONTESTANTS, Task};
use score::{Merging, Trimming};
use simulate::{LIBRARIES, Library, Simulator, Template};

/// What to draw.
#[derive(clap::Args)]
pub struct Options {
    /// Only these libraries; the results are printed, not written to the page
    #[arg(long, value_name = "LIBRARY", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Pairs, or reads without mates, of each library
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub pairs: u64,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The biofast binary, if it is not beside this one
    #[arg(long, value_name = "PATH")]
    pub biofast: Option<PathBuf>,
}

/// How a contestant did.
enum Measured {
    Trimming(Trimming),
    Merging(Merging),
}

/// One contestant with one library.
struct Outcome {
    library: &'static Library,
    contestant: &'static AccuracyContestant,
    measured: Measured,
}

/// Runs everything, and writes the page in the repository at `root`.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let unknown =
        options.only.iter().find(|name| LIBRARIES.iter().all(|library| library.name != **name));
    ensure!(unknown.is_none(), "no library is called {}", unknown.map_or("", String::as_str));
    let biofast = match &options.biofast {
        Some(path) => std::path::absolute(path).context("no current folder")?,
        None => std::env::current_exe()
            .context("cannot find this program's own path")?
            .with_file_name("biofast"),
    };
    ensure!(
        biofast.is_file(),
        "no biofast at {}: build it (cargo build --release -p biofast-cli) or name it with --biofast",
        biofast.display()
    );
    let find = |program: &str| match program {
        "biofast" => Some(biofast.clone()),
        peer => machine::find_in_path(peer),
    };
    let genome = Genome::new();
    let mut outcomes = Vec::new();
    let chosen = |library: &&Library| {
        options.only.is_empty() || options.only.iter().any(|name| name == library.name)
    };
    for library in LIBRARIES.iter().filter(chosen) {
        eprintln!("{}", library.name);
        outcomes.extend(measure_library(library, &genome, options, find)?);
    }
    let part = page::part(&outcomes, options, |contestant| {
        find(contestant.program).map(|path| machine::version(&path, &["--version".to_owned()]))
    })?;
    match options.only.is_empty() {
        true => page::write(root, &part),
        false => {
            print!("{part}");
            Ok(())
        }
    }
}

/// Draws a library and hands it to all contestants that are there.
fn measure_library(
    library: &'static Library,
    genome: &Genome,
    options: &Options,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Vec<Outcome>> {
    let dir = tempfile::tempdir().context("no temporary folder")?;
    let simulator = Simulator::new(library, genome, options.seed);
    let templates: Vec<Template> = (0..options.pairs).map(|n| simulator.template(n)).collect();
    let mut texts = [String::new(), String::new()];
    templates.iter().enumerate().for_each(|(number, template)| template.write(number, &mut texts));
    for (name, text) in ["in1.fq", "in2.fq"].into_iter().zip(texts) {
        files::write(&dir.path().join(name), text)?;
    }
    let mut outcomes = Vec::new();
    for contestant in CONTESTANTS.iter().filter(|contestant| contestant.fits(library)) {
        let Some(program) = find(contestant.program) else {
            eprintln!("  not installed: {}", contestant.name);
            continue;
        };
        let (args, stderr) = (contestant.args(library, dir.path()), dir.path().join("stderr"));
        let usage = measure::run(&program, &args, dir.path(), None, &stderr)?;
        ensure!(
            usage.exit == 0,
            "{} failed with exit code {}: {}",
            contestant.name,
            usage.exit,
            files::read(&stderr)?
        );
        let measured = score(&templates, contestant.task, dir.path());
        let measured =
            measured.with_context(|| format!("{} of {}", contestant.name, library.name))?;
        outcomes.push(Outcome { library, contestant, measured });
    }
    Ok(outcomes)
}

fn score(templates: &[Template], task: Task, dir: &Path) -> Result<Measured> {
    let [first, second, merged] = ["out1.fq", "out2.fq", "merged.fq"].map(|name| dir.join(name));
    Ok(match task {
        Task::TrimPairs => Measured::Trimming(score::trimming(templates, &[&first, &second])?),
        Task::TrimReads => Measured::Trimming(score::trimming(templates, &[&first])?),
        Task::Merge => Measured::Merging(score::merging(templates, &merged)?),
    })
}

#[cfg(test)]
mod tests;
