//! How often reads were there.

use serde::Serialize;

/// Where the levels begin, as FastQC has them.
const STARTS: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50, 100, 500, 1_000, 5_000, 10_000];

/// Reads or pairs by how often they were there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    levels: [[u64; 2]; STARTS.len()],
}

/// One of the levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DedupLevel {
    /// The fewest copies.
    pub from: u32,
    /// The most copies; none at the last level.
    pub to: Option<u32>,
    /// How many different reads or pairs were there so often.
    pub distinct: u64,
    /// How many reads or pairs these are.
    pub total: u64,
}

impl Levels {
    /// Adds a read or pair that was there so often.
    pub(super) fn add(&mut self, copies: u32) {
        let level = STARTS.partition_point(|&start| start <= copies).saturating_sub(1);
        self.levels[level][0] += 1;
        self.levels[level][1] += u64::from(copies);
    }

    /// All levels, from one copy up, whether or not they have reads. The last one has no upper bound.
    pub fn iter(&self) -> impl Iterator<Item = DedupLevel> + '_ {
        let ends = STARTS[1..].iter().map(|&next| Some(next - 1)).chain([None]);
        let all = STARTS.iter().zip(ends).zip(&self.levels);
        all.map(|((&from, to), &[distinct, total])| DedupLevel { from, to, distinct, total })
    }

    /// How many different reads or pairs there were.
    pub fn distinct(&self) -> u64 {
        self.levels.iter().map(|level| level[0]).sum()
    }
}
