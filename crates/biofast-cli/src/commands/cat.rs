//! `biofast cat`: files one behind the other, without compressing them again.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::Header;
use biofast::io::output::{Compression, Files, commit};
use biofast::ops::cat::{Cat, Content, Part, Problem};

use crate::console::message;
use crate::inputs::{self, Input};
use crate::options::{InFile, Out, OutFile, Program};
use crate::output;
use crate::watch::Reading;

/// Join BAM files, or FASTQ in BGZF, one behind the other, as `samtools cat`
///
/// Blocks are copied as they are, not compressed again, and everything in them is checked on the way. The header
/// is that of the first BAM file; all must have the same reference sequences.
#[derive(clap::Args)]
#[command(
    // A letter that samtools cat has for another.
    disable_help_flag = true,
    after_help = "\
Examples:
  biofast cat unsorted1.bam unsorted2.bam -o both.bam
  biofast cat lane1.fq.gz lane2.fq.gz -o both.fq.gz"
)]
pub(crate) struct Args {
    /// BAM files, or FASTQ files in BGZF; '-' is standard input
    #[arg(required_unless_present = "list", value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more file names from FILE, one per line
    #[arg(short = 'b', long = "files-from", value_name = "FILE")]
    list: Option<InFile>,

    #[command(flatten)]
    out: Out,

    /// The header of the alignments is that of FILE (SAM, BAM or CRAM), not that of the first file
    #[arg(short = 'h', long = "header", value_name = "FILE")]
    header: Option<InFile>,

    /// The files follow one another by coordinate: check that, and keep what the header says of the order
    #[arg(long)]
    sorted: bool,

    /// Wait until the outputs are on disk
    #[arg(long)]
    sync: bool,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    program: Program,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(&args.files, args.list.as_deref(), "-", files)?;
    let mut outputs = [output::records(files, args.out.path(), Compression::default())?];
    args.out.path().map_or(Ok(()), output::refuse_unjoined)?;
    let report = output::optional_report(files, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let [output] = outputs;
    // What the header says of the order is true of one file.
    let keeps_order = args.sorted || inputs.len() == 1;
    let program = args.program.owned();
    let mut cat = Cat::new(output).sorted(args.sorted).header(move |header: &Header| {
        let says = header.is_sorted_by_coordinate() || header.is_grouped_by_name();
        let header = match says && !keeps_order {
            true => header.with_sort_order("unknown", None),
            false => header.clone(),
        };
        program(&header)
    });
    if let Some(path) = &args.header {
        files.read(path)?;
        cat = cat.with_header(inputs::header_of(path)?);
    }
    let progress = Arc::default();
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let first = args.reading.sharing(&progress);
    let bar = first.bar(total, &args.reading.messages);
    for input in &inputs {
        let watch = args.reading.sharing(&progress);
        let part = match input {
            Input::Path(path) => Part::open(path)?,
            Input::Shard(_) => bail!("files are joined whole, not shards of them"),
            Input::Lent(name) => Part::from_reader(name, crate::embedded::open_lent(name)?),
            Input::Stdin(label) | Input::Unnamed(label) => {
                Part::from_reader(label, std::io::stdin())
            }
        };
        let result = cat.add(part, &watch.options);
        args.reading.tell(&watch, input);
        result.map_err(explained)?;
    }
    drop(bar);
    let (output, summary) = cat.finish().map_err(explained)?;
    let mut outputs = vec![output];
    if let Some(report) = report {
        let text = output::summary(serde_json::to_value(&summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.sync)?;
    if !args.reading.messages.quiet {
        if let Some(first) = summary.lost_read_groups.first() {
            let more = summary.lost_read_groups.len();
            let whose = if args.header.is_some() { "given" } else { "first" };
            let lost = format!(
                "{more} read groups, such as '{first}', are not in the {whose} header, which is that of all"
            );
            message("warning", &lost);
        }
        let what = match summary.content {
            Some(Content::Bam) => "records",
            _ => "reads",
        };
        let (records, parts) = (summary.records, summary.parts);
        let plural = if parts == 1 { "" } else { "s" };
        message("note", &format!("{records} {what} of {parts} file{plural} joined"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Errors of libraries as such.
fn explained(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Alignments(error) => error.into(),
        Problem::Reads(error) => error.into(),
        Problem::Output(error) => error.into(),
        problem => problem.into(),
    }
}
