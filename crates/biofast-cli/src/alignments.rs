//! `biofast flagstat` and `biofast idxstats`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use biofast::bam::{self, Detail, InputOptions, Query, Selection};
use biofast::io::output::{Files, Output};
use biofast::io::{Notes, Options, Progress, Source};
use biofast::ops::{flagstat, idxstats};
use clap::ValueEnum;

use crate::inputs::{self, Input};
use crate::output;
use crate::paths::{InFile, OutFile};
use crate::progress::Bar;
use crate::reading;
use crate::verbose::describe;

/// Count the records of a BAM, SAM or CRAM file by flag, as `samtools flagstat` prints it
///
/// The format is recognised by content. Every checksum and every length field is checked. A BAM
/// or CRAM file without its end-of-file marker is an error.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast flagstat aln.bam
  biofast flagstat -T genome.fa aln.cram
  biofast flagstat --region chr1:1,000,001-2,000,000 aln.bam
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
/// The records are counted, so no index is needed, except to read only some regions.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  biofast idxstats -L targets.bed aln.bam
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct IdxstatsArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// The BAM, SAM or CRAM file; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    file: Option<InFile>,

    /// Reference sequences of a CRAM file, in FASTA. These counts don't need them
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    regions: RegionArgs,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = reading::threads)]
    threads: Option<std::num::NonZeroUsize>,

    /// Accept a file without its end-of-file block (BAM) or container (CRAM)
    #[arg(long)]
    allow_missing_eof: bool,

    /// Make an error of what breaks the rules of the format but loses nothing, and is read with a warning otherwise
    #[arg(long)]
    strict: bool,

    /// No progress bar and no warnings
    #[arg(short, long)]
    quiet: bool,

    /// Say how each input was read, and why so: source, container, decoder, threads, kernels
    #[arg(short, long)]
    verbose: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

/// Which records are wanted.
#[derive(clap::Args)]
pub(crate) struct RegionArgs {
    /// Only records that overlap REGION (may be given several times): NAME, NAME:START,
    /// NAME:START-END (from 1, END included), or * for records without a place
    ///
    /// With a BAI or CSI index beside the file only the blocks needed are read. If a name
    /// contains ':', braces tell it from the positions: {HLA:01}:1-100. A record that
    /// overlaps several regions counts once.
    #[arg(long = "region", value_name = "REGION")]
    pub(crate) regions: Vec<String>,

    /// Only records that overlap an interval of the BED file (from 0, end not included)
    #[arg(short = 'L', long, aliases = ["region-file", "targets-file", "target-file"], value_name = "BED")]
    pub(crate) regions_file: Option<InFile>,
}

impl RegionArgs {
    /// Whether records of some regions are wanted.
    pub(crate) fn any(&self) -> bool {
        !self.regions.is_empty() || self.regions_file.is_some()
    }

    /// The query for an input that has been opened; without regions all its records.
    pub(crate) fn query(
        &self,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        if !self.any() {
            return Ok(bam::Input::open(source, options)?.source.into());
        }
        RegionArgs::select(&self.selection()?, input, source, options)
    }

    /// All the regions.
    pub(crate) fn selection(&self) -> Result<Selection> {
        let mut selection = Selection::new();
        for region in &self.regions {
            selection.add(region);
        }
        if let Some(path) = &self.regions_file {
            selection.add_bed(path)?;
        }
        Ok(selection)
    }

    /// The query for these regions and an input that has been opened.
    pub(crate) fn select(
        selection: &Selection,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        let query = match input {
            // Only a regular file can be read in parts.
            Input::Path(path) if source.len().is_some() => Query::open(path, selection, options)?,
            _ => Query::scan(bam::Input::open(source, options)?.source, selection),
        };
        for note in query.notes() {
            crate::message("note", &note.to_string());
        }
        Ok(query)
    }
}

pub(crate) fn flagstat(args: &FlagstatArgs, files: &mut Files) -> Result<ExitCode> {
    let ((_, collector), report) = args.common.read(files, flagstat::Collector::collect)?;
    let counts = collector.finish();
    let text = match args.output_fmt {
        FlagstatFormat::Default => flagstat::text(&counts),
        FlagstatFormat::Json => flagstat::json(&counts),
        FlagstatFormat::Tsv => flagstat::tsv(&counts),
    };
    output::finish(report, text)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn idxstats(args: &IdxstatsArgs, files: &mut Files) -> Result<ExitCode> {
    let ((header, collector), report) = args.common.read(files, idxstats::Collector::collect)?;
    output::finish(report, collector.table(&header))?;
    Ok(ExitCode::SUCCESS)
}

impl Common {
    /// Opens the input and the output, and lets `collect` read the input. A faulty input gives no result, lest a part
    /// be taken for the whole.
    fn read<T, C>(
        &self,
        files: &mut Files,
        collect: impl FnOnce(
            Query,
            &Options,
        ) -> Result<T, biofast::io::pipeline::Fault<C, biofast::bam::Error>>,
    ) -> Result<(T, Output)> {
        let inputs = inputs::gather(self.file.as_slice(), None, "-", files)?;
        let [input] = &inputs[..] else { anyhow::bail!("expected one input") };
        inputs::keep_indexes(&inputs, files)?;
        let report = output::report(files, self.out.as_deref())?;
        let progress = Arc::new(Progress::default());
        let notes = Arc::new(Notes::default());
        let options = Options {
            strict: !self.allow_missing_eof,
            pedantic: self.strict,
            progress: Some(Arc::clone(&progress)),
            notes: Some(Arc::clone(&notes)),
            ..reading::options(self.threads, self.chunk_size)
        };
        // Whether a record overlaps a region is seen by its CIGAR.
        let detail = if self.regions.any() { Detail::Alignment } else { Detail::Placement };
        let opened = InputOptions {
            io: &options,
            reference: self.reference.as_deref().map(Path::to_owned),
            detail,
        };
        let query = self.regions.query(input, input.open()?, &opened)?;
        let bar = Bar::new(&progress, query.stored_len().or(input.len()), self.quiet);
        let result = collect(query, &options);
        drop(bar);
        if self.verbose {
            describe(input, None, &options, self.threads);
        }
        if !self.quiet {
            reading::tell(input, &notes);
        }
        let found = result.map_err(|fault| fault.error)?;
        Ok((found, report))
    }
}
