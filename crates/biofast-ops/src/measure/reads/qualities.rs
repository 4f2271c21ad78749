//! What the qualities are: reads by mean quality. Bases are counted [by position](super::positions).

use biofast_kernels::PHRED_VALUES;
use serde::{Deserialize, Serialize};

use super::read_quality::mean_phred_floor;
use super::report::{InvalidReport, dense, rounded, sparse};
use super::statistic::{Read, Statistic};
use super::summary::Summary;

/// Reads by Phred mean quality (of error probabilities), rounded down.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeanQualities(pub(crate) [u64; PHRED_VALUES]);

impl Default for MeanQualities {
    fn default() -> Self {
        MeanQualities([0; PHRED_VALUES])
    }
}

/// What the qualities are, as reported: Phred values, 33 already subtracted. Figures of bases that have no qualities, as in
/// FASTA, are missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Quality {
    /// `phred33`, `probably-phred64`, `probably-solexa64` or `unknown`.
    pub encoding: String,
    /// −10·log10 of the mean error probability over all bases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The arithmetic mean of Phred values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_arithmetic: Option<f64>,
    /// Bases of Phred 20 and more, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q20_percent: Option<f64>,
    /// Bases of Phred 30 and more, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q30_percent: Option<f64>,
    /// `[phred, bases]`, ascending.
    pub histogram: Vec<(u8, u64)>,
    /// `[phred, reads]`: reads by mean quality (of error probabilities), rounded down.
    pub read_mean_histogram: Vec<(u8, u64)>,
}

impl Statistic for MeanQualities {
    type Section = Quality;

    #[inline]
    fn add(&mut self, read: &Read<'_>) {
        if !read.qualities.is_empty() {
            let phred = mean_phred_floor(read.error_sum, read.len());
            self.0[usize::from(phred)] += 1;
        }
    }

    fn merge(&mut self, MeanQualities(other): &MeanQualities) {
        self.0.iter_mut().zip(other).for_each(|(a, b)| *a += b);
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
            read_mean_histogram: sparse(&self.0),
        }
    }

    fn read_back(section: &Quality) -> Result<MeanQualities, InvalidReport> {
        Ok(MeanQualities(dense(&section.read_mean_histogram)?))
    }
}
