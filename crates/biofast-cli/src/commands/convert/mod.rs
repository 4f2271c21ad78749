//! `biofast convert`: reads in another format.

mod args;
mod report;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use biofast_bam as bam;
use biofast_fastq::fasta::{LINE_WIDTH, Sequences};
use biofast_fastq::{self as fastq, Inputs};
use biofast_io::output::{self as io_output, Compression};
use biofast_io::{Location, Options, Source, TextBounds, display_name};
use biofast_ops::convert::unique::{RepeatNumbers, UniqueBy};
use biofast_ops::convert::{
    Alphabet, ArchiveNaming, BaseSpan, Case, Convert, Edits, HeaderTemplate, Holds, NameTable,
    NucleicAcid, OutputFormat, Renaming, convert, from_alignments, from_table, letters_of,
};
use biofast_ops::dedup::SpillLimits;
use biofast_ops::filter::names;
use biofast_ops::import::{self, Import, ReadGroup};

use crate::console::{Console, Hinted};
use crate::inputs::{self, Input};
use crate::options::{AlignmentsTarget, OutputSet, Repeated, warn_of_absent_names};
use crate::output::{self, NamedFormat};
use crate::reads_job::{ReadsJob, count_reads};
use crate::session::{Exit, Session};
use crate::watch::Watch;
pub(crate) use args::Args;
use args::{Acid, From, To, Whole};

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let pairing = args.mates.pairing();
    let shards = args.shard.reads(args.mates.named(), args.mates.interleaved(), session)?;
    check_shard(args)?;
    let is_shard = shards.is_some();
    let inputs = match shards {
        Some(shards) => shards,
        None => args.mates.inputs(session)?,
    };
    let job = args.reading.job(inputs, pairing, session);
    let paired = job.is_paired();
    if args.out2.is_some() && !paired {
        bail!("--out2 needs pairs: two files, or --interleaved");
    }
    // A stream is read again where the number of reads must be known first.
    let needs_number = needs_number(args);
    let is_read_again = needs_number || args.changes.unique_names.is_some();
    let limits = args.spill.limits(args.out.as_deref());
    let job = job.rereading(is_read_again);
    let mut sources = Vec::new();
    let mut repeated = Vec::new();
    for input in job.inputs() {
        let input = Repeated::new(input, is_read_again, &limits.folder)?;
        sources.push(input.open()?);
        repeated.push(input);
    }
    let held = held(args, &mut sources)?;
    let to = to(args, held)?;
    if is_shard && (held != Holds::Fastq || to == To::Bam) {
        bail!(
            "--shard needs FASTQ that becomes FASTQ, FASTA or a table; `biofast fastq --shard` writes the reads of BAM"
        );
    }
    // BAM has a field for which of a pair a read is.
    let is_apart = args.out2.is_some() || to == To::Bam;
    args.pairs_out.refuse(job.layout(), args.out.as_deref(), is_apart)?;
    let options = match held {
        Holds::Alignments => args.reading.alignments(),
        _ => args.reading.reads(pairing),
    };
    let mut job = job.holding(report::name(held), options, session);
    let counted = || -> Result<u64> {
        let Some(first) = repeated.first() else { bail!("no input") };
        let options = quietly(&job.watches()[0].options);
        let source = reads(args, held, first.open()?, &Watch::new(session, options.clone()))?;
        let reads = count_reads(Sequences(source), &options)
            .map_err(|error| in_table(held, error.into()))?;
        Ok(job.units(reads))
    };
    let units = units(args, counted)?;
    // What is kept in a temporary file has one place in it, which is at its end when it has been read.
    let open_again = |job: &ReadsJob<'_>| -> Result<Vec<Source>> {
        job.check_unchanged()?;
        repeated.iter().map(|input| Ok(input.open()?)).collect()
    };
    if needs_number {
        sources.clear();
        sources = open_again(&job)?;
    }
    tell_unused(&session.console, args, held, to, &mut sources);
    let groups = ReadGroup::parse(&args.read_group).map_err(anyhow::Error::msg)?;
    let mut plan = Convert {
        units,
        lengths: args.which.min_len.unwrap_or(0)..=args.which.max_len.unwrap_or(usize::MAX),
        names: args.name_map.is_some(),
        mates: pairing.rule(),
        edits: edits(args, session)?,
        ..Convert::to(format(args, held, to, &groups)?)
    };
    let mut opened = open(args, to, session)?;
    if to == To::Bam {
        let mut start = Vec::new();
        import::header(&groups, None)?.write_bam(&mut start)?;
        opened.outputs[0].append(&start)?;
    }
    let names = opened.names();
    let mut outputs = opened.outputs;
    outputs.extend(output::optional_report(session, args.name_map.as_deref())?);
    job.open_report(args.writing.json.as_deref(), session, &mut outputs)?;
    if let Some(by) = args.changes.unique_names {
        let quiet = |watch: &Watch| Watch::new(session, quietly(&watch.options));
        let watches: Vec<Watch> = job.watches().iter().map(quiet).collect();
        let inputs = made(args, held, sources, &job, &watches)?;
        let numbers = numbers(by, inputs, &watches, &plan, &limits);
        job.check_unchanged()?;
        plan.numbers = Some(Arc::new(numbers.map_err(|error| in_table(held, error))?));
        sources = open_again(&job)?;
    }
    let mut sources = made(args, held, sources, &job, job.watches())?;
    plan.edits.alphabet = alphabet(args, job.inputs(), &mut sources);
    let summary = job
        .run(|options| convert(sources, options, &plan, &mut outputs))
        .map_err(|error| in_table(held, error))?;
    if plan.numbers.as_ref().is_some_and(|numbers| numbers.summary().input != summary.input) {
        let names: Vec<String> = job.inputs().iter().map(Input::name).collect();
        bail!("{} changed while it was being read", names.join(" or "));
    }
    let listed = plan.edits.rename.table.as_ref().map(|table| table.summary());
    warn_of_absent_names(args.reading.messages.console(session), listed.as_ref());
    if let (Some(pattern), Some(console)) =
        (&args.changes.rename_regex, args.reading.messages.console(session))
        && !plan.edits.rename.has_matched()
    {
        console.warning(&format!("--rename-regex {pattern} matches no header line"));
    }
    let whole = plan.units == (1..=u64::MAX);
    let renamed = plan.numbers.as_ref().map(|numbers| numbers.len());
    let done = report::Done { summary, held, to, paired, whole, renamed };
    let summary = (report::summary(&done), report::sums(&done, &job, &names));
    job.finish(outputs, args.writing.sync, summary, |console| report::tell(console, &done))
}

