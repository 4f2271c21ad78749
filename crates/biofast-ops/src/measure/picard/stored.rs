//! How counts are read back of the report of a part: nothing that can't be, so that sums of many parts can't overflow.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::measure::reads::Lengths;

/// No count is larger: sums of 65,536 parts fit into 64 bits.
const MOST: u64 = 1 << 48;

/// Counts of any shape.
pub(crate) trait StoredCounts {
    /// Whether none is too large.
    fn are_possible(&self) -> bool;

    /// Adds those of other records.
    fn merge(&mut self, other: &Self);
}

impl StoredCounts for u64 {
    fn are_possible(&self) -> bool {
        *self <= MOST
    }

    fn merge(&mut self, other: &Self) {
        *self += other;
    }
}

impl StoredCounts for (u64, u64) {
    fn are_possible(&self) -> bool {
        self.0.are_possible() && self.1.are_possible()
    }

    fn merge(&mut self, other: &Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

impl<T: StoredCounts, const N: usize> StoredCounts for [T; N] {
    fn are_possible(&self) -> bool {
        self.iter().all(StoredCounts::are_possible)
    }

    fn merge(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(own, other)| own.merge(other));
    }
}

impl<T: StoredCounts + Clone + Default> StoredCounts for Vec<T> {
    fn are_possible(&self) -> bool {
        self.iter().all(StoredCounts::are_possible)
    }

    fn merge(&mut self, other: &Self) {
        self.resize(self.len().max(other.len()), T::default());
        self.iter_mut().zip(other).for_each(|(own, other)| own.merge(other));
    }
}

impl StoredCounts for Lengths {
    /// Looked at by whoever reads them.
    fn are_possible(&self) -> bool {
        true
    }

    fn merge(&mut self, other: &Self) {
        Lengths::merge(self, other);
    }
}

/// Defines counts that are merged field by field, of which none can be forgotten, and are read back only if they can be.
macro_rules! stored_counts {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* $visibility:vis $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $(
                $(#[$doc])*
                #[serde(deserialize_with = "counts")]
                $visibility $field: $type,
            )*
        }

        impl $name {
            fn merge(&mut self, other: &$name) {
                $(StoredCounts::merge(&mut self.$field, &other.$field);)*
            }
        }
    };
}
pub(super) use stored_counts;

/// Reads counts.
pub(crate) fn counts<'de, D: Deserializer<'de>, T: Deserialize<'de> + StoredCounts>(
    deserializer: D,
) -> Result<T, D::Error> {
    let counts = T::deserialize(deserializer)?;
    match counts.are_possible() {
        true => Ok(counts),
        false => Err(D::Error::custom("a count is larger than there can be")),
    }
}

/// Adds `more`, and takes all of `less` away; false if there isn't so much.
#[must_use]
pub(crate) fn add_and_take(counts: &mut [u64], more: &[u64], less: &[&[u64]]) -> bool {
    let is_like = |other: &[u64]| other.len() == counts.len();
    if !is_like(more) || !less.iter().all(|less| is_like(less)) {
        return false;
    }
    counts.iter_mut().zip(more).enumerate().all(|(at, (count, more))| {
        let taken = less.iter().map(|less| less[at]).sum();
        let left = (*count + more).checked_sub(taken);
        *count = left.unwrap_or(0);
        left.is_some()
    })
}

/// Whether there are as many bases by their quality as lie on positions of all depths.
pub(crate) fn are_on_positions(by_depth: &[u64], by_quality: &[u64]) -> bool {
    let bases: u128 = by_quality.iter().map(|&bases| u128::from(bases)).sum();
    let depths = (0..).zip(by_depth);
    bases == depths.map(|(depth, &positions): (u128, _)| depth * u128::from(positions)).sum()
}

/// Arrays of any length as lists.
pub(crate) mod array {
    use super::*;

    pub(crate) fn serialize<S: Serializer, T: Serialize, const N: usize>(
        all: &[T; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all)
    }

    pub(crate) fn deserialize<'de, D, T, const N: usize>(
        deserializer: D,
    ) -> Result<Box<[T; N]>, D::Error>
    where
        D: Deserializer<'de>,
        T: Deserialize<'de> + StoredCounts + Clone + Default,
    {
        let all: Vec<T> = counts(deserializer)?;
        let all = all.into_boxed_slice().try_into();
        all.map_err(|_| D::Error::custom(format_args!("a list isn't {N} long")))
    }
}

/// The depth up to which these were counted.
pub(super) fn cap_of(by_most: &[u64]) -> u16 {
    u16::try_from(by_most.len().saturating_sub(1)).unwrap_or(u16::MAX)
}

/// Whether depths are counted up to a cap that can be.
pub(super) fn are_up_to_a_cap(by_most: &[u64]) -> bool {
    (2..=usize::from(u16::MAX) + 1).contains(&by_most.len())
}
