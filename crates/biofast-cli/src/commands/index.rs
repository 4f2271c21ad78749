//! `biofast index`: BAI and CSI for BAM, GZI for other BGZF files, a seek index for FASTQ in ordinary gzip.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam::ErrorKind;
use biofast::bam::index::{self, BuildOptions, Format};
use biofast::io::output::{Files, Output, commit};
use biofast::io::{Options, gzi};
use biofast::ops::get::build;
use biofast::ops::shards;

use super::get;
use crate::console::message;
use crate::inputs::{self, Input};
use crate::options::{InFile, OutFile, Spill};
use crate::output;
use crate::watch::Reading;

/// Make the index of a BAM file sorted by coordinate, of any BGZF file, or of FASTQ in ordinary gzip
///
/// BAM gets FILE.bai, or FILE.csi if a reference is longer than 536,870,911 bases; the bytes
/// are those of `samtools index`. Any other BGZF file gets FILE.gzi, as from `bgzip --reindex`. With --names BAM or
/// FASTQ, plain or BGZF, gets FILE.bni, through which `biofast get` finds records by their names and numbers. FASTQ in
/// ordinary gzip gets FILE.bsi, with which `biofast shards` cuts it and shards of it are read from where they start.
/// The file is read once; every checksum is checked, and the first record out of order is named.
#[derive(clap::Args)]
#[command(
    mut_arg("allow_missing_eof", |a| a.help("Accept a file without its end-of-file block")),
    mut_arg("memory", |a| a.short(None).help(MEMORY)),
    mut_arg("temp_dir", |a| a.short(None)),
    after_help = "\
Examples:
  biofast index aln.bam                    # aln.bam.bai
  biofast index -c -m 12 aln.bam           # aln.bam.csi, smallest bins of 4,096 bases
  biofast index -o indexes/aln.bai aln.bam
  biofast index reads.fq.bgz               # reads.fq.bgz.gzi
  biofast index reads.fq.gz                # ordinary gzip: reads.fq.gz.bsi, for `biofast shards`
  biofast index --names reads.fq.bgz       # reads.fq.bgz.bni, for `biofast get`"
)]
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

    /// Make an index of the names of all records
    #[arg(long, conflicts_with_all = ["bai", "csi", "gzi", "min_shift"])]
    names: bool,

    /// Make a CSI index whose smallest bins have 2^INT bases [default: 14]
    #[arg(short, long, value_name = "INT", value_parser = clap::value_parser!(u8).range(1..=30))]
    min_shift: Option<u8>,

    /// The BAM or BGZF file; '-' is standard input and needs --out
    #[arg(value_name = "FILE")]
    file: InFile,

    /// Write the index to OUT; it appears only when complete
    #[arg(short, long, value_name = "OUT")]
    out: Option<OutFile>,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    reading: Reading,
}

const MEMORY: &str = "With --names: memory for 16 bytes a record, such as 512M or 4G; beyond that temporary files are used \
                      [default: a quarter of what the machine or its container has, at most 16G]";

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(std::slice::from_ref(&args.file), None, "-", files)?;
    let [input] = &inputs[..] else { bail!("expected one input") };
    if args.out.is_none() && matches!(input, Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_)) {
        bail!("the index of {} has no name of its own: give one with --out", input.in_words());
    }
    if args.names {
        return names(args, input, files);
    }
    if let Some(option) = args.spill.given() {
        bail!("{option} is for --names");
    }
    let named = args.out.as_deref().map(|out| output::index(files, out)).transpose()?;
    let watch = args.reading.watch();
    let bar = watch.bar(input.len(), &args.reading.messages);
    let format = match (args.bai, args.csi) {
        (true, _) => Some(Format::Bai),
        (_, true) => Some(Format::Csi),
        _ => None,
    };
    let (extension, bytes) = if args.gzi {
        ("gzi", gzi::build(input.open()?, &watch.options.for_alignments())?)
    } else {
        let what = BuildOptions { format, min_shift: args.min_shift };
        let any = format.is_none() && args.min_shift.is_none();
        match index::build(input.open()?, what, &watch.options) {
            Ok(built) => {
                if any && built.format == Format::Csi {
                    let why = "a reference is too long for BAI, so this is a CSI index";
                    message("note", why);
                }
                (built.format.extension(), built.bytes)
            }
            Err(error) => {
                // Anything else in BGZF gets the index of its blocks, if it can be read again; but what is called BAM and
                // isn't is damaged.
                if any
                    && matches!(error.kind(), ErrorKind::NotBam(_))
                    && watch.notes.container() == Some(biofast::io::Container::Gzip)
                {
                    drop(bar);
                    return seek(args, input, named, files);
                }
                let is_called_bam =
                    args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("bam"));
                let can_be_gzi = any
                    && !is_called_bam
                    && matches!(input, Input::Path(_))
                    && matches!(error.kind(), ErrorKind::NotBam(_))
                    && watch.notes.container() == Some(biofast::io::Container::Bgzf);
                if !can_be_gzi {
                    return Err(error.into());
                }
                let options = Options { notes: None, ..watch.options.for_alignments() };
                ("gzi", gzi::build(input.open()?, &options)?)
            }
        }
    };
    drop(bar);
    args.reading.tell(&watch, input);
    let index = match named {
        Some(index) => index,
        None => output::index(files, &appended(&args.file, extension))?,
    };
    output::finish(index, bytes)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the seek index of ordinary gzip.
fn seek(args: &Args, input: &Input, named: Option<Output>, files: &mut Files) -> Result<ExitCode> {
    let Input::Path(path) = input else {
        bail!("a seek index is for a file that can be read again, not for {}", input.in_words())
    };
    let index = match named {
        Some(index) => index,
        None => output::index(files, &shards::GzipIndex::path_of(path))?,
    };
    let watch = args.reading.watch();
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = shards::index_gzip(&shards::Input::new(path), &watch.options, index);
    drop(bar);
    args.reading.tell(&watch, input);
    let (index, _) = result?;
    commit(vec![index], false)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the index of names.
fn names(args: &Args, input: &Input, files: &mut Files) -> Result<ExitCode> {
    let Input::Path(path) = input else {
        bail!(
            "an index of names is for a file that can be read again, not for {}",
            input.in_words()
        )
    };
    let at = args.out.as_deref().map_or_else(|| get::index_of(path), Path::to_owned);
    let mut index = output::index(files, &at)?;
    let watch = args.reading.watch();
    let bar = watch.bar(input.len(), &args.reading.messages);
    let file =
        shards::Input { strict_end: !watch.options.allow_missing_eof, ..shards::Input::new(path) };
    let result = build(&file, &watch.options, &args.spill.limits(Some(&at)), &mut index);
    drop(bar);
    args.reading.tell(&watch, input);
    result?;
    commit(vec![index], false)?;
    Ok(ExitCode::SUCCESS)
}

fn appended(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
