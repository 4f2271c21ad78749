//! The experiments of the lab notebook: `biofast-lab list | run | report | check | new`.
//!
//! An entry is a protocol (`experiments/NNN-slug/protocol.toml`), a file of code (`entries/`), results
//! (`results/NNN-slug/MACHINE/`) and a page (`lab-notebook/`). `docs/laboratory.md` explains the method.

mod answer;
mod check;
mod figure;
mod index;
mod machines;
mod new;
mod numbers;
mod overview;
mod page;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::core::cell::Cell;
use crate::core::conditions::{self, Conditions};
use crate::core::entry::Entry;
use crate::core::inputs::Lab;
use crate::core::notes::{Acceptances, Accepted};
use crate::core::protocol::{self, Protocol, Scale};
use crate::core::surroundings::Surroundings;
use crate::core::{machine, measurements, runner, sources, summary};
use crate::entries;
use crate::files;
use page::MachineResults;
pub use {check::check, new::create};

/// Where everything is, relative to the repository's root.
pub struct Places {
    /// The repository.
    pub root: PathBuf,
}

impl Places {
    fn experiments(&self) -> PathBuf {
        self.root.join("experiments")
    }

    fn notebook(&self) -> PathBuf {
        self.root.join("lab-notebook")
    }

    fn results(&self) -> PathBuf {
        self.root.join("results")
    }
}

/// What `run` was asked for.
#[derive(clap::Args)]
pub struct RunOptions {
    /// Numbers of entries, `threads` (all that more cores could change) or `all`.
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Small inputs, few repetitions; written to target/lab.
    #[arg(long)]
    pub quick: bool,
    /// With the opt-in levels (10 million reads), which need several GB of memory or disk.
    #[arg(long)]
    pub full: bool,
    /// Keep the run as a pilot beside the machine's results, and leave these as they are.
    #[arg(long)]
    pub pilot: bool,
    /// Repetitions, instead of the protocol's.
    #[arg(long, value_name = "N")]
    pub reps: Option<usize>,
    /// Seed of the order of conditions.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write results below this folder and leave the notebook alone.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The datasets directory: manifest, committed sample, generated/.
    #[arg(long, default_value = "datasets")]
    pub dir: PathBuf,
}

fn protocols(places: &Places) -> Result<Vec<Protocol>> {
    let folders = files::list(&places.experiments())?.into_iter();
    let mut all = folders
        .filter(|path| path.join(protocol::NAME).is_file())
        .map(|path| Protocol::read(&path))
        .collect::<Result<Vec<_>>>()?;
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// The entries named, in order; all for `all`, those with a factor of threads for `threads`, none for the summary.
fn select(places: &Places, ids: &[String]) -> Result<Vec<Protocol>> {
    let all = protocols(places)?;
    if ids.iter().any(|id| id == "all") {
        return Ok(all);
    }
    if ids.iter().any(|id| id == "threads") {
        return Ok(all.into_iter().filter(machines::is_about_threads).collect());
    }
    for id in ids.iter().filter(|id| *id != overview::ID) {
        ensure!(
            all.iter().any(|p| p.id == *id),
            "no entry is called {id:?}; `biofast-lab list` shows them"
        );
    }
    Ok(all.into_iter().filter(|p| ids.contains(&p.id)).collect())
}

fn code_of(id: &str) -> Result<&'static dyn Entry> {
    let mut all = entries::all();
    let found = all.find(|(own, _)| *own == id).map(|(_, entry)| entry);
    found.with_context(|| format!("entry {id} has a protocol, but no code under entries/"))
}

/// `biofast-lab list`.
pub fn list(places: &Places) -> Result<()> {
    for protocol in protocols(places)? {
        let results = read_results(&places.results(), &protocol)?;
        println!("{}  {:<28} {}", protocol.id, page::verdict(&results), protocol.title);
    }
    let rows = overview::rows(places)?;
    println!("{}  {:<28} {}", overview::ID, "summary", overview::counts(&rows));
    Ok(())
}

