//! `biofast index`: BAI and CSI for BAM, GZI for other BGZF files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::ErrorKind;
use biofast::bam::index::{self, BuildOptions, Format};
use biofast::io::output::Files;
use biofast::io::{Notes, Options, Progress, gzi};

use crate::console::{Bar, describe};
use crate::inputs::{self, Input};
use crate::options::{self, InFile, OutFile};
use crate::{output, watch};

/// Make the index of a BAM file sorted by coordinate, or of any BGZF file
///
/// BAM gets FILE.bai, or FILE.csi if a reference is longer than 536,870,911 bases; the bytes
/// are those of `samtools index`. Any other BGZF file gets FILE.gzi, as from `bgzip --reindex`.
/// The file is read once; every checksum is checked, and the first record out of order is named.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast index aln.bam                    # aln.bam.bai
  biofast index -c -m 12 aln.bam           # aln.bam.csi, smallest bins of 4,096 bases
  biofast index -o indexes/aln.bai aln.bam
  biofast index reads.fq.bgz               # reads.fq.bgz.gzi")]
pub(crate) struct Args {
    /// Make a BAI index
    #[arg(short, long, conflicts_with_all = ["csi", "gzi", "min_shift"])]
    bai: bool,

    /// Make a CSI index
    #[arg(short, long, conflicts_with = "gzi")]
    csi: bool,

    /// Make a GZI index: where each block starts in the file and in its data
    #[arg(long, conflicts_with = "min_shift")]
    gzi: bool,

    /// Make a CSI index whose smallest bins have 2^INT bases [default: 14]
    #[arg(short, long, value_name = "INT", value_parser = clap::value_parser!(u8).range(1..=30))]
    min_shift: Option<u8>,

    /// The BAM or BGZF file; '-' is standard input and needs --out
    #[arg(value_name = "FILE")]
    file: InFile,

    /// Write the index to OUT; it appears only when complete
    #[arg(short, long, value_name = "OUT")]
    out: Option<OutFile>,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = options::threads)]
    threads: Option<std::num::NonZeroUsize>,

    /// Accept a file without its end-of-file block
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

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(std::slice::from_ref(&args.file), None, "-", files)?;
    let [input] = &inputs[..] else { bail!("expected one input") };
    if args.out.is_none() && matches!(input, Input::Stdin(_) | Input::Unnamed(_)) {
        bail!("the index of standard input has no name of its own: give one with --out");
    }
    let named = args.out.as_deref().map(|out| output::report(files, Some(out))).transpose()?;
    let progress = Arc::new(Progress::default());
    let notes = Arc::new(Notes::default());
    let options = Options {
        strict: !args.allow_missing_eof,
        pedantic: args.strict,
        progress: Some(Arc::clone(&progress)),
        notes: Some(Arc::clone(&notes)),
        ..options::options(args.threads, args.chunk_size)
    };
    let bar = Bar::new(&progress, input.len(), args.quiet);
    let format = match (args.bai, args.csi) {
        (true, _) => Some(Format::Bai),
        (_, true) => Some(Format::Csi),
        _ => None,
    };
    let (extension, bytes) = if args.gzi {
        ("gzi", gzi::build(input.open()?, &options)?)
    } else {
        let what = BuildOptions { format, min_shift: args.min_shift };
        let any = format.is_none() && args.min_shift.is_none();
        match index::build(input.open()?, what, &options) {
            Ok(built) => {
                if any && built.format == Format::Csi {
                    let why = "a reference is too long for BAI, so this is a CSI index";
                    crate::console::message("note", why);
                }
                (built.format.extension(), built.bytes)
            }
            Err(error) => {
                // Anything else in BGZF gets the index of its blocks, if it can be read again; but what is called BAM and
                // isn't is damaged.
                let is_called_bam =
                    args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("bam"));
                let can_be_gzi = any
                    && !is_called_bam
                    && matches!(input, Input::Path(_))
                    && matches!(error.kind(), ErrorKind::NotBam(_))
                    && notes.container() == Some(biofast::io::Container::Bgzf);
                if !can_be_gzi {
                    return Err(error.into());
                }
                let options = Options { notes: None, ..options.clone() };
                ("gzi", gzi::build(input.open()?, &options)?)
            }
        }
    };
    drop(bar);
    if args.verbose {
        describe(input, None, &options, args.threads);
    }
    if !args.quiet {
        watch::tell(input, &notes);
    }
    let index = match named {
        Some(index) => index,
        None => output::report(files, Some(&appended(&args.file, extension)))?,
    };
    output::finish(index, bytes)?;
    Ok(ExitCode::SUCCESS)
}

fn appended(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
