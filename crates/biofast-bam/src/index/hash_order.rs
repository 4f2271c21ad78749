//! The order in which htslib writes the bins of a reference: that of the slots of its hash table.
//!
//! The format leaves the order open. Following it makes an index equal byte for byte to
//! that of `samtools index`. The table is open-addressed, sized by powers of 2 from 4, probed at distances 1, 3,
//! 6, 10 …, doubled when 77 % full; a key's hash is the key.

/// The slots of such a table; only the order of the keys is of interest.
#[derive(Clone, Debug, Default)]
pub(super) struct HashOrder {
    slots: Vec<Option<u32>>,
    len: usize,
}

impl HashOrder {
    /// Adds a key, `is_new` or not: a full table grows even for a key that is there already.
    pub(super) fn put(&mut self, key: u32, is_new: bool) {
        let full = (self.slots.len() as f64 * 0.77 + 0.5) as usize;
        if self.len >= full {
            self.grow();
        }
        if is_new {
            let slot = free_slot(&self.slots, key);
            self.slots[slot] = Some(key);
            self.len += 1;
        }
    }

    /// The keys in the order of their slots.
    pub(super) fn keys(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.iter().flatten().copied()
    }

    /// Doubles the table. A key that wants the slot of one that hasn't moved yet takes it, and
    /// the other one moves next.
    fn grow(&mut self) {
        let mut slots = vec![None; (2 * self.slots.len()).max(4)];
        for start in 0..self.slots.len() {
            let mut moving = self.slots[start].take();
            while let Some(key) = moving {
                let slot = free_slot(&slots, key);
                slots[slot] = Some(key);
                moving = self.slots.get_mut(slot).and_then(Option::take);
            }
        }
        self.slots = slots;
    }
}

/// The first free slot for a key; the table is never full.
fn free_slot(slots: &[Option<u32>], key: u32) -> usize {
    let mask = slots.len() - 1;
    let mut slot = key as usize & mask;
    let mut step = 0;
    while slots[slot].is_some() {
        step += 1;
        slot = (slot + step) & mask;
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_comes_out_once() {
        let mut order = HashOrder::default();
        let keys: Vec<u32> = (0..1000u32).map(|n| n * 37 % 4999).collect();
        keys.iter().for_each(|&key| order.put(key, true));
        let mut found: Vec<u32> = order.keys().collect();
        assert_ne!(found, keys);
        found.sort_unstable();
        let mut expected = keys;
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
