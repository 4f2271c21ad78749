//! The catalogue of jobs: which contestants take part in each, their command lines, and how to read the
//! answer each of them prints. Adding a job or a peer touches this file only.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::datasets::Format;

/// Something to be done with a file.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    /// One line for the report.
    pub(crate) about: &'static str,
    pub(crate) format: Format,
    /// Dataset of a full run.
    pub(crate) full: &'static str,
    /// Dataset of a quick run.
    pub(crate) quick: &'static str,
    /// The contestant whose time no tool can beat.
    pub(crate) limit: &'static str,
    pub(crate) contestants: &'static [Contestant],
}

/// A program with its arguments for one job.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    pub(crate) args: fn(&Call<'_>) -> Vec<OsString>,
    pub(crate) version_args: &'static [&'static str],
    pub(crate) answer: Answer,
    /// False if it uses one thread whatever the budget.
    pub(crate) scales: bool,
}

/// Where a contestant's binary comes from.
#[derive(Clone, Copy)]
pub(crate) enum Program {
    /// `biofast` beside this program, or `--biofast`.
    Biofast,
    /// This program.
    Lab,
    /// Found in PATH.
    Peer(&'static str),
}

/// What changes between runs of a contestant.
pub(crate) struct Call<'a> {
    pub(crate) file: &'a Path,
    pub(crate) threads: usize,
    /// A file for contestants that write their answer to one.
    pub(crate) report: &'a Path,
}

const BIOFAST: Contestant = Contestant {
    name: "biofast",
    program: Program::Biofast,
    args: |c| list(&[&"stats", &"--json", &format!("-@{}", c.threads), &c.file]),
    version_args: &["--version"],
    answer: Answer::Biofast,
    scales: true,
};
const BIOFAST_AGAIN: Contestant = Contestant {
    name: CONTROL,
    ..BIOFAST
};
const SEQKIT: Contestant = Contestant {
    name: "seqkit",
    program: Program::Peer("seqkit"),
    args: |c| {
        list(&[
            &"stats",
            &"-a",
            &"-T",
            &"-j",
            &c.threads.to_string(),
            &c.file,
        ])
    },
    version_args: &["version"],
    answer: Answer::Seqkit,
    scales: true,
};
const SEQTK: Contestant = Contestant {
    name: "seqtk",
    program: Program::Peer("seqtk"),
    args: |c| list(&[&"fqchk", &c.file]),
    version_args: &[],
    answer: Answer::Fqchk,
    scales: false,
};
const FASTP: Contestant = Contestant {
    name: "fastp",
    program: Program::Peer("fastp"),
    args: |c| {
        let threads = c.threads.to_string();
        list(&[
            &"-i",
            &c.file,
            &"-A",
            &"-Q",
            &"-L",
            &"-G",
            &"--thread",
            &threads,
            &"-j",
            &c.report,
            &"-h",
            &"/dev/null",
        ])
    },
    version_args: &["--version"],
    answer: Answer::Fastp,
    scales: true,
};
const NANOQ: Contestant = Contestant {
    name: "nanoq",
    program: Program::Peer("nanoq"),
    args: |c| list(&[&"-i", &c.file, &"-s"]),
    version_args: &["--version"],
    answer: Answer::Nanoq,
    scales: false,
};
const LIMIT_INFLATE: Contestant = Contestant {
    name: "limit-inflate",
    program: Program::Lab,
    args: |c| list(&[&"limit", &"inflate", &c.file, &format!("-@{}", c.threads)]),
    version_args: &["--version"],
    answer: Answer::Lab,
    scales: true,
};
const LIMIT_READ: Contestant = Contestant {
    name: "limit-read",
    program: Program::Lab,
    args: |c| list(&[&"limit", &"read", &c.file]),
    version_args: &["--version"],
    answer: Answer::Lab,
    scales: false,
};
const IGZIP: Contestant = Contestant {
    name: "igzip",
    program: Program::Peer("igzip"),
    args: |c| list(&[&"-dc", &c.file]),
    version_args: &["--version"],
    answer: Answer::None,
    scales: false,
};

/// The contestant all ratios refer to.
pub(crate) const BASE: &str = "biofast";
/// The same command under another name.
pub(crate) const CONTROL: &str = "biofast-again";

