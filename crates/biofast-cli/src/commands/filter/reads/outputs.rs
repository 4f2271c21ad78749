//! Which outputs there are, and which reads go to which.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast::io::output::{Compression, Files, Format, Output};
use biofast::ops::filter::Routes;
use biofast::ops::filter::trim::Label;

use crate::commands::filter::args::{Args, OutputFormat};
use crate::options::OutFile;
use crate::output;

use super::by_adapter::{Names, Texts};

/// The outputs, and what goes to which.
pub(super) struct Opened {
    pub(super) outputs: Vec<Output>,
    /// The paths of those that have one.
    pub(super) paths: Vec<Option<PathBuf>>,
    pub(super) routes: Routes,
    /// What gets merged pairs.
    pub(super) merged: usize,
    /// What gets the reads that have an adapter, if names say so.
    pub(super) by_adapter: Texts,
}

/// Opens the outputs.
pub(super) fn open(
    args: &Args,
    paired: bool,
    adapters: &[Label],
    files: &mut Files,
) -> Result<Opened> {
    if !paired && (args.out2.is_some() || args.unpaired1.is_some() || args.unpaired2.is_some()) {
        bail!("--out2, --unpaired1 and --unpaired2 need pairs: two files, or --interleaved");
    }
    let names = Names::new(args, paired, adapters)?;
    let mut all = All {
        args,
        files,
        closes: names.many(args.write_index.is_some())?,
        outputs: Vec::new(),
        paths: Vec::new(),
    };
    let (by_adapter, unknown) = names.open(&mut all)?;
    let [first, second] = match unknown {
        Some(places) => places,
        None => {
            let first = match args.out.as_deref().filter(|path| *path != Path::new("-")) {
                Some(path) => all.file(path)?,
                None => all.stdout()?,
            };
            let second = args.out2.as_deref().map(|path| all.file(path)).transpose()?;
            [first, second.unwrap_or(first)]
        }
    };
    let mut optional = |path: &Option<OutFile>, shared: Option<usize>| -> Result<Option<usize>> {
        let Some(path) = path.as_deref() else { return Ok(None) };
        match shared {
            Some(index) if all.paths[index].as_deref() == Some(path) => Ok(Some(index)),
            _ => all.file(path).map(Some),
        }
    };
    let unpaired1 = optional(&args.unpaired1, None)?;
    let unpaired2 = optional(&args.unpaired2, unpaired1)?;
    // fastp writes both to the one file that is named.
    let unpaired2 = unpaired2.or(unpaired1.filter(|_| args.preset.is_fastp()));
    let rejected = optional(&args.rejected, None)?;
    let merged = optional(&args.mates.merged_out, None)?;
    if args.mates.merges() && merged.is_none() && second != first {
        bail!(
            "--merge with --out2 needs --merged-out: merged reads would put the mates in --out out of step"
        );
    }
    let merged = merged.unwrap_or(first);
    let routes = Routes { first, second, orphans: [unpaired1, unpaired2], rejected };
    Ok(Opened { outputs: all.outputs, paths: all.paths, routes, merged, by_adapter })
}

/// The outputs that were opened so far.
pub(super) struct All<'a> {
    args: &'a Args,
    files: &'a mut Files,
    /// There are more files than may be open: they are open only while they are written to.
    closes: bool,
    outputs: Vec<Output>,
    /// Where there is one.
    paths: Vec<Option<PathBuf>>,
}

impl All<'_> {
    fn compression(&self, default: Format) -> Result<Compression> {
        let format = match self.args.output_format {
            Some(OutputFormat::Reads(format)) => format,
            Some(_) => bail!("-O sam and -O bam are for alignments, and the input holds reads"),
            None => default,
        };
        if format == Format::Plain && self.args.level.is_some() && self.outputs.is_empty() {
            bail!("--level needs compressed output: a name ending in .gz or .zst, or -O");
        }
        Ok(Compression::new(format, self.args.level)?)
    }

    pub(super) fn file(&mut self, path: &Path) -> Result<usize> {
        let named = output::format_of_reads(path)?;
        let compression = self.compression(named)?;
        let mut output = output::records(self.files, Some(path), compression)?;
        if self.args.write_index.is_some()
            && output.is_file()
            && compression.format() == Format::Bgzf
        {
            let mut index = path.as_os_str().to_owned();
            index.push(".gzi");
            let index = output::report(self.files, Some(Path::new(&index)))?;
            output = output.with_gzi(index)?;
        }
        if self.closes {
            output = output.closed_between_writes()?;
        }
        Ok(self.add(output, Some(path.to_owned())))
    }

    fn stdout(&mut self) -> Result<usize> {
        let compression = self.compression(Format::Plain)?;
        let output = output::records(self.files, None, compression)?;
        Ok(self.add(output, None))
    }

    fn add(&mut self, output: Output, path: Option<PathBuf>) -> usize {
        self.outputs.push(output);
        self.paths.push(path);
        self.outputs.len() - 1
    }
}
