//! `biofast quickcheck`: do files of alignments start and end as they should?

use std::path::Path;

use anyhow::Result;
use biofast_ops::quickcheck::{QuickCheck, QuickFault};

use crate::console::Diagnostic;
use crate::inputs::Input;
use crate::options::{ManyFiles, Out};
use crate::output;
use crate::session::{Exit, Session};

/// Check that BAM, SAM and CRAM files have a header and an end-of-file marker, like `samtools quickcheck`
///
/// Nothing between them is read: to validate whole files, use `biofast check`. A file passes if it holds alignments, its
/// header can be read and lists reference sequences, and, in BGZF and CRAM, its end-of-file marker is there.
///
/// The exit code is 0 if all files pass, 1 if one fails, and 2 if one can't be read.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast quickcheck aln.bam && echo ok
  biofast quickcheck -qv lane1.bam lane2.bam > bad.txt
  biofast quickcheck -u unaligned.bam")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: ManyFiles,

    /// Accept headers without reference sequences, as those of unaligned reads
    #[arg(short, long)]
    unmapped: bool,

    /// Print the names of files that fail
    #[arg(short, long)]
    verbose: bool,

    /// Don't print why files fail
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    out: Out,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = args.inputs.inputs(session)?;
    let report = args.out.open(session)?;
    let check = QuickCheck { unmapped: args.unmapped };
    let mut failed = String::new();
    let mut exit = Exit::Fine;
    for input in &inputs {
        let path: Option<&Path> = match input {
            Input::Path(path) => Some(path),
            _ => None,
        };
        let found = input.open().map_err(Into::into).and_then(|source| check.run(source, path));
        let faults = match found {
            Ok(faults) if faults.is_empty() => continue,
            Ok(faults) => {
                exit = if exit == Exit::Failed { exit } else { Exit::CheckFailed };
                faults
            }
            Err(error) => {
                exit = Exit::Failed;
                if !args.quiet {
                    let diagnostic = Diagnostic::of(&error);
                    diagnostic.tell(&session.console);
                    diagnostic.hint(&session.console);
                }
                Vec::new()
            }
        };
        if !args.quiet {
            let tell = |fault: &QuickFault| {
                session.console.warning(&format!("{}: {fault}", input.in_words()));
            };
            faults.iter().for_each(tell);
        }
        if args.verbose {
            failed += &input.name();
            failed.push('\n');
        }
    }
    output::finish(report, failed)?;
    Ok(exit)
}
