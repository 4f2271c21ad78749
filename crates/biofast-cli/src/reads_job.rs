//! A job of reads: one file, the two of mates or interleaved pairs are read, written in another way, and reported about.
//!
//! A command of reads has its arguments, what they mean, the call of a library, its summary and what it says in the end. All else is
//! here, in this order: [open](ReadsJob::open) the inputs, open the outputs ([`OutputSet`](crate::options::OutputSet)) and the
//! [report](ReadsJob::open_report), [run](ReadsJob::run), [finish](ReadsJob::finish).

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_fastq::fasta::Sequences;
use biofast_fastq::{self as fastq, Inputs, Readable};
use biofast_io::output::{Output, commit};
use biofast_io::{Error, Escaped, Options, Source};
use biofast_ops::dedup;
use biofast_ops::filter::report::{FileRole, FileSum};
use biofast_ops::measure::records::Sum;
use biofast_ops::reads::Collector;

use crate::console::{self, Console};
use crate::inputs::{self, Input, Layout, Rereads};
use crate::options::{Io, Messages, Pairing, Strictness, Threads, rereadable};
use crate::output::{self, RunError};
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// How reads are read, and what is said about it.
#[derive(clap::Args)]
pub(crate) struct ReadsOptions {
    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    io: Io,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    pub(crate) messages: Messages,
}

impl ReadsOptions {
    /// Options for reads whose mates are known so.
    pub(crate) fn reads(&self, pairing: &Pairing) -> Options {
        pairing.apply(self.strictness.reads(self.io.apply(self.threads.options())))
    }

    /// Options for alignments that reads are made of.
    pub(crate) fn alignments(&self) -> Options {
        self.strictness.alignments(self.io.apply(self.threads.options()))
    }

    /// A job on these inputs.
    pub(crate) fn job(
        &self,
        inputs: (Vec<Input>, Layout),
        pairing: &Pairing,
        session: &Session,
    ) -> ReadsJob<'_> {
        ReadsJob::new(inputs, self.reads(pairing), &self.threads, &self.messages, session)
    }
}

/// One reading of reads, with all that is opened, said and written about it.
pub(crate) struct ReadsJob<'a> {
    inputs: Vec<Input>,
    layout: Layout,
    /// What the inputs hold, where a container may hold several formats.
    format: Option<&'static str>,
    /// Of each input, and at least two.
    watches: Vec<Watch>,
    /// The inputs as they were, if they are read more than once.
    rereads: Option<Rereads>,
    threads: &'a Threads,
    messages: &'a Messages,
    report: Option<Output>,
    console: Console,
    command_line: String,
}

