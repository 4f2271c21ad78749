//! `biofast merge`: reports of parts to the report of the whole, or sorted alignments to one file.

mod alignments;
mod folder;
mod parts;
mod reports;
mod whole;

use std::path::PathBuf;

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::output::commit;
use biofast_io::{Source, TextBounds, display_name, remote};
use biofast_ops::compat::Peer;
use biofast_report::html;

use super::stats::{self, StatsFormat};
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::{
    BaselineArg, CompatArgs, DepthFiles, Folder, Given, InFile, Out, OutFile, PageTitle,
    ProgramLineArgs, RegionArgs, SortedOut, VerdictArgs, sam_tag, versions,
};
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Merge sorted alignment files, or reports of lanes or shards
///
/// The inputs decide what is merged. Sorted BAM, SAM or CRAM files are merged into one sorted file, like `samtools
/// merge` does. Reports are merged into the report of one run over all inputs. Reports of shards must cover their plan
/// exactly once.
///
/// Reports are those of `biofast stats --json`, `flagstat -O json` and `idxstats` (the last two also from samtools),
/// and of `check --json` and `coverage` with --shard.
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
    mut_arg("compat", |a| a.requires("out_dir").value_parser(versions(PEERS))),
    after_help = "\
Examples:
  biofast merge lane1.bam lane2.bam -o both.bam --write-index
  biofast merge -c -p parts/*.bam -o whole.bam
  biofast merge -r -R chr1:1-200,000 lane1.bam lane2.bam -o part.bam
  biofast merge lane1.json lane2.json --json -o both.json
  biofast merge --sample patient7 lane1.json lane2.json
  biofast merge --sample patient7 --out-dir qc lane1.qc.json lane2.qc.json
  biofast merge --library wgs --json lane1.json lane2.json -o both.json
  biofast merge --baseline runs --html trend.html
  biofast merge lane1.flagstat.json lane2.flagstat.json
  biofast merge lane1.idxstats lane2.idxstats
  biofast merge --json part1.json part2.json -o whole.json
  biofast merge part1.coverage.json part2.coverage.json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    /// Sorted alignment files, or reports
    #[arg(required_unless_present_any = ["list", "baseline"], value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more alignment file names from FILE, one per line
    #[arg(short = 'b', long = "files-from", value_name = "FILE")]
    list: Option<InFile>,

    #[command(flatten)]
    out: Out,

    /// Expect alignments sorted by name in natural order: r2 before r10
    #[arg(short = 'n', long, group = "of_alignments")]
    name: bool,

    /// Expect alignments sorted by name, compared byte by byte
    #[arg(short = 'N', long, conflicts_with = "name", group = "of_alignments")]
    lexicographic: bool,

    /// Expect alignments sorted by the value of TAG, then by coordinate, or by name with -n
    #[arg(short = 't', long = "by-tag", value_name = "TAG", value_parser = sam_tag, conflicts_with = "lexicographic", group = "of_alignments")]
    tag: Option<[u8; 2]>,

    /// Expect alignments sorted by the 5′ ends of templates, then by library, molecule (MI) and name
    #[arg(long, conflicts_with_all = ["name", "lexicographic", "tag"], group = "of_alignments")]
    template_coordinate: bool,

    /// Combine read groups that have the same ID
    ///
    /// By default, those of later files get a new ID, also in their reads.
    #[arg(short = 'c', long, group = "of_alignments")]
    combine_rg: bool,

    /// Combine @PG lines that have the same ID
    ///
    /// By default, those of later files get a new ID.
    #[arg(short = 'p', long, group = "of_alignments")]
    combine_pg: bool,

    /// Set the read group of all reads to the name of their file, without .bam, .sam or .cram
    #[arg(short = 'r', long, group = "of_alignments")]
    rg_by_file: bool,

    /// Start the merged header with that of FILE (SAM, BAM or CRAM), before those of the inputs
    #[arg(short = 'h', long = "header", value_name = "FILE", group = "of_alignments")]
    header: Option<InFile>,

    #[command(flatten)]
    regions: RegionArgs,

    #[command(flatten)]
    writing: SortedOut,

    /// Folder for temporary files, used for more than 200 inputs [default: TMPDIR if set, else the folder of the
    /// output]
    #[arg(long, visible_alias = "tmp-dir", value_name = "FOLDER", group = "of_alignments")]
    temp_dir: Option<Folder>,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(long, value_name = "FASTA", group = "of_alignments")]
    reference: Option<InFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    /// Merge all reports into one row with this name
    #[arg(long, value_name = "NAME", group = "of_reports")]
    sample: Option<String>,

    /// Write the files of `biofast stats --out-dir` to DIR, which is created if it doesn't exist
    ///
    /// Only files that the reports suffice for are written. Coverage reports of shards give the files of mosdepth, like
    /// `biofast coverage --out-dir`.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "tsv", "json", "partial"], group = "of_reports")]
    out_dir: Option<Folder>,

    /// Files to write to --out-dir, separated by commas
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "out_dir",
        group = "of_reports"
    )]
    qc: Vec<stats::ReportName>,

    #[command(flatten)]
    compat: CompatArgs,

    #[command(flatten)]
    depths: DepthFiles,

    /// With --json: treat the result as a part, too, and keep what a further merge needs
    ///
    /// See `biofast stats --partial`.
    #[arg(long, requires = "json", group = "of_reports")]
    partial: bool,

    #[command(flatten)]
    format: StatsFormat,

    /// Also write an HTML report to FILE, like `biofast stats --html`
    #[arg(long, value_name = "FILE", group = "of_reports")]
    html: Option<OutFile>,

    #[command(flatten)]
    title: PageTitle,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,

    // A heading is that of all that follows.
    #[command(flatten, next_help_heading = "Verdicts (reports of stats only)")]
    verdicts: VerdictArgs,

    #[command(flatten)]
    baseline: BaselineArg,
}

/// Programs whose reports can be those of an older version.
const PEERS: &[Peer] = &[Peer::Picard, Peer::Mosdepth, Peer::Fastqc];

const OF_DEPTHS: &str = "With --out-dir, for coverage reports of shards: also write the depth of each interval in a BED file, or of \
                         windows of WINDOW bases";

/// What an input holds.
enum Held {
    /// Alignments, and the input if it can't be opened again.
    Alignments(Option<Source>),
    Report,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if args.files.is_empty() && args.list.is_none() {
        return trend(args, session);
    }
    let inputs = inputs::gather(&args.files, args.list.as_deref(), "-", session)?;
    let hint = "name the output with -o: `biofast merge -o OUTPUT INPUT…`";
    inputs::refuse_output_first(&inputs, hint)?;
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
            hint: "merge either sorted alignments (BAM, SAM or CRAM) or reports, such as those of `biofast stats --json`".into(),
        }
        .into()),
        (Some(_), None) => {
            if let Some(option) = args.only_of_reports(session) {
                bail!("{option} applies to reports, but the inputs are alignments");
            }
            alignments::run(args, alignments, session)
        }
        (None, _) => {
            if let Some(option) = args.only_of_alignments(session) {
                bail!("{option} applies to alignments, but the inputs are reports");
            }
            reports::run(args, &inputs, session)
        }
    }
}

/// Merges reports that `command` made of the shards of these plans, each a list of files. What is written is what one run over
/// the files of all plans writes.
pub(super) fn of_plans(
    args: &Args,
    command: &str,
    plans: Vec<Vec<PathBuf>>,
    session: &mut Session,
) -> Result<Exit> {
    let merging = whole::Merging::open(args, session)?;
    let text = |path: PathBuf| -> Result<(String, Vec<u8>)> {
        Ok((display_name(&path), inputs::text(&path, TextBounds::DOCUMENT)?))
    };
    parts::run(command, plans.into_iter().map(|files| files.into_iter().map(text)), merging)
}

/// The page of the reports of `--baseline` alone.
fn trend(args: &Args, session: &mut Session) -> Result<Exit> {
    let Some(page) = args.title.open(session, args.html.as_deref())? else {
        bail!("--baseline without other reports needs --html, for the trend of the samples");
    };
    let judge = args.verdicts.judge(Some(&args.baseline), session)?;
    let history = judge.history.unwrap_or_default();
    let output = page.filled(|title| Ok(html::trend(title, &history)))?;
    commit(vec![output], false)?;
    Ok(Exit::Fine)
}

/// What an input holds. A report is text, and begins with a brace.
fn held(input: &Input) -> Result<Held> {
    let can_reopen = matches!(input, Input::Path(path) if remote::can_reopen(path));
    let mut source = input.open()?;
    let start = source.peek(64).unwrap_or_default();
    if start.trim_ascii_start().starts_with(b"{") {
        if !can_reopen {
            bail!("{}: reports must be files", input.name());
        }
        return Ok(Held::Report);
    }
    match bam::Format::sniff(&mut source) {
        Ok(_) => Ok(Held::Alignments((!can_reopen).then_some(source))),
        Err(error)
            if matches!(
                error.kind(),
                bam::ErrorKind::NotAlignments(bam::DetectedData::MaybeFastq | bam::DetectedData::MaybeFasta)
            ) =>
        {
            Err(Hinted {
                message: format!("{} holds reads, but `merge` takes sorted alignments or reports", input.name()),
                hint: "`biofast cat` concatenates FASTQ; `biofast filter --merge` merges overlapping mates".into(),
            }
            .into())
        }
        // What isn't a report either is told by who reads it.
        Err(error) if can_reopen && matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => {
            Ok(Held::Report)
        }
        Err(error) => Err(error.into()),
    }
}

/// Groups of options that reports have.
const OF_REPORTS: [&str; 6] =
    ["of_reports", "StatsFormat", "CompatArgs", "DepthFiles", "VerdictArgs", "BaselineArg"];

/// Groups of options that alignments have.
const OF_ALIGNMENTS: [&str; 5] =
    ["of_alignments", "RegionArgs", "SortedArgs", "CramArgs", "ProgramLineArgs"];

impl Args {
    /// An option that asks for verdicts, if one is given.
    fn judged_by(&self) -> Option<&'static str> {
        self.verdicts.given().or(self.baseline.is_given().then_some("--baseline"))
    }

    /// The first option given that is of reports.
    fn only_of_reports(&self, session: &Session) -> Option<String> {
        self.given.option(session, "merge", &OF_REPORTS)
    }

    /// The first option given that is of alignments.
    fn only_of_alignments(&self, session: &Session) -> Option<String> {
        self.given.option(session, "merge", &OF_ALIGNMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_options_have_members() {
        let groups = [&OF_REPORTS[..], &OF_ALIGNMENTS].concat();
        assert_eq!(Given::empty_group(crate::commands::all(), "merge", &groups), None);
    }
}
