//! An adaptive index of keys and values, after ALEX: nodes of a few thousand slots in which keys stand near where a line
//! predicts them, with gaps between for keys to come. A gap repeats the key to its left, so that slots are in order
//! and a search from the prediction outwards needs no other table.
//!
//! Unlike ALEX there is one level of nodes, found by binary search over their first keys.

use super::lower_bound;

/// Keys of a node when an index is made of sorted keys.
const NODE_KEYS: usize = 4096;
/// A node with so many keys is split when it is full.
const SPLIT_KEYS: usize = 8192;
/// Tenths of the slots that are used in a new node, and at which it is full.
const NEW_TENTHS: usize = 7;
const FULL_TENTHS: usize = 8;

/// A line and the slots around it.
struct Node {
    /// At least one slot. The first one is used.
    keys: Vec<u64>,
    values: Vec<u64>,
    used: Vec<bool>,
    count: usize,
    slope: f64,
    intercept: f64,
}

impl Node {
    /// From keys in ascending order, at least one, and their values.
    fn new(keys: &[u64], values: &[u64]) -> Node {
        let slots = (keys.len() * 10).div_ceil(NEW_TENTHS).max(8);
        let (slope, intercept) = fit(keys, slots as f64 / keys.len() as f64);
        let mut node = Node {
            keys: vec![0; slots],
            values: vec![0; slots],
            used: vec![false; slots],
            count: keys.len(),
            slope,
            intercept,
        };
        let mut next = 0;
        for (i, (&key, &value)) in keys.iter().zip(values).enumerate() {
            // Not before the key to the left, and with room for all to the right; the first is in the first slot.
            let slot = if i == 0 { 0 } else { node.predict(key).max(next) };
            let slot = slot.min(slots - (keys.len() - i));
            let left = node.keys[next.max(1) - 1];
            node.keys[next..slot].fill(left);
            (node.keys[slot], node.values[slot], node.used[slot]) = (key, value, true);
            next = slot + 1;
        }
        let left = node.keys[next - 1];
        node.keys[next..].fill(left);
        node
    }

    #[inline]
    fn predict(&self, key: u64) -> usize {
        ((self.intercept + self.slope * key as f64) as usize).min(self.keys.len() - 1)
    }

    /// The first slot whose key is at least `key`, which is a used one, or the number of slots.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let guess = self.predict(key);
        let mut step = 1;
        let (from, to) = if self.keys[guess] < key {
            while guess + step < self.keys.len() && self.keys[guess + step] < key {
                step *= 2;
            }
            (guess + step / 2 + 1, (guess + step).min(self.keys.len()))
        } else {
            while step <= guess && self.keys[guess - step] >= key {
                step *= 2;
            }
            (guess.saturating_sub(step), guess - step / 2)
        };
        from + lower_bound(&self.keys[from..to], key)
    }

    #[inline]
    fn get(&self, key: u64) -> Option<u64> {
        let slot = self.slot(key);
        (self.keys.get(slot) == Some(&key)).then(|| self.values[slot])
    }

    /// Sets a key's value; true if the key is new.
    fn insert(&mut self, key: u64, value: u64) -> bool {
        let slot = self.slot(key);
        if self.keys.get(slot) == Some(&key) {
            self.values[slot] = value;
            return false;
        }
        // `slot` is used or the end, and everything before it is smaller.
        let place = if slot > 0 && !self.used[slot - 1] {
            // Somewhere in the gap, as near to the prediction as it goes; the rest of the gap repeats it.
            let gap = self.used[..slot].iter().rposition(|used| *used).map_or(0, |left| left + 1);
            let place = self.predict(key).clamp(gap, slot - 1);
            self.keys[place..slot].fill(key);
            place
        } else {
            match self.used[slot..].iter().position(|used| !used) {
                Some(right) => {
                    let gap = slot + right;
                    self.keys.copy_within(slot..gap, slot + 1);
                    self.values.copy_within(slot..gap, slot + 1);
                    self.used[gap] = true;
                    slot
                }
                None => {
                    // A node that isn't full has a gap, so it is to the left, behind the first slot.
                    let gap = self.used[..slot].iter().rposition(|used| !used).unwrap_or(0);
                    self.keys.copy_within(gap + 1..slot, gap);
                    self.values.copy_within(gap + 1..slot, gap);
                    self.used[gap] = true;
                    slot - 1
                }
            }
        };
        (self.keys[place], self.values[place], self.used[place]) = (key, value, true);
        self.count += 1;
        true
    }

    fn is_full(&self) -> bool {
        self.count * 10 >= self.keys.len() * FULL_TENTHS
    }

    fn entries(&self) -> (Vec<u64>, Vec<u64>) {
        let used = self.used.iter().zip(self.keys.iter().zip(&self.values));
        used.filter(|(used, _)| **used).map(|(_, (key, value))| (*key, *value)).unzip()
    }
}

