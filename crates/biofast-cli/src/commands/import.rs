//! `biofast import`: FASTQ to unaligned BAM.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use biofast::fastq::{self, Inputs};
use biofast::io::Options;
use biofast::io::output::{Compression, Files, Format, Level, commit};
use biofast::ops::import::{self, Import, ReadGroup, Summary, Wanted};

use crate::console::message;
use crate::inputs::{self, Input};
use crate::options::{InFile, Messages, OutFile, Pairing, Program, Threads};
use crate::output;
use crate::watch::Watch;

/// Write reads as unaligned BAM, as `samtools import`
///
/// Two files are those of first and second reads: the names must agree and the numbers be equal.
/// In a single file, names that end in /1 and /2 tell first from second reads; with --interleaved all
/// reads must be in pairs. /1 and /2 are removed from names.
#[derive(clap::Args)]
#[command(
    // Letters that samtools import may have for others.
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("quiet", |a| a.short(None)),
    after_help = "\
Examples:
  biofast import R1.fq.gz R2.fq.gz -r ID:lane1 -r SM:sample -o reads.bam
  biofast fastq -T RG aln.bam | biofast import -T RG -o unaligned.bam -"
)]
pub(crate) struct Args {
    /// FASTQ files, one or two; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// The file of first reads
    #[arg(short = '1', value_name = "FILE", conflicts_with_all = ["files", "single", "unpaired"])]
    first: Option<InFile>,

    /// The file of second reads
    #[arg(short = '2', value_name = "FILE", requires = "first")]
    second: Option<InFile>,

    /// A file of reads that may be pairs, as their names tell
    #[arg(short = 's', value_name = "FILE", conflicts_with_all = ["files", "unpaired"])]
    single: Option<InFile>,

    /// A file of reads without mates
    #[arg(short = '0', value_name = "FILE", conflicts_with = "files")]
    unpaired: Option<InFile>,

    /// First and second reads follow one another in one file
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// A read group: a whole line (@RG\tID:x\tSM:y), or its fields one by one; may be repeated
    ///
    /// If there is one group, all reads belong to it, except those that name another one (-T RG).
    #[arg(short = 'r', long = "read-group", alias = "rg-line", value_name = "LINE")]
    read_groups: Vec<String>,

    /// A read group of this ID and nothing else
    #[arg(short = 'R', long = "rg", value_name = "ID", conflicts_with = "read_groups")]
    read_group_id: Option<String>,

    /// Keep these fields of the description, separated by commas, or '*' for all
    ///
    /// A field is TAG:TYPE:VALUE. Tabs separate fields; spaces do, too, where all that follows the first field is fields.
    #[arg(short = 'T', value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,

    /// Take part, failed quality control and barcode from a Casava description (1:N:0:ACGT)
    #[arg(short = 'i')]
    casava: bool,

    /// The field the barcode is stored in
    #[arg(long, value_name = "TAG", default_value = "BC")]
    barcode_tag: String,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long = "output", alias = "out", value_name = "FILE")]
    output: Option<OutFile>,

    /// Write without compression, for a program that reads it at once
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Compression level: fast (as 1 for BAM), small (as 6) or 0 (none) to 12 [default: fast]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    program: Program,

    #[command(flatten)]
    threads: Threads,

    /// Treat as errors: BGZF without its end-of-file block, blank lines between reads, and '.' in sequences
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    messages: Messages,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let named = [&args.first, &args.second, &args.single, &args.unpaired].into_iter().flatten();
    let named: Vec<&InFile> = args.files.iter().chain(named).collect();
    let inputs = inputs::gather(&named, None, "-", files)?;
    if inputs.len() > 2 || (inputs.len() > 1 && args.interleaved) {
        let most = if args.interleaved { "one file" } else { "one file, or two of mates" };
        bail!("expected {most}, but {} are named", inputs.len());
    }
    let (groups, import) = rules(args)?;
    let header = import::header(&groups)?;
    let mut start = Vec::new();
    args.program.header(&header).write_bam(&mut start)?;

    inputs::are_two(&inputs)?;
    let sources = match &inputs[..] {
        [one, two] => Inputs::Paired(one.open()?, two.open()?),
        [one] if args.interleaved => Inputs::Interleaved(one.open()?),
        [one] => Inputs::Single(one.open()?),
        _ => bail!("no input"),
    };
    let progress = Arc::default();
    let watches = [0, 1].map(|_| {
        let options = args.threads.options();
        let options = Options { strict: args.strict, ..options };
        Watch::sharing(&progress, args.pairing.apply(options))
    });
    let level = if args.uncompressed { Some(Level::Number(0)) } else { args.level };
    let format = args.output.as_deref().map_or(Ok(Format::Bgzf), output::format_of_bam)?;
    let compression = Compression::new(format, level)?;
    let mut outputs = vec![output::records(files, args.output.as_deref(), compression)?];
    let report = output::optional_report(files, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    outputs[0].append(&start)?;
    let result = fastq::par_try_transform(
        sources,
        watches.each_ref().map(|watch| watch.options.clone()),
        None,
        &mut outputs,
        || (Vec::new(), Summary::default()),
        |(tags, summary), unit, texts| import.write(&unit, tags, summary, &mut texts[0]),
        |(_, mine), (_, theirs)| mine.merge(&theirs),
    );
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(input, Some("FASTQ"), &args.messages, &args.threads);
    }
    let (_, summary) = result.map_err(output::failed)?;
    if let Some(report) = report {
        let mut json = serde_json::to_value(summary)?;
        json["pairs"] = summary.pairs().into();
        outputs.push(output::filled(report, output::summary(json)?)?);
    }
    commit(outputs, false)?;
    if !args.messages.quiet {
        if summary.dots_as_n > 0 {
            let dots = summary.dots_as_n;
            let warning =
                format!("{dots} bases '.' are stored as N (--strict makes this an error)");
            message("warning", &warning);
        }
        if summary.unclear_fields > 0 {
            let reads = summary.unclear_fields;
            let warning = format!(
                "{reads} reads have optional fields in their description that spaces separate from other words, and not all of them \
                 may have been taken: tabs separate fields"
            );
            message("warning", &warning);
        }
        message("note", &summary.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// The read groups, and how reads become records.
fn rules(args: &Args) -> Result<(Vec<ReadGroup>, Import)> {
    let texts = match &args.read_group_id {
        Some(id) => vec![format!("ID:{id}")],
        None => args.read_groups.clone(),
    };
    let groups = ReadGroup::parse(&texts).map_err(anyhow::Error::msg)?;
    let name = |text: &String| {
        let name = <[u8; 2]>::try_from(text.as_bytes()).ok();
        let name = name.filter(|[a, b]| a.is_ascii_alphabetic() && b.is_ascii_alphanumeric());
        name.with_context(|| {
            format!(
                "'{text}' is no name of an optional field: expected a letter and a letter or digit"
            )
        })
    };
    let tags = match &args.tags[..] {
        [] => Wanted::None,
        names if names.iter().any(|name| name == "*") => Wanted::All,
        names => Wanted::Some(names.iter().map(name).collect::<Result<_>>()?),
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
