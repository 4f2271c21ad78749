//! 042: page faults of compressing with zstd, by context, knowledge of the size, level, input and allocator; a process for
//! each measurement.

use super::allocators;
use super::prelude::*;
use crate::systems::kmer_table::{Lists, Policy};
use crate::systems::lz_diff;
use crate::systems::segments::{LEN, Segments};
use crate::systems::zstd_context::Compressor;

pub(super) struct ZstdContexts;

/// Bases of 50 segments.
const PACK: usize = 50 * LEN;
/// Segments that `segment` goes over.
const SEGMENTS: usize = 40;
/// Every place of a reference whose number this divides is indexed.
const STEP: usize = 4;

impl Entry for ZstdContexts {
    fn applies(&self, cell: &Cell) -> bool {
        // What the crate's own ways tell zstd isn't up to the caller; large inputs are left to one allocator, for time.
        let told = match cell.get("context") {
            "copy-encode" => cell.get("size") == "unknown",
            "bulk" => cell.get("size") == "pledged",
            _ => true,
        };
        let one = cell.get("input") != "850K" || cell.get("allocator") == "system";
        told && one && allocators::exists(cell)
    }

    fn environment(&self, cell: &Cell) -> Vec<(&'static str, String)> {
        allocators::environment(cell, &[])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        allocators::verify(cell)?;
        let level = cell.number("level")?;
        let calls = match (cell.get("input"), level) {
            ("850K", 17) => 1,
            ("850K", 9) => 3,
            _ if lab.scale == Scale::Quick => 4,
            ("850K", _) => 8,
            (_, 17) => 16,
            _ => 40,
        };
        let mut compressor = compressor(cell)?;
        let segments = Segments::new(SEGMENTS);
        Ok(match cell.get("input") {
            "segment" => Box::new(move |_| diffed(calls, &mut compressor, &segments)),
            "17K" => Box::new(move |_| plain(calls, &mut compressor, segments.sequence(LEN))),
            "850K" => Box::new(move |_| plain(calls, &mut compressor, segments.sequence(PACK))),
            other => bail!("no input is called {other:?}"),
        })
    }
}

fn compressor(cell: &Cell) -> Result<Compressor> {
    let level = i32::try_from(cell.number("level")?)?;
    let pledged = match cell.get("size") {
        "unknown" => false,
        "pledged" => true,
        other => bail!("no knowledge of the size is called {other:?}"),
    };
    let reuse = match cell.get("context") {
        "fresh" => false,
        "reused" => true,
        "copy-encode" => return Ok(Compressor::copy_encode(level)),
        "bulk" => return Compressor::bulk(level),
        other => bail!("no context is called {other:?}"),
    };
    Ok(Compressor::new(level, pledged, reuse))
}

/// The same bases, call after call.
fn plain(calls: usize, compressor: &mut Compressor, input: &[u8]) -> Result<Outcome> {
    let mut out = Vec::new();
    let mut context = None;
    let costs = allocators::measure(calls, |_| {
        context = compressor.compress(input, &mut out)?;
        Ok(())
    })?;
    let back = zstd::stream::decode_all(&out[..])?;
    ensure!(back == input, "what was compressed doesn't come back");
    let outcome = Outcome::hashed(back, input.len());
    Ok(with_sizes(costs.of(outcome), context, &out))
}

fn with_sizes(outcome: Outcome, context: Option<usize>, out: &[u8]) -> Outcome {
    let outcome = outcome.with("out", out.len() as f64);
    match context {
        Some(size) => outcome.with("context_kb", size as f64 / 1024.0),
        None => outcome,
    }
}

/// As an assembly compressor does it: each segment is coded against its reference, for which a table is made, and the
/// differences are compressed.
pub(super) fn diffed(
    calls: usize,
    compressor: &mut Compressor,
    segments: &Segments,
) -> Result<Outcome> {
    let mut table = Lists::new(Policy::New);
    let (mut differences, mut out) = (Vec::new(), Vec::new());
    let (mut context, mut last) = (None, 0);
    let costs = allocators::measure(calls, |call| {
        last = call % segments.len();
        let reference = segments.reference(last);
        lz_diff::index(reference, STEP, &mut table);
        differences.clear();
        lz_diff::encode(segments.segment(last), reference, &table, &mut differences);
        context = compressor.compress(&differences, &mut out)?;
        Ok(())
    })?;
    let mut back = Vec::new();
    lz_diff::decode(&zstd::stream::decode_all(&out[..])?, segments.reference(last), &mut back)?;
    ensure!(back == segments.segment(last), "what was compressed doesn't come back");
    let outcome = Outcome::hashed(back, segments.segment(last).len());
    Ok(with_sizes(costs.of(outcome), context, &out))
}
