//! `biofast faidx`: the index of a FASTA or FASTQ file, and parts of its sequences.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_bam::{ErrorKind, Fasta, FastaIndex};
use biofast_io::output::{Compression, Output, commit};
use biofast_io::{Reread, display_name, remote};
use biofast_ops::faidx::{ExtractedPart, Extraction, FaidxIndexes, build};

use crate::console::Console;
use crate::inputs::{self, Input};
use crate::options::{InFile, OutFile};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Index a FASTA or FASTQ file, or extract sequences from it
///
/// Without a region, writes FILE.fai, like `samtools faidx`; for a file compressed with bgzip also FILE.gzi. With
/// regions, prints them as FASTA. If the indexes don't exist, they are written first.
///
/// All lines of a sequence except the last must have the same length. A region is NAME, NAME:START or NAME:START-END
/// (1-based, END included). If a name contains ':', put it in braces: {HLA:01}:1-100.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast faidx genome.fa                        # genome.fa.fai
  biofast faidx genome.fa chr1:1,001-2,000 chr2
  biofast faidx -i --mark-strand sign genome.fa chr1:101-200
  echo chr2:1-100 | biofast faidx -n 80 -r - genome.fa -o some.fa
  biofast faidx reads.fq.bgz                     # reads.fq.bgz.fai and reads.fq.bgz.gzi")]
pub(crate) struct Args {
    /// FASTA or FASTQ file, plain or compressed with bgzip; '-' is standard input and needs --out
    #[arg(value_name = "FILE")]
    file: InFile,

    /// Regions to extract
    #[arg(value_name = "REGION")]
    regions: Vec<String>,

    /// Read more regions from FILE, one per line; they come first
    #[arg(short, long, value_name = "FILE")]
    region_file: Option<InFile>,

    /// Write the sequences to FILE [default: standard output]; without regions, the index [default: FILE.fai]
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Bases per line [default: as in the input]
    #[arg(short = 'n', long, value_name = "INT", value_parser = clap::value_parser!(u64).range(1..))]
    length: Option<u64>,

    /// Continue if a sequence doesn't exist: write its name without bases, with a warning
    #[arg(short = 'c', long = "continue")]
    goes_on: bool,

    /// Write the reverse complement
    #[arg(short = 'i', long)]
    reverse_complement: bool,

    /// Mark the strand in the name: rc (/rc), no, sign ((+) or (-)), or custom,FORWARD,REVERSE [default: rc]
    #[arg(long, value_name = "TYPE", value_parser = strand)]
    mark_strand: Option<StrandMarks>,

    /// Write FASTQ; the input must be FASTQ
    #[arg(short = 'f', long)]
    fastq: bool,

    /// Name of the index [default: FILE.fai]
    #[arg(long, value_name = "FILE")]
    fai_idx: Option<OutFile>,

    /// Name of the index of bgzip blocks [default: FILE.gzi]
    #[arg(long, value_name = "FILE")]
    gzi_idx: Option<OutFile>,

    #[command(flatten)]
    reading: Reading,
}

/// What is appended to the names of forward and reverse sequences.
#[derive(Clone, Debug)]
struct StrandMarks([String; 2]);

fn strand(typed: &str) -> Result<StrandMarks, String> {
    let marks = |forward: &str, reverse: &str| StrandMarks([forward, reverse].map(str::to_owned));
    Ok(match typed {
        "rc" => marks("", "/rc"),
        "no" => marks("", ""),
        "sign" => marks("(+)", "(-)"),
        _ => match typed.strip_prefix("custom,") {
            Some(custom) if custom.contains(['\n', '\r']) => {
                return Err("a name can't contain a line break".into());
            }
            Some(custom) => match custom.split_once(',') {
                Some((forward, reverse)) => marks(forward, reverse),
                None => marks(custom, ""),
            },
            None => return Err("expected rc, no, sign or custom,FORWARD,REVERSE".into()),
        },
    })
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(std::slice::from_ref(&args.file), None, "-", session)?;
    let [input] = &inputs[..] else { bail!("expected one input") };
    if args.regions.is_empty() && args.region_file.is_none() {
        return index(args, input, session);
    }
    let Input::Path(path) = input else {
        bail!("regions need a regular file, not {}", input.in_words())
    };
    let mut regions = match &args.region_file {
        Some(list) => listed(list)?,
        None => Vec::new(),
    };
    regions.extend(args.regions.iter().cloned());
    extract(args, (input, path), &regions, session)
}