impl<'a> ReadsJob<'a> {
    /// A job on inputs that are read with these options, and hold FASTQ unless another format is seen or said.
    pub(crate) fn new(
        (inputs, layout): (Vec<Input>, Layout),
        options: Options,
        threads: &'a Threads,
        messages: &'a Messages,
        session: &Session,
    ) -> ReadsJob<'a> {
        let progress = Arc::default();
        let watch = |_| Watch::sharing(session, &progress, options.clone());
        ReadsJob {
            watches: (0..inputs.len().max(2)).map(watch).collect(),
            inputs,
            layout,
            format: Some("FASTQ"),
            rereads: None,
            threads,
            messages,
            report: None,
            console: session.console.clone(),
            command_line: session.command_line(),
        }
    }

    /// The same on inputs that may be read more than once, and then must not change from now on.
    pub(crate) fn rereading(self, again: bool) -> ReadsJob<'a> {
        let rereads = again.then(|| Rereads::of(&self.inputs));
        ReadsJob { rereads, ..self }
    }

    /// The same on inputs that hold this, as far as it has a name, and are read so.
    pub(crate) fn holding(
        self,
        format: Option<&'static str>,
        options: Options,
        session: &Session,
    ) -> ReadsJob<'a> {
        let ReadsJob { inputs, layout, rereads, threads, messages, .. } = self;
        let job = ReadsJob::new((inputs, layout), options, threads, messages, session);
        ReadsJob { format, rereads, ..job }
    }

    pub(crate) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether the reads are pairs.
    pub(crate) fn is_paired(&self) -> bool {
        self.layout.is_paired()
    }

    /// The number of reads, or of pairs, if the first input has so many reads.
    pub(crate) fn units(&self, reads: u64) -> u64 {
        if self.layout == Layout::Interleaved { reads / 2 } else { reads }
    }

    /// Whether the inputs hold FASTA, once they are open.
    pub(crate) fn is_fasta(&self) -> bool {
        self.format == Some("FASTA")
    }

    /// What is noticed of each input, and how it is read.
    pub(crate) fn watches(&self) -> &[Watch] {
        &self.watches
    }

    /// How each input is read.
    pub(crate) fn options(&self) -> [Options; 2] {
        [0, 1].map(|mate: usize| self.watches[mate].options.clone())
    }

    /// Opens the inputs, of which the first ones may be open already, and looks which format they hold: names of outputs say which one
    /// is meant.
    pub(crate) fn open(&mut self, first: impl IntoIterator<Item = Source>) -> Result<Vec<Source>> {
        let mut sources: Vec<Source> = first.into_iter().collect();
        for input in self.inputs.iter().skip(sources.len()) {
            sources.push(input.open()?);
        }
        if inputs::are_fasta(&mut sources)? {
            self.format = Some("FASTA");
        }
        Ok(sources)
    }

    /// Warns of qualities in an old encoding, as far as the first reads of an input tell: for commands whose result depends on
    /// qualities.
    pub(crate) fn warn_of_encoding(&self, source: &mut Source) {
        /// As much of the text as some hundred reads take.
        const START: usize = 1 << 16;
        if self.messages.quiet {
            return;
        }
        // What can't be read is said by who reads it.
        let Ok(start) = source.peek(START) else { return };
        let name = source.name().to_owned();
        let start = Source::from_reader(&name, std::io::Cursor::new(start));
        let counted = Collector::collect(start, &Options::serial(), Collector::new);
        // The last read is cut.
        let collector = counted.unwrap_or_else(|fault| *fault.so_far);
        console::warn_of_encoding(&self.console, &name, collector.summary().encoding);
    }

    /// Warns of inputs without reads, by what was read from each.
    pub(crate) fn warn_of_empty(&self, read: &[Sum; 2]) {
        let mates = self.layout == Layout::Paired;
        for (number, input) in self.inputs.iter().enumerate() {
            let is_empty = match mates {
                true => read.get(number).is_some_and(|sum| sum.records == 0),
                false => read.iter().all(|sum| sum.records == 0),
            };
            if is_empty && !self.messages.quiet && !matches!(input, Input::Shard(_)) {
                let name = input.name();
                self.console.warning(&format!("{}: no reads", Escaped(name.as_bytes())));
            }
        }
    }

    /// The same of inputs that a library may read twice.
    pub(crate) fn open_rereadable(&mut self) -> Result<Inputs<dedup::RereadInput>> {
        let mut opened = Vec::new();
        let mut first = None;
        for input in &self.inputs {
            let mut input = rereadable(input)?;
            inputs::same_format(&mut first, input.is_fasta()?)?;
            opened.push(input);
        }
        if first == Some(true) {
            self.format = Some("FASTA");
        }
        self.arrange(opened)
    }

    /// Inputs as they are read together.
    pub(crate) fn arrange<T>(&self, opened: Vec<T>) -> Result<Inputs<T>> {
        let mut opened = opened.into_iter();
        Ok(match (opened.next(), opened.next()) {
            (Some(one), Some(two)) => Inputs::Paired(one, two),
            (Some(one), None) if self.is_paired() => Inputs::Interleaved(one),
            (Some(one), None) => Inputs::Single(one),
            _ => bail!("no input"),
        })
    }

    /// The same of FASTQ or FASTA.
    pub(crate) fn sequences(&self, opened: Vec<Source>) -> Result<Inputs<Sequences>> {
        self.arrange(opened.into_iter().map(Sequences).collect())
    }

    /// An error if inputs that are read more than once have changed.
    pub(crate) fn check_unchanged(&self) -> Result<(), Error> {
        self.rereads.as_ref().map_or(Ok(()), Rereads::check)
    }

    /// The same if two readings found different things in the first input.
    pub(crate) fn compare<T: PartialEq>(&self, before: &T, now: &T) -> Result<(), Error> {
        self.rereads.as_ref().map_or(Ok(()), |rereads| rereads.compare(before, now))
    }

    /// Opens the report, if one is asked for, when all other outputs are open. Where there are files, streams may be closed by their
    /// readers.
    pub(crate) fn open_report(
        &mut self,
        json: Option<&Path>,
        session: &mut Session,
        outputs: &mut [Output],
    ) -> Result<()> {
        self.report = output::optional_report(session, json)?;
        output::outlast_readers(outputs, self.report.iter().len());
        Ok(())
    }

    /// Does the work under a progress bar, and says what was noticed of each input.
    pub(crate) fn run<T, E: RunError>(
        &self,
        work: impl FnOnce([Options; 2]) -> Result<T, E>,
    ) -> Result<T> {
        let total: Option<u64> = self.inputs.iter().map(Input::len).sum();
        let bar = self.watches[0].bar(total, self.messages);
        let result = work(self.options());
        drop(bar);
        for (input, watch) in self.inputs.iter().zip(&self.watches) {
            watch.tell(input, self.format, self.messages, self.threads);
        }
        // A fault that wasn't there before is one of the change.
        self.check_unchanged()?;
        result.map_err(output::failed)
    }

    /// The inputs, with what was read from them, of each mate.
    pub(crate) fn sums(&self, read: [Sum; 2]) -> FileSums {
        let names: Vec<String> = self.inputs.iter().map(Input::name).collect();
        FileSums::default().mates(FileRole::Input, &names, read)
    }

    /// Fills the report with the summary and the sums of all files, makes the outputs appear, and says what was done.
    pub(crate) fn finish(
        self,
        outputs: Vec<Output>,
        sync: bool,
        (summary, sums): (serde_json::Value, FileSums),
        tell: impl FnOnce(&Console),
    ) -> Result<Exit> {
        let command_line = self.command_line.clone();
        let text = || output::summary_of_files(&command_line, summary, &sums.0);
        self.finish_with(outputs, sync, text, tell)
    }

    /// The same with another text as report.
    pub(crate) fn finish_with(
        self,
        mut outputs: Vec<Output>,
        sync: bool,
        text: impl FnOnce() -> Result<String>,
        tell: impl FnOnce(&Console),
    ) -> Result<Exit> {
        if let Some(report) = self.report {
            outputs.push(output::filled(report, text()?)?);
        }
        commit(outputs, sync)?;
        if !self.messages.quiet {
            tell(&self.console);
        }
        Ok(Exit::Fine)
    }
}