/// The line with the least squares through the keys' positions, times `scale`.
fn fit(keys: &[u64], scale: f64) -> (f64, f64) {
    let n = keys.len() as f64;
    let mean_x = keys.iter().map(|&key| key as f64).sum::<f64>() / n;
    let mean_y = (n - 1.0) / 2.0;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (i, &key) in keys.iter().enumerate() {
        let dx = key as f64 - mean_x;
        xy += dx * (i as f64 - mean_y);
        xx += dx * dx;
    }
    let slope = if xx > 0.0 { xy / xx * scale } else { 0.0 };
    (slope, mean_y * scale - slope * mean_x)
}

/// See the module.
pub struct Gapped {
    /// The first key of each node; the first node's stands for everything below.
    firsts: Vec<u64>,
    nodes: Vec<Node>,
    len: usize,
}

impl Gapped {
    /// From strictly ascending keys with values; None if they are not.
    pub fn new(keys: &[u64], values: &[u64]) -> Option<Gapped> {
        if !keys.is_sorted_by(|a, b| a < b) || keys.len() != values.len() {
            return None;
        }
        let nodes: Vec<Node> = keys
            .chunks(NODE_KEYS)
            .zip(values.chunks(NODE_KEYS))
            .map(|(keys, values)| Node::new(keys, values))
            .collect();
        let firsts = keys.iter().step_by(NODE_KEYS).copied().collect();
        Some(Gapped { firsts, nodes, len: keys.len() })
    }

    #[inline]
    fn node(&self, key: u64) -> usize {
        self.firsts.partition_point(|&first| first <= key).saturating_sub(1)
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        self.nodes.get(self.node(key))?.get(key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: u64, value: u64) {
        let at = self.node(key);
        let Some(node) = self.nodes.get_mut(at) else {
            self.firsts.push(key);
            self.nodes.push(Node::new(&[key], &[value]));
            self.len = 1;
            return;
        };
        self.len += usize::from(node.insert(key, value));
        if !node.is_full() {
            return;
        }
        let (keys, values) = node.entries();
        if keys.len() < SPLIT_KEYS {
            *node = Node::new(&keys, &values);
            return;
        }
        let half = keys.len() / 2;
        *node = Node::new(&keys[..half], &values[..half]);
        self.nodes.insert(at + 1, Node::new(&keys[half..], &values[half..]));
        self.firsts.insert(at + 1, keys[half]);
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of slots, values included, and first keys.
    pub fn bytes(&self) -> usize {
        let slots: usize = self.nodes.iter().map(|node| node.keys.len()).sum();
        slots * 17 + self.firsts.len() * (8 + size_of::<Node>())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rng::Rng;

    #[test]
    fn keys_of_any_shape_are_found_and_others_are_not() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed, 3, 0);
            let n = rng.below(20_000);
            let mut keys: Vec<u64> = match seed % 4 {
                0 => (0..n).map(|_| rng.next()).collect(),
                1 => (0..n).map(|i| (1 << 62) | (i * 359)).collect(),
                2 => (0..n).map(|i| ((i / 180) << 30) | ((i % 180) * 359)).collect(),
                _ => (0..n).map(|_| 1 << rng.below(64) | rng.below(99)).collect(),
            };
            keys.sort_unstable();
            keys.dedup();
            let values: Vec<u64> = keys.iter().map(|key| !key).collect();
            let index = Gapped::new(&keys, &values).expect("ascending");
            assert_eq!(index.len(), keys.len());
            for &key in &keys {
                assert_eq!(index.get(key), Some(!key), "seed {seed}");
                for other in [key.wrapping_sub(1), key.wrapping_add(1)] {
                    let expected = keys.binary_search(&other).is_ok().then_some(!other);
                    assert_eq!(index.get(other), expected, "seed {seed}, {other}");
                }
            }
        }
    }

    #[test]
    fn inserts_agree_with_a_map() {
        for seed in 0..8 {
            let mut rng = Rng::new(seed, 4, 0);
            let mut index = Gapped::new(&[], &[]).expect("nothing");
            let mut map = BTreeMap::new();
            for i in 0..30_000 {
                let key = match seed % 4 {
                    0 => rng.next(),
                    1 => i,
                    2 => u64::MAX - i,
                    _ => rng.below(5000) << rng.below(50),
                };
                index.insert(key, i);
                map.insert(key, i);
                assert_eq!(index.get(key), Some(i));
            }
            assert_eq!(index.len(), map.len());
            assert!(map.iter().all(|(key, value)| index.get(*key) == Some(*value)), "seed {seed}");
            for node in &index.nodes {
                assert!(node.keys.is_sorted() && node.used[0]);
                assert_eq!(node.used.iter().filter(|used| **used).count(), node.count);
            }
        }
    }
}
