//! 059: the statistics of 10 TB on many workers, calculated by `systems/shard_model`.

use super::prelude::*;
use crate::systems::shard_model::{Assumed, Plans, READS, times};

pub(super) struct ShardsAtScale;

impl Entry for ShardsAtScale {
    fn prepare<'a>(&self, cell: &Cell, _: &'a Lab) -> Result<Task<'a>> {
        let workers: f64 = cell.get("workers").parse().context("a number of workers")?;
        let plans = match cell.get("layout") {
            "one file" => Plans::Files(1.0),
            "100 files" => Plans::Files(100.0),
            "indexed" => Plans::Known,
            other => bail!("no layout is called {other:?}"),
        };
        let (mut measured, mut assumed) = (READS, Assumed::TEN_TB);
        match cell.get("change") {
            "none" => {}
            "network" => {
                assumed.link *= 10.0;
                assumed.storage *= 10.0;
            }
            "start" => assumed.starts *= 10.0,
            "merge" => measured.merge_part_s /= 10.0,
            "shard" => measured.shard_s *= 10.0,
            other => bail!("no change is called {other:?}"),
        }
        Ok(Box::new(move |calls| {
            let found = repeat(calls, || times(workers, plans, &measured, &assumed));
            let answer = format!("{:.6}", found.total_s());
            Ok(Outcome::new(answer, 0)
                .with("total_s", found.total_s())
                .with("plan_s", found.plan_s)
                .with("read_s", found.read_s)
                .with("merge_s", found.merge_s)
                .with("cost", found.cost))
        }))
    }
}
