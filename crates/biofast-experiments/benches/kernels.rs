//! Every kernel on every instruction set the CPU has: on 150-base reads in a buffer that fits the second-level cache,
//! and on 64 MiB, beside a plain sum of the same memory.

use std::hint::black_box;

use biofast_kernels::{
    BaseColumns, Isa, Kernels, QualityColumns, available, count_qualities, kernels_for,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const READ: usize = 150;
const SIZES: [(&str, usize); 2] = [("256KiB", 256 << 10), ("64MiB", 64 << 20)];
/// Reads per call of the columns.
const BATCH: usize = 960;

/// `len` bytes from an alphabet.
fn bytes_of(alphabet: &[u8], len: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        alphabet[(state % alphabet.len() as u64) as usize]
    };
    (0..len).map(|_| next()).collect()
}

fn phreds(phreds: impl IntoIterator<Item = u8>) -> Vec<u8> {
    phreds.into_iter().map(|phred| phred + 33).collect()
}

fn sum_reads(bytes: &[u8], kernel: impl Fn(&[u8]) -> u64) -> u64 {
    let sums = bytes.chunks(READ).map(|read| kernel(black_box(read)));
    sums.fold(0, u64::wrapping_add)
}

fn levels() -> impl Iterator<Item = (Isa, &'static Kernels)> {
    available().into_iter().filter_map(|isa| Some((isa, kernels_for(isa)?)))
}

type Kernel = fn(&Kernels, &[u8]) -> u64;
/// Packed bases and their number, raw qualities, what letters are appended to.
type AppendKernel = fn(&Kernels, &[u8], usize, &[u8], &mut Vec<u8>);

fn slices(c: &mut Criterion) {
    let on_bases: &[(&str, Kernel)] = &[
        ("count_bases", |k, read| (k.count_bases)(read).gc()),
        ("count_gc", |k, read| (k.count_gc)(read)),
        ("count_gc_acgt", |k, read| (k.count_gc_acgt)(read).acgt),
        ("count_n", |k, read| (k.count_n)(read)),
        ("find_invalid_base", |k, read| u64::from((k.find_invalid_base)(read).is_some())),
    ];
    let on_qualities: &[(&str, Kernel)] = &[
        ("summarize_qualities", |k, read| (k.summarize_qualities)(read).sum),
        ("count_at_least", |k, read| (k.count_at_least)(read, 20)),
        ("sum_error_probability", |k, read| (k.sum_error_probability)(read)),
        ("find_invalid_quality", |k, read| u64::from((k.find_invalid_quality)(read).is_some())),
    ];
    for (size, len) in SIZES {
        let bases = bytes_of(b"ACGT", len);
        let qualities = bytes_of(&phreds(2..=41), len);
        for (kernels, bytes) in [(on_bases, &bases), (on_qualities, &qualities)] {
            for (name, kernel) in kernels {
                let mut group = c.benchmark_group(format!("{name}/{size}"));
                group.throughput(Throughput::Bytes(len as u64));
                for (isa, level) in levels() {
                    let run = || sum_reads(black_box(bytes), |read| kernel(level, read));
                    group.bench_function(isa.name(), |b| b.iter(run));
                }
            }
        }
        let mut group = c.benchmark_group(format!("count_qualities/{size}"));
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function("scalar", |b| {
            b.iter(|| {
                let mut histogram = [0; 94];
                count_qualities(black_box(&qualities), &mut histogram);
                histogram
            });
        });
    }
}

fn newlines(c: &mut Criterion) {
    for (size, len) in SIZES {
        let mut lines = bytes_of(b"ACGT", len);
        lines.iter_mut().skip(60).step_by(READ).for_each(|byte| *byte = b'\n');
        lines.iter_mut().step_by(READ).for_each(|byte| *byte = b'\n');
        let mut group = c.benchmark_group(format!("index_newlines/{size}"));
        group.throughput(Throughput::Bytes(len as u64));
        for (isa, kernels) in levels() {
            let mut index = Vec::with_capacity(len / 64);
            group.bench_function(isa.name(), |b| {
                b.iter(|| {
                    index.clear();
                    (kernels.index_newlines)(black_box(&lines), 0, &mut index);
                    index.len()
                });
            });
        }
        group.finish();
        let mut group = c.benchmark_group(format!("count_newlines/{size}"));
        group.throughput(Throughput::Bytes(len as u64));
        for (isa, kernels) in levels() {
            group.bench_function(isa.name(), |b| {
                b.iter(|| (kernels.count_newlines)(black_box(&lines)))
            });
        }
    }
}