/// All jobs.
pub(crate) const JOBS: &[Job] = &[
    Job {
        name: "fastq-stats-bgzf",
        about: "statistics of a BGZF-compressed FASTQ file; limit: inflate all blocks with libdeflate and discard them",
        format: Format::Bgzf,
        full: "r1_1600k",
        quick: "large",
        limit: LIMIT_INFLATE.name,
        contestants: &[
            BIOFAST,
            BIOFAST_AGAIN,
            SEQKIT,
            SEQTK,
            FASTP,
            NANOQ,
            LIMIT_INFLATE,
        ],
    },
    Job {
        name: "fastq-stats-plain",
        about: "statistics of a plain FASTQ file; limit: read it 1 MB at a time on one thread and add up its words",
        format: Format::Fastq,
        full: "r1_1600k",
        quick: "large",
        limit: LIMIT_READ.name,
        contestants: &[
            BIOFAST,
            BIOFAST_AGAIN,
            SEQKIT,
            SEQTK,
            FASTP,
            NANOQ,
            LIMIT_READ,
        ],
    },
    Job {
        name: "fastq-stats-gzip",
        about: "statistics of a FASTQ file in one gzip member; limit: `igzip -dc` to /dev/null",
        format: Format::Gzip,
        full: "r1_1600k",
        quick: "large",
        limit: IGZIP.name,
        contestants: &[BIOFAST, BIOFAST_AGAIN, SEQKIT, SEQTK, FASTP, NANOQ, IGZIP],
    },
];

/// The jobs called `names`, or all.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Job>> {
    if names.is_empty() {
        return Ok(JOBS.iter().collect());
    }
    names
        .iter()
        .map(|name| {
            JOBS.iter().find(|job| job.name == name).with_context(|| {
                let all: Vec<_> = JOBS.iter().map(|job| job.name).collect();
                format!("no job is called {name:?}; there are {}", all.join(", "))
            })
        })
        .collect()
}

/// Arguments of mixed types.
fn list(args: &[&dyn AsArg]) -> Vec<OsString> {
    args.iter().map(|arg| arg.as_arg()).collect()
}

/// Text and paths, as one argument.
trait AsArg {
    fn as_arg(&self) -> OsString;
}

impl AsArg for &str {
    fn as_arg(&self) -> OsString {
        self.into()
    }
}

impl AsArg for String {
    fn as_arg(&self) -> OsString {
        self.into()
    }
}

impl AsArg for &Path {
    fn as_arg(&self) -> OsString {
        self.as_os_str().to_owned()
    }
}

/// What a contestant says it counted; `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) records: Option<u64>,
    pub(crate) bases: Option<u64>,
    /// Of uncompressed text.
    pub(crate) bytes: Option<u64>,
}

impl Counts {
    /// The first field that both know and that differs.
    pub(crate) fn difference(&self, truth: &Counts) -> Option<String> {
        [
            ("reads", self.records, truth.records),
            ("bases", self.bases, truth.bases),
            ("bytes", self.bytes, truth.bytes),
        ]
        .into_iter()
        .find_map(|(what, said, truth)| match (said, truth) {
            (Some(said), Some(truth)) if said != truth => {
                Some(format!("counted {said} {what} instead of {truth}"))
            }
            _ => None,
        })
    }
}

/// How to read a contestant's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `biofast stats --json`: `files[0].reads`, `files[0].bases`.
    Biofast,
    /// `seqkit stats -T`: `num_seqs`, `sum_len`.
    Seqkit,
    /// `seqtk fqchk`: the row `ALL`, bases only.
    Fqchk,
    /// fastp's JSON report: `summary.before_filtering`.
    Fastp,
    /// `nanoq -s`: reads and bases, the first two numbers.
    Nanoq,
    /// `biofast-lab limit`: bytes of text.
    Lab,
    /// None: standard output is discarded.
    None,
}

impl Answer {
    /// Whether standard output has to be kept.
    pub(crate) fn reads_stdout(self) -> bool {
        self != Answer::None
    }

