//! `biofast split`: reads or pairs to several files.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use biofast::fastq::fasta::Sequences;
use biofast::fastq::{self, Inputs};
use biofast::io::output::{Compression, Files, Format, Level, Output, allow_open_files, commit};
use biofast::io::{Options, display_name};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::split::{Parts, Problem, Rule, Target, split};

use crate::console::{Hinted, message};
use crate::inputs::{self, Input, Rereads};
use crate::options::{InFile, Io, Messages, OutFile, Pairing, PairsOut, Strictness, Threads};
use crate::output::{self, OTHER_FILES};
use crate::watch::Watch;

/// Split reads to several files: by number, by bases, by size, or to a number of files
///
/// FASTA stays FASTA, in lines of 60 bases.
///
/// One file holds single reads, or pairs with --interleaved; two files hold the mates of pairs, whose names must
/// agree. Pairs stay together and reads keep their order. The parts are the same for any number of threads, and they
/// appear together, when all of them are complete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast split -s 1000000 reads.fq.gz -o part_{part}.fq.gz
  biofast split -p 4 R1.fq.gz R2.fq.gz -o s_R{mate}_{part}.fq.gz --json split.json
  biofast split -p 4 --blocks reads.fq.gz -o block_{part}.fq.gz
  biofast split -l 500M reads.fq.gz -o long_{part}.fq.zst
  biofast split -s 1000 genes.fa.gz -o genes_{part}.fa.gz
  zcat reads.fq.gz | biofast split --by-bytes 100M - -o small_{part}.fq")]
pub(crate) struct Args {
    /// One file, or the two files of mates; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    #[command(flatten)]
    by: By,

    /// With --by-part: consecutive reads in each file instead of every Nth; reads the input twice
    #[arg(long)]
    blocks: bool,

    /// The file is interleaved: the mates of a pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Name of the files: {part} stands for the number of the part, {mate} for 1 and 2; where it has no {mate}, the
    /// mates of a pair follow each other unless --out2 is given
    #[arg(short, long, value_name = "TEMPLATE", required = true)]
    out: OutFile,

    /// Name of the files of second reads
    #[arg(long, value_name = "TEMPLATE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Fewest digits of the part's number
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=18))]
    digits: u8,

    /// Write more than 1,000 files
    #[arg(long)]
    force: bool,

    /// Output format: plain, bgzf, zstd or bzip2 [default: by the file's ending: .gz, .bgz, .zst, .bz2]
    #[arg(short = 'O', long, value_name = "FORMAT")]
    output_format: Option<Format>,

    /// Compression level: for bgzf fast, small or 0 to 12 [default: fast], for zstd 0 to 19 [default: 3], for bzip2 1 to 9 [default: 9]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    sync: bool,

    /// Write the summary to FILE as JSON, with a checksum of each file, which `biofast check --against` compares
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    io: Io,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    messages: Messages,
}

/// Where a part ends.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct By {
    /// N reads or pairs in each part; K, M and G are thousands, millions and so on
    #[arg(short = 's', long, value_name = "N", value_parser = reads)]
    by_size: Option<NonZeroU64>,

    /// N parts: each read or pair goes to the next one, and after the last to the first again
    #[arg(short = 'p', long, value_name = "N")]
    by_part: Option<NonZeroU64>,

    /// At least N bases in each part but the last, of both mates: 1500000, 500M
    #[arg(short = 'l', long, value_name = "N", value_parser = bases)]
    by_length: Option<NonZeroU64>,

    /// At most SIZE of uncompressed text in each part, of both mates: 100M, 2G (of 1024); a read that has more is alone
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    by_bytes: Option<NonZeroU64>,
}

/// A number of reads as typed.
fn reads(typed: &str) -> Result<NonZeroU64, String> {
    number(typed, 1000).ok_or_else(|| format!("'{typed}' is no number of reads: say 250000 or 10M"))
}

