//! The catalogue's jobs on FASTQ that came later: counting, trimming, pairs, samples. Added to `jobs::all`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::answers::Answer;
use super::jobs::{
    BIOFAST, CONTROL, Call, Contestant, FASTP, Job, LIMIT_INFLATE, LIMIT_READ, LIMIT_RECODE, NANOQ,
    Needs, ON_BGZF, ON_PLAIN, Program, SEQKIT, SEQTK, Truth, list,
};

/// Index adapters of TruSeq, which the generated reads run into.
const ADAPTER: &str = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";

/// A compressed output file beside the report.
fn out(call: &Call<'_>, name: &str) -> PathBuf {
    call.report.with_file_name(name)
}

fn at_level_1(mut args: Vec<OsString>) -> Vec<OsString> {
    args.extend(list(&[&"--level", &"1"]));
    args
}

const SEQKIT_COUNT: Contestant = Contestant {
    args: |c| list(&[&"stats", &"-T", &"-j", &c.threads.to_string(), &c.file]),
    ..SEQKIT
};
const LINES: Contestant = Contestant {
    name: "wc -l",
    program: Program::Peer("wc"),
    args: |c| list(&[&"-l", &c.file]),
    version_args: &["--version"],
    answer: Answer::Lines,
    scales: false,
    // Counts lines, whatever they hold.
    weaker: true,
};
const BGZIP_LINES: Contestant = Contestant {
    name: "bgzip -dc + wc -l",
    program: Program::Peer("sh"),
    args: |c| {
        let line = "bgzip -dc -@ $1 \"$2\" | wc -l";
        list(&[&"-c", &line, &"sh", &c.threads.to_string(), &c.file])
    },
    version_args: &[],
    scales: true,
    ..LINES
};
const RAPIDGZIP_LINES: Contestant = Contestant {
    name: "rapidgzip --count-lines",
    program: Program::Peer("rapidgzip"),
    args: |c| list(&[&"--count-lines", &"-P", &c.threads.to_string(), &c.file]),
    version_args: &["--version"],
    scales: true,
    ..LINES
};

const BIOFAST_TRIM: Contestant = Contestant {
    args: |c| {
        list(&[
            &"filter",
            &"--quiet",
            &"--adapter",
            &ADAPTER,
            &"--min-len",
            &"50",
            &format!("-@{}", c.threads),
            &"--json",
            &c.report,
            &c.file,
            &"-o",
            &out(c, "out.fq.gz").as_path(),
        ])
    },
    answer: Answer::FastpAfter,
    ..BIOFAST
};
const BIOFAST_TRIM_1: Contestant = Contestant {
    name: "biofast at level 1",
    args: |c| at_level_1((BIOFAST_TRIM.args)(c)),
    ..BIOFAST_TRIM
};
const FASTP_TRIM: Contestant = Contestant {
    args: |c| {
        let (threads, out) = (c.threads.to_string(), out(c, "out.fq.gz"));
        let mut args = list(&[&"-i", &c.file, &"-o", &out.as_path(), &"--thread", &threads]);
        args.extend(list(&[&"-a", &ADAPTER, &"-G", &"-Q", &"-l", &"50", &"-z", &"1"]));
        args.extend(list(&[&"-j", &c.report, &"-h", &"/dev/null"]));
        args
    },
    answer: Answer::FastpAfter,
    ..FASTP
};
const CHELAE_TRIM: Contestant = Contestant {
    name: "chelae",
    program: Program::Peer("chelae"),
    args: |c| {
        let (threads, out) = (c.threads.to_string(), out(c, "out.fq.gz"));
        let mut args = list(&[&"trim", &"-i", &c.file, &"-o", &out.as_path(), &"-t", &threads]);
        args.extend(list(&[&"-c", &"1", &"-a", &ADAPTER, &"--trim-polyg", &"0", &"-l", &"50"]));
        args.extend(list(&[&"-j", &c.report]));
        args
    },
    version_args: &["--version"],
    answer: Answer::FastpAfter,
    scales: true,
    weaker: false,
};

