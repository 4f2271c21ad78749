//! Where sorted alignments go, and in which format.

use std::path::Path;

use anyhow::{Result, bail};
use biofast::bam::index::{BuildOptions, Format as BamIndex};
use biofast::bam::{self, Header, Writer};
use biofast::io::output::{Compression, Files, Format, Level, Output};
use clap::ValueEnum;

use crate::output;

/// The level of BAM unless another is given, as of `filter`.
const BAM_LEVEL: Level = Level::Number(6);

/// How alignments are written by one thread.
#[derive(clap::Args)]
pub(crate) struct SortedOut {
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
        files: &mut Files,
        header: &Header,
    ) -> Result<Target> {
        let named_sam = path.is_some_and(|path| output::has_extension(Some(path), "sam"));
        let is_bam = match self.output_format {
            Some(format) => format == OutputFormat::Bam,
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
            bail!("-u writes BAM, and SAM is asked for");
        }
        let level = match (is_bam, self.level) {
            (true, _) if self.uncompressed => Some(Level::Number(0)),
            (true, None) => Some(BAM_LEVEL),
            (false, Some(_)) if format == Format::Plain => {
                bail!("--level is for BAM or a name ending in .gz or .zst")
            }
            (_, level) => level,
        };
        let output = output::records(files, path, Compression::new(format, level)?)?;
        let index = match self.write_index {
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
        Ok(Target { header: header.clone(), output, index, is_bam, sync: self.sync })
    }
}

/// What is written, opened before anything is read.
pub(crate) struct Target {
    header: Header,
    output: Output,
    index: Option<(Output, BuildOptions)>,
    is_bam: bool,
    sync: bool,
}

impl Target {
    /// The format that is written.
    pub(crate) fn format(&self) -> bam::Format {
        if self.is_bam { bam::Format::Bam } else { bam::Format::Sam }
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
