//! Reads of a simulator that others use, too: pairs of a HiSeq 2500 as `art_illumina` makes them, with 8 score values. For
//! `biofast-lab bench --real`, where the program is in PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::core::{machine, measure};
use crate::datasets::genome::Genome;
use crate::files;

/// What the reads are called in results.
pub(super) const NAME: &str = "art_HS25";
/// The same reads each time.
const SEED: u64 = 25;
/// Bases of the reference, and pairs drawn from it: 15 MB of text a mate.
const REFERENCE: usize = 1_000_000;
const PAIRS: u32 = 45_000;

/// The simulator.
pub(super) fn find() -> Option<PathBuf> {
    machine::find_in_path("art_illumina")
}

/// Simulates pairs in `folder`, and returns the files of both mates.
///
/// # Errors
/// If the program fails or a file can't be written.
pub(super) fn simulate(program: &Path, folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let reference = folder.join("reference.fa");
    let mut text = b">reference\n".to_vec();
    text.extend_from_slice(Genome::with_len(REFERENCE).forward(0, REFERENCE));
    text.push(b'\n');
    files::write(&reference, text)?;
    let words = format!("-ss HS25 -p -l 150 -c {PAIRS} -m 300 -s 30 -rs {SEED} -na -q -o art -i");
    let mut args: Vec<OsString> = words.split(' ').map(OsString::from).collect();
    args.push(reference.into());
    let usage = measure::run(program, &args, folder, None, &folder.join("stderr"))?;
    ensure!(usage.exit == 0, "{} failed", program.display());
    Ok((folder.join("art1.fq"), folder.join("art2.fq")))
}
