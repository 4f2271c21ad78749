//! `biofast flagstat` and `biofast idxstats`: counts of one file of alignments, in the words of samtools.

pub(crate) mod flagstat;
pub(crate) mod idxstats;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use biofast::bam::{Detail, InputOptions, Query};
use biofast::io::output::{Files, Output};
use biofast::io::{Notes, Options, Progress};

use crate::console::{Bar, describe};
use crate::inputs;
use crate::options::{self, InFile, OutFile, RegionArgs};
use crate::{output, watch};

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
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = options::threads)]
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
            ..options::options(self.threads, self.chunk_size)
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
            watch::tell(input, &notes);
        }
        let found = result.map_err(|fault| fault.error)?;
        Ok((found, report))
    }
}
