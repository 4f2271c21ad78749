//! `biofast split`: reads or pairs to several files, and alignments by a tag.

mod alignments;

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use biofast_fastq::fasta::Sequences;
use biofast_io::display_name;
use biofast_io::output::{Compression, Output, allow_open_files};
use biofast_ops::filter::report::FileRole;
use biofast_ops::split::{SplitAmount, SplitOutputs, SplitRule, SplitTarget, split};

use crate::console::Hinted;
use crate::inputs;
use crate::options::multiples::multiple;
use crate::options::{InFile, OutFile, Pairing, PairsOut, ProgramLineArgs, ReadsOut, sam_tag};
use crate::output::{self, OTHER_FILES};
use crate::reads_job::{FileSums, ReadsJob, ReadsOptions, count_reads};
use crate::session::{Exit, Session};

/// Split reads into several files by number, bases or size, or alignments by a tag
///
/// With --by, a file of alignments is split by the values of a tag, like `samtools split -d`: BAM, SAM or CRAM to BAM or SAM.
///
/// One file holds single reads, or pairs with --interleaved; two files hold mates, whose names must agree. Pairs stay
/// together, and reads keep their order. FASTA output has lines of 60 bases. Parts don't depend on the number of
/// threads, and appear together when all are complete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast split -s 1000000 reads.fq.gz -o part_{part}.fq.gz
  biofast split -p 4 R1.fq.gz R2.fq.gz -o s_R{mate}_{part}.fq.gz --summary split.json
  biofast split -p 4 --blocks reads.fq.gz -o block_{part}.fq.gz
  biofast split -l 500M reads.fq.gz -o long_{part}.fq.zst
  biofast split -s 1000 genes.fa.gz -o genes_{part}.fa.gz
  zcat reads.fq.gz | biofast split --by-bytes 100M - -o small_{part}.fq
  biofast split --by RG aln.bam -o group_{value}.bam
  biofast split --by CB aln.bam -o cell_{value}.bam -u other.bam
  biofast split -d RG -f '%*_%#.%.' aln.bam")]
pub(crate) struct Args {
    /// One file of reads, or two files of mates; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    #[command(flatten)]
    by: By,

    /// With --by-part: write consecutive reads to each part, instead of every Nth; reads the input twice
    #[arg(long)]
    blocks: bool,

    /// Treat the input as interleaved: the mates of each pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Names of output files; {part} stands for the number of the part, {mate} for 1 or 2, {value} for that of --by
    ///
    /// Without {mate} or --out2, pairs are interleaved. Two input files then need --interleaved-out.
    #[arg(short, long, value_name = "TEMPLATE", required_unless_present = "name_format")]
    out: Option<OutFile>,

    /// With --by: names of output files as `samtools split` has them, such as '%*_%#.%.'
    ///
    /// %* stands for the input's name without its extension, %# for the number of the value, from 0, %! for the value, %. for
    /// bam, and %% for %.
    #[arg(short = 'f', long, value_name = "FORMAT", requires = "by", conflicts_with = "out")]
    name_format: Option<OutFile>,

    /// Names of output files of second reads
    #[arg(long, value_name = "TEMPLATE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Minimum number of digits in the number of the part
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=18))]
    digits: u8,

    /// Allow more than 1,000 output files
    #[arg(long)]
    force: bool,

    /// With --by: write the records without a value to FILE [default: they are an error]
    #[arg(short = 'u', long, value_name = "FILE")]
    unassigned: Option<OutFile>,

    /// Reference sequences (FASTA) for CRAM with --by; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    writing: ReadsOut,

    #[command(flatten)]
    reading: ReadsOptions,
}

/// Where a part ends.
#[derive(Clone, Copy, clap::Args)]
#[group(required = true, multiple = false)]
struct By {
    /// Write N reads or pairs to each part, such as 500000 or 4M
    ///
    /// K, M and G are thousands, millions and billions.
    #[arg(short = 's', long, value_name = "N", value_parser = reads)]
    by_size: Option<NonZeroU64>,

    /// Distribute reads or pairs over N parts, in turn
    #[arg(short = 'p', long, value_name = "N")]
    by_part: Option<NonZeroU64>,

    /// Write at least N bases, of both mates, to each part but the last, such as 1500000 or 500M
    #[arg(short = 'l', long, value_name = "N", value_parser = bases)]
    by_length: Option<NonZeroU64>,

