//! 025: from how many reads on do threads pay, if they exist already, and if they are started for the call?

use rayon::prelude::*;

use super::kernel;
use super::prelude::*;

pub(super) struct ThreadsThreshold;

impl Entry for ThreadsThreshold {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (reads, count) = kernel::reads_of(cell.get("reads"), lab)?;
        let threads = 2;
        let work: fn(&[u8], &[u8], usize) -> u64 = match cell.get("operation") {
            "gc-content" => gc_content,
            "read-summary" => read_summary,
            "scalar-count" => scalar_count,
            other => bail!("no operation is called {other:?}"),
        };
        let pool = lab.pool(threads)?;
        let how = cell.get("threads").to_owned();
        Ok(Box::new(move |calls| {
            let len = reads.len;
            let bases = &reads.bases[..count * len];
            let qualities = &reads.qualities[..count * len];
            let part = count.div_ceil(threads) * len;
            let run = || -> Result<u64> {
                let (bases, qualities) = std::hint::black_box((bases, qualities));
                let parts =
                    || bases.par_chunks(part).zip(qualities.par_chunks(part)).with_max_len(1);
                Ok(match how.as_str() {
                    "one" => work(bases, qualities, len),
                    "pool" => pool.install(|| parts().map(|(b, q)| work(b, q, len)).sum()),
                    "pool-per-call" => rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .context("cannot start threads")?
                        .install(|| parts().map(|(b, q)| work(b, q, len)).sum()),
                    "spawn-per-call" => std::thread::scope(|scope| {
                        let at = part.min(bases.len());
                        let (first, rest) = (&bases[..at], &bases[at..]);
                        let other = scope.spawn(move || work(rest, &qualities[at..], len));
                        let own = work(first, &qualities[..at], len);
                        other.join().map(|other| own + other)
                    })
                    .map_err(|_| anyhow::anyhow!("a thread panicked"))?,
                    other => bail!("no way of threading is called {other:?}"),
                })
            };
            let found = repeat(calls, run)?;
            Ok(Outcome::new(found, bases.len()))
        }))
    }
}

/// The cheapest of the library's kernels that a tool would run on reads.
fn gc_content(bases: &[u8], _: &[u8], len: usize) -> u64 {
    bases.chunks_exact(len).map(biofast_kernels::count_gc).sum()
}

/// What filters and statistics need of a read: GC, valid bases, error probability.
fn read_summary(bases: &[u8], qualities: &[u8], len: usize) -> u64 {
    let reads = bases.chunks_exact(len).zip(qualities.chunks_exact(len));
    reads
        .map(|(b, q)| {
            let counts = biofast_kernels::count_gc_acgt(b);
            counts.gc + counts.acgt + biofast_kernels::sum_error_probability(q)
        })
        .fold(0, u64::wrapping_add)
}

/// A branch for every base: what the earlier measurement put on threads.
fn scalar_count(bases: &[u8], _: &[u8], len: usize) -> u64 {
    let count_of = |read: &[u8]| {
        let mut counts = [0u64; 5];
        for &base in read {
            match base {
                b'A' | b'a' => counts[0] += 1,
                b'C' | b'c' => counts[1] += 1,
                b'G' | b'g' => counts[2] += 1,
                b'T' | b't' => counts[3] += 1,
                _ => counts[4] += 1,
            }
        }
        // Each count with a weight of its own, so that all are needed.
        counts.iter().zip(1..).map(|(count, weight)| count * weight).sum::<u64>()
    };
    bases.chunks_exact(len).map(count_of).sum()
}
