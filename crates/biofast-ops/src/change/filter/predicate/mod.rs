//! What a read must be like. Each predicate is a definition of a line or two; `docs/filter.md`
//! lists them with their formulas.

mod words;

use biofast_kernels as kernels;

use super::read::TrimmedRead;
use super::tally::Reason;

pub use words::{MaxDust, MinEntropy};

/// A condition on a read.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::{Filter, Predicate, Reason, TrimmedRead};
///
/// /// A condition of one's own: the read starts with what was used to amplify it.
/// struct StartsWith(&'static [u8]);
///
/// impl Predicate for StartsWith {
///     fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
///         (!read.sequence().starts_with(self.0)).then_some(Reason::NotSelected)
///     }
/// }
///
/// let read = TrimmedRead::new(Record::new(b"r", b"ACGT", b"IIII"));
/// assert_eq!(StartsWith(b"AC").objection(&read), None);
/// let filter = Filter::new().require(StartsWith(b"AC"));
/// # let _ = filter;
/// ```
pub trait Predicate: Send + Sync {
    /// Why the read doesn't meet it; `None` if it does.
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason>;
}

fn object(when: bool, reason: Reason) -> Option<Reason> {
    when.then_some(reason)
}

/// At least this many bases.
#[derive(Clone, Copy, Debug)]
pub struct MinLen(pub usize);

impl Predicate for MinLen {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(read.len() < self.0, Reason::TooShort)
    }
}

/// At most this many bases.
#[derive(Clone, Copy, Debug)]
pub struct MaxLen(pub usize);

impl Predicate for MaxLen {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(read.len() > self.0, Reason::TooLong)
    }
}

/// How the mean quality is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mean {
    /// −10·log10 of the mean error probability.
    #[default]
    ErrorProbability,
    /// The mean of the Phred values.
    Arithmetic,
}

/// A bound on the mean quality, in the unit in which it is compared.
#[derive(Clone, Copy, Debug)]
enum QualityBound {
    /// The scaled error probability of a base of that quality.
    Probability(f64),
    /// The error probability of such a quality, which has few digits if scaled.
    High(f64),
    Phred(f64),
}

/// From this quality on probabilities aren't scaled.
const HIGH: f64 = 60.0;

impl QualityBound {
    fn new(phred: f64, mean: Mean) -> QualityBound {
        match mean {
            Mean::Arithmetic => QualityBound::Phred(phred),
            Mean::ErrorProbability if phred >= HIGH => {
                QualityBound::High(10f64.powf(-phred / 10.0))
            }
            // Rounded as the kernel rounds, so that a read whose bases all have quality q has q.
            Mean::ErrorProbability => QualityBound::Probability(
                (10f64.powf(-phred / 10.0) * kernels::ERROR_SCALE + 0.5).floor(),
            ),
        }
    }

    /// How the mean of `qualities` compares with the bound.
    fn compare(self, qualities: &[u8]) -> std::cmp::Ordering {
        let len = qualities.len() as f64;
        match self {
            QualityBound::Phred(phred) => {
                (kernels::sum_qualities(qualities) as f64).total_cmp(&(phred * len))
            }
            QualityBound::High(p) => match kernels::mean_error_probability(qualities) {
                // A read whose bases all have that quality has it, however the sum was rounded.
                Some(mean) if (mean - p).abs() > 1e-9 * p => p.total_cmp(&mean),
                _ => std::cmp::Ordering::Equal,
            },
            // A lower probability is a higher quality.
            QualityBound::Probability(p) => {
                (p * len).total_cmp(&(kernels::sum_error_probability(qualities) as f64))
            }
        }
    }
}

/// A mean quality of at least this value. Reads without bases have no mean and pass.
#[derive(Clone, Copy, Debug)]
pub struct MinMeanQuality(QualityBound);

impl MinMeanQuality {
    /// At least `phred`.
    pub fn new(phred: f64, mean: Mean) -> Self {
        MinMeanQuality(QualityBound::new(phred, mean))
    }
}

impl Predicate for MinMeanQuality {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(self.0.compare(read.qualities()).is_lt(), Reason::MeanQualityTooLow)
    }
}

