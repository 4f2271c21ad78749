//! `biofast sort`: alignments in another order.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam::index::{BuildOptions, Format as BamIndex};
use biofast::bam::{self, Header, Writer};
use biofast::io::output::{Compression, Files, Format, Level, Output, commit};
use biofast::ops::sort::{self, Limits, Order, Problem, Sorted};
use clap::ValueEnum;

mod duplicates;

use crate::console::message;
use crate::options::{Folder, InFile, OneFile, OutFile, Program, Size, default_memory};
use crate::watch::Reading;
use crate::{inputs, output};
use duplicates::Duplicates;

/// The level of BAM unless another is given, as of `filter`.
const BAM_LEVEL: Level = Level::Number(6);

/// Sort alignments by coordinate, name or an optional field, as `samtools sort`
///
/// BAM, SAM or CRAM becomes BAM or SAM. Records that are equal stay in the order of the input, so that the result does not
/// depend on threads or memory. What takes more memory than it may goes to temporary files, which are gone with the process.
#[derive(clap::Args)]
#[command(
    // Letters that samtools sort has for others.
    mut_arg("threads", |a| a.short_alias(None)),
    after_help = "\
Examples:
  biofast sort aln.sam -o sorted.bam --write-index
  biofast view -h aln.bam | biofast sort -o sorted.bam -
  biofast sort -n --memory 2G aln.bam -o by_name.bam
  biofast sort -n aln.bam | biofast sort --mark-duplicates -o marked.bam --write-index -"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    out: Option<OutFile>,

    /// Sort by name, in which runs of digits are numbers: r2 before r10
    #[arg(short = 'n', long)]
    name: bool,

    /// Sort by name, compared byte by byte
    #[arg(short = 'N', long, conflicts_with = "name")]
    lexicographic: bool,

    /// Sort by the value of this optional field, then by coordinate, or by name with -n
    #[arg(short = 't', long, value_name = "TAG", value_parser = tag, conflicts_with = "lexicographic")]
    tag: Option<[u8; 2]>,

    /// Memory for records, of all threads together, such as 512M or 4G; what reads and writes takes some 64 MB more
    /// [default: a quarter of what the machine or its container has, at most 16G]
    #[arg(short = 'm', long, value_name = "SIZE")]
    memory: Option<Size>,

    /// The folder of temporary files [default: TMPDIR if set, else that of the output]
    #[arg(short = 'T', long, visible_alias = "tmp-dir", value_name = "FOLDER")]
    temp_dir: Option<Folder>,

    /// Output format [default: by the file's ending, else bam]
    #[arg(
        short = 'O',
        long,
        alias = "output-fmt",
        value_enum,
        ignore_case = true,
        value_name = "FORMAT"
    )]
    output_format: Option<OutputFormat>,

    /// Compression level: fast, small or 0 to 12 [default for BAM: 6]
    #[arg(short = 'l', long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write BAM without compression, for a program that reads it at once
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Also write an index beside the BAM file: bai or csi [default: bai where it can hold the references]
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_name = "FORMAT")]
    write_index: Option<IndexFormat>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    sync: bool,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    /// Reference sequences of a CRAM file, in FASTA, indexed (.fai) or not
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    duplicates: Duplicates,

    #[command(flatten)]
    program: Program,

    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Text
    Sam,
    /// Binary
    Bam,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IndexFormat {
    /// BAI where it can hold the references, else CSI
    Auto,
    /// For references of up to 512 Mb
    Bai,
    /// For references of any length
    Csi,
}

