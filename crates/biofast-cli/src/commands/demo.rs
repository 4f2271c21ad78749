//! `biofast demo`: files to try the program with.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use biofast::io::display_name;
use biofast::io::output::{Files, commit};

use crate::options::Folder;
use crate::{output, sample};

/// Write a small sample to try biofast with: reads in several containers, alignments, a genome
///
/// The folder then has R1.fq.gz and R2.fq.gz (2,500 pairs of 150 bases), reads.fq, reads.fq.gz and reads.fq.zst (the
/// first reads once more), aln.bam with its index and aln.sam (sorted alignments of 600 pairs and more), genome.fa
/// (their references) and targets.bed (some intervals). Nothing that is there is replaced.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast demo demo
  biofast demo try && biofast stats try/R1.fq.gz try/R2.fq.gz")]
pub(crate) struct Args {
    /// The folder; it is made if it doesn't exist
    #[arg(value_name = "DIR")]
    folder: Folder,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let name = display_name(&args.folder);
    files.make_folder(&args.folder).with_context(|| format!("can't make the folder {name}"))?;
    let there =
        std::fs::read_dir(&args.folder).with_context(|| format!("can't read {name}"))?.next();
    if there.is_some() {
        bail!("{name} isn't empty: name a folder that doesn't exist yet");
    }
    commit(sample::write(&args.folder, files)?, false)?;
    let text = format!(
        "{name} has R1.fq.gz, R2.fq.gz, reads.fq, reads.fq.gz, reads.fq.zst, aln.bam, aln.sam, genome.fa and targets.bed. Try:\n  \
         biofast stats {name}/*.gz\n  biofast check {name}/aln.bam\n  biofast stats --html report.html {name}/aln.bam\n"
    );
    output::finish(output::report(files, None)?, text)?;
    Ok(ExitCode::SUCCESS)
}
