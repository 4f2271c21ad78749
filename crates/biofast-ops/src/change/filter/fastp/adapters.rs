//! How often what was cut off as an adapter was the same.

use std::collections::HashMap;

/// So many bytes of different sequences are kept, each with so many more.
const MOST_BYTES: usize = 8 << 20;
const EACH: usize = 64;
/// What is less than this share of all isn't listed.
const LISTED: f64 = 0.01;

/// Counts the sequences cut off reads as adapters. Counts are exact as long as 8 MiB hold all different sequences
/// (65,000 of 64 bases); beyond that, the longest are counted as others.
///
/// Counts depend neither on the order of reads nor on how they are split among workers.
#[derive(Clone, Debug, Default)]
pub struct AdapterCounts {
    counts: HashMap<Vec<u8>, u64>,
    bytes: usize,
    /// Sequences of so many bases and more are others.
    too_long: Option<usize>,
    others: u64,
}

impl AdapterCounts {
    /// Adds a sequence, unless it is empty.
    pub fn add(&mut self, adapter: &[u8]) {
        self.count(adapter, 1);
    }

    fn count(&mut self, adapter: &[u8], times: u64) {
        if adapter.is_empty() {
            return;
        }
        if self.too_long.is_some_and(|len| adapter.len() >= len) {
            self.others += times;
            return;
        }
        if let Some(count) = self.counts.get_mut(adapter) {
            *count += times;
            return;
        }
        self.counts.insert(adapter.to_vec(), times);
        self.bytes += adapter.len() + EACH;
        while self.bytes > MOST_BYTES {
            let longest = self.counts.keys().map(Vec::len).max().unwrap_or_default();
            self.leave_out(longest);
        }
    }

    /// Makes sequences of so many bases and more others.
    fn leave_out(&mut self, len: usize) {
        self.too_long = Some(self.too_long.map_or(len, |too_long| too_long.min(len)));
        let (bytes, others) = (&mut self.bytes, &mut self.others);
        self.counts.retain(|adapter, count| {
            let stays = adapter.len() < len;
            if !stays {
                *bytes -= adapter.len() + EACH;
                *others += *count;
            }
            stays
        });
    }

    /// Adds what another part counted.
    pub fn merge(&mut self, other: &AdapterCounts) {
        if let Some(len) = other.too_long {
            self.leave_out(len);
        }
        self.others += other.others;
        for (adapter, &times) in &other.counts {
            self.count(adapter, times);
        }
    }

    /// Those that are 1 % of all and more, by their lengths, then by their letters, and last all others together, called `others`.
    pub fn listed(&self) -> Vec<(String, u64)> {
        let all = self.others + self.counts.values().sum::<u64>();
        let often = |count: u64| count as f64 / all as f64 >= LISTED;
        let mut listed: Vec<_> = self.counts.iter().filter(|(_, count)| often(**count)).collect();
        listed.sort_by_key(|(adapter, _)| (adapter.len(), *adapter));
        let rest = all - listed.iter().map(|(_, count)| **count).sum::<u64>();
        let text = |adapter: &[u8]| String::from_utf8_lossy(adapter).into_owned();
        let mut listed: Vec<_> = listed.into_iter().map(|(a, &count)| (text(a), count)).collect();
        if rest > 0 {
            listed.push(("others".into(), rest));
        }
        listed
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;

    #[test]
    fn what_is_left_out_is_the_same_however_sequences_are_shared_and_the_rest_is_exact() {
        let mut random = Random(3);
        let mut adapters: Vec<Vec<u8>> = Vec::new();
        for _ in 0..150_000 {
            let len = 1 + random.below(60);
            adapters.push((0..len).map(|_| b"ACGT"[random.below(4)]).collect());
        }
        let mut kept = Vec::new();
        for workers in [1, 2, 5] {
            let mut parts = vec![AdapterCounts::default(); workers];
            for (i, adapter) in adapters.iter().enumerate() {
                parts[i * 7 % workers].add(adapter);
            }
            let mut all = AdapterCounts::default();
            parts.iter().rev().for_each(|part| all.merge(part));
            assert!(all.bytes <= MOST_BYTES && all.bytes > MOST_BYTES / 2);
            let mut counts: Vec<_> = all.counts.into_iter().collect();
            counts.sort();
            kept.push((counts, all.others, all.too_long));
        }
        assert!(kept[0] == kept[1] && kept[0] == kept[2]);
        let (counts, others, too_long) = &kept[0];
        let too_long = too_long.expect("there are too many");
        let long = adapters.iter().filter(|adapter| adapter.len() >= too_long).count();
        assert_eq!(*others, long as u64);
        let mut exact: HashMap<&[u8], u64> = HashMap::new();
        for adapter in adapters.iter().filter(|adapter| adapter.len() < too_long) {
            *exact.entry(adapter).or_default() += 1;
        }
        assert_eq!(counts.len(), exact.len());
        assert!(counts.iter().all(|(adapter, count)| exact.get(&**adapter) == Some(count)));
    }
}
