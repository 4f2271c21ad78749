//! `biofast get`: records by name or number.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, bail};
use biofast_bam::{Header, Record, SamWriter};
use biofast_io::output::{Format, Level, Output, commit};
use biofast_io::{Escaped, TextBounds, display_name, remote};
use biofast_ops::get::{EXTENSION, ErrorKind, NameLookup};
use biofast_ops::shards::{self, GzipIndex};

use crate::console::Hinted;
use crate::inputs;
use crate::options::{InFile, Messages, OutFile, ProgramLineArgs};
use crate::output;
use crate::session::{Exit, Session};

/// Fetch reads by name or number, through an index of names
///
/// `biofast index --name-index FILE` makes the index, FILE.bni. All records with a given name are written, each once,
/// in file order. FASTQ is written unchanged; BAM is written as SAM, or as BAM with -b or an output file ending in
/// .bam.
///
/// In FASTQ in ordinary gzip, reads are found by number, through the seek index FILE.bsi that `biofast index FILE`
/// makes.
///
/// It is an error if the index doesn't match the file. The exit code is 1 if a name isn't found.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast index --name-index reads.fq.bgz
  biofast get reads.fq.bgz SIM001:12:HFKJJBGXY:1:11101:1456:1000
  biofast get reads.fq.bgz --record 1 --record 300 -o two.fq
  biofast index run.fq.gz && biofast get run.fq.gz --record 7
  biofast index --name-index aln.bam
  biofast get aln.bam run7:chr1:0 run7:chr2:3
  biofast get aln.bam --names wanted.names -o wanted.bam")]
pub(crate) struct Args {
    /// FASTQ (plain or BGZF) or BAM; with --record also FASTQ in ordinary gzip
    #[arg(value_name = "FILE")]
    file: InFile,

    /// Names of reads, up to the first space and without '@'
    #[arg(value_name = "NAME")]
    wanted: Vec<String>,

    /// Read names from FILE, one per line, up to the first space or tab
    #[arg(long, value_name = "FILE")]
    names: Option<InFile>,

    /// Fetch record number N (from 1); may be repeated
    #[arg(long, value_name = "N")]
    record: Vec<Number>,

    /// Index file [default: FILE.bni]
    #[arg(long, value_name = "FILE")]
    index: Option<InFile>,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write BAM (BAM input only)
    #[arg(short, long)]
    bam: bool,

    /// Include the header in SAM output (BAM input only)
    #[arg(long)]
    with_header: bool,

    /// Compression level: fast, balanced, small or a number
    ///
    /// BAM and .gz take fast, balanced, small or 0 to 12 [default: fast], and .zst takes 0 to 19 [default: 3].
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    messages: Messages,
}

/// The number of a record, which may have commas between thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u64);

impl FromStr for Number {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Number, &'static str> {
        let number = text.replace(',', "").parse().ok().filter(|number| *number > 0);
        number.map(Number).ok_or("expected 1 or more")
    }
}

/// The index beside a file.
pub(super) fn index_of(path: &Path) -> PathBuf {
    remote::beside(path, &format!(".{EXTENSION}"))
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let path: &Path = &args.file;
    if path == Path::new("-") {
        bail!("`get` needs a file, not standard input");
    }
    let index = args.index.as_deref().map_or_else(|| index_of(path), Path::to_owned);
    let wanted = wanted(args)?;
    if wanted.is_empty() && args.record.is_empty() {
        bail!("no records requested: give names, --names FILE or --record N");
    }
    session.files.read(path)?;
    if GzipIndex::is_for(path)? {
        return from_gzip(args, path, &wanted, session);
    }
    session.files.read(&index)?;
    let mut names = NameLookup::open(path, &index).map_err(explained)?;
    let is_bam = names.format() == shards::ShardFormat::Bam;
    let header = is_bam.then(|| inputs::header_of(path)).transpose()?;
    let mut writer = Writer::open(args, header.as_ref(), session)?;

    let (mut places, mut found) = (Vec::new(), vec![false; wanted.len()]);
    for (number, name) in wanted.iter().enumerate() {
        places.extend(
            names.places(name).map_err(explained)?.into_iter().map(|place| (place, Some(number))),
        );
    }
    for Number(number) in &args.record {
        places.push((names.place_of(*number).map_err(explained)?, None));
    }
    places.sort_unstable();
    let mut record = Vec::new();
    for same in places.chunk_by(|one, other| one.0 == other.0) {
        record.clear();
        let Some(&(place, _)) = same.first() else { continue };
        names.record(place, &mut record).map_err(explained)?;
        let mut is_wanted = false;
        for (_, name) in same {
            is_wanted |= match name {
                None => true,
                Some(number) => {
                    let is_it = names.check_name(&record, &wanted[*number]).map_err(explained)?;
                    found[*number] |= is_it;
                    is_it
                }
            };
        }
        if is_wanted {
            writer.add(&record)?;
        }
    }
    writer.finish()?;
    let mut missing = wanted.iter().zip(&found).filter(|(_, found)| !**found);
    let Some((first, _)) = missing.next() else { return Ok(Exit::Fine) };
    if !args.messages.quiet {
        let count = 1 + missing.count();
        let first = Escaped(first);
        let text = match wanted.len() {
            1 => format!("{}: no record is named '{first}'", display_name(path)),
            all => format!(
                "{}: {count} of {all} names not found, such as '{first}'",
                display_name(path)
            ),
        };
        session.console.warning(&text);
    }
    Ok(Exit::CheckFailed)
}