/// Refuses what can't be done to a shard as it is done to the whole.
fn check_shard(args: &Args) -> Result<()> {
    let (shard, which) = (&args.shard, &args.which);
    let number = "the reads of shards are not those of the file by number";
    shard.refuse(which.head.is_some(), "--head", number)?;
    shard.refuse(which.tail.is_some(), "--tail", number)?;
    shard.refuse(which.range.is_some(), "--range", number)?;
    let names = "the names of other shards are unknown";
    shard.refuse(args.changes.unique_names.is_some(), "--unique-names", names)
}

/// The inputs, as they are read together.
fn made(
    args: &Args,
    held: Holds,
    sources: Vec<Source>,
    job: &ReadsJob<'_>,
    watches: &[Watch],
) -> Result<Inputs<Sequences>> {
    let made = sources.into_iter().zip(watches);
    let made = made.map(|(source, watch)| reads(args, held, source, watch));
    job.sequences(made.collect::<Result<_>>()?)
}

/// The letters that the other strand is written in.
fn alphabet(args: &Args, named: &[Input], inputs: &mut Inputs<Sequences>) -> Alphabet {
    let of_wholes = || {
        let wholes: Vec<Source> = named.iter().filter_map(Input::open_start).collect();
        (!wholes.is_empty())
            .then(|| wholes.into_iter().find_map(|mut whole| letters_of(&mut whole)))
    };
    match args.changes.alphabet {
        _ if !args.changes.reverse_complement => Alphabet::default(),
        Some(Acid::Dna) => Alphabet::Forced(NucleicAcid::Dna),
        Some(Acid::Rna) => Alphabet::Forced(NucleicAcid::Rna),
        None => {
            let found = of_wholes().unwrap_or_else(|| match inputs {
                Inputs::Single(one) | Inputs::Interleaved(one) => letters_of(&mut one.0),
                Inputs::Paired(one, two) => {
                    letters_of(&mut one.0).or_else(|| letters_of(&mut two.0))
                }
            });
            Alphabet::Expected(found.unwrap_or(NucleicAcid::Dna))
        }
    }
}

