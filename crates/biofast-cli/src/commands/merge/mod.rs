//! `biofast merge`: reports of parts to the report of the whole, or sorted alignments to one file.

mod alignments;
mod checks;
mod folder;
mod reports;

use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::io::output::Files;
use biofast::io::{Source, remote};

use super::sort::tag;
use super::stats::{self, Format};
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::{
    DepthFiles, Folder, Given, InFile, Out, OutFile, Program, RegionArgs, SortedOut, VerdictArgs,
};
use crate::watch::Reading;

/// Merge sorted alignments, or reports of `biofast stats`, `flagstat`, `idxstats`, `check` and `coverage`
///
/// What is given decides: sorted BAM, SAM or CRAM becomes one sorted file, as by `samtools merge`; reports
/// become the report of one run over all inputs; those of shards must cover their plan exactly once. Reports are the JSON of `biofast stats` (of reads or of alignments), that of
/// `flagstat -O json`, or what `idxstats` prints (both may be samtools' own), or those that `check --json` and `coverage` print of shards.
#[derive(clap::Args)]
#[command(
    group(clap::ArgGroup::new("of_alignments").multiple(true)),
    group(clap::ArgGroup::new("of_reports").multiple(true)),
    // Letters that samtools merge has for others.
    disable_help_flag = true,
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("regions", |a| a.short('R')),
    mut_arg("by", |a| a.short(None).help(OF_DEPTHS)),
    mut_arg("thresholds", |a| a.short(None)),
    mut_arg("quantize", |a| a.short(None)),
    mut_arg("no_per_base", |a| a.short(None)),
    mut_arg("use_median", |a| a.short(None)),
    after_help = "\
Examples:
  biofast merge lane1.bam lane2.bam -o both.bam --write-index
  biofast merge -c -p parts/*.bam -o whole.bam
  biofast merge -r -R chr1:1-200,000 lane1.bam lane2.bam -o part.bam
  biofast merge lane1.json lane2.json --json -o both.json
  biofast merge --sample patient7 lane1.json lane2.json
  biofast merge --sample patient7 --out-dir qc lane1.qc.json lane2.qc.json
  biofast merge --library wgs --json lane1.json lane2.json -o both.json
  biofast merge lane1.flagstat.json lane2.flagstat.json
  biofast merge lane1.idxstats lane2.idxstats
  biofast merge --json part1.json part2.json -o whole.json
  biofast merge part1.coverage.json part2.coverage.json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    /// Sorted alignments, or reports: of `biofast stats --json`, `flagstat -O json`, `idxstats`, `check --json --shard` or `coverage --shard`
    #[arg(required_unless_present = "list", value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more names of alignment files from FILE, one per line
    #[arg(short = 'b', long = "files-from", value_name = "FILE")]
    list: Option<InFile>,

    #[command(flatten)]
    out: Out,

    /// Alignments are sorted by name, in which runs of digits are numbers: r2 before r10
    #[arg(short = 'n', long, group = "of_alignments")]
    name: bool,

    /// Alignments are sorted by name, compared byte by byte
    #[arg(short = 'N', long, conflicts_with = "name", group = "of_alignments")]
    lexicographic: bool,

    /// Alignments are sorted by the value of this optional field, then by coordinate, or by name with -n
    #[arg(short = 't', long, value_name = "TAG", value_parser = tag, conflicts_with = "lexicographic", group = "of_alignments")]
    tag: Option<[u8; 2]>,

    /// Alignments are sorted by the 5' ends of templates, then by library, molecule (MI) and name: what is of one molecule stands
    /// together
    #[arg(long, conflicts_with_all = ["name", "lexicographic", "tag"], group = "of_alignments")]
    template_coordinate: bool,

    /// Read groups of the same ID are one; else those of later files get another ID, and so do their reads
    #[arg(short = 'c', long, group = "of_alignments")]
    combine_rg: bool,

    /// Programs (@PG) of the same ID are one; else those of later files get another ID
    #[arg(short = 'p', long, group = "of_alignments")]
    combine_pg: bool,

    /// Give all reads of a file its name as their read group, without the ending .bam, .sam or .cram
    #[arg(short = 'r', long, group = "of_alignments")]
    rg_by_file: bool,

    /// The common header begins with that of FILE (SAM, BAM or CRAM), and those of the inputs are put behind it
    #[arg(short = 'h', long = "header", value_name = "FILE", group = "of_alignments")]
    header: Option<InFile>,

    #[command(flatten)]
    regions: RegionArgs,

    #[command(flatten)]
    writing: SortedOut,

    /// The folder of temporary files, which more than 200 files need [default: TMPDIR if set, else that of the output]
    #[arg(long, visible_alias = "tmp-dir", value_name = "FOLDER", group = "of_alignments")]
    temp_dir: Option<Folder>,

    /// Reference sequences of CRAM files, in FASTA, indexed (.fai) or not
    #[arg(long, value_name = "FASTA", group = "of_alignments")]
    reference: Option<InFile>,

    #[command(flatten)]
    program: Program,

    /// Merge all reports into one row of this name
    #[arg(long, value_name = "NAME", group = "of_reports")]
    sample: Option<String>,

    /// Write the files of `biofast stats --out-dir` to DIR, which is made if it doesn't exist: those that can be made of the
    /// reports; of depths of shards the files of mosdepth, as `biofast coverage --out-dir`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "tsv", "json", "partial"], group = "of_reports")]
    out_dir: Option<Folder>,

    /// Which of these files
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "out_dir",
        group = "of_reports"
    )]
    qc: Vec<stats::Report>,

    #[command(flatten)]
    depths: DepthFiles,

    /// With --json: the result is a part, too, and carries what its parts do (see `biofast stats --partial`)
    #[arg(long, requires = "json", group = "of_reports")]
    partial: bool,

    #[command(flatten)]
    format: Format,

    /// Also write a report for the browser to FILE, as `biofast stats --html`
    #[arg(long, value_name = "FILE", group = "of_reports")]
    html: Option<OutFile>,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,

    // A heading is that of all that follows.
    #[command(flatten, next_help_heading = "Verdicts about reports of stats")]
    verdicts: VerdictArgs,
}

const OF_DEPTHS: &str = "With --out-dir, of depths of shards: also write the depth of the intervals of a BED file, or of windows of that \
                         many bases";

/// What an input holds.
enum Held {
    /// Alignments, and the input if it can't be opened again.
    Alignments(Option<Source>),
    Report,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(&args.files, args.list.as_deref(), "-", files)?;
    let (mut alignments, mut report) = (Vec::new(), None);
    for input in &inputs {
        match held(input)? {
            Held::Alignments(source) => alignments.push((input, source)),
            Held::Report => report = report.or(Some(input)),
        }
    }
    match (alignments.first(), report) {
        (Some((one, _)), Some(other)) => Err(Hinted {
            message: format!("{} holds alignments, but {} doesn't", one.name(), other.name()),
            hint: "merge either sorted alignments (BAM, SAM or CRAM) or reports of `biofast stats --json`",
        }
        .into()),
        (Some(_), None) => {
            if let Some(option) = args.only_of_reports() {
                bail!("{option} is for reports, and alignments are given");
            }
            alignments::run(args, alignments, files)
        }
        (None, _) => {
            if let Some(option) = args.only_of_alignments() {
                bail!("{option} is for alignments, and what is given is none");
            }
            reports::run(args, &inputs, files)
        }
    }
}

/// What an input holds. A report is text, and begins with a brace.
fn held(input: &Input) -> Result<Held> {
    let can_reopen = matches!(input, Input::Path(path) if remote::can_reopen(path));
    let mut source = input.open()?;
    let start = source.peek(64).unwrap_or_default();
    if start.trim_ascii_start().starts_with(b"{") {
        if !can_reopen {
            bail!("{}: a report is read from a file", input.name());
        }
        return Ok(Held::Report);
    }
    match bam::Format::sniff(&mut source) {
        Ok(_) => Ok(Held::Alignments((!can_reopen).then_some(source))),
        // What isn't a report either is told by who reads it.
        Err(error) if can_reopen && matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => {
            Ok(Held::Report)
        }
        Err(error) => Err(error.into()),
    }
}

impl Args {
    /// The first option given that is of reports.
    fn only_of_reports(&self) -> Option<String> {
        self.given.option("merge", &["of_reports", "Format", "DepthFiles", "VerdictArgs"])
    }

    /// The first option given that is of alignments.
    fn only_of_alignments(&self) -> Option<String> {
        self.given.option("merge", &["of_alignments", "RegionArgs", "SortedOut", "Program"])
    }
}
