//! The catalogue's comparison of libraries: a small program of each reads a file and counts records and bases.
//! Added to `jobs::all`; the programs are in `library`.

use super::answers::Answer;
use super::jobs::{
    BASE, CONTROL, Call, Contestant, Job, LIMIT_INFLATE, LIMIT_READ, ON_BAM, ON_PLAIN, Program,
    list,
};

fn count(call: &Call<'_>, name: &str) -> Vec<std::ffi::OsString> {
    list(&[&"count", &"--with", &name, &format!("-@{}", call.threads), &call.file])
}

const BIOFAST_FASTQ: Contestant = Contestant {
    name: BASE,
    program: Program::Library("biofast-fastq"),
    args: |c| count(c, "biofast-fastq"),
    version_args: &["--version"],
    answer: Answer::Count,
    scales: true,
    weaker: false,
};
const NEEDLETAIL: Contestant = Contestant {
    name: "needletail",
    program: Program::Library("needletail"),
    args: |c| count(c, "needletail"),
    version_args: &[],
    scales: false,
    ..BIOFAST_FASTQ
};
const NOODLES_FASTQ: Contestant = Contestant {
    name: "noodles-fastq",
    program: Program::Library("noodles-fastq"),
    args: |c| count(c, "noodles-fastq"),
    ..NEEDLETAIL
};
const PARASEQ: Contestant = Contestant {
    name: "paraseq",
    program: Program::Library("paraseq"),
    args: |c| count(c, "paraseq"),
    scales: true,
    ..NEEDLETAIL
};
const BIOFAST_BAM: Contestant = Contestant {
    program: Program::Library("biofast-bam"),
    args: |c| count(c, "biofast-bam"),
    ..BIOFAST_FASTQ
};
const NOODLES_BAM: Contestant = Contestant {
    name: "noodles-bam",
    program: Program::Library("noodles-bam"),
    args: |c| count(c, "noodles-bam"),
    ..NEEDLETAIL
};

/// Two that can't be built into this program: those of `peers`, a package beside it.
const HELICASE: Contestant = Contestant {
    name: "helicase",
    program: Program::Peer("biofast-peer-helicase"),
    args: |c| list(&[&format!("-@{}", c.threads), &c.file]),
    version_args: &["--version"],
    ..PARASEQ
};
const BIOMETAL: Contestant =
    Contestant { name: "biometal", program: Program::Peer("biofast-peer-biometal"), ..HELICASE };

/// Jobs of libraries.
pub(super) const JOBS: &[Job] = &[
    Job {
        name: "library-fastq",
        about: "records and bases of a plain FASTQ file, counted by a small program of each library (`biofast-lab count`; helicase is built for this CPU and checks neither letters nor qualities); limit: read it 1 MB at a time on one thread and add up its words",
        contestants: &[
            BIOFAST_FASTQ,
            Contestant { name: CONTROL, ..BIOFAST_FASTQ },
            NEEDLETAIL,
            NOODLES_FASTQ,
            PARASEQ,
            HELICASE,
            BIOMETAL,
            LIMIT_READ,
        ],
        ..ON_PLAIN
    },
    Job {
        name: "library-bam",
        about: "records and bases of a BAM file, counted by a small program of each library (`biofast-lab count`); limit: inflate all blocks with libdeflate and discard them",
        contestants: &[
            BIOFAST_BAM,
            Contestant { name: CONTROL, ..BIOFAST_BAM },
            NOODLES_BAM,
            BIOMETAL,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
];
