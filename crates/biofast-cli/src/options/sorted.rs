//! Where sorted alignments go, and in which format.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::index::{BuildOptions, IndexFormat as BamIndex, Indexer};
use biofast_bam::{self as bam, Header, Writer};
use biofast_io::output::{Compression, Format, Level, Output};
use clap::ValueEnum;

use crate::output;
use crate::session::Session;

/// The level of BAM unless another is given, as of `filter`.
const BAM_LEVEL: Level = Level::Balanced;

/// How alignments are written by one thread.
#[derive(clap::Args)]
pub(crate) struct SortedOut {
    /// Output format [default: from the file extension, else bam]
    #[arg(short = 'O', long, value_enum, ignore_case = true, value_name = "FORMAT")]
    output_format: Option<SortedFormat>,

    /// Compression level: fast, balanced, small or 0 to 12 [default: balanced for BAM]
    #[arg(short = 'l', long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Also write an index next to the BAM file [default: bai, or csi if a reference is too long for it]
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_name = "FORMAT")]
    write_index: Option<SortedIndexFormat>,

    /// Wait until the output is on disk
    #[arg(long)]
    sync: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SortedFormat {
    /// SAM (text)
    Sam,
    /// BAM (binary)
    Bam,
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

impl SortedOut {
    /// Whether an index is wanted.
    pub(crate) fn has_index(&self) -> bool {
        self.write_index.is_some()
    }

    /// Whether to wait until the outputs are on disk.
    pub(crate) fn sync(&self) -> bool {
        self.sync
    }

    /// The level that is asked for.
    pub(crate) fn level(&self) -> Option<Level> {
        self.level
    }

    /// Opens what is written, before anything is read.
    pub(crate) fn open(
        &self,
        path: Option<&Path>,
        session: &mut Session,
        header: &Header,
    ) -> Result<SortedTarget> {
        let named_sam = path.is_some_and(|path| output::has_extension(Some(path), "sam"));
        let is_bam = match self.output_format {
            Some(format) => format == SortedFormat::Bam,
            None => !named_sam,
        };
        let format = match (is_bam, path) {
            (true, Some(path)) => output::format_of_bam(path)?,
            (true, None) => Format::Bgzf,
            (false, Some(path)) if self.output_format.is_none() => output::format_of_sam(path)?,
            (false, Some(path)) => Format::from_name(path),
            (false, None) => Format::Plain,
        };
        if self.uncompressed && !is_bam {
            bail!("-u writes BAM, but SAM was requested");
        }
        let level = match (is_bam, self.level) {
            (true, _) if self.uncompressed => Some(Level::Number(0)),
            (true, None) => Some(BAM_LEVEL),
            (false, Some(_)) if format == Format::Plain => {
                return Err(output::level_of_plain());
            }
            (_, level) => level,
        };
        let output = output::records(session, path, Compression::new(format, level)?)?;
        let index = match self.write_index {
            None => None,
            Some(_) if !is_bam => bail!("--write-index needs BAM output: SAM can't be indexed"),
            Some(wanted) => {
                let Some(path) = path.filter(|_| output.is_file()) else {
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
        let has_level = self.level.is_some() || self.uncompressed;
        Ok(SortedTarget {
            header: header.clone(),
            output,
            index,
            is_bam,
            has_level,
            sync: self.sync,
        })
    }
}

/// What is written, opened before anything is read.
pub(crate) struct SortedTarget {
    header: Header,
    output: Output,
    index: Option<(Output, BuildOptions)>,
    is_bam: bool,
    has_level: bool,
    sync: bool,
}

impl SortedTarget {
    /// The format that is written.
    pub(crate) fn format(&self) -> bam::Format {
        if self.is_bam { bam::Format::Bam } else { bam::Format::Sam }
    }

    /// What a transform writes to. With `others`, a stream may be closed by its reader without harm to these.
    /// Blocks of the input are changed as they are stored unless a level was asked for.
    pub(crate) fn transform(self, others: usize) -> Result<TransformTarget> {
        let mut outputs = vec![match self.is_bam && !self.has_level {
            true => self.output.splicing(),
            false => self.output,
        }];
        output::outlast_readers(&mut outputs, others);
        let (mut indexer, mut index, mut start) = (None, None, Vec::new());
        if let Some((file, options)) = self.index {
            outputs = outputs.into_iter().map(Output::with_blocks).collect::<Result<_, _>>()?;
            (indexer, index) = (Some(Indexer::new(&self.header, options)?), Some(file));
        }
        match self.is_bam {
            true => self.header.write_bam(&mut start)?,
            false => self.header.write_sam(&mut start)?,
        }
        match &indexer {
            Some(indexer) => {
                indexer.append(&mut outputs[0], &start)?;
                let tickets = indexer.tickets(outputs[0].name());
                outputs.push(tickets);
            }
            None => outputs[0].append(&start)?,
        }
        Ok(TransformTarget { outputs, indexer, index })
    }

    /// What writes it. With `others`, a stream may be closed by its reader without harm to these.
    pub(crate) fn writer(self, threads: usize, others: usize) -> Result<Writer> {
        let builder =
            Writer::builder(&self.header).format(self.format()).threads(threads).sync(self.sync);
        let mut outputs = [self.output];
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
    index: Option<Output>,
}

impl TransformTarget {
    /// All outputs, to be committed.
    pub(crate) fn finish(self) -> Result<Vec<Output>> {
        let mut outputs = self.outputs;
        if let (Some(indexer), Some(index)) = (self.indexer, self.index) {
            let text = indexer.finish(&outputs[0])?;
            outputs.push(output::filled(index, text)?);
        }
        Ok(outputs)
    }
}
