//! What was measured of shards on one machine (AMD EPYC, Zen 4, 2 cores, 2026-11-25): seconds are CPU time of one thread.

use super::Measured;

/// `biofast stats --json` of `r1_1600k.fq.bgz`, medians of five rounds in turns, and of `merge --json`, of three.
pub(crate) const READS: Measured = Measured {
    bytes: 162_922_464.0,
    // One shard of all of it: 511 ms, of which the fixed part is left out.
    read_s: 0.511 - SHARD_S,
    plan_s: PLAN_S,
    shard_s: SHARD_S,
    // 1,000 parts of 58,721,171 bytes.
    merge_part_s: 3.278e-3,
    part_bytes: 58_721.0,
};

/// Seven shards took 55 ms more than one run.
const SHARD_S: f64 = 7.88e-3;

/// `biofast shards -@1 -n 100`, the median of four.
const PLAN_S: f64 = 0.474;
