//! `biofast cat`: files one behind the other, without compressing them again.

use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::Header;
use biofast_fastq::pair;
use biofast_io::output::{Compression, Format, commit};
use biofast_io::{Container, Options};
use biofast_ops::cat::{Cat, CatContent, CatInput, CatSummary};
use biofast_ops::number::counted;

use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::{InFile, Out, OutFile, Pairing, ProgramLineArgs};
use crate::output::{self, NamedFormat};
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Concatenate FASTQ or BAM files, like `samtools cat`
///
/// Blocks of BGZF and members of gzip are copied without recompression, and their content is validated. FASTQ may be plain
/// or compressed in any way. The output is compressed if its extension is that of a compression; on standard output, if the
/// first file is compressed. BGZF stays BGZF: ordinary gzip behind it is recompressed.
///
/// BAM files must have the same reference sequences. The header is that of the first file, which must have the read groups
/// of all others.
///
/// With --out2, each two files are the first and the second reads of a lane. Their names and counts must agree.
#[derive(clap::Args)]
#[command(
    // A letter that samtools cat has for another.
    disable_help_flag = true,
    mut_arg("mates", |a| a.requires("out2")),
    after_help = "\
Examples:
  biofast cat unsorted1.bam unsorted2.bam -o both.bam
  biofast cat lane1.fq.gz lane2.fq.gz -o both.fq.gz
  biofast cat L1_R1.fq.gz L1_R2.fq.gz L2_R1.fq.gz L2_R2.fq.gz -o R1.fq.gz --out2 R2.fq.gz
  biofast cat L?_R1.fq.gz --in2 L?_R2.fq.gz -o R1.fq.gz --out2 R2.fq.gz"
)]
pub(crate) struct Args {
    /// BAM files, or FASTQ files, plain or compressed; '-' is standard input
    #[arg(required_unless_present = "list", value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more input file names from FILE, one per line
    #[arg(short = 'b', long = "files-from", value_name = "FILE")]
    list: Option<InFile>,

