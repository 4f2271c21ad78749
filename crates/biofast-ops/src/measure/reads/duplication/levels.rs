//! Levels of duplication and overrepresented sequences, as FastQC derives them from counts.

use serde::{Deserialize, Serialize};

use super::super::contaminants::Contaminants;
use super::order;
use crate::measure::compat::FastqcVersion;
use crate::measure::reads::contaminants::ContaminantHit;
use crate::measure::verdicts::checks::fastqc::OVERREPRESENTED;

/// The lowest count of each level.
const FROM: [u64; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 51, 101, 501, 1001, 5001, 10_001];

/// How often sequences occur.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duplication {
    /// Reads that were counted.
    pub reads: u64,
    /// Distinct sequences that are counted: at most the first 100,000.
    pub distinct: u64,
    /// Reads until these were all seen; all reads if there are fewer. What is behind is extrapolated.
    pub reads_until_limit: u64,
    /// Percent of the reads that would be left if each sequence occurred once.
    pub deduplicated_percent: f64,
    /// Sixteen levels: 1 to 9 times, 10 to 50, and more than 50, 100, 500, 1,000, 5,000 and 10,000 times.
    pub levels: Vec<DuplicationLevel>,
    /// Sequences in more than 0.1 % of the reads, the most frequent first: FastQC's rule. Of few reads each is more than that;
    /// see [`repeated`](Self::repeated).
    pub overrepresented: Vec<Overrepresented>,
    /// The same by the rules of FastQC 0.11.9, if they give something else: it compares reads of 51 to 75 bases as a whole, and
    /// names the first of equally long sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastqc_0_11: Option<Box<Duplication>>,
}

impl Duplication {
    /// By the rules of this version of FastQC.
    #[must_use]
    pub fn of(self, version: FastqcVersion) -> Duplication {
        match (version, self) {
            (FastqcVersion::V0_11_9, Duplication { fastqc_0_11: Some(old), .. }) => *old,
            (_, now) => Duplication { fastqc_0_11: None, ..now },
        }
    }

    /// A sequence in fewer reads isn't called overrepresented, whatever their share.
    pub const ENOUGH_COPIES: u64 = 10;

    /// The same with sources by the rule of this version.
    pub(super) fn with_sources(
        mut self,
        contaminants: &Contaminants,
        version: FastqcVersion,
    ) -> Duplication {
        for one in &mut self.overrepresented {
            one.source = contaminants.find(one.sequence.as_bytes(), version);
        }
        self
    }

    /// Percent of the reads that repeat the sequence of another one.
    pub fn repeated_percent(&self) -> f64 {
        100.0 - self.deduplicated_percent
    }

    /// The overrepresented sequences that are in [at least ten reads](Self::ENOUGH_COPIES): those of verdicts and pages.
    pub fn repeated(&self) -> impl Iterator<Item = &Overrepresented> {
        self.overrepresented.iter().filter(|one| one.reads >= Self::ENOUGH_COPIES)
    }
}

/// Sequences that occur so often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuplicationLevel {
    /// So often at least.
    pub from: u64,
    /// Percent of the distinct sequences.
    pub percent_of_distinct: f64,
    /// Percent of all reads.
    pub percent_of_all: f64,
}

impl DuplicationLevel {
    /// FastQC's name of the level: `1`, `>10`, `>10k`.
    pub fn name(&self) -> String {
        match self.from {
            from @ ..10 => from.to_string(),
            10 => ">10".into(),
            from @ 1001.. => format!(">{}k", (from - 1) / 1000),
            from => format!(">{}", from - 1),
        }
    }
}

/// A sequence that is too frequent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overrepresented {
    /// The read, or its first 50 bases.
    pub sequence: String,
    /// Reads with it.
    pub reads: u64,
    /// Of all reads.
    pub percent: f64,
    /// The adapter or primer it seems to be of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ContaminantHit>,
}

/// How often each sequence was seen, in the order they were first seen.
pub(super) struct SequenceCounts<'a> {
    pub(super) sequences: Vec<(&'a [u8], u64)>,
    /// Of all reads.
    pub(super) reads: u64,
    /// Until the last of the sequences was seen for the first time, or all.
    pub(super) until_limit: u64,
}

