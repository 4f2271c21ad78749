//! UMIs of one place put into groups: those that are taken for one UMI with errors. The methods are those of umi_tools (1.1.6).

use std::cmp::{Ordering, Reverse};

use super::codes::OddBarcodes;
use super::neighbors::{NeighborIndex, UmiSet};

/// How UMIs of one place are put into groups, as `umi_tools --method`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UmiMethod {
    /// Each by itself.
    Unique,
    /// Each by itself, without those that have at most 1 % of the median of reads.
    Percentile,
    /// All that are connected by steps of a few mismatches.
    Cluster,
    /// The same, divided into the most frequent UMIs that are needed to reach all in one step, each with its neighbors.
    Adjacency,
    /// Steps lead only to UMIs with at most half the reads, and one.
    #[default]
    Directional,
}

/// Puts the distinct UMIs of one place into groups; each has its number of reads. Returns the indexes of each group's UMIs, the one they
/// are taken for first.
///
/// The groups are those of umi_tools 1.1.6, and in the same order, as are the UMIs of each; only with
/// [`UmiMethod::Adjacency`], where umi_tools has them in an order of chance, those after the first are in order of their counts.
///
/// ```
/// use biofast_ops::umi::{UmiMethod, cluster_umis};
///
/// let umis = [(&b"ACGT"[..], 456), (b"TCGT", 2), (b"CCGT", 2), (b"ACAT", 72), (b"ACAG", 1), (b"AAAT", 90)];
/// let groups = |method| cluster_umis(&umis, method, 1);
/// assert_eq!(groups(UmiMethod::Directional), Some(vec![vec![0, 3, 2, 1, 4], vec![5]]));
/// assert_eq!(groups(UmiMethod::Cluster), Some(vec![vec![0, 5, 3, 2, 1, 4]]));
/// assert_eq!(groups(UmiMethod::Unique).map(|groups| groups.len()), Some(6));
/// // UMIs of several lengths can't be compared.
/// assert_eq!(cluster_umis(&[(b"A", 1), (b"AC", 1)], UmiMethod::Cluster, 1), None);
/// ```
pub fn cluster_umis(
    umis: &[(&[u8], u64)],
    method: UmiMethod,
    threshold: usize,
) -> Option<Vec<Vec<usize>>> {
    let mut odd = OddBarcodes::default();
    let mut set = UmiSet::default();
    for (umi, count) in umis {
        set.numbers.push(odd.number(umi));
        set.counts.push(*count);
    }
    let mut clusterer = Clusterer::new(method, threshold);
    clusterer.cluster(&mut set, &odd).ok()?;
    let groups = clusterer.groups();
    Some(groups.map(|group| group.iter().map(|index| *index as usize).collect()).collect())
}

/// That UMIs of one place have several lengths: those of two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnequalLengths(pub(super) usize, pub(super) usize);

/// Puts UMIs into groups, in memory that is used again.
pub(super) struct Clusterer {
    method: UmiMethod,
    threshold: usize,
    /// The most reads of a UMI that a step from one with so many leads to.
    most: fn(u64) -> u64,
    /// The indexes of the UMIs of all groups.
    members: Vec<u32>,
    /// Where each group ends in them.
    ends: Vec<usize>,
    order: Vec<u32>,
    found: Vec<bool>,
    component: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Clusterer {
    pub(super) fn new(method: UmiMethod, threshold: usize) -> Clusterer {
        let most: fn(u64) -> u64 = match method {
            UmiMethod::Directional => |count| count.saturating_add(1) / 2,
            _ => |_| u64::MAX,
        };
        Clusterer::with_steps(method, threshold, most)
    }

    /// One whose steps lead to UMIs with `most` reads at most.
    pub(super) fn with_steps(
        method: UmiMethod,
        threshold: usize,
        most: fn(u64) -> u64,
    ) -> Clusterer {
        Clusterer {
            method,
            threshold,
            most,
            members: Vec::new(),
            ends: Vec::new(),
            order: Vec::new(),
            found: Vec::new(),
            component: Vec::new(),
            neighbors: Vec::new(),
        }
    }

    /// The groups that were made last.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.members[start..*end])
    }

    /// Puts the UMIs of a set into groups.
    ///
    /// # Errors
    /// If UMIs that would have to be compared have several lengths.
    pub(super) fn cluster(
        &mut self,
        set: &mut UmiSet,
        odd: &OddBarcodes,
    ) -> Result<(), UnequalLengths> {
        self.members.clear();
        self.ends.clear();
        let number = set.numbers.len();
        if number == 1 {
            self.add_group(&[0]);
            return Ok(());
        }
        match self.method {
            UmiMethod::Unique => self.add_each(number, |_| true),
            UmiMethod::Percentile => {
                let threshold = median(&set.counts) / 100.0;
                self.add_each(number, |index| set.counts[index] as f64 > threshold);
            }
            UmiMethod::Cluster | UmiMethod::Adjacency | UmiMethod::Directional => {
                let len = set.numbers.first().map_or(0, |umi| odd.len_of(*umi));
                let other = set.numbers.iter().map(|umi| odd.len_of(*umi)).find(|l| *l != len);
                if let Some(other) = other {
                    return Err(UnequalLengths(len.min(other), len.max(other)));
                }
                set.complete(odd);
                self.connect(set, odd);
            }
        }
        Ok(())
    }

