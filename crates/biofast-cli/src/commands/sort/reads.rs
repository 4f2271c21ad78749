//! Reads in another order, for `sort` and `shuffle`.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_fastq::fasta::LINE_WIDTH;
use biofast_io::Source;
use biofast_io::output::Output;
use biofast_ops::convert::{self, Convert};
use biofast_ops::dedup;
use biofast_ops::filter::report::FileRole;
use biofast_ops::order::{OrderBy, OrderResult, order};

use crate::console::Console;
use crate::inputs::Input;
use crate::options::{OutputSet, ReadsOut};
use crate::output;
use crate::reads_job::ReadsJob;
use crate::session::{Exit, Session};

/// What reads are put in order by, and where they go.
pub(crate) struct Reordering<'a> {
    pub(crate) by: OrderBy,
    pub(crate) reverse: bool,
    pub(crate) limits: dedup::SpillLimits,
    pub(crate) out: Option<&'a Path>,
    pub(crate) out2: Option<&'a Path>,
    pub(crate) writing: &'a ReadsOut,
}

impl Reordering<'_> {
    /// Writes reads in order; the first input may be open already.
    pub(crate) fn run(
        self,
        mut job: ReadsJob<'_>,
        first: Option<Source>,
        session: &mut Session,
    ) -> Result<Exit> {
        let paired = job.is_paired();
        if self.out2.is_some() && !paired {
            bail!("--out2 needs pairs: two files, or --interleaved");
        }
        let sources = job.open(first)?;
        let mut opened = OutputSet::default();
        for path in std::iter::once(self.out).chain(self.out2.map(Some)) {
            let named = output::format_of_optional(path, job.is_fasta())?;
            opened.add(path, self.writing.compression(named)?, session)?;
        }
        job.open_report(self.writing.json.as_deref(), session, &mut opened.outputs)?;
        let names = opened.names();
        let sources = job.sequences(sources)?;
        let format = match job.is_fasta() {
            true => convert::OutputFormat::Fasta { width: LINE_WIDTH },
            false => convert::OutputFormat::Fastq,
        };
        let (plan, ordering) = (Convert::to(format), (self.by, self.reverse));
        let mut done = job.run(|options| {
            order(sources, options, &plan, ordering, &self.limits, opened.outputs)
        })?;
        // `check` compares FASTQ.
        let sums = match job.is_fasta() {
            true => Default::default(),
            false => {
                job.sums(done.summary.input).mates(FileRole::Output, &names, done.summary.output)
            }
        };
        let mut outputs = std::mem::take(&mut done.outputs);
        let mut summary = summary(&done, paired);
        let sizes = match self.by {
            OrderBy::Similarity => Some(Sizes::of(&job, &mut outputs)?),
            _ => None,
        };
        if let Some(sizes) = &sizes {
            summary["input_file_bytes"] = sizes.input.into();
            summary["output_file_bytes"] = sizes.output.into();
        }
        job.finish(outputs, self.writing.sync, (summary, sums), |console| {
            tell(console, &done, paired);
            if let Some(sizes) = sizes {
                console.note(&sizes.in_words());
            }
        })
    }
}

/// The bytes of what was read and written, as they are stored.
struct Sizes {
    /// Unknown where something came from a stream.
    input: Option<u64>,
    output: u64,
}

impl Sizes {
    fn of(job: &ReadsJob<'_>, outputs: &mut [Output]) -> Result<Sizes> {
        let input = job.inputs().iter().map(Input::len).sum();
        let mut output = 0;
        for file in outputs {
            output += file.stored_bytes()?;
        }
        Ok(Sizes { input, output })
    }

    fn in_words(&self) -> String {
        let Sizes { input, output } = *self;
        let Some(input) = input else { return format!("{output} bytes written") };
        let (less, word) = match input.checked_sub(output) {
            Some(saved) => (saved, "less"),
            None => (output - input, "more"),
        };
        let percent = if input == 0 { 0.0 } else { 100.0 * less as f64 / input as f64 };
        format!("{input} bytes read, {output} written: {less} {word} ({percent:.1} %)")
    }
}

fn summary(done: &OrderResult, paired: bool) -> serde_json::Value {
    let [one, two] = done.summary.output;
    serde_json::json!({
        "reads": one.records + two.records,
        "bases": done.summary.output_bases,
        "paired": paired,
        "stored_runs": done.stored_runs,
        "stored_bytes": done.stored_bytes,
    })
}

/// Says what was done.
fn tell(console: &Console, done: &OrderResult, paired: bool) {
    let [one, two] = done.summary.output;
    let reads = one.records + two.records;
    let what = if paired { "reads of pairs" } else { "reads" };
    let note = match done.stored_runs {
        0 => format!("{reads} {what} sorted in memory"),
        runs => format!(
            "{reads} {what} sorted, {runs} runs in temporary files, {} bytes",
            done.stored_bytes
        ),
    };
    console.note(&note);
}
