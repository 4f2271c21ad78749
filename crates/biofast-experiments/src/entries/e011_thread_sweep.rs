//! 011: ten operations of the library on one thread and several.

use biofast_kernels as kernels;
use rayon::prelude::*;

use super::prelude::*;
use super::{kernel, reverse_simd};

pub(super) struct ThreadSweep;

/// Bases, qualities and length of reads to a list of counts, which add up over parts.
type Operation = fn(&[u8], &[u8], usize) -> Vec<u64>;

impl Entry for ThreadSweep {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::threads_exist(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (reads, count) = kernel::reads_of(cell.get("reads"), lab)?;
        let threads = cell.number("threads")?;
        let operation = operation(cell.get("operation"))?;
        let pool = lab.pool(threads)?;
        Ok(Box::new(move |calls| {
            let len = reads.len;
            let bases = &reads.bases[..count * len];
            let qualities = &reads.qualities[..count * len];
            let part = count.div_ceil(threads) * len;
            let found = repeat(calls, || {
                let (bases, qualities) = std::hint::black_box((bases, qualities));
                if threads == 1 {
                    return operation(bases, qualities, len);
                }
                pool.install(|| {
                    bases
                        .par_chunks(part)
                        .zip(qualities.par_chunks(part))
                        .with_max_len(1)
                        .map(|(bases, qualities)| operation(bases, qualities, len))
                        .reduce(Vec::new, add)
                })
            });
            let words: Vec<u8> = found.iter().flat_map(|n| n.to_le_bytes()).collect();
            Ok(Outcome::hashed(words, bases.len()))
        }))
    }
}

fn add(mut a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    if a.is_empty() {
        return b;
    }
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.wrapping_add(b);
    }
    a
}

fn operation(name: &str) -> Result<Operation> {
    Ok(match name {
        "count-bases" => |bases, _, len| {
            let c: kernels::BaseCounts = bases
                .chunks_exact(len)
                .map(kernels::count_bases)
                .fold(kernels::BaseCounts::default(), |sum, c| sum + c);
            vec![c.a, c.c, c.g, c.t, c.n, c.other]
        },
        "gc-content" => |bases, _, len| {
            let mut sum = vec![0; 2];
            for c in bases.chunks_exact(len).map(kernels::count_gc_acgt) {
                sum[0] += c.gc;
                sum[1] += c.acgt;
            }
            sum
        },
        "n-content" => |bases, _, len| vec![bases.chunks_exact(len).map(kernels::count_n).sum()],
        "quality-summary" => |_, qualities, len| {
            let mut sum = vec![0; 3];
            for s in qualities.chunks_exact(len).map(kernels::summarize_qualities) {
                sum[0] += s.sum;
                sum[1] += s.q20;
                sum[2] += s.q30;
            }
            sum
        },
        "error-probability" => |_, qualities, len| {
            vec![qualities.chunks_exact(len).map(kernels::sum_error_probability).sum()]
        },
        "at-least-q30" => |_, qualities, len| {
            vec![qualities.chunks_exact(len).map(|q| kernels::count_at_least(q, 30)).sum()]
        },
        "validate-bases" => |bases, _, len| {
            let valid = |read: &&[u8]| kernels::find_invalid_base(read).is_none();
            vec![bases.chunks_exact(len).filter(valid).count() as u64]
        },
        "validate-qualities" => |_, qualities, len| {
            let valid = |read: &&[u8]| kernels::find_invalid_quality(read).is_none();
            vec![qualities.chunks_exact(len).filter(valid).count() as u64]
        },
        "quality-columns" => |_, qualities, len| {
            let mut columns = kernels::QualityColumns::default();
            let reads: Vec<&[u8]> = qualities.chunks_exact(len).collect();
            columns.add(&reads);
            (0..len).flat_map(|i| columns.get(i)).collect()
        },
        "reverse-complement" => |bases, _, len| {
            let reverse_complement = reverse_simd::fastest();
            let mut out = vec![0; len];
            let mut sum = 0u64;
            for read in bases.chunks_exact(len) {
                reverse_complement(read, &mut out);
                // A word of each result, so that none can be left out.
                let word = out.first_chunk::<8>().map_or(0, |w| u64::from_le_bytes(*w));
                sum = sum.wrapping_add(word);
            }
            vec![sum]
        },
        other => bail!("no operation is called {other:?}"),
    })
}