/// The files of a run, with what was read from or written to each.
#[derive(Default)]
pub(crate) struct FileSums(pub(crate) Vec<FileSum>);

impl FileSums {
    /// The files of both mates, or of each of them; or none.
    pub(crate) fn mates(mut self, role: FileRole, names: &[String], sums: [Sum; 2]) -> FileSums {
        let [mut one, two] = sums;
        if names.len() == 1 {
            one.add(two);
        }
        self.extend(names.iter().cloned().zip([one, two]).map(|(name, sum)| (name, role, sum)));
        self
    }

    /// The same, but of inputs only a part was read.
    pub(crate) fn partly_read(mut self, partly: bool) -> FileSums {
        for file in self.0.iter_mut().filter(|file| file.role == FileRole::Input) {
            file.partial = partly;
        }
        self
    }
}

impl Extend<(String, FileRole, Sum)> for FileSums {
    fn extend<I: IntoIterator<Item = (String, FileRole, Sum)>>(&mut self, files: I) {
        let sum = |(path, role, sum): (String, FileRole, Sum)| FileSum {
            path,
            role,
            partial: false,
            records: sum.into(),
        };
        self.0.extend(files.into_iter().map(sum));
    }
}

impl FromIterator<(String, FileRole, Sum)> for FileSums {
    fn from_iter<I: IntoIterator<Item = (String, FileRole, Sum)>>(files: I) -> FileSums {
        let mut sums = FileSums::default();
        sums.extend(files);
        sums
    }
}

/// The number of reads of an input, which is read for it alone.
pub(crate) fn count_reads(source: impl Readable, options: &Options) -> Result<u64, fastq::Error> {
    let reads = fastq::Fold::new(source).options(options).run(
        || 0u64,
        |reads, batch| *reads += batch.len() as u64,
        |reads, other| *reads += other,
    );
    reads.map_err(|fault| fault.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_of_one_file_have_one_sum() {
        let [one, two] = [3, 4].map(|records| Sum { records, ..Sum::default() });
        let counts = |names: &[&str]| -> Vec<u64> {
            let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
            let sums = FileSums::default().mates(FileRole::Output, &names, [one, two]);
            assert!(sums.0.iter().map(|file| &file.path).eq(&names));
            sums.0.iter().map(|file| file.records.reads).collect()
        };
        assert_eq!(counts(&[]), [0; 0]);
        assert_eq!(counts(&["both"]), [7]);
        assert_eq!(counts(&["first", "second"]), [3, 4]);
    }

    #[test]
    fn only_inputs_are_read_in_part() {
        let files = [FileRole::Input, FileRole::Output, FileRole::Rejected];
        let files = files.map(|role| (String::new(), role, Sum::default()));
        let sums: FileSums = files.into_iter().collect();
        let partial = sums.partly_read(true).0.into_iter().map(|file| file.partial);
        assert!(partial.eq([true, false, false]));
    }
}
