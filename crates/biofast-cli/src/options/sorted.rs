//! Where sorted alignments go, and in which format.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::index::{BuildOptions, IndexFormat as BamIndex, Indexer};
use biofast_bam::{self as bam, CramOptions, Header, Writer};
use biofast_io::output::{Level, Output};
use biofast_ops::sort::Order;
use clap::ValueEnum;

use super::{AlignmentsFormat, AlignmentsTarget, CramArgs, OpenedAlignments};
use crate::output;
use crate::session::Session;

/// The level of BAM unless another is given, as of `filter`.
const BAM_LEVEL: Level = Level::Balanced;

/// How alignments are written by one thread.
#[derive(clap::Args)]
pub(crate) struct SortedOut {
    #[command(flatten)]
    how: SortedArgs,

    #[command(flatten)]
    cram: CramArgs,
}

/// The options but for those of CRAM: a group of clap has no member that is flattened.
#[derive(clap::Args)]
struct SortedArgs {
    /// Output format [default: from the file extension, else bam]
    #[arg(short = 'O', long, value_enum, ignore_case = true, value_name = "FORMAT")]
    output_format: Option<AlignmentsFormat>,

    /// Compression level: fast, balanced, small or, for BAM, 0 to 12 [default: balanced for BAM and CRAM]
    #[arg(short = 'l', long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Also write an index next to the file [default: bai for BAM, or csi if a reference is too long for it; crai for CRAM]
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_name = "FORMAT")]
    write_index: Option<SortedIndexFormat>,

    /// Wait until the output is on disk
    #[arg(long)]
    sync: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SortedIndexFormat {
    /// BAI if it can hold the references, else CSI
    Auto,
    /// For references of up to 512 Mb
    Bai,
    /// For references of any length
    Csi,
}

/// The order that --by-tag, -n, -N and --template-coordinate name, of `sort` and `merge`.
pub(crate) fn order_of(
    tag: Option<[u8; 2]>,
    name: bool,
    lexicographic: bool,
    template_coordinate: bool,
) -> Order {
    match (tag, name) {
        (Some(tag), true) => Order::TagAndName(tag),
        (Some(tag), false) => Order::Tag(tag),
        (None, true) => Order::NaturalName,
        _ if template_coordinate => Order::TemplateCoordinate,
        (None, false) if lexicographic => Order::LexicographicName,
        (None, false) => Order::Coordinate,
    }
}

impl SortedOut {
    /// Whether an index is wanted.
    pub(crate) fn has_index(&self) -> bool {
        self.how.write_index.is_some()
    }

    /// Whether to wait until the outputs are on disk.
    pub(crate) fn sync(&self) -> bool {
        self.how.sync
    }

    /// The level that is asked for.
    pub(crate) fn level(&self) -> Option<Level> {
        self.how.level
    }

    /// Whether CRAM is written that stores how reads differ from the reference.
    pub(crate) fn needs_reference(&self, path: Option<&Path>) -> bool {
        self.target(path, None, 1).needs_reference()
    }

    fn target<'a>(
        &'a self,
        path: Option<&'a Path>,
        reference: Option<&'a Path>,
        threads: usize,
    ) -> AlignmentsTarget<'a> {
        AlignmentsTarget {
            asked: self.how.output_format,
            level: self.how.level,
            bam_level: Some(BAM_LEVEL),
            uncompressed: self.how.uncompressed,
            cram: self.cram,
            reference,
            has_index: self.how.write_index.is_some(),
            ..AlignmentsTarget::new(path, bam::Format::Bam, threads)
        }
    }

    /// Opens another file of the same records, with the header in it and without an index; and its format.
    pub(crate) fn open_beside(
        &self,
        path: &Path,
        session: &mut Session,
        header: &Header,
        (reference, threads): (Option<&Path>, usize),
    ) -> Result<(Output, bam::Format)> {
        let target = self.target(Some(path), reference, threads);
        let mut opened = AlignmentsTarget { has_index: false, ..target }.open(session, header)?;
        let mut start = Vec::new();
        match opened.takes_bam() {
            true => header.write_bam(&mut start)?,
            false => header.write_sam(&mut start)?,
        }
        opened.output.append(&start)?;
        Ok((opened.output, opened.format))
    }

    /// Opens what is written, before anything is read. The reference is for CRAM, which `threads` make.
    pub(crate) fn open(
        &self,
        path: Option<&Path>,
        session: &mut Session,
        header: &Header,
        (reference, threads): (Option<&Path>, usize),
    ) -> Result<SortedTarget> {
        let opened = self.target(path, reference, threads).open(session, header)?;
        let index = match (self.how.write_index, opened.format) {
            (None, _) | (Some(SortedIndexFormat::Auto), bam::Format::Cram) => None,
            (Some(_), bam::Format::Cram) => bail!("--write-index: the index of CRAM is CRAI"),
            (Some(_), format) if format != bam::Format::Bam => {
                bail!("--write-index needs BAM or CRAM output: SAM can't be indexed")
            }
            (Some(wanted), _) => {
                let Some(path) = path.filter(|_| opened.output.is_file()) else {
                    bail!("--write-index needs an output file: name one with -o");
                };
                let format = match wanted {
                    SortedIndexFormat::Auto => None,
                    SortedIndexFormat::Bai => Some(BamIndex::Bai),
                    SortedIndexFormat::Csi => Some(BamIndex::Csi),
                };
                let options = BuildOptions { format, min_shift: None };
                let mut name = path.as_os_str().to_owned();
                name.push(".");
                name.push(bam::index::Indexer::new(header, options)?.format().extension());
                Some((output::report(session, Some(Path::new(&name)))?, options))
            }
        };
        let has_level = self.how.level.is_some() || self.how.uncompressed;
        Ok(SortedTarget { header: header.clone(), opened, index, has_level, sync: self.how.sync })
    }
}

