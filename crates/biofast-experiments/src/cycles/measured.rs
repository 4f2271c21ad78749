//! What a kernel takes on this machine, in cycles: its time over that of a chain of operations, each of
//! which takes one.

use std::hint::black_box;
use std::time::Instant;

use biofast_kernels::{Isa, Kernels, kernels_for};

/// Bytes of a buffer that stays in the second-level cache.
const BUFFER: usize = 256 << 10;

/// Of the chain.
const STEPS: u64 = 100_000;

/// Cycles `kernel` takes for 64 bytes on the instruction set `isa`; `None` if this machine lacks it.
pub(super) fn cycles_per_64(isa: Isa, kernel: &str) -> Option<f64> {
    let kernels = kernels_for(isa)?;
    let bases: Vec<u8> = (0..BUFFER).map(|i| b"ACGT"[((i * i) >> 3) & 3]).collect();
    let qualities: Vec<u8> = (0..BUFFER).map(|i| b'#' + (((i * i) >> 4) % 38) as u8).collect();
    let input = if kernel.contains("quali") || kernel.contains("least") || kernel.contains("error")
    {
        &qualities
    } else {
        &bases
    };
    let run = || call(kernels, kernel, black_box(input));
    run()?;
    // Interleaved, and the least of each: noise only adds.
    let mut times = [f64::MAX; 2];
    for _ in 0..60 {
        times[0] = times[0].min(seconds(|| black_box(run())));
        times[1] = times[1].min(seconds(|| black_box(Some(chain(black_box(STEPS))))));
    }
    let cycle = times[1] / (6 * STEPS) as f64;
    Some(times[0] / cycle * 64.0 / BUFFER as f64)
}

fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64()
}

/// Steps of a xorshift generator: each is three shifts and three exclusive ors, each of which takes a
/// cycle and needs the one before.
fn chain(steps: u64) -> u64 {
    let mut x = steps;
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

fn call(kernels: &Kernels, kernel: &str, bytes: &[u8]) -> Option<u64> {
    Some(match kernel {
        "count_bases" => (kernels.count_bases)(bytes).gc(),
        "count_gc" => (kernels.count_gc)(bytes),
        "count_gc_acgt" => (kernels.count_gc_acgt)(bytes).acgt,
        "count_n" => (kernels.count_n)(bytes),
        "count_newlines" => (kernels.count_newlines)(bytes),
        "summarize_qualities" => (kernels.summarize_qualities)(bytes).sum,
        "count_at_least" => (kernels.count_at_least)(bytes, 20),
        "sum_error_probability" => (kernels.sum_error_probability)(bytes),
        "find_invalid_base" => u64::from((kernels.find_invalid_base)(bytes).is_some()),
        "find_invalid_quality" => u64::from((kernels.find_invalid_quality)(bytes).is_some()),
        "count_packed_bases" => (kernels.count_packed_bases)(bytes, 2 * bytes.len()).gc(),
        "count_packed_gc" => (kernels.count_packed_gc)(bytes, 2 * bytes.len()).gc,
        _ => return None,
    })
}
