//! Whether parts cover their plan exactly once.

use std::fmt;

use biofast_io::Escaped;
use serde::{Deserialize, Serialize};

/// What a report of shards says about what it is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardPart {
    /// The id of the plan.
    pub plan: String,
    /// How many shards the plan has.
    pub shards: u64,
    /// Which of its files this is, from 1 …
    pub file: u64,
    /// … of so many.
    pub files: u64,
    /// How many records the whole file has.
    pub records: u64,
    /// The shards, in their order. One, unless reports were merged.
    pub pieces: Vec<ShardRun>,
}

/// Shards that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRun {
    /// The first and the last one, from 1.
    pub shards: (u64, u64),
    /// Their records, from 0: the first one, and the first one behind.
    pub records: (u64, u64),
}

/// Why parts aren't a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uncovered {
    /// A part of another plan.
    OtherPlan {
        /// Whose part it is.
        label: String,
        /// Its plan.
        plan: String,
        /// That of the parts before it.
        expected: String,
    },
    /// A part that contradicts itself or those before it.
    Damaged(String),
    /// Shards are missing.
    Gap {
        /// The first and the last one.
        shards: (u64, u64),
        /// How many there are in all.
        of: u64,
        /// The first record that is missing, from 1, and the last one.
        records: (u64, u64),
        /// Which file, if there are two.
        file: Option<u64>,
    },
    /// A shard is there twice.
    Repeat {
        /// Which one.
        shard: u64,
        /// Whose parts they are.
        labels: [String; 2],
    },
    /// Records are in two shards, or in none, though the shards follow each other.
    Overlap {
        /// Whose parts they are.
        labels: [String; 2],
    },
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |label: &String| Escaped(label.as_bytes()).to_string();
        match self {
            Uncovered::OtherPlan { label, plan, expected } => write!(
                f,
                "{}: part of plan {plan}, but the ones before it are of plan {expected}",
                shown(label)
            ),
            Uncovered::Damaged(label) => {
                write!(
                    f,
                    "{}: its shard information contradicts itself or the other reports",
                    shown(label)
                )
            }
            Uncovered::Gap { shards: (first, last), of, records, file } => {
                match first == last {
                    true => write!(f, "shard {first} of {of} is missing")?,
                    false => write!(f, "shards {first} to {last} of {of} are missing")?,
                }
                if let Some(file) = file {
                    write!(f, " of file {file}")?;
                }
                match records.0 <= records.1 {
                    true => write!(f, " (records {} to {})", records.0, records.1),
                    false => Ok(()),
                }
            }
            Uncovered::Repeat { shard, labels: [one, other] } => {
                if one == other {
                    return write!(f, "shard {shard} occurs twice: {} is named twice", shown(one));
                }
                write!(f, "shard {shard} occurs twice: in {} and in {}", shown(one), shown(other))
            }
            Uncovered::Overlap { labels: [one, other] } => write!(
                f,
                "the records of {} and {} overlap or have a gap: the plan was changed",
                shown(one),
                shown(other)
            ),
        }
    }
}

impl std::error::Error for Uncovered {}

/// Collects parts, in any order, until they make a whole.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    plan: Option<ShardPart>,
    /// By file: pieces in the order of their shards, with whose they are.
    files: Vec<Vec<(ShardRun, String)>>,
}

impl Cover {
    /// Adds a part; `label` is its name in errors.
    ///
    /// # Errors
    /// If it is of another plan, contradicts itself or the others, or is there already.
    pub fn add(&mut self, part: ShardPart, label: &str) -> Result<(), Uncovered> {
        let damaged = || Uncovered::Damaged(label.into());
        if part.files == 0 || part.files > 2 || part.file == 0 || part.file > part.files {
            return Err(damaged());
        }
        if let Some(plan) = &self.plan {
            if plan.plan != part.plan {
                return Err(Uncovered::OtherPlan {
                    label: label.into(),
                    plan: part.plan,
                    expected: plan.plan.clone(),
                });
            }
            let whole = |part: &ShardPart| (part.shards, part.files, part.records);
            if whole(plan) != whole(&part) {
                return Err(damaged());
            }
        }
        self.files.resize(part.files as usize, Vec::new());
        let pieces = &mut self.files[part.file as usize - 1];
        for &piece in &part.pieces {
            let ShardRun { shards: (first, last), records: (start, end) } = piece;
            if first == 0 || first > last || last > part.shards || start > end || end > part.records
            {
                return Err(damaged());
            }
            let at = pieces.partition_point(|(other, _)| other.shards.0 < first);
            let before = at.checked_sub(1).and_then(|at| pieces.get(at));
            let repeated = match (before, pieces.get(at)) {
                (Some((other, whose)), _) if other.shards.1 >= first => Some((first, whose)),
                (_, Some((other, whose))) if other.shards.0 <= last => {
                    Some((other.shards.0, whose))
                }
                _ => None,
            };
            if let Some((shard, whose)) = repeated {
                return Err(Uncovered::Repeat { shard, labels: [whose.clone(), label.into()] });
            }
            pieces.insert(at, (piece, label.into()));
        }
        self.plan.get_or_insert(part);
        Ok(())
    }

