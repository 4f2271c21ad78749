//! Bases and qualities by position in the read: each of the first 1,000 positions for itself,
//! later ones in bins that widen with the position, so that memory does not grow with length.

use biofast_kernels::{BaseColumns, BaseCounts, PHRED_VALUES, QualityColumns};
use biofast_kernels::{count_bases, count_qualities_of};
use serde::{Deserialize, Serialize};

use crate::measure::reads::measured::{MeasuredRead, SectionSchema, Statistic};
use crate::measure::reads::numbers::{InvalidReport, dense, rounded, sparse};
use crate::measure::reads::summary::{Summary, mean_quality};

/// Positions counted one by one.
pub const EXACT_POSITIONS: usize = 1000;

/// Bins for each doubling of the position beyond [`EXACT_POSITIONS`].
const BINS_PER_OCTAVE: usize = 16;

/// The start of each bin within its octave, in thousandths of the octave's start: 1000·2^(i/16).
const OCTAVE: [usize; BINS_PER_OCTAVE + 1] = [
    1000, 1044, 1091, 1139, 1189, 1242, 1297, 1354, 1414, 1477, 1542, 1610, 1682, 1756, 1834, 1915,
    2000,
];

/// What is at one position, or at the positions of one bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionBin {
    /// The first position, counted from 1.
    pub start: usize,
    /// The last position.
    pub end: usize,
    /// Bases by class.
    pub bases: BaseCounts,
    /// Bases by Phred quality.
    pub qualities: [u64; PHRED_VALUES],
}

/// Counts by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Positions {
    bases: BaseColumns,
    qualities: QualityColumns,
    later: Vec<PositionCounts>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PositionCounts {
    bases: BaseCounts,
    qualities: [u64; PHRED_VALUES],
}

impl Default for PositionCounts {
    fn default() -> Self {
        PositionCounts { bases: BaseCounts::default(), qualities: [0; PHRED_VALUES] }
    }
}

/// The positions of later bin `index`, from 0, end excluded.
fn later_bin(index: usize) -> std::ops::Range<usize> {
    let octave = |i: usize| OCTAVE[i % BINS_PER_OCTAVE] << (i / BINS_PER_OCTAVE);
    octave(index)..octave(index + 1)
}

/// The bin of a position, both from 0, where each of the first [`EXACT_POSITIONS`] positions is a bin of its own.
pub(crate) fn bin_of(position: usize) -> usize {
    if position < EXACT_POSITIONS {
        return position;
    }
    let octave = (position / EXACT_POSITIONS).ilog2() as usize;
    let first = octave * BINS_PER_OCTAVE;
    let within = (first..).take_while(|&index| later_bin(index).end <= position).count();
    EXACT_POSITIONS + first + within
}

/// The positions of a [bin](bin_of), all from 0, end excluded.
pub(crate) fn bin_range(bin: usize) -> std::ops::Range<usize> {
    match bin.checked_sub(EXACT_POSITIONS) {
        None => bin..bin + 1,
        Some(later) => later_bin(later),
    }
}

impl Positions {
    /// Adds reads: their sequences, and as many qualities of the same lengths, or empty ones. The
    /// slices are cut to their first [`EXACT_POSITIONS`] positions on the way.
    pub(crate) fn add_reads(&mut self, sequences: &mut [&[u8]], qualities: &mut [&[u8]]) {
        self.add_later(sequences, qualities);
        for (sequence, quality) in sequences.iter_mut().zip(qualities.iter_mut()) {
            *sequence = &sequence[..EXACT_POSITIONS.min(sequence.len())];
            *quality = &quality[..EXACT_POSITIONS.min(quality.len())];
        }
        self.bases.add(sequences);
        self.qualities.add(qualities);
    }

    /// Adds counts that were gathered elsewhere, position after position from the first one on.
    pub(crate) fn add_cycles(
        &mut self,
        cycles: impl Iterator<Item = (BaseCounts, [u64; PHRED_VALUES])>,
    ) {
        let mut index = 0;
        for (position, (bases, qualities)) in cycles.enumerate() {
            if position < EXACT_POSITIONS {
                self.bases.add_counts(position, bases);
                for (phred, &n) in (0..).zip(&qualities).filter(|&(_, &n)| n > 0) {
                    self.qualities.add_count(position, phred, n);
                }
                continue;
            }
            while later_bin(index).end <= position {
                index += 1;
            }
            if self.later.len() <= index {
                self.later.resize(index + 1, PositionCounts::default());
            }
            self.later[index].merge(&bases, &qualities);
        }
    }

