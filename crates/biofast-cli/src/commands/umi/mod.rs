//! `biofast umi`: reads grouped by UMI and position, deduplicated, or made consensus reads.

mod correct;
mod molecules;

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Query};
use biofast_io::Options;
use biofast_io::output::{Compression, commit};
use biofast_ops::edit::RewrittenFormat;
use biofast_ops::number::counted;
use biofast_ops::umi::{
    BarcodeTag, FoundUmis, GenePattern, MultimappingTag, UmiGene, UmiLocation, UmiMethod,
    UmiPolicy, UmiReports, UmiRules, UmiTask, WrittenUmis, find_umis,
};
use biofast_report::umi as tables;
use clap::ValueEnum;

use crate::inputs::{self, Rereads};
use crate::options::{
    Folder, InFile, OneFile, OutFile, ProgramLineArgs, Repeated, SortedOut, TransformTarget,
    sam_tag, tell_losses, temp_dir,
};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Correct UMIs, group or deduplicate reads by UMI and position, and call consensus reads, like umi_tools, fgbio and fgumi
///
/// 'dedup' keeps one read of each group, and its mate with --paired. 'group' keeps all reads, and adds the group's number (UG) and UMI
/// (BX). Groups are those of umi_tools 1.1.6. The input is sorted by coordinate and read twice; a pipe is stored in a temporary file first.
///
/// 'correct' replaces UMIs in a tag by the ones of a kit that they are nearest to. Reads with other UMIs are left out.
///
/// 'group --strategy' adds the number of the molecule (MI) instead, 'consensus' calls one read pair for each molecule, and 'filter' masks
/// and filters consensus reads. They follow the rules of `fgumi correct`, `group`, `simplex`, `duplex` and `filter` 0.9. Input for 'group --strategy' is in
/// template-coordinate order (`biofast sort --template-coordinate`), and each command's output fits the next one.
#[derive(clap::Args)]
#[command(
    mut_arg("level", |a| a.short(None)),
    after_help = "\
Examples:
  biofast umi dedup umis.sorted.bam -o unique.bam --write-index
  biofast umi dedup --paired --umi-tag RX umis.sorted.bam -o unique.bam --output-stats unique
  biofast umi group --umi-tag RX umis.sorted.bam -o grouped.bam
  biofast umi group --method cluster --group-out groups.tsv umis.sorted.bam
  biofast umi correct --umi-files kit.txt raw.bam -o corrected.bam
  biofast umi group --strategy adjacency molecules.bam -o mi.bam
  biofast umi consensus --min-reads 1 mi.bam -o consensus.bam
  biofast umi consensus --duplex --min-reads 2,1,1 duplex.mi.bam -o duplex.consensus.bam
  biofast umi filter --min-reads 3 consensus.bam -o filtered.bam")]
pub(crate) struct Args {
    /// What to do
    #[arg(value_enum, value_name = "MODE")]
    mode: UmiMode,

    #[command(flatten)]
    file: OneFile,

    /// Write the output to FILE [default: standard output; nothing with --group-out]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long = "out", value_name = "FILE")]
    out: Option<OutFile>,

    #[command(flatten)]
    writing: SortedOut,

    /// Write a table of reads and their groups to FILE (group)
    #[arg(long, value_name = "FILE")]
    group_out: Option<OutFile>,

    /// Tag of the UMI of the group (group) [default: BX]
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    umi_group_tag: Option<[u8; 2]>,

    /// Write UMI statistics to PREFIX_edit_distance.tsv, PREFIX_per_umi.tsv and PREFIX_per_umi_per_position.tsv (dedup)
    #[arg(long, value_name = "PREFIX", conflicts_with = "ignore_umi")]
    output_stats: Option<OutFile>,

    #[command(flatten, next_help_heading = "Grouping")]
    grouping: GroupingArgs,

    #[command(flatten, next_help_heading = "UMIs and cell barcodes")]
    barcodes: BarcodeArgs,

    #[command(flatten, next_help_heading = "Genes and cells")]
    genes: GeneArgs,

    #[command(flatten, next_help_heading = "Correcting UMIs (correct)")]
    correction: correct::CorrectionArgs,

    #[command(flatten, next_help_heading = "Molecules (group --strategy)")]
    molecules: molecules::MoleculeArgs,

    #[command(flatten, next_help_heading = "Consensus reads (consensus)")]
    consensus: molecules::ConsensusArgs,

    #[command(flatten, next_help_heading = "Filtering consensus reads (filter)")]
    filter: molecules::FilterArgs,

