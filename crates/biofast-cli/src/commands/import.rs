//! `biofast import`: FASTQ to unaligned BAM.

use anyhow::{Context as _, Result, bail};
use biofast_fastq as fastq;
use biofast_io::Options;
use biofast_io::output::Level;
use biofast_ops::import::{self, Import, ImportSummary, ReadGroup, TagSelection};

use crate::console::Console;
use crate::inputs::{self, Input, Layout};
use crate::options::{
    AlignmentsTarget, InFile, Messages, OutFile, Pairing, ProgramLineArgs, Threads, header_value,
};
use crate::output;
use crate::reads_job::ReadsJob;
use crate::session::{Exit, Session};

/// Convert FASTQ to unaligned BAM, like `samtools import`
///
/// Two files hold first and second reads: their names must agree, and there must be as many of both. In a single file,
/// names that end in /1 and /2 mark first and second reads; with --interleaved, all reads must be in pairs. /1 and /2
/// are removed from names.
#[derive(clap::Args)]
#[command(
    // Letters that samtools import may have for others.
    mut_arg("threads", |a| a.short_alias(None)),
    after_help = "\
Examples:
  biofast import R1.fq.gz R2.fq.gz -r ID:lane1 -r SM:sample -o reads.bam
  biofast fastq -T RG aln.bam | biofast import -T RG -o unaligned.bam -"
)]
pub(crate) struct Args {
    /// One or two FASTQ files; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// File of first reads
    #[arg(short = '1', value_name = "FILE", conflicts_with_all = ["files", "single", "unpaired"])]
    first: Option<InFile>,

    /// File of second reads
    #[arg(short = '2', value_name = "FILE", requires = "first")]
    second: Option<InFile>,

    /// File of reads that are pairs if their names end in /1 and /2
    #[arg(short = 's', value_name = "FILE", conflicts_with_all = ["files", "unpaired"])]
    single: Option<InFile>,

    /// File of reads without mates
    #[arg(short = '0', value_name = "FILE", conflicts_with = "files")]
    unpaired: Option<InFile>,

    /// Treat the input as interleaved: the mates of each pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Add a read group: a whole line (@RG\tID:x\tSM:y), or single fields; may be repeated
    ///
    /// A single read group applies to all reads, except those that name another one (-T RG).
    #[arg(short = 'r', long = "rg-line", value_name = "LINE")]
    read_groups: Vec<String>,

    /// Add a read group with this ID and nothing else
    #[arg(short = 'R', long = "rg", value_name = "ID", value_parser = header_value, conflicts_with = "read_groups")]
    read_group_id: Option<String>,

    /// Keep these tags of the description, separated by commas, or '*' or '' for all
    ///
    /// A tag is TAG:TYPE:VALUE. Tabs separate tags, and so do spaces if only tags follow the first one.
    #[arg(short = 'T', value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,

    /// Parse Casava descriptions such as 1:N:0:ACGT: number of the read, failed QC, and barcode
    #[arg(short = 'i')]
    casava: bool,

