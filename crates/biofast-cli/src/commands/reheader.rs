//! `biofast reheader`: a BAM file with another header, without compressing it again.

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::output::{Compression, commit};
use biofast_io::{Source, display_name};
use biofast_ops::cat::{Cat, CatContent};
use biofast_ops::number::counted;

use super::cat::part;
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::{InFile, Out, ProgramLineArgs};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Replace the header of a BAM file, like `samtools reheader`
///
/// Compressed blocks are copied without recompression, and their content is validated. The new header must have as many
/// reference sequences as the old one, of the same lengths and in the same order, because records refer to them by
/// number. Names, read groups and all other lines may differ. The sort order that the new header states isn't verified:
/// use `biofast check`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast reheader aln.sam aln.bam -o renamed.bam
  biofast view -H --no-PG aln.bam | sed 's/SN:chr/SN:/' | biofast reheader - aln.bam -o renamed.bam")]
pub(crate) struct Args {
    /// File whose header is used: SAM, which may be the header alone, BAM or CRAM; '-' is standard input
    #[arg(value_name = "HEADER")]
    header: InFile,

    /// BAM file; '-' is standard input
    #[arg(value_name = "FILE")]
    file: InFile,

    #[command(flatten)]
    out: Out,

    /// Wait until the output is on disk
    #[arg(long)]
    sync: bool,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let is_stdin = |path: &InFile| *path.as_os_str() == *"-";
    if is_stdin(&args.header) && is_stdin(&args.file) {
        bail!("only one of HEADER and FILE can be standard input");
    }
    let inputs = inputs::gather(std::slice::from_ref(&args.file), None, "-", session)?;
    let [input] = &inputs[..] else { bail!("expected one BAM file") };
    if let Input::Path(path) = input
        && bam::Format::sniff(&mut Source::open(path)?)? == bam::Format::Cram
    {
        return Err(Hinted::error(
            format!("{}: expected BAM, found CRAM", display_name(path)),
            "use `samtools reheader` for CRAM, or convert it to BAM with `biofast view -b`",
        ));
    }
    session.files.read(&args.header)?;
    let mut outputs = [output::records(session, args.out.path(), Compression::default())?];
    args.out.path().map(output::format_of_bam).transpose()?;
    output::outlast_readers(&mut outputs, 0);
    let [output] = outputs;
    let header = inputs::header_of(&args.header)?;
    let mut cat = Cat::new(output).header(args.program.owned(session)).with_renaming_header(header);
    let watch = args.reading.watch(session);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = cat.add(part(input)?, &watch.options);
    drop(bar);
    args.reading.tell(&watch, input);
    result.map_err(output::failed)?;
    let (output, summary) = cat.finish().map_err(output::failed)?;
    if summary.content != Some(CatContent::Bam) {
        bail!("{}: expected BAM, found reads", display_name(&args.file));
    }
    commit(vec![output], args.sync)?;
    if !args.reading.messages.quiet {
        if let Some(lost) = summary.lost_read_groups.first() {
            let number = counted(summary.lost_read_groups.len() as u64, "read group");
            session.console.warning(&format!(
                "the new header lacks {number} of the old one, such as '{lost}'; records may name them"
            ));
        }
        let records = counted(summary.records, "record");
        session.console.note(&format!("{records} with the new header"));
    }
    Ok(Exit::Fine)
}
