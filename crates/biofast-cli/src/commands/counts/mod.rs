//! `biofast flagstat` and `biofast idxstats`: counts of one file of alignments, in the words of samtools.

pub(crate) mod flagstat;
pub(crate) mod idxstats;

use anyhow::Result;
use biofast_bam::{self as bam, Detail, Query};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Fault;
use biofast_ops::shards::ShardPart;

use crate::inputs::{Input, tell_unused_reference};
use crate::options::{InFile, OneFile, Out, RegionArgs, ShardArg};
use crate::session::Session;
use crate::watch::Reading;

#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    file: OneFile,

    /// Reference sequences (FASTA) for CRAM input; not needed for these counts
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    regions: RegionArgs,

    #[command(flatten)]
    shard: ShardArg,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    reading: Reading,
}

impl Common {
    /// Opens the input and the output, and lets `collect` read the input. A faulty input gives no result, lest a part
    /// be taken for the whole.
    fn read<T, C>(
        &self,
        session: &mut Session,
        collect: impl FnOnce(Query, &Options) -> Result<T, Fault<C, bam::Error>>,
    ) -> Result<(T, Output, Option<ShardPart>)> {
        self.shard.refuse(
            self.regions.any(),
            "--region",
            "a shard can't be restricted to regions",
        )?;
        let input: Input = match self.shard.input(self.file.named(), session)? {
            Some(input) => input,
            None => self.file.input(session)?,
        };
        let report = self.out.open(session)?;
        let watch = self.reading.watch(session);
        // Whether a record overlaps a region is seen by its CIGAR.
        let detail = if self.regions.any() { Detail::Alignment } else { Detail::Placement };
        let opening = watch.opening(self.reference.as_deref(), detail);
        let mut source = input.open()?;
        let quiet = self.reading.messages.quiet;
        tell_unused_reference(&session.console, self.reference.as_deref(), &mut source, quiet);
        let query =
            self.regions.query(self.reading.messages.console(session), &input, source, &opening)?;
        let bar = watch.bar(query.stored_len().or(input.len()), &self.reading.messages);
        let result = collect(query, &watch.options);
        drop(bar);
        self.reading.tell(&watch, &input);
        Ok((result.map_err(|fault| fault.error)?, report, input.part()))
    }
}
