//! `biofast fastq`: alignments back to reads.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::io::output::{Compression, Files, Format, Level, Output, commit};
use biofast::io::pipeline::Failure;
use biofast::ops::to_fastq::{self, Collation, Plan, Problem, Routes, Summary, TagChoice};

use crate::console::message;
use crate::inputs;
use crate::options::{Flags, Folder, InFile, OutFile, Reading};
use crate::output::{self, Stopped};

/// Secondary and supplementary records are not reads of their own.
const NOT_PRIMARY: u16 = 0x900;

/// Write the reads of a BAM, SAM or CRAM file as FASTQ, as `samtools fastq`
///
/// Reads aligned to the reverse strand are written as they were sequenced. If the records of a
/// template don't stand together (as the header says, or else the first records), mates are
/// brought together on the way, in bounded memory and temporary files.
///
/// First reads (flag READ1 and not READ2), second reads and others go to standard output unless
/// files are named for them. Names get /1 and /2 unless -1, -2 or -o name files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast fastq aln.bam -1 r1.fq.gz -2 r2.fq.gz -0 other.fq.gz -s single.fq.gz
  biofast fastq -n aln.bam > interleaved.fq
  biofast fastq -T RG,BC aln.cram --reference genome.fa -o reads.fq")]
pub(crate) struct Args {
    /// The BAM, SAM or CRAM file; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    file: Option<InFile>,

    /// First reads go to FILE; a name in .gz, .bgz or .zst is compressed
    #[arg(short = '1', value_name = "FILE")]
    first: Option<OutFile>,

    /// Second reads go to FILE
    #[arg(short = '2', value_name = "FILE")]
    second: Option<OutFile>,

    /// Reads that are neither first nor second, or both, go to FILE
    #[arg(short = '0', value_name = "FILE")]
    other: Option<OutFile>,

    /// First and second reads without the other go to FILE, and not where they would with it
    #[arg(short = 's', value_name = "FILE")]
    single: Option<OutFile>,

    /// First and second reads go to FILE, one after the other
    #[arg(short = 'o', long = "out", value_name = "FILE", conflicts_with_all = ["first", "second"])]
    out: Option<OutFile>,

    /// Names as they are
    #[arg(short = 'n', conflicts_with = "always_suffix")]
    no_suffix: bool,

    /// /1 and /2 after names even in files of their own
    #[arg(short = 'N')]
    always_suffix: bool,

    #[command(flatten)]
    flags: Flags,

    /// The fields RG, BC and QT after the name
    #[arg(short = 't')]
    usual_tags: bool,

    /// These fields after the name, separated by commas, or '*' for all
    #[arg(short = 'T', value_name = "TAGS", value_delimiter = ',', value_parser = tag)]
    tags: Vec<Tag>,

    /// A Casava description with the barcode after the name (1:N:0:ACGT)
    #[arg(short = 'i')]
    casava: bool,

    /// The field that has the barcode
    #[arg(long, value_name = "TAG", default_value = "BC", value_parser = tag)]
    barcode_tag: Tag,

    /// The qualities of the field OQ, where there is one
    #[arg(short = 'O')]
    original_qualities: bool,

    /// The quality of reads without qualities [default: 33, as samtools 1.16 writes it]
    #[arg(short = 'v', value_name = "PHRED", value_parser = clap::value_parser!(u8).range(0..=93))]
    missing_quality: Option<u8>,

    /// Compression level of .gz and .bgz: fast, small or 0 to 12 [default: fast]; of .zst: 0 to 19
    #[arg(short = 'c', long, value_name = "LEVEL")]
    level: Option<Level>,

    /// The records of a template stand together: take them as they come
    #[arg(long, conflicts_with = "collate")]
    grouped: bool,

    /// Bring mates together even if they seem to stand together
    #[arg(long)]
    collate: bool,

    /// Megabytes that reads may take that wait for their mates; more go to temporary files
    #[arg(long, value_name = "MB", default_value_t = 96)]
    memory: usize,

    /// The folder of temporary files [default: TMPDIR if set, else that of the first output]
    #[arg(long, value_name = "FOLDER")]
    temp_dir: Option<Folder>,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    /// Reference sequences of a CRAM file, in FASTA, indexed (.fai) or not
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,

    /// Say how each input was read, and why so: source, container, decoder, threads, kernels
    #[arg(long)]
    verbose: bool,
}

/// An optional field's name, or `*`.
#[derive(Clone, Copy, Debug)]
enum Tag {
    All,
    Name([u8; 2]),
}