    /// Whether all shards of all files of the plan are there. Of no parts nothing is missing.
    ///
    /// # Errors
    /// What is missing, or which parts don't fit together.
    pub fn check(&self) -> Result<(), Uncovered> {
        let Some(plan) = &self.plan else { return Ok(()) };
        for (number, pieces) in (1..).zip(&self.files) {
            let gap = |shards, records| {
                let file = (self.files.len() > 1).then_some(number);
                Err(Uncovered::Gap { shards, of: plan.shards, records, file })
            };
            let (mut shard, mut record) = (0, 0);
            let mut before = None;
            for (piece, label) in pieces {
                let ShardRun { shards, records } = piece;
                if shards.0 != shard + 1 {
                    return gap((shard + 1, shards.0 - 1), (record + 1, records.0));
                }
                if records.0 != record {
                    let one = before.unwrap_or(label).clone();
                    return Err(Uncovered::Overlap { labels: [one, label.clone()] });
                }
                (shard, record) = (shards.1, records.1);
                before = Some(label);
            }
            if shard != plan.shards {
                return gap((shard + 1, plan.shards), (record + 1, plan.records));
            }
            if record != plan.records {
                let label = before.cloned().unwrap_or_default();
                return Err(Uncovered::Damaged(label));
            }
        }
        Ok(())
    }

    /// The parts added so far of file `file` (from 1) as one part; `None` without any.
    pub fn part(&self, file: u64) -> Option<ShardPart> {
        let plan = self.plan.as_ref()?;
        let index = usize::try_from(file.checked_sub(1)?).ok()?;
        let mut pieces: Vec<ShardRun> = Vec::new();
        for (piece, _) in self.files.get(index)? {
            match pieces.last_mut() {
                Some(last)
                    if last.shards.1 + 1 == piece.shards.0 && last.records.1 == piece.records.0 =>
                {
                    last.shards.1 = piece.shards.1;
                    last.records.1 = piece.records.1;
                }
                _ => pieces.push(*piece),
            }
        }
        (!pieces.is_empty()).then(|| ShardPart { file, pieces, ..plan.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(shards: (u64, u64), cuts: &[u64]) -> ShardPart {
        let records = (cuts[shards.0 as usize - 1], cuts[shards.1 as usize]);
        let total = cuts[cuts.len() - 1];
        ShardPart {
            plan: "p".into(),
            shards: cuts.len() as u64 - 1,
            file: 1,
            files: 1,
            records: total,
            pieces: vec![ShardRun { shards, records }],
        }
    }

    proptest! {
        /// Parts cover the plan if and only if each shard is in exactly one of them, in whatever order they come.
        #[test]
        fn a_whole_is_each_shard_once(
            sizes in prop::collection::vec(0u64..5, 1..12),
            runs in prop::collection::vec((0usize..12, 1usize..4), 1..16),
        ) {
            let mut cuts = vec![0];
            cuts.extend(sizes.iter().scan(0, |sum, n| { *sum += n; Some(*sum) }));
            let n = sizes.len();
            let mut seen = vec![0u32; n];
            let mut cover = Cover::default();
            let mut refused = false;
            for (first, len) in runs {
                let (first, last) = (first % n + 1, (first % n + len).min(n));
                seen[first - 1..last].iter_mut().for_each(|n| *n += 1);
                if cover.add(part((first as u64, last as u64), &cuts), "x").is_err() {
                    refused = true;
                    break;
                }
            }
            prop_assert_eq!(refused, seen.iter().any(|&n| n > 1));
            if !refused {
                prop_assert_eq!(cover.check().is_ok(), seen.iter().all(|&n| n == 1));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cuts = [0, 10, 20, 30];
        let mut cover = Cover::default();
        cover.add(part((1, 1), &cuts), "a").expect("the first");
        let twice = cover.add(part((1, 2), &cuts), "b").expect_err("again").to_string();
        assert_eq!(twice, "shard 1 occurs twice: in a and in b");
        let other = ShardPart { plan: "q".into(), ..part((2, 2), &cuts) };
        let other = cover.add(other, "c").expect_err("another plan").to_string();
        assert_eq!(other, "c: part of plan q, but the ones before it are of plan p");
        let gap = cover.check().expect_err("two are missing").to_string();
        assert_eq!(gap, "shards 2 to 3 of 3 are missing (records 11 to 30)");
        cover.add(part((2, 3), &[0, 9, 20, 30]), "d").expect("it looks good");
        assert!(matches!(cover.check(), Err(Uncovered::Overlap { .. })));
        // The other file of mates is missing altogether.
        let mut mates = Cover::default();
        mates.add(ShardPart { files: 2, ..part((1, 3), &cuts) }, "a").expect("one of two");
        let gap = mates.check().expect_err("the other is missing").to_string();
        assert_eq!(gap, "shards 1 to 3 of 3 are missing of file 2 (records 1 to 30)");
    }
}
