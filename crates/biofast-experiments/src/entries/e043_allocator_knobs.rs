//! 043: which allocator and which of its knobs reaches which allocation; a process for each measurement.

use super::prelude::*;
use super::{allocators, e042_zstd_contexts};
use crate::systems::segments::{LEN, Segments};
use crate::systems::zstd_context::Compressor;

pub(super) struct AllocatorKnobs;

/// Segments that `compressor` goes over.
const SEGMENTS: usize = 40;

/// The most that glibc takes: larger pieces are mapped for themselves whatever is said.
const LARGEST_THRESHOLD: &str = "glibc.malloc.mmap_threshold=33554432";
const NO_TRIM: &str = "glibc.malloc.trim_threshold=8589934592";
const NO_MAPS: &str = "glibc.malloc.mmap_max=0";

impl Entry for AllocatorKnobs {
    fn applies(&self, cell: &Cell) -> bool {
        let allocator = cell.get("allocator");
        let meant = match cell.get("knob") {
            "default" => true,
            _ if !cfg!(all(target_os = "linux", target_env = "gnu")) => false,
            "jemalloc-oversize" | "jemalloc-keep" => allocator.starts_with("jemalloc"),
            "glibc-keep" => true,
            _ => !allocator.starts_with("mimalloc"),
        };
        meant && allocators::exists(cell)
    }

    fn environment(&self, cell: &Cell) -> Vec<(&'static str, String)> {
        let tunables: &[&str] = match cell.get("knob") {
            "trim" => &[NO_TRIM],
            "threshold" => &[NO_TRIM, LARGEST_THRESHOLD],
            "glibc-keep" => &[NO_TRIM, NO_MAPS],
            _ => &[],
        };
        let mut all = allocators::environment(cell, tunables);
        let own = match cell.get("knob") {
            "jemalloc-oversize" => "oversize_threshold:0",
            "jemalloc-keep" => "dirty_decay_ms:-1,muzzy_decay_ms:-1",
            _ => return all,
        };
        all.push(("MALLOC_CONF", own.to_owned()));
        all
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        allocators::verify(cell)?;
        let quick = lab.scale == Scale::Quick;
        let many = move |calls| if quick { 4 } else { calls };
        Ok(match cell.get("work") {
            "rust-64K" => Box::new(move |_| touch(many(2000), 64 << 10)),
            "rust-1M" => Box::new(move |_| touch(many(200), 1 << 20)),
            "rust-60M" => Box::new(move |_| touch(many(6), 60 << 20)),
            "zstd-3" => compress(many(60), 3),
            "zstd-17" => compress(many(12), 17),
            "compressor" => {
                let segments = Segments::new(SEGMENTS);
                let mut compressor = Compressor::new(17, false, false);
                Box::new(move |_| e042_zstd_contexts::diffed(many(40), &mut compressor, &segments))
            }
            other => bail!("no work is called {other:?}"),
        })
    }
}

/// Allocates, writes to every page, and gives back.
fn touch(calls: usize, bytes: usize) -> Result<Outcome> {
    let mut sum = 0u64;
    let costs = allocators::measure(calls, |_| {
        let mut memory = Vec::<u8>::with_capacity(bytes);
        memory.resize(bytes, 1);
        sum +=
            std::hint::black_box(&memory).iter().step_by(4096).map(|b| u64::from(*b)).sum::<u64>();
        Ok(())
    })?;
    Ok(costs.of(Outcome::new(sum, bytes)))
}

/// Compresses a segment's bases with a new context for each call.
fn compress<'a>(calls: usize, level: i32) -> Task<'a> {
    let segments = Segments::new(0);
    let mut compressor = Compressor::new(level, false, false);
    let mut out = Vec::new();
    Box::new(move |_| {
        let input = segments.sequence(LEN);
        let costs = allocators::measure(calls, |_| {
            compressor.compress(input, &mut out)?;
            Ok(())
        })?;
        Ok(costs.of(Outcome::hashed(zstd::stream::decode_all(&out[..])?, input.len())))
    })
}