/// Reads of ordinary gzip, by their numbers.
fn from_gzip(args: &Args, path: &Path, wanted: &[Vec<u8>], session: &mut Session) -> Result<Exit> {
    if !wanted.is_empty() {
        return Err(Hinted {
            message: format!(
                "{} is ordinary gzip, where reads can be fetched only by number (--record)",
                display_name(path)
            ),
            hint: "to fetch by name, convert to BGZF and index it: `biofast filter FILE -o FILE.bgz`, then `biofast index --name-index FILE.bgz`".into(),
        }
        .into());
    }
    if args.index.is_some() {
        bail!(
            "--index names an index of read names; the seek index of ordinary gzip must be next to the file"
        );
    }
    if !GzipIndex::is_beside(path) {
        return Err(Hinted {
            message: format!("{} is ordinary gzip without a seek index", display_name(path)),
            hint: "write the seek index, FILE.bsi, with `biofast index FILE`".into(),
        }
        .into());
    }
    let mut index = GzipIndex::open(path)?;
    let mut numbers: Vec<u64> = args.record.iter().map(|Number(number)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut writer = Writer::open(args, None, session)?;
    index.reads(path, &numbers, |read| writer.add(read))?;
    writer.finish()?;
    Ok(Exit::Fine)
}

/// The names, each once.
fn wanted(args: &Args) -> Result<Vec<Vec<u8>>> {
    let mut wanted: Vec<Vec<u8>> =
        args.wanted.iter().map(|name| name.clone().into_bytes()).collect();
    if let Some(list) = &args.names {
        let text = inputs::text(list, TextBounds::LIST)?;
        let words = text.split(|&byte| byte == b'\n').filter_map(|line| {
            line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                .next()
                .filter(|word| !word.is_empty())
        });
        wanted.extend(words.map(<[u8]>::to_vec));
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

/// What helps where the index can't be used.
fn explained(error: biofast_ops::get::Error) -> anyhow::Error {
    let missing = matches!(error.kind(), ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotFound);
    match error.kind() {
        ErrorKind::Stale(_) | ErrorKind::NotAnIndex | ErrorKind::OtherVersion => Hinted {
            message: error.to_string(),
            hint: "rebuild it with `biofast index --name-index FILE`".into(),
        }
        .into(),
        _ if missing => Hinted {
            message: error.to_string(),
            hint: "build the name index, FILE.bni, with `biofast index --name-index FILE`".into(),
        }
        .into(),
        _ => error.into(),
    }
}

/// Where records go, and as what.
struct Writer<'a> {
    output: Output,
    text: Vec<u8>,
    form: Form<'a>,
}

enum Form<'a> {
    /// As they are in the file.
    Fastq,
    Sam(&'a Header, SamWriter),
    Bam(&'a Header),
}

impl<'a> Writer<'a> {
    fn open(args: &Args, header: Option<&'a Header>, session: &mut Session) -> Result<Writer<'a>> {
        let out = args.out.as_deref();
        let is_bam = args.bam || output::has_extension(out, "bam");
        let form = match header {
            None if args.bam || args.with_header => bail!("--bam and --with-header apply to BAM"),
            None => Form::Fastq,
            Some(header) if is_bam => Form::Bam(header),
            Some(header) => Form::Sam(header, SamWriter::new(header)),
        };
        let format = match (&form, out.filter(|path| *path != Path::new("-"))) {
            (Form::Bam(_), Some(path)) => output::format_of_bam(path)?,
            (Form::Bam(_), None) => Format::Bgzf,
            (Form::Sam(..), Some(path)) => output::format_of_sam(path)?,
            (Form::Fastq, Some(path)) => output::format_of_reads(path)?,
            (_, None) => Format::Plain,
        };
        let compression = output::compression(format, args.level)?;
        let output = output::records(session, out, compression)?;
        let mut text = Vec::new();
        match &form {
            Form::Bam(header) => args.program.header(header, session).write_bam(&mut text)?,
            Form::Sam(header, _) if args.with_header => {
                args.program.header(header, session).write_sam(&mut text)?;
            }
            _ => {}
        }
        Ok(Writer { output, text, form })
    }

    /// Adds a record as it is in the file.
    fn add(&mut self, record: &[u8]) -> Result<()> {
        match &self.form {
            Form::Fastq => self.text.extend_from_slice(record),
            Form::Sam(header, writer) => {
                let (record, _) = Record::from_bam(record, header)?;
                writer.write(&record, &mut self.text)?;
            }
            Form::Bam(header) => {
                let (record, _) = Record::from_bam(record, header)?;
                record.write_bam(&mut self.text);
            }
        }
        if self.text.len() >= 64 << 10 {
            self.output.append(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.output.append(&self.text)?;
        Ok(commit(vec![self.output], false)?)
    }
}
