//! The outputs of `biofast grep`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast::io::output::{Compression, Files, Format, Output};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::grep::{Finder, Tally, Texts};

use super::args::{Args, Color};
use super::report;
use crate::console::is_coloured;
use crate::output;

/// What is written.
pub(super) struct Opened {
    /// Those that workers write to: reads, or the table of places.
    pub(super) reads: Vec<Output>,
    /// Their paths, and which of them hold reads, of which mates.
    pub(super) paths: Vec<(Option<PathBuf>, Option<Holds>)>,
    pub(super) texts: Texts,
    pub(super) painted: bool,
    /// A number or a table of numbers instead of reads.
    count: Option<Output>,
    missing: Option<Output>,
    json: Option<Output>,
}

/// Which reads are in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Holds {
    pub(super) role: Role,
    pub(super) mates: [bool; 2],
}

/// Opens them.
pub(super) fn open(args: &Args, paired: bool, is_fasta: bool, files: &mut Files) -> Result<Opened> {
    let results = &args.results;
    if args.out2.is_some() && !paired {
        bail!("--out2 needs pairs: two files, or --interleaved");
    }
    let is_table = results.count || results.count_by_pattern || results.only_matching;
    let has_second = args.out2.is_some() || is_table;
    let inputs = if paired && !args.interleaved { 2 } else { 1 };
    args.pairs_out.refuse((inputs, paired), args.out.as_deref(), has_second)?;
    let out = args.out.as_deref().filter(|path| *path != Path::new("-"));
    let mut opened = Opened {
        reads: Vec::new(),
        paths: Vec::new(),
        texts: Texts::default(),
        painted: false,
        count: None,
        missing: None,
        json: None,
    };
    let kept = |mates| Some(Holds { role: Role::Output, mates });
    if results.only_matching {
        let mut table = output::report(files, out)?;
        table.append(report::PLACES.as_bytes())?;
        table.append(if paired { b"\tmate\n" } else { b"\n" })?;
        opened.texts.places = Some(opened.add(table, out, None));
    } else if is_table {
        opened.count = Some(output::report(files, out)?);
    } else {
        let compression = compression(args, out, is_fasta)?;
        opened.painted = is_painted(args, out, compression);
        let first = output::records(files, out, compression)?;
        opened.texts.first = Some(opened.add(first, out, kept([true, args.out2.is_none()])));
        if let Some(path) = args.out2.as_deref() {
            let second =
                output::records(files, Some(path), self::compression(args, Some(path), is_fasta)?)?;
            opened.texts.second = Some(opened.add(second, Some(path), kept([false, true])));
        }
    }
    if let Some(path) = args.rejected.as_deref() {
        let rejected =
            output::records(files, Some(path), compression(args, Some(path), is_fasta)?)?;
        let holds = Holds { role: Role::Rejected, mates: [true; 2] };
        opened.texts.rejected = Some(opened.add(rejected, Some(path), Some(holds)));
    }
    opened.missing = output::optional_report(files, results.missing.as_deref())?;
    opened.json = output::optional_report(files, args.json.as_deref())?;
    let others = [&opened.missing, &opened.json].into_iter().flatten().count();
    output::outlast_readers(&mut opened.reads, others);
    Ok(opened)
}

/// How reads are compressed.
fn compression(args: &Args, path: Option<&Path>, is_fasta: bool) -> Result<Compression> {
    let named = path.map(|path| output::format_of_sequences(path, is_fasta)).transpose()?;
    let named = named.unwrap_or(Format::Plain);
    let format = args.output_format.unwrap_or(named);
    if format == Format::Plain && args.level.is_some() {
        bail!("--level needs compressed output: names ending in .gz or .zst, or -O");
    }
    Ok(Compression::new(format, args.level)?)
}

/// Whether what is found is coloured.
fn is_painted(args: &Args, out: Option<&Path>, compression: Compression) -> bool {
    match args.results.color {
        _ if args.results.invert_match || compression.format() != Format::Plain => false,
        Color::Never => false,
        Color::Always => true,
        Color::Auto => {
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            out.is_none() && is_coloured(&std::io::stdout()) && !is_dumb
        }
    }
}

impl Opened {
    fn add(&mut self, output: Output, path: Option<&Path>, holds: Option<Holds>) -> usize {
        self.reads.push(output);
        // Coloured reads are no FASTQ, and nobody compares them.
        let holds = holds.filter(|holds| !self.painted || holds.role != Role::Output);
        self.paths.push((path.map(Path::to_owned), holds));
        self.reads.len() - 1
    }

    /// All outputs with what is known at the end.
    pub(super) fn filled(
        self,
        args: &Args,
        finder: &Finder,
        tally: &Tally,
        paired: bool,
        sums: &[FileSum],
    ) -> Result<Vec<Output>> {
        let mut outputs = self.reads;
        if let Some(count) = self.count {
            let text = match args.results.count {
                true => format!("{}\n", tally.kept_units).into_bytes(),
                false => report::counts(finder, tally),
            };
            outputs.push(output::filled(count, text)?);
        }
        if let Some(missing) = self.missing {
            outputs.push(output::filled(missing, report::missing(finder, tally))?);
        }
        if let Some(json) = self.json {
            let summary = report::summary(finder, tally, paired);
            outputs.push(output::filled(json, output::summary_of_files(summary, sums)?)?);
        }
        Ok(outputs)
    }
}