    /// Bin after bin, as a histogram of many reads takes less time than one of each.
    fn add_later(&mut self, sequences: &[&[u8]], qualities: &[&[u8]]) {
        let longest = sequences.iter().map(|sequence| sequence.len()).max().unwrap_or(0);
        for index in 0.. {
            let bin = later_bin(index);
            if bin.start >= longest {
                break;
            }
            if self.later.len() == index {
                self.later.push(PositionCounts::default());
            }
            let counts = &mut self.later[index];
            let within = |slice: &'_ &[u8]| -> Option<std::ops::Range<usize>> {
                (slice.len() > bin.start).then(|| bin.start..bin.end.min(slice.len()))
            };
            for sequence in sequences {
                if let Some(range) = within(sequence) {
                    counts.bases += count_bases(&sequence[range]);
                }
            }
            let parts = qualities.iter().filter_map(|slice| Some(&slice[within(slice)?]));
            count_qualities_of(parts, &mut counts.qualities);
        }
    }

    /// Adds counts that were gathered elsewhere for the bin that starts at position `start`
    /// (from 1). Returns whether there is such a bin.
    pub(crate) fn add_bin(&mut self, bin: &PositionBin) -> bool {
        if bin.start == bin.end && (1..=EXACT_POSITIONS).contains(&bin.start) {
            self.bases.add_counts(bin.start - 1, bin.bases);
            for (phred, &n) in bin.qualities.iter().enumerate().filter(|&(_, &n)| n > 0) {
                self.qualities.add_count(bin.start - 1, phred as u8, n);
            }
            return true;
        }
        // 2^31 bases are the longest record; no bin starts later.
        for index in 0..BINS_PER_OCTAVE * 22 {
            if later_bin(index) == (bin.start.wrapping_sub(1)..bin.end) {
                let len = self.later.len().max(index + 1);
                self.later.resize(len, PositionCounts::default());
                self.later[index].merge(&bin.bases, &bin.qualities);
                return true;
            }
        }
        false
    }

    /// All positions and bins in order.
    pub fn bins(&self) -> impl Iterator<Item = PositionBin> + '_ {
        let exact = (0..self.bases.len()).map(|position| PositionBin {
            start: position + 1,
            end: position + 1,
            bases: self.bases.get(position),
            qualities: self.qualities.get(position),
        });
        let later = self.later.iter().enumerate().map(|(index, counts)| {
            let range = later_bin(index);
            PositionBin {
                start: range.start + 1,
                end: range.end,
                bases: counts.bases,
                qualities: counts.qualities,
            }
        });
        exact.chain(later)
    }

    /// Bases by class over all positions.
    pub(crate) fn base_counts(&self) -> BaseCounts {
        let exact = (0..self.bases.len()).map(|position| self.bases.get(position));
        let later = self.later.iter().map(|counts| counts.bases);
        exact.chain(later).fold(BaseCounts::default(), |sum, bases| sum + bases)
    }

    /// Bases by Phred quality over all positions.
    pub(crate) fn quality_histogram(&self) -> [u64; PHRED_VALUES] {
        let mut histogram = self.qualities.histogram();
        for counts in &self.later {
            histogram.iter_mut().zip(&counts.qualities).for_each(|(a, b)| *a += b);
        }
        histogram
    }
}

impl PositionCounts {
    fn merge(&mut self, bases: &BaseCounts, qualities: &[u64; PHRED_VALUES]) {
        self.bases += *bases;
        self.qualities.iter_mut().zip(qualities).for_each(|(a, b)| *a += b);
    }
}

/// What is at one position, or at a bin of later positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Position {
    /// First position, from 1.
    pub start: usize,
    /// Last position; differs from `start` beyond position 1,000.
    pub end: usize,
    /// A, C, G, T, N and other characters.
    pub bases: [u64; 6],
    /// −10·log10 of the mean error probability, where there are qualities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_quality: Option<f64>,
    /// The lowest Phred value that 10, 25, 50, 75 and 90 percent of the bases don't exceed, where there are qualities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_percentiles: Option<[u8; 5]>,
    /// `[phred, bases]`, ascending.
    pub qualities: Vec<(u8, u64)>,
}

