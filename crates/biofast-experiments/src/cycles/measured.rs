//! What a kernel takes on this machine, in cycles: its time over that of a chain of operations, each of
//! which takes one.

use std::hint::black_box;
use std::time::Instant;

use biofast_kernels::{Isa, Kernels, kernels_for};

/// Bytes of a buffer that stays in the second-level cache, and of one that no cache holds.
const BUFFERS: [usize; 2] = [512 << 10, 256 << 20];

/// Of the chain.
const STEPS: u64 = 100_000;

/// Cycles for 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycles {
    /// From the second-level cache.
    pub cached: f64,
    /// From memory.
    pub memory: f64,
}

/// Random inputs, so that no branch can be foreseen.
#[derive(Debug)]
pub(super) struct Inputs {
    bases: Vec<u8>,
    qualities: Vec<u8>,
}

impl Inputs {
    pub(super) fn new() -> Self {
        let mut state = 88_172_645_463_325_252u64;
        let mut next = |values: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % values
        };
        let bases = (0..BUFFERS[1]).map(|_| b"ACGT"[next(4) as usize]).collect();
        let qualities = (0..BUFFERS[1]).map(|_| b'#' + next(40) as u8).collect();
        Self { bases, qualities }
    }

    fn of(&self, kernel: &str) -> &[u8] {
        let on_qualities = ["quali", "least", "error"].iter().any(|part| kernel.contains(part));
        if on_qualities { &self.qualities } else { &self.bases }
    }

    /// What `kernel` takes on the instruction set `isa`; `None` if this machine lacks it.
    pub(super) fn kernel(&self, isa: Isa, kernel: &str) -> Option<Cycles> {
        let kernels = kernels_for(isa)?;
        call(kernels, kernel, &[])?;
        Some(measure(self.of(kernel), |bytes| call(kernels, kernel, bytes)))
    }

    /// What the same takes with a branch for each byte; `None` for kernels that no claim is about.
    pub(super) fn branchy(&self, kernel: &str) -> Option<Cycles> {
        let plain = crate::entries::branchy(kernel)?;
        Some(measure(self.of(kernel), plain))
    }

    pub(super) fn read(&self) -> Cycles {
        measure(&self.bases, read)
    }
}

/// Interleaved with the chain, and the least of each: noise only adds.
fn measure<T>(input: &[u8], run: impl Fn(&[u8]) -> T) -> Cycles {
    let [cached, memory] = [(BUFFERS[0], 60), (BUFFERS[1], 4)].map(|(len, rounds)| {
        let input = &input[..len];
        let mut times = [f64::MAX; 2];
        for _ in 0..rounds {
            times[0] = times[0].min(seconds(|| run(black_box(input))));
            times[1] = times[1].min(seconds(|| chain(black_box(STEPS))));
        }
        let cycle = times[1] / (6 * STEPS) as f64;
        times[0] / cycle * 64.0 / len as f64
    });
    Cycles { cached, memory }
}

/// Every byte is loaded and next to nothing done with it.
fn read(bytes: &[u8]) -> u64 {
    let mut all = [0u64; 8];
    for block in bytes.as_chunks::<64>().0 {
        for (all, word) in all.iter_mut().zip(block.as_chunks::<8>().0) {
            *all |= u64::from_ne_bytes(*word);
        }
    }
    all.into_iter().fold(0, u64::wrapping_add)
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
        "sum_qualities" => (kernels.sum_qualities)(bytes),
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
