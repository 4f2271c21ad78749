//! What `biofast convert` says of a run.

use std::path::PathBuf;

use biofast::io::display_name;
use biofast::ops::convert::{Holds, Summary};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::measure::records::Sum;

use super::args::To;
use crate::console::message;
use crate::inputs::Input;

/// What was done.
pub(super) struct Done {
    pub(super) summary: Summary,
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

pub(super) fn tell(done: &Done) {
    let records = |sums: [Sum; 2]| sums[0].records + sums[1].records;
    let (came, went) = (records(done.summary.input), records(done.summary.output));
    let what = if done.paired { "reads of pairs" } else { "reads" };
    let note = match came == went {
        true => format!("{went} {what} written"),
        false => format!("{went} of {came} {what} written"),
    };
    message("note", &note);
    if let Some(renamed) = done.renamed {
        let what = if done.paired { "pairs" } else { "reads" };
        match renamed {
            0 => message("note", "no name came twice"),
            _ => message("note", &format!("{renamed} {what} renamed, whose names came before")),
        }
    }
    if done.summary.dots_as_n > 0 {
        message("warning", &format!("{} bases '.' are stored as N", done.summary.dots_as_n));
    }
}

pub(super) fn summary(done: &Done) -> serde_json::Value {
    let Summary { input, output, input_bases, output_bases, dots_as_n } = done.summary;
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
pub(super) fn sums(done: &Done, inputs: &[Input], paths: &[Option<PathBuf>]) -> Vec<FileSum> {
    let of_files = |sums: [Sum; 2], files: usize| {
        let [mut one, two] = sums;
        if files > 1 {
            return vec![one, two];
        }
        one.add(two);
        vec![one]
    };
    let mut found = Vec::new();
    if matches!(done.held, Holds::Fastq | Holds::Fasta) {
        for (input, sum) in inputs.iter().zip(of_files(done.summary.input, inputs.len())) {
            let partial = !done.whole;
            found.push(FileSum {
                path: input.name(),
                role: Role::Input,
                partial,
                records: sum.into(),
            });
        }
    }
    if matches!(done.to, To::Fastq | To::Fasta) {
        for (path, sum) in paths.iter().zip(of_files(done.summary.output, paths.len())) {
            let path = path.as_ref();
            let path = path.map_or_else(|| "-".into(), |path| display_name(path));
            found.push(FileSum { path, role: Role::Output, partial: false, records: sum.into() });
        }
    }
    found
}