impl SequenceCounts<'_> {
    pub(super) fn derive(self, contaminants: &Contaminants, version: FastqcVersion) -> Duplication {
        let SequenceCounts { mut sequences, reads, until_limit } = self;
        let codes: Vec<i32> = sequences.iter().map(|(sequence, _)| order::code(sequence)).collect();
        sequences = order::iteration(&codes).into_iter().map(|i| sequences[i]).collect();
        let (levels, deduplicated_percent) = levels(&sequences, reads, until_limit);
        let percent = |n: u64| n as f64 / reads as f64 * 100.0;
        let mut frequent: Vec<(&[u8], u64)> =
            sequences.iter().copied().filter(|&(_, n)| percent(n) > OVERREPRESENTED[0]).collect();
        // Equally frequent ones stay in their order.
        frequent.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        let overrepresented = frequent.into_iter().map(|(sequence, n)| Overrepresented {
            sequence: String::from_utf8_lossy(sequence).into_owned(),
            reads: n,
            percent: percent(n),
            source: contaminants.find(sequence, version),
        });
        Duplication {
            reads,
            distinct: sequences.len() as u64,
            reads_until_limit: until_limit,
            deduplicated_percent,
            levels,
            overrepresented: overrepresented.collect(),
            fastqc_0_11: None,
        }
    }
}

/// The levels, and the percentage that remains.
fn levels(
    sequences: &[(&[u8], u64)],
    reads: u64,
    until_limit: u64,
) -> (Vec<DuplicationLevel>, f64) {
    // How many sequences occur so often, in the order a count is first met.
    let mut counts: Vec<(u64, u64)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for &(_, count) in sequences {
        let place = *places.entry(count).or_insert_with(|| {
            counts.push((count, 0));
            counts.len() - 1
        });
        counts[place].1 += 1;
    }
    let codes: Vec<i32> = counts.iter().map(|&(count, _)| count as i32).collect();
    let (mut distinct, mut all) = ([0.0; 16], [0.0; 16]);
    let (mut distinct_sum, mut all_sum) = (0.0, 0.0);
    for place in order::iteration(&codes) {
        let (count, observed) = counts[place];
        let estimated = estimate(until_limit, reads, count, observed);
        distinct_sum += estimated;
        all_sum += estimated * count as f64;
        let level = FROM.partition_point(|&from| from <= count).saturating_sub(1);
        distinct[level] += estimated;
        all[level] += estimated * count as f64;
    }
    let levels = FROM.iter().zip(distinct.iter().zip(&all)).map(|(&from, (distinct, all))| {
        DuplicationLevel {
            from,
            percent_of_distinct: share(distinct / distinct_sum * 100.0),
            percent_of_all: share(all / all_sum * 100.0),
        }
    });
    let left = if all_sum == 0.0 { 100.0 } else { distinct_sum / all_sum * 100.0 };
    (levels.collect(), left)
}

/// Of no reads no share is known; 0 stands for it.
fn share(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// How many sequences occur `count` times in all reads, if `observed` of them are among those that were seen up to the limit:
/// some were first seen behind it.
fn estimate(until_limit: u64, reads: u64, count: u64, observed: u64) -> f64 {
    let seen = observed as f64;
    if until_limit == reads || reads.saturating_sub(observed) < until_limit {
        return seen;
    }
    // The chance that none of the `count` is among the first; below this it would change the result by less than a
    // hundredth of a sequence.
    let negligible = 1.0 - seen / (seen + 0.01);
    let mut chance = 1.0;
    for read in 0..until_limit {
        let left = (reads - read) as i64;
        chance *= (left - count as i64) as f64 / left as f64;
        if chance < negligible {
            chance = 0.0;
            break;
        }
    }
    seen / (1.0 - chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_the_levels_named_so() {
        let name = |count: u64| {
            let from = FROM[FROM.partition_point(|&from| from <= count).saturating_sub(1)];
            DuplicationLevel { from, percent_of_distinct: 0.0, percent_of_all: 0.0 }.name()
        };
        let counts = [1, 9, 10, 50, 51, 100, 101, 501, 1000, 1001, 5001, 10_000, 10_001, 99_999];
        let names = [
            "1", "9", ">10", ">10", ">50", ">50", ">100", ">500", ">500", ">1k", ">5k", ">5k",
            ">10k", ">10k",
        ];
        assert_eq!(counts.map(name), names);
    }

    #[test]
    fn what_is_behind_the_limit_is_extrapolated() {
        // All was seen.
        assert_eq!(estimate(100, 100, 2, 10), 10.0);
        // Of 10 reads 5 were looked at: a single one is among them with a chance of a half.
        assert!((estimate(5, 10, 1, 3) - 6.0).abs() < 1e-12);
        // A pair is missed with a chance of 5/10 · 4/9.
        assert!((estimate(5, 10, 2, 2) - 2.0 / (1.0 - 2.0 / 9.0)).abs() < 1e-12);
    }
}
