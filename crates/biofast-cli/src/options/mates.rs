//! Files of reads or of mates, and where reads that change are written.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_io::output::{Compression, Format, Level, Output};
use biofast_io::{Error, MateNaming, Options, Source, display_name};
use biofast_ops::dedup;
use biofast_ops::order::SpooledStream;
use clap::ValueEnum;

use super::{InFile, OutFile};
use crate::console::Hinted;
use crate::inputs::{self, Input, Layout};
use crate::output;
use crate::session::Session;

/// One file of reads, or the two of mates.
#[derive(clap::Args)]
pub(crate) struct Mates {
    /// One file of reads, or two files of mates; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Treat the input as interleaved: the mates of each pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,
}

/// What makes two reads the mates of a pair.
#[derive(clap::Args)]
pub(crate) struct Pairing {
    /// Rule that decides whether two reads are mates
    #[arg(long, value_enum, value_name = "RULE", default_value_t = MateRule::Strict)]
    mates: MateRule,
}

/// What `--mates` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MateRule {
    /// Equal names, ignoring /1 and /2, and no name or comment (2:N:0) that marks a read as the other mate
    Strict,
    /// Equal names, ignoring comments and the endings /1 and /2, .1 and .2, _1 and _2, :1 and :2, -1 and -2
    Names,
}

impl Pairing {
    pub(crate) fn rule(&self) -> MateNaming {
        match self.mates {
            MateRule::Strict => MateNaming::Strict,
            MateRule::Names => MateNaming::Names,
        }
    }

    /// The option, if it is given.
    pub(crate) fn given(&self) -> bool {
        self.mates != MateRule::Strict
    }

    /// Options that read so.
    pub(crate) fn apply(&self, options: Options) -> Options {
        options.with_mates(self.rule())
    }
}

/// Where the mates of two files go.
#[derive(clap::Args)]
pub(crate) struct PairsOut {
    /// Write both mates of two input files to --out, interleaved
    #[arg(long, conflicts_with = "out2")]
    interleaved_out: bool,
}

impl PairsOut {
    /// Refuses two files of mates that would become one file unasked, and the option where there are no pairs. A stream is
    /// interleaved without being asked, as what reads it can't get two.
    pub(crate) fn refuse(
        &self,
        layout: Layout,
        out: Option<&Path>,
        has_second: bool,
    ) -> Result<()> {
        if self.interleaved_out && !layout.is_paired() {
            bail!("--interleaved-out needs pairs: two files, or --interleaved");
        }
        let is_file = |path: &Path| {
            path != Path::new("-") && std::fs::metadata(path).map_or(true, |found| found.is_file())
        };
        match out.filter(|out| is_file(out)) {
            Some(out) if layout == Layout::Paired && !has_second && !self.interleaved_out => Err(Hinted {
                message: format!("two input files but only one output, {}", display_name(out)),
                hint: "add --out2 FILE for the second reads, or --interleaved-out to write both mates to one file".into(),
            }
            .into()),
            _ => Ok(()),
        }
    }
}

impl Mates {
    /// What makes two reads mates.
    pub(crate) fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// The files that are named.
    pub(crate) fn named(&self) -> &[InFile] {
        &self.files
    }

    /// Whether the mates of each pair follow each other.
    pub(crate) fn interleaved(&self) -> bool {
        self.interleaved
    }

    /// The inputs, one or two, and how mates lie in them.
    pub(crate) fn inputs(&self, session: &mut Session) -> Result<(Vec<Input>, Layout)> {
        let (inputs, layout) = inputs::of_reads(&self.files, false, session)?;
        match layout {
            Layout::Paired if self.interleaved => {
                bail!("--interleaved takes one file, but {} are named", inputs.len())
            }
            Layout::Single if self.interleaved => Ok((inputs, Layout::Interleaved)),
            layout => Ok((inputs, layout)),
        }
    }
}

/// An input that is opened as often as needed: what can be read only once is kept in a temporary file.
pub(crate) enum Repeated {
    Once(Input),
    Kept(SpooledStream, String),
}