/// Looks at all names for those that came before.
fn numbers(
    by: Whole,
    inputs: Inputs<Sequences>,
    watches: &[Watch],
    plan: &Convert,
    limits: &SpillLimits,
) -> Result<RepeatNumbers> {
    let by = match by {
        Whole::Name => UniqueBy::Name,
        Whole::Header => UniqueBy::Header,
    };
    let options = [0, 1].map(|mate: usize| watches[mate].options.clone());
    RepeatNumbers::find(inputs, options, plan, by, limits).map_err(output::failed)
}

/// How a reading is done whose progress and findings aren't told, as there is another one.
fn quietly(options: &Options) -> Options {
    Options { progress: None, notes: None, ..options.clone() }
}

/// What the input holds.
fn held(args: &Args, sources: &mut [Source]) -> Result<Holds> {
    let mut first = None;
    for source in sources.iter_mut() {
        let held = match args.from {
            Some(From::Fastq) => Holds::Fastq,
            Some(From::Fasta) => Holds::Fasta,
            Some(From::Table) => Holds::Table,
            Some(From::Bam) => Holds::Alignments,
            None => Holds::sniff(source)?,
        };
        if *first.get_or_insert(held) != held {
            bail!(
                "the two files have different formats; both files of a pair must have the same format"
            );
        }
    }
    let held = first.unwrap_or(Holds::Fastq);
    let is_fasta = held == Holds::Fasta;
    if args.from.is_some() && matches!(held, Holds::Fastq | Holds::Fasta) {
        for source in sources {
            if fastq::fasta::is_fasta(source)? != is_fasta {
                let (named, found) = if is_fasta { ("FASTA", "FASTQ") } else { ("FASTQ", "FASTA") };
                bail!("{}: expected {named} (--from), found {found}", source.name());
            }
        }
    } else if held == Holds::Alignments && sources.len() > 1 {
        return Err(Hinted {
            message: "two files of alignments can't be paired: BAM has both mates in one file".into(),
            hint: "name one file; if its mates follow each other add --interleaved to keep pairs together".into(),
        }
        .into());
    }
    Ok(held)
}

/// What is written.
fn to(args: &Args, held: Holds) -> Result<To> {
    let is_cram = output::has_extension(args.out.as_deref(), "cram");
    let named = args.out.as_deref().and_then(output::named_format);
    let to = args.to.unwrap_or(match (named, held) {
        (Some(NamedFormat::Fastq), _) => To::Fastq,
        (Some(NamedFormat::Fasta), _) => To::Fasta,
        (Some(NamedFormat::Table), _) => To::Table,
        (Some(NamedFormat::Bam), _) => To::Bam,
        (None, _) if is_cram => To::Bam,
        (None, Holds::Fasta) => To::Fasta,
        (None, _) => To::Fastq,
    });
    if held == Holds::Fasta && args.changes.quality.is_none() && matches!(to, To::Fastq | To::Bam) {
        let format = if to == To::Fastq { "FASTQ" } else { "BAM" };
        return Err(Hinted {
            message: format!("{format} needs qualities, but FASTA has none"),
            hint: "give all bases one quality: --quality 30".into(),
        }
        .into());
    }
    if to == To::Bam && held == Holds::Alignments {
        return Err(Hinted {
            message: "converting alignments to unaligned BAM would lose positions and tags".into(),
            hint: "write alignments unchanged with `biofast view -b FILE -o OUT.bam` or `biofast filter`".into(),
        }
        .into());
    }
    if to == To::Bam && args.out2.is_some() {
        bail!("BAM output has both mates in one file: leave out --out2");
    }
    if to != To::Bam && !args.read_group.is_empty() {
        bail!("--rg-line needs BAM output: name the output .bam or add --to bam");
    }
    Ok(to)
}