    /// Tag to store the barcode in
    #[arg(long, value_name = "TAG", default_value = "BC")]
    barcode_tag: String,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long = "out", value_name = "FILE")]
    output: Option<OutFile>,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Compression level: fast, balanced, small (6), or 0 (none) to 12 [default: fast]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write a JSON summary to FILE
    #[arg(long = "summary", value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    threads: Threads,

    /// Treat as errors: a missing BGZF end-of-file block, blank lines between reads, and '.' in sequences
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    messages: Messages,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let named = [&args.first, &args.second, &args.single, &args.unpaired].into_iter().flatten();
    let named: Vec<&InFile> = args.files.iter().chain(named).collect();
    let inputs = inputs::gather(&named, None, "-", session)?;
    let layout = Layout::of(&inputs, args.interleaved)?;
    let (groups, import) = rules(args)?;
    let header = import::header(&groups, Some(&reversal(args, inputs.len())))?;
    let mut start = Vec::new();
    args.program.header(&header, session).write_bam(&mut start)?;

    inputs::are_two(&inputs)?;
    let options = Options { strict: args.strict, ..args.threads.options() };
    let options = args.pairing.apply(options);
    let mut job = ReadsJob::new((inputs, layout), options, &args.threads, &args.messages, session);
    // FASTQ, which isn't looked for.
    let sources = job.inputs().iter().map(Input::open).collect::<Result<_, _>>()?;
    let sources = job.arrange(sources)?;
    let level = if args.uncompressed { Some(Level::Number(0)) } else { args.level };
    let (path, threads) = (args.output.as_deref(), args.threads.total());
    let target = AlignmentsTarget {
        level,
        uncompressed: args.uncompressed,
        ..AlignmentsTarget::new(path, biofast_bam::Format::Bam, threads)
    };
    if target.format() == biofast_bam::Format::Sam {
        target.path.map(output::format_of_bam).transpose()?;
    }
    let mut outputs = vec![target.open(session, &header)?.output];
    job.open_report(args.json.as_deref(), session, &mut outputs)?;
    outputs[0].append(&start)?;
    let (_, summary) = job.run(|options| {
        fastq::Transform::new(sources).options_of_each(options).run(
            &mut outputs,
            || (Vec::new(), ImportSummary::default()),
            |(tags, summary), unit, texts| -> Result<(), fastq::Refusal> {
                let written = import.write(&unit, tags, summary, &mut texts[0]);
                Ok(written.map_err(|why| why.to_string())?)
            },
            |(_, mine), (_, theirs)| mine.merge(&theirs),
        )
    })?;
    let text = || {
        let mut json = serde_json::to_value(summary)?;
        json["pairs"] = summary.pairs().into();
        output::summary(&session.command_line(), json)
    };
    job.finish_with(outputs, false, text, |console| tell(console, &summary))
}

/// How the reads are got back, as samtools says it.
fn reversal(args: &Args, inputs: usize) -> String {
    let files = match (&args.unpaired, &args.first, &args.second) {
        (Some(_), ..) => " -0 unpaired.fastq",
        (None, Some(_), None) => " -1 R1.fastq",
        (None, None, _) if inputs < 2 => " -n -o paired.fastq",
        _ => " -1 R1.fastq -2 R2.fastq",
    };
    let casava = if args.casava { " -i --index-format 'i*i*'" } else { "" };
    format!("Reverse with: samtools fastq{files}{casava}")
}

/// Says what was done.
fn tell(console: &Console, summary: &ImportSummary) {
    if summary.dots_as_n > 0 {
        let dots = summary.dots_as_n;
        let warning = format!("{dots} '.' bases are stored as N (--strict makes this an error)");
        console.warning(&warning);
    }
    if summary.unclear_fields > 0 {
        let reads = summary.unclear_fields;
        let warning = format!(
            "in {reads} read descriptions, spaces separate tags from other words, so some tags may have been missed; separate tags with tabs"
        );
        console.warning(&warning);
    }
    console.note(&summary.to_string());
}

/// The read groups, and how reads become records.
fn rules(args: &Args) -> Result<(Vec<ReadGroup>, Import)> {
    let texts = match &args.read_group_id {
        Some(id) => vec![format!("ID:{id}")],
        None => args.read_groups.clone(),
    };
    let groups = ReadGroup::parse(&texts).map_err(anyhow::Error::msg)?;
    if let (Some(id), [group]) = (&args.read_group_id, &groups[..])
        && group.id() != id
    {
        bail!("'{id}' is not an ID alone: give whole read groups with -r");
    }
    let name = |text: &String| {
        let name = <[u8; 2]>::try_from(text.as_bytes()).ok();
        let name = name.filter(|[a, b]| a.is_ascii_alphabetic() && b.is_ascii_alphanumeric());
        name.with_context(|| {
            format!("'{text}' is not a valid tag: expected a letter and a letter or digit")
        })
    };
    let tags = match &args.tags[..] {
        [] => TagSelection::None,
        names if names == [""] || names.iter().any(|name| name == "*") => TagSelection::All,
        names => TagSelection::Some(names.iter().map(name).collect::<Result<_>>()?),
    };
    let read_group = match &groups[..] {
        [group] => Some(group.id().as_bytes().to_vec()),
        _ => None,
    };
    let import = Import {
        tags,
        casava: args.casava,
        barcode_tag: name(&args.barcode_tag)?,
        read_group,
        first_alone: args.first.is_some(),
        strict: args.strict,
        mates: args.pairing.rule(),
    };
    Ok((groups, import))
}
