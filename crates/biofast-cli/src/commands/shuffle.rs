//! `biofast shuffle`: reads in an order of chance.

use anyhow::Result;
use biofast_ops::order::OrderBy;

use super::sort::Reordering;
use crate::options::{Mates, OutFile, PairsOut, ReadsOut, Spill};
use crate::reads_job::ReadsOptions;
use crate::session::{Exit, Session};

/// Shuffle reads or read pairs
///
/// FASTQ stays FASTQ, FASTA stays FASTA, and pairs stay together. The order depends only on the seed and the number of
/// each read, not on the number of threads or the memory limit. Data beyond the memory limit are spilled to temporary
/// files, which are removed when the process exits.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast shuffle reads.fq.gz -o shuffled.fq.gz
  biofast shuffle --seed 7 R1.fq.gz R2.fq.gz -o s1.fq.gz --out2 s2.fq.gz
  biofast shuffle reads.fq.gz | biofast convert --head 1000 - -o some.fq")]
pub(crate) struct Args {
    #[command(flatten)]
    mates: Mates,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds. Without --out2, pairs are interleaved. Two input files then need
    /// --interleaved-out, except on standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Random seed; the same seed gives the same order
    #[arg(short = 's', long, value_name = "N", default_value_t = 11)]
    seed: u64,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    writing: ReadsOut,

    #[command(flatten)]
    reading: ReadsOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let job = args.reading.job(args.mates.inputs(session)?, args.mates.pairing(), session);
    args.pairs_out.refuse(job.layout(), args.out.as_deref(), args.out2.is_some())?;
    let reordering = Reordering {
        by: OrderBy::Chance { seed: args.seed },
        reverse: false,
        limits: args.spill.limits(args.out.as_deref()),
        out: args.out.as_deref(),
        out2: args.out2.as_deref(),
        writing: &args.writing,
    };
    reordering.run(job, None, session)
}
