//! `biofast filter` on alignments: records chosen as by `samtools view`, and unaligned ones trimmed and
//! selected as FASTQ.

mod outputs;
mod pass;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Detail, Header, Query, Selection};
use biofast_io::{Escaped, Options, Source, display_name};
use biofast_ops::dedup::SpillLimits;
use biofast_ops::filter::Filter;
use biofast_ops::filter::alignment::{Choice, TemplateDecisions, TemplateRule, decide};
use biofast_ops::filter::report::{FileRole, FileSum, RecordChecksums};
use biofast_ops::measure::records::RecordSum;

use super::args::{Args, FilterPairRule};
use super::chain;
use super::report::FilterReports;
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::{
    RegionArgs, keeps_templates_together, tell_losses, temp_dir, warn_of_absent_names,
};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;
use pass::Pass;

/// Filters an input that holds alignments and has been opened.
pub(super) fn run(
    args: &Args,
    input: &Input,
    source: Source,
    session: &mut Session,
) -> Result<Exit> {
    let (plan, query) = plan(args, input, source, session)?;
    match args.alignments.count {
        true => count(args, input, &plan, query, session)?,
        false => write(args, input, &plan, query, session)?,
    }
    Ok(Exit::Fine)
}

/// What is to be done.
struct AlignmentPlan {
    watch: Watch,
    header: Header,
    choice: Choice,
    /// What is kept of whole templates, if that was asked for.
    templates: Option<Templates>,
    /// The sample as a comment of the header, if one is taken.
    sampling: Option<String>,
    /// How unaligned reads are trimmed and selected, if that was asked for.
    chain: Option<Filter>,
    /// Bytes to read.
    total: Option<u64>,
    /// Whether only a part of the input is read.
    partial: bool,
}

/// Whole templates.
struct Templates {
    rule: TemplateRule,
    /// What the first reading found, if their records don't stand together.
    decisions: Option<TemplateDecisions>,
}

/// How templates are told, of an input that has been opened and stays unread. One that isn't grouped by name is read once for it.
fn templates(
    session: &Session,
    args: &Args,
    input: &Input,
    query: Query,
    header: &Header,
    choice: &Choice,
    watch: &Watch,
) -> Result<(Option<Templates>, Query)> {
    let Some(pair) = args.which.pair.filter(|_| args.only_of_unaligned(session).is_none()) else {
        return Ok((None, query));
    };
    let rule = match pair {
        FilterPairRule::Both => TemplateRule::Both,
        FilterPairRule::Any => TemplateRule::Any,
    };
    if args.alignments.wants_other_than_primary() {
        bail!(
            "--pair can't be combined with -f or --include-flags for secondary or supplementary records: primary records decide about their template"
        );
    }
    if choice.wants_all() {
        if !args.reading.messages.quiet {
            let said = "--pair has no effect without an option that selects records";
            session.console.warning(said);
        }
        return Ok((None, query));
    }
    let chosen = &args.alignments;
    let opening = watch.opening(chosen.reference.as_deref(), Detail::Full);
    if args.shard.any() {
        keeps_templates_together(input)?;
        return Ok((Some(Templates { rule, decisions: None }), query));
    }
    if header.is_grouped_by_name() {
        return Ok((Some(Templates { rule, decisions: None }), query));
    }
    if input.len().is_none() {
        bail!(
            "--pair: {} can be read only once, and its header doesn't show that records are grouped by name; name a file, or sort it by name first: biofast sort -n",
            Escaped(input.name().as_bytes())
        );
    }
    let limits = SpillLimits {
        memory: MEMORY,
        folder: temp_dir(args.which.temp_dir.as_deref(), args.out.as_deref()),
    };
    // What is noticed is noticed once, by the second reading.
    let options = Options { notes: None, progress: None, ..watch.options.clone() };
    let again: Query = bam::Input::open(input.open()?, &opening)?.source.into();
    let decisions =
        decide(again, &options, choice, rule, &limits).map_err(crate::commands::sort::explained)?;
    Ok((Some(Templates { rule, decisions: Some(decisions) }), query))
}

/// Bytes of memory that the first reading takes before it uses temporary files.
const MEMORY: usize = 64 << 20;

