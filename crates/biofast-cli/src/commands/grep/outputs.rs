//! The outputs of `biofast grep`.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_io::output::{Compression, Format, Output};
use biofast_ops::filter::report::FileRole;
use biofast_ops::grep::{GrepRoutes, GrepTally, PatternFinder};

use super::args::{Args, Color};
use super::report;
use crate::console::is_coloured;
use crate::options::OutputSet;
use crate::output;
use crate::reads_job::{FileSums, ReadsJob};
use crate::session::Session;

/// What is written.
pub(super) struct GrepOutputs {
    /// What workers write to: reads, or the table of places.
    pub(super) written: OutputSet,
    pub(super) texts: GrepRoutes,
    pub(super) painted: bool,
    /// A number or a table of numbers instead of reads.
    count: Option<Output>,
    missing: Option<Output>,
}

/// Opens the outputs, and the report of the job.
pub(super) fn open(
    args: &Args,
    job: &mut ReadsJob<'_>,
    session: &mut Session,
) -> Result<GrepOutputs> {
    let (results, paired) = (&args.results, job.is_paired());
    if args.out2.is_some() && !paired {
        bail!("--out2 needs pairs: two files, or --interleaved");
    }
    let is_table = results.count || results.count_by_pattern || results.only_matching;
    let (out, out2) = (args.out.as_deref(), args.out2.as_deref());
    args.pairs_out.refuse(job.layout(), out, out2.is_some() || is_table)?;
    let is_fasta = job.is_fasta();
    let compression = |path| {
        let named = output::format_of_optional(path, is_fasta)?;
        args.writing.compression(named)
    };
    let (mut written, mut texts) = (OutputSet::default(), GrepRoutes::default());
    let (mut painted, mut count) = (false, None);
    if results.only_matching {
        let mut table = output::report(session, out)?;
        // The first shard's table has the header of all.
        if job.inputs().iter().all(|input| input.shard().is_none_or(|number| number == 1)) {
            table.append(report::PLACES.as_bytes())?;
            table.append(if paired { b"\tmate\n" } else { b"\n" })?;
        }
        texts.places = Some(written.push(table, out));
    } else if is_table {
        count = Some(output::report(session, out)?);
    } else {
        let first = compression(out)?;
        painted = is_painted(args, first);
        texts.first = Some(written.add(out, first, session)?);
        if out2.is_some() {
            texts.second = Some(written.add(out2, compression(out2)?, session)?);
        }
    }
    if results.color == Color::Always && !painted && !args.reading.messages.quiet {
        let why = match results.invert_match {
            true => "reads without matches are written",
            false if texts.first.is_none() => "no reads are written",
            false => "the output is compressed",
        };
        session.console.warning(&format!("--color has no effect: {why}"));
    }
    if let Some(path) = args.rejected.as_deref() {
        texts.rejected = Some(written.add(Some(path), compression(Some(path))?, session)?);
    }
    let missing = output::optional_report(session, results.missing.as_deref())?;
    job.open_report(args.writing.json.as_deref(), session, &mut written.outputs)?;
    output::outlast_readers(&mut written.outputs, missing.iter().len());
    Ok(GrepOutputs { written, texts, painted, count, missing })
}

/// Whether what is found is coloured.
fn is_painted(args: &Args, compression: Compression) -> bool {
    match args.results.color {
        _ if args.results.invert_match || compression.format() != Format::Plain => false,
        Color::Never => false,
        Color::Always => true,
        Color::Auto => {
            let is_stdout = args.out.as_deref().is_none_or(|path| path == Path::new("-"));
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            is_stdout && is_coloured(&std::io::stdout()) && !is_dumb
        }
    }
}

impl GrepOutputs {
    /// The inputs and outputs, with what was read from and written to each.
    pub(super) fn sums(&self, tally: &GrepTally, job: &ReadsJob<'_>) -> FileSums {
        let names = self.written.names();
        let named = |texts: [Option<usize>; 2]| -> Vec<String> {
            texts.into_iter().flatten().filter_map(|text| names.get(text).cloned()).collect()
        };
        let GrepRoutes { first, second, rejected, .. } = self.texts;
        // Coloured reads are no FASTQ, and nobody compares them.
        let kept = if self.painted { Vec::new() } else { named([first, second]) };
        let sums = job.sums(tally.input).mates(FileRole::Output, &kept, tally.kept);
        sums.mates(FileRole::Rejected, &named([rejected, None]), tally.rejected)
    }

    /// All outputs with what is known at the end.
    pub(super) fn filled(
        self,
        args: &Args,
        finder: &PatternFinder,
        tally: &GrepTally,
    ) -> Result<Vec<Output>> {
        let mut outputs = self.written.outputs;
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
        Ok(outputs)
    }
}