/// `biofast-lab run`.
pub fn run(places: &Places, options: &RunOptions) -> Result<()> {
    let selected = select(places, &options.ids)?;
    ensure!(
        !selected.is_empty(),
        "{} is made of the other entries; `biofast-lab report {0}` writes it",
        overview::ID
    );
    if let [protocol] = &selected[..] {
        return run_one(places, protocol, options);
    }
    // A process for each entry, so that one's memory is not another's.
    let program = std::env::current_exe().context("cannot find this program's own path")?;
    let mut failed = Vec::new();
    for protocol in &selected {
        let mut command = Command::new(&program);
        command.arg("--root").arg(&places.root).args(["run", &protocol.id]);
        command.arg("--dir").arg(&options.dir).args(["--seed", &options.seed.to_string()]);
        let flags =
            [("--quick", options.quick), ("--full", options.full), ("--pilot", options.pilot)];
        command.args(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| flag));
        command.args(options.reps.map(|reps| format!("--reps={reps}")));
        if let Some(out) = &options.out {
            command.arg("--out").arg(out);
        }
        let status = command.status().context("cannot start this program again")?;
        if !status.success() {
            failed.push(protocol.name());
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

fn run_one(places: &Places, protocol: &Protocol, options: &RunOptions) -> Result<()> {
    ensure!(!(options.quick && options.full), "--quick and --full exclude each other");
    let scale = match (options.quick, options.full) {
        (true, _) => Scale::Quick,
        (_, true) => Scale::Full,
        _ => Scale::Normal,
    };
    let declared =
        if scale == Scale::Quick { protocol.quick_repetitions } else { protocol.repetitions };
    let plan = runner::Plan {
        scale,
        repetitions: options.reps.unwrap_or(declared),
        seed: options.seed,
        dir: &options.dir,
    };
    ensure!(plan.repetitions >= 2, "--reps needs a number above 1");
    let out = match &options.out {
        Some(out) => out.clone(),
        None if scale == Scale::Quick && !options.pilot => places.root.join("target/lab"),
        None => places.results(),
    };
    let entry = code_of(&protocol.id)?;
    let scratch = scratch(&options.dir)?;
    let lab = Lab::new(&options.dir, scratch.path(), scale, false);
    let mut conditions = Conditions::now(protocol, &plan);
    conditions.sources = sources::now(&places.root, protocol)?;
    let start = Instant::now();
    let all = runner::run(entry, protocol, &lab, &plan).with_context(|| protocol.name())?;
    conditions.seconds = start.elapsed().as_secs_f64().round();
    conditions.datasets = lab.used();
    conditions.surroundings = conditions.surroundings.map(Surroundings::until_now);
    if all.iter().any(|m| m.metrics.contains_key("resident")) {
        conditions.cache =
            "established before each repetition, verified by mincore (column resident)".to_owned();
    }

    let folder = out.join(protocol.name()).join(machine::exact_slug());
    let folder = if options.pilot {
        folder.join(PILOTS).join(conditions.date.replace(':', ""))
    } else {
        keep_earlier(&folder)?;
        folder
    };
    files::create_folder(&folder)?;
    let factors: Vec<String> = protocol.factors.iter().map(|f| f.name.clone()).collect();
    measurements::write(&folder, &factors, &all)?;
    conditions.write(&folder)?;
    let results = regenerate(&folder, protocol)?;
    if scale == Scale::Quick {
        eprintln!("{}: all conditions agree; a quick run gives no verdict", protocol.name());
    } else {
        eprintln!("{}: {}", protocol.name(), results.summary.verdict.text());
        print!("{}", tables::verdict(&results.summary, protocol)?);
    }
    if out == places.results() {
        write_page(places, protocol)?;
        write_joint_pages(places)?;
    } else {
        eprintln!("written to {}", folder.display());
    }
    Ok(())
}

/// Runs one condition in this process; see the runner.
pub fn run_cell(id: &str, cell: &str, scale: &str, dir: &Path, scratch: &Path) -> Result<()> {
    let scale = [Scale::Quick, Scale::Normal, Scale::Full]
        .into_iter()
        .find(|s| s.name() == scale)
        .with_context(|| format!("no scale is called {scale:?}"))?;
    let lab = Lab::new(dir, scratch, scale, true);
    runner::run_cell(code_of(id)?, &Cell::parse(cell)?, &lab)
}

/// Makes summary and figure of a folder of results from its measurements.
fn regenerate(folder: &Path, protocol: &Protocol) -> Result<MachineResults> {
    let results = compute(folder, protocol)?;
    let path = folder.join(summary::NAME);
    files::write(&path, files::to_json(&results.summary)?)?;
    files::write(&folder.join(tables::NAME), page::details(protocol, &results)?)?;
    figure::write(folder, &results.summary, protocol, &figure_note(&results))?;
    Ok(results)
}

/// The line under a figure's title.
fn figure_note(results: &MachineResults) -> String {
    let c = &results.conditions;
    format!("{}, {} core(s), {}, {} repetitions", c.cpu, c.cores, c.arch, c.repetitions)
}

/// What a folder's measurements say, whatever its other files are.
fn compute(folder: &Path, protocol: &Protocol) -> Result<MachineResults> {
    let machine = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut summary = summary::summarise(protocol, &measurements::read(folder)?)
        .with_context(|| format!("{}", folder.display()))?;
    let conditions = Conditions::read(folder)?;
    summary.on_cores(conditions.cores, protocol);
    if !conditions.is_of_a_commit() {
        summary.unbind();
    }
    Ok(MachineResults { machine, conditions, summary, kept: kept_runs(folder)? })
}

fn read_results(results: &Path, protocol: &Protocol) -> Result<Vec<MachineResults>> {
    machine_folders(results, protocol)?.iter().map(|folder| compute(folder, protocol)).collect()
}

fn machine_folders(results: &Path, protocol: &Protocol) -> Result<Vec<PathBuf>> {
    let folder = results.join(protocol.name());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let folders = files::list(&folder)?.into_iter();
    Ok(folders.filter(|path| path.join(conditions::NAME).is_file()).collect())
}

/// Writes the generated parts of an entry's page, which is made if there is none.
fn write_page(places: &Places, protocol: &Protocol) -> Result<()> {
    let notebook = places.notebook();
    let path = match page::find(&notebook, protocol)? {
        Some(path) => path,
        None => page::new_path(&notebook, protocol, &machine::utc_now()),
    };
    let results = read_results(&places.results(), protocol)?;
    let text = page::render(&path, protocol, &results, &files::read_if_there(&path)?)?;
    files::write(&path, text)
}

fn render_index(places: &Places, rows: &[overview::Row]) -> Result<String> {
    let notebook = places.notebook();
    let overview = overview::find(&notebook)?.map(|file| (file, overview::counts(rows)));
    index::render(&notebook, rows, overview.as_ref())
}

/// `biofast-lab report`: everything that follows from measurements and protocols, written again.
pub fn report(places: &Places, ids: &[String]) -> Result<()> {
    for protocol in select(places, ids)? {
        for folder in machine_folders(&places.results(), &protocol)? {
            regenerate(&folder, &protocol)?;
        }
        write_page(places, &protocol)?;
        println!("{}", protocol.name());
    }
    write_joint_pages(places)
}

/// Writes the pages that are made of all entries.
fn write_joint_pages(places: &Places) -> Result<()> {
    let rows = overview::rows(places)?;
    overview::write(places, &rows)?;
    let files =
        [(index::NAME, render_index(places, &rows)?), (machines::NAME, machines::render(&rows)?)];
    for (name, text) in files {
        let path = places.notebook().join(name);
        files::write(&path, text)?;
    }
    Ok(())
}

/// `biofast-lab accept`: writes down that sources which changed after the run leave its results valid, and why.
pub fn accept(places: &Places, ids: &[String], why: &str) -> Result<()> {
    ensure!(!why.trim().is_empty(), "--why needs a reason");
    for protocol in select(places, ids)? {
        let now = sources::now(&places.root, &protocol)?;
        let mut all = Acceptances::read(&places.experiments())?;
        let mut written = Vec::new();
        for folder in machine_folders(&places.results(), &protocol)? {
            // One that was run before there were checksums gets all of them.
            let recorded = Conditions::read(&folder)?.sources;
            for stale in sources::stale(&recorded, &now, &protocol.notes) {
                if !written.contains(&stale.file) {
                    written.push(stale.file.clone());
                    let why = why.to_owned();
                    let accepted = Accepted { file: stale.file, sha256: stale.sha256, why };
                    all.add(&protocol.id, accepted);
                }
            }
        }
        all.write(&places.experiments())?;
        println!("{}: {} source(s) accepted", protocol.name(), written.len());
    }
    report(places, ids)
}

/// Runs for a look that are kept, in a machine's folder of results.
const PILOTS: &str = "pilots";
/// Results that a later run replaced.
const EARLIER: &str = "earlier";

/// Moves a run that is about to be replaced into a folder named by its date.
fn keep_earlier(folder: &Path) -> Result<()> {
    if !folder.join(conditions::NAME).is_file() {
        return Ok(());
    }
    let date = Conditions::read(folder)?.date.replace(':', "");
    let kept = folder.join(EARLIER).join(date);
    files::create_folder(&kept)?;
    for name in [measurements::NAME, conditions::NAME] {
        fs::rename(folder.join(name), kept.join(name))
            .with_context(|| format!("cannot move {name} to {}", kept.display()))?;
    }
    Ok(())
}

/// The folders of runs that are kept beside a machine's results, relative to these.
fn kept_runs(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for kind in [PILOTS, EARLIER] {
        if folder.join(kind).is_dir() {
            let runs = files::list(&folder.join(kind))?.into_iter();
            let name =
                |run: PathBuf| run.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(runs.map(|run| format!("{kind}/{}", name(run))));
        }
    }
    found.sort();
    Ok(found)
}

/// A directory beside the datasets, so that it is on the same file system.
fn scratch(dir: &Path) -> Result<TempDir> {
    let parent = fs::canonicalize(dir)
        .with_context(|| format!("no datasets directory at {}", dir.display()))?
        .join("generated");
    files::create_folder(&parent)?;
    tempfile::Builder::new()
        .prefix("lab-")
        .tempdir_in(&parent)
        .with_context(|| format!("cannot write to {}", parent.display()))
}