/// A mean quality of at most so much. A read without bases has none and passes.
#[derive(Clone, Copy, Debug)]
pub struct MaxMeanQuality(QualityBound);

impl MaxMeanQuality {
    /// At most `phred`.
    pub fn new(phred: f64, mean: Mean) -> Self {
        MaxMeanQuality(QualityBound::new(phred, mean))
    }
}

impl Predicate for MaxMeanQuality {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(self.0.compare(read.qualities()).is_gt(), Reason::MeanQualityTooHigh)
    }
}

/// At most this many N.
#[derive(Clone, Copy, Debug)]
pub struct MaxN(pub u64);

impl Predicate for MaxN {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(kernels::count_n(read.sequence()) > self.0, Reason::TooManyN)
    }
}

/// At most so many percent of N among all bases.
#[derive(Clone, Copy, Debug)]
pub struct MaxNPercent(pub f64);

impl Predicate for MaxNPercent {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let n = kernels::count_n(read.sequence());
        object(n as f64 * 100.0 > self.0 * read.len() as f64, Reason::TooManyN)
    }
}

/// A GC content, (G+C)/(A+C+G+T), between two percentages, inclusive. It is 0 for reads with none of the four.
#[derive(Clone, Copy, Debug)]
pub struct Gc {
    /// The lowest percentage.
    pub min: f64,
    /// The highest percentage.
    pub max: f64,
}

impl Predicate for Gc {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let counts = kernels::count_gc_acgt(read.sequence());
        let (gc, acgt) = (counts.gc as f64 * 100.0, counts.acgt as f64);
        object(gc < self.min * acgt || (acgt == 0.0 && self.min > 0.0), Reason::GcTooLow)
            .or(object(gc > self.max * acgt, Reason::GcTooHigh))
    }
}

/// At most this many expected errors: the sum of the error probabilities.
#[derive(Clone, Copy, Debug)]
pub struct MaxExpectedErrors(pub f64);

/// The kernel rounds each probability by up to 0.5 units; a read is not rejected for that.
fn exceeds(qualities: &[u8], errors: f64) -> bool {
    let sum = kernels::sum_error_probability(qualities) as f64;
    sum > errors * kernels::ERROR_SCALE + 0.5 * qualities.len() as f64
}

impl Predicate for MaxExpectedErrors {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        object(exceeds(read.qualities(), self.0), Reason::TooManyExpectedErrors)
    }
}

/// At most so many expected errors a base.
#[derive(Clone, Copy, Debug)]
pub struct MaxExpectedErrorsPerBase(pub f64);

impl Predicate for MaxExpectedErrorsPerBase {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let errors = self.0 * read.len() as f64;
        object(exceeds(read.qualities(), errors), Reason::TooManyExpectedErrors)
    }
}

/// At most so many percent of the bases below a quality.
#[derive(Clone, Copy, Debug)]
pub struct MaxLowQualityPercent {
    /// The percentage.
    pub percent: f64,
    /// Bases below this Phred value count.
    pub qualified: u8,
}

impl Predicate for MaxLowQualityPercent {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let good = kernels::count_at_least(read.qualities(), self.qualified);
        let low = (read.len() as u64 - good) as f64;
        object(low * 100.0 > self.percent * read.len() as f64, Reason::TooManyLowQualityBases)
    }
}

/// A complexity of at least so many percent: the share of bases that differ from the next one,
/// as fastp defines it. A read of fewer than two bases has 0.
#[derive(Clone, Copy, Debug)]
pub struct MinComplexity(pub f64);

impl Predicate for MinComplexity {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let sequence = read.sequence();
        let steps = sequence.len().saturating_sub(1);
        let next = sequence.get(1..).unwrap_or_default();
        let changes = sequence.iter().zip(next).filter(|(a, b)| a != b).count();
        let low = changes as f64 * 100.0 < self.0 * steps as f64 || (steps == 0 && self.0 > 0.0);
        object(low, Reason::ComplexityTooLow)
    }
}

#[cfg(test)]
mod tests;
