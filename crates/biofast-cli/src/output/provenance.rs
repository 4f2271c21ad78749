//! What outputs say about the run that made them.

use anyhow::Result;
use biofast::bam::Program;
use biofast::ops::filter::report::FileSum;

/// This program for `@PG`, given its [`command_line`].
pub(crate) fn program(command_line: &str) -> Program<'_> {
    Program { name: "biofast", version: env!("CARGO_PKG_VERSION"), command_line }
}

/// The command line, addresses without what may be secret.
pub(crate) fn command_line() -> String {
    let words = crate::embedded::arguments();
    std::iter::once("biofast".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The summary of a run as JSON: its figures beside the command and the version.
pub(crate) fn summary(summary: serde_json::Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(&about(summary))? + "\n")
}

/// The same with the files of the run, which `biofast check --against` compares.
pub(crate) fn summary_of_files(summary: serde_json::Value, files: &[FileSum]) -> Result<String> {
    let mut report = about(summary);
    report["files"] = serde_json::to_value(files)?;
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn about(summary: serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "schema": "biofast.summary",
        "schema_version": 1,
        "biofast_version": env!("CARGO_PKG_VERSION"),
        "command": command_line(),
        "summary": summary,
    })
}
