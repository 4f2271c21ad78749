//! Molecules and their consensus reads, as fgbio and fgumi (0.9) have them.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Header, Query};
use biofast_io::output::{Output, commit};
use biofast_ops::edit::{Rewrite, RewrittenFormat};
use biofast_ops::number::counted;
use biofast_ops::umi::{
    ConsensusFilter, ConsensusFilterRules, ConsensusMaker, ConsensusRules, MoleculeGrouper,
    MoleculeRules, MoleculeStrategy,
};
use biofast_report::umi as tables;
use clap::ValueEnum;

use super::Args;
use crate::inputs::{self, Input};
use crate::options::{OutFile, header_value, sam_name, tell_losses};
use crate::output;
use crate::session::{Exit, Session};

/// How templates are put into molecules.
#[derive(clap::Args)]
pub(super) struct MoleculeArgs {
    /// Group templates into molecules by position and UMI (RX, or --umi-tag), and write the number of the molecule to MI
    ///
    /// Records of a molecule stand together in the output. Secondary and supplementary records are left out, and so are templates
    /// without a mapped read, with a low mapping quality, without a UMI or with an N in it.
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub(super) strategy: Option<StrategyName>,

    /// Mismatches between UMIs that are connected [default: 1]
    #[arg(long, value_name = "N")]
    edits: Option<u8>,

    /// Also group reads that failed quality checks (FLAG 512)
    #[arg(long, alias = "include-non-pf-reads")]
    include_non_pf: bool,

    /// Also use unmapped reads: those without a position are one group (group --strategy, consensus)
    #[arg(long)]
    allow_unmapped: bool,

    /// Leave out shorter UMIs, and cut others to the length of the shortest at their position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    min_umi_length: Option<u16>,

    /// Write how many families have each number of templates to FILE, like fgbio
    #[arg(long, value_name = "FILE")]
    family_size_histogram: Option<OutFile>,

    /// Write how many reads were grouped and left out to FILE, like fgbio
    #[arg(long, value_name = "FILE")]
    grouping_metrics: Option<OutFile>,
}

/// How UMIs of one position are put together.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StrategyName {
    /// Equal UMIs
    Identity,
    /// UMIs connected by mismatches
    Edit,
    /// Connected UMIs where each step leads to at most half the count
    Adjacency,
    /// Adjacency of UMIs such as ACG-TTA, where both strands are one molecule (MI ends in /A or /B)
    Paired,
}

/// How consensus reads are called.
#[derive(clap::Args)]
pub(super) struct ConsensusArgs {
    /// Combine both strands of molecules that were grouped with --strategy paired
    #[arg(long)]
    duplex: bool,

    /// Fewest reads: of the molecule, and of a duplex also of the strand with more and of the other (consensus, filter)
    ///
    /// The last value stands for those that are missing. A duplex needs 1 of both strands unless told otherwise.
    #[arg(long, value_name = "N[,N,N]", value_delimiter = ',', num_args = 1)]
    min_reads: Vec<u32>,

    /// Use at most N reads of each end; of a duplex, of each strand
    #[arg(long, alias = "max-reads-per-strand", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_reads: Option<u32>,

    /// Phred quality of errors from before UMIs were attached [default: 45]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(0..=93))]
    error_rate_pre_umi: Option<u8>,

    /// Phred quality of errors from then on until sequencing [default: 40]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(0..=93))]
    error_rate_post_umi: Option<u8>,

    /// Don't use bases of lower quality [default: 10]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(0..=93))]
    min_input_base_quality: Option<u8>,

    /// Write consensus bases of lower quality as N, not for a duplex [default: 2]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(2..=93), conflicts_with = "duplex")]
    min_consensus_base_quality: Option<u8>,

    /// Trim low-quality ends of reads first
    #[arg(long)]
    trim: bool,

    /// Count overlapping bases of a read pair as independent
    #[arg(long)]
    no_overlap_consensus: bool,

    /// Leave out tags with a value for each base (cd, ce, ...)
    #[arg(long)]
    no_per_base_tags: bool,

    /// Start of read names, before the number of the molecule [default: the libraries of the input]
    #[arg(long, value_name = "TEXT", value_parser = sam_name)]
    read_name_prefix: Option<String>,

