//! What `umi_tools dedup --output-stats` tells of UMIs before and after they were put into groups.

use std::collections::{BTreeMap, HashMap};

use super::cluster::median;
use super::codes::OddBarcodes;
use super::neighbors::UmiSet;
use crate::change::order::keys::mixed;

/// How often so many reads had a UMI at a place.
type CountsOfUmis = HashMap<(u64, u64), u64>;

/// What is counted at each place.
#[derive(Default)]
pub(super) struct UmiStats {
    before: OfStage,
    after: OfStage,
}

/// What is counted before grouping, or after it.
#[derive(Default)]
struct OfStage {
    /// By UMI and number of reads, at how many places.
    umis: CountsOfUmis,
    /// How many places have so many UMIs.
    places: BTreeMap<usize, u64>,
    /// At how many places the average distance is such a [bin](bin_of), and the greatest average.
    distances: Distances,
}

/// Average distances, by their bins.
#[derive(Default)]
struct Distances {
    bins: BTreeMap<usize, u64>,
    /// The greatest without its fraction, and 1 more.
    most: usize,
}

impl Distances {
    /// Adds the average distance of a place, where there is more than one UMI.
    fn add(&mut self, average: Option<f64>) {
        *self.bins.entry(bin_of(average)).or_default() += 1;
        self.most = self.most.max(average.map_or(0, |average| average as usize + 1));
    }
}

/// 0 for a single UMI, 1 for a distance of 0, 2 for one of up to 1, and so on.
fn bin_of(average: Option<f64>) -> usize {
    average.map_or(0, |average| average.ceil() as usize + 1)
}

impl UmiStats {
    /// Adds the UMIs of a place and their groups.
    pub(super) fn add<'g>(
        &mut self,
        set: &UmiSet,
        groups: impl Iterator<Item = &'g [u32]>,
        odd: &OddBarcodes,
    ) {
        let mut texts = Texts::default();
        for (number, count) in set.numbers.iter().zip(&set.counts) {
            *self.before.umis.entry((*number, *count)).or_default() += 1;
            texts.add(*number, odd);
        }
        self.before.add_place(&texts);
        texts.clear();
        for group in groups {
            let number = set.numbers[group[0] as usize];
            let count = group.iter().map(|index| set.counts[*index as usize]).sum();
            *self.after.umis.entry((number, count)).or_default() += 1;
            texts.add(number, odd);
        }
        self.after.add_place(&texts);
    }

    /// What is told in the end.
    pub(super) fn finish(&self, odd: &OddBarcodes) -> UmiStatistics {
        let text = |number: u64| {
            let mut text = Vec::new();
            odd.append(number, &mut text);
            text
        };
        let mut by_count: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
        let mut by_umi: BTreeMap<Vec<u8>, [Vec<u64>; 2]> = BTreeMap::new();
        for (stage, of) in [&self.before, &self.after].into_iter().enumerate() {
            for ((umi, count), places) in &of.umis {
                by_count.entry(*count).or_default()[stage] += places;
                let counts = &mut by_umi.entry(text(*umi)).or_default()[stage];
                counts.extend((0..*places).map(|_| *count));
            }
        }
        let per_umi = by_umi.into_iter().map(|(umi, stages)| {
            let [before, after] = stages.map(|counts| UmiSummary {
                median: median(&counts) as u64,
                places: counts.len() as u64,
                total: counts.iter().sum(),
            });
            PerUmi { umi, before, after }
        });
        let nulls = self.sampled(odd);
        let observed = [&self.before.distances, &self.after.distances];
        let all = observed.into_iter().chain(&nulls);
        let most = all.map(|distances| distances.most).max().unwrap_or(0);
        let at = |distances: &Distances, bin| distances.bins.get(&bin).copied().unwrap_or(0);
        let distances = (0..most + 2).map(|bin| {
            [at(observed[0], bin), at(&nulls[0], bin), at(observed[1], bin), at(&nulls[1], bin)]
        });
        UmiStatistics {
            per_umi_per_position: by_count.into_iter().collect(),
            per_umi: per_umi.collect(),
            edit_distance: distances.collect(),
        }
    }

    /// Average distances, before and after, of as many UMIs as there are at each place, drawn by how often they occur in all reads.
    fn sampled(&self, odd: &OddBarcodes) -> [Distances; 2] {
        let mut reads: BTreeMap<u64, u64> = BTreeMap::new();
        for ((umi, count), places) in &self.before.umis {
            *reads.entry(*umi).or_default() += count * places;
        }
        let mut sum = 0;
        let ends: Vec<(u64, u64)> = reads
            .into_iter()
            .map(|(umi, reads)| {
                sum += reads;
                (sum, umi)
            })
            .collect();
        let mut draws = 0;
        [&self.before, &self.after].map(|stage| {
            let mut found = Distances::default();
            let mut texts = Texts::default();
            for (&umis, &places) in &stage.places {
                for _ in 0..places {
                    texts.clear();
                    if umis > 1 {
                        for _ in 0..umis {
                            draws += 1;
                            let drawn = mixed(draws) % sum.max(1);
                            let at = ends.partition_point(|(end, _)| *end <= drawn);
                            texts.add(ends[at].1, odd);
                        }
                    }
                    found.add(texts.average_distance());
                }
            }
            found
        })
    }
}

