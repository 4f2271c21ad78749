//! The catalogue of jobs: which contestants take part in each, and their command lines. It is data, `catalogue/jobs.toml`
//! and `catalogue/peers.toml`; this file says what the fields mean. Read by the benchmark and what it writes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use super::answers::Answer;
use crate::datasets::Format;

const PEERS: &str = include_str!("../../catalogue/peers.toml");
const CATALOGUE: &str = include_str!("../../catalogue/jobs.toml");

/// The contestant all ratios refer to.
pub(crate) const BASE: &str = "biofast";
/// The same command under another name.
pub(crate) const CONTROL: &str = "biofast-again";

/// Something to be done with a file.
pub(crate) struct Job {
    pub(crate) name: String,
    /// One line for the report.
    pub(crate) about: String,
    pub(crate) format: Format,
    pub(crate) datasets: Datasets,
    /// The contestant whose time no tool can beat, where there is one.
    pub(crate) limit: Option<String>,
    pub(crate) truth: Truth,
    /// The file of the second reads, if it reads one.
    pub(crate) mate: Option<Datasets>,
    /// It reads the BAI index, which biofast makes before the runs.
    pub(crate) index: bool,
    /// It reads the file sorted by name, which biofast does before the runs.
    pub(crate) by_name: bool,
    /// It reads the file sorted by coordinate, with the tags of `samtools fixmate -m`, which biofast makes before the runs.
    pub(crate) mates: bool,
    pub(crate) contestants: Vec<Contestant>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Datasets {
    /// Of a full run.
    pub(crate) full: String,
    /// Of a quick run.
    pub(crate) quick: String,
}

impl Datasets {
    pub(crate) fn of(&self, quick: bool) -> &str {
        if quick { &self.quick } else { &self.full }
    }
}

/// What the answers of a job's contestants are compared with.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Truth {
    /// The counts in the manifest.
    #[default]
    File,
    /// These numbers of reads, by dataset.
    Reads(BTreeMap<String, u64>),
    /// What biofast says; counts may differ by so many in a million, where tools' rules aren't the same.
    BiofastPerMillion(u64),
}

/// A program with its arguments for one job.
#[derive(Clone, Debug)]
pub(crate) struct Contestant {
    pub(crate) name: String,
    pub(crate) program: Program,
    /// Words with places to fill in.
    args: Vec<String>,
    pub(crate) version_args: Vec<String>,
    pub(crate) answer: Answer,
    /// False if it uses one thread whatever the budget.
    pub(crate) scales: bool,
    /// True if it does less than the job asks for, so that its time is no one's to beat.
    pub(crate) weaker: bool,
}

/// Where a contestant's binary comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Program {
    /// `biofast` beside this program, or `--biofast`.
    Biofast,
    /// This program.
    Lab,
    /// This program, if it was built with the library that is compared.
    Library(String),
    /// The shell, which starts programs found in PATH.
    Shell,
    /// Found in PATH.
    Peer(String),
}

/// What changes between runs of a contestant.
pub(crate) struct Call<'a> {
    pub(crate) file: &'a Path,
    /// The second reads; the same as `file` in jobs without them.
    pub(crate) mate: &'a Path,
    pub(crate) threads: usize,
    /// A file for contestants that write their answer to one.
    pub(crate) report: &'a Path,
    /// The number of reads that the job's truth has for the file, if it has one.
    pub(crate) reads: Option<u64>,
}

impl Contestant {
    pub(crate) fn args(&self, call: &Call<'_>) -> Vec<OsString> {
        self.args.iter().map(|word| fill(word, call)).collect()
    }
}

/// A word with its places filled in; a path may be of any bytes.
fn fill(word: &str, call: &Call<'_>) -> OsString {
    let mut filled = OsString::new();
    let mut rest = word;
    while let Some((before, place, after)) = next_place(rest) {
        filled.push(before);
        match place {
            "file" => filled.push(call.file),
            "mate" => filled.push(call.mate),
            "report" => filled.push(call.report),
            "dir" => filled.push(call.report.parent().unwrap_or(Path::new("."))),
            "threads" => filled.push(call.threads.to_string()),
            "reads" => filled.push(call.reads.unwrap_or_default().to_string()),
            // The command itself fills it in.
            "part" => filled.push("{part}"),
            "samples" => filled.push(SAMPLES),
            "lab" => filled.push(std::env::current_exe().unwrap_or_default()),
            // Refused when the catalogue is read.
            _ => {}
        }
        rest = after;
    }
    filled.push(rest);
    filled
}

/// A sheet of samples for jobs that tell reads apart.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue/samples.tsv");

const PLACES: [&str; 9] =
    ["file", "mate", "report", "dir", "threads", "reads", "part", "samples", "lab"];

/// What stands before the first place of a word, its name, and the rest.
fn next_place(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{')?;
    let (place, after) = rest.split_once('}')?;
    Some((before, place, after))
}

/// `catalogue/jobs.toml` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    inputs: BTreeMap<String, WrittenInput>,
    job: Vec<WrittenJob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenInput {
    format: Format,
    full: String,
    quick: String,
    limit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenJob {
    name: String,
    about: String,
    on: String,
    quick: Option<String>,
    limit: Option<String>,
    #[serde(default)]
    truth: Truth,
    mate: Option<Datasets>,
    #[serde(default)]
    index: bool,
    #[serde(default)]
    by_name: bool,
    #[serde(default)]
    mates: bool,
    contestants: Vec<Named>,
}

/// A contestant of a job: a peer as it is, or with something else.
#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    As(String),
    With(WrittenPeer),
}

/// A table of `catalogue/peers.toml`, or what a job has instead under a name of its own.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPeer {
    name: Option<String>,
    like: Option<String>,
    program: Option<String>,
    version: Option<String>,
    args: Option<String>,
    shell: Option<String>,
    answer: Option<Answer>,
    scales: Option<bool>,
    weaker: Option<bool>,
}