    /// Folder for temporary files [default: TMPDIR if set, else the folder of the output]
    #[arg(long, value_name = "FOLDER")]
    temp_dir: Option<Folder>,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UmiMode {
    /// Add the number and UMI of its group to each read
    Group,
    /// Keep one read of each group
    Dedup,
    /// Replace UMIs by the nearest ones of a list
    Correct,
    /// Call a consensus of the reads of each molecule (MI)
    Consensus,
    /// Mask and filter consensus reads
    Filter,
}

/// What makes reads a group.
#[derive(clap::Args)]
struct GroupingArgs {
    /// How UMIs at one position are grouped
    #[arg(long, value_enum, default_value_t = MethodName::Directional, value_name = "METHOD")]
    method: MethodName,

    /// Mismatches between UMIs that are connected
    #[arg(long, value_name = "N", default_value_t = 1)]
    edit_distance_threshold: u8,

    /// Group by position only (dedup, group --strategy)
    #[arg(long)]
    ignore_umi: bool,

    /// Paired reads: group pairs by the position of read 1 and the template length, and keep mates together
    #[arg(long)]
    paired: bool,

    /// Ignore the template length
    #[arg(long, requires = "paired")]
    ignore_tlen: bool,

    /// Unpaired reads among pairs
    #[arg(long, value_enum, value_name = "WHAT", requires = "paired", default_value_t = PolicyName::Use)]
    unpaired_reads: PolicyName,

    /// Reads whose mate is unmapped; with 'output' or 'use', 'group' also writes unmapped reads
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = PolicyName::Discard)]
    unmapped_reads: PolicyName,

    /// Reads whose mate is on another reference sequence
    #[arg(long, value_enum, value_name = "WHAT", requires = "paired", default_value_t = PolicyName::Use)]
    chimeric_pairs: PolicyName,

    /// Only reads with at least this mapping quality [default: 0, or 1 with --strategy]
    #[arg(long = "min-mapq", alias = "mapping-quality", value_name = "N")]
    min_mapq: Option<u8>,

    /// Treat spliced reads as different from unspliced ones
    #[arg(long)]
    spliced_is_unique: bool,

    /// Clipped bases at the 3′ end above which a read counts as spliced
    #[arg(long, value_name = "N", default_value_t = 4, requires = "spliced_is_unique")]
    soft_clip_threshold: u32,

    /// Treat reads of different lengths as different
    #[arg(long)]
    read_length: bool,

    /// Tag that tells which of several reads aligns to the fewest places (dedup)
    #[arg(long, value_enum, ignore_case = true, value_name = "TAG")]
    multimapping_detection_method: Option<MultimappingName>,

    /// Group when all reads of a reference sequence are read, for reads with more than 1000 clipped bases
    #[arg(long)]
    buffer_whole_contig: bool,
}

/// Where UMIs are.
#[derive(clap::Args)]
struct BarcodeArgs {
    /// Where the UMI is [default: read_id, or tag with --umi-tag]
    #[arg(long, value_enum, value_name = "WHERE")]
    extract_umi_method: Option<LocationName>,

    /// Text before the UMI in the name [default: _]
    #[arg(long, value_name = "CHAR", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    umi_separator: Option<String>,

    /// Tag of the UMI [default: RX]
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    umi_tag: Option<[u8; 2]>,

    /// The UMI in the tag ends before TEXT
    #[arg(long, value_name = "TEXT")]
    umi_tag_split: Option<String>,

    /// Remove TEXT from the UMI in the tag
    #[arg(long, value_name = "TEXT")]
    umi_tag_delimiter: Option<String>,

    /// Tag of the cell barcode
    #[arg(long, value_name = "TAG", value_parser = sam_tag, requires = "per_cell")]
    cell_tag: Option<[u8; 2]>,

    /// The cell barcode in the tag ends before TEXT [default: -]
    #[arg(long, value_name = "TEXT", requires = "cell_tag")]
    cell_tag_split: Option<String>,

    /// Remove TEXT from the cell barcode in the tag
    #[arg(long, value_name = "TEXT", requires = "cell_tag")]
    cell_tag_delimiter: Option<String>,
}

/// What of a gene and of a cell stands for a position.
#[derive(clap::Args)]
struct GeneArgs {
    /// Group by gene instead of position: needs --gene-tag or --per-contig
    #[arg(long)]
    per_gene: bool,

    /// Tag of the gene
    #[arg(long, value_name = "TAG", value_parser = sam_tag, requires = "per_gene", conflicts_with = "per_contig")]
    gene_tag: Option<[u8; 2]>,

    /// Tag that --skip-tags-regex looks at [default: that of --gene-tag]
    #[arg(long, value_name = "TAG", value_parser = sam_tag, requires = "gene_tag")]
    assigned_status_tag: Option<[u8; 2]>,