fn tag(text: &str) -> Result<[u8; 2], String> {
    match text.as_bytes() {
        &[a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok([a, b]),
        _ => Err("expected the name of an optional field, a letter and a letter or digit".into()),
    }
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let order = args.order();
    let marking = args.duplicates.marking(order)?;
    if args.write_index.is_some() && order != Order::Coordinate {
        bail!("--write-index needs records sorted by coordinate");
    }
    let limits = Limits {
        memory: args.memory.map_or_else(default_memory, |Size(bytes)| bytes),
        folder: args.temp_dir(),
    };
    let input = args.file.input(files)?;
    let watch = args.reading.watch();
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let mut source = input.open()?;
    let quiet = args.reading.messages.quiet;
    inputs::tell_unused_reference(args.reference.as_deref(), &mut source, quiet);
    let opened = bam::Input::open(source, &opening)?;
    // A header that can't be read is noticed before any output is touched.
    let (header, source) = bam::peek_header(opened.source)?;
    let (state, sub_order) = order.header_fields();
    let header = header.with_sort_order(state, sub_order);
    let target = Target::open(args, files, &args.program.header(&header))?;
    let report = output::optional_report(files, args.json.as_deref())?;
    let metrics = args.duplicates.metrics(files)?;
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = match &marking {
        None => sort::sort(source, &watch.options, order, &limits),
        Some(marking) => sort::duplicates::sort(source, &watch.options, &limits, marking),
    };
    drop(bar);
    args.reading.tell(&watch, &input);
    let mut sorted = result.map_err(explained)?;
    let mut outputs = target.write(
        args,
        &mut sorted,
        watch.options.threads,
        report.is_some() || metrics.is_some(),
    )?;
    let summary = sorted.summary();
    metrics.write(&sorted, &mut outputs)?;
    if let Some(report) = report {
        let mut summary = serde_json::to_value(summary)?;
        if let (Some(found), Some(object)) = (sorted.duplicates(), summary.as_object_mut()) {
            object.insert("duplicates".into(), serde_json::to_value(found)?);
        }
        let text = output::summary(summary)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.sync)?;
    if !quiet {
        let stored = match summary.stored_runs {
            0 => "in memory".into(),
            runs => format!("{runs} runs in temporary files, {} bytes", summary.stored_bytes),
        };
        message("note", &format!("{} records sorted, {stored}", summary.records));
        if let Some(found) = sorted.duplicates() {
            duplicates::tell(&found);
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn order(&self) -> Order {
        match (self.tag, self.name) {
            (Some(tag), true) => Order::TagAndName(tag),
            (Some(tag), false) => Order::Tag(tag),
            (None, true) => Order::NaturalName,
            (None, false) if self.lexicographic => Order::LexicographicName,
            (None, false) => Order::Coordinate,
        }
    }

    /// The file that is written.
    fn out_path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Where temporary files go.
    fn temp_dir(&self) -> PathBuf {
        let beside = || {
            let path = self.out_path()?;
            // A device has no place for files beside it.
            if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
                return None;
            }
            let folder = path.parent()?;
            Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
        };
        let named = || std::env::var_os("TMPDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        let given = self.temp_dir.as_deref().map(Path::to_owned);
        given.or_else(named).or_else(beside).unwrap_or_else(std::env::temp_dir)
    }
}

/// Errors of libraries as such.
fn explained(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Input(error) => error.into(),
        Problem::NotGrouped(what) => anyhow::anyhow!(
            "{what}; try: biofast sort -n INPUT | biofast sort --mark-duplicates -o OUTPUT -"
        ),
        problem => problem.into(),
    }
}

/// What is written, opened before anything is read.
struct Target {
    header: Header,
    output: Output,
    index: Option<(Output, BuildOptions)>,
    is_bam: bool,
}

impl Target {
    fn open(args: &Args, files: &mut Files, header: &Header) -> Result<Target> {
        let path = args.out_path();
        let named_sam = path.is_some_and(|path| output::has_extension(Some(path), "sam"));
        let is_bam = match args.output_format {
            Some(format) => format == OutputFormat::Bam,
            None => !named_sam,
        };
        let format = match (is_bam, path) {
            (true, Some(path)) => output::format_of_bam(path)?,
            (true, None) => Format::Bgzf,
            (false, Some(path)) if args.output_format.is_none() => output::format_of_sam(path)?,
            (false, Some(path)) => Format::from_name(path),
            (false, None) => Format::Plain,
        };
        let level = match (is_bam, args.level) {
            (true, _) if args.uncompressed => Some(Level::Number(0)),
            (true, None) => Some(BAM_LEVEL),
            (false, Some(_)) if format == Format::Plain => {
                bail!("--level is for BAM or a name ending in .gz or .zst")
            }
            (_, level) => level,
        };
        let output = output::records(files, path, Compression::new(format, level)?)?;
        let index = match args.write_index {
            None => None,
            Some(_) if !is_bam => bail!("--write-index: SAM has no index; write BAM"),
            Some(wanted) => {
                let Some(path) = path.filter(|_| output.is_file()) else {
                    bail!("--write-index needs a file to stand beside: name one with -o");
                };
                let format = match wanted {
                    IndexFormat::Auto => None,
                    IndexFormat::Bai => Some(BamIndex::Bai),
                    IndexFormat::Csi => Some(BamIndex::Csi),
                };
                let options = BuildOptions { format, min_shift: None };
                let mut name = path.as_os_str().to_owned();
                name.push(".");
                name.push(bam::index::Indexer::new(header, options)?.format().extension());
                Some((output::report(files, Some(Path::new(&name)))?, options))
            }
        };
        Ok(Target { header: header.clone(), output, index, is_bam })
    }

    /// Writes all records. Returns the complete outputs.
    fn write(
        self,
        args: &Args,
        sorted: &mut Sorted,
        threads: usize,
        outlasts: bool,
    ) -> Result<Vec<Output>> {
        let format = if self.is_bam { bam::Format::Bam } else { bam::Format::Sam };
        let builder = Writer::builder(&self.header).format(format).threads(threads).sync(args.sync);
        let mut outputs = vec![self.output];
        output::outlast_readers(&mut outputs, usize::from(outlasts));
        let Some(output) = outputs.pop() else { bail!("no output") };
        let mut writer = match self.index {
            Some((index, options)) => builder.index(options).to_indexed(output, index)?,
            None => builder.to(output)?,
        };
        while let Some(record) = sorted.next_record().map_err(explained)? {
            writer.write_checked(&record)?;
        }
        Ok(writer.into_outputs()?)
    }
}