impl WrittenPeer {
    fn or(self, other: WrittenPeer) -> WrittenPeer {
        WrittenPeer {
            name: self.name,
            like: self.like,
            program: self.program.or(other.program),
            version: self.version.or(other.version),
            args: self.args.or(other.args),
            shell: self.shell.or(other.shell),
            answer: self.answer.or(other.answer),
            scales: self.scales.or(other.scales),
            weaker: self.weaker.or(other.weaker),
        }
    }

    /// The contestant called `name`, of the table called `table`.
    fn contestant(self, name: &str, table: &str) -> Result<Contestant> {
        let program = match (self.program.as_deref().unwrap_or(table), &self.shell) {
            (_, Some(_)) => Program::Shell,
            ("biofast", None) => Program::Biofast,
            ("lab", None) => Program::Lab,
            (other, None) => match other.strip_prefix("library:") {
                Some(library) => Program::Library(library.to_owned()),
                None => Program::Peer(other.to_owned()),
            },
        };
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut args = words(&self.args.context("it has no args")?);
        for word in &args {
            let mut rest = word.as_str();
            while let Some((_, place, after)) = next_place(rest) {
                ensure!(PLACES.contains(&place), "{{{place}}} is no place to fill in");
                rest = after;
            }
        }
        let version = self.version.as_deref().unwrap_or("--version");
        let mut version_args = words(version);
        if let Some(line) = self.shell {
            args.splice(..0, ["-c".to_owned(), line, "sh".to_owned()]);
            version_args.clear();
        }
        Ok(Contestant {
            name: name.to_owned(),
            program,
            args,
            version_args,
            answer: self.answer.context("it has no answer")?,
            scales: self.scales.unwrap_or(true),
            weaker: self.weaker.unwrap_or(false),
        })
    }
}

fn parse(peers: &str, catalogue: &str) -> Result<Vec<Job>> {
    let peers: BTreeMap<String, WrittenPeer> = toml::from_str(peers).context("peers.toml")?;
    let written: Written = toml::from_str(catalogue).context("jobs.toml")?;
    let job = |job: WrittenJob| -> Result<Job> {
        let input = written.inputs.get(&job.on).with_context(|| format!("no input {}", job.on))?;
        let mut contestants = Vec::new();
        for named in job.contestants {
            let own = match named {
                Named::As(name) => WrittenPeer { name: Some(name), ..WrittenPeer::default() },
                Named::With(own) => own,
            };
            let name = own.name.clone().context("a contestant has no name")?;
            let table = own.like.clone().unwrap_or_else(|| name.clone());
            let peer = peers.get(&table).with_context(|| format!("no peer is called {table}"))?;
            let contestant = own.or(peer.clone()).contestant(&name, &table);
            contestants.push(contestant.with_context(|| name.clone())?);
        }
        let Some(base) = contestants.first().filter(|c| c.name == BASE) else {
            bail!("{BASE} is not its first contestant");
        };
        contestants.insert(1, Contestant { name: CONTROL.to_owned(), ..base.clone() });
        let limit = job.limit.as_ref().unwrap_or(&input.limit);
        Ok(Job {
            format: input.format,
            datasets: Datasets {
                full: input.full.clone(),
                quick: job.quick.unwrap_or_else(|| input.quick.clone()),
            },
            limit: Some(limit.clone()).filter(|limit| limit != "none"),
            name: job.name,
            about: job.about,
            truth: job.truth,
            mate: job.mate,
            index: job.index,
            by_name: job.by_name,
            mates: job.mates,
            contestants,
        })
    };
    written
        .job
        .into_iter()
        .map(|written| {
            let name = written.name.clone();
            job(written).with_context(|| format!("the job {name}"))
        })
        .collect()
}

/// All jobs, in the order of the report.
pub(crate) fn all() -> impl Iterator<Item = &'static Job> {
    // A part of the program, and read by every test of it.
    static JOBS: LazyLock<Vec<Job>> = LazyLock::new(|| {
        parse(PEERS, CATALOGUE).unwrap_or_else(|error| panic!("the catalogue of jobs: {error:#}"))
    });
    JOBS.iter()
}

pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Job>> {
    if names.is_empty() {
        return Ok(all().collect());
    }
    names
        .iter()
        .map(|name| {
            all().find(|job| job.name == *name).with_context(|| {
                let all: Vec<_> = all().map(|job| job.name.as_str()).collect();
                format!("no job is called {name:?}; there are {}", all.join(", "))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_has_its_limit_and_base() {
        for job in all() {
            for name in job.limit.as_deref().into_iter().chain([BASE, CONTROL]) {
                assert!(
                    job.contestants.iter().any(|c| c.name == name),
                    "{} lacks {name}",
                    job.name
                );
            }
        }
        // Names are fields of runs.csv and cells of tables.
        let names =
            all().flat_map(|job| job.contestants.iter().map(|c| &c.name).chain([&job.name]));
        for name in names {
            assert!(!name.contains([',', '|', '\n']), "{name}");
        }
        assert!(select(&["no-such-job".to_owned()]).is_err());
    }

    #[test]
    fn numbers_of_reads_are_there_where_a_command_line_names_them() {
        for job in all() {
            let named =
                job.contestants.iter().any(|c| c.args.iter().any(|a| a.contains("{reads}")));
            let Truth::Reads(reads) = &job.truth else {
                assert!(!named, "{}", job.name);
                continue;
            };
            for dataset in [&job.datasets.full, &job.datasets.quick] {
                assert!(reads.contains_key(dataset), "{} on {dataset}", job.name);
            }
        }
    }
}