/// Where the indexes are that weren't named.
fn beside(args: &Args) -> (PathBuf, PathBuf) {
    let named = |named: &Option<OutFile>, ending| {
        named.as_deref().map_or_else(|| remote::beside(&args.file, ending), Path::to_owned)
    };
    (named(&args.fai_idx, ".fai"), named(&args.gzi_idx, ".gzi"))
}

/// Makes the indexes, and writes nothing else.
fn index(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    if args.out.is_some() && args.fai_idx.is_some() {
        bail!("name the index with --out or with --fai-idx, not both");
    }
    for (is_given, option) in [
        (args.length.is_some(), "--length"),
        (args.goes_on, "--continue"),
        (args.reverse_complement, "--reverse-complement"),
        (args.mark_strand.is_some(), "--mark-strand"),
    ] {
        if is_given {
            bail!("{option} needs a region");
        }
    }
    let named = args.out.as_deref().or(args.fai_idx.as_deref());
    if named.is_none() && !matches!(input, Input::Path(_)) {
        bail!("name the index with --out: {} has no file name to derive it from", input.in_words());
    }
    let (fai, gzi) = beside(args);
    let fai = output::index(session, named.unwrap_or(&fai))?;
    let made = make(args, input, session)?;
    if args.fastq && !made.fai.is_fastq() {
        bail!("{}: expected FASTQ, found FASTA", input.name());
    }
    refuse_gzi(args, input, made.gzi.is_some())?;
    commit(written(&made, (fai, &gzi), session)?, false)?;
    Ok(Exit::Fine)
}

/// An error if an index of blocks is named, but there are none.
fn refuse_gzi(args: &Args, input: &Input, has_blocks: bool) -> Result<()> {
    if args.gzi_idx.is_some() && !has_blocks {
        bail!("--gzi-idx has no effect: {} is not compressed", input.name());
    }
    Ok(())
}

/// Makes the indexes of a file.
fn make(args: &Args, input: &Input, session: &Session) -> Result<FaidxIndexes> {
    let watch = args.reading.watch(session);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let reread = match input {
        Input::Path(path) => Some(Reread::new(path)),
        _ => None,
    };
    let again = || match &reread {
        Some(file) => file.open(),
        None => {
            let why = "compressed data are read twice, which needs a regular file";
            Err(std::io::Error::new(std::io::ErrorKind::Unsupported, why)).map_err(|error| {
                biofast_io::Error::new(biofast_io::ErrorKind::Io(error), at(input))
            })
        }
    };
    let made = build(input.open()?, &watch.options.for_alignments(), again);
    drop(bar);
    args.reading.tell(&watch, input);
    let made = made?;
    reread.map_or(Ok(()), |file| file.check())?;
    if let (Some(empty), false) = (made.fai.empty_sequence(), args.reading.messages.quiet) {
        session.console.warning(&format!(
            "{}, line {}: sequence '{}' has no bases, so it isn't indexed",
            input.name(),
            empty.line,
            empty.name
        ));
    }
    Ok(made)
}

fn at(input: &Input) -> biofast_io::Location {
    biofast_io::Location::in_input(&input.name().into())
}

/// The indexes as they are written.
fn written(
    made: &FaidxIndexes,
    (fai, gzi): (Output, &Path),
    session: &mut Session,
) -> Result<Vec<Output>> {
    let mut text = Vec::new();
    made.fai.write(&mut text);
    let mut outputs = vec![output::filled(fai, text)?];
    if let Some(blocks) = &made.gzi {
        outputs.push(output::filled(output::index(session, gzi)?, blocks)?);
    }
    Ok(outputs)
}

