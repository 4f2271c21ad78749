//! What a run counts: every record once on its way in, and once on its way out or under a reason.

use crate::change::filter::named::named;
use crate::measure::records::Amount;

named! {
    /// Why a record was not kept: the first of these that holds.
    Reason {
        /// It lacks a flag, or has one that isn't wanted.
        Flags = "flags",
        /// Its mapping quality is too low.
        MappingQuality = "mapping_quality_too_low",
        /// It overlaps none of the regions.
        Region = "not_in_regions",
        /// It was not drawn.
        NotSampled = "not_sampled",
        /// Its read group is not wanted.
        ReadGroup = "read_group_not_wanted",
        /// It lacks an optional field, or a value of it that is wanted.
        Tag = "tag_not_wanted",
        /// Its name is not wanted.
        Name = "name_not_wanted",
        /// The expression is false of it.
        Expression = "expression",
        /// Its template is not kept.
        Mate = "mate_rejected",
    }
}

/// Counts of a run. Merging the tallies of two parts equals the tally of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignmentTally {
    /// What came in: second reads of templates are counted apart from all others.
    pub input: [Amount; 2],
    /// What was kept.
    pub output: [Amount; 2],
    /// What was not kept.
    pub discarded: Amount,
    rejected: [u64; Reason::ALL.len()],
}

impl AlignmentTally {
    /// How many records were rejected for this reason.
    pub fn rejected(&self, reason: Reason) -> u64 {
        self.rejected[reason as usize]
    }

    /// Everything that was kept.
    pub fn kept(&self) -> Amount {
        let [mut all, second] = self.output;
        all.add(&second);
        all
    }

    /// Books a record of the given mate (0 or 1), kept or rejected.
    pub(super) fn book(&mut self, mate: usize, amount: &Amount, objection: Option<Reason>) {
        self.input[mate].add(amount);
        match objection {
            None => self.output[mate].add(amount),
            Some(reason) => {
                self.rejected[reason as usize] += 1;
                self.discarded.add(amount);
            }
        }
    }

    /// Adds the counts of another part.
    pub fn merge(&mut self, other: &AlignmentTally) {
        let AlignmentTally { input, output, discarded, rejected } = other;
        for mate in 0..2 {
            self.input[mate].add(&input[mate]);
            self.output[mate].add(&output[mate]);
        }
        self.discarded.add(discarded);
        self.rejected.iter_mut().zip(rejected).for_each(|(a, b)| *a += b);
    }
}