fn tag(text: &str) -> Result<Tag, String> {
    match text.as_bytes() {
        b"*" => Ok(Tag::All),
        &[a, b] => Ok(Tag::Name([a, b])),
        _ => Err("expected two characters".into()),
    }
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(args.file.as_slice(), None, "-", files)?;
    inputs::keep_indexes(&inputs, files)?;
    let [input] = &inputs[..] else { bail!("expected one input, but {} are named", inputs.len()) };
    let format = format(args)?;
    let watch = args.reading.watch();
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let mut source = input.open()?;
    inputs::tell_unused_reference(args.reference.as_deref(), &mut source, args.reading.quiet);
    let opened = bam::Input::open(source, &opening)?;
    // A header that can't be read is noticed before any output is touched.
    let (header, mut source) = bam::peek_header(opened.source)?;
    let grouped = !args.collate && (args.grouped || to_fastq::is_grouped(&header, &mut source));
    let (mut outputs, routes) = open(args, files)?;
    let report = output::optional_report(files, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let plan = Plan { filter: args.flags.filter(NOT_PRIMARY), format, routes };
    let bar = watch.bar(input.len(), args.reading.quiet);
    let result = if grouped {
        to_fastq::grouped(source, &watch.options, &plan, &mut outputs).map_err(|e| match e {
            Failure::Input(error) => Problem::Input(error),
            Failure::Output(error) => Problem::Output(error),
        })
    } else {
        let folder = temp_dir(args);
        let memory = args.memory.saturating_mul(1_000_000);
        let collation = Collation { memory, folder: &folder };
        to_fastq::collated(source, &watch.options, &plan, &mut outputs, collation)
    };
    drop(bar);
    watch.tell(input, args.reading.quiet, args.verbose, args.reading.threads);
    match result.and_then(|summary| Ok((commit_all(outputs, report, &summary)?, summary))) {
        Ok((Ok(()), summary)) => {
            if !args.reading.quiet {
                tell(&summary);
            }
            Ok(ExitCode::SUCCESS)
        }
        Ok((Err(error), _)) => Err(error),
        Err(Problem::Output(error)) => Stopped::output(error).code(),
        Err(problem) => Err(problem.into()),
    }
}

/// Makes files of the outputs, and of the summary where it is wanted.
fn commit_all(
    mut outputs: Vec<Output>,
    report: Option<Output>,
    summary: &Summary,
) -> Result<Result<()>, Problem> {
    if let Some(report) = report {
        let text = serde_json::to_value(summary).map_err(anyhow::Error::new);
        match text.and_then(output::summary) {
            Ok(text) => outputs.push(output::filled(report, text)?),
            Err(error) => return Ok(Err(error)),
        }
    }
    commit(outputs, false)?;
    Ok(Ok(()))
}

/// Says what was written, and what wasn't.
fn tell(summary: &Summary) {
    let Summary { reads, pairs, singles, others, repeated, without_sequence } = summary;
    message(
        "note",
        &format!("{reads} reads: {pairs} pairs, {singles} without their mate, {others} others"),
    );
    if *repeated > 0 {
        message("warning", &format!("{repeated} reads left out: the same read is there twice"));
    }
    if *without_sequence > 0 {
        message("warning", &format!("{without_sequence} reads left out: they have no sequence"));
    }
}

fn format(args: &Args) -> Result<to_fastq::Format> {
    let in_files = args.first.is_some() || args.second.is_some() || args.out.is_some();
    let mut names = Vec::new();
    if args.usual_tags {
        names.extend([*b"RG", *b"BC", *b"QT"]);
    }
    let mut tags = TagChoice::None;
    for tag in &args.tags {
        match tag {
            Tag::All => tags = TagChoice::All,
            Tag::Name(name) => names.push(*name),
        }
    }
    if !names.is_empty() && matches!(tags, TagChoice::None) {
        tags = TagChoice::Some(names);
    }
    let casava = match (args.casava, args.barcode_tag) {
        (false, _) => None,
        (true, Tag::Name(name)) => Some(name),
        (true, Tag::All) => bail!("--barcode-tag is one field"),
    };
    let defaults = to_fastq::Format::default();
    Ok(to_fastq::Format {
        suffix: args.always_suffix || !(args.no_suffix || in_files),
        tags,
        casava,
        missing_quality: args.missing_quality.map_or(defaults.missing_quality, |q| q + b'!'),
        original_qualities: args.original_qualities,
    })
}

/// The outputs; each file once, however often it is named.
struct Opened<'a> {
    files: &'a mut Files,
    outputs: Vec<Output>,
    /// `None` is standard output.
    paths: Vec<Option<&'a Path>>,
    level: Option<Level>,
}

impl<'a> Opened<'a> {
    /// The index of the output that is `path`.
    fn index(&mut self, path: Option<&'a OutFile>) -> Result<usize> {
        let path = path.map(OutFile::as_ref).filter(|path| *path != Path::new("-"));
        if let Some(known) = self.paths.iter().position(|known| *known == path) {
            return Ok(known);
        }
        let format = path.map_or(Ok(Format::Plain), output::format_of_reads)?;
        let level = self.level.filter(|_| format != Format::Plain);
        self.outputs.push(output::records(self.files, path, Compression::new(format, level)?)?);
        self.paths.push(path);
        Ok(self.outputs.len() - 1)
    }
}

/// Opens the outputs.
fn open(args: &Args, files: &mut Files) -> Result<(Vec<Output>, Routes)> {
    let (outputs, paths) = (Vec::new(), Vec::new());
    let mut files = Opened { files, outputs, paths, level: args.level };
    let parts = [
        files.index(args.other.as_ref())?,
        files.index(args.first.as_ref().or(args.out.as_ref()))?,
        files.index(args.second.as_ref().or(args.out.as_ref()))?,
    ];
    let single = args.single.as_ref().map(|path| files.index(Some(path))).transpose()?;
    let outputs = files.outputs;
    if args.level.is_some() && outputs.iter().all(|o| o.compression().format() == Format::Plain) {
        bail!("--level needs a name ending in .gz, .bgz or .zst");
    }
    Ok((outputs, Routes { parts, single }))
}

/// Where temporary files go.
fn temp_dir(args: &Args) -> PathBuf {
    let files = [&args.first, &args.out, &args.second, &args.other, &args.single];
    let beside = || {
        let path = files.into_iter().flatten().map(OutFile::as_ref).find(|path: &&Path| {
            // A device has no place for files beside it.
            **path != *Path::new("-") && !std::fs::metadata(path).is_ok_and(|m| !m.is_file())
        })?;
        let folder = path.parent()?;
        Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
    };
    let named = || std::env::var_os("TMPDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    args.temp_dir
        .as_deref()
        .map(Path::to_owned)
        .or_else(named)
        .or_else(beside)
        .unwrap_or_else(std::env::temp_dir)
}