    fn add_group(&mut self, group: &[u32]) {
        self.members.extend_from_slice(group);
        self.ends.push(self.members.len());
    }

    fn add_each(&mut self, number: usize, is_kept: impl Fn(usize) -> bool) {
        for index in (0..number).filter(|index| is_kept(*index)) {
            self.add_group(&[index as u32]);
        }
    }

    /// The methods that look at neighbors.
    fn connect(&mut self, set: &UmiSet, odd: &OddBarcodes) {
        let index = NeighborIndex::new(set, self.threshold);
        let number = set.numbers.len();
        let counts = &set.counts;
        self.found.clear();
        self.found.resize(number, false);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..number as u32);
        order.sort_by_key(|node| Reverse(counts[*node as usize]));
        let by_count = |one: &u32, other: &u32| -> Ordering {
            let (one, other) = (*one as usize, *other as usize);
            let counts = counts[other].cmp(&counts[one]);
            counts.then_with(|| odd.compare(set.numbers[one], set.numbers[other]))
        };
        for &first in &order {
            if std::mem::replace(&mut self.found[first as usize], true) {
                continue;
            }
            self.component.clear();
            self.component.push(first);
            let mut next = 0;
            // What was found before leads only to what was found, too.
            while let Some(&node) = self.component.get(next) {
                next += 1;
                let most = (self.most)(counts[node as usize]);
                index.each(set, node as usize, |other| {
                    if !self.found[other] && counts[other] <= most {
                        self.found[other] = true;
                        self.component.push(other as u32);
                    }
                });
            }
            self.component.sort_unstable_by(by_count);
            match self.method {
                UmiMethod::Adjacency => self.divide(&index, set, by_count),
                _ => {
                    self.members.extend_from_slice(&self.component);
                    self.ends.push(self.members.len());
                }
            }
        }
        self.order = order;
    }

    /// Divides the component, whose UMIs are in order of their counts, among the first of them that have all others as neighbors.
    fn divide(
        &mut self,
        index: &NeighborIndex,
        set: &UmiSet,
        by_count: impl Fn(&u32, &u32) -> Ordering,
    ) {
        let Clusterer { component, found, neighbors, members, ends, .. } = self;
        // All of the component were found. Those that are reached are taken back.
        let mut leads = 0;
        let mut left = component.len();
        let reach = |node: usize, found: &mut Vec<bool>, left: &mut usize| {
            *left -= usize::from(std::mem::replace(&mut found[node], false));
        };
        while left > 0 && leads < component.len() {
            let lead = component[leads] as usize;
            reach(lead, found, &mut left);
            index.each(set, lead, |other| reach(other, found, &mut left));
            leads += 1;
        }
        component[..leads].iter().for_each(|lead| found[*lead as usize] = true);
        for &lead in &component[..leads] {
            neighbors.clear();
            index.each(set, lead as usize, |other| {
                if !std::mem::replace(&mut found[other], true) {
                    neighbors.push(other as u32);
                }
            });
            neighbors.sort_unstable_by(&by_count);
            members.push(lead);
            members.append(neighbors);
            ends.push(members.len());
        }
    }
}

