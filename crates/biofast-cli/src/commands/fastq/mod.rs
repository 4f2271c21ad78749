//! `biofast fastq`: alignments back to reads.

mod sets;

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::output::{Compression, Format, Level, Output, commit};
use biofast_ops::number::counted;
use biofast_ops::to_fastq::{self, Collation, FastqPlan, FastqRoutes, FastqSummary, TagChoice};

use crate::console::Console;
use crate::options::{
    Flags, Folder, InFile, ListedValues, OneFile, OutFile, ShardArg, Size,
    keeps_templates_together, tag_filter,
};
use crate::session::{Exit, Session};
use crate::watch::Reading;
use crate::{inputs, options, output};

/// Secondary and supplementary records are not separate reads.
const NOT_PRIMARY: u16 = 0x900;

/// Options without --10x. One that belongs to it names them, too: clap doesn't ask for --10x beside what excludes it.
const NOT_OF_SETS: [&str; 12] = [
    "first", "second", "other", "single", "out", "no_suffix", "always_suffix", "usual_tags",
    "written_tags", "casava", "grouped", "collate",
];

/// Convert alignments to FASTQ, like `samtools fastq`
///
/// Reads aligned to the reverse strand are written as they were sequenced. If the records of a template aren't next to
/// each other, mates are collated in limited memory and temporary files.
///
/// First reads (READ1), second reads (READ2) and others go to standard output, except those with a separate file.
/// With both -1 and -2, the two files hold the same templates in the same order. Reads without a mate then go to -s or
/// standard output.
///
/// With --10x, reads are restored from sequences and tags, in the files that Cell Ranger takes.
///
/// Names of pairs get /1 and /2 unless -1, -2 or -o names a file. A read without bases is written as an empty one.
#[derive(clap::Args)]
#[command(
    // Letters that samtools fastq has for others.
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("verbose", |a| a.short(None)),
    after_help = "\
Examples:
  biofast fastq aln.bam -1 r1.fq.gz -2 r2.fq.gz -0 other.fq.gz -s single.fq.gz
  biofast fastq -n aln.bam > interleaved.fq
  biofast fastq --10x fastqs cells.bam
  biofast fastq -T RG,BC aln.cram --reference genome.fa -o reads.fq
  biofast fastq -d BC:ACGTACGT aln.bam -o sample.fq
  biofast shards --number 2 --keep-templates unaligned.bam -o names.plan.json
  biofast fastq --shard 'names.plan.json#2' -1 part2.r1.fq -2 part2.r2.fq"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    #[command(flatten)]
    shard: ShardArg,

    /// Write first reads to FILE; extensions .gz, .bgz and .zst compress it
    #[arg(short = '1', value_name = "FILE")]
    first: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(short = '2', value_name = "FILE")]
    second: Option<OutFile>,

    /// Write reads that are neither first nor second, or both, to FILE
    #[arg(short = '0', value_name = "FILE")]
    other: Option<OutFile>,

    /// Write first and second reads without a mate to FILE
    ///
    /// By default, they go where they would go with their mate. With both -1 and -2, they go to standard output.
    #[arg(short = 's', value_name = "FILE")]
    single: Option<OutFile>,

    /// Write all reads to FILE, interleaved, except those that -0 or -s writes elsewhere
    #[arg(short = 'o', long = "out", value_name = "FILE", conflicts_with_all = ["first", "second"])]
    out: Option<OutFile>,

    /// Write the FASTQ files that were the input of Cell Ranger to DIR, like 10x's bamtofastq
    ///
    /// Barcodes and UMIs are taken from tags, as the header says (@CO 10x_bam_to_fastq) or --layout. Each read group has a
    /// folder with files such as bamtofastq_S1_L001_R1_001.fastq.gz. DIR must be new or empty.
    #[arg(
        long = "10x",
        value_name = "DIR",
        conflicts_with_all = NOT_OF_SETS
    )]
    sets: Option<Folder>,

    /// What reads are made of, such as 'R1(CR:CY,UR:UY)', in place of what the header says; may be repeated
    ///
    /// A read is a list of tags with bases and qualities, or SEQ:QUAL for those of the record. R1 and R2 are needed, I1 and
    /// I2 are optional. The layouts of old pipelines have names: gemcode (Long Ranger 1.0 to 1.3), lr20 (Long Ranger 2.0)
    /// and cr11 (Cell Ranger 1.0 and 1.1).
    #[arg(long, value_name = "LAYOUT", requires = "sets", conflicts_with_all = NOT_OF_SETS)]
    layout: Vec<String>,

    /// With --10x, begin the next file after N reads
    #[arg(long, value_name = "N", requires = "sets", conflicts_with_all = NOT_OF_SETS, default_value = "50000000")]
    reads_per_fastq: NonZeroU64,

    /// With --10x, leave out reads that can't be restored: a tag, a read group, bases or the mate is missing
    ///
    /// By default, such a read is an error.
    #[arg(long, requires = "sets", conflicts_with_all = NOT_OF_SETS)]
    skip_incomplete: bool,

    /// Don't append /1 and /2 to names
    #[arg(short = 'n', conflicts_with = "always_suffix")]
    no_suffix: bool,

    /// Append /1 and /2 to names even in separate files
    #[arg(short = 'N')]
    always_suffix: bool,

    #[command(flatten)]
    flags: Flags,

    /// Include only records with this tag, and VALUE if given; may be repeated for more values
    #[arg(short = 'd', long = "tag", value_name = "TAG[:VALUE]")]
    tags: Vec<String>,

    /// Include only records whose tag has one of the values listed in FILE, one per line
    #[arg(short = 'D', long = "tag-file", value_name = "TAG:FILE")]
    tag_files: Vec<String>,

    /// Append the tags RG, BC and QT after the name
    #[arg(short = 't')]
    usual_tags: bool,

    /// Append these tags after the name, separated by commas, or '*' or '' for all
    #[arg(short = 'T', value_name = "TAGS", value_delimiter = ',', value_parser = tag)]
    written_tags: Vec<Tag>,

    /// Append a Casava description with the barcode after the name, such as 1:N:0:ACGT
    #[arg(short = 'i')]
    casava: bool,

    /// Tag that holds the barcode
    #[arg(long, value_name = "TAG", default_value = "BC", value_parser = tag)]
    barcode_tag: Tag,

    /// Use the qualities in the tag OQ, if present
    #[arg(short = 'O')]
    original_qualities: bool,

    /// Quality for bases of reads without qualities [default: 33, like samtools 1.16]
    #[arg(short = 'v', value_name = "PHRED", value_parser = clap::value_parser!(u8).range(0..=93))]
    missing_quality: Option<u8>,

    /// Compression level: fast, balanced, small or a number
    ///
    /// BGZF (.gz, .bgz) takes fast, balanced, small or 0 to 12 [default: fast], and zstd takes 0 to 19 [default: 3].
    #[arg(short = 'c', long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Assume that the records of each template are next to each other
    #[arg(long, conflicts_with = "collate")]
    grouped: bool,

    /// Collate mates even if they seem to be next to each other
    #[arg(long)]
    collate: bool,

    /// Memory limit for reads that wait for their mates, such as 512M or 4G
    ///
    /// Data beyond the limit are spilled to temporary files.
    #[arg(long, value_name = "SIZE", default_value = "96M")]
    memory: Size,

    /// Folder for temporary files [default: TMPDIR if set, else the folder of the first output]
    #[arg(long, value_name = "FOLDER")]
    temp_dir: Option<Folder>,

    /// Write a JSON summary to FILE
    #[arg(long = "summary", value_name = "FILE")]
    json: Option<OutFile>,

    /// Reference sequences (FASTA) for CRAM input; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,
}

