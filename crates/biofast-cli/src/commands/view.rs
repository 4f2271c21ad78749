//! `biofast view`: records of BAM, SAM or CRAM as SAM or BAM.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Batch, Detail, Header, Query, SamWriter, flag};
use biofast_io::Location;
use biofast_io::output::{Output, commit};
use biofast_io::pipeline::Failure;
use biofast_ops::filter::alignment::Choice;
use biofast_ops::filter::expression::Expression;
use clap::ArgAction;

use crate::inputs::{self, Input};
use crate::options::{
    AlignmentsFormat, AlignmentsOut, AlignmentsTarget, ContentArgs, Flags, InFile, OneFile,
    OpenedAlignments, ProgramLineArgs, RegionArgs, ShardArg, tell_losses, warn_of_absent_names,
};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::{Reading, Watch};

/// Print or convert alignments, like `samtools view`
///
/// The format of the input is detected from content. The output is SAM, or BAM with -b, -O bam or an output file ending
/// in .bam. Every checksum and length field is validated. If the input is truncated, the command fails and creates no
/// output file.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    // Letters that samtools view has for others.
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("quiet", |a| a.short(None)),
    after_help = "\
Examples:
  biofast view -h aln.bam | less
  biofast view -b -F UNMAP,SECONDARY -q 30 aln.bam -o good.bam
  biofast view -c aln.bam chr1:1,000,001-2,000,000
  biofast view -b -e '[NM] < 3 && qname =~ \"^run7:\"' aln.bam -o few.bam
  biofast view -b -N wanted.names -s 7.5 aln.bam -o few.bam
  biofast view -T genome.fa aln.cram -o aln.bam
  biofast view -b --no-PG --shard 'plan.json#2' -o second.bam"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    /// Include only records that overlap one of these regions, such as chr1:1,000-2,000
    #[arg(value_name = "REGION")]
    places: Vec<String>,

    #[command(flatten)]
    regions: RegionArgs,

    #[command(flatten)]
    shard: ShardArg,

    /// Write BAM
    #[arg(short, long)]
    bam: bool,

    /// Include the header in SAM output
    #[arg(short = 'h', long)]
    with_header: bool,

    /// Print only the header
    #[arg(short = 'H', long, conflicts_with = "count")]
    header_only: bool,

    /// Don't print the header, as is the default for SAM
    #[arg(long, conflicts_with_all = ["with_header", "header_only"])]
    no_header: bool,

    /// Print only the number of records
    #[arg(short, long)]
    count: bool,

    #[command(flatten)]
    flags: Flags,

    #[command(flatten)]
    content: ContentArgs,

    /// Include only records with a mapping quality of at least N
    #[arg(short = 'q', long = "min-mapq", value_name = "N")]
    min_mapping_quality: Option<u8>,

    /// Include only records that match this expression, such as 'mapq >= 30 && [NM] < 3'
    ///
    /// It is an error if the expression can't be evaluated for a record.
    #[arg(short = 'e', long = "expr", value_name = "STR", allow_hyphen_values = true)]
    expression: Option<Expression>,

    #[command(flatten)]
    writing: AlignmentsOut,

    #[command(flatten)]
    program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,

    /// Print each record once, whatever the number of regions it overlaps; always done
    #[arg(short = 'M', hide = true)]
    once: bool,

    /// Print help
    #[arg(long, short = '?', action = ArgAction::Help)]
    help: Option<bool>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let input = &match args.shard.input(args.file.named(), session)? {
        Some(input) => input,
        None => args.file.input(session)?,
    };
    let regions = RegionArgs {
        regions: args.regions.regions.iter().chain(&args.places).cloned().collect(),
        regions_file: args.regions.regions_file.clone(),
    };
    if !regions.regions.is_empty() && regions.regions_file.is_some() {
        bail!("regions can be named or given as a file (-L), but not both");
    }
    args.shard.refuse(regions.any(), "a region", "a shard can't be restricted to regions")?;
    let watch = args.reading.watch(session);
    let detail = match args.count {
        true if args.expression.is_some() || args.content.any() => Detail::Full,
        true if regions.any() => Detail::Alignment,
        true => Detail::Placement,
        false => Detail::Full,
    };
    let opening = watch.opening(args.reference.as_deref(), detail);
    let mut source = input.open()?;
    let (reference, quiet) = (args.reference.as_deref(), args.reading.messages.quiet);
    let target = args.target(reference, 1);
    if args.count || !target.needs_reference() {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    let query = regions.query(args.reading.messages.console(session), input, source, &opening)?;
    let result = match args.count {
        true => count(args, input, query, &watch, session),
        false => convert(args, input, query, &watch, session),
    };
    args.reading.tell(&watch, input);
    result
}

impl Args {
    /// Where records go. The reference is for CRAM, which `threads` make.
    fn target<'a>(&'a self, reference: Option<&'a Path>, threads: usize) -> AlignmentsTarget<'a> {
        let target = self.writing.target(bam::Format::Sam, reference, threads);
        let asked = target.asked.or(self.bam.then_some(AlignmentsFormat::Bam));
        AlignmentsTarget { asked, ..target }
    }