/// What is written, opened before anything is read.
pub(crate) struct SortedTarget {
    header: Header,
    opened: OpenedAlignments,
    index: Option<(Output, BuildOptions)>,
    has_level: bool,
    sync: bool,
}

impl SortedTarget {
    /// The format that is written.
    pub(crate) fn format(&self) -> bam::Format {
        self.opened.format
    }

    /// What tells of the losses of CRAM, if it is written.
    pub(crate) fn lost(&self) -> Option<CramOptions> {
        self.opened.lost.clone()
    }

    /// What a transform writes to. With `others`, a stream may be closed by its reader without harm to these.
    /// Blocks of the input are changed as they are stored unless a level was asked for.
    pub(crate) fn transform(self, others: usize) -> Result<TransformTarget> {
        let takes_bam = self.opened.takes_bam();
        let mut outputs = vec![match takes_bam && !self.has_level {
            true => self.opened.output.splicing(),
            false => self.opened.output,
        }];
        output::outlast_readers(&mut outputs, others);
        if self.index.is_some() {
            outputs = outputs.into_iter().map(Output::with_blocks).collect::<Result<_, _>>()?;
        }
        let mut start = Vec::new();
        match takes_bam {
            true => self.header.write_bam(&mut start)?,
            false => self.header.write_sam(&mut start)?,
        }
        let (header, index) = (self.header, self.index);
        let mut target = TransformTarget { outputs, indexer: None, header, start, index };
        target.begin()?;
        Ok(target)
    }

    /// What writes it. With `others`, a stream may be closed by its reader without harm to these.
    pub(crate) fn writer(self, threads: usize, others: usize) -> Result<Writer> {
        // CRAM is made of BAM by the output.
        let format = if self.opened.takes_bam() { bam::Format::Bam } else { bam::Format::Sam };
        let builder = Writer::builder(&self.header).format(format).threads(threads).sync(self.sync);
        let mut outputs = [self.opened.output];
        output::outlast_readers(&mut outputs, others);
        let [output] = outputs;
        Ok(match self.index {
            Some((index, options)) => builder.index(options).to_indexed(output, index)?,
            None => builder.to(output)?,
        })
    }
}

/// What a transform writes to, the header in it already.
pub(crate) struct TransformTarget {
    /// The records, and behind them the tickets of their index, if there is one.
    pub(crate) outputs: Vec<Output>,
    pub(crate) indexer: Option<Indexer>,
    header: Header,
    /// The header as it is written.
    start: Vec<u8>,
    index: Option<(Output, BuildOptions)>,
}

impl TransformTarget {
    /// Writes the header.
    fn begin(&mut self) -> Result<()> {
        self.outputs.truncate(1);
        let options = self.index.as_ref().map(|(_, options)| *options);
        self.indexer = options.map(|options| Indexer::new(&self.header, options)).transpose()?;
        match &self.indexer {
            Some(indexer) => {
                indexer.append(&mut self.outputs[0], &self.start)?;
                let tickets = indexer.tickets(self.outputs[0].name());
                self.outputs.push(tickets);
            }
            None => self.outputs[0].append(&self.start)?,
        }
        Ok(())
    }

    /// Whether it can begin again.
    pub(crate) fn can_restart(&self) -> bool {
        self.outputs[0].is_file()
    }

    /// Begins again: what was written is forgotten.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.outputs[0].restart()?;
        self.begin()
    }

    /// All outputs, to be committed.
    pub(crate) fn finish(self) -> Result<Vec<Output>> {
        let mut outputs = self.outputs;
        if let (Some(indexer), Some((index, _))) = (self.indexer, self.index) {
            let text = indexer.finish(&outputs[0])?;
            outputs.push(output::filled(index, text)?);
        }
        Ok(outputs)
    }
}
