//! What outputs say about the run that made them.

use std::path::Path;

use anyhow::Result;
use biofast_bam::Program;
use biofast_io::Escaped;
use biofast_ops::filter::report::FileSum;

/// This program for `@PG`, given its command line.
pub(crate) fn program(command_line: &str) -> Program<'_> {
    Program { name: "biofast", version: env!("CARGO_PKG_VERSION"), command_line }
}

/// The command line of a report that MultiQC takes for fastp's. MultiQC takes the sample's name from fastp's options in it, and warns
/// where there are none: then a remark at its end has the name.
pub(crate) fn command_line_of(line: String, sample: &str) -> String {
    let names_it = |word: &str| ["-i", "--in1", "-R", "--report_title"].contains(&word);
    match line.split(' ').any(names_it) || sample.is_empty() {
        true => line,
        false => format!("{line} # --report_title {}", Escaped(sample.as_bytes())),
    }
}

/// The same of a report at `path`, which has the sample's name: that of the file, as MultiQC would take it.
pub(crate) fn command_line_at(line: String, path: Option<&Path>) -> String {
    let name = path.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".json").unwrap_or(&name);
    command_line_of(line, name.strip_suffix(".fastp").unwrap_or(name))
}

/// The summary of a run as JSON: its figures beside the command and the version.
pub(crate) fn summary(command_line: &str, summary: serde_json::Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(&about(command_line, summary))? + "\n")
}

/// The same with the files of the run, which `biofast check --against` compares.
pub(crate) fn summary_of_files(
    command_line: &str,
    summary: serde_json::Value,
    files: &[FileSum],
) -> Result<String> {
    let mut report = about(command_line, summary);
    report["files"] = serde_json::to_value(files)?;
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn about(command_line: &str, summary: serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "schema": "biofast.summary",
        "schema_version": 1,
        "biofast_version": env!("CARGO_PKG_VERSION"),
        "command": command_line,
        "summary": summary,
    })
}
