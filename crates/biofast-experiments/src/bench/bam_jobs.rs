//! The catalogue's jobs on BAM that came later: a region, the index. Added to `jobs::all`.

use super::answers::Answer;
use super::jobs::{
    BIOFAST, CONTROL, Contestant, Job, LIMIT_INFLATE, Needs, ON_BAM, SAMBAMBA_FLAGSTAT,
    SAMTOOLS_FLAGSTAT, Truth, list,
};

/// A fifth of the simulated reference.
const REGION: &str = "sim:1000001-2000000";

const BIOFAST_REGION: Contestant = Contestant {
    args: |c| list(&[&"view", &"-c", &format!("-@{}", c.threads), &c.file, &REGION]),
    answer: Answer::Number,
    ..BIOFAST
};
const SAMTOOLS_REGION: Contestant = Contestant {
    args: |c| list(&[&"view", &"-c", &format!("-@{}", c.threads), &c.file, &REGION]),
    answer: Answer::Number,
    ..SAMTOOLS_FLAGSTAT
};
const SAMBAMBA_REGION: Contestant = Contestant {
    args: |c| list(&[&"view", &"-c", &"-t", &c.threads.to_string(), &c.file, &REGION]),
    answer: Answer::Number,
    ..SAMBAMBA_FLAGSTAT
};

const BIOFAST_INDEX: Contestant = Contestant {
    args: |c| {
        list(&[&"index", &"-b", &"-q", &format!("-@{}", c.threads), &"-o", &c.report, &c.file])
    },
    answer: Answer::Checksum,
    ..BIOFAST
};
const SAMTOOLS_INDEX: Contestant = Contestant {
    args: |c| list(&[&"index", &"-b", &format!("-@{}", c.threads), &c.file, &c.report]),
    answer: Answer::Checksum,
    ..SAMTOOLS_FLAGSTAT
};
const SAMBAMBA_INDEX: Contestant = Contestant {
    args: |c| list(&[&"index", &"-t", &c.threads.to_string(), &c.file, &c.report]),
    answer: Answer::None,
    ..SAMBAMBA_FLAGSTAT
};

/// Jobs on BAM.
pub(super) const JOBS: &[Job] = &[
    Job {
        name: "bam-region",
        about: "number of records that overlap a fifth of the reference, by the index",
        limit: None,
        truth: Truth::Biofast { per_million: 0 },
        needs: Needs::Index,
        contestants: &[
            BIOFAST_REGION,
            Contestant { name: CONTROL, ..BIOFAST_REGION },
            SAMTOOLS_REGION,
            SAMBAMBA_REGION,
        ],
        ..ON_BAM
    },
    Job {
        name: "bam-index",
        about: "the BAI index of a BAM file, the same bytes from biofast and samtools; limit: inflate all blocks with libdeflate and discard them",
        truth: Truth::Biofast { per_million: 0 },
        contestants: &[
            BIOFAST_INDEX,
            Contestant { name: CONTROL, ..BIOFAST_INDEX },
            SAMTOOLS_INDEX,
            SAMBAMBA_INDEX,
            LIMIT_INFLATE,
        ],
        ..ON_BAM
    },
];