impl Repeated {
    /// Reads a stream to its end, into a temporary file of this folder, if it is to be read again.
    pub(crate) fn new(input: &Input, is_read_again: bool, folder: &Path) -> Result<Repeated> {
        let stream: Box<dyn Read> = match input {
            _ if !is_read_again => return Ok(Repeated::Once(input.clone())),
            Input::Path(path)
                if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) =>
            {
                Box::new(
                    std::fs::File::open(path)
                        .with_context(|| format!("can't read {}", display_name(path)))?,
                )
            }
            Input::Path(_) | Input::Shard(_) => return Ok(Repeated::Once(input.clone())),
            Input::Lent(lent) => lent.open()?,
            Input::Stdin(_) | Input::Unnamed(_) => Box::new(std::io::stdin().lock()),
        };
        Repeated::kept(input, stream, folder)
    }

    /// What an input holds, kept in a temporary file of this folder.
    pub(crate) fn kept(input: &Input, stream: impl Read, folder: &Path) -> Result<Repeated> {
        let name = input.name();
        let kept = SpooledStream::new(stream, folder).with_context(|| {
            format!("{name} is read twice but can't be stored in {}", display_name(folder))
        })?;
        Ok(Repeated::Kept(kept, name))
    }

    pub(crate) fn open(&self) -> Result<Source, Error> {
        match self {
            Repeated::Once(input) => input.open(),
            Repeated::Kept(kept, name) => kept.open(name),
        }
    }
}

/// An input that a library may read twice.
pub(crate) fn rereadable(input: &Input) -> Result<dedup::RereadInput> {
    Ok(match input {
        Input::Path(path) => dedup::RereadInput::open(path)?,
        Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_) | Input::Shard(_) => {
            dedup::RereadInput::once(input.open()?)
        }
    })
}

/// How reads are written.
#[derive(clap::Args)]
pub(crate) struct ReadsOut {
    /// Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]
    ///
    /// Known file extensions are .gz, .bgz, .zst and .bz2.
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(crate) output_format: Option<Format>,

    /// Compression level: fast, balanced, small or a number
    ///
    /// BGZF takes fast, balanced, small or 0 to 12 [default: fast], zstd takes 0 to 19 [default: 3], and bzip2 takes 1 to 9
    /// [default: 9].
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,

    /// Wait until the output is on disk
    #[arg(long)]
    pub(crate) sync: bool,

    /// Write a JSON summary to FILE
    ///
    /// It has a checksum of each file, which `biofast check --against` verifies.
    #[arg(long = "summary", value_name = "FILE")]
    pub(crate) json: Option<OutFile>,
}

/// Outputs of reads, with their paths; none of standard output.
#[derive(Default)]
pub(crate) struct OutputSet {
    pub(crate) outputs: Vec<Output>,
    pub(crate) paths: Vec<Option<PathBuf>>,
}

impl ReadsOut {
    /// How an output is compressed whose name says `named`.
    pub(crate) fn compression(&self, named: Format) -> Result<Compression> {
        output::compression(self.output_format.unwrap_or(named), self.level)
    }

    /// Opens the outputs: the first, or standard output for none and `-`, and those of the others that are named. A level is for
    /// the first one, and for others as far as they are compressed.
    pub(crate) fn open(
        &self,
        first: &Option<OutFile>,
        others: &[&Option<OutFile>],
        is_fasta: bool,
        session: &mut Session,
    ) -> Result<OutputSet> {
        let mut opened = OutputSet::default();
        let others = others.iter().filter_map(|path| path.as_deref());
        for path in std::iter::once(first.as_deref()).chain(others.map(Some)) {
            let named = output::format_of_optional(path, is_fasta)?;
            output::refuse_other_compression(path, self.output_format, "-O")?;
            let format = self.output_format.unwrap_or(named);
            let is_for_it = format != Format::Plain || opened.outputs.is_empty();
            let level = self.level.filter(|_| is_for_it);
            let compression = output::compression(format, level)?;
            opened.add(path, compression, session)?;
        }
        Ok(opened)
    }
}

impl OutputSet {
    /// Opens an output, or standard output for none and `-`, and returns its number.
    pub(crate) fn add(
        &mut self,
        path: Option<&Path>,
        compression: Compression,
        session: &mut Session,
    ) -> Result<usize> {
        let path = path.filter(|path| *path != Path::new("-"));
        Ok(self.push(output::records(session, path, compression)?, path))
    }

    /// Takes an output that is open, and returns its number.
    pub(crate) fn push(&mut self, output: Output, path: Option<&Path>) -> usize {
        self.outputs.push(output);
        self.paths.push(path.map(Path::to_owned));
        self.outputs.len() - 1
    }

    /// The names of all outputs in reports.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |path: &Option<PathBuf>| {
            path.as_ref().map_or_else(|| "-".into(), |path| display_name(path))
        };
        self.paths.iter().map(name).collect()
    }
}
