//! `biofast head`: the header and the first records of alignments.

use anyhow::Result;
use biofast_bam::{self as bam, Detail, Reader, SamWriter};
use biofast_io::output::{Compression, Format, commit};
use biofast_io::{Location, Options};
use clap::ArgAction;

use crate::inputs::tell_unused_reference;
use crate::options::{InFile, OneFile, Out};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Print the header and the first records of a BAM, SAM or CRAM file, like `samtools head`
///
/// Prints the header, and no records without -n. Only the start of the file is read and validated.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  biofast head aln.bam
  biofast head -n 5 aln.bam
  biofast head -h 0 -n 100 aln.bam -o first.sam"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    /// Print only the first INT header lines [default: all]
    #[arg(short = 'h', long, value_name = "INT")]
    headers: Option<u64>,

    /// Print the first INT records [default: 0]
    #[arg(short = 'n', long, value_name = "INT")]
    records: Option<u64>,

    /// Reference sequences (FASTA) for CRAM input
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = ArgAction::Help)]
    help: Option<bool>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let input = args.file.input(session)?;
    let format = args.out.path().map_or(Ok(Format::Plain), output::format_of_sam)?;
    let compression = Compression::new(format, None)?;
    let mut outputs = vec![output::records(session, args.out.path(), compression)?];
    let watch = args.reading.watch(session);
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let mut source = input.open()?;
    let reference = args.reference.as_deref();
    let quiet = args.reading.messages.quiet;
    tell_unused_reference(&session.console, reference, &mut source, quiet);
    let opened = bam::Input::open(source, &opening)?;
    let (header, source) = bam::peek_header(opened.source)?;
    let mut text = Vec::new();
    header.write_sam(&mut text).map_err(|error| input.blamed(error.into()))?;
    if let Some(lines) = args.headers {
        let ends = end_of_lines(&text, lines);
        text.truncate(ends);
    }
    let wanted = args.records.unwrap_or(0);
    let result = match wanted {
        0 => Ok(()),
        _ => {
            // Little is read, so that threads would be in the way.
            let options = Options { threads: 1, ..watch.options.clone() };
            first_records(source, &options, wanted, &mut |more| {
                text.extend_from_slice(more);
                match text.len() {
                    0..LARGE => Ok(()),
                    _ => outputs[0].append(&std::mem::take(&mut text)).map_err(Into::into),
                }
            })
        }
    };
    // The records before a fault are printed.
    outputs[0].append(&text)?;
    args.reading.tell(&watch, &input);
    result?;
    commit(outputs, false)?;
    Ok(Exit::Fine)
}

/// Text that is written at once.
const LARGE: usize = 1 << 20;

/// Where the first lines of a text end.
fn end_of_lines(text: &[u8], lines: u64) -> usize {
    let lines = usize::try_from(lines).unwrap_or(usize::MAX);
    text.split_inclusive(|&b| b == b'\n').take(lines).map(<[u8]>::len).sum()
}

fn first_records(
    source: biofast_io::Source,
    options: &Options,
    wanted: u64,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let name = source.name().into();
    let mut reader = Reader::new(source, options)?;
    let writer = SamWriter::new(reader.header());
    let mut line = Vec::new();
    for number in 1..=wanted {
        let Some(record) = reader.next_record()? else { break };
        line.clear();
        writer.write(&record, &mut line).map_err(|error| {
            error.or_at(Location { record: Some(number), ..Location::in_input(&name) })
        })?;
        take(&line)?;
    }
    Ok(())
}
