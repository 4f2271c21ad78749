//! What a result depends on: the machine, the programs and when they ran. Written to `manifest.json` beside
//! the runs. No host names and no absolute paths: results are committed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use biofast_io::calendar::date_of;

use crate::files;
use serde::{Deserialize, Serialize};

const NAME: &str = "manifest.json";

/// The conditions of all results in a folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: u32,
    pub(crate) arch: String,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_kb: Option<u64>,
    pub(crate) kernel: String,
    /// By job and thread budget, as `fastq-stats-bgzf @2`.
    pub(crate) jobs: BTreeMap<String, JobRecord>,
}

/// The conditions of one job at one thread budget.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    /// UTC.
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) rustc: String,
    /// How biofast was built: `release`, `dist` or `debug`. Empty in results older than the profile `dist`, when
    /// `release` had thin link-time optimisation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) profile: String,
    /// Arguments of biofast-lab; of absolute paths, the last part.
    pub(crate) command: Vec<String>,
    pub(crate) dataset: String,
    pub(crate) sha256: String,
    pub(crate) cache: String,
    pub(crate) reps: usize,
    pub(crate) seed: u64,
    /// Contestants that were not installed.
    pub(crate) missing: Vec<String>,
    /// Contestants that failed or gave a wrong answer.
    #[serde(default)]
    pub(crate) failed: Vec<String>,
}

impl JobRecord {
    /// What can be known without the job.
    pub(crate) fn now() -> Self {
        let commit = output("git", &["rev-parse", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
        // What runs write themselves is no change to what is measured.
        let paths = [".", ":(top,exclude)results", ":(top,exclude)lab-notebook"];
        let status = ["status", "--porcelain", "--untracked-files=no", "--"];
        let dirty = output("git", &[&status[..], &paths[..]].concat()).is_some();
        JobRecord {
            date: utc_now(),
            commit: if dirty { commit + " (modified)" } else { commit },
            rustc: output("rustc", &["-V"]).unwrap_or_else(|| "unknown".to_owned()),
            command: std::env::args().skip(1).map(without_folder).collect(),
            cache: "warm".to_owned(),
            ..JobRecord::default()
        }
    }
}

/// Reads the manifest in `dir`; an absent one describes this machine and no jobs.
pub(crate) fn read_manifest(dir: &Path) -> Result<Record> {
    let record = read_stored(dir)?;
    Ok(Record { jobs: record.jobs, ..this_machine() })
}

/// The manifest in `dir` as it stands, of whatever machine.
pub(crate) fn read_stored(dir: &Path) -> Result<Record> {
    let path = dir.join(NAME);
    if path.exists() { files::read_json(&path) } else { Ok(Record::default()) }
}

pub(crate) fn this_machine() -> Record {
    Record {
        schema: 1,
        arch: std::env::consts::ARCH.to_owned(),
        cpu: cpu_model(),
        cores: cores(),
        memory_kb: memory_kb(),
        kernel: output("uname", &["-sr"]).unwrap_or_default(),
        jobs: BTreeMap::new(),
    }
}

/// Adds or replaces one job's record.
pub(crate) fn update_manifest(dir: &Path, key: &str, job: JobRecord) -> Result<()> {
    let mut record = read_manifest(dir)?;
    record.jobs.insert(key.to_owned(), job);
    files::write(&dir.join(NAME), files::to_json(&record)?)
}

/// A folder name for this kind of machine: architecture, CPU model, number of cores; with family and model
/// where the CPU's name has no number: virtual machines often say no more than "AMD EPYC".
pub(crate) fn exact_slug() -> String {
    let mut cpu = cpu_model();
    if !cpu.contains(|c: char| c.is_ascii_digit()) {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        if let (Some(family), Some(model)) = (field(&text, "cpu family"), field(&text, "model")) {
            cpu += &format!(" family {family} model {model}");
        }
    }
    slug_of(std::env::consts::ARCH, &cpu, cores())
}

fn slug_of(arch: &str, cpu: &str, cores: usize) -> String {
    let text =
        format!("{arch} {cpu} {cores}c").to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .collect();
    words.join("-")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn cpu_model() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| field(&text, "model name").map(str::to_owned))
        .or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]))
        .unwrap_or_else(|| "unknown cpu".to_owned())
}

fn memory_kb() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    field(&text, "MemTotal")?.strip_suffix(" kB")?.trim().parse().ok()
}

/// The value of the first line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, v)| v.trim())
}

/// The cargo profile a program was built with, by the folder cargo put it into.
pub(crate) fn profile_of(program: &Path) -> &'static str {
    let folder = program.parent().and_then(Path::file_name).unwrap_or_default();
    ["release", "dist", "debug"].into_iter().find(|name| folder == *name).unwrap_or("unknown")
}

/// The first executable file of that name in PATH.
pub(crate) fn find_in_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| {
        fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    })
}

/// The version a program prints: the first word with a digit and a dot, or the first such after "Version".
pub(crate) fn version(program: &Path, args: &[String]) -> String {
    let Ok(output) = Command::new(program).args(args).stdin(std::process::Stdio::null()).output()
    else {
        return "unknown".to_owned();
    };
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    parse_version(&text).unwrap_or_else(|| "unknown".to_owned())
}

fn parse_version(text: &str) -> Option<String> {
    text.split_whitespace()
        .map(|word| word.trim_start_matches('v').trim_end_matches([',', ')']))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}

/// What a command prints, trimmed; `None` if it fails or prints nothing.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn without_folder(arg: String) -> String {
    match Path::new(&arg).file_name() {
        Some(name) if arg.starts_with('/') => name.to_string_lossy().into_owned(),
        _ => arg,
    }
}

/// The time now, as `2026-01-31T23:59:59Z`.
pub(crate) fn utc_now() -> String {
    format_utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()))
}

fn format_utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let [year, month, day] = date_of(days as i64);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}
