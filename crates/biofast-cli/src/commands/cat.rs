//! `biofast cat`: files one behind the other, without compressing them again.

use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::Header;
use biofast_io::output::{Compression, commit};
use biofast_ops::cat::{Cat, CatContent, CatInput};

use crate::inputs::{self, Input};
use crate::options::{InFile, Out, OutFile, ProgramLineArgs};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Concatenate BAM or FASTQ files, like `samtools cat`
///
/// Compressed blocks are copied without recompression, and their content is validated. The header is that of the first
/// BAM file. All BAM files must have the same reference sequences.
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

    /// Read more input file names from FILE, one per line
    #[arg(short = 'b', long = "files-from", value_name = "FILE")]
    list: Option<InFile>,

    #[command(flatten)]
    out: Out,

    /// Use the header of FILE (SAM, BAM or CRAM) instead of that of the first BAM file
    #[arg(short = 'h', long = "header", value_name = "FILE")]
    header: Option<InFile>,

    /// Check that the files follow each other by coordinate, and keep the sort order in the header
    #[arg(long)]
    sorted: bool,

    /// Wait until the output is on disk
    #[arg(long)]
    sync: bool,

    /// Write a JSON summary to FILE
    #[arg(long = "summary", value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(&args.files, args.list.as_deref(), "-", session)?;
    inputs::warn_of_repeats(&session.console, &inputs);
    let mut outputs = [output::records(session, args.out.path(), Compression::default())?];
    args.out.path().map_or(Ok(()), output::refuse_unjoined)?;
    let report = output::optional_report(session, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let [output] = outputs;
    // What the header says of the order is true of one file.
    let keeps_order = args.sorted || inputs.len() == 1;
    let program = args.program.owned(session);
    let mut cat = Cat::new(output).sorted(args.sorted).header(move |header: &Header| {
        let says = header.is_sorted_by_coordinate() || header.is_grouped_by_name();
        let header = match says && !keeps_order {
            true => header.with_sort_order("unknown", None),
            false => header.clone(),
        };
        program(&header)
    });
    if let Some(path) = &args.header {
        session.files.read(path)?;
        cat = cat.with_header(inputs::header_of(path)?);
    }
    let progress = Arc::default();
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let first = args.reading.sharing(session, &progress);
    let bar = first.bar(total, &args.reading.messages);
    for input in &inputs {
        let watch = args.reading.sharing(session, &progress);
        let result = cat.add(part(input)?, &watch.options);
        args.reading.tell(&watch, input);
        result.map_err(output::failed)?;
    }
    drop(bar);
    let (output, summary) = cat.finish().map_err(output::failed)?;
    let mut outputs = vec![output];
    if let Some(report) = report {
        let text = output::summary(&session.command_line(), serde_json::to_value(&summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.sync)?;
    if !args.reading.messages.quiet {
        if let Some(first) = summary.lost_read_groups.first() {
            let more = summary.lost_read_groups.len();
            let whose = if args.header.is_some() { "given" } else { "first" };
            let lost = format!(
                "the output has the header of {whose}, which lacks {more} read groups of later files, such as '{first}'"
            );
            session.console.warning(&lost);
        }
        let what = match summary.content {
            Some(CatContent::Bam) => "records",
            _ => "reads",
        };
        let (records, parts) = (summary.records, summary.parts);
        let plural = if parts == 1 { "" } else { "s" };
        session.console.note(&format!("{records} {what} from {parts} file{plural} concatenated"));
    }
    Ok(Exit::Fine)
}

/// An input whose blocks are copied.
pub(super) fn part(input: &Input) -> Result<CatInput> {
    Ok(match input {
        Input::Path(path) => CatInput::open(path)?,
        Input::Shard(_) => bail!("`cat` concatenates whole files"),
        Input::Lent(lent) => CatInput::from_reader(&lent.name, lent.open()?),
        Input::Stdin(label) | Input::Unnamed(label) => {
            CatInput::from_reader(label, std::io::stdin())
        }
    })
}
