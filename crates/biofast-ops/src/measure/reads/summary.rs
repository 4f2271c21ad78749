//! The figures people read, derived from a [`Collector`](super::Collector)'s counts.

use std::sync::LazyLock;

use biofast_kernels::{BaseCounts, PHRED_VALUES};

use super::Encoding;

/// A percentage, in hundredths of a percent rounded half up from exact integers, so that it prints the same everywhere.
/// Of nothing it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(u64);

impl Percent {
    /// `part` of `whole`; 0 if `whole` is 0.
    pub fn of(part: u64, whole: u64) -> Percent {
        if whole == 0 {
            return Percent(0);
        }
        let (part, whole) = (u128::from(part), u128::from(whole));
        Percent(((part * 20_000 + whole) / (2 * whole)) as u64)
    }

    /// In percent.
    pub fn value(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}.{:02}", self.0 / 100, self.0 % 100))
    }
}

/// What the letters of the sequences are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceType {
    /// No letters at all.
    Unknown,
    /// A, C, G, T and nucleotide codes.
    Dna,
    /// The same with U in place of T.
    Rna,
    /// Letters that are no nucleotide codes.
    Protein,
}

impl SequenceType {
    /// As seqkit writes it; empty if unknown.
    pub fn name(self) -> &'static str {
        match self {
            SequenceType::Unknown => "",
            SequenceType::Dna => "DNA",
            SequenceType::Rna => "RNA",
            SequenceType::Protein => "Protein",
        }
    }
}

/// Statistics of a set of reads.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Number of reads.
    pub reads: u64,
    /// Number of bases, all characters of sequence lines.
    pub bases: u64,
    /// Shortest read.
    pub min_len: u64,
    /// Longest read.
    pub max_len: u64,
    /// Mean length in tenths, rounded half up.
    pub mean_len_tenths: u64,
    /// Quartiles of length (Tukey's hinges).
    pub quartiles: [f64; 3],
    /// N50 and L50.
    pub n50: (u64, u64),
    /// N90 and L90.
    pub n90: (u64, u64),
    /// Bases by class.
    pub counts: BaseCounts,
    /// Gap characters: `-` and `.`.
    pub gaps: u64,
    /// (G+C) / (A+C+G+T).
    pub gc: Percent,
    /// (G+C) / all characters, as seqkit prints it.
    pub gc_of_all: Percent,
    /// N / all characters.
    pub n: Percent,
    /// Bases of Phred 20 and more, of those that have qualities.
    pub q20: Percent,
    /// Bases of Phred 30 and more, of those that have qualities.
    pub q30: Percent,
    /// −10·log10 of the mean error probability over all bases; 0 without bases.
    pub mean_quality: f64,
    /// The arithmetic mean of Phred values; 0 without bases.
    pub arithmetic_mean_quality: f64,
    /// Lowest and highest Phred value.
    pub quality_range: Option<(u8, u8)>,
    /// Bases by Phred quality.
    pub qualities: [u64; PHRED_VALUES],
    /// What the letters are.
    pub sequence_type: SequenceType,
    /// How qualities seem to be written.
    pub encoding: Encoding,
}

impl Summary {
    /// Whether there are qualities, or no bases that could have any: what is said about qualities then means something.
    pub fn has_qualities(&self) -> bool {
        self.bases == 0 || self.quality_range.is_some()
    }
}

pub(super) fn quality_range(qualities: &[u64; PHRED_VALUES]) -> Option<(u8, u8)> {
    let low = qualities.iter().position(|&n| n > 0)?;
    let high = qualities.iter().rposition(|&n| n > 0)?;
    Some((low as u8, high as u8))
}

/// −10·log10 of the mean error probability of bases with these qualities.
pub(crate) fn mean_quality(qualities: &[u64; PHRED_VALUES]) -> f64 {
    let bases: u64 = qualities.iter().sum();
    if bases == 0 {
        return 0.0;
    }
    // Each position of the reads asks for all of them.
    static PROBABILITIES: LazyLock<[f64; PHRED_VALUES]> =
        LazyLock::new(|| std::array::from_fn(|q| 10f64.powf(q as f64 / -10.0)));
    let errors: f64 = qualities.iter().zip(PROBABILITIES.iter()).map(|(&n, p)| n as f64 * p).sum();
    // `+ 0.0` turns the −0 of all-Q0 data into 0.
    -10.0 * (errors / bases as f64).log10() + 0.0
}

pub(super) fn arithmetic_mean(qualities: &[u64; PHRED_VALUES]) -> f64 {
    let bases: u64 = qualities.iter().sum();
    let sum: u64 = (0u64..).zip(qualities).map(|(q, &n)| q * n).sum();
    if bases == 0 { 0.0 } else { sum as f64 / bases as f64 }
}

pub(super) fn sequence_type(others: &[u64; 256], counts: &BaseCounts) -> SequenceType {
    // IUPAC nucleotide codes beyond ACGTN; gaps and '*' decide nothing.
    let is_nucleotide = |b: u8| b"URYSWKMBDHV-.*".contains(&b.to_ascii_uppercase());
    let seen = |b: u8| others[usize::from(b)] > 0;
    let uracil = seen(b'U') || seen(b'u');
    if counts.total() == 0 {
        SequenceType::Unknown
    } else if (0..=255).any(|b| seen(b) && !is_nucleotide(b)) {
        SequenceType::Protein
    } else if uracil && counts.t == 0 {
        SequenceType::Rna
    } else {
        SequenceType::Dna
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_round_half_up_exactly() {
        assert_eq!(Percent::of(1, 32).to_string(), "3.13");
        assert_eq!(Percent::of(2, 3).to_string(), "66.67");
        assert_eq!(Percent::of(0, 0).to_string(), "0.00");
        assert_eq!(Percent::of(u64::MAX, u64::MAX).to_string(), "100.00");
    }

    #[test]
    fn the_mean_quality_is_that_of_error_probabilities() {
        let mut qualities = [0; PHRED_VALUES];
        qualities[10] = 1;
        qualities[30] = 1;
        let expected = -10.0 * ((0.1f64 + 0.001) / 2.0).log10();
        assert!((mean_quality(&qualities) - expected).abs() < 1e-12);
        assert_eq!(arithmetic_mean(&qualities), 20.0);
    }
}
