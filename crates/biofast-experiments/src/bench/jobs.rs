//! The catalogue of jobs: which contestants take part in each, and their command lines. Adding a job or a
//! peer touches this file, and `answers.rs` if its answer is of a new kind.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::answers::Answer;
use super::{bam_jobs, fastq_jobs, library_jobs};
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
    /// The contestant whose time no tool can beat, where there is one.
    pub(crate) limit: Option<&'static str>,
    pub(crate) truth: Truth,
    pub(crate) needs: Needs,
    pub(crate) contestants: &'static [Contestant],
}

/// What the answers of a job's contestants are compared with.
#[derive(Clone, Copy)]
pub(crate) enum Truth {
    /// The counts in the manifest.
    File,
    /// These numbers of reads, by dataset.
    Reads(&'static [(&'static str, u64)]),
    /// What biofast says; counts may differ by so many in a million, where tools' rules aren't the same.
    Biofast { per_million: u64 },
}

/// What a job reads beside its file.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    Nothing,
    /// The file of the second reads: datasets of a full and of a quick run.
    Mate {
        full: &'static str,
        quick: &'static str,
    },
    /// The BAI index, made by biofast before the runs.
    Index,
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
    /// True if it does less than the job asks for, so that its time is no one's to beat.
    pub(crate) weaker: bool,
}

/// Where a contestant's binary comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Program {
    /// `biofast` beside this program, or `--biofast`.
    Biofast,
    /// This program.
    Lab,
    /// This program, if it was built with the library that is compared.
    Library(&'static str),
    /// Found in PATH.
    Peer(&'static str),
}

/// What changes between runs of a contestant.
pub(crate) struct Call<'a> {
    pub(crate) file: &'a Path,
    /// The second reads; the same as `file` in jobs without them.
    pub(crate) mate: &'a Path,
    pub(crate) threads: usize,
    /// A file for contestants that write their answer to one.
    pub(crate) report: &'a Path,
}

pub(super) const BIOFAST: Contestant = Contestant {
    name: "biofast",
    program: Program::Biofast,
    args: |c| list(&[&"stats", &"--json", &format!("-@{}", c.threads), &c.file]),
    version_args: &["--version"],
    answer: Answer::Biofast,
    scales: true,
    weaker: false,
};
const BIOFAST_AGAIN: Contestant = Contestant { name: CONTROL, ..BIOFAST };
pub(super) const SEQKIT: Contestant = Contestant {
    name: "seqkit",
    program: Program::Peer("seqkit"),
    args: |c| list(&[&"stats", &"-a", &"-T", &"-j", &c.threads.to_string(), &c.file]),
    version_args: &["version"],
    answer: Answer::Seqkit,
    scales: true,
    weaker: false,
};
pub(super) const SEQTK: Contestant = Contestant {
    name: "seqtk",
    program: Program::Peer("seqtk"),
    args: |c| list(&[&"fqchk", &c.file]),
    version_args: &[],
    answer: Answer::Fqchk,
    scales: false,
    weaker: false,
};
pub(super) const FASTP: Contestant = Contestant {
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
    weaker: false,
};
pub(super) const NANOQ: Contestant = Contestant {
    name: "nanoq",
    program: Program::Peer("nanoq"),
    args: |c| list(&[&"-i", &c.file, &"-s"]),
    version_args: &["--version"],
    answer: Answer::Nanoq,
    scales: false,
    weaker: false,
};
// It knows gzip by the name `.gz` alone, so it can't take part in jobs on BGZF.
const FASTQC: Contestant = Contestant {
    name: "fastqc",
    program: Program::Peer("fastqc"),
    args: |c| {
        let folder = c.report.with_file_name("");
        list(&[&"--quiet", &"--extract", &"--outdir", &folder.as_path(), &c.file])
    },
    version_args: &["--version"],
    answer: Answer::Fastqc,
    scales: false,
    weaker: false,
};
pub(super) const LIMIT_INFLATE: Contestant = Contestant {
    name: "limit-inflate",
    program: Program::Lab,
    args: |c| list(&[&"limit", &"inflate", &c.file, &format!("-@{}", c.threads)]),
    version_args: &["--version"],
    answer: Answer::Lab,
    scales: true,
    weaker: false,
};
pub(super) const LIMIT_READ: Contestant = Contestant {
    name: "limit-read",
    program: Program::Lab,
    args: |c| list(&[&"limit", &"read", &c.file]),
    version_args: &["--version"],
    answer: Answer::Lab,
    scales: false,
    weaker: false,
};
const IGZIP: Contestant = Contestant {
    name: "igzip",
    program: Program::Peer("igzip"),
    args: |c| list(&[&"-dc", &c.file]),
    version_args: &["--version"],
    answer: Answer::None,
    scales: false,
    weaker: false,
};

