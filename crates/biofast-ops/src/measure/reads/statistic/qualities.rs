//! What the qualities are: reads by mean quality. Bases are counted [by position](super::positions).

use biofast_kernels::PHRED_VALUES;
use serde::{Deserialize, Serialize};

use crate::measure::reads::encoding::looks_like_phred64;
use crate::measure::reads::measured::{MeasuredRead, SectionSchema, Statistic};
use crate::measure::reads::numbers::{InvalidReport, dense, rounded, sparse};
use crate::measure::reads::summary::Summary;

/// What the qualities of reads are like.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct MeanQualities {
    /// Reads by Phred mean quality (of error probabilities), rounded down.
    pub(crate) reads: [u64; PHRED_VALUES],
    /// Reads that look like Phred + 64.
    pub(crate) phred64: u64,
}

impl Default for MeanQualities {
    fn default() -> Self {
        MeanQualities { reads: [0; PHRED_VALUES], phred64: 0 }
    }
}

/// What the qualities are, as reported: Phred values, 33 already subtracted. Figures of bases that have no qualities, as in
/// FASTA, are missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Quality {
    /// `phred33`, `probably-phred64`, `probably-solexa64`, `probably-mixed` or `unknown`.
    pub encoding: String,
    /// −10·log10 of the mean error probability over all bases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The arithmetic mean of Phred values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_arithmetic: Option<f64>,
    /// Bases of Phred 20 and more, in percent of those that have qualities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q20_percent: Option<f64>,
    /// Bases of Phred 30 and more, in percent of those that have qualities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q30_percent: Option<f64>,
    /// `[phred, bases]`, ascending.
    pub histogram: Vec<(u8, u64)>,
    /// `[phred, reads]`: reads by mean quality (of error probabilities), rounded down.
    pub read_mean_histogram: Vec<(u8, u64)>,
    /// Reads whose qualities look like Phred + 64; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub phred64_reads: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Statistic for MeanQualities {
    type Section = Quality;
    const SCHEMA: SectionSchema = SectionSchema::one("quality", include_str!("qualities.json"));

    #[inline]
    fn add(&mut self, read: &MeasuredRead<'_>) {
        if !read.qualities.is_empty() {
            let phred = read.mean_quality_floor();
            self.reads[usize::from(phred)] += 1;
            self.phred64 += u64::from(looks_like_phred64(read.qualities, phred));
        }
    }

    fn merge(&mut self, MeanQualities { reads, phred64 }: &MeanQualities) {
        self.reads.iter_mut().zip(reads).for_each(|(a, b)| *a += b);
        self.phred64 += phred64;
    }

    fn section(&self, s: &Summary) -> Quality {
        let known = |figure: f64| s.has_qualities().then_some(figure);
        Quality {
            encoding: s.encoding.name().into(),
            mean: known(rounded(s.mean_quality)),
            mean_arithmetic: known(rounded(s.arithmetic_mean_quality)),
            q20_percent: known(s.q20.value()),
            q30_percent: known(s.q30.value()),
            histogram: sparse(&s.qualities),
            read_mean_histogram: sparse(&self.reads),
            phred64_reads: self.phred64,
        }
    }

    fn read_back(section: &Quality) -> Result<MeanQualities, InvalidReport> {
        Ok(MeanQualities {
            reads: dense(&section.read_mean_histogram)?,
            phred64: section.phred64_reads,
        })
    }
}