impl OfStage {
    fn add_place(&mut self, texts: &Texts) {
        // Where nothing is left there is no average.
        if texts.number > 0 {
            *self.places.entry(texts.number).or_default() += 1;
            self.distances.add(texts.average_distance());
        }
    }
}

/// UMIs as text, one behind the other.
#[derive(Default)]
struct Texts {
    text: Vec<u8>,
    number: usize,
}

impl Texts {
    fn clear(&mut self) {
        self.text.clear();
        self.number = 0;
    }

    fn add(&mut self, umi: u64, odd: &OddBarcodes) {
        odd.append(umi, &mut self.text);
        self.number += 1;
    }

    /// The average of the distances of all pairs, if there are any: by counts of letters, so that it takes no time for each pair.
    fn average_distance(&self) -> Option<f64> {
        let number = self.number as u64;
        if number < 2 {
            return None;
        }
        let len = self.text.len() / self.number;
        let pairs = number * (number - 1) / 2;
        let mut sum = 0;
        for position in 0..len {
            let letters = self.text.iter().skip(position).step_by(len);
            if number < 16 {
                let letters: Vec<u8> = letters.copied().collect();
                let differing = |(at, one): (usize, &u8)| {
                    letters[at + 1..].iter().filter(|other| *other != one).count() as u64
                };
                sum += letters.iter().enumerate().map(differing).sum::<u64>();
                continue;
            }
            let mut counts = [0u64; 256];
            letters.for_each(|letter| counts[usize::from(*letter)] += 1);
            let equal: u64 = counts.iter().map(|n| n * n.saturating_sub(1) / 2).sum();
            sum += pairs - equal;
        }
        Some(sum as f64 / pairs as f64)
    }
}

/// What is told of UMIs before and after they were put into groups, as `umi_tools dedup --output-stats` tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UmiStatistics {
    /// Numbers of reads, and how many UMIs had so many at a place, before and after.
    pub per_umi_per_position: Vec<(u64, [u64; 2])>,
    /// Each UMI, in order.
    pub per_umi: Vec<PerUmi>,
    /// How many places have an average distance between UMIs of up to −1 (a single UMI), 0, 1 and so on: before, if the same UMIs were drawn,
    /// after, and if those were drawn.
    pub edit_distance: Vec<[u64; 4]>,
}

/// What is told of a UMI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerUmi {
    /// The UMI.
    pub umi: Vec<u8>,
    /// Before grouping.
    pub before: UmiSummary,
    /// After grouping; all 0 if it was always taken for another.
    pub after: UmiSummary,
}

/// At how many places a UMI is, and with how many reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UmiSummary {
    /// The median of its reads at a place, without a fraction.
    pub median: u64,
    /// Places.
    pub places: u64,
    /// Reads.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_those_of_all_pairs() {
        let mut odd = OddBarcodes::default();
        let average = |umis: &[&str], odd: &mut OddBarcodes| {
            let mut texts = Texts::default();
            for umi in umis {
                let number = odd.number(umi.as_bytes());
                texts.add(number, odd);
            }
            texts.average_distance()
        };
        assert_eq!(average(&["ACG"], &mut odd), None);
        assert_eq!(average(&["ACG", "ACT", "TCG"], &mut odd), Some(4.0 / 3.0));
        let many = ["AAC", "ACG", "ACG", "TTT", "GAN"].repeat(4);
        let distance = |one: &str, other: &str| {
            one.bytes().zip(other.bytes()).filter(|(one, other)| one != other).count()
        };
        let pairs = (0..many.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let sum: usize = pairs.map(|(one, other)| distance(many[one], many[other])).sum();
        assert_eq!(average(&many, &mut odd), Some(sum as f64 / 190.0));
        assert_eq!([None, Some(0.0), Some(0.2), Some(1.0), Some(1.1)].map(bin_of), [0, 1, 2, 2, 3]);
    }
}
