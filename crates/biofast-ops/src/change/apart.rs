//! Records that should stand together and don't, found by hashes of their names.

/// Hashes of names that lack a record, each with the number of a record. Of many, those of the least hashes are kept: which ones
/// depends on the names alone, and if names aren't together, hardly all of these are.
#[derive(Default)]
pub(super) struct LoneNames {
    found: Vec<(u64, u64)>,
    /// Hashes above it aren't kept.
    most: Option<u64>,
}

/// Names that are remembered.
const REMEMBERED: usize = 1 << 16;

impl LoneNames {
    pub(super) fn add(&mut self, hash: u64, number: u64) {
        if self.most.is_none_or(|most| hash <= most) {
            self.found.push((hash, number));
            if self.found.len() >= 2 * REMEMBERED {
                self.trim();
            }
        }
    }

    fn trim(&mut self) {
        self.found.sort_unstable();
        if self.found.len() > REMEMBERED {
            self.found.truncate(REMEMBERED);
            self.most = self.found.last().map(|(hash, _)| *hash);
        }
    }

    pub(super) fn merge(&mut self, other: LoneNames) {
        self.found.extend(other.found);
        self.trim();
    }

    /// Two records of one name in different places, if there are such: the first that has one before it.
    pub(super) fn apart(mut self) -> Option<(u64, u64)> {
        self.trim();
        let same = self.found.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        same.map(|pair| (pair[0].1, pair[1].1)).min_by_key(|(_, later)| *later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_come_twice_are_found_whoever_saw_them() {
        let hash = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // 300,000 names that lack a mate, of which each tenth comes again.
        let records: Vec<(u64, u64)> = (0..330_000).map(|n| (hash(n % 300_000), n + 1)).collect();
        let found = |workers: usize| {
            let mut all: Vec<LoneNames> = (0..workers).map(|_| LoneNames::default()).collect();
            for (index, (hash, number)) in records.iter().enumerate() {
                all[index / 1000 % workers].add(*hash, *number);
            }
            let mut whole = LoneNames::default();
            all.into_iter().for_each(|one| whole.merge(one));
            assert!(whole.found.len() <= REMEMBERED);
            whole.apart()
        };
        let alone = found(1);
        assert!(alone.is_some_and(|(one, other)| one + 300_000 == other), "{alone:?}");
        assert_eq!((found(3), found(7)), (alone, alone));
        let mut few = LoneNames::default();
        (0..9).for_each(|n| few.add(hash(n), n));
        assert_eq!(few.apart(), None);
    }
}
