//! Files of reads or of mates, and where reads that change are written.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast::io::output::{Compression, Files, Format, Level, Output};
use biofast::io::{Error, MateNaming, Options, Source, display_name};
use biofast::ops::dedup;
use biofast::ops::order::Kept;
use clap::ValueEnum;

use super::{InFile, OutFile};
use crate::console::Hinted;
use crate::embedded;
use crate::inputs::{self, Input};
use crate::output;

/// One file of reads, or the two of mates.
#[derive(clap::Args)]
pub(crate) struct Mates {
    /// One file, or the two files of mates; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// The file is interleaved: the mates of a pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,
}

/// What makes two reads the mates of a pair.
#[derive(clap::Args)]
pub(crate) struct Pairing {
    /// What makes two reads mates: equal names and nothing that contradicts it, or names alone
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Rule::Strict)]
    mates: Rule,
}

/// What `--mates` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// Equal names, apart from /1 and /2, and no read says in its name or comment (2:N:0) that it is the other mate
    Strict,
    /// Names that are equal or differ only in /1 and /2, .1 and .2, _1 and _2, :1 and :2, or -1 and -2 at their ends; comments are
    /// ignored
    Names,
}

impl Pairing {
    pub(crate) fn rule(&self) -> MateNaming {
        match self.mates {
            Rule::Strict => MateNaming::Strict,
            Rule::Names => MateNaming::Names,
        }
    }

    /// The option, if it is given.
    pub(crate) fn given(&self) -> bool {
        self.mates != Rule::Strict
    }

    /// Options that read so.
    pub(crate) fn apply(&self, options: Options) -> Options {
        options.with_mates(self.rule())
    }
}

/// Where the mates of two files go.
#[derive(clap::Args)]
pub(crate) struct PairsOut {
    /// Write both mates of two input files to the file of --out, the reads of each pair next to each other
    #[arg(long, conflicts_with = "out2")]
    interleaved_out: bool,
}

impl PairsOut {
    /// Refuses two files of mates that would become one file unasked, and the option where there are no pairs. A stream is
    /// interleaved without being asked, as what reads it can't get two.
    pub(crate) fn refuse(
        &self,
        (inputs, paired): (usize, bool),
        out: Option<&Path>,
        has_second: bool,
    ) -> Result<()> {
        if self.interleaved_out && !paired {
            bail!("--interleaved-out needs pairs: two files, or --interleaved");
        }
        let is_file = |path: &Path| {
            path != Path::new("-") && std::fs::metadata(path).map_or(true, |found| found.is_file())
        };
        match out.filter(|out| is_file(out)) {
            Some(out) if inputs == 2 && !has_second && !self.interleaved_out => Err(Hinted {
                message: format!("two files of mates, and one output, {}", display_name(out)),
                hint: "name the file of second reads with --out2; --interleaved-out writes both mates to one file",
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

    /// Whether mates follow each other in one file.
    pub(crate) fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    /// The inputs, one or two, and whether they hold pairs.
    pub(crate) fn inputs(&self, files: &mut Files) -> Result<(Vec<Input>, bool)> {
        let inputs = one_or_two(&self.files, files)?;
        if self.interleaved && inputs.len() > 1 {
            bail!("--interleaved takes one file, but {} are named", inputs.len());
        }
        let paired = self.interleaved || inputs.len() == 2;
        Ok((inputs, paired))
    }
}

/// The one or two inputs that are named.
pub(crate) fn one_or_two(named: &[InFile], files: &mut Files) -> Result<Vec<Input>> {
    let inputs = inputs::gather(named, None, "-", files)?;
    if inputs.len() > 2 {
        bail!("expected one file, or two of mates, but {} are named", inputs.len());
    }
    inputs::are_two(&inputs)?;
    Ok(inputs)
}

/// An input that is opened as often as needed: what can be read only once is kept in a temporary file.
pub(crate) enum Repeated {
    Once(Input),
    Kept(Kept, String),
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
            Input::Lent(name) => embedded::open_lent(name)?,
            Input::Stdin(_) | Input::Unnamed(_) => Box::new(std::io::stdin().lock()),
        };
        let name = input.name();
        let kept = Kept::new(stream, folder).with_context(|| {
            format!("{name} is read twice, and can't be kept in {}", display_name(folder))
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
pub(crate) fn rereadable(input: &Input) -> Result<dedup::Input> {
    Ok(match input {
        Input::Path(path) => dedup::Input::open(path)?,
        Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_) | Input::Shard(_) => {
            dedup::Input::once(input.open()?)
        }
    })
}

/// Inputs that a library may read twice, and whether they are FASTA; an error if only some are.
pub(crate) fn rereadable_sequences(inputs: &[Input]) -> Result<(Vec<dedup::Input>, bool)> {
    let mut opened = Vec::new();
    let mut first = None;
    for input in inputs {
        let mut input = rereadable(input)?;
        let is_fasta = input.is_fasta()?;
        inputs::same_format(&mut first, is_fasta)?;
        opened.push(input);
    }
    Ok((opened, first.unwrap_or(false)))
}

/// How reads are written.
#[derive(clap::Args)]
pub(crate) struct ReadsOut {
    /// Output format: plain, bgzf, zstd or bzip2 [default: by the file's ending: .gz, .bgz, .zst, .bz2]
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(crate) output_format: Option<Format>,

    /// Compression level: for bgzf fast, small or 0 to 12 [default: fast], for zstd 0 to 19 [default: 3], for bzip2 1 to 9 [default: 9]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    pub(crate) sync: bool,

    /// Write the summary to FILE as JSON, with a checksum of each file, which `biofast check --against` compares
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<OutFile>,
}

/// Outputs of reads, with their paths; none of standard output.
#[derive(Default)]
pub(crate) struct Opened {
    pub(crate) outputs: Vec<Output>,
    pub(crate) paths: Vec<Option<PathBuf>>,
}

impl ReadsOut {
    /// Opens an output, or standard output for none and `-`, and returns its number.
    pub(crate) fn open(
        &self,
        path: Option<&Path>,
        is_fasta: bool,
        files: &mut Files,
        opened: &mut Opened,
    ) -> Result<usize> {
        let path = path.filter(|path| *path != Path::new("-"));
        let named = path.map_or(Ok(Format::Plain), |path| match is_fasta {
            true => output::format_of_sequences(path, true),
            false => output::format_of_reads(path),
        })?;
        let format = self.output_format.unwrap_or(named);
        if format == Format::Plain && self.level.is_some() && opened.outputs.is_empty() {
            bail!("--level needs compressed output: a name ending in .gz or .zst, or -O");
        }
        let level = self.level.filter(|_| format != Format::Plain);
        let compression = Compression::new(format, level)?;
        opened.outputs.push(output::records(files, path, compression)?);
        opened.paths.push(path.map(Path::to_owned));
        Ok(opened.outputs.len() - 1)
    }
}

impl Opened {
    /// The name of an output in reports.
    pub(crate) fn name(&self, number: usize) -> String {
        let path = self.paths.get(number).and_then(Option::as_ref);
        path.map_or_else(|| "-".into(), |path| display_name(path))
    }
}
