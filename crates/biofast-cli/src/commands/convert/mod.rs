//! `biofast convert`: reads in another format.

mod args;
mod report;

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::fastq::fasta::{LINE_WIDTH, Sequences};
use biofast::fastq::{self, Inputs};
use biofast::io::output::{self as io_output, Compression, Files, Output, commit};
use biofast::io::{Location, Options, Source};
use biofast::ops::convert::unique::{By, Numbers, Problem};
use biofast::ops::convert::{
    Alphabet, Case, Convert, Edits, Format, Holds, Letters, Span, Template, convert,
    from_alignments, from_table, letters_of,
};
use biofast::ops::dedup::Limits;
use biofast::ops::import::{self, Import, ReadGroup};
use biofast::ops::order;

use crate::console::{Hinted, message};
use crate::inputs::{self, Input, Rereads};
use crate::options::{Opened, Repeated};
use crate::output::{self, Named};
use crate::watch::Watch;
pub(crate) use args::Args;
use args::{Acid, From, To, Whole};

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let (inputs, paired) = args.mates.inputs(files)?;
    if args.out2.is_some() && !paired {
        bail!("--out2 needs pairs: two files, or --interleaved");
    }
    let is_two = (inputs.len(), paired);
    // A stream is read again where the number of reads must be known first.
    let needs_number = needs_number(args);
    let is_read_again = needs_number || args.changes.unique_names.is_some();
    let limits = args.spill.limits(args.out.as_deref());
    let rereads = is_read_again.then(|| Rereads::of(&inputs));
    let unchanged = || rereads.as_ref().map_or(Ok(()), Rereads::check);
    let mut sources = Vec::new();
    let mut repeated = Vec::new();
    for input in &inputs {
        let input = Repeated::new(input, is_read_again, &limits.folder)?;
        sources.push(input.open()?);
        repeated.push(input);
    }
    let held = held(args, &mut sources)?;
    let to = to(args, held)?;
    // BAM has a field for which of a pair a read is.
    let is_apart = args.out2.is_some() || to == To::Bam;
    args.pairs_out.refuse(is_two, args.out.as_deref(), is_apart)?;
    let progress = Arc::default();
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading(args, held)));
    let counted = || -> Result<u64> {
        let Some(first) = repeated.first() else { bail!("no input") };
        let reads = count(args, held, first.open()?, &quietly(&watches[0].options))?;
        Ok(if args.mates.is_interleaved() { reads / 2 } else { reads })
    };
    let units = units(args, counted)?;
    // What is kept in a temporary file has one place in it, which is at its end when it has been read.
    let open_again = || -> Result<Vec<Source>> {
        unchanged()?;
        repeated.iter().map(|input| Ok(input.open()?)).collect()
    };
    if needs_number {
        sources.clear();
        sources = open_again()?;
    }
    tell_unused(args, held, to, &mut sources);
    let groups = ReadGroup::parse(&args.read_group).map_err(anyhow::Error::msg)?;
    let mut plan = Convert {
        units,
        lengths: args.which.min_len.unwrap_or(0)..=args.which.max_len.unwrap_or(usize::MAX),
        names: args.name_map.is_some(),
        mates: args.mates.pairing().rule(),
        edits: edits(args)?,
        ..Convert::to(format(args, held, to, &groups)?)
    };
    let mut opened = open(args, to, files)?;
    if to == To::Bam {
        let mut start = Vec::new();
        import::header(&groups)?.write_bam(&mut start)?;
        opened.outputs[0].append(&start)?;
    }
    let names = output::optional_report(files, args.name_map.as_deref())?;
    let report = output::optional_report(files, args.writing.json.as_deref())?;
    let Opened { mut outputs, paths } = opened;
    outputs.extend(names);
    output::outlast_readers(&mut outputs, report.iter().len());
    if let Some(by) = args.changes.unique_names {
        let watch = |watch: &Watch| Watch::new(quietly(&watch.options));
        let watches = watches.each_ref().map(watch);
        let inputs = made(args, held, sources, &watches, paired)?;
        let numbers = numbers(by, inputs, &watches, &plan, &limits);
        unchanged()?;
        plan.numbers = Some(Arc::new(numbers.map_err(|error| in_table(held, error))?));
        sources = open_again()?;
    }
    let mut sources = made(args, held, sources, &watches, paired)?;
    plan.edits.alphabet = alphabet(args, &mut sources);
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    let options = watches.each_ref().map(|watch| watch.options.clone());
    let result = convert(sources, options, &plan, &mut outputs);
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(input, report::name(held), &args.messages, &args.threads);
    }
    // A fault that wasn't there before is one of the change.
    unchanged()?;
    let summary = result.map_err(|failure| in_table(held, output::failed(failure)))?;
    if plan.numbers.as_ref().is_some_and(|numbers| numbers.summary().input != summary.input) {
        let names: Vec<String> = inputs.iter().map(Input::name).collect();
        bail!("{} changed while it was read", names.join(" or "));
    }
    let whole = plan.units == (1..=u64::MAX);
    let renamed = plan.numbers.as_ref().map(|numbers| numbers.len());
    let done = report::Done { summary, held, to, paired, whole, renamed };
    if let Some(report) = report {
        let sums = report::sums(&done, &inputs, &paths);
        let text = output::summary_of_files(report::summary(&done), &sums)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.writing.sync)?;
    if !args.messages.quiet {
        report::tell(&done);
    }
    Ok(ExitCode::SUCCESS)
}