    /// The files of second reads, as many as there are of first reads
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "out2")]
    in2: Vec<InFile>,

    #[command(flatten)]
    out: Out,

    /// Write second reads to FILE: files come in pairs (R1 R2 R1 R2), or second reads are named with --in2
    #[arg(long, value_name = "FILE", requires = "out")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairing: Pairing,

    /// Use the header of FILE (SAM, BAM or CRAM) instead of that of the first BAM file
    #[arg(short = 'h', long = "header", value_name = "FILE")]
    header: Option<InFile>,

    /// Check that the files follow each other by coordinate, and keep the sort order in the header
    #[arg(long)]
    sorted: bool,

    /// Wait until the output is on disk
    #[arg(long)]
    sync: bool,

    /// Write a JSON summary to FILE
    #[arg(long = "summary", value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(&args.files, args.list.as_deref(), "-", session)?;
    inputs::warn_of_repeats(&session.console, &inputs);
    // The files of each lane: one, or those of both mates.
    let lanes: Vec<Vec<Input>> = match &args.out2 {
        Some(_) => args.lanes(inputs, session)?,
        None => {
            args.tell_mates(&inputs, session);
            inputs.into_iter().map(|input| vec![input]).collect()
        }
    };
    let paths = [args.out.path(), args.out2.as_deref()];
    let firsts = lanes[0].iter().map(part).collect::<Result<Vec<_>>>()?;
    let threads = args.reading.threads().options().threads;
    let mut firsts = firsts.into_iter().map(Some).collect::<Vec<_>>();
    let mut outputs = Vec::new();
    let mut texts = Vec::new();
    for (first, path) in firsts.iter_mut().zip(paths) {
        let text = match first {
            Some(first) => text_compression(path, first)?,
            None => None,
        };
        outputs.push(output::records(session, path, text.unwrap_or_default())?);
        path.map_or(Ok(()), output::refuse_unjoined)?;
        texts.push(text.is_some());
    }
    // What names promise is looked at before all is read, where that can be.
    if let Some(input) = lanes[0].first().filter(|input| input.len().is_some())
        && inputs::holds_reads(&mut input.open()?)?
    {
        args.refuse_for_reads()?;
        paths[0].map(output::format_of_reads).transpose()?;
    }
    let report = output::optional_report(session, args.json.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    // What the header says of the order is true of one file.
    let keeps_order = args.sorted || lanes.len() == 1;
    let mut cats = Vec::new();
    for (output, is_text) in outputs.into_iter().zip(texts) {
        let program = args.program.owned(session);
        let cat = if is_text { Cat::of_text(output, threads)? } else { Cat::new(output) };
        let mut cat = cat.sorted(args.sorted).header(move |header: &Header| {
            let says = header.is_sorted_by_coordinate() || header.is_grouped_by_name();
            let header = match says && !keeps_order {
                true => header.with_sort_order("unknown", None),
                false => header.clone(),
            };
            program(&header)
        });
        cat = match &args.header {
            Some(path) => {
                session.files.read(path)?;
                cat.with_header(inputs::header_of(path)?)
            }
            None => cat.needs_read_groups(),
        };
        if args.out2.is_some() {
            cat = cat.of_mates(args.pairing.rule());
        }
        cats.push(cat);
    }
    let progress = Arc::default();
    let total: Option<u64> = lanes.iter().flatten().map(Input::len).sum();
    let first = args.reading.sharing(session, &progress);
    let bar = first.bar(total, &args.reading.messages);
    for lane in &lanes {
        for ((input, cat), opened) in lane.iter().zip(&mut cats).zip(&mut firsts) {
            let watch = args.reading.sharing(session, &progress);
            let options = args.pairing.apply(watch.options.clone());
            let opened = opened.take().map_or_else(|| part(input), Ok)?;
            let result = cat.add(opened, &options);
            args.reading.tell(&watch, input);
            result.map_err(output::failed)?;
        }
        if let [one, two] = &cats[..] {
            args.check_mates(lane, [one, two])?;
        }
    }
    drop(bar);
    let mut outputs = Vec::new();
    let mut summary = CatSummary::default();
    for (cat, path) in cats.into_iter().zip(paths) {
        let (output, of_file) = cat.finish().map_err(output::failed)?;
        match of_file.content {
            Some(CatContent::Bam) => path.map(output::format_of_bam).transpose()?,
            _ => {
                args.refuse_for_reads()?;
                path.map(output::format_of_reads).transpose()?
            }
        };
        outputs.push(output);
        summary.add(of_file);
    }
    if let Some(report) = report {
        let text = output::summary(&session.command_line(), serde_json::to_value(&summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.sync)?;
    if !args.reading.messages.quiet {
        if let Some(first) = summary.lost_read_groups.first() {
            let more = summary.lost_read_groups.len();
            let more = counted(more as u64, "read group");
            let lost = format!(
                "the output has the given header, which lacks {more} of the files, such as '{first}'"
            );
            session.console.warning(&lost);
        }
        let what = match summary.content {
            Some(CatContent::Bam) => "record",
            _ => "read",
        };
        let (records, files) = (counted(summary.records, what), counted(summary.parts, "file"));
        session.console.note(&format!("{records} from {files} concatenated"));
    }
    Ok(Exit::Fine)
}

impl Args {
    /// The files of first and second reads of each lane.
    fn lanes(&self, inputs: Vec<Input>, session: &mut Session) -> Result<Vec<Vec<Input>>> {
        self.refuse_for_reads()?;
        if self.in2.is_empty() {
            if !inputs.len().is_multiple_of(2) {
                return Err(Hinted::error(
                    format!("--out2 needs files in pairs, but {} are named", inputs.len()),
                    "name first and second reads in turn (R1 R2 R1 R2), or all second reads with --in2",
                ));
            }
            return Ok(inputs.chunks(2).map(<[Input]>::to_vec).collect());
        }
        let second = inputs::gather(&self.in2, None, "-", session)?;
        if second.len() != inputs.len() {
            let (one, two) = (inputs.len(), second.len());
            bail!("{one} files of first reads are named, but {two} of second reads (--in2)");
        }
        Ok(inputs.into_iter().zip(second).map(|(one, two)| vec![one, two]).collect())
    }

    /// Refuses what reads have none of.
    fn refuse_for_reads(&self) -> Result<()> {
        let of_alignments = [
            ("--header", self.header.is_some()),
            ("--sorted", self.sorted),
            ("--no-PG", self.program.given()),
        ];
        match of_alignments.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} has no effect on reads: it is for BAM"),
            None => Ok(()),
        }
    }

    /// Says which files look like those of mates by their names, which become one file.
    fn tell_mates(&self, inputs: &[Input], session: &Session) {
        let named = inputs.windows(2).find_map(|files| match files {
            [one, two] => Some([one.name(), two.name()])
                .filter(|[one, two]| inputs::are_named_as_mates(one, two)),
            _ => None,
        });
        if let Some([one, two]) = named.filter(|_| !self.reading.messages.quiet) {
            let what = format!("{one} and {two} are named as mates, but are concatenated");
            session.console.warning(&what);
            session.console.hint("to keep first and second reads apart use --out2 FILE");
        }
    }

    /// An error if the files of a lane don't have the mates of the same pairs.
    fn check_mates(&self, lane: &[Input], cats: [&Cat; 2]) -> Result<()> {
        let [Some(one), Some(two)] = cats.map(Cat::pairs) else { return Ok(()) };
        let [first, second] = lane else { return Ok(()) };
        if one.pairs_with(two) {
            return Ok(());
        }
        let can_reopen = |input: &Input| input.len().is_some();
        if can_reopen(first) && can_reopen(second) {
            let options = self.pairing.apply(Options { strict: false, ..Options::default() });
            match pair::find_mismatch(first.open()?, second.open()?, &options)? {
                Some(mismatch) => return Err(mismatch.into()),
                None if self.pairing.given() => return Ok(()),
                None => {}
            }
        }
        Err(Hinted::error(
            format!("{} and {}: read names or counts differ", first.name(), second.name()),
            "`biofast repair` re-pairs reads; `biofast check --paired` says where files differ",
        ))
    }
}

/// How the text of reads is compressed, if it is written; none where parts are copied as they are stored.
fn text_compression(
    path: Option<&std::path::Path>,
    first: &mut CatInput,
) -> Result<Option<Compression>> {
    let format = path.map_or(Format::Plain, Format::from_name);
    let named = path.and_then(output::named_format);
    Ok(match (format, named) {
        (Format::Bgzf, _) | (_, Some(NamedFormat::Bam)) => None,
        (Format::Plain, None) if first.container()? != Container::Plain => None,
        _ => Some(Compression::new(format, None)?),
    })
}

/// An input whose blocks are copied.
pub(super) fn part(input: &Input) -> Result<CatInput> {
    Ok(CatInput::from_reader(&input.name(), input.stored()?))
}