/// The regions of a list.
fn listed(list: &Path) -> Result<Vec<String>> {
    let regions = inputs::lines(list)?;
    if regions.is_empty() {
        bail!("{}: no region in it", display_name(list));
    }
    Ok(regions)
}

/// Writes regions, and the indexes if there are none.
fn extract(
    args: &Args,
    (input, path): (&Input, &Path),
    regions: &[String],
    session: &mut Session,
) -> Result<Exit> {
    let out = args.out.as_deref();
    let format = output::format_of_optional(out, !args.fastq)?;
    let mut outputs = vec![output::records(session, out, Compression::new(format, None)?)?];
    let (fai_path, gzi_path) = beside(args);
    let is_there = |path: &Path| {
        remote::is_there(path).with_context(|| format!("can't read {}", display_name(path)))
    };
    let file = Reread::new(path);
    let is_bgzf = is_bgzf(path)?;
    refuse_gzi(args, input, is_bgzf)?;
    let mut made = None;
    let fasta = match is_there(&fai_path)? {
        true if !is_bgzf => Fasta::open_indexed(path, FastaIndex::read(&fai_path)?, None)?,
        true if is_there(&gzi_path)? => {
            let gzi = remote::read(&gzi_path)
                .with_context(|| format!("can't read {}", display_name(&gzi_path)))?;
            Fasta::open_indexed(path, FastaIndex::read(&fai_path)?, Some(&gzi))?
        }
        _ => {
            let made = made.insert(make(args, input, session)?);
            Fasta::open_indexed(path, made.fai.clone(), made.gzi.as_deref())?
        }
    };
    if args.fastq && !fasta.index().is_fastq() {
        bail!("{}: expected FASTQ, found FASTA", input.name());
    }
    let [forward, reverse] = match &args.mark_strand {
        Some(StrandMarks(marks)) => marks.clone(),
        None => [String::new(), "/rc".to_owned()],
    };
    let extraction = Extraction {
        line_width: args.length,
        reverse_complement: args.reverse_complement,
        name_suffix: if args.reverse_complement { reverse } else { forward },
        is_fastq: args.fastq,
    };
    if !args.goes_on {
        // All of them, before anything is written.
        let find = |region: &String| fasta.index().region(region).map(drop);
        let found = regions.iter().try_for_each(find);
        found.map_err(|error| error.in_input(&input.name().into()))?;
    }
    let mut text = Vec::new();
    for region in regions {
        text.clear();
        match extraction.write(&fasta, region, &mut text) {
            Ok(part) => tell(&session.console, region, part, args.reading.messages.quiet),
            Err(error) if matches!(error.kind(), ErrorKind::BadRegion { .. }) => {
                extraction.write_missing(region, &mut text);
                if !args.reading.messages.quiet {
                    session.console.warning(&error.in_input(&input.name().into()).to_string());
                }
            }
            Err(error) => return Err(error.into()),
        }
        outputs[0].append(&text)?;
    }
    file.check()?;
    // An object has no folder for them.
    if let Some(made) = made.filter(|_| remote::address(&fai_path).is_none()) {
        let fai = output::index(session, &fai_path)?;
        outputs.extend(written(&made, (fai, &gzi_path), session)?);
        output::outlast_readers(&mut outputs, 0);
    }
    commit(outputs, false)?;
    Ok(Exit::Fine)
}

fn is_bgzf(path: &Path) -> Result<bool> {
    let source = biofast_io::Source::open(path)?;
    let reader = biofast_io::Reader::new(source, &biofast_io::Options::serial())?;
    Ok(reader.container() == biofast_io::Container::Bgzf)
}

fn tell(console: &Console, region: &str, part: ExtractedPart, quiet: bool) {
    match part {
        ExtractedPart::Truncated if !quiet => {
            console.warning(&format!("region '{region}': the sequence ends before it does"));
        }
        ExtractedPart::Nothing if !quiet => {
            console.warning(&format!("region '{region}': the sequence has no bases there"));
        }
        _ => {}
    }
}