/// A number of bases as typed.
fn bases(typed: &str) -> Result<NonZeroU64, String> {
    number(typed, 1000)
        .ok_or_else(|| format!("'{typed}' is no number of bases: say 1500000 or 500M"))
}

/// A size of text as typed.
fn bytes(typed: &str) -> Result<NonZeroU64, String> {
    number(typed, 1024).ok_or_else(|| format!("'{typed}' is no size: say 100M or 2G"))
}

/// A number above zero that may end in K, M or G.
fn number(typed: &str, thousand: u64) -> Option<NonZeroU64> {
    let digits = typed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match typed[digits.len()..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    NonZeroU64::new(number.checked_mul(thousand.pow(power))?)
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(&args.files, None, "-", files)?;
    let most = if args.interleaved { 1 } else { 2 };
    if inputs.len() > most {
        let expected = if args.interleaved { "one file" } else { "one file, or two of mates" };
        bail!("expected {expected}, but {} are named", inputs.len());
    }
    inputs::are_two(&inputs)?;
    let paired = args.interleaved || inputs.len() == 2;
    let rereads = args.blocks.then(|| Rereads::of(&inputs));
    let unchanged = || rereads.as_ref().map_or(Ok(()), Rereads::check);
    // Names say which format is meant, so what comes is looked at first.
    let mut opened = Vec::new();
    for input in &inputs {
        opened.push(input.open()?);
    }
    let is_fasta = inputs::are_fasta(&mut opened)?;
    let names = Arc::new(Names::new(args, paired, is_fasta)?);
    let is_two = (inputs.len(), paired);
    args.pairs_out.refuse(is_two, Some(&args.out), names.files() == 2)?;
    let rule = rule(args, &inputs, paired);
    unchanged()?;
    let rule = rule?;
    let report = output::optional_report(files, args.json.as_deref())?;
    if let Some(parts) = args.by.by_part {
        refuse_many(args, parts.get().saturating_mul(names.files() as u64))?;
    }
    if let Rule::Turns(parts) = rule {
        reserve(parts, names.files())?;
    }
    let mut opened = opened.into_iter().map(Sequences);
    let sources = match (opened.next(), opened.next()) {
        (Some(one), Some(two)) => Inputs::Paired(one, two),
        (Some(one), None) if args.interleaved => Inputs::Interleaved(one),
        (Some(one), None) => Inputs::Single(one),
        _ => bail!("no input"),
    };
    let progress = Arc::default();
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading(args)));
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    // Names are known as parts begin.
    let paths = Arc::new(Mutex::new(Vec::new()));
    let (opened, named) = (Arc::clone(&paths), Arc::clone(&names));
    let mut files = std::mem::take(files);
    let most = if args.force { u64::MAX } else { MOST_FILES };
    let target = Target {
        files: names.files(),
        open: move |part: u64, file: usize| -> Result<Output> {
            let number = (part - 1).saturating_mul(named.files() as u64) + file as u64 + 1;
            if number > most {
                return Err(too_many("more than 1,000"));
            }
            let path = named.path(part, file);
            let output = output::records(&mut files, Some(&path), named.compression)?;
            opened.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            Ok(output)
        },
        sync: args.sync,
    };
    let result =
        split(sources, watches.each_ref().map(|watch| watch.options.clone()), rule, target);
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(
            input,
            Some(if is_fasta { "FASTA" } else { "FASTQ" }),
            &args.messages,
            &args.threads,
        );
    }
    // A fault that wasn't there before is one of the change.
    unchanged()?;
    let written = result.map_err(|problem| -> anyhow::Error {
        match problem {
            Problem::Input(error) => error.into(),
            Problem::Output(error) => error.into(),
            Problem::Open(error) => error,
        }
    })?;
    let paths = std::mem::take(&mut *paths.lock().unwrap_or_else(PoisonError::into_inner));
    let summary = summary(&written, &paths, paired);
    let sums = sums(&written, &inputs, &paths);
    let note = format!(
        "{} {} written to {} {}",
        summary["reads"],
        if paired { "reads of pairs" } else { "reads" },
        paths.len(),
        if paths.len() == 1 { "file" } else { "files" }
    );
    let mut outputs = written.outputs;
    if let Some(report) = report {
        outputs.push(output::filled(report, output::summary_of_files(summary, &sums)?)?);
    }
    let more = names.path(written.parts.len() as u64 + 1, 0);
    commit(outputs, args.sync)?;
    if !args.messages.quiet {
        message("note", &note);
        // Whoever joins the parts by a pattern would get it, too.
        if more.exists() {
            let more = display_name(&more);
            message("warning", &format!("{more} was there before: it is no part of this run"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How FASTQ is read.
fn reading(args: &Args) -> Options {
    args.pairing.apply(args.strictness.reads(args.io.apply(args.threads.options())))
}

/// Where parts end. Blocks need the number of reads first.
fn rule(args: &Args, inputs: &[Input], paired: bool) -> Result<Rule> {
    if args.blocks && args.by.by_part.is_none() {
        bail!("--blocks is another way of --by-part, which is not given");
    }
    let By { by_size, by_part, by_length, by_bytes } = &args.by;
    Ok(match (by_size, by_part, by_length, by_bytes) {
        (Some(n), ..) => Rule::Reads(*n),
        (_, Some(parts), ..) if args.blocks => {
            let Some(first) = inputs.first().filter(|input| input.len().is_some()) else {
                bail!(
                    "--blocks reads the input twice, which a stream can't be: name a file, or use --by-size"
                );
            };
            let reads = fastq::par_fold(
                Sequences(first.open()?),
                &reading(args),
                || 0u64,
                |reads, batch| *reads += batch.len() as u64,
                |reads, other| *reads += other,
            );
            let reads = reads.map_err(|fault| fault.error)?;
            let total = if paired && inputs.len() == 1 { reads / 2 } else { reads };
            Rule::Blocks { parts: *parts, total }
        }
        (_, Some(parts), ..) => Rule::Turns(*parts),
        (_, _, Some(n), _) => Rule::Bases(*n),
        (.., Some(n)) => Rule::Bytes(*n),
        _ => {
            bail!("where a part ends is not said: --by-size, --by-part, --by-length or --by-bytes")
        }
    })
}

/// So many files are written without being asked twice.
const MOST_FILES: u64 = 1000;

/// An error if there would be so many files, unless they are wanted.
fn refuse_many(args: &Args, files: u64) -> Result<()> {
    match files {
        0..=MOST_FILES => Ok(()),
        _ if args.force => Ok(()),
        files => Err(too_many(&files.to_string())),
    }
}

fn too_many(files: &str) -> anyhow::Error {
    Hinted {
        message: format!("the parts would be {files} files; none was written"),
        hint: "make larger parts, or write them all with --force",
    }
    .into()
}

/// Lets all parts be open at once.
fn reserve(parts: NonZeroU64, files: usize) -> Result<()> {
    let number = parts.get().saturating_mul(files as u64);
    allow_open_files(number.saturating_add(OTHER_FILES)).map_err(|most| {
        anyhow::anyhow!(
            "--by-part {parts} writes {number} files at once, but {most} may be open here (ulimit -n); with --blocks they \
             are written one after the other"
        )
    })
}

/// What outputs are called.
struct Names {
    /// With a place for the part, one for each file of a part.
    templates: Vec<String>,
    digits: usize,
    compression: Compression,
}

const PART: &str = "{part}";
const MATE: &str = "{mate}";

impl Names {
    fn new(args: &Args, paired: bool, is_fasta: bool) -> Result<Names> {
        let first = template(&args.out)?;
        let templates = match args.out2.as_ref().map(template).transpose()? {
            Some(_) if !paired => bail!("--out2 needs pairs: two files, or --interleaved"),
            Some(second) if [&first, &second].iter().any(|name| name.contains(MATE)) => {
                bail!(
                    "with --out2 each file of a part has a name of its own: {second} needs no {MATE}"
                )
            }
            Some(second) => vec![first, second],
            None if first.contains(MATE) && !paired => {
                bail!("{MATE} in {first} needs pairs: two files, or --interleaved")
            }
            None if first.contains(MATE) => ["1", "2"].map(|mate| first.replace(MATE, mate)).into(),
            None => vec![first],
        };
        let mut formats = Vec::new();
        for template in &templates {
            let named = output::format_of_sequences(template.as_ref(), is_fasta)?;
            formats.push(args.output_format.unwrap_or(named));
        }
        let format = formats[0];
        if formats.iter().any(|&other| other != format) {
            bail!(
                "{} and {} differ in their compression: -O chooses one",
                templates[0],
                templates[1]
            );
        }
        if format == Format::Plain && args.level.is_some() {
            bail!("--level needs compressed output: a name ending in .gz or .zst, or -O");
        }
        let compression = Compression::new(format, args.level)?;
        // Where the number of parts is known, their names have the same length.
        let needed = args.by.by_part.map_or(1, |parts| parts.to_string().len());
        Ok(Names { templates, digits: needed.max(args.digits.into()), compression })
    }

    /// How many files a part has.
    fn files(&self) -> usize {
        self.templates.len()
    }

    /// The name of a file of a part.
    fn path(&self, part: u64, file: usize) -> PathBuf {
        let digits = self.digits;
        let name = self.templates.get(file).map_or("", String::as_str);
        name.replace(PART, &format!("{part:0digits$}")).into()
    }
}

/// A name with a place for the part.
fn template(path: &OutFile) -> Result<String> {
    let name = path.to_str().with_context(|| format!("{} is not UTF-8", display_name(path)))?;
    if !name.contains(PART) {
        bail!("{name} would be the name of every part: write {PART} where its number is to stand");
    }
    Ok(name.to_owned())
}

/// What the parts hold.
fn summary(written: &Parts, paths: &[PathBuf], paired: bool) -> serde_json::Value {
    let files = paths.len() / written.parts.len().max(1);
    let parts = written.parts.iter().zip(paths.chunks(files.max(1))).zip(1u64..);
    let parts = parts.map(|((part, paths), number)| {
        let names: Vec<_> = paths.iter().map(|path| display_name(path)).collect();
        serde_json::json!({
            "part": number,
            "reads": part[0].sum.records + part[1].sum.records,
            "bases": part[0].bases + part[1].bases,
            "files": names,
        })
    });
    let parts: Vec<_> = parts.collect();
    let [one, two] = written.total();
    serde_json::json!({
        "reads": one.sum.records + two.sum.records,
        "bases": one.bases + two.bases,
        "paired": paired,
        "parts": parts,
    })
}

/// The inputs and outputs, with what was read from and written to each.
fn sums(written: &Parts, inputs: &[Input], paths: &[PathBuf]) -> Vec<FileSum> {
    let of_files = |part: &[biofast::ops::split::Amount; 2], files: usize| {
        let [mut one, two] = part.map(|amount| amount.sum);
        if files > 1 {
            return vec![one, two];
        }
        one.add(two);
        vec![one]
    };
    let file = |path: String, role, sum: biofast::ops::measure::records::Sum| FileSum {
        path,
        role,
        partial: false,
        records: sum.into(),
    };
    let read = of_files(&written.total(), inputs.len());
    let read = inputs.iter().zip(read).map(|(input, sum)| file(input.name(), Role::Input, sum));
    let files = paths.len() / written.parts.len().max(1);
    let sums = written.parts.iter().flat_map(|part| of_files(part, files));
    let outputs =
        paths.iter().zip(sums).map(|(path, sum)| file(display_name(path), Role::Output, sum));
    read.chain(outputs).collect()
}