    /// Which records are wanted, and the header of these.
    fn choice(&self, header: &Header, session: &Session) -> Result<(Choice, Header)> {
        let min_mapping_quality = self.min_mapping_quality.unwrap_or(0);
        let flags = flag::Filter { min_mapping_quality, ..self.flags.filter(0) };
        let mut choice = self.content.add_to(Choice::new().flags(flags))?;
        if let Some(expression) = &self.expression {
            choice = choice.expression(expression.clone());
        }
        let console = self.reading.messages.console(session);
        let (choice, sampling) = self.content.complete(choice, header, console)?;
        let header = choice.header(header);
        let header = match sampling {
            Some(comment) => header.with_comment(&comment),
            None => header,
        };
        Ok((choice, header))
    }

    /// Says which of the names that were asked for weren't found.
    fn tell_absent(&self, choice: &Choice, session: &Session) {
        let listed = choice.listed_names();
        warn_of_absent_names(self.reading.messages.console(session), listed.as_ref());
    }
}

/// How many records are wanted, up to the first of which that can't be said.
#[derive(Default)]
struct RecordCount {
    records: u64,
    /// The error, and where in the order of the file it is.
    undecided: Option<(u64, bam::Error)>,
}

impl RecordCount {
    fn accept(&mut self, batch: Batch<'_>, wanted: &Choice) {
        for (number, record) in (batch.first_record()..).zip(batch.iter()) {
            match wanted.objection(&record, batch.header()) {
                Ok(objection) => self.records += u64::from(objection.is_none()),
                Err(error) => return self.fail(number, batch.located(error)),
            }
        }
    }

    fn fail(&mut self, number: u64, error: bam::Error) {
        if self.undecided.as_ref().is_none_or(|(first, _)| number < *first) {
            self.undecided = Some((number, error));
        }
    }

    fn merge(&mut self, other: RecordCount) {
        self.records += other.records;
        if let Some((number, error)) = other.undecided {
            self.fail(number, error);
        }
    }
}

fn count(
    args: &Args,
    input: &Input,
    query: Query,
    watch: &Watch,
    session: &mut Session,
) -> Result<Exit> {
    let total = query.stored_len().or(input.len());
    let (header, query) = query.peek_header()?;
    let (wanted, _) = args.choice(&header, session)?;
    let report = output::report(session, args.writing.path())?;
    let bar = watch.bar(total, &args.reading.messages);
    let result = bam::Fold::new(query).options(&watch.options).run(
        RecordCount::default,
        |counted, batch| counted.accept(batch, &wanted),
        RecordCount::merge,
    );
    drop(bar);
    let (counted, fault) = match result {
        Ok((_, counted)) => (counted, None),
        Err(fault) => (fault.so_far, Some(fault.error)),
    };
    // Every record comes before the fault.
    if let Some((_, error)) = counted.undecided {
        return Err(error.in_input(&input.name().into()).into());
    }
    if let Some(error) = fault {
        return Err(error.into());
    }
    args.tell_absent(&wanted, session);
    output::finish(report, format!("{}\n", counted.records))?;
    Ok(Exit::Fine)
}

fn convert(
    args: &Args,
    input: &Input,
    query: Query,
    watch: &Watch,
    session: &mut Session,
) -> Result<Exit> {
    let total = query.stored_len().or(input.len());
    // A header that can't be read is noticed before any output is touched.
    let (header, query) = query.peek_header()?;
    let (wanted, header) = args.choice(&header, session)?;
    let target = args.target(args.reference.as_deref(), watch.options.threads);
    let opened = target.open(session, &header)?;
    let is_bam = opened.takes_bam();
    let OpenedAlignments { output, lost, .. } = opened;
    let mut outputs = vec![output];
    let bar = watch.bar(total, &args.reading.messages);
    let result = write(args, query, (&header, &wanted), is_bam, watch, &mut outputs, session)
        .and_then(|()| commit(outputs, false).map_err(Failure::Output));
    drop(bar);
    result.map_err(output::failed)?;
    if !args.header_only {
        args.tell_absent(&wanted, session);
    }
    tell_losses(lost.as_ref(), args.reading.messages.console(session));
    Ok(Exit::Fine)
}

fn write(
    args: &Args,
    query: Query,
    (header, wanted): (&Header, &Choice),
    is_bam: bool,
    watch: &Watch,
    outputs: &mut [Output],
    session: &Session,
) -> Result<(), Failure<bam::Error>> {
    let mut start = Vec::new();
    let shown = args.program.header(header, session);
    let at = Location::in_input(&query.name().into());
    let named = |error: bam::Error| Failure::Input(error.or_at(at));
    if is_bam {
        shown.write_bam(&mut start).map_err(named)?;
    } else if (args.with_header || args.header_only) && !args.no_header {
        shown.write_sam(&mut start).map_err(named)?;
    }
    outputs[0].append(&start).map_err(Failure::Output)?;
    if args.header_only {
        return Ok(());
    }
    let writer = SamWriter::new(header);
    let result = bam::Transform::new(query).options(&watch.options).run(
        outputs,
        || (),
        |(), batch, texts| {
            let text = &mut texts[0];
            for record in batch {
                if wanted.objection(&record, batch.header())?.is_some() {
                    continue;
                }
                if is_bam {
                    record.check()?;
                    record.write_bam(text);
                } else {
                    writer.write(&record, text)?;
                }
            }
            Ok::<_, bam::Error>(())
        },
        |(), ()| (),
    );
    result.map(|_| ())
}
