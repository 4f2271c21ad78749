//! `biofast addreplacerg`: alignments of another read group.

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Detail, SamWriter};
use biofast_io::output::{Level, commit};
use biofast_ops::addreplacerg::{GroupChange, GroupMode, NewGroup, NewGroupError};
use biofast_ops::import::ReadGroup;
use clap::ValueEnum;

use super::view::{AlignmentsOut, ViewFormat};
use crate::console::Hinted;
use crate::inputs;
use crate::options::{InFile, OneFile, OutFile, ProgramLineArgs};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Add or replace the read group of alignments, like `samtools addreplacerg`
///
/// Without -r and -R, records get the first read group of the header. The output is SAM, or BAM with -O bam or an output
/// file ending in .bam. Every record is validated, and keeps its other tags in their order; RG comes last.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast addreplacerg -r ID:lane8 -r SM:sample aln.bam -o tagged.bam
  biofast addreplacerg -r '@RG\\tID:lane9\\tSM:sample' -m orphan_only -O bam aln.bam -o tagged.bam
  biofast addreplacerg -R lane1 aln.bam -o tagged.bam")]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    /// Add this read group to the header: a line, such as '@RG\tID:x\tSM:y', or its fields one by one (-r ID:x -r SM:y)
    #[arg(short = 'r', long = "rg-line", value_name = "LINE")]
    line: Vec<String>,

    /// Use the read group of the header with this ID
    #[arg(short = 'R', long = "rg", value_name = "ID", conflicts_with = "line")]
    id: Option<String>,

    /// Which records get the read group
    #[arg(short, long, value_enum, default_value_t = ReadGroupMode::OverwriteAll, value_name = "MODE")]
    mode: ReadGroupMode,

    /// Replace the read group of the header that has the ID of -r
    #[arg(short = 'w', long, requires = "line")]
    overwrite_rg: bool,

    /// Output format [default: bam for a file ending in .bam, else sam]
    #[arg(
        short = 'O',
        long = "output-format",
        value_enum,
        ignore_case = true,
        value_name = "FORMAT"
    )]
    output_fmt: Option<ViewFormat>,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Compression level of BAM: fast, balanced, small (6), or 0 (none) to 12 [default: fast]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long = "out", value_name = "FILE")]
    output: Option<OutFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM input; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum ReadGroupMode {
    /// All; a new read group replaces all others in the header
    #[value(name = "overwrite_all", alias = "overwrite-all")]
    OverwriteAll,
    /// Records without a read group; others stay in the header
    #[value(name = "orphan_only", alias = "orphan-only")]
    OrphanOnly,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let group = args.group()?;
    let mode = match args.mode {
        ReadGroupMode::OverwriteAll => GroupMode::OverwriteAll,
        ReadGroupMode::OrphanOnly => GroupMode::OrphanOnly,
    };
    let input = args.file.input(session)?;
    let watch = args.reading.watch(session);
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let mut source = input.open()?;
    let quiet = args.reading.messages.quiet;
    let reference = args.reference.as_deref();
    inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    let (header, source) = bam::peek_header(bam::Input::open(source, &opening)?.source)?;
    let change = GroupChange::new(&header, &group, mode, args.overwrite_rg).map_err(|error| {
        let hint = match error {
            NewGroupError::Exists(_) => "add -w to replace it, or use it with -R",
            _ => "give the whole line with -r, such as -r ID:x -r SM:sample",
        };
        Hinted::error(format!("{}: {error}", input.in_words()), hint)
    })?;
    let out = AlignmentsOut {
        format: args.output_fmt,
        uncompressed: args.uncompressed,
        level: args.level,
    };
    let (is_bam, output) = out.open(args.output.as_deref(), session)?;
    let mut outputs = vec![output];
    let shown = args.program.header(change.header(), session);
    let mut start = Vec::new();
    let written = match is_bam {
        true => shown.write_bam(&mut start),
        false => shown.write_sam(&mut start),
    };
    written.map_err(|error| input.blamed(error.into()))?;
    outputs[0].append(&start)?;
    let writer = SamWriter::new(change.header());
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = bam::Transform::new(source).options(&watch.options).run(
        &mut outputs,
        Vec::new,
        |changed: &mut Vec<u8>, batch, texts| {
            for record in batch {
                let record = change.of(&record, changed)?;
                match is_bam {
                    true => record.write_bam(&mut texts[0]),
                    false => writer.write(&record, &mut texts[0])?,
                }
            }
            Ok::<_, bam::Error>(())
        },
        |_, _| (),
    );
    drop(bar);
    args.reading.tell(&watch, &input);
    result.map_err(output::failed)?;
    commit(outputs, false)?;
    Ok(Exit::Fine)
}

impl Args {
    /// The read group that is asked for.
    fn group(&self) -> Result<NewGroup> {
        if let Some(id) = &self.id {
            return Ok(NewGroup::Known(id.clone()));
        }
        if self.line.is_empty() {
            return Ok(NewGroup::First);
        }
        let mut groups = ReadGroup::parse(&self.line).map_err(anyhow::Error::msg)?;
        match (groups.pop(), groups.is_empty()) {
            (Some(group), true) => Ok(NewGroup::Line(group)),
            _ => bail!("expected one read group, but -r gives several"),
        }
    }
}