/// The inputs, as they are read together.
fn made(
    args: &Args,
    held: Holds,
    sources: Vec<Source>,
    watches: &[Watch; 2],
    paired: bool,
) -> Result<Inputs<Sequences>> {
    let mut made = Vec::new();
    for (source, watch) in sources.into_iter().zip(watches) {
        made.push(Sequences(reads(args, held, source, watch)?));
    }
    let mut made = made.into_iter();
    Ok(match (made.next(), made.next()) {
        (Some(one), Some(two)) => Inputs::Paired(one, two),
        (Some(one), None) if paired => Inputs::Interleaved(one),
        (Some(one), None) => Inputs::Single(one),
        _ => bail!("no input"),
    })
}

/// The letters that the other strand is written in.
fn alphabet(args: &Args, inputs: &mut Inputs<Sequences>) -> Alphabet {
    match args.changes.alphabet {
        _ if !args.changes.reverse_complement => Alphabet::default(),
        Some(Acid::Dna) => Alphabet::Forced(Letters::Dna),
        Some(Acid::Rna) => Alphabet::Forced(Letters::Rna),
        None => Alphabet::Expected(
            match inputs {
                Inputs::Single(one) | Inputs::Interleaved(one) => letters_of(&mut one.0),
                Inputs::Paired(one, two) => {
                    letters_of(&mut one.0).or_else(|| letters_of(&mut two.0))
                }
            }
            .unwrap_or(Letters::Dna),
        ),
    }
}

/// Looks at all names for those that came before.
fn numbers(
    by: Whole,
    inputs: Inputs<Sequences>,
    watches: &[Watch; 2],
    plan: &Convert,
    limits: &Limits,
) -> Result<Numbers> {
    let by = match by {
        Whole::Name => By::Name,
        Whole::Header => By::Header,
    };
    let limits = order::Limits { memory: limits.memory, folder: &limits.folder };
    let options = watches.each_ref().map(|watch| watch.options.clone());
    Numbers::find(inputs, options, plan, by, limits).map_err(|problem| match problem {
        Problem::Input(error) => error.into(),
        Problem::Taken { .. } => Hinted {
            message: problem.to_string(),
            hint: "--rename 'r{number}' gives all of them new names, and --name-map FILE lists old and new ones",
        }
        .into(),
        problem => problem.into(),
    })
}

/// How a reading is done whose progress and findings aren't told, as there is another one.
fn quietly(options: &Options) -> Options {
    Options { progress: None, notes: None, ..options.clone() }
}

/// How the input is read.
fn reading(args: &Args, held: Holds) -> Options {
    let options = args.io.apply(args.threads.options());
    match held {
        Holds::Alignments => args.strictness.alignments(options),
        _ => args.mates.pairing().apply(args.strictness.reads(options)),
    }
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
            bail!("the two files hold different formats: mates must have the same one");
        }
    }
    let held = first.unwrap_or(Holds::Fastq);
    let is_fasta = held == Holds::Fasta;
    if args.from.is_some() && matches!(held, Holds::Fastq | Holds::Fasta) {
        for source in sources {
            if fastq::fasta::is_fasta(source)? != is_fasta {
                let (named, found) = if is_fasta { ("FASTA", "FASTQ") } else { ("FASTQ", "FASTA") };
                bail!(
                    "{}: expected {named}, which --from says, found what may be {found}",
                    source.name()
                );
            }
        }
    } else if held == Holds::Alignments && sources.len() > 1 {
        return Err(Hinted {
            message: "alignments are one file: mates are in it".into(),
            hint: "name one file; if all its reads are pairs that stand together, --interleaved keeps them so",
        }
        .into());
    }
    Ok(held)
}