/// Says which options make no difference to what is read or written.
fn tell_unused(console: &Console, args: &Args, held: Holds, to: To, sources: &mut [Source]) {
    let quiet = args.reading.messages.quiet;
    if let Some(source) = sources.first_mut() {
        inputs::tell_unused_reference(console, args.reference.as_deref(), source, quiet);
    }
    let warn = |given: bool, what: &str| {
        if given && !quiet {
            console.warning(what);
        }
    };
    let quality = args.changes.quality.is_some() && held != Holds::Fasta;
    warn(quality, "--quality has no effect: the input has qualities");
    let quality = args.changes.quality.is_some() && held == Holds::Fasta && to == To::Fasta;
    warn(quality, "--quality has no effect: FASTA has no qualities");
    let phred64 = args.changes.phred64 && held == Holds::Fasta;
    warn(phred64, "--phred64 has no effect: the input has no qualities");
    let without = held == Holds::Fasta && args.changes.quality.is_none();
    if without || to == To::Fasta {
        let why = if without { "the input has no qualities" } else { "FASTA has no qualities" };
        for (given, name) in [
            (args.changes.bin_quality.is_some(), "--bin-quality"),
            (args.changes.cap_quality.is_some(), "--cap-quality"),
        ] {
            warn(given, &format!("{name} has no effect: {why}"));
        }
    }
    let width = args.line_width.is_some() && to != To::Fasta;
    warn(width, "--line-width has no effect: the output is not FASTA");
}

fn format(args: &Args, held: Holds, to: To, groups: &[ReadGroup]) -> Result<OutputFormat> {
    Ok(match to {
        To::Fastq => OutputFormat::Fastq,
        To::Fasta => {
            let width = if held == Holds::Fasta { LINE_WIDTH } else { 0 };
            OutputFormat::Fasta { width: args.line_width.unwrap_or(width) }
        }
        To::Table => OutputFormat::Table,
        To::Bam => {
            let read_group = match groups {
                [group] => Some(group.id().as_bytes().to_vec()),
                [] => None,
                _ => bail!("--rg-line defines several read groups, but all reads belong to one"),
            };
            let mates = args.mates.pairing().rule();
            OutputFormat::Bam(Box::new(Import { read_group, mates, ..Import::default() }))
        }
    })
}

/// What becomes of names.
fn renaming(args: &Args, session: &mut Session) -> Result<Renaming> {
    let changes = &args.changes;
    let about = || format!("--rename '{}'", changes.rename.as_deref().unwrap_or_default());
    let pattern = match &changes.rename_regex {
        Some(pattern) => {
            let invalid = |error| anyhow!("--rename-regex: invalid regular expression: {error}");
            Some(names::compile(pattern).map_err(invalid)?)
        }
        None => None,
    };
    let template = match (&changes.rename, &pattern) {
        _ if changes.only_id => Some(HeaderTemplate::parse("{name}")?),
        (None, _) => None,
        (Some(text), None) => Some(HeaderTemplate::parse(text).with_context(about)?),
        (Some(text), Some(pattern)) => {
            Some(HeaderTemplate::replacement_of(text, pattern).with_context(about)?)
        }
    };
    let table = match &changes.rename_table {
        Some(path) => {
            session.files.read(path)?;
            let text = inputs::text(path, TextBounds::LIST)?;
            Some(Arc::new(NameTable::parse(&text).with_context(|| display_name(path))?))
        }
        None => None,
    };
    let added = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
    let (prefix, suffix) = (added(&changes.name_prefix), added(&changes.name_suffix));
    let archive = match (&changes.sra_names, changes.original_names) {
        (Some(run), _) => Some(ArchiveNaming::Spots(run.clone().into_bytes())),
        (None, true) => Some(ArchiveNaming::Originals),
        (None, false) => None,
    };
    Ok(Renaming { archive, table, template, pattern, prefix, suffix, ..Renaming::default() })
}

fn edits(args: &Args, session: &mut Session) -> Result<Edits> {
    let changes = &args.changes;
    Ok(Edits {
        phred64: changes.phred64,
        quality: changes.quality.map(|quality| quality + b'!'),
        qualities: match (changes.bin_quality.clone(), changes.cap_quality) {
            (bins, Some(highest)) => Some(bins.unwrap_or_default().capped(highest)),
            (bins, None) => bins,
        },
        subseq: changes.subseq,
        reverse_complement: changes.reverse_complement,
        alphabet: Alphabet::default(),
        letters: match (changes.rna2dna, changes.dna2rna) {
            (true, _) => Some(NucleicAcid::Dna),
            (_, true) => Some(NucleicAcid::Rna),
            _ => None,
        },
        case: match (changes.upper_case, changes.lower_case) {
            (true, _) => Some(Case::Upper),
            (_, true) => Some(Case::Lower),
            _ => None,
        },
        rename: renaming(args, session)?,
    })
}

