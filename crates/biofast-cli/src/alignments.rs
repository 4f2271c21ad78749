//! `biofast flagstat` and `biofast idxstats`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use biofast::bam::{self, Detail, InputOptions};
use biofast::io::{Options, Progress};
use biofast::ops::{flagstat, idxstats};
use clap::ValueEnum;

use crate::inputs::{self, Input};
use crate::output;
use crate::progress::Bar;

/// Count the records of a BAM, SAM or CRAM file by flag, as `samtools flagstat` prints it
///
/// The format is recognised by content. Every checksum and every length field is checked. A BAM
/// or CRAM file without its end-of-file marker is an error.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast flagstat aln.bam
  biofast flagstat -T genome.fa aln.cram
  biofast flagstat -O json aln.bam -o aln.flagstat.json")]
pub(crate) struct FlagstatArgs {
    /// Output format
    #[arg(short = 'O', long, value_enum, default_value_t = FlagstatFormat::Default, value_name = "FORMAT")]
    output_fmt: FlagstatFormat,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum FlagstatFormat {
    /// Lines of text
    Default,
    /// JSON
    Json,
    /// Tab-separated values
    Tsv,
}

/// Count mapped and unmapped records of each reference in a BAM, SAM or CRAM file, as
/// `samtools idxstats`
///
/// The file is read whole and needs no index.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct IdxstatsArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// The BAM, SAM or CRAM file; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Reference sequences of a CRAM file, in FASTA. These counts don't need them
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<PathBuf>,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,

    /// Accept a file without its end-of-file block (BAM) or container (CRAM)
    #[arg(long)]
    allow_missing_eof: bool,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

pub(crate) fn flagstat(args: &FlagstatArgs) -> Result<ExitCode> {
    let (_, collector) = args.common.read(flagstat::Collector::collect)?;
    let counts = collector.finish();
    args.common.print(&match args.output_fmt {
        FlagstatFormat::Default => flagstat::text(&counts),
        FlagstatFormat::Json => flagstat::json(&counts),
        FlagstatFormat::Tsv => flagstat::tsv(&counts),
    })
}

pub(crate) fn idxstats(args: &IdxstatsArgs) -> Result<ExitCode> {
    let (header, collector) = args.common.read(idxstats::Collector::collect)?;
    args.common.print(&collector.table(&header))
}

impl Common {
    /// Opens the input and lets `collect` read it. A faulty input gives no result, lest a part
    /// be taken for the whole.
    fn read<T, C>(
        &self,
        collect: impl FnOnce(
            biofast::io::Source,
            &Options,
        ) -> Result<T, biofast::io::pipeline::Fault<C, biofast::bam::Error>>,
    ) -> Result<T> {
        let inputs = inputs::gather(self.file.as_slice(), None, "-")?;
        let [input] = &inputs[..] else { anyhow::bail!("expected one input") };
        let progress = Arc::new(Progress::default());
        let defaults = Options::default();
        let options = Options {
            threads: self.threads.map_or(defaults.threads, usize::from),
            chunk_size: self.chunk_size.map_or(defaults.chunk_size, usize::from),
            strict: !self.allow_missing_eof,
            progress: Some(Arc::clone(&progress)),
            ..defaults
        };
        let _bar = Bar::new(&progress, Input::len(input), self.quiet);
        let opened = InputOptions {
            io: &options,
            reference: self.reference.clone(),
            detail: Detail::Placement,
        };
        let alignments = bam::Input::open(input.open()?, &opened)?;
        collect(alignments.source, &options).map_err(|fault| fault.error.into())
    }

    fn print(&self, text: &str) -> Result<ExitCode> {
        match output::write(self.out.as_deref(), text) {
            Err(error) if !output::is_closed_pipe(&error) => Err(error),
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}
