//! `biofast demo`: files to try the program with.

use anyhow::{Context, Result, bail};
use biofast_io::display_name;
use biofast_io::output::commit;

use crate::options::Folder;
use crate::session::{Exit, Session};
use crate::{output, sample};

/// Write small example files for trying out biofast
///
/// DIR then contains R1.fq.gz and R2.fq.gz (2,500 pairs of 150 bases); the first reads again as reads.fq, reads.fq.gz
/// and reads.fq.zst; aln.bam with its index, and aln.sam (sorted alignments); genome.fa (their references) and
/// targets.bed (some intervals). Existing files are never replaced.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast demo demo
  biofast demo try && biofast stats try/R1.fq.gz try/R2.fq.gz")]
pub(crate) struct Args {
    /// Output folder, created if it doesn't exist
    #[arg(value_name = "DIR")]
    folder: Folder,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let name = display_name(&args.folder);
    session
        .files
        .make_folder(&args.folder)
        .with_context(|| format!("can't create the folder {name}"))?;
    let there =
        std::fs::read_dir(&args.folder).with_context(|| format!("can't read {name}"))?.next();
    if there.is_some() {
        bail!("{name} is not empty: name a folder that doesn't exist");
    }
    commit(sample::write(&args.folder, &mut session.files)?, false)?;
    let text = format!(
        "{name} has R1.fq.gz, R2.fq.gz, reads.fq, reads.fq.gz, reads.fq.zst, aln.bam, aln.sam, genome.fa and targets.bed. Try:\n  \
         biofast stats {name}/*.gz\n  biofast check {name}/aln.bam\n  biofast stats --html report.html {name}/aln.bam\n"
    );
    output::finish(output::report(session, None)?, text)?;
    Ok(Exit::Fine)
}