    /// Read group of consensus reads [default: A]
    #[arg(long, value_name = "ID", value_parser = header_value)]
    read_group_id: Option<String>,
}

/// What is asked of consensus reads.
#[derive(clap::Args)]
pub(super) struct FilterArgs {
    /// Highest rate of errors of a read; of a duplex also of its better strand and of the other [default: 0.025]
    #[arg(long, value_name = "X[,X,X]", value_delimiter = ',', num_args = 1, value_parser = fraction)]
    max_read_error_rate: Vec<f64>,

    /// Mask bases with a higher rate of errors; of a duplex also in its better strand and in the other [default: 0.1]
    #[arg(long, value_name = "X[,X,X]", value_delimiter = ',', num_args = 1, value_parser = fraction)]
    max_base_error_rate: Vec<f64>,

    /// Mask bases of lower quality
    #[arg(long, value_name = "N")]
    min_base_quality: Option<u8>,

    /// Leave out reads with a lower mean quality before masking
    #[arg(long, value_name = "Q", value_parser = not_negative)]
    min_mean_base_quality: Option<f64>,

    /// Leave out reads with a higher fraction of N after masking; from 1 on, with more than so many [default: 0.2]
    #[arg(long, value_name = "X", value_parser = fraction_or_count)]
    max_no_call_fraction: Option<f64>,

    /// Mask bases of a duplex about which both strands disagree
    #[arg(long)]
    require_single_strand_agreement: bool,

    /// Filter records by themselves; otherwise all of a name are left out if a primary one is
    #[arg(long)]
    single_records: bool,

    /// Reverse tags with a value for each base where the read is reversed, for reads that were aligned
    #[arg(long)]
    reverse_per_base_tags: bool,
}

fn not_negative(typed: &str) -> Result<f64, String> {
    match typed.parse() {
        Ok(number) if f64::is_finite(number) && number >= 0.0 => Ok(number),
        _ => Err("expected a number of 0 or more".into()),
    }
}

fn fraction(typed: &str) -> Result<f64, String> {
    not_negative(typed)
        .ok()
        .filter(|number| *number <= 1.0)
        .ok_or_else(|| "expected a number from 0 to 1".into())
}

fn fraction_or_count(typed: &str) -> Result<f64, String> {
    not_negative(typed)
        .ok()
        .filter(|number| *number < 1.0 || number.fract() == 0.0)
        .ok_or_else(|| "expected a fraction below 1, or a number of bases".into())
}

/// The values of both strands together, of one and of the other: the last one is repeated.
fn three<T: Copy>(values: &[T], option: &str) -> Result<Option<[T; 3]>> {
    Ok(match *values {
        [] => None,
        [one] => Some([one; 3]),
        [one, other] => Some([one, other, other]),
        [one, other, last] => Some([one, other, last]),
        _ => bail!("{option} takes up to three values"),
    })
}

impl ConsensusArgs {
    fn min_reads(&self) -> Result<Option<[u32; 3]>> {
        let least = three(&self.min_reads, "--min-reads")?;
        match least {
            Some([one, other, last]) if other > one || last > other => {
                bail!("--min-reads goes from high to low: the molecule, one strand, the other")
            }
            least => Ok(least),
        }
    }

    fn rules(&self, allow_unmapped: bool) -> Result<ConsensusRules> {
        let least = match (self.min_reads()?, self.duplex) {
            (Some([0, ..]), false) => bail!("--min-reads must be at least 1"),
            (Some(_), false) if self.min_reads.len() > 1 => {
                bail!("--min-reads takes one value without --duplex")
            }
            (Some(least), _) => least,
            (None, true) => [1; 3],
            (None, false) => bail!("--min-reads is missing: name the fewest reads of a molecule"),
        };
        if self.max_reads.is_some_and(|most| most < least[0] && !self.duplex) {
            bail!("--max-reads must not be below --min-reads");
        }
        let mut rules = ConsensusRules::new(least.map(|least| least as usize));
        rules.duplex = self.duplex;
        rules.max_reads = self.max_reads.map(|most| most as usize);
        rules.error_rate_pre_umi = self.error_rate_pre_umi.unwrap_or(rules.error_rate_pre_umi);
        rules.error_rate_post_umi = self.error_rate_post_umi.unwrap_or(rules.error_rate_post_umi);
        rules.min_input_base_quality =
            self.min_input_base_quality.unwrap_or(rules.min_input_base_quality);
        rules.min_consensus_base_quality =
            self.min_consensus_base_quality.unwrap_or(rules.min_consensus_base_quality);
        rules.trim = self.trim;
        rules.consensus_overlaps = !self.no_overlap_consensus;
        rules.allow_unmapped = allow_unmapped;
        rules.per_base_tags = !self.no_per_base_tags;
        rules.name_prefix = self.read_name_prefix.as_ref().map(|text| text.as_bytes().to_vec());
        if let Some(id) = &self.read_group_id {
            rules.read_group = id.as_bytes().to_vec();
        }
        Ok(rules)
    }
}

