//! `biofast samples`: the samples that files of alignments name.

use anyhow::{Result, bail};
use biofast_bam::query::has_index;
use biofast_bam::{Fasta, Header};
use biofast_io::display_name;
use clap::ArgAction;

use crate::inputs::{self, Input};
use crate::options::{InFile, Messages, Out, sam_tag};
use crate::output;
use crate::session::{Exit, Session};

/// List the samples of BAM, SAM and CRAM files, like `samtools samples`
///
/// Prints a line for each sample of each file: the sample (SM of the @RG lines, '.' if there is none) and the path. Only
/// headers are read. Without FILE and -X, paths are read from standard input.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  biofast samples *.bam
  biofast samples -h -i -f genome.fa aln.bam
  ls *.bam | biofast samples -T LB"
)]
pub(crate) struct Args {
    /// BAM, SAM or CRAM files
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more input file names from FILE, one per line
    #[arg(short = 'X', long, value_name = "FILE")]
    files_from: Option<InFile>,

    /// Print a line with the names of the columns first
    #[arg(short = 'h', long)]
    with_header: bool,

    /// Add a column: Y if the file has an index that can be read, else N
    #[arg(short = 'i', long)]
    test_index: bool,

    /// Tag of the @RG lines [default: SM]
    #[arg(short = 'T', long, value_name = "TAG", value_parser = tag)]
    rg_tag: Option<[u8; 2]>,

    /// Add a column: the FASTA file with the same sequences in the same order as the header, else '.'; may be repeated
    #[arg(short = 'f', long, value_name = "FASTA")]
    fasta: Vec<InFile>,

    /// Read more names of FASTA files from FILE, one per line
    #[arg(short = 'F', long, value_name = "FILE")]
    fasta_list: Option<InFile>,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    messages: Messages,

    /// Print help
    #[arg(long, short = '?', action = ArgAction::Help)]
    help: Option<bool>,
}

fn tag(typed: &str) -> Result<[u8; 2], String> {
    sam_tag(typed).map_err(|_| "expected a tag of two characters, such as SM".into())
}

/// A FASTA file by its name, and its sequences.
type Sequences = (String, Fasta);

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let stdin = InFile::from(std::ffi::OsString::from("-"));
    let is_named = !args.files.is_empty() || args.files_from.is_some();
    let list = args.files_from.as_ref().or((!is_named).then_some(&stdin));
    let inputs = inputs::gather(&args.files, list.map(|list| &**list), "-", session)?;
    let report = args.out.open(session)?;
    let references = references(args)?;
    let tag = args.rg_tag.unwrap_or(*b"SM");
    let mut text = Vec::new();
    if args.with_header {
        text = [b"#", &tag[..], b"\tPATH"].concat();
        text.extend_from_slice(if args.test_index { b"\tINDEX" } else { b"" });
        text.extend_from_slice(if references.is_empty() { b"\n" } else { b"\tREFERENCE\n" });
    }
    for input in &inputs {
        let (name, header) = match input {
            Input::Path(path) => (input.name(), inputs::header_of(path)?),
            Input::Stdin(_) => (input.name(), inputs::header_of(std::path::Path::new("-"))?),
            _ => bail!("{} can't be read again", input.in_words()),
        };
        let mut rest = format!("\t{name}");
        if args.test_index {
            let is_indexed = matches!(input, Input::Path(path) if has_index(path));
            rest += if is_indexed { "\tY" } else { "\tN" };
        }
        if !references.is_empty() {
            let same = references.iter().find(|(_, fasta)| is_reference(fasta, &header));
            rest.push('\t');
            rest += same.map_or(".", |(name, _)| name);
        }
        rest.push('\n');
        let mut samples = samples(&header, tag);
        if samples.is_empty() {
            samples.push(b".");
        }
        for sample in samples {
            text.extend_from_slice(sample);
            text.extend_from_slice(rest.as_bytes());
        }
    }
    output::finish(report, text)?;
    Ok(Exit::Fine)
}

/// The FASTA files, those that are named last first, as samtools looks at them.
fn references(args: &Args) -> Result<Vec<Sequences>> {
    let mut paths: Vec<_> = args.fasta.iter().map(|path| path.to_path_buf()).collect();
    if let Some(list) = &args.fasta_list {
        paths.extend(inputs::lines(list)?.into_iter().map(Into::into));
    }
    let open = |path: &std::path::PathBuf| Ok((display_name(path), Fasta::open(path)?));
    paths.iter().rev().map(open).collect()
}

/// Whether a file has the sequences of a header.
fn is_reference(fasta: &Fasta, header: &Header) -> bool {
    let own = header.references().iter().map(|reference| (&reference.name[..], reference.length));
    fasta.index().sequences().eq(own)
}

/// The values of a tag of read groups, each once, in their order.
fn samples(header: &Header, tag: [u8; 2]) -> Vec<&[u8]> {
    let mut found: Vec<&[u8]> = Vec::new();
    for sample in header.read_groups().filter_map(|group| group.field(tag)) {
        if !found.contains(&sample) {
            found.push(sample);
        }
    }
    found
}
