//! What the commands that turn alignments into files share: how an input is read, where the
//! output goes, and which records are wanted.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::{self, Detail, InputOptions, Program, flag};
use biofast::io::output::{self, Format};
use biofast::io::pipeline::Failure;
use biofast::io::{IoMode, Notes, Options, Progress, Source};
use clap::ValueEnum;

use crate::inputs::Input;
use crate::message;
use crate::progress::Bar;
use crate::verbose::describe;

/// How an input is read.
#[derive(clap::Args)]
pub(crate) struct Reading {
    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<std::num::NonZeroUsize>,

    /// Accept a file without its end-of-file block (BAM) or container (CRAM)
    #[arg(long)]
    pub(crate) allow_missing_eof: bool,

    /// Make an error of what breaks the rules of the format but loses nothing, and is read with a warning otherwise
    #[arg(long)]
    strict: bool,

    /// No progress bar, no notes and no summary
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

/// A way of reading, with what is noticed on the way.
pub(crate) struct Watch {
    pub(crate) options: Options,
    progress: Arc<Progress>,
    notes: Arc<Notes>,
}

impl Reading {
    /// Options for an input, and what watches it.
    pub(crate) fn watch(&self) -> Watch {
        Watch::new(Options {
            strict: !self.allow_missing_eof,
            pedantic: self.strict,
            ..options(self.threads, self.chunk_size)
        })
    }
}

impl Watch {
    /// Watches what is read with these options.
    pub(crate) fn new(options: Options) -> Watch {
        let progress = Arc::new(Progress::default());
        let notes = Arc::new(Notes::default());
        let options = Options {
            progress: Some(Arc::clone(&progress)),
            notes: Some(Arc::clone(&notes)),
            ..options
        };
        Watch { options, progress, notes }
    }

    /// How alignments are opened.
    pub(crate) fn opening(&self, reference: Option<&Path>, detail: Detail) -> InputOptions<'_> {
        InputOptions { io: &self.options, reference: reference.map(Path::to_owned), detail }
    }

    pub(crate) fn bar(&self, total: Option<u64>, quiet: bool) -> Bar {
        Bar::new(&self.progress, total, quiet)
    }

    /// Says what was noticed, and how the input was read where that is wanted.
    pub(crate) fn tell(
        &self,
        input: &Input,
        quiet: bool,
        verbose: bool,
        threads: Option<std::num::NonZeroUsize>,
    ) {
        if verbose {
            describe(input, None, &self.options, threads);
        }
        if !quiet {
            tell(input, &self.notes);
        }
    }
}

/// More threads than any machine has use for are a slip of the finger.
const MOST_THREADS: usize = 1024;

/// A number of threads as typed.
pub(crate) fn threads(typed: &str) -> Result<std::num::NonZeroUsize, String> {
    let number =
        typed.parse().ok().filter(|number: &std::num::NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| {
        let all = biofast::io::available_threads();
        format!("a number from 1 to {MOST_THREADS} is needed; without -@ all {all} of this machine are used")
    })
}

/// The options as typed; the defaults for what isn't.
pub(crate) fn options(
    threads: Option<std::num::NonZeroUsize>,
    chunk_size: Option<std::num::NonZeroUsize>,
) -> Options {
    let defaults = Options::default();
    Options {
        threads: threads.map_or(defaults.threads, usize::from),
        chunk_size: chunk_size.map_or(defaults.chunk_size, usize::from),
        ..defaults
    }
}

/// Says what was noticed of an input.
pub(crate) fn tell(input: &Input, notes: &Notes) {
    let name = input.name();
    let name = biofast::io::Escaped(name.as_bytes());
    notes.warnings().iter().for_each(|w| message("warning", &format!("{name}: {w}")));
}

/// `--io`, as typed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Io {
    /// Map files of 50 MB and more
    Auto,
    /// Map every file
    Mmap,
    /// Read every file
    Read,
}

impl From<Io> for IoMode {
    fn from(io: Io) -> IoMode {
        match io {
            Io::Auto => IoMode::Auto,
            Io::Mmap => IoMode::Mmap,
            Io::Read => IoMode::Read,
        }
    }
}

/// Which records are wanted, by flags and mapping quality.
#[derive(clap::Args)]
pub(crate) struct Flags {
    /// Only records with all of these flags: a number, or names such as PAIRED,UNMAP
    #[arg(short = 'f', long = "require-flags", value_name = "FLAGS", value_parser = flags)]
    all_of: Vec<u16>,

    /// Only records with none of these flags
    #[arg(short = 'F', long = "excl-flags", alias = "exclude-flags", value_name = "FLAGS", value_parser = flags)]
    none_of: Vec<u16>,

    /// Only records without at least one of these flags
    #[arg(short = 'G', value_name = "FLAGS", value_parser = flags)]
    not_all_of: Vec<u16>,

    /// Only records with at least one of these flags
    #[arg(long = "rf", alias = "incl-flags", alias = "include-flags", value_name = "FLAGS", value_parser = flags)]
    any_of: Vec<u16>,
}

impl Flags {
    /// The filter; `none_of` where no such flags are given.
    pub(crate) fn filter(&self, none_of: u16) -> flag::Filter {
        flag::Filter {
            all_of: union(&self.all_of),
            any_of: union(&self.any_of),
            none_of: if self.none_of.is_empty() { none_of } else { union(&self.none_of) },
            not_all_of: union(&self.not_all_of),
            min_mapping_quality: 0,
        }
    }