impl FilterArgs {
    fn rules(&self, consensus: &ConsensusArgs) -> Result<ConsensusFilterRules> {
        let Some(least) = consensus.min_reads()? else {
            bail!("--min-reads is missing: name the fewest reads of a consensus")
        };
        let mut rules = ConsensusFilterRules::new(least.map(u64::from));
        for (values, option, rates) in [
            (&self.max_read_error_rate, "--max-read-error-rate", &mut rules.max_read_error_rate),
            (&self.max_base_error_rate, "--max-base-error-rate", &mut rules.max_base_error_rate),
        ] {
            *rates = three(values, option)?.unwrap_or(*rates);
            if rates[1] > rates[2] {
                bail!(
                    "{option}: the rate of the better strand must not be above that of the other"
                );
            }
        }
        rules.min_base_quality = self.min_base_quality;
        rules.min_mean_base_quality = self.min_mean_base_quality;
        rules.max_no_call_fraction =
            self.max_no_call_fraction.unwrap_or(rules.max_no_call_fraction);
        rules.require_strand_agreement = self.require_single_strand_agreement;
        rules.single_records = self.single_records;
        rules.reverse_per_base_tags = self.reverse_per_base_tags;
        Ok(rules)
    }
}

pub(super) fn group(args: &Args, session: &mut Session) -> Result<Exit> {
    let MoleculeArgs { strategy, edits, min_umi_length, .. } = &args.molecules;
    let strategy = match strategy {
        Some(StrategyName::Edit) => MoleculeStrategy::Edit,
        Some(StrategyName::Adjacency) => MoleculeStrategy::Adjacency,
        Some(StrategyName::Paired) => MoleculeStrategy::Paired,
        Some(StrategyName::Identity) | None => MoleculeStrategy::Identity,
    };
    if strategy == MoleculeStrategy::Identity && edits.is_some() {
        bail!("--edits has no effect with --strategy identity");
    }
    if strategy == MoleculeStrategy::Paired && min_umi_length.is_some() {
        bail!("--min-umi-length can't be used with --strategy paired");
    }
    if strategy != MoleculeStrategy::Identity && args.grouping.ignore_umi {
        bail!("--ignore-umi needs --strategy identity");
    }
    let mut rules = MoleculeRules::new(strategy);
    rules.edits = edits.map_or(rules.edits, usize::from);
    rules.umi_tag = args.barcodes.umi_tag.unwrap_or(rules.umi_tag);
    rules.min_mapq = args.grouping.min_mapq.unwrap_or(rules.min_mapq);
    rules.include_qc_fail = args.molecules.include_non_pf;
    rules.allow_unmapped = args.molecules.allow_unmapped;
    rules.min_umi_len = min_umi_length.map(usize::from);
    rules.ignore_umi = args.grouping.ignore_umi;
    let reports = [&args.molecules.family_size_histogram, &args.molecules.grouping_metrics];
    let mut opened = Vec::new();
    for path in reports {
        let path = path.as_deref();
        opened.push(path.map(|path| output::report(session, Some(path))).transpose()?);
    }
    let (counts, mut outputs) = rewrite(args, session, None, |input, header| {
        MoleculeGrouper::new(&input.in_words(), header, rules).map_err(output::failed)
    })?;
    let texts = [tables::family_sizes(&counts), tables::grouping_metrics(&counts)];
    for (report, text) in opened.into_iter().zip(texts) {
        outputs.extend(report.map(|report| output::filled(report, text)).transpose()?);
    }
    commit(outputs, args.writing.sync())?;
    if !args.reading.messages.quiet {
        session.console.note(&format!(
            "{} in {}, {} left out",
            counted(counts.accepted, "read"),
            counted(counts.molecules, "molecule"),
            counted(
                counts.qc_fail + counts.poor_alignment + counts.n_in_umi + counts.short_umi,
                "read"
            ),
        ));
        if counts.without_umi > 0 {
            let reads = counted(counts.without_umi, "read");
            session.console.warning(&format!("{reads} without a UMI were left out"));
        }
    }
    Ok(Exit::Fine)
}