const BIOFAST_PAIRS: Contestant = Contestant {
    args: |c| {
        list(&[
            &"filter",
            &"--quiet",
            &"--min-len",
            &"50",
            &"--min-mean-qual",
            &"15",
            &"--mean",
            &"arithmetic",
            &format!("-@{}", c.threads),
            &"--json",
            &c.report,
            &c.file,
            &c.mate,
            &"-o",
            &out(c, "1.fq.gz").as_path(),
            &"--out2",
            &out(c, "2.fq.gz").as_path(),
        ])
    },
    answer: Answer::FastpAfter,
    ..BIOFAST
};
const BIOFAST_PAIRS_1: Contestant = Contestant {
    name: "biofast at level 1",
    args: |c| at_level_1((BIOFAST_PAIRS.args)(c)),
    ..BIOFAST_PAIRS
};
const CHELAE_PAIRS: Contestant = Contestant {
    args: |c| {
        let (threads, one, two) = (c.threads.to_string(), out(c, "1.fq.gz"), out(c, "2.fq.gz"));
        let mut args = list(&[&"trim", &"-i", &c.file, &c.mate, &"-o", &one.as_path()]);
        args.extend(list(&[&two.as_path(), &"-t", &threads, &"-c", &"1", &"-l", &"50"]));
        args.extend(list(&[&"--no-overlap-detection", &"--trim-polyg", &"0"]));
        args.extend(list(&[&"--filter-mean-qual", &"15", &"-j", &c.report]));
        args
    },
    ..CHELAE_TRIM
};
const FASTP_PAIRS: Contestant = Contestant {
    args: |c| {
        let (threads, one, two) = (c.threads.to_string(), out(c, "1.fq.gz"), out(c, "2.fq.gz"));
        let mut args = list(&[&"-i", &c.file, &"-I", &c.mate, &"-o", &one.as_path()]);
        args.extend(list(&[&"-O", &two.as_path(), &"--thread", &threads, &"-A", &"-G"]));
        args.extend(list(&[&"-u", &"100", &"-n", &"50", &"-l", &"50", &"-e", &"15", &"-z", &"1"]));
        args.extend(list(&[&"-j", &c.report, &"-h", &"/dev/null"]));
        args
    },
    ..FASTP_TRIM
};
const LIMIT_RECODE_PAIRS: Contestant = Contestant {
    name: "limit-recode twice",
    program: Program::Peer("sh"),
    args: |c| {
        // One file after the other, each on all threads.
        let line = "\"$1\" limit recode \"$3\" -@$2 && \"$1\" limit recode \"$4\" -@$2";
        let lab = std::env::current_exe().unwrap_or_default();
        let threads = c.threads.to_string();
        list(&[&"-c", &line, &"sh", &lab.as_path(), &threads, &c.file, &c.mate])
    },
    version_args: &[],
    answer: Answer::None,
    scales: true,
    weaker: false,
};

/// A tenth of the reads of each dataset.
const TENTH: &[(&str, u64)] = &[("large", 10_000), ("r1_1600k", 160_000)];
fn tenth(call: &Call<'_>) -> String {
    let full = call.file.file_stem().is_some_and(|name| name.to_string_lossy().contains("1600k"));
    TENTH[usize::from(full)].1.to_string()
}
const BIOFAST_SAMPLE: Contestant = Contestant {
    args: |c| {
        let (n, threads) = (tenth(c), format!("-@{}", c.threads));
        list(&[&"filter", &"--quiet", &"--sample-count", &n, &threads, &c.file])
    },
    answer: Answer::Fastq,
    ..BIOFAST
};
const SEQTK_SAMPLE: Contestant = Contestant {
    args: |c| list(&[&"sample", &"-s11", &c.file, &tenth(c)]),
    answer: Answer::Fastq,
    ..SEQTK
};
const SEQKIT_SAMPLE: Contestant = Contestant {
    args: |c| {
        let threads = c.threads.to_string();
        list(&[&"sample", &"-2", &"-s", &"11", &"-n", &tenth(c), &"-j", &threads, &c.file])
    },
    answer: Answer::Fastq,
    ..SEQKIT
};
const RASUSA: Contestant = Contestant {
    name: "rasusa",
    program: Program::Peer("rasusa"),
    args: |c| list(&[&"reads", &"-n", &tenth(c), &"-s", &"11", &"-Z", &"u", &c.file]),
    version_args: &["--version"],
    answer: Answer::Fastq,
    scales: false,
    weaker: false,
};