const BIOFAST_FLAGSTAT: Contestant = Contestant {
    args: |c| list(&[&"flagstat", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Flagstat,
    ..BIOFAST
};
const BIOFAST_IDXSTATS: Contestant = Contestant {
    args: |c| list(&[&"idxstats", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Idxstats,
    ..BIOFAST
};
const BIOFAST_ALIGNMENTS: Contestant = Contestant { answer: Answer::BiofastAlignments, ..BIOFAST };
const BIOFAST_SAMTOOLS_STATS: Contestant = Contestant {
    args: |c| list(&[&"stats", &"--format", &"samtools", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::SamtoolsStats,
    ..BIOFAST
};
pub(super) const BIOFAST_CHECK: Contestant = Contestant {
    args: |c| list(&[&"check", &"--json", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::BiofastCheck,
    ..BIOFAST
};
// The threads of `samtools -@` come on top of the main one, which parses while they inflate.
pub(super) const SAMTOOLS_FLAGSTAT: Contestant = Contestant {
    name: "samtools",
    program: Program::Peer("samtools"),
    args: |c| list(&[&"flagstat", &format!("-@{}", c.threads), &c.file]),
    version_args: &["--version"],
    answer: Answer::Flagstat,
    scales: true,
    weaker: false,
};
const SAMTOOLS_IDXSTATS: Contestant = Contestant {
    args: |c| list(&[&"idxstats", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Idxstats,
    ..SAMTOOLS_FLAGSTAT
};
const SAMTOOLS_STATS: Contestant = Contestant {
    args: |c| list(&[&"stats", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::SamtoolsStats,
    ..SAMTOOLS_FLAGSTAT
};
// Its metrics that need no reference; it counts primary records, so its answer isn't compared.
const RIKER: Contestant = Contestant {
    name: "riker",
    program: Program::Peer("riker"),
    args: |c| {
        let threads = c.threads.to_string();
        list(&[&"multi", &"--threads", &threads, &"-i", &c.file, &"-o", &c.report])
    },
    answer: Answer::None,
    ..SAMTOOLS_FLAGSTAT
};
// Depth of coverage alone, which is one of the many things that `stats` says.
const MOSDEPTH: Contestant = Contestant {
    name: "mosdepth",
    program: Program::Peer("mosdepth"),
    args: |c| {
        // Its threads only decompress, beside the first.
        let threads = c.threads.to_string();
        list(&[&"--no-per-base", &"--threads", &threads, &c.report, &c.file])
    },
    answer: Answer::None,
    weaker: true,
    ..SAMTOOLS_FLAGSTAT
};
// `samtools quickcheck` looks at the start and the end only; this reads and writes every record.
const SAMTOOLS_READ: Contestant = Contestant {
    args: |c| list(&[&"view", &"-u", &"-o", &"/dev/null", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::None,
    ..SAMTOOLS_FLAGSTAT
};
pub(super) const GZIP_TEST: Contestant = Contestant {
    name: "gzip -t",
    program: Program::Peer("gzip"),
    args: |c| list(&[&"-t", &c.file]),
    version_args: &["--version"],
    answer: Answer::None,
    scales: false,
    weaker: true,
};
// These look at less than `check` does: at the compression alone, or at the start and the end of the file.
const BGZIP_TEST: Contestant = Contestant {
    name: "bgzip -t",
    args: |c| list(&[&"-t", &"-@", &c.threads.to_string(), &c.file]),
    weaker: true,
    ..BGZIP_1
};
const SAMTOOLS_QUICKCHECK: Contestant = Contestant {
    name: "samtools quickcheck",
    args: |c| list(&[&"quickcheck", &c.file]),
    answer: Answer::None,
    scales: false,
    weaker: true,
    ..SAMTOOLS_FLAGSTAT
};
const BIOFAST_VIEW: Contestant = Contestant {
    args: |c| list(&[&"view", &"-h", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Sam,
    ..BIOFAST
};
const SAMTOOLS_VIEW: Contestant = Contestant {
    args: |c| list(&[&"view", &"-h", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Sam,
    ..SAMTOOLS_FLAGSTAT
};
const BIOFAST_FASTQ: Contestant = Contestant {
    args: |c| list(&[&"fastq", &"--quiet", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Fastq,
    ..BIOFAST
};
const BIOFAST_FASTQ_IN_ORDER: Contestant = Contestant {
    args: |c| list(&[&"fastq", &"--quiet", &"--grouped", &format!("-@{}", c.threads), &c.file]),
    ..BIOFAST_FASTQ
};
const SAMTOOLS_FASTQ: Contestant = Contestant {
    args: |c| list(&[&"fastq", &format!("-@{}", c.threads), &c.file]),
    answer: Answer::Fastq,
    ..SAMTOOLS_FLAGSTAT
};
/// Primary records of the simulated alignments.
const PRIMARY: &[(&str, u64)] = &[("aln_50k", 100_000), ("aln_1600k", 3_200_000)];
const SAMTOOLS_COLLATE_FASTQ: Contestant = Contestant {
    name: "samtools collate + samtools fastq",
    program: Program::Peer("sh"),
    args: |c| {
        let line = "samtools collate -@ $1 -Ou \"$2\" \"$3\" | samtools fastq -@ $1 -";
        list(&[&"-c", &line, &"sh", &c.threads.to_string(), &c.file, &c.report])
    },
    version_args: &[],
    answer: Answer::Fastq,
    scales: true,
    weaker: false,
};
pub(super) const SAMBAMBA_FLAGSTAT: Contestant = Contestant {
    name: "sambamba",
    program: Program::Peer("sambamba"),
    args: |c| list(&[&"flagstat", &"-t", &c.threads.to_string(), &c.file]),
    version_args: &["--version"],
    answer: Answer::Flagstat,
    scales: true,
    weaker: false,
};

// Filtering: reads of at least 100 bases, with biofast and fastp also at most 5 N, which keeps nearly all, so that
// the limit is one. Each tool compresses at its level 1; seqtk
// doesn't compress and writes to a file.
const BIOFAST_FILTER: Contestant = Contestant {
    args: |c| {
        list(&[
            &"filter",
            &"--quiet",
            &"--min-len",
            &"100",
            &"--max-n",
            &"5",
            &"--level",
            &"1",
            &format!("-@{}", c.threads),
            &"--json",
            &c.report,
            &c.file,
            &"-o",
            &c.report.with_extension("fq.gz").as_path(),
        ])
    },
    // The block has the same names and place.
    answer: Answer::Fastp,
    ..BIOFAST
};
const FASTP_FILTER: Contestant = Contestant {
    args: |c| {
        let threads = c.threads.to_string();
        let out = c.report.with_extension("fq.gz");
        let mut args = list(&[&"-i", &c.file, &"-o", &out.as_path(), &"--thread", &threads]);
        args.extend(list(&[&"-A", &"-G", &"-u", &"100", &"-n", &"5", &"-l", &"100", &"-z", &"1"]));
        args.extend(list(&[&"-j", &c.report, &"-h", &"/dev/null"]));
        args
    },
    ..FASTP
};
const SEQKIT_FILTER: Contestant = Contestant {
    args: |c| {
        let out = c.report.with_extension("fq.gz");
        let threads = c.threads.to_string();
        list(&[&"seq", &"-m", &"100", &"-j", &threads, &c.file, &"-o", &out.as_path()])
    },
    answer: Answer::None,
    ..SEQKIT
};
const SEQTK_FILTER: Contestant = Contestant {
    args: |c| list(&[&"seq", &"-L", &"100", &c.file]),
    answer: Answer::None,
    weaker: true,
    ..SEQTK
};
pub(super) const LIMIT_RECODE: Contestant = Contestant {
    name: "limit-recode",
    args: |c| list(&[&"limit", &"recode", &c.file, &format!("-@{}", c.threads)]),
    ..LIMIT_INFLATE
};
const LIMIT_COMPRESS: Contestant = Contestant {
    name: "limit-compress",
    args: |c| list(&[&"limit", &"compress", &c.file, &format!("-@{}", c.threads)]),
    ..LIMIT_INFLATE
};

// Compressing FASTQ: `filter` without conditions, which also reads the records and checks them.
const BIOFAST_COMPRESS: Contestant =
    Contestant { args: |c| compress(c, "fast"), answer: Answer::Fastp, ..BIOFAST };
const BIOFAST_COMPRESS_1: Contestant =
    Contestant { name: "biofast at level 1", args: |c| compress(c, "1"), ..BIOFAST_COMPRESS };
const BIOFAST_COMPRESS_6: Contestant =
    Contestant { name: "biofast at level 6", args: |c| compress(c, "6"), ..BIOFAST_COMPRESS };
fn compress(call: &Call<'_>, level: &str) -> Vec<OsString> {
    list(&[
        &"filter",
        &"--quiet",
        &"--level",
        &level,
        &format!("-@{}", call.threads),
        &"--json",
        &call.report,
        &call.file,
        &"-o",
        &call.report.with_extension("fq.gz").as_path(),
    ])
}
pub(super) const BGZIP_1: Contestant = Contestant {
    name: "bgzip -l 1",
    program: Program::Peer("bgzip"),
    args: |c| list(&[&"-c", &"-l", &"1", &"-@", &c.threads.to_string(), &c.file]),
    version_args: &["--version"],
    answer: Answer::None,
    scales: true,
    weaker: false,
};
const IGZIP_1: Contestant =
    Contestant { name: "igzip -1", args: |c| list(&[&"-1", &"-c", &c.file]), ..IGZIP };

// Filtering BAM at each tool's default level, which for samtools is libdeflate's 7, and biofast at that one, too.
const BIOFAST_BAM_FILTER: Contestant =
    Contestant { args: |c| bam_filter(c, &[]), answer: Answer::Fastp, ..BIOFAST };
const BIOFAST_BAM_FILTER_7: Contestant = Contestant {
    name: "biofast at level 7",
    args: |c| bam_filter(c, &["--level", "7"]),
    ..BIOFAST_BAM_FILTER
};
fn bam_filter(call: &Call<'_>, more: &[&str]) -> Vec<OsString> {
    let mut words = list(&[
        &"filter",
        &"--quiet",
        &"-q",
        &"30",
        &"-F",
        &"4",
        &format!("-@{}", call.threads),
        &"--json",
        &call.report,
        &call.file,
        &"-o",
        &call.report.with_extension("bam").as_path(),
    ]);
    words.extend(more.iter().map(OsString::from));
    words
}
const SAMTOOLS_FILTER: Contestant = Contestant {
    args: |c| {
        list(&[
            &"view",
            &"-b",
            &"-q",
            &"30",
            &"-F",
            &"4",
            &format!("-@{}", c.threads),
            &c.file,
            &"-o",
            &c.report.with_extension("bam").as_path(),
        ])
    },
    answer: Answer::None,
    ..SAMTOOLS_FLAGSTAT
};

/// The contestant all ratios refer to.
pub(crate) const BASE: &str = "biofast";
/// The same command under another name.
pub(crate) const CONTROL: &str = "biofast-again";

/// A job on alignments, but for its name and contestants.
pub(super) const ON_BAM: Job = Job {
    name: "",
    about: "",
    format: Format::Bam,
    full: "aln_1600k",
    quick: "aln_50k",
    limit: Some(LIMIT_INFLATE.name),
    truth: Truth::File,
    needs: Needs::Nothing,
    contestants: &[],
};
/// The same on reads in BGZF.
pub(super) const ON_BGZF: Job =
    Job { format: Format::Bgzf, full: "r1_1600k", quick: "large", ..ON_BAM };
/// The same on plain FASTQ.
pub(super) const ON_PLAIN: Job =
    Job { format: Format::Fastq, limit: Some(LIMIT_READ.name), ..ON_BGZF };

/// The first jobs; see [`all`].
const JOBS: &[Job] = &[
    Job {
        name: "fastq-stats-bgzf",
        about: "statistics of a BGZF-compressed FASTQ file; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[BIOFAST, BIOFAST_AGAIN, SEQKIT, SEQTK, FASTP, NANOQ, LIMIT_INFLATE],
        ..ON_BGZF
    },
    Job {
        name: "fastq-stats-plain",
        about: "statistics of a plain FASTQ file; limit: read it 1 MB at a time on one thread and add up its words",
        contestants: &[BIOFAST, BIOFAST_AGAIN, SEQKIT, SEQTK, FASTP, NANOQ, FASTQC, LIMIT_READ],
        ..ON_PLAIN
    },
    Job {
        name: "fastq-filter",
        about: "reads of 100 bases and more, BGZF to gzip at level 1; limit: inflate all blocks with libdeflate, deflate them at level 1 and discard them",
        limit: Some(LIMIT_RECODE.name),
        contestants: &[
            BIOFAST_FILTER,
            Contestant { name: CONTROL, ..BIOFAST_FILTER },
            SEQKIT_FILTER,
            SEQTK_FILTER,
            FASTP_FILTER,
            LIMIT_RECODE,
        ],
        ..ON_BGZF
    },
    Job {
        name: "fastq-compress",
        about: "plain FASTQ to BGZF; biofast by its own encoder and at levels 1 and 6, reading records and writing a file, the others to /dev/null; limit: deflate it with libdeflate at level 1 and discard it",
        limit: Some(LIMIT_COMPRESS.name),
        contestants: &[
            BIOFAST_COMPRESS,
            Contestant { name: CONTROL, ..BIOFAST_COMPRESS },
            BIOFAST_COMPRESS_1,
            BIOFAST_COMPRESS_6,
            BGZIP_1,
            IGZIP_1,
            LIMIT_COMPRESS,
        ],
        ..ON_PLAIN
    },
    Job {
        name: "fastq-stats-gzip",
        about: "statistics of a FASTQ file in one gzip member; limit: `igzip -dc` to /dev/null",
        format: Format::Gzip,
        limit: Some(IGZIP.name),
        contestants: &[BIOFAST, BIOFAST_AGAIN, SEQKIT, SEQTK, FASTP, NANOQ, FASTQC, IGZIP],
        ..ON_BGZF
    },
    Job {
        name: "bam-flagstat",
        about: "counts by flag of a BAM file; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_FLAGSTAT,
            Contestant { name: CONTROL, ..BIOFAST_FLAGSTAT },
            SAMTOOLS_FLAGSTAT,
            SAMBAMBA_FLAGSTAT,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-idxstats",
        about: "counts by reference of a BAM file without an index; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_IDXSTATS,
            Contestant { name: CONTROL, ..BIOFAST_IDXSTATS },
            SAMTOOLS_IDXSTATS,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-stats",
        about: "all statistics of a BAM file, as JSON; limit: inflate all blocks with libdeflate and discard them",
        needs: Needs::Index,
        contestants: &[
            BIOFAST_ALIGNMENTS,
            Contestant { name: CONTROL, ..BIOFAST_ALIGNMENTS },
            SAMTOOLS_STATS,
            RIKER,
            MOSDEPTH,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-stats-samtools",
        about: "the report of `samtools stats`; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_SAMTOOLS_STATS,
            Contestant { name: CONTROL, ..BIOFAST_SAMTOOLS_STATS },
            SAMTOOLS_STATS,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "fastq-check",
        about: "integrity of a BGZF-compressed FASTQ file; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_CHECK,
            Contestant { name: CONTROL, ..BIOFAST_CHECK },
            GZIP_TEST,
            BGZIP_TEST,
            LIMIT_INFLATE,
        ],
        ..ON_BGZF
    },
    Job {
        name: "bam-check",
        about: "integrity of a BAM file; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_CHECK,
            Contestant { name: CONTROL, ..BIOFAST_CHECK },
            SAMTOOLS_READ,
            SAMTOOLS_QUICKCHECK,
            BGZIP_TEST,
            GZIP_TEST,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-view-sam",
        about: "the records of a BAM file as SAM text with its header; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_VIEW,
            Contestant { name: CONTROL, ..BIOFAST_VIEW },
            SAMTOOLS_VIEW,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-fastq",
        about: "the pairs of a BAM file sorted by position as FASTQ, mates one after the other; limit: inflate all blocks with libdeflate and discard them",
        truth: Truth::Reads(PRIMARY),
        contestants: &[
            BIOFAST_FASTQ,
            Contestant { name: CONTROL, ..BIOFAST_FASTQ },
            SAMTOOLS_COLLATE_FASTQ,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-fastq-in-order",
        about: "the reads of a BAM file as FASTQ in the order of the records; limit: inflate all blocks with libdeflate and discard them",
        truth: Truth::Reads(PRIMARY),
        contestants: &[
            BIOFAST_FASTQ_IN_ORDER,
            Contestant { name: CONTROL, ..BIOFAST_FASTQ_IN_ORDER },
            SAMTOOLS_FASTQ,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-filter",
        about: "mapped records of quality 30 and more, BAM to BAM at each tool's default level; limit: inflate all blocks with libdeflate, deflate them at level 1 and discard them",
        limit: Some(LIMIT_RECODE.name),
        contestants: &[
            BIOFAST_BAM_FILTER,
            Contestant { name: CONTROL, ..BIOFAST_BAM_FILTER },
            BIOFAST_BAM_FILTER_7,
            SAMTOOLS_FILTER,
            LIMIT_RECODE,
        ],
        ..ON_BAM
    },
];

/// Jobs of every kind, in the order of the report.
pub(crate) fn all() -> impl Iterator<Item = &'static Job> {
    JOBS.iter().chain(fastq_jobs::JOBS).chain(bam_jobs::JOBS).chain(library_jobs::JOBS)
}

/// The jobs called `names`, or all.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Job>> {
    if names.is_empty() {
        return Ok(all().collect());
    }
    names
        .iter()
        .map(|name| {
            all().find(|job| job.name == name).with_context(|| {
                let all: Vec<_> = all().map(|job| job.name).collect();
                format!("no job is called {name:?}; there are {}", all.join(", "))
            })
        })
        .collect()
}

/// Arguments of mixed types.
pub(super) fn list(args: &[&dyn AsArg]) -> Vec<OsString> {
    args.iter().map(|arg| arg.as_arg()).collect()
}

/// Text and paths, as one argument.
pub(super) trait AsArg {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_has_its_limit_and_base() {
        for job in all() {
            for name in job.limit.into_iter().chain([BASE, CONTROL]) {
                assert!(
                    job.contestants.iter().any(|c| c.name == name),
                    "{} lacks {name}",
                    job.name
                );
            }
        }
        // Names are fields of runs.csv and cells of tables.
        let names = all().flat_map(|job| job.contestants.iter().map(|c| c.name).chain([job.name]));
        for name in names {
            assert!(!name.contains([',', '|', '\n']), "{name}");
        }
        assert!(select(&["no-such-job".to_owned()]).is_err());
    }
}
