//! What the kernel entries share: a kernel over all reads of a dataset, read by read or as one slice, on one
//! thread or several. Threads come from a pool that exists before the clock starts.

use std::sync::Arc;

use biofast_kernels::{Isa, Kernels, kernels_for};
use rayon::prelude::*;

use super::prelude::*;
use crate::core::cell::scaled;
use crate::core::inputs::{Lab, Reads};

/// The names of instruction sets among the levels of `method`.
const ISAS: [&str; 4] = ["scalar", "avx2", "avx512", "neon"];

pub(super) fn dataset(reads: &str) -> Result<&'static str> {
    DATASETS
        .iter()
        .find(|(level, _)| scaled(level) == scaled(reads))
        .map(|(_, name)| *name)
        .with_context(|| format!("no dataset has {reads} reads"))
}

const DATASETS: [(&str, &str); 6] = [
    ("100", "tiny"),
    ("1K", "small"),
    ("10K", "medium"),
    ("100K", "large"),
    ("1M", "vlarge"),
    ("10M", "huge"),
];

/// A dataset with at least as many reads as the level says, and how many it says.
pub(super) fn reads_of(level: &str, lab: &Lab) -> Result<(Arc<Reads>, usize)> {
    let count = scaled(level).with_context(|| format!("{level:?} is not a number of reads"))?;
    let (_, name) = DATASETS
        .iter()
        .find(|(size, _)| scaled(size) >= Some(count))
        .with_context(|| format!("no dataset has {level} reads"))?;
    Ok((lab.reads(name)?, count as usize))
}

/// The library's kernels if `method` names an instruction set that this CPU has.
pub(super) fn kernels(method: &str) -> Option<&'static Kernels> {
    kernels_for(method.parse::<Isa>().ok()?)
}

/// The library's kernels for the instruction set that `method` names.
pub(super) fn named(method: &str) -> Result<&'static Kernels> {
    kernels(method).with_context(|| format!("no method is called {method:?}"))
}

/// Whether this machine can run a method on so many threads. Several threads get one layout: their parts.
pub(super) fn applies(cell: &Cell) -> bool {
    let method = cell.get("method");
    // Plain code that is compiled for an instruction set is run where the library's kernels for it are.
    let isa = method.strip_prefix("blocked-").unwrap_or(method);
    let here = !ISAS.contains(&isa) || kernels(isa).is_some();
    here && threads_exist(cell) && (cell.get("threads") == "1" || cell.get("layout") != "read")
}

/// Whether the machine has so many cores, or two threads are asked for.
pub(super) fn threads_exist(cell: &Cell) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    cell.get("threads").parse::<usize>().is_ok_and(|n| n <= cores.max(2))
}

/// Which part of the reads a kernel looks at.
#[derive(Clone, Copy)]
pub(super) enum Input {
    Bases,
    Qualities,
}

impl Input {
    pub(super) fn of(self, reads: &Reads) -> &[u8] {
        match self {
            Input::Bases => &reads.bases,
            Input::Qualities => &reads.qualities,
        }
    }
}

/// A task that applies `kernel` to all reads and adds up the results. Factors: `reads`, `layout` (`read` or
/// `slice`), `threads`.
pub(super) fn sum_task<'a, T: Default + Send + 'a>(
    cell: &Cell,
    lab: &'a Lab,
    input: Input,
    kernel: fn(&[u8]) -> T,
    add: impl Fn(&mut T, T) + Send + Sync + Copy + 'a,
    text: fn(&T) -> String,
) -> Result<Task<'a>> {
    let (reads, count) = reads_of(cell.get("reads"), lab)?;
    let by_read = cell.get("layout") == "read";
    let threads = cell.number("threads")?;
    let sum = move |mut a: T, b: T| {
        add(&mut a, b);
        a
    };
    let over = move |part: &[u8], len: usize| -> T {
        if by_read {
            part.chunks_exact(len).map(kernel).fold(T::default(), sum)
        } else {
            kernel(part)
        }
    };
    if threads == 1 {
        return Ok(Box::new(move |calls| {
            let data = &input.of(&reads)[..count * reads.len];
            let found = repeat(calls, || over(std::hint::black_box(data), reads.len));
            Ok(Outcome::new(text(&found), data.len()))
        }));
    }
    let pool = lab.pool(threads)?;
    Ok(Box::new(move |calls| {
        let data = &input.of(&reads)[..count * reads.len];
        let part = (data.len() / reads.len).div_ceil(threads).max(1) * reads.len;
        let found = repeat(calls, || {
            pool.install(|| {
                data.par_chunks(part)
                    .with_max_len(1)
                    .map(|part| over(std::hint::black_box(part), reads.len))
                    .reduce(T::default, sum)
            })
        });
        Ok(Outcome::new(text(&found), data.len()))
    }))
}