    /// The first option that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("-f", &self.all_of),
            ("-F", &self.none_of),
            ("-G", &self.not_all_of),
            ("--rf", &self.any_of),
        ];
        options.into_iter().find(|(_, flags)| !flags.is_empty()).map(|(name, _)| name)
    }
}

/// All flags of an option that may be repeated.
fn union(flags: &[u16]) -> u16 {
    flags.iter().fold(0, |all, flags| all | flags)
}

fn flags(text: &str) -> Result<u16, String> {
    flag::parse(text).ok_or_else(|| {
        "expected a number from 0 to 65535, or names separated by commas: PAIRED, PROPER_PAIR, \
         UNMAP, MUNMAP, REVERSE, MREVERSE, READ1, READ2, SECONDARY, QCFAIL, DUP, SUPPLEMENTARY"
            .into()
    })
}

/// The result of a run whose outputs may have been closed by their reader.
pub(crate) enum Stopped {
    /// What reads from us has had enough, and nothing else was promised.
    ByReader,
    /// Something went wrong.
    By(anyhow::Error),
}

impl Stopped {
    /// The failure of an output. Where something else was promised, the outputs outlast their readers.
    pub(crate) fn output(error: output::Error) -> Stopped {
        match error.is_closed_pipe() {
            true => Stopped::ByReader,
            false => Stopped::By(error.into()),
        }
    }

    /// The same of a [`Failure`].
    pub(crate) fn failure<E>(failure: Failure<E>) -> Stopped
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        match failure {
            Failure::Input(error) => Stopped::By(error.into()),
            Failure::Output(error) => Stopped::output(error),
        }
    }

    /// The exit code, or the error.
    pub(crate) fn code(self) -> Result<ExitCode> {
        match self {
            Stopped::ByReader => Ok(ExitCode::SUCCESS),
            Stopped::By(error) => Err(error),
        }
    }
}

/// This program for `@PG`, given its [`command_line`].
pub(crate) fn program(command_line: &str) -> Program<'_> {
    Program { name: "biofast", version: env!("CARGO_PKG_VERSION"), command_line }
}

/// The words of the command line.
pub(crate) fn command_line() -> String {
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(first) = words.first_mut() {
        *first = "biofast".into();
    }
    words.join(" ")
}

/// How FASTQ that goes to this file is compressed. A name that promises what isn't written is refused.
pub(crate) fn format_of_reads(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "bam" | "sam" | "cram" => {
            bail!("{} is to hold FASTQ; `biofast import` makes BAM of FASTQ", path.display())
        }
        ending if is_fasta(ending) => bail!(
            "can't write {}: reads are written as FASTQ, not as FASTA; name it .fq or .fq.gz",
            path.display()
        ),
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

/// The same of BAM, which is BGZF whatever its name; a name that promises another format is refused.
pub(crate) fn format_of_bam(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "cram" => bail!("can't write {}: CRAM is read, not written; name it .bam", path.display()),
        ending @ ("sam" | "fq" | "fastq") => {
            bail!("{} is to hold BAM, not {ending}: name it .bam", path.display())
        }
        ending if is_fasta(ending) => {
            bail!("{} is to hold BAM, not FASTA: name it .bam", path.display())
        }
        _ => Ok(Format::Bgzf),
    }
}

fn is_fasta(ending: &str) -> bool {
    matches!(ending, "fa" | "fasta" | "fna" | "ffn" | "faa" | "frn" | "fas")
}

/// The ending of a file's name, without that of its compression.
fn inner_ending(path: &Path) -> String {
    match Format::from_name(path) {
        Format::Plain => ending(path),
        _ => path.file_stem().map(|stem| ending(stem.as_ref())).unwrap_or_default(),
    }
}

/// Says that reference sequences make no difference, as BAM and SAM hold their bases.
pub(crate) fn tell_unused_reference(reference: Option<&Path>, source: &mut Source, quiet: bool) {
    if let Some(path) = reference.filter(|_| !quiet)
        && let Ok(format @ (bam::Format::Bam | bam::Format::Sam)) = bam::Format::sniff(source)
    {
        let (path, format) = (path.display(), format.name());
        message("note", &format!("the reference {path} is not needed: {format} holds the bases"));
    }
}

/// The same of SAM.
pub(crate) fn format_of_sam(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "cram" => {
            bail!("can't write {}: CRAM is read, not written; name it .bam or .sam", path.display())
        }
        "fq" | "fastq" => {
            bail!("{} is to hold alignments; `biofast fastq` makes FASTQ of them", path.display())
        }
        ending if is_fasta(ending) => {
            bail!("{} is to hold alignments, not FASTA", path.display())
        }
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

fn refuse_unwritten(path: &Path, ending: &str) -> Result<()> {
    if matches!(ending, "xz" | "bz2") {
        bail!(
            "can't write {}: {ending} is read, not written; name it .gz (BGZF) or .zst",
            path.display()
        );
    }
    Ok(())
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_ascii_lowercase().to_string_lossy().into_owned()
}

/// Where a file's name ends in `extension`, whatever the case.
pub(crate) fn has_extension(path: Option<&Path>, extension: &str) -> bool {
    path.is_some_and(|path| ending(path) == extension)
}

/// The summary of a run as JSON: its figures beside the command and the version.
pub(crate) fn summary(summary: serde_json::Value) -> Result<String> {
    let report = serde_json::json!({
        "schema": "biofast.summary",
        "schema_version": 1,
        "biofast_version": env!("CARGO_PKG_VERSION"),
        "command": command_line(),
        "summary": summary,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
