//! `biofast shuffle`: reads in an order of chance.

use std::process::ExitCode;

use anyhow::Result;
use biofast::io::output::Files;
use biofast::ops::order::By;

use super::sort::{Ordering, Reads};
use crate::options::{
    Io, Mates, Messages, OutFile, PairsOut, ReadsOut, Spill, Strictness, Threads,
};

/// Put reads or pairs in an order of chance
///
/// FASTQ stays FASTQ, and FASTA FASTA. Pairs stay together. The order depends on the seed and on the number of each read, not on
/// threads or memory. What takes more memory than it may goes to temporary files, which are gone with the process.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast shuffle reads.fq.gz -o shuffled.fq.gz
  biofast shuffle --seed 7 R1.fq.gz R2.fq.gz -o s1.fq.gz --out2 s2.fq.gz
  biofast shuffle reads.fq.gz | biofast convert --head 1000 - -o some.fq")]
pub(crate) struct Args {
    #[command(flatten)]
    mates: Mates,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads of pairs to FILE; without it mates follow each other
    #[arg(long, value_name = "FILE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Each seed has an order of its own
    #[arg(short = 's', long, value_name = "N", default_value_t = 11)]
    seed: u64,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    writing: ReadsOut,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    io: Io,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    messages: Messages,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let (inputs, paired) = args.mates.inputs(files)?;
    args.pairs_out.refuse((inputs.len(), paired), args.out.as_deref(), args.out2.is_some())?;
    let reads = Reads {
        first: None,
        inputs,
        paired,
        out: args.out.as_deref(),
        out2: args.out2.as_deref(),
        output_format: args.writing.output_format,
        level: args.writing.level,
        sync: args.writing.sync,
        json: args.writing.json.as_deref(),
        options: args
            .mates
            .pairing()
            .apply(args.strictness.reads(args.io.apply(args.threads.options()))),
        threads: &args.threads,
        messages: &args.messages,
    };
    let limits = args.spill.limits(args.out.as_deref());
    let ordering = Ordering { by: By::Chance { seed: args.seed }, reverse: false };
    reads.order(ordering, (limits.memory, &limits.folder), files)
}