/// What is written.
fn to(args: &Args, held: Holds) -> Result<To> {
    let named = args.out.as_deref().and_then(output::named_format);
    let to = args.to.unwrap_or(match (named, held) {
        (Some(Named::Fastq), _) => To::Fastq,
        (Some(Named::Fasta), _) => To::Fasta,
        (Some(Named::Table), _) => To::Table,
        (Some(Named::Bam), _) => To::Bam,
        (None, Holds::Fasta) => To::Fasta,
        (None, _) => To::Fastq,
    });
    if held == Holds::Fasta && args.changes.quality.is_none() && matches!(to, To::Fastq | To::Bam) {
        let format = if to == To::Fastq { "FASTQ" } else { "BAM" };
        return Err(Hinted {
            message: format!("{format} has qualities, and FASTA has none"),
            hint: "--quality 30 gives all bases this one",
        }
        .into());
    }
    if to == To::Bam && held == Holds::Alignments {
        return Err(Hinted {
            message: "BAM of alignments would lose their places and optional fields".into(),
            hint: "`biofast view` and `biofast filter` write alignments, with all they have",
        }
        .into());
    }
    if to == To::Bam && args.out2.is_some() {
        bail!("both mates are written to one BAM file: --out2 is for other formats");
    }
    if to != To::Bam && !args.read_group.is_empty() {
        bail!("--read-group is for BAM: name the output .bam, or say --to bam");
    }
    Ok(to)
}

/// Says which options make no difference to what is read or written.
fn tell_unused(args: &Args, held: Holds, to: To, sources: &mut [Source]) {
    let quiet = args.messages.quiet;
    if let Some(source) = sources.first_mut() {
        inputs::tell_unused_reference(args.reference.as_deref(), source, quiet);
    }
    let warn = |given: bool, what: &str| {
        if given && !quiet {
            message("warning", what);
        }
    };
    let quality = args.changes.quality.is_some() && held != Holds::Fasta;
    warn(quality, "--quality has no effect: it is for FASTA, and the input has qualities");
    let width = args.line_width.is_some() && to != To::Fasta;
    warn(width, "--line-width has no effect: it is for FASTA output");
}

fn format(args: &Args, held: Holds, to: To, groups: &[ReadGroup]) -> Result<Format> {
    Ok(match to {
        To::Fastq => Format::Fastq,
        To::Fasta => {
            let width = if held == Holds::Fasta { LINE_WIDTH } else { 0 };
            Format::Fasta { width: args.line_width.unwrap_or(width) }
        }
        To::Table => Format::Table,
        To::Bam => {
            let read_group = match groups {
                [group] => Some(group.id().as_bytes().to_vec()),
                [] => None,
                _ => bail!("reads belong to one read group: --read-group names several"),
            };
            let mates = args.mates.pairing().rule();
            Format::Bam(Box::new(Import { read_group, mates, ..Import::default() }))
        }
    })
}

fn edits(args: &Args) -> Result<Edits> {
    let changes = &args.changes;
    let rename = match changes.only_id {
        true => Some(Template::parse("{name}")?),
        false => changes.rename.clone(),
    };
    Ok(Edits {
        phred64: changes.phred64,
        quality: changes.quality.map(|quality| quality + b'!'),
        subseq: changes.subseq,
        reverse_complement: changes.reverse_complement,
        alphabet: Alphabet::default(),
        letters: match (changes.rna2dna, changes.dna2rna) {
            (true, _) => Some(Letters::Dna),
            (_, true) => Some(Letters::Rna),
            _ => None,
        },
        case: match (changes.upper_case, changes.lower_case) {
            (true, _) => Some(Case::Upper),
            (_, true) => Some(Case::Lower),
            _ => None,
        },
        rename,
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
    let range = Span::new(if first == 0 { 1 } else { first }, last).of(total);
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

/// How many reads there are.
fn count(args: &Args, held: Holds, source: Source, options: &Options) -> Result<u64> {
    let watch = Watch::new(options.clone());
    let source = Sequences(reads(args, held, source, &watch)?);
    let reads = fastq::par_fold(
        source,
        options,
        || 0u64,
        |reads, batch| *reads += batch.len() as u64,
        |reads, other| *reads += other,
    );
    reads.map_err(|fault| in_table(held, fault.error.into()))
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
fn open(args: &Args, to: To, files: &mut Files) -> Result<Opened> {
    let mut opened = Opened::default();
    for path in std::iter::once(args.out.as_deref()).chain(args.out2.as_deref().map(Some)) {
        let path = path.filter(|path| *path != Path::new("-"));
        let compression = compression(args, to, path)?;
        let output: Output = output::records(files, path, compression)?;
        opened.outputs.push(output);
        opened.paths.push(path.map(Path::to_owned));
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
        bail!("BAM is BGZF: -O is for other formats");
    }
    if format == io_output::Format::Plain && args.writing.level.is_some() {
        bail!("--level needs compressed output: a name ending in .gz, .zst or .bz2, or -O");
    }
    Ok(Compression::new(format, args.writing.level)?)
}