/// The median of some numbers, as numpy has it.
pub(super) fn median(counts: &[u64]) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (None, _) => 0.0,
        (Some(count), 1) => *count as f64,
        (Some(count), _) => (sorted[middle - 1] as f64 + *count as f64) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use biofast_testkit::effort;
    use biofast_testkit::random::Random;
    use proptest::prelude::*;

    use super::*;

    /// What the documentation of umi_tools says of its methods, done plainly.
    fn reference(umis: &[(Vec<u8>, u64)], method: UmiMethod, threshold: usize) -> Vec<Vec<usize>> {
        let distance = |a: usize, b: usize| -> usize {
            umis[a].0.iter().zip(&umis[b].0).filter(|(x, y)| x != y).count()
        };
        let all = 0..umis.len();
        let singly = |kept: &dyn Fn(u64) -> bool| {
            all.clone().filter(|index| kept(umis[*index].1)).map(|index| vec![index]).collect()
        };
        let counts: Vec<u64> = umis.iter().map(|(_, count)| *count).collect();
        match method {
            UmiMethod::Unique => return singly(&|_| true),
            UmiMethod::Percentile if umis.len() == 1 => return singly(&|_| true),
            UmiMethod::Percentile => {
                let least = median(&counts) / 100.0;
                return singly(&|count| count as f64 > least);
            }
            _ => {}
        }
        let leads_to = |a: usize, b: usize| {
            a != b
                && distance(a, b) <= threshold
                && (method != UmiMethod::Directional || umis[a].1 + 1 >= 2 * umis[b].1)
        };
        let sorted = |set: &BTreeSet<usize>| {
            let mut sorted: Vec<usize> = set.iter().copied().collect();
            sorted.sort_by_key(|index| (Reverse(umis[*index].1), umis[*index].0.clone()));
            sorted
        };
        let mut nodes: Vec<usize> = all.clone().collect();
        nodes.sort_by_key(|node| Reverse(umis[*node].1));
        let mut seen = BTreeSet::new();
        let mut groups = Vec::new();
        for node in nodes {
            if seen.contains(&node) {
                continue;
            }
            let mut component = BTreeSet::from([node]);
            loop {
                let more: Vec<usize> = all
                    .clone()
                    .filter(|b| {
                        !component.contains(b) && component.iter().any(|a| leads_to(*a, *b))
                    })
                    .collect();
                if more.is_empty() {
                    break;
                }
                component.extend(more);
            }
            let component = &component - &seen;
            seen.extend(&component);
            let component = sorted(&component);
            if method != UmiMethod::Adjacency {
                groups.push(component);
                continue;
            }
            let reached = |leads: &[usize]| {
                component
                    .iter()
                    .all(|b| leads.contains(b) || leads.iter().any(|a| leads_to(*a, *b)))
            };
            let leads = (1..=component.len()).find(|n| reached(&component[..*n])).unwrap_or(0);
            let mut taken: BTreeSet<usize> = component[..leads].iter().copied().collect();
            for lead in &component[..leads] {
                let mine: Vec<usize> = component
                    .iter()
                    .copied()
                    .filter(|b| leads_to(*lead, *b) && !taken.contains(b))
                    .collect();
                taken.extend(&mine);
                groups.push([vec![*lead], mine].concat());
            }
        }
        groups
    }

    const METHODS: [UmiMethod; 5] = [
        UmiMethod::Unique,
        UmiMethod::Percentile,
        UmiMethod::Cluster,
        UmiMethod::Adjacency,
        UmiMethod::Directional,
    ];

    fn assert_equal(umis: &[(Vec<u8>, u64)], threshold: usize) {
        let borrowed: Vec<(&[u8], u64)> = umis.iter().map(|(umi, n)| (&umi[..], *n)).collect();
        for method in METHODS {
            let found = cluster_umis(&borrowed, method, threshold).unwrap();
            let expected = reference(umis, method, threshold);
            let sets = |groups: &[Vec<usize>]| -> Vec<(usize, BTreeSet<usize>)> {
                groups.iter().map(|group| (group[0], group.iter().copied().collect())).collect()
            };
            assert_eq!(sets(&found), sets(&expected), "{method:?} {threshold}: {umis:?}");
            if method != UmiMethod::Adjacency {
                assert_eq!(found, expected, "{method:?} {threshold}: {umis:?}");
            }
        }
    }

    fn distinct(umis: Vec<(Vec<u8>, u64)>) -> Vec<(Vec<u8>, u64)> {
        let mut seen = BTreeMap::new();
        umis.into_iter().filter(|(umi, _)| seen.insert(umi.clone(), ()).is_none()).collect()
    }

    proptest! {
        #[test]
        fn groups_are_those_of_the_plain_method(
            umis in prop::collection::vec((prop::collection::vec(prop::sample::select(&b"ACGN"[..]), 4), 1u64..9), 1..40),
            threshold in 0usize..4,
        ) {
            assert_equal(&distinct(umis), threshold);
        }
    }

    #[test]
    fn large_places_too() {
        let mut random = Random(7);
        for _ in 0..effort::times(6) {
            let umis = (0..400).map(|_| {
                let umi = (0..5).map(|_| b"ACGT"[random.below(4)]).collect();
                (umi, 1 + random.below_u64(5) * random.below_u64(40))
            });
            assert_equal(&distinct(umis.collect()), 1 + random.below(2));
        }
    }

    #[test]
    fn a_million_umis_of_one_place_take_no_million_squared() {
        let umis: Vec<[u8; 10]> = (0u32..1 << 20)
            .map(|n| std::array::from_fn(|index| b"ACGT"[(n >> (2 * index)) as usize & 3]))
            .step_by(if cfg!(debug_assertions) { 16 } else { 1 })
            .collect();
        let umis: Vec<(&[u8], u64)> = umis.iter().map(|umi| (&umi[..], 1)).collect();
        for method in [UmiMethod::Directional, UmiMethod::Cluster, UmiMethod::Adjacency] {
            let groups = cluster_umis(&umis, method, 1).unwrap();
            assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), umis.len(), "{method:?}");
            assert!(method == UmiMethod::Adjacency || groups.len() < 20, "{method:?}");
        }
    }
}