/// An optional field's name, or `*`.
#[derive(Clone, Copy, Debug)]
enum Tag {
    All,
    /// An empty text, which means all if it stands alone.
    Nothing,
    Name([u8; 2]),
}

fn tag(text: &str) -> Result<Tag, String> {
    match text.as_bytes() {
        b"*" => Ok(Tag::All),
        b"" => Ok(Tag::Nothing),
        &[a, b] => Ok(Tag::Name([a, b])),
        _ => Err("expected two characters".into()),
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    args.shard.refuse(args.collate, "--collate", "a shard always has both mates")?;
    let input = match args.shard.input(args.file.named(), session)? {
        Some(shard) => {
            keeps_templates_together(&shard)?;
            shard
        }
        None => args.file.input(session)?,
    };
    let (format, tag) =
        (format(args)?, tag_filter(&args.tags, &args.tag_files, ListedValues::Lines)?);
    let watch = args.reading.watch(session);
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let mut source = input.open()?;
    inputs::tell_unused_reference(
        &session.console,
        args.reference.as_deref(),
        &mut source,
        args.reading.messages.quiet,
    );
    let opened = bam::Input::open(source, &opening)?;
    // A header that can't be read is noticed before any output is touched.
    let (header, mut source) = bam::peek_header(opened.source)?;
    if let Some(folder) = &args.sets {
        let sets = sets::Sets { args, folder, header: &header, format };
        return sets.write(source, &input, &watch, session);
    }
    // That they are grouped was seen when the plan was made.
    let grouped = args.shard.any()
        || !args.collate && (args.grouped || to_fastq::is_grouped(&header, &mut source));
    let FastqOutputs { mut outputs, routes, printed, .. } = open(args, session)?;
    let report = output::optional_report(session, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let plan = FastqPlan { filter: args.flags.filter(NOT_PRIMARY), tag, format, routes };
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = if grouped {
        let summary = to_fastq::grouped(source, &watch.options, &plan, &mut outputs);
        summary.map(|summary| (summary, outputs)).map_err(output::failed)
    } else {
        let folder = temp_dir(args);
        let memory = args.memory.0;
        let collation = Collation { memory, folder: &folder };
        let result = to_fastq::collated(source, &watch.options, &plan, outputs, collation);
        result.map_err(output::failed)
    };
    drop(bar);
    args.reading.tell(&watch, &input);
    let (summary, mut outputs) = result?;
    if let Some(report) = report {
        let text = output::summary(&session.command_line(), serde_json::to_value(summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, false)?;
    if !args.reading.messages.quiet {
        tell(&session.console, args, &summary, printed);
    }
    Ok(Exit::Fine)
}

/// Says what was written where, and what wasn't.
fn tell(console: &Console, args: &Args, summary: &FastqSummary, printed: Printed) {
    let FastqSummary { reads, pairs, singles, others, repeated, without_sequence } = *summary;
    console.note(&format!(
        "{}: {}, {singles} without a mate, {others} neither first nor second",
        counted(reads, "read"),
        counted(pairs, "pair"),
    ));
    let warn = |count: u64, noun: &str, what: &str| {
        if count > 0 {
            console.warning(&format!("{} {what}", counted(count, noun)));
        }
    };
    warn(repeated, "record", "left out: the same read came before");
    warn(without_sequence, "read", "without bases written with an empty sequence");
    let names_files = args.first.is_some() || args.second.is_some() || args.out.is_some();
    if printed.others && names_files {
        warn(
            others,
            "read",
            "neither first nor second went to standard output (use -0 FILE to separate them)",
        );
    }
    if printed.singles {
        warn(
            singles,
            "read",
            "without a mate went to standard output (use -s FILE to separate them)",
        );
    }
    // What reads pairs of one file may not expect anything else.
    let among = |count: u64, what: &str, option: &str| {
        warn(
            count,
            "read",
            &format!("{what} written among the pairs (use {option} FILE to separate them)"),
        );
    };
    if args.out.is_some() && args.other.is_none() && pairs > 0 {
        among(others, "neither first nor second", "-0");
    }
    if args.out.is_some() && args.single.is_none() && pairs > 0 {
        among(singles, "without a mate", "-s");
    }
}

fn format(args: &Args) -> Result<to_fastq::FastqFormat> {
    let in_files = args.first.is_some() || args.second.is_some() || args.out.is_some();
    let mut names = Vec::new();
    if args.usual_tags {
        names.extend([*b"RG", *b"BC", *b"QT"]);
    }
    let mut tags = TagChoice::None;
    for tag in &args.written_tags {
        match tag {
            Tag::All => tags = TagChoice::All,
            Tag::Nothing if args.written_tags.len() == 1 => tags = TagChoice::All,
            Tag::Nothing => bail!("-T: a tag is missing between commas"),
            Tag::Name(name) => names.push(*name),
        }
    }
    if !names.is_empty() && matches!(tags, TagChoice::None) {
        tags = TagChoice::Some(names);
    }
    let casava = match (args.casava, args.barcode_tag) {
        (false, _) => None,
        (true, Tag::Name(name)) => Some(name),
        (true, Tag::All | Tag::Nothing) => bail!("--barcode-tag takes one tag"),
    };
    let defaults = to_fastq::FastqFormat::default();
    Ok(to_fastq::FastqFormat {
        suffix: args.always_suffix || !(args.no_suffix || in_files),
        tags,
        casava,
        missing_quality: args.missing_quality.map_or(defaults.missing_quality, |q| q + b'!'),
        original_qualities: args.original_qualities,
    })
}

/// The outputs; each file once, however often it is named.
struct FastqOutputs<'a> {
    session: &'a mut Session,
    outputs: Vec<Output>,
    /// `None` is standard output.
    paths: Vec<Option<&'a Path>>,
    level: Option<Level>,
    routes: FastqRoutes,
    printed: Printed,
}

/// Which reads go to standard output because no option names a file for them.
#[derive(Clone, Copy, Default)]
struct Printed {
    others: bool,
    singles: bool,
}

impl<'a> FastqOutputs<'a> {
    /// The index of the output that is `path`.
    fn index(&mut self, path: Option<&'a OutFile>) -> Result<usize> {
        let path = path.map(OutFile::as_ref).filter(|path| *path != Path::new("-"));
        if let Some(known) = self.paths.iter().position(|known| *known == path) {
            return Ok(known);
        }
        let format = path.map_or(Ok(Format::Plain), output::format_of_reads)?;
        let level = self.level.filter(|_| format != Format::Plain);
        self.outputs.push(output::records(self.session, path, Compression::new(format, level)?)?);
        self.paths.push(path);
        Ok(self.outputs.len() - 1)
    }
}

/// Opens the outputs.
fn open<'a>(args: &'a Args, session: &'a mut Session) -> Result<FastqOutputs<'a>> {
    let mut opened = FastqOutputs {
        session,
        outputs: Vec::new(),
        paths: Vec::new(),
        level: args.level,
        routes: FastqRoutes::default(),
        printed: Printed { others: args.other.is_none() && args.out.is_none(), singles: false },
    };
    let parts = [
        opened.index(args.other.as_ref().or(args.out.as_ref()))?,
        opened.index(args.first.as_ref().or(args.out.as_ref()))?,
        opened.index(args.second.as_ref().or(args.out.as_ref()))?,
    ];
    let [_, first, second] = parts;
    let single = match &args.single {
        Some(path) => Some(opened.index(Some(path))?),
        // Two files of mates, which a read without its mate would bring out of step.
        None if args.first.is_some() && args.second.is_some() && first != second => {
            let single = opened.index(None)?;
            if single == first || single == second {
                bail!(
                    "-1 or -2 is standard output, so reads without a mate need a file of their own: add -s FILE"
                );
            }
            opened.printed.singles = true;
            Some(single)
        }
        None => None,
    };
    if args.level.is_some() {
        let is_plain = |output: &Output| output.compression().format() == Format::Plain;
        if opened.outputs.iter().all(is_plain) {
            return Err(output::level_of_plain());
        }
    }
    opened.routes = FastqRoutes { parts, single };
    Ok(opened)
}

/// Where temporary files go: beside the first output that is a file, unless a folder is named.
fn temp_dir(args: &Args) -> PathBuf {
    let files = [&args.first, &args.out, &args.second, &args.other, &args.single];
    let is_file = |path: &&Path| {
        // A device has no place for files beside it.
        **path != *Path::new("-") && !std::fs::metadata(path).is_ok_and(|m| !m.is_file())
    };
    let out = files.into_iter().flatten().map(OutFile::as_ref).find(is_file);
    options::temp_dir(args.temp_dir.as_deref(), out)
}
