//! `--format fastqc`: a folder for each sample, or the text of one.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail};
use biofast_io::output::{Output, commit};
use biofast_io::without_container;
use biofast_report::fastqc::FastqcReport;

use super::Args;
use super::rows::{Entry, Figures, file_name};
use crate::console::Console;
use crate::output;
use crate::session::{Exit, Session};

/// Says what doesn't go together, before anything is read.
pub(super) fn check(args: &Args, names: &[String]) -> Result<()> {
    if args.html.is_some() || args.plot {
        bail!("--html and --plot can't be combined with --format fastqc: run them separately");
    }
    let mut folders = HashMap::new();
    for name in names {
        let same_sample = folders.insert(stem(name), name).is_some_and(|other| {
            args.out_dir.is_some() && (args.sample.is_empty() || other != name)
        });
        if same_sample {
            bail!(
                "two inputs would be written to {}_fastqc: give them different names with --sample",
                stem(name)
            );
        }
    }
    if args.out_dir.is_none() && folders.len() > 1 {
        bail!(
            "--format fastqc writes one report per file, but got {} files: add --out-dir DIR",
            folders.len()
        );
    }
    Ok(())
}

/// The reports of good inputs, and whether all inputs are good.
fn good<'e>(console: &Console, entries: &'e [Entry]) -> (Vec<(&'e Entry, &'e FastqcReport)>, bool) {
    let mut all = true;
    let mut reports = Vec::new();
    for entry in entries {
        match &entry.figures {
            // A report of a part would be taken for one of the whole.
            _ if !entry.errors.is_empty() => all = false,
            Figures::Fastqc(report) => reports.push((entry, &**report)),
            _ => {
                all = false;
                console.error(&format!(
                    "{}: --format fastqc needs reads, but this file holds alignments",
                    biofast_io::Escaped(entry.sample.as_bytes())
                ));
                console.hint("use `biofast fastq FILE | biofast stats --format fastqc -`, or --format samtools",
                );
            }
        }
    }
    (reports, all)
}

fn code(all: bool) -> Exit {
    if all { Exit::Fine } else { Exit::Failed }
}

/// Writes the one report to `out`, if its input is good.
pub(super) fn write(entries: &[Entry], out: Output, console: &Console) -> Result<Exit> {
    let (reports, all) = good(console, entries);
    if let [(_, report), ..] = reports[..] {
        output::finish(out, report.data())?;
    }
    Ok(code(all))
}

/// Writes the reports of good inputs to folders of their own, all together.
pub(super) fn write_folders(args: &Args, entries: &[Entry], session: &mut Session) -> Result<Exit> {
    let (reports, all) = good(&session.console, entries);
    let mut outputs = Vec::new();
    for (entry, report) in reports {
        let parent = args.out_dir.as_deref().unwrap_or(Path::new("."));
        let folder = parent.join(format!("{}_fastqc", stem(&entry.sample)));
        output::make_folder(session, &folder)?;
        for (name, text) in [("summary.txt", report.summary()), ("fastqc_data.txt", report.data())]
        {
            outputs.push(output::filled(output::report(session, Some(&folder.join(name)))?, text)?);
        }
    }
    commit(outputs, false)?;
    Ok(code(all))
}

/// The file's name without the endings that say what is in it, as FastQC has it.
pub(crate) fn stem(name: &str) -> String {
    let name = file_name(name);
    let is_name = |stem: &&str| !stem.is_empty();
    let name = Some(without_container(name)).filter(is_name).unwrap_or(name);
    let stem = [".fastq", ".fq", ".txt"].iter().find_map(|ending| name.strip_suffix(ending));
    stem.filter(is_name).unwrap_or(name).to_owned()
}