/// The plan that the arguments mean, and the records it is for.
fn plan(
    args: &Args,
    input: &Input,
    mut source: Source,
    session: &mut Session,
) -> Result<(AlignmentPlan, Query)> {
    let name = input.name();
    let name = Escaped(name.as_bytes());
    if let Some(option) = args.only_of_fastq(session) {
        return Err(Hinted::error(
            format!("{option} applies to FASTQ, but {name} holds alignments"),
            instead(&option),
        ));
    }
    let mut choice = args.alignments.choice()?;
    let watch = Watch::new(session, args.reading.alignments());
    let reference = args.alignments.reference.as_deref();
    if !outputs::selected(args, 1)?.needs_reference() {
        let quiet = args.reading.messages.quiet;
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    let (query, tested) = query(args, input, source, &watch)?;
    let partial = !query.is_everything();
    let total = query.stored_len().or(input.len());
    // A header that can't be read is noticed before any output is touched.
    let (header, query) = query.peek_header()?;
    if let Some(tested) = tested {
        choice = choice.regions(tested.resolve(&header)?);
    }
    let console = args.reading.messages.console(session);
    let (choice, sampling) = args.alignments.content.complete(choice, &header, console)?;
    let chain = match args.only_of_unaligned(session) {
        Some(option) if !header.references().is_empty() => {
            return Err(Hinted::error(
                format!("{option} applies to reads and unaligned BAM, but {name} holds alignments"),
                of_alignments(&option),
            ));
        }
        Some(option) if args.shard.any() => {
            bail!(
                "{option} can't be combined with --shard: the mate of an unaligned read may be in another shard"
            )
        }
        // Whether there are pairs is seen when they are read.
        Some(_) => Some(chain::filter(args, true, &chain::Looked::default(), session)?),
        None => None,
    };
    let (templates, query) = templates(session, args, input, query, &header, &choice, &watch)?;
    Ok((AlignmentPlan { watch, header, choice, templates, sampling, chain, total, partial }, query))
}

/// What alignments have in the place of an option of FASTQ.
fn instead(option: &str) -> &'static str {
    match option {
        "--interleaved" => "leave it out: flags mark the mates of alignments",
        "--rejected" => "for alignments use -U FILE",
        "--sample-fraction" | "--sample-count" => "for alignments use -s SEED.FRACTION",
        _ => "`biofast fastq FILE` converts alignments to FASTQ",
    }
}

/// What alignments have in the place of an option of reads.
fn of_alignments(option: &str) -> &'static str {
    let long = option.split_once('(').map_or(option, |(_, long)| long.trim_end_matches(')'));
    match long {
        "--names" => "for alignments use -N FILE",
        "--min-len" => "for alignments use -e 'length(seq) >= N'",
        "--max-len" => "for alignments use -e 'length(seq) <= N'",
        "--min-mean-qual" => "for alignments use -e 'avg(qual) >= N'",
        "--name-regex" => "for alignments use -e 'qname =~ \"REGEX\"'",
        _ => {
            "to trim or filter their reads: `biofast fastq FILE | biofast filter - …`; alignments are selected with -e and other options"
        }
    }
}

/// Prints the number of records.
fn count(
    args: &Args,
    input: &Input,
    plan: &AlignmentPlan,
    query: Query,
    session: &mut Session,
) -> Result<()> {
    let printed = output::report(session, args.out.as_deref())?;
    let pass =
        Pass { watch: &plan.watch, choice: &plan.choice, command_line: session.command_line() };
    let bar = plan.watch.bar(plan.total, &args.reading.messages);
    let result = match (&plan.chain, &plan.templates) {
        (Some(chain), _) => pass.count_reads(chain, query),
        (None, Some(Templates { rule, decisions })) => {
            pass.count_templates(*rule, decisions.as_ref(), query)
        }
        (None, None) => pass.count(query),
    };
    drop(bar);
    plan.watch.tell(input, None, &args.reading.messages, &args.reading.threads);
    output::finish(printed, format!("{}\n", result?))
}

