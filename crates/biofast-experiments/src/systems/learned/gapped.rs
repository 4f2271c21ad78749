//! An adaptive index of keys and values, after ALEX: nodes of a few thousand slots in which keys stand near where a line
//! predicts them, with gaps between for keys to come (no entry measures inserts). A gap repeats the key to its left, so that slots are in order
//! and a search from the prediction outwards needs no other table.
//!
//! Unlike ALEX there is one level of nodes, found by binary search over their first keys.

use super::lower_bound;

const NODE_KEYS: usize = 4096;
const USED_TENTHS: usize = 7;

/// A line and the slots around it.
struct Node {
    /// At least one slot; a gap repeats the key before it.
    keys: Vec<u64>,
    values: Vec<u64>,
    /// Which slots are no gaps: inserts would need it, so it counts.
    used: Vec<bool>,
    slope: f64,
    intercept: f64,
}

impl Node {
    /// From keys in ascending order, at least one, and their values.
    fn new(keys: &[u64], values: &[u64]) -> Node {
        let slots = (keys.len() * 10).div_ceil(USED_TENTHS).max(8);
        let (slope, intercept) = fit(keys, slots as f64 / keys.len() as f64);
        let mut node = Node {
            keys: vec![0; slots],
            values: vec![0; slots],
            used: vec![false; slots],
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
pub(crate) struct Gapped {
    /// The first key of each node; the first node's stands for everything below.
    firsts: Vec<u64>,
    nodes: Vec<Node>,
}

impl Gapped {
    /// From strictly ascending keys with values; None if they are not.
    pub(crate) fn new(keys: &[u64], values: &[u64]) -> Option<Gapped> {
        if !keys.is_sorted_by(|a, b| a < b) || keys.len() != values.len() {
            return None;
        }
        let nodes: Vec<Node> = keys
            .chunks(NODE_KEYS)
            .zip(values.chunks(NODE_KEYS))
            .map(|(keys, values)| Node::new(keys, values))
            .collect();
        let firsts = keys.iter().step_by(NODE_KEYS).copied().collect();
        Some(Gapped { firsts, nodes })
    }

    #[inline]
    fn node(&self, key: u64) -> usize {
        self.firsts.partition_point(|&first| first <= key).saturating_sub(1)
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<u64> {
        self.nodes.get(self.node(key))?.get(key)
    }

    /// Bytes of slots, values included, and first keys.
    pub(crate) fn bytes(&self) -> usize {
        let of_node = |node: &Node| 8 * node.keys.len() + 8 * node.values.len() + node.used.len();
        self.nodes.iter().map(of_node).sum::<usize>() + self.firsts.len() * (8 + size_of::<Node>())
    }
}