fn columns(c: &mut Criterion) {
    let binned = phreds([2, 12, 18, 22, 27, 32, 37, 41]);
    let alphabets = [
        ("bases", b"ACGTN".to_vec()),
        ("4_values", phreds([2, 12, 23, 37])),
        ("8_values", binned),
        ("40_values", phreds(2..=41)),
        ("94_values", phreds(0..=93)),
    ];
    for (size, len) in SIZES {
        for (name, alphabet) in &alphabets {
            let bytes = bytes_of(alphabet, len);
            let reads: Vec<&[u8]> = bytes.chunks(READ).collect();
            let mut group = c.benchmark_group(format!("columns_{name}/{size}"));
            group.throughput(Throughput::Bytes(len as u64));
            for (isa, kernels) in levels() {
                let (mut bases, mut qualities) =
                    (BaseColumns::default(), QualityColumns::default());
                group.bench_function(isa.name(), |b| {
                    b.iter(|| {
                        for reads in reads.chunks(BATCH) {
                            match *name {
                                "bases" => bases.add_with(kernels, reads),
                                _ => qualities.add_with(kernels, reads),
                            }
                        }
                    });
                });
            }
        }
    }
}

/// BAM's packed bases and raw qualities, one call a read: reads of 150 bases, and of 10,000.
fn packed(c: &mut Criterion) {
    let reads = [150, 10_000];
    for len in reads {
        let step = len / 2;
        let number = (256 << 10) / len;
        let bases = bytes_of(&[0x11, 0x12, 0x14, 0x18, 0x22, 0x44, 0x88, 0x8f], number * step);
        let raw = bytes_of(&(2..=41).collect::<Vec<u8>>(), number * len);
        let on_reads: &[(&str, AppendKernel)] = &[
            ("unpack_bases", |k, bases, len, _, out| (k.unpack_bases)(bases, len, out)),
            ("unpack_bases_reverse_complement", |k, bases, len, _, out| {
                (k.unpack_bases_reverse_complement)(bases, len, out);
            }),
            ("count_packed_bases", |k, bases, len, _, _| {
                black_box((k.count_packed_bases)(bases, len));
            }),
            ("count_packed_gc", |k, bases, len, _, _| {
                black_box((k.count_packed_gc)(bases, len));
            }),
            ("copy_qualities", |k, _, _, raw, out| (k.copy_qualities)(raw, out)),
            ("copy_qualities_reversed", |k, _, _, raw, out| (k.copy_qualities_reversed)(raw, out)),
            ("summarize_raw_qualities", |k, _, _, raw, _| {
                black_box((k.summarize_raw_qualities)(raw));
            }),
        ];
        for (name, kernel) in on_reads {
            let mut group = c.benchmark_group(format!("{name}/{len}"));
            group.throughput(Throughput::Elements(number as u64));
            for (isa, level) in levels() {
                let mut out = Vec::new();
                group.bench_function(isa.name(), |b| {
                    b.iter(|| {
                        out.clear();
                        for (bases, raw) in bases.chunks(step).zip(raw.chunks(len)) {
                            kernel(level, black_box(bases), len, black_box(raw), &mut out);
                        }
                        out.len()
                    });
                });
            }
        }
    }
}

fn memory(c: &mut Criterion) {
    for (size, len) in SIZES {
        let words: Vec<u64> = (0..len as u64 / 8).collect();
        let mut group = c.benchmark_group(format!("sum_memory/{size}"));
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function("u64", |b| {
            b.iter(|| black_box(&words).iter().copied().fold(0, u64::wrapping_add))
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(700));
    targets = memory, slices, newlines, columns, packed
}
criterion_main!(benches);
