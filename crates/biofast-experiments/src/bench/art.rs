//! Reads of a simulator that others use, too: pairs of a HiSeq 2500 as `art_illumina` makes them, with 8 score values. For
//! `biofast-lab bench --real`, where the program is in PATH.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::core::{machine, measure};
use crate::datasets::genome::Genome;

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
    fs::write(&reference, text).with_context(|| format!("cannot write {}", reference.display()))?;
    let words = format!("-ss HS25 -p -l 150 -c {PAIRS} -m 300 -s 30 -rs {SEED} -na -q -o art -i");
    let mut args: Vec<OsString> = words.split(' ').map(OsString::from).collect();
    args.push(reference.into());
    let usage = measure::run(program, &args, folder, None, &folder.join("stderr"))?;
    ensure!(usage.exit == 0, "{} failed", program.display());
    Ok((folder.join("art1.fq"), folder.join("art2.fq")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    #[ignore = "needs ART"]
    fn simulated_pairs_are_the_same_each_time_and_have_eight_scores() {
        let program = find().expect("art_illumina is not installed");
        let texts = [1, 2].map(|_| {
            let folder = tempfile::tempdir().expect("a folder");
            let (first, second) = simulate(&program, folder.path()).expect("reads");
            (fs::read(first).expect("mates"), fs::read(second).expect("mates"))
        });
        assert!(texts[0] == texts[1]);
        let lines: Vec<&[u8]> = texts[0].0.split(|&byte| byte == b'\n').collect();
        let scores: BTreeSet<u8> =
            lines.chunks_exact(4).flat_map(|record| record[3].iter().copied()).collect();
        assert_eq!((lines.len() / 4, scores.len()), (PAIRS as usize, 8));
    }
}
