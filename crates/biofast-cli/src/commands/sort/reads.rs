//! Reads in another order, for `sort` and `shuffle`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::fastq::Inputs;
use biofast::fastq::fasta::{LINE_WIDTH, Sequences};
use biofast::io::output::{Compression, Files, Format, Level, commit};
use biofast::io::{Options, Source, display_name};
use biofast::ops::convert::{self, Convert, Summary};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::measure::records::Sum;
use biofast::ops::order::{By, Done, Limits, Problem, order};

use crate::console::message;
use crate::inputs::{self, Input};
use crate::options::{Messages, Threads};
use crate::output;
use crate::watch::Watch;

/// What reads are put in order by.
pub(crate) struct Ordering {
    pub(crate) by: By,
    pub(crate) reverse: bool,
}

/// Reads, and where they go.
pub(crate) struct Reads<'a> {
    /// The first input, if it is open already.
    pub(crate) first: Option<Source>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) paired: bool,
    pub(crate) out: Option<&'a Path>,
    pub(crate) out2: Option<&'a Path>,
    pub(crate) output_format: Option<Format>,
    pub(crate) level: Option<Level>,
    pub(crate) sync: bool,
    pub(crate) json: Option<&'a Path>,
    /// How they are read.
    pub(crate) options: Options,
    pub(crate) threads: &'a Threads,
    pub(crate) messages: &'a Messages,
}

impl Reads<'_> {
    /// Writes them in order, in so much memory and with temporary files in this folder.
    pub(crate) fn order(
        mut self,
        ordering: Ordering,
        (memory, folder): (usize, &Path),
        files: &mut Files,
    ) -> Result<ExitCode> {
        if self.out2.is_some() && !self.paired {
            bail!("--out2 needs pairs: two files, or --interleaved");
        }
        let mut opened: Vec<Source> = self.first.take().into_iter().collect();
        for input in self.inputs.iter().skip(opened.len()) {
            opened.push(input.open()?);
        }
        let is_fasta = inputs::are_fasta(&mut opened)?;
        let mut outputs = Vec::new();
        let mut paths = Vec::new();
        for path in std::iter::once(self.out).chain(self.out2.map(Some)) {
            let path = path.filter(|path| *path != Path::new("-"));
            outputs.push(output::records(files, path, self.compression(path, is_fasta)?)?);
            paths.push(path.map(Path::to_owned));
        }
        let report = output::optional_report(files, self.json)?;
        output::outlast_readers(&mut outputs, report.iter().len());
        let progress = Arc::default();
        let watches = [0, 1].map(|_| Watch::sharing(&progress, self.options.clone()));
        let total: Option<u64> = self.inputs.iter().map(Input::len).sum();
        let bar = watches[0].bar(total, self.messages);
        let mut opened = opened.into_iter().map(Sequences);
        let sources = match (opened.next(), opened.next()) {
            (Some(one), Some(two)) => Inputs::Paired(one, two),
            (Some(one), None) if self.paired => Inputs::Interleaved(one),
            (Some(one), None) => Inputs::Single(one),
            _ => bail!("no input"),
        };
        let format = match is_fasta {
            true => convert::Format::Fasta { width: LINE_WIDTH },
            false => convert::Format::Fastq,
        };
        let result = order(
            sources,
            watches.each_ref().map(|watch| watch.options.clone()),
            &Convert::to(format),
            (ordering.by, ordering.reverse),
            Limits { memory, folder },
            outputs,
        );
        drop(bar);
        for (input, watch) in self.inputs.iter().zip(&watches) {
            let format = if is_fasta { "FASTA" } else { "FASTQ" };
            watch.tell(input, Some(format), self.messages, self.threads);
        }
        let done = result.map_err(|problem| -> anyhow::Error {
            match problem {
                Problem::Input(error) => error.into(),
                Problem::Output(error) => error.into(),
                problem => problem.into(),
            }
        })?;
        // `check` compares FASTQ.
        let sums = if is_fasta { Vec::new() } else { self.sums(&done.summary, &paths) };
        let summary = self.summary(&done);
        let note = note(&done, self.paired);
        let mut outputs = done.outputs;
        if let Some(report) = report {
            outputs.push(output::filled(report, output::summary_of_files(summary, &sums)?)?);
        }
        commit(outputs, self.sync)?;
        if !self.messages.quiet {
            message("note", &note);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn compression(&self, path: Option<&Path>, is_fasta: bool) -> Result<Compression> {
        let named = path.map(|path| output::format_of_sequences(path, is_fasta)).transpose()?;
        let format = self.output_format.or(named).unwrap_or(Format::Plain);
        if format == Format::Plain && self.level.is_some() {
            bail!("--level needs compressed output: a name ending in .gz, .zst or .bz2, or -O");
        }
        Ok(Compression::new(format, self.level)?)
    }

    fn summary(&self, done: &Done) -> serde_json::Value {
        let [one, two] = done.summary.output;
        serde_json::json!({
            "reads": one.records + two.records,
            "bases": done.summary.output_bases,
            "paired": self.paired,
            "stored_runs": done.stored_runs,
            "stored_bytes": done.stored_bytes,
        })
    }

    /// The inputs and outputs, with what was read from and written to each.
    fn sums(&self, summary: &Summary, paths: &[Option<PathBuf>]) -> Vec<FileSum> {
        let of_files = |sums: [Sum; 2], files: usize| {
            let [mut one, two] = sums;
            if files > 1 {
                return vec![one, two];
            }
            one.add(two);
            vec![one]
        };
        let file = |path: String, role, sum: Sum| FileSum {
            path,
            role,
            partial: false,
            records: sum.into(),
        };
        let read = of_files(summary.input, self.inputs.len());
        let read = self.inputs.iter().zip(read);
        let read = read.map(|(input, sum)| file(input.name(), Role::Input, sum));
        let name = |path: &Option<PathBuf>| {
            path.as_ref().map_or_else(|| "-".into(), |path| display_name(path))
        };
        let written = paths.iter().zip(of_files(summary.output, paths.len()));
        read.chain(written.map(|(path, sum)| file(name(path), Role::Output, sum))).collect()
    }
}

/// What is said in the end.
fn note(done: &Done, paired: bool) -> String {
    let [one, two] = done.summary.output;
    let reads = one.records + two.records;
    let what = if paired { "reads of pairs" } else { "reads" };
    match done.stored_runs {
        0 => format!("{reads} {what} put in order, in memory"),
        runs => format!(
            "{reads} {what} put in order, {runs} runs in temporary files, {} bytes",
            done.stored_bytes
        ),
    }
}