    /// Write at most SIZE of uncompressed text, of both mates, to each part, such as 100M or 2G
    ///
    /// Units are powers of 1024. A longer read gets its own part.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    by_bytes: Option<NonZeroU64>,

    /// Write alignments to a file for each value of TAG, such as RG or CB: text or whole numbers
    ///
    /// With RG, every read group of the header has a file, whose header has no other.
    #[arg(short = 'd', long, value_name = "TAG", value_parser = sam_tag)]
    by: Option<[u8; 2]>,
}

/// A number of reads as typed.
fn reads(typed: &str) -> Result<NonZeroU64, String> {
    multiple(typed, 1000).ok_or_else(|| {
        format!("'{typed}' is not a number of reads: expected a form like 250000 or 10M")
    })
}

/// A number of bases as typed.
fn bases(typed: &str) -> Result<NonZeroU64, String> {
    multiple(typed, 1000).ok_or_else(|| {
        format!("'{typed}' is not a number of bases: expected a form like 1500000 or 500M")
    })
}

/// A size of text as typed.
fn bytes(typed: &str) -> Result<NonZeroU64, String> {
    multiple(typed, 1024)
        .ok_or_else(|| format!("'{typed}' is not a size: expected a form like 100M or 2G"))
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if let Some(tag) = args.by.by {
        return alignments::run(args, tag, session);
    }
    let inputs = inputs::of_reads(&args.files, args.interleaved, session)?;
    let mut job = args.reading.job(inputs, &args.pairing, session).rereading(args.blocks);
    let paired = job.is_paired();
    let sources = job.open(None)?;
    let names = Arc::new(OutputNames::new(args, paired, job.is_fasta())?);
    args.pairs_out.refuse(job.layout(), args.out.as_deref(), names.files() == 2)?;
    let rule = rule(args, &job);
    job.check_unchanged()?;
    let rule = rule?;
    job.open_report(args.writing.json.as_deref(), session, &mut [])?;
    if let Some(parts) = args.by.by_part {
        refuse_many(args, parts.get().saturating_mul(names.files() as u64))?;
    }
    if let SplitRule::Turns(parts) = rule {
        reserve(parts, names.files())?;
    }
    let sources = job.sequences(sources)?;
    // Names are known as parts begin.
    let paths = Arc::new(Mutex::new(Vec::new()));
    let (opened, named) = (Arc::clone(&paths), Arc::clone(&names));
    let mut files = std::mem::take(&mut session.files);
    let most = if args.force { u64::MAX } else { MOST_FILES };
    let by = args.by;
    let target = SplitTarget {
        files: names.files(),
        open: move |part: u64, file: usize| -> Result<Output> {
            let number = (part - 1).saturating_mul(named.files() as u64) + file as u64 + 1;
            if number > most {
                return Err(too_many(&by, "more than 1,000"));
            }
            let path = named.path(part, file);
            let output = output::file(&mut files, &path, named.compression)?;
            let path = display_name(&path);
            opened.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            Ok(output)
        },
        sync: args.writing.sync,
    };
    let mut written = job.run(|options| split(sources, options, rule, target))?;
    let paths = std::mem::take(&mut *paths.lock().unwrap_or_else(PoisonError::into_inner));
    let outputs = std::mem::take(&mut written.outputs);
    let summary = summary(&written, &paths, paired);
    let note = format!(
        "{} {} written to {} {}",
        summary["reads"],
        if paired { "reads of pairs" } else { "reads" },
        paths.len(),
        if paths.len() == 1 { "file" } else { "files" }
    );
    let summary = (summary, sums(&written, &job, &paths));
    let more = names.path(written.parts.len() as u64 + 1, 0);
    job.finish(outputs, args.writing.sync, summary, |console| {
        console.note(&note);
        // Whoever joins the parts by a pattern would get it, too.
        if more.exists() {
            let more = display_name(&more);
            console.warning(&format!("{more} is left over from an earlier run"));
        }
    })
}

