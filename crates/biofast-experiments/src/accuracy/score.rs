//! What a contestant wrote, beside the truth.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use biofast_fastq::Reader;
use biofast_io::{Options, Source};

use super::simulate::Template;

/// How reads were trimmed. A read that wasn't written has length 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trimming {
    pub(super) reads: u64,
    /// Of the length that is right.
    pub(super) exact: u64,
    /// Bases of fragments that were cut.
    pub(super) cut: u64,
    /// Bases behind fragments that were left.
    pub(super) left: u64,
    /// The sum of the squares of both, by read.
    squares: u64,
}

impl Trimming {
    fn add(&mut self, kept: usize, truth: usize) {
        let (cut, left) = (truth.saturating_sub(kept), kept.saturating_sub(truth));
        self.reads += 1;
        self.exact += u64::from(kept == truth);
        self.cut += cut as u64;
        self.left += left as u64;
        self.squares += ((cut + left) as u64).pow(2);
    }

    /// The root of the mean square of what a length is wrong by.
    pub(super) fn rmse(&self) -> f64 {
        (self.squares as f64 / self.reads.max(1) as f64).sqrt()
    }
}

/// How pairs were merged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Merging {
    /// Pairs whose mates overlap by at least 30 bases.
    pub(super) pairs: u64,
    /// Those that were merged.
    pub(super) merged: u64,
    /// Other pairs that were merged.
    pub(super) others: u64,
    /// Merged reads that are not as long as the fragment.
    pub(super) wrong_len: u64,
    /// Bases of the others, and those that aren't the fragment's.
    pub(super) bases: u64,
    pub(super) wrong_bases: u64,
}

/// The overlap from which on pairs should be merged.
const OVERLAP: usize = 30;

/// Hands out the number and the bases of each read of a file.
fn each(path: &Path, mut sink: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
    let mut reader = Reader::new(Source::open(path)?, &Options::serial())?;
    while let Some(record) = reader.next_record()? {
        // AdapterRemoval puts letters and `_` before names of merged reads.
        let name = String::from_utf8_lossy(record.name()).into_owned();
        let number = name.rsplit('r').next().and_then(|number| number.parse().ok());
        let number = number.with_context(|| format!("{}: a read {name}", path.display()))?;
        sink(number, record.sequence())?;
    }
    Ok(())
}

/// Compares the files of first and second reads with the truth.
pub(super) fn trimming(templates: &[Template], files: &[&Path]) -> Result<Trimming> {
    let mut score = Trimming::default();
    for (mate, path) in files.iter().enumerate() {
        let mut kept = vec![0; templates.len()];
        each(path, |number, sequence| {
            let template = templates.get(number).context("a number no read has")?;
            let whole = &template.reads[mate].sequence;
            ensure!(whole.starts_with(sequence), "r{number} isn't the start of the read");
            kept[number] = sequence.len();
            Ok(())
        })?;
        for (template, kept) in templates.iter().zip(kept) {
            score.add(kept, template.reads[mate].inside);
        }
    }
    Ok(score)
}

/// Compares the file of merged reads with the fragments.
pub(super) fn merging(templates: &[Template], file: &Path) -> Result<Merging> {
    let overlaps = |template: &Template| {
        let both: usize = template.reads.iter().map(|read| read.inside).sum();
        both >= template.fragment.len() + OVERLAP
    };
    let pairs = templates.iter().filter(|template| overlaps(template)).count() as u64;
    let mut score = Merging { pairs, ..Merging::default() };
    each(file, |number, sequence| {
        let template = templates.get(number).context("a number no read has")?;
        match overlaps(template) {
            true => score.merged += 1,
            false => score.others += 1,
        }
        if sequence.len() != template.fragment.len() {
            score.wrong_len += 1;
            return Ok(());
        }
        let differ = sequence.iter().zip(&template.fragment).filter(|(a, b)| a != b).count();
        score.bases += sequence.len() as u64;
        score.wrong_bases += differ as u64;
        Ok(())
    })?;
    Ok(score)
}
