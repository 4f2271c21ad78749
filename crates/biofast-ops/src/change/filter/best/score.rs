//! How good a long read is, by its length and its qualities.

/// The quality measures of a read, like those of Filtlong 0.2.1 without a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// How many bases it has.
    pub bases: u64,
    /// The mean of the probabilities that bases are right, in percent; 0 of no bases.
    pub mean: f64,
    /// The lowest such mean of a window, in percent; that of all bases if they are no more than a window has.
    pub window: f64,
}

/// Error probabilities are multiples of 1 / 2^40, so that sums are exact.
const SCALE: f64 = (1u64 << 40) as f64;

impl Measures {
    /// Those of a read with these qualities (ASCII, Phred + 33), in windows of so many bases, 1 at least.
    pub fn of(qualities: &[u8], window: usize) -> Measures {
        let window = window.max(1);
        let table = errors();
        let error = |quality: &u8| table[usize::from(*quality)];
        let right = |sum: u64, bases: usize| match bases {
            0 => 0.0,
            bases => 100.0 * (1.0 - sum as f64 / SCALE / bases as f64),
        };
        let all: u64 = qualities.iter().map(error).sum();
        let mean = right(all, qualities.len());
        let mut lowest = mean;
        if qualities.len() > window {
            let mut sum: u64 = qualities[..window].iter().map(error).sum();
            let mut most = sum;
            for (leaves, comes) in qualities.iter().zip(&qualities[window..]) {
                sum = sum - error(leaves) + error(comes);
                most = most.max(sum);
            }
            lowest = right(most, window);
        }
        Measures { bases: qualities.len() as u64, mean, window: lowest }
    }
}

/// The scaled error probability of each quality.
fn errors() -> &'static [u64; 256] {
    static TABLE: std::sync::OnceLock<[u64; 256]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = [0; 256];
        for (byte, error) in table.iter_mut().enumerate() {
            let phred = byte.saturating_sub(33) as f64;
            *error = (10f64.powf(-phred / 10.0) * SCALE).round() as u64;
        }
        table
    })
}

/// How measures are combined into one score. The default is Filtlong's: windows of 250 bases, and all weights 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scoring {
    /// Bases in a window.
    pub window: usize,
    /// The weight of the length, 0 or more.
    pub length_weight: f64,
    /// The weight of the mean quality, 0 or more.
    pub mean_weight: f64,
    /// The weight of the worst window, 0 or more.
    pub window_weight: f64,
}

impl Default for Scoring {
    fn default() -> Scoring {
        Scoring { window: 250, length_weight: 1.0, mean_weight: 1.0, window_weight: 1.0 }
    }
}

/// Mean qualities of all reads, between which scores lie.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QualityRange {
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

/// A read of this length has half of the highest score of lengths.
const HALF: f64 = 5000.0;

impl Scoring {
    /// The score of a read among others, from 0 to 100. The mean quality counts by its place between the lowest and the highest of all
    /// reads, the length by `bases / (bases + 5000)`; of both the weighted geometric mean is taken, and lowered by how much
    /// worse the worst window is than the mean.
    pub(super) fn score(&self, read: &Measures, range: QualityRange) -> f64 {
        let width = range.highest - range.lowest;
        // Where all are alike, none is better.
        let mean = if width > 0.0 { 100.0 * (read.mean - range.lowest) / width } else { 100.0 };
        let bases = read.bases as f64;
        let length = 100.0 * bases / (bases + HALF);
        let both = self.length_weight + self.mean_weight;
        let score = match both > 0.0 {
            true => {
                (length.powf(self.length_weight) * mean.powf(self.mean_weight)).powf(1.0 / both)
            }
            false => 100.0,
        };
        let all = both + self.window_weight;
        let share = if all > 0.0 { self.window_weight / all } else { 0.0 };
        let ratio =
            if read.mean > 0.0 && mean > 0.0 { (read.window / read.mean).min(1.0) } else { 1.0 };
        let score = score * (1.0 - share + ratio.max(0.0) * share);
        if score.is_finite() { score.max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn measures_are_those_of_the_definition(
            phreds in prop::collection::vec(0u8..60, 0..600),
            window in 1usize..300,
        ) {
            let qualities: Vec<u8> = phreds.iter().map(|phred| phred + 33).collect();
            let right = |phreds: &[u8]| {
                let sum: f64 =
                    phreds.iter().map(|&phred| 1.0 - 10f64.powf(f64::from(phred) / -10.0)).sum();
                100.0 * sum / phreds.len().max(1) as f64
            };
            let mean = right(&phreds);
            let worst = phreds.windows(window).map(right).fold(f64::INFINITY, f64::min);
            let worst = if phreds.len() > window { worst } else { mean };
            let found = Measures::of(&qualities, window);
            prop_assert!((found.mean - mean).abs() < 1e-6 && (found.window - worst).abs() < 1e-6);
        }
    }
}