/// Jobs on FASTQ.
pub(super) const JOBS: &[Job] = &[
    Job {
        name: "fastq-count-plain",
        about: "number of reads and bases of a plain FASTQ file; biofast has no mode that only counts and gathers all statistics; `wc` counts lines; limit: read it 1 MB at a time on one thread and add up its words",
        contestants: &[
            BIOFAST,
            Contestant { name: CONTROL, ..BIOFAST },
            SEQKIT_COUNT,
            NANOQ,
            LINES,
            LIMIT_READ,
        ],
        ..ON_PLAIN
    },
    Job {
        name: "fastq-count-bgzf",
        about: "number of reads and bases of a BGZF-compressed FASTQ file; biofast has no mode that only counts and gathers all statistics; `wc` and rapidgzip count lines; limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST,
            Contestant { name: CONTROL, ..BIOFAST },
            SEQKIT_COUNT,
            NANOQ,
            BGZIP_LINES,
            RAPIDGZIP_LINES,
            LIMIT_INFLATE,
        ],
        ..ON_BGZF
    },
    Job {
        name: "fastq-trim",
        about: "a given adapter cut off, reads of 50 bases and more, BGZF to gzip, biofast by its own encoder and at level 1, the others at their level 1; reads and bases kept agree within 1 %, for the rules of cutting differ; limit: inflate all blocks with libdeflate, deflate them at level 1 and discard them",
        limit: Some(LIMIT_RECODE.name),
        truth: Truth::Biofast { per_million: 10_000 },
        contestants: &[
            BIOFAST_TRIM,
            Contestant { name: CONTROL, ..BIOFAST_TRIM },
            BIOFAST_TRIM_1,
            FASTP_TRIM,
            CHELAE_TRIM,
            LIMIT_RECODE,
        ],
        ..ON_BGZF
    },
    Job {
        name: "fastq-filter-pairs",
        about: "pairs of 50 bases and a mean score of 15 and more, two BGZF files to two of gzip, biofast by its own encoder and at level 1, the others at their level 1; reads and bases kept agree within 1 %, for the rules differ; limit: inflate all blocks with libdeflate, deflate them at level 1 and discard them, one file after the other",
        quick: "sample_R1",
        limit: Some(LIMIT_RECODE_PAIRS.name),
        truth: Truth::Biofast { per_million: 10_000 },
        needs: Needs::Mate { full: "r2_1600k", quick: "sample_R2" },
        contestants: &[
            BIOFAST_PAIRS,
            Contestant { name: CONTROL, ..BIOFAST_PAIRS },
            BIOFAST_PAIRS_1,
            CHELAE_PAIRS,
            FASTP_PAIRS,
            LIMIT_RECODE_PAIRS,
        ],
        ..ON_BGZF
    },
    Job {
        name: "fastq-sample",
        about: "a tenth of the reads of a BGZF-compressed FASTQ file, exactly, as plain text; biofast and seqkit read the file twice, seqtk once, keeping the sample in memory; limit: inflate all blocks with libdeflate and discard them",
        truth: Truth::Reads(TENTH),
        contestants: &[
            BIOFAST_SAMPLE,
            Contestant { name: CONTROL, ..BIOFAST_SAMPLE },
            SEQTK_SAMPLE,
            SEQKIT_SAMPLE,
            RASUSA,
            LIMIT_INFLATE,
        ],
        ..ON_BGZF
    },
];