    /// Reads the answer of a run that succeeded.
    pub(crate) fn parse(self, stdout: &Path, report: &Path) -> Result<Counts> {
        if self == Answer::None {
            return Ok(Counts::default());
        }
        let path = if self == Answer::Fastp {
            report
        } else {
            stdout
        };
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let counts = self.parse_text(&text)?;
        ensure!(counts != Counts::default(), "it has no counts");
        Ok(counts)
    }

    fn parse_text(self, text: &str) -> Result<Counts> {
        let (records, bases, bytes) = match self {
            Answer::Biofast => {
                let json: Value = serde_json::from_str(text).context("not JSON")?;
                let number = |at: &str| json.pointer(at).and_then(Value::as_u64);
                (number("/files/0/reads"), number("/files/0/bases"), None)
            }
            Answer::Fastp => {
                let json: Value = serde_json::from_str(text).context("not JSON")?;
                let number = |at: &str| json.pointer(at).and_then(Value::as_u64);
                (
                    number("/summary/before_filtering/total_reads"),
                    number("/summary/before_filtering/total_bases"),
                    None,
                )
            }
            Answer::Lab => {
                let json: Value = serde_json::from_str(text).context("not JSON")?;
                (None, None, json.pointer("/bytes").and_then(Value::as_u64))
            }
            Answer::Seqkit => {
                let mut lines = text
                    .lines()
                    .map(|line| line.split('\t').collect::<Vec<_>>());
                let head = lines.next().context("no header")?;
                let row = lines.next().context("no row")?;
                let column = |name| {
                    let at = head.iter().position(|h| *h == name)?;
                    row.get(at)?.parse().ok()
                };
                (column("num_seqs"), column("sum_len"), None)
            }
            Answer::Fqchk => {
                let row = text
                    .lines()
                    .find_map(|line| line.strip_prefix("ALL\t"))
                    .context("no row ALL")?;
                (
                    None,
                    row.split('\t').next().and_then(|n| n.parse().ok()),
                    None,
                )
            }
            Answer::Nanoq => {
                let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
                (numbers.next(), numbers.next(), None)
            }
            Answer::None => (None, None, None),
        };
        Ok(Counts {
            records,
            bases,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let both = Counts {
            records: Some(3),
            bases: Some(450),
            bytes: None,
        };
        let parse = |answer: Answer, text| answer.parse_text(text).expect("parses");
        assert_eq!(
            parse(Answer::Biofast, r#"{"files":[{"reads":3,"bases":450}]}"#),
            both
        );
        assert_eq!(
            parse(Answer::Seqkit, "file\tnum_seqs\tsum_len\nx.fq\t3\t450\n"),
            both
        );
        assert_eq!(
            parse(Answer::Nanoq, "3 450 150 150 150 150 150 30.1 30.0\n"),
            both
        );
        assert_eq!(
            parse(
                Answer::Fastp,
                r#"{"summary":{"before_filtering":{"total_reads":3,"total_bases":450}}}"#
            ),
            both
        );
        let bases = Counts {
            bases: Some(450),
            ..Counts::default()
        };
        assert_eq!(
            parse(
                Answer::Fqchk,
                "min_len: 150\nPOS\t#bases\nALL\t450\t29.3\n1\t3\t30\n"
            ),
            bases
        );
        let bytes = Counts {
            bytes: Some(9),
            ..Counts::default()
        };
        assert_eq!(parse(Answer::Lab, r#"{"blocks":2,"bytes":9}"#), bytes);
    }

    #[test]
    fn wrong_answers_are_named() {
        let truth = Counts {
            records: Some(3),
            bases: Some(450),
            bytes: Some(9),
        };
        assert_eq!(truth.difference(&truth), None);
        let wrong = Counts {
            bases: Some(449),
            ..Counts::default()
        };
        assert_eq!(
            wrong.difference(&truth).as_deref(),
            Some("counted 449 bases instead of 450")
        );
    }

    #[test]
    fn every_job_has_its_limit_and_base() {
        for job in JOBS {
            for name in [job.limit, BASE, CONTROL] {
                assert!(
                    job.contestants.iter().any(|c| c.name == name),
                    "{} lacks {name}",
                    job.name
                );
            }
        }
        assert!(select(&["no-such-job".to_owned()]).is_err());
    }
}
