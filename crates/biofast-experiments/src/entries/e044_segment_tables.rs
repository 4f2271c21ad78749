//! 044: the k-mer table of each segment, made new, with room from the start, or used again; a process for each
//! measurement.

use sha2::{Digest as _, Sha256};

use super::allocators;
use super::prelude::*;
use crate::datasets::to_hex;
use crate::systems::kmer_table::{Lists, Map, Open, Policy, Table};
use crate::systems::lz_diff;
use crate::systems::segments::Segments;

pub(super) struct SegmentTables;

/// Different segments; more are the same again.
const DIFFERENT: usize = 300;

impl Entry for SegmentTables {
    fn applies(&self, cell: &Cell) -> bool {
        // Thirty-seven thousand take long, so they are done in one way and the way that is the answer to it.
        let few = cell.get("segments") != "37K";
        let ends = ["lists-new", "open-reused"].contains(&cell.get("table"));
        let simple = cell.get("step") == "4" && cell.get("allocator") == "system";
        allocators::exists(cell) && (few || (ends && simple))
    }

    fn environment(&self, cell: &Cell) -> Vec<(&'static str, String)> {
        allocators::environment(cell, &[])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        allocators::verify(cell)?;
        let step = cell.number("step")?;
        let count = cell.count("segments")?;
        let different = if lab.scale == Scale::Quick { 20 } else { DIFFERENT };
        let segments = Segments::new(different);
        let table = cell.get("table").to_owned();
        Ok(Box::new(move |_| match &table[..] {
            "lists-new" => encode_all(Lists::new(Policy::New), &segments, step, count),
            "lists-pre-sized" => encode_all(Lists::new(Policy::PreSized), &segments, step, count),
            "map-new" => encode_all(Map::new(Policy::New), &segments, step, count),
            "map-pre-sized" => encode_all(Map::new(Policy::PreSized), &segments, step, count),
            "map-reused" => encode_all(Map::new(Policy::Reused), &segments, step, count),
            "open-new" => encode_all(Open::new(false), &segments, step, count),
            "open-reused" => encode_all(Open::new(true), &segments, step, count),
            other => bail!("no table is called {other:?}"),
        }))
    }
}

/// Indexes the reference of each segment and codes the segment against it. All are decoded afterwards.
fn encode_all(
    mut table: impl Table,
    segments: &Segments,
    step: usize,
    count: usize,
) -> Result<Outcome> {
    let mut codes = vec![Vec::new(); segments.len()];
    let costs = allocators::measure(count, |call| {
        let i = call % segments.len();
        lz_diff::index(segments.reference(i), step, &mut table);
        codes[i].clear();
        lz_diff::encode(segments.segment(i), segments.reference(i), &table, &mut codes[i]);
        Ok(())
    })?;
    let mut hash = Sha256::new();
    let mut back = Vec::new();
    let (mut bytes, mut out) = (0, 0);
    for (i, code) in codes.iter().enumerate().take(count) {
        back.clear();
        lz_diff::decode(code, segments.reference(i), &mut back)?;
        ensure!(back == segments.segment(i), "what was encoded doesn't come back");
        hash.update(code);
        bytes += back.len();
        out += code.len();
    }
    let outcome = Outcome::new(to_hex(&hash.finalize()[..8]), bytes);
    Ok(costs.of(outcome).with("out", out as f64))
}