pub(super) fn consensus(args: &Args, session: &mut Session) -> Result<Exit> {
    let rules = args.consensus.rules(args.molecules.allow_unmapped)?;
    let (counts, outputs) = rewrite(args, session, None, |input, header| {
        ConsensusMaker::new(&input.in_words(), header, rules).map_err(output::failed)
    })?;
    commit(outputs, args.writing.sync())?;
    if !args.reading.messages.quiet {
        let console = &session.console;
        console.note(&format!(
            "{} of {} with a consensus, {} written",
            counts.called,
            counted(counts.molecules, "molecule"),
            counted(counts.reads, "read"),
        ));
        if counts.without_molecule > 0 {
            let records = counted(counts.without_molecule, "record");
            console.warning(&format!("{records} without a molecule (MI) were skipped"));
        }
    }
    Ok(Exit::Fine)
}

pub(super) fn filter(args: &Args, session: &mut Session) -> Result<Exit> {
    let rules = args.filter.rules(&args.consensus)?;
    let (counts, outputs) = rewrite(args, session, None, |input, header| {
        ConsensusFilter::new(&input.in_words(), header, rules).map_err(output::failed)
    })?;
    commit(outputs, args.writing.sync())?;
    if !args.reading.messages.quiet {
        session.console.note(&format!(
            "{} of {} written, {} masked",
            counts.written,
            counted(counts.records, "record"),
            counted(counts.masked, "base"),
        ));
    }
    Ok(Exit::Fine)
}

/// Writes what the change that `plan` makes for a header makes of the records, and records that are left out to a file, if the change has
/// such. Returns what it counted, and the outputs.
pub(super) fn rewrite<R: Rewrite>(
    args: &Args,
    session: &mut Session,
    rejected: Option<&Path>,
    plan: impl FnOnce(&Input, &Header) -> Result<R>,
) -> Result<(R::Counts, Vec<Output>)> {
    let input = args.file.input(session)?;
    let watch = args.reading.watch(session);
    let reference = args.reference.as_deref();
    let opening = watch.opening(reference, bam::Detail::Full);
    let quiet = args.reading.messages.quiet;
    let mut source = input.open()?;
    if inputs::holds_reads(&mut source)? {
        bail!("{} holds reads, which have no alignments and no molecules", input.name());
    }
    if !args.writing.needs_reference(args.out_path()) {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    let query = Query::from(bam::Input::open(source, &opening)?.source);
    let (header, query) = query.peek_header()?;
    let change = plan(&input, &header)?;
    let written = args.program.header(change.header(), session).into_owned();
    let threads = watch.options.threads;
    let target = args.writing.open(args.out_path(), session, &written, (reference, threads));
    let target = target.map_err(|error| input.blamed(error))?;
    let lost = target.lost();
    let beside = match rejected {
        None => None,
        Some(path) => {
            let (output, format) =
                args.writing.open_beside(path, session, &written, (reference, threads))?;
            if (format == bam::Format::Sam) != (target.format() == bam::Format::Sam) {
                bail!(
                    "--rejected is SAM and the output isn't, or the other way round: choose one format with -O"
                );
            }
            Some(output)
        }
    };
    let format = match target.format() {
        bam::Format::Sam => RewrittenFormat::sam(change.header()),
        _ => RewrittenFormat::bam(),
    };
    let others = usize::from(beside.is_some());
    let mut target = target.transform(others).map_err(|error| input.blamed(error))?;
    target.outputs.extend(beside);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = change.write(query, &watch.options, &format, &mut target.outputs);
    drop(bar);
    args.reading.tell(&watch, &input);
    let counts = result.map_err(output::failed)?;
    if !quiet {
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok((counts, target.finish()?))
}