/// Whether the number of reads must be known first.
fn needs_number(args: &Args) -> bool {
    args.which.tail.is_some() || args.which.range.is_some_and(|(first, last)| first < 0 || last < 0)
}

/// Which reads or pairs are written. `count` tells how many there are.
fn units(args: &Args, count: impl Fn() -> Result<u64>) -> Result<RangeInclusive<u64>> {
    let which = &args.which;
    let (first, last) = match (which.head, which.tail, which.range) {
        (Some(head), ..) => return Ok(1..=head.get()),
        (_, Some(tail), _) => {
            let total = count()?;
            return Ok(total.saturating_sub(tail.get()) + 1..=total);
        }
        (.., Some(range)) => range,
        _ => return Ok(1..=u64::MAX),
    };
    if first > 0 && last > 0 {
        return Ok(first.unsigned_abs()..=last.unsigned_abs());
    }
    // There are fewer reads than that.
    let total = usize::try_from(count()?)?;
    // As of seqkit, what begins before the first read begins with it.
    let first = if first < 0 { first.max(-i64::try_from(total)?) } else { first };
    let range = BaseSpan::new(if first == 0 { 1 } else { first }, last).of(total);
    Ok(range.start as u64 + 1..=range.end as u64)
}

/// The error of a run, with the line of the table, where the input is one: each is a record, and reads are made of them.
fn in_table(held: Holds, error: anyhow::Error) -> anyhow::Error {
    if held != Holds::Table {
        return error;
    }
    match error.downcast::<fastq::Error>() {
        Ok(error) => {
            let at = error.at().clone();
            let line = at.record.or(at.line);
            error.with_at(Location { record: None, line, offset: None, ..at }).into()
        }
        Err(error) => error,
    }
}

/// The input as FASTQ or FASTA.
fn reads(args: &Args, held: Holds, source: Source, watch: &Watch) -> Result<Source> {
    Ok(match held {
        Holds::Fastq | Holds::Fasta => source,
        Holds::Table => from_table(source, &watch.options)?,
        Holds::Alignments => {
            let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
            // As `samtools fastq`: where mates have files of their own, names need no suffix.
            let suffix = args.out2.is_none();
            from_alignments(bam::Input::open(source, &opening)?.source, &watch.options, suffix)?
        }
    })
}

/// Opens the outputs of reads.
fn open(args: &Args, to: To, session: &mut Session) -> Result<OutputSet> {
    let mut opened = OutputSet::default();
    if to == To::Bam && output::has_extension(args.out.as_deref(), "cram") {
        if args.writing.output_format.is_some() {
            bail!("-O has no effect on CRAM, which has its own compression");
        }
        let (path, threads) = (args.out.as_deref(), args.reading.threads.total());
        let target = AlignmentsTarget {
            level: args.writing.level,
            ..AlignmentsTarget::new(path, bam::Format::Cram, threads)
        };
        let output = target.open(session, &bam::Header::default())?.output;
        opened.push(output, args.out.as_deref());
        return Ok(opened);
    }
    for path in std::iter::once(args.out.as_deref()).chain(args.out2.as_deref().map(Some)) {
        let named = path.filter(|path| *path != Path::new("-"));
        opened.add(path, compression(args, to, named)?, session)?;
    }
    Ok(opened)
}

/// How an output is compressed.
fn compression(args: &Args, to: To, path: Option<&Path>) -> Result<Compression> {
    let named = match (to, path) {
        (To::Bam, Some(path)) => output::format_of_bam(path)?,
        (To::Bam, None) => io_output::Format::Bgzf,
        (_, None) => io_output::Format::Plain,
        (To::Fastq, Some(path)) => output::format_of_reads(path)?,
        (To::Fasta, Some(path)) => output::format_of_sequences(path, true)?,
        (To::Table, Some(path)) => output::format_of_table(path)?,
    };
    let format = args.writing.output_format.unwrap_or(named);
    if to == To::Bam && format != io_output::Format::Bgzf {
        bail!("-O has no effect on BAM, which is always BGZF");
    }
    args.writing.compression(named)
}