/// Writes the records.
fn write(
    args: &Args,
    input: &Input,
    plan: &AlignmentPlan,
    query: Query,
    session: &mut Session,
) -> Result<()> {
    let AlignmentPlan { watch, header, choice, templates, sampling, chain, total, partial } = plan;
    let mut header = choice.header(header);
    if let Some(sampling) = sampling {
        header = header.with_comment(sampling);
    }
    let mut outputs =
        outputs::open(args, &header, (chain.is_some(), watch.options.threads), session)
            .map_err(|error| input.blamed(error))?;
    let reports = FilterReports::open(args, session)?;
    output::outlast_readers(&mut outputs.all, reports.len());
    let pass = Pass { watch, choice, command_line: session.command_line() };
    let bar = watch.bar(*total, &args.reading.messages);
    let result = match (chain, templates) {
        (Some(chain), _) => pass.trim(chain, query, &mut outputs),
        (None, Some(Templates { rule, decisions })) => {
            pass.select_templates(*rule, decisions.as_ref(), query, &mut outputs)
        }
        (None, None) => pass.select(query, &mut outputs),
    };
    drop(bar);
    watch.tell(input, None, &args.reading.messages, &args.reading.threads);
    let report = result?;
    let listed = match chain {
        Some(chain) if choice.listed_names().is_none() => chain.listed_names(),
        _ => choice.listed_names(),
    };
    warn_of_absent_names(args.reading.messages.console(session), listed.as_ref());
    let sums = sums(args, input, *partial, &report.records);
    let report = report.with_listed_names(listed).with_files(sums);
    let lost = std::mem::take(&mut outputs.lost);
    reports.finish(session, args, report, outputs.finish()?)?;
    let console = args.reading.messages.console(session);
    lost.iter().for_each(|lost| tell_losses(Some(lost), console));
    Ok(())
}

/// The input and the outputs, with what was read from and written to each.
fn sums(args: &Args, input: &Input, partial: bool, sums: &RecordChecksums) -> Vec<FileSum> {
    let file = |path: String, role, records: &RecordSum| {
        let partial = partial && role == FileRole::Input;
        FileSum { path, role, partial, records: records.clone() }
    };
    let out = args.out.as_deref().map_or("-".into(), display_name);
    let mut files = vec![
        file(input.name(), FileRole::Input, &sums.input),
        file(out, FileRole::Output, &sums.output),
    ];
    if let Some(path) = &args.alignments.unselected {
        files.push(file(display_name(path), FileRole::Rejected, &sums.rejected));
    }
    files
}

/// What is read, and the regions its records are tested against beside that.
///
/// Regions are looked up by an index, and so is -L alone. With -L beside regions, records must
/// overlap both, with -M where they overlap each other. Records that aren't selected include those
/// outside -L, but not those outside what is looked up.
fn query(
    args: &Args,
    input: &Input,
    source: Source,
    watch: &Watch,
) -> Result<(Query, Option<Selection>)> {
    let chosen = &args.alignments;
    let mut regions = chosen.regions.regions.clone();
    for place in args.files.get(1..).unwrap_or_default() {
        match place.to_str() {
            Some(place) => regions.push(place.to_owned()),
            None => bail!("the region {} is not UTF-8", display_name(place)),
        }
    }
    let named = RegionArgs { regions, regions_file: None };
    let listed = RegionArgs { regions_file: chosen.regions.regions_file.clone(), regions: vec![] };
    let (looked_up, tested) = match (named.any(), listed.any()) {
        (false, false) => (None, None),
        // The mate of what is in a region may be anywhere.
        (true, false) if args.which.pair.is_some() => (None, Some(named.selection()?)),
        (false, true) if args.which.pair.is_some() => (None, Some(listed.selection()?)),
        (true, true) if args.which.pair.is_some() && chosen.multi_region => {
            (None, Some(named.selection()?.within(listed.selection()?)))
        }
        (true, true) if args.which.pair.is_some() => {
            bail!("with --pair, combining regions and -L needs -M")
        }
        (true, false) => (Some(named.selection()?), None),
        (false, true) if chosen.unselected.is_some() && !chosen.multi_region => {
            (None, Some(listed.selection()?))
        }
        (false, true) => (Some(listed.selection()?), None),
        (true, true) if chosen.multi_region => {
            (Some(named.selection()?.within(listed.selection()?)), None)
        }
        (true, true) => (Some(named.selection()?), Some(listed.selection()?)),
    };
    // Names are needed for templates.
    let is_simple = !chosen.looks_inside() && args.which.pair.is_none();
    let detail = match chosen.count && is_simple {
        true if named.any() || listed.any() => Detail::Alignment,
        true => Detail::Placement,
        false => Detail::Full,
    };
    let opening = watch.opening(chosen.reference.as_deref(), detail);
    let query = match looked_up {
        Some(selection) => RegionArgs::select(
            args.reading.messages.of(&watch.console),
            &selection,
            input,
            source,
            &opening,
        )?,
        None => bam::Input::open(source, &opening)?.source.into(),
    };
    Ok((query, tested))
}
