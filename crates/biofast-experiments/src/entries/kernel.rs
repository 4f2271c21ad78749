//! What the kernel entries share: a kernel over all reads of a dataset, read by read or as one slice, on one
//! thread or several. Threads come from a pool that exists before the clock starts.

use std::iter::Sum;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use biofast_kernels::{Isa, Kernels, kernels_for};
use rayon::prelude::*;

use crate::core::cell::Cell;
use crate::core::entry::{Outcome, Task, repeat};
use crate::core::inputs::{Lab, Reads};

/// The names of instruction sets among the levels of `method`.
const ISAS: [&str; 4] = ["scalar", "avx2", "avx512", "neon"];

/// The dataset with so many reads.
pub(super) fn dataset(reads: &str) -> Result<&'static str> {
    DATASETS
        .iter()
        .find(|(level, _)| number_of(level) == number_of(reads))
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

/// `3K` is 3,000.
fn number_of(level: &str) -> Option<usize> {
    let (digits, factor) = match level.as_bytes().last()? {
        b'K' => (&level[..level.len() - 1], 1_000),
        b'M' => (&level[..level.len() - 1], 1_000_000),
        _ => (level, 1),
    };
    Some(digits.parse::<usize>().ok()? * factor)
}

/// A dataset with at least as many reads as the level says, and how many it says.
pub(super) fn reads_of(level: &str, lab: &Lab) -> Result<(Arc<Reads>, usize)> {
    let count = number_of(level).with_context(|| format!("{level:?} is not a number of reads"))?;
    let (_, name) = DATASETS
        .iter()
        .find(|(size, _)| number_of(size).is_some_and(|size| size >= count))
        .with_context(|| format!("no dataset has {level} reads"))?;
    Ok((lab.reads(name)?, count))
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
pub(super) fn sum_task<'a, T, K>(
    cell: &Cell,
    lab: &'a Lab,
    input: Input,
    kernel: K,
    text: fn(&T) -> String,
) -> Result<Task<'a>>
where
    T: Sum + Send + 'a,
    K: Fn(&[u8]) -> T + Send + Sync + 'a,
{
    let (reads, count) = reads_of(cell.get("reads"), lab)?;
    let by_read = cell.get("layout") == "read";
    let threads = cell.number("threads")?;
    let over = move |part: &[u8], len: usize| -> T {
        if by_read { part.chunks_exact(len).map(&kernel).sum() } else { kernel(part) }
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
                    .sum::<T>()
            })
        });
        Ok(Outcome::new(text(&found), data.len()))
    }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_of_reads() {
        assert_eq!(number_of("100"), Some(100));
        assert_eq!(number_of("30K"), Some(30_000));
        assert_eq!(number_of("1M"), Some(1_000_000));
        assert_eq!(number_of("K"), None);
        assert_eq!(dataset("10K").ok(), Some("medium"));
        assert!(dataset("30K").is_err());
    }

    /// Inputs on which the methods of an entry are compared: every length up to 600, where byte counters wrap,
    /// and every byte.
    pub(in crate::entries) fn inputs() -> Vec<Vec<u8>> {
        let mut inputs: Vec<Vec<u8>> = (0..600)
            .map(|len| (0..len).map(|i| b"ACGTNacgtnRyU-.@"[i * 7 % 16]).collect())
            .collect();
        for len in [255, 256, 4079, 4080, 4096, 65_536] {
            inputs.push(vec![b'A'; len]);
            inputs.push(vec![b'n'; len]);
        }
        inputs.push((0..=255).collect());
        inputs
    }
}
