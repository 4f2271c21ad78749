//! `biofast reset`: alignments turned back into unaligned reads.

use anyhow::Result;
use biofast_bam as bam;
use biofast_ops::number::counted;
use biofast_ops::reset::{Reset, ResetRules};

use crate::alignments_job::AlignmentsJob;
use crate::console::Hinted;
use crate::options::TagArgs;
use crate::session::{Exit, Session};

/// Turn alignments back into unaligned reads, like `samtools reset`
///
/// Positions, CIGARs, mate fields and flags of the alignment are removed, reads on the reverse strand are
/// reverse-complemented, and secondary and supplementary records are dropped. The header keeps read groups and programs. The tags AS, CC, CG, CP,
/// H0, H1, H2, HI, IH, MC, MD, MQ, NM, SA and TS are removed unless --keep-tag names them. Records keep their order: to bring mates
/// together use `biofast collate`. The output is SAM, or BAM with -O bam or an output file ending in .bam.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast reset aln.bam -o reads.bam
  biofast collate -u -O aln.bam | biofast reset -x OQ,ms --no-RG - -o reads.bam")]
pub(crate) struct Args {
    #[command(flatten)]
    tags: TagArgs,

    /// Remove the @PG line with this ID, and all lines after it
    #[arg(long = "reject-PG", alias = "reject-pg", value_name = "ID")]
    reject_program: Option<String>,

    /// Remove read groups from the header and the records
    #[arg(long = "no-RG", alias = "no-rg")]
    no_read_groups: bool,

    /// Leave the duplicate flag as it is
    #[arg(long)]
    dupflag: bool,

    #[command(flatten)]
    job: AlignmentsJob,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let rules = ResetRules {
        tags: args.tags.selection()?,
        no_read_groups: args.no_read_groups,
        keep_duplicate_flag: args.dupflag,
        reject_program: args.reject_program.clone(),
    };
    let (_, counts) = args.job.run(bam::Format::Sam, session, |input, header| {
        Reset::new(header, &rules).map_err(|error| {
            let message = format!("{}: {error}", input.in_words());
            Hinted::error(message, "`biofast view -H` prints the header")
        })
    })?;
    if !args.job.reading.messages.quiet {
        let reads = counted(counts.written, "read");
        let dropped = counted(counts.read - counts.written, "secondary and supplementary record");
        session.console.note(&format!("{reads}, {dropped} dropped"));
    }
    Ok(Exit::Fine)
}