    /// Skip reads whose gene tag matches this pattern
    #[arg(long, value_name = "REGEX", requires = "gene_tag", default_value = "^(__|Unassigned)")]
    skip_tags_regex: String,

    /// The gene is the reference sequence, e.g. of a transcriptome
    #[arg(long, requires = "per_gene")]
    per_contig: bool,

    /// Group each cell by itself
    #[arg(long)]
    per_cell: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Each UMI by itself
    Unique,
    /// Each by itself, except UMIs with at most 1 % of the median count
    Percentile,
    /// UMIs connected by mismatches
    Cluster,
    /// Connected UMIs, split by the most frequent ones
    Adjacency,
    /// Connected UMIs where each step leads to at most half the count
    Directional,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PolicyName {
    /// Leave them out
    Discard,
    /// Group them
    Use,
    /// Write them without a group (group)
    Output,
}

impl From<PolicyName> for UmiPolicy {
    fn from(typed: PolicyName) -> UmiPolicy {
        match typed {
            PolicyName::Discard => UmiPolicy::Discard,
            PolicyName::Use => UmiPolicy::Use,
            PolicyName::Output => UmiPolicy::Output,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LocationName {
    /// At the end of the name
    #[value(name = "read_id", alias = "read-id")]
    ReadId,
    /// In a tag
    Tag,
    /// In the name after UMI_, between colons
    Umis,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MultimappingName {
    /// The lowest NH
    #[value(name = "NH")]
    Nh,
    /// The lowest X0
    #[value(name = "X0")]
    X0,
    /// XT is U
    #[value(name = "XT")]
    Xt,
}

impl Args {
    /// The file that is written.
    fn out_path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    fn task(&self) -> UmiTask {
        match self.mode {
            UmiMode::Dedup => UmiTask::Dedup,
            _ => UmiTask::Group,
        }
    }

    /// An error if an option has no effect in this mode.
    fn check_mode(&self) -> Result<()> {
        let GroupingArgs {
            ignore_umi,
            unpaired_reads,
            unmapped_reads,
            chimeric_pairs,
            multimapping_detection_method: multimapping,
            ..
        } = &self.grouping;
        let of_dedup = [
            (self.output_stats.is_some(), "--output-stats"),
            (*ignore_umi, "--ignore-umi"),
            (multimapping.is_some(), "--multimapping-detection-method"),
        ];
        let output = PolicyName::Output;
        let of_group = [
            (self.group_out.is_some(), "--group-out"),
            (self.umi_group_tag.is_some(), "--umi-group-tag"),
            (*unpaired_reads == output, "--unpaired-reads output"),
            (*unmapped_reads == output, "--unmapped-reads output"),
            (*chimeric_pairs == output, "--chimeric-pairs output"),
        ];
        let (others, other) = match self.mode {
            UmiMode::Dedup => (&of_group[..], "group"),
            _ => (&of_dedup[..], "dedup"),
        };
        if let Some((_, option)) = others.iter().find(|(is_given, _)| *is_given) {
            bail!("{option} applies only to `biofast umi {other}`");
        }
        if *unmapped_reads == PolicyName::Use && !self.grouping.paired {
            bail!("--unmapped-reads use needs --paired");
        }
        Ok(())
    }

    fn rules(&self) -> Result<UmiRules> {
        self.check_mode()?;
        let grouping = &self.grouping;
        Ok(UmiRules {
            method: match grouping.method {
                MethodName::Unique => UmiMethod::Unique,
                MethodName::Percentile => UmiMethod::Percentile,
                MethodName::Cluster => UmiMethod::Cluster,
                MethodName::Adjacency => UmiMethod::Adjacency,
                MethodName::Directional => UmiMethod::Directional,
            },
            threshold: grouping.edit_distance_threshold.into(),
            location: self.barcodes.location(self.genes.per_cell)?,
            per_cell: self.genes.per_cell,
            gene: self.genes.gene()?,
            ignore_umi: grouping.ignore_umi,
            paired: grouping.paired,
            unpaired: grouping.unpaired_reads.into(),
            unmapped: grouping.unmapped_reads.into(),
            chimeric: grouping.chimeric_pairs.into(),
            min_mapq: grouping.min_mapq.unwrap_or(0),
            spliced_is_unique: grouping.spliced_is_unique,
            soft_clip_threshold: grouping.soft_clip_threshold,
            read_length: grouping.read_length,
            ignore_tlen: grouping.ignore_tlen,
            whole_contig: grouping.buffer_whole_contig,
            multimapping: grouping.multimapping_detection_method.map(|name| match name {
                MultimappingName::Nh => MultimappingTag::Nh,
                MultimappingName::X0 => MultimappingTag::X0,
                MultimappingName::Xt => MultimappingTag::Xt,
            }),
        })
    }
}

impl BarcodeArgs {
    fn location(&self, per_cell: bool) -> Result<UmiLocation> {
        let has_tag = self.umi_tag.is_some() || self.cell_tag.is_some();
        let default = if has_tag { LocationName::Tag } else { LocationName::ReadId };
        let method = self.extract_umi_method.unwrap_or(default);
        let of_tag = [
            (self.umi_tag.is_some(), "--umi-tag"),
            (self.umi_tag_split.is_some(), "--umi-tag-split"),
            (self.umi_tag_delimiter.is_some(), "--umi-tag-delimiter"),
            (self.cell_tag.is_some(), "--cell-tag"),
        ];
        let of_name = [(self.umi_separator.is_some(), "--umi-separator")];
        let idle = match method {
            LocationName::ReadId => of_tag.to_vec(),
            LocationName::Tag => of_name.to_vec(),
            LocationName::Umis => [&of_tag[..], &of_name].concat(),
        };
        if let Some((_, option)) = idle.iter().find(|(is_given, _)| *is_given) {
            let needed = match *option {
                "--umi-separator" => "read_id",
                _ => "tag",
            };
            bail!("{option} needs --extract-umi-method {needed}");
        }
        let text = |text: &Option<String>, default: &str| -> Vec<u8> {
            text.as_deref().unwrap_or(default).as_bytes().to_vec()
        };
        Ok(match method {
            LocationName::ReadId => UmiLocation::Name { separator: text(&self.umi_separator, "_") },
            LocationName::Umis => UmiLocation::NameParts,
            LocationName::Tag => {
                if per_cell && self.cell_tag.is_none() {
                    bail!("--per-cell needs --cell-tag where UMIs are in a tag");
                }
                UmiLocation::Tag {
                    umi: BarcodeTag {
                        end: text(&self.umi_tag_split, ""),
                        delimiter: text(&self.umi_tag_delimiter, ""),
                        ..BarcodeTag::new(self.umi_tag.unwrap_or(*b"RX"))
                    },
                    cell: BarcodeTag {
                        end: text(&self.cell_tag_split, "-"),
                        delimiter: text(&self.cell_tag_delimiter, ""),
                        ..BarcodeTag::new(self.cell_tag.unwrap_or(*b"CB"))
                    },
                }
            }
        })
    }
}

impl GeneArgs {
    fn gene(&self) -> Result<Option<UmiGene>> {
        Ok(match (self.per_gene, self.gene_tag) {
            (false, _) => None,
            (true, None) if self.per_contig => Some(UmiGene::Contig),
            (true, None) => bail!("--per-gene needs --gene-tag or --per-contig"),
            (true, Some(gene)) => {
                let skipped = GenePattern::new(&self.skip_tags_regex)
                    .map_err(|why| anyhow::anyhow!("--skip-tags-regex: {why}"))?;
                let assigned = self.assigned_status_tag.unwrap_or(gene);
                Some(UmiGene::Tag { gene, assigned, skipped })
            }
        })
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    match args.mode {
        UmiMode::Group if args.molecules.strategy.is_some() => molecules::group(args, session),
        UmiMode::Correct => correct::run(args, session),
        UmiMode::Consensus => molecules::consensus(args, session),
        UmiMode::Filter => molecules::filter(args, session),
        UmiMode::Group | UmiMode::Dedup => run_like_umi_tools(args, session),
    }
}

fn run_like_umi_tools(args: &Args, session: &mut Session) -> Result<Exit> {
    let rules = args.rules()?;
    let input = args.file.input(session)?;
    let rereads = Rereads::of(std::slice::from_ref(&input));
    let watch = args.reading.watch(session);
    let reference = args.reference.as_deref();
    let opening = watch.opening(reference, bam::Detail::Full);
    let quiet = args.reading.messages.quiet;
    // A table alone needs no second reading.
    let writes = args.out.is_some() || args.group_out.is_none();
    let folder = temp_dir(args.temp_dir.as_deref(), args.out_path());
    let repeated = Repeated::new(&input, writes, &folder)?;
    let mut source = repeated.open()?;
    if inputs::holds_reads(&mut source)? {
        bail!(
            "{} holds reads, which have no alignments; use `biofast dedup --compare-umi`",
            input.name()
        );
    }
    if !writes || !args.writing.needs_reference(args.out_path()) {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    // A header that can't be read is noticed before any output is touched.
    let query = Query::from(bam::Input::open(source, &opening)?.source);
    let (header, query) = query.peek_header()?;
    let target = match writes {
        false => None,
        true => {
            let written = args.program.header(&header, session).into_owned();
            let threads = watch.options.threads;
            let target =
                args.writing.open(args.out_path(), session, &written, (reference, threads));
            Some(target.map_err(|error| input.blamed(error))?)
        }
    };
    let mut rows = match args.group_out.as_deref() {
        None => None,
        Some(path) => {
            let compression = Compression::new(output::format_of_table(path)?, None)?;
            let mut rows = output::records(session, Some(path), compression)?;
            rows.append(tables::GROUP_HEADER.as_bytes())?;
            Some(rows)
        }
    };
    let mut stats = Vec::new();
    for ending in ["edit_distance", "per_umi", "per_umi_per_position"] {
        if let Some(prefix) = args.output_stats.as_deref() {
            let mut path = OsString::from(prefix);
            path.push(format!("_{ending}.tsv"));
            stats.push(output::report(session, Some(Path::new(&path)))?);
        }
    }
    let others = stats.len() + rows.iter().len();
    let lost = target.as_ref().and_then(|target| target.lost());
    let format = target.as_ref().map(|target| target.format());
    let mut target = match target {
        None => None,
        Some(target) => Some(target.transform(others).map_err(|error| input.blamed(error))?),
    };
    let bar = watch.bar(input.len(), &args.reading.messages);
    watch.begin_phase("grouping", None);
    let reports = UmiReports { rows: rows.as_mut(), statistics: !stats.is_empty() };
    let found = find_umis(query, &watch.options, &rules, args.task(), reports);
    let found = match found {
        Ok(found) => found.with_tags(*b"UG", args.umi_group_tag.unwrap_or(*b"BX")),
        Err(problem) => {
            drop(bar);
            args.reading.tell(&watch, &input);
            return Err(output::failed(problem));
        }
    };
    let mut written = None;
    let mut outputs = Vec::new();
    if let Some(mut target) = target.take() {
        watch.begin_phase("writing", None);
        let source = repeated.open().map_err(bam::Error::from)?;
        let query = Query::from(bam::Input::open(source, &opening)?.source);
        let sam = format.filter(|format| *format == bam::Format::Sam).map(|_| &header);
        let result = write(&found, query, &watch.options, &mut target, sam);
        // A fault that wasn't there before is one of the change.
        rereads.check()?;
        written = Some(result.map_err(output::failed)?);
        outputs = target.finish()?;
    }
    drop(bar);
    args.reading.tell(&watch, &input);
    if let Some(statistics) = found.statistics() {
        let texts = [
            tables::edit_distance(statistics, rules.method),
            tables::per_umi(statistics),
            tables::per_umi_per_position(statistics),
        ];
        for (report, text) in stats.into_iter().zip(texts) {
            outputs.push(output::filled(report, text)?);
        }
    }
    outputs.extend(rows);
    commit(outputs, args.writing.sync())?;
    if !quiet {
        tell(session, &found, written);
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok(Exit::Fine)
}

/// Writes what was found of an input that is opened again.
fn write(
    found: &FoundUmis,
    query: Query,
    options: &Options,
    target: &mut TransformTarget,
    sam: Option<&bam::Header>,
) -> Result<WrittenUmis, biofast_ops::Error> {
    let format = match sam {
        Some(header) => RewrittenFormat::sam(header),
        None => RewrittenFormat::bam(),
    };
    found.write_indexed(query, options, &mut target.outputs, &format, target.indexer.as_ref())
}

/// Says what was found.
fn tell(session: &Session, found: &FoundUmis, written: Option<WrittenUmis>) {
    let console = &session.console;
    let (counts, places) = (found.counts(), found.places());
    let written = written.map_or_else(String::new, |written| {
        format!("; {} written", counted(written.records, "record"))
    });
    console.note(&format!(
        "{} in {} of {} at {}{written}",
        counted(counts.grouped, "read"),
        counted(places.groups, "group"),
        counted(places.umis, "UMI"),
        counted(places.places, "position"),
    ));
    let skipped = [
        (counts.without_umi, "without a UMI or cell barcode were skipped"),
        (counts.without_gene, "without a gene were skipped"),
    ];
    for (reads, what) in skipped {
        if reads > 0 {
            console.warning(&format!("{} {what}", counted(reads, "read")));
        }
    }
    if places.late > 0 {
        console.warning(&format!(
            "{} with more than 1000 clipped bases were grouped apart from reads at the same position",
            counted(places.late, "read")
        ));
        console.hint("use --buffer-whole-contig");
    }
}