impl From<&PositionBin> for Position {
    fn from(bin: &PositionBin) -> Self {
        let total: u64 = bin.qualities.iter().sum();
        let percentile = |percent: u64| {
            let needed = u128::from(total) * u128::from(percent);
            let mut seen = 0u128;
            let reached = bin.qualities.iter().position(|&n| {
                seen += u128::from(n) * 100;
                seen >= needed && seen > 0
            });
            reached.unwrap_or(0) as u8
        };
        let b = &bin.bases;
        Position {
            start: bin.start,
            end: bin.end,
            bases: [b.a, b.c, b.g, b.t, b.n, b.other],
            mean_quality: (total > 0).then(|| rounded(mean_quality(&bin.qualities))),
            quality_percentiles: (total > 0).then(|| [10, 25, 50, 75, 90].map(percentile)),
            qualities: sparse(&bin.qualities),
        }
    }
}

impl Statistic for Positions {
    type Section = Vec<Position>;
    const SCHEMA: SectionSchema = SectionSchema::list("position", include_str!("positions.json"));

    /// Columns are counted for many reads at once: [`Positions::add_reads`].
    #[inline]
    fn add(&mut self, _: &MeasuredRead<'_>) {}

    fn merge(&mut self, other: &Positions) {
        let Positions { bases, qualities, later } = other;
        self.bases.merge(bases);
        self.qualities.merge(qualities);
        let len = self.later.len().max(later.len());
        self.later.resize(len, PositionCounts::default());
        for (mine, theirs) in self.later.iter_mut().zip(later) {
            mine.merge(&theirs.bases, &theirs.qualities);
        }
    }

    fn section(&self, _: &Summary) -> Vec<Position> {
        self.bins().map(|bin| Position::from(&bin)).collect()
    }

    fn read_back(section: &Vec<Position>) -> Result<Positions, InvalidReport> {
        let mut positions = Positions::default();
        for position in section {
            let [a, c, g, t, n, other] = position.bases;
            let bin = PositionBin {
                start: position.start,
                end: position.end,
                bases: BaseCounts { a, c, g, t, n, other },
                qualities: dense(&position.qualities)?,
            };
            if !positions.add_bin(&bin) {
                return Err(InvalidReport::Inconsistent("a position bin that doesn't exist"));
            }
        }
        Ok(positions)
    }
}

const _: () = assert!(EXACT_POSITIONS == 1000, "the documentation of Position says 1,000");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_without_a_gap_and_widen() {
        assert_eq!(later_bin(0).start, EXACT_POSITIONS);
        for index in 0..BINS_PER_OCTAVE * 20 {
            assert_eq!(later_bin(index).end, later_bin(index + 1).start, "{index}");
            let (start, end) = (later_bin(index).start, later_bin(index).end);
            let width = (end - start) as f64 / start as f64;
            assert!((0.04..0.05).contains(&width), "{index}: {width}");
        }
    }

    #[test]
    fn every_position_is_in_its_bin() {
        for position in (0..40_000).chain([1 << 30]) {
            assert!(bin_range(bin_of(position)).contains(&position), "{position}");
        }
    }

    #[test]
    fn a_long_read_is_counted_once_at_every_position() {
        let sequence = vec![b'A'; 100_000];
        let quality = vec![b'I'; 100_000];
        let mut positions = Positions::default();
        positions.add_reads(&mut [&sequence], &mut [&quality]);
        let bins: Vec<PositionBin> = positions.bins().collect();
        assert_eq!(bins.iter().map(|b| b.bases.a).sum::<u64>(), 100_000);
        assert_eq!(positions.quality_histogram()[40], 100_000);
        let whole = &bins[..bins.len() - 1];
        assert!(whole.iter().all(|b| b.bases.a as usize == b.end - b.start + 1));
        let mut again = Positions::default();
        assert!(bins.iter().all(|bin| again.add_bin(bin)));
        assert_eq!(again, positions);
    }
}
