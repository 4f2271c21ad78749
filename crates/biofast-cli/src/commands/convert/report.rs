//! What `biofast convert` says of a run.

use biofast_ops::convert::{ConvertSummary, Holds};
use biofast_ops::filter::report::FileRole;
use biofast_ops::measure::records::Sum;

use super::args::To;
use crate::console::Console;
use crate::reads_job::{FileSums, ReadsJob};

/// What was done.
pub(super) struct Done {
    pub(super) summary: ConvertSummary,
    pub(super) held: Holds,
    pub(super) to: To,
    pub(super) paired: bool,
    /// Whether all reads were asked for.
    pub(super) whole: bool,
    /// Reads or pairs whose name came before, if they get another one.
    pub(super) renamed: Option<u64>,
}

/// The format of the input, where a container may hold several.
pub(super) fn name(held: Holds) -> Option<&'static str> {
    match held {
        Holds::Fastq => Some("FASTQ"),
        Holds::Fasta => Some("FASTA"),
        Holds::Table => Some("a table of reads"),
        Holds::Alignments => None,
    }
}

pub(super) fn tell(console: &Console, done: &Done) {
    let records = |sums: [Sum; 2]| sums[0].records + sums[1].records;
    let (came, went) = (records(done.summary.input), records(done.summary.output));
    let what = if done.paired { "reads of pairs" } else { "reads" };
    let note = match came == went {
        true => format!("{went} {what} written"),
        false => format!("{went} of {came} {what} written"),
    };
    console.note(&note);
    if let Some(renamed) = done.renamed {
        let what = if done.paired { "pairs" } else { "reads" };
        match renamed {
            0 => console.note("all names were unique"),
            _ => console.note(&format!("{renamed} {what} with repeated names renamed")),
        }
    }
    if done.summary.dots_as_n > 0 {
        console.warning(&format!("{} '.' bases are stored as N", done.summary.dots_as_n));
    }
}

pub(super) fn summary(done: &Done) -> serde_json::Value {
    let ConvertSummary { input, output, input_bases, output_bases, dots_as_n } = done.summary;
    let from = match done.held {
        Holds::Fastq => "fastq",
        Holds::Fasta => "fasta",
        Holds::Table => "table",
        Holds::Alignments => "alignments",
    };
    let to = match done.to {
        To::Fastq => "fastq",
        To::Fasta => "fasta",
        To::Table => "table",
        To::Bam => "bam",
    };
    let amount = |sums: [Sum; 2], bases: u64| serde_json::json!({ "reads": sums[0].records + sums[1].records, "bases": bases });
    let mut summary = serde_json::json!({
        "from": from,
        "to": to,
        "paired": done.paired,
        "input": amount(input, input_bases),
        "output": amount(output, output_bases),
        "dots_as_n": dots_as_n,
    });
    if let (Some(renamed), Some(summary)) = (done.renamed, summary.as_object_mut()) {
        summary.insert("renamed".into(), renamed.into());
    }
    summary
}

/// The inputs and outputs of FASTQ and FASTA, which can be compared, with what was read from and written to each.
pub(super) fn sums(done: &Done, job: &ReadsJob<'_>, names: &[String]) -> FileSums {
    let sums = match done.held {
        Holds::Fastq | Holds::Fasta => job.sums(done.summary.input).partly_read(!done.whole),
        Holds::Table | Holds::Alignments => FileSums::default(),
    };
    match done.to {
        To::Fastq | To::Fasta => sums.mates(FileRole::Output, names, done.summary.output),
        To::Table | To::Bam => sums,
    }
}