/// Where parts end. Blocks need the number of reads first.
fn rule(args: &Args, job: &ReadsJob<'_>) -> Result<SplitRule> {
    if args.blocks && args.by.by_part.is_none() {
        bail!("--blocks needs --by-part");
    }
    let By { by_size, by_part, by_length, by_bytes, by: _ } = &args.by;
    Ok(match (by_size, by_part, by_length, by_bytes) {
        (Some(n), ..) => SplitRule::Reads(*n),
        (_, Some(parts), ..) if args.blocks => {
            let Some(first) = job.inputs().first().filter(|input| input.len().is_some()) else {
                bail!(
                    "--blocks reads the input twice, which a stream can't be: name a file, or use --by-size"
                );
            };
            let options = args.reading.reads(&args.pairing);
            let reads = count_reads(Sequences(first.open()?), &options)?;
            SplitRule::Blocks { parts: *parts, total: job.units(reads) }
        }
        (_, Some(parts), ..) => SplitRule::Turns(*parts),
        (_, _, Some(n), _) => SplitRule::Bases(*n),
        (.., Some(n)) => SplitRule::Bytes(*n),
        _ => {
            bail!("missing: --by-size, --by-part, --by-length or --by-bytes")
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
        files => Err(too_many(&args.by, &files.to_string())),
    }
}

fn too_many(by: &By, files: &str) -> anyhow::Error {
    let what = match (by.by_size, by.by_part, by.by_length, by.by_bytes) {
        (Some(n), ..) => format!("--by-size {n} (reads per part)"),
        (_, Some(n), ..) => format!("--by-part {n}"),
        (_, _, Some(n), _) => format!("--by-length {n} (bases per part)"),
        (.., Some(n)) => format!("--by-bytes {n} (bytes per part)"),
        _ => "this split".to_owned(),
    };
    let reads = match by.by_length {
        Some(n) => format!("for {n} reads per part use --by-size {n}; "),
        None => String::new(),
    };
    Hinted::error(
        format!("{what} would write {files} files; nothing was written"),
        format!("{reads}to write them all add --force"),
    )
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
struct OutputNames {
    /// With a place for the part, one for each file of a part.
    templates: Vec<String>,
    digits: usize,
    compression: Compression,
}

const PART: &str = "{part}";
const MATE: &str = "{mate}";

impl OutputNames {
    fn new(args: &Args, paired: bool, is_fasta: bool) -> Result<OutputNames> {
        let first = template(args.out.as_ref().context("--name-format (-f) needs --by")?)?;
        let templates = match args.out2.as_ref().map(template).transpose()? {
            Some(_) if !paired => bail!("--out2 needs pairs: two files, or --interleaved"),
            Some(second) if [&first, &second].iter().any(|name| name.contains(MATE)) => {
                bail!(
                    "{MATE} can't be used with --out2 ({second}): --out names the first reads, --out2 the second"
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
            let asked = args.writing.output_format;
            output::refuse_other_compression(Some(template.as_ref()), asked, "-O")?;
            formats.push(args.writing.output_format.unwrap_or(named));
        }
        let format = formats[0];
        if formats.iter().any(|&other| other != format) {
            bail!(
                "{} and {} have different compression: choose one with -O",
                templates[0],
                templates[1]
            );
        }
        let compression = args.writing.compression(format)?;
        // Where the number of parts is known, their names have the same length.
        let needed = args.by.by_part.map_or(1, |parts| parts.to_string().len());
        Ok(OutputNames { templates, digits: needed.max(args.digits.into()), compression })
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
        bail!("all parts would be named {name}: put {PART} where the part number goes");
    }
    Ok(name.to_owned())
}

/// What the parts hold.
fn summary(written: &SplitOutputs, paths: &[String], paired: bool) -> serde_json::Value {
    let files = paths.len() / written.parts.len().max(1);
    let parts = written.parts.iter().zip(paths.chunks(files.max(1))).zip(1u64..);
    let parts = parts.map(|((part, paths), number)| {
        serde_json::json!({
            "part": number,
            "reads": part[0].sum.records + part[1].sum.records,
            "bases": part[0].bases + part[1].bases,
            "files": paths,
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
fn sums(written: &SplitOutputs, job: &ReadsJob<'_>, paths: &[String]) -> FileSums {
    let of = |part: &[SplitAmount; 2]| part.map(|amount| amount.sum);
    let sums = job.sums(of(&written.total()));
    let files = paths.len() / written.parts.len().max(1);
    let parts = written.parts.iter().zip(paths.chunks(files.max(1)));
    parts.fold(sums, |sums, (part, paths)| sums.mates(FileRole::Output, paths, of(part)))
}
