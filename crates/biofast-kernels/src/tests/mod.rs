//! Every kernel of every instruction set against scalar, and scalar against an obvious definition.

mod packed;
mod records;

use proptest::prelude::*;

use crate::quality::{ERROR_PLANES, ERROR_PROBABILITY};
use crate::*;

/// Random cases a property; fewer where an emulator runs them.
const CASES: u32 = if cfg!(target_arch = "aarch64") { 24 } else { 96 };

/// The lengths at which byte counters of 16, 32 or 64 lanes overflow unless flushed, and more.
const EDGES: [usize; 14] =
    [4079, 4080, 4081, 4096, 4097, 8128, 8159, 8160, 8161, 8193, 16_319, 16_320, 16_321, 65_600];

/// Deterministic bytes from an alphabet.
fn bytes_of(alphabet: &[u8], len: usize, seed: usize) -> Vec<u8> {
    let mut state = (seed as u64).wrapping_mul(2) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        alphabet[(state >> 33) as usize % alphabet.len()]
    };
    (0..len).map(|_| next()).collect()
}

fn any_byte() -> Vec<u8> {
    (0..=255).collect()
}

fn qualities() -> Vec<u8> {
    (33..=126).collect()
}

fn phred(byte: u8) -> u8 {
    byte.clamp(33, 126) - 33
}

fn count(bytes: &[u8], of: &str) -> u64 {
    bytes.iter().filter(|byte| of.as_bytes().contains(byte)).count() as u64
}

/// Scalar against one-liners.
fn check_definitions(bytes: &[u8]) {
    let kernels = kernels_for(Isa::Scalar).unwrap();
    let counts = (kernels.count_bases)(bytes);
    assert_eq!(counts.a, count(bytes, "aA"));
    assert_eq!(counts.c, count(bytes, "cC"));
    assert_eq!(counts.g, count(bytes, "gG"));
    assert_eq!(counts.t, count(bytes, "tT"));
    assert_eq!(counts.n, count(bytes, "nN"));
    assert_eq!(counts.total(), bytes.len() as u64);
    assert_eq!((kernels.count_gc)(bytes), count(bytes, "cgCG"));
    let mut summaries = [ReadSummary::default(); 3];
    (kernels.summarize_reads)(&[b"", bytes], &[bytes, bytes], &mut summaries);
    let counts = (kernels.count_gc_acgt)(bytes);
    let error_sum = (kernels.sum_error_probability)(bytes);
    assert_eq!(summaries[0], ReadSummary { error_sum, ..ReadSummary::default() });
    assert_eq!(summaries[1], ReadSummary { counts, error_sum });
    assert_eq!(summaries[2], ReadSummary::default());
    let gc_acgt = (kernels.count_gc_acgt)(bytes);
    assert_eq!((gc_acgt.gc, gc_acgt.acgt), (count(bytes, "cgCG"), count(bytes, "acgtACGT")));
    assert_eq!((kernels.count_n)(bytes), count(bytes, "nN"));
    assert_eq!((kernels.count_newlines)(bytes), count(bytes, "\n"));

    let phreds: Vec<u8> = bytes.iter().map(|&byte| phred(byte)).collect();
    let above = |least| phreds.iter().filter(|&&q| q >= least).count() as u64;
    let summary = QualitySummary {
        sum: phreds.iter().map(|&q| u64::from(q)).sum(),
        min: phreds.iter().copied().min().unwrap_or(93),
        max: phreds.iter().copied().max().unwrap_or(0),
        q20: above(20),
        q30: above(30),
    };
    assert_eq!((kernels.summarize_qualities)(bytes), summary);
    assert_eq!((kernels.sum_qualities)(bytes), summary.sum);
    let probability = |&q: &u8| (10f64.powf(f64::from(q) / -10.0) * ERROR_SCALE).round() as u64;
    let sum: u64 = phreds.iter().map(probability).sum();
    assert_eq!((kernels.sum_error_probability)(bytes), sum);
    for least in [0, 1, 20, 41, 93, 94, 255] {
        assert_eq!((kernels.count_at_least)(bytes, least), above(least));
    }

    let letters: Vec<u8> =
        (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(*b"-.*").collect();
    let invalid = bytes.iter().position(|byte| !letters.contains(byte));
    assert_eq!((kernels.find_invalid_base)(bytes), invalid);
    let invalid = bytes.iter().position(|&byte| !(33..=126).contains(&byte));
    assert_eq!((kernels.find_invalid_quality)(bytes), invalid);

    let mut newlines = vec![7];
    (kernels.index_newlines)(bytes, 5, &mut newlines);
    let found = bytes.split_inclusive(|&byte| byte == b'\n').scan(5, |end, line| {
        *end += line.len() as u32;
        line.ends_with(b"\n").then_some(*end - 1)
    });
    assert_eq!(newlines, [7].into_iter().chain(found).collect::<Vec<_>>());

    let mut histogram = [1; 94];
    count_qualities(bytes, &mut histogram);
    for (q, &entry) in histogram.iter().enumerate() {
        let expected = phreds.iter().filter(|&&phred| usize::from(phred) == q).count();
        assert_eq!(entry, 1 + expected as u64);
    }
    let mut of_parts = [1; 94];
    count_qualities_of(bytes.chunks(7), &mut of_parts);
    assert_eq!(of_parts, histogram);
}

/// All kernels over slices against scalar.
fn check_slices(kernels: &Kernels, bytes: &[u8]) {
    let scalar = kernels_for(Isa::Scalar).unwrap();
    assert_eq!(disagreement(kernels, scalar, bytes), None, "of {} bytes", bytes.len());
}

/// The columns of `reads`, counted one base at a time.
fn columns_by_definition(reads: &[&[u8]]) -> (BaseColumns, QualityColumns) {
    let (mut bases, mut qualities) = (BaseColumns::default(), QualityColumns::default());
    for read in reads {
        for (position, &byte) in read.iter().enumerate() {
            let counts = kernels_for(Isa::Scalar).unwrap().count_bases;
            bases.add_counts(position, counts(&[byte]));
            qualities.add_count(position, phred(byte), 1);
        }
    }
    (bases, qualities)
}

/// Columns in one call, and in two whose results are merged, against the definition.
fn check_columns(kernels: &Kernels, reads: &[&[u8]]) {
    let (bases, qualities) = columns_by_definition(reads);
    let longest = reads.iter().map(|read| read.len()).max().unwrap_or(0);
    let add = |reads: &[&[u8]]| {
        let mut columns = (BaseColumns::default(), QualityColumns::default());
        columns.0.add_with(kernels, reads);
        columns.1.add_with(kernels, reads);
        columns
    };
    let whole = add(reads);
    assert_eq!((whole.0.len(), whole.1.len()), (longest, longest));
    assert!(whole == (bases.clone(), qualities.clone()), "{}", kernels.isa);

    let (left, right) = reads.split_at(reads.len() / 3);
    let (mut first, second) = (add(left), add(right));
    first.0.merge(&second.0);
    first.1.merge(&second.1);
    assert!(first == (bases, qualities), "{} merged", kernels.isa);
}

fn slices(reads: &[Vec<u8>]) -> Vec<&[u8]> {
    reads.iter().map(Vec::as_slice).collect()
}

/// Reads of the lengths, with bytes from the alphabet.
fn reads_of(alphabet: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
    let lengths = lengths.into_iter().enumerate();
    lengths.map(|(seed, len)| bytes_of(alphabet, len, seed)).collect()
}

macro_rules! test_isa {
    ($module:ident, $isa:expr) => {
        mod $module {
            use super::*;

            /// `None`, with a message, where the CPU doesn't have it.
            fn kernels() -> Option<&'static Kernels> {
                let kernels = kernels_for($isa);
                if kernels.is_none() {
                    eprintln!("skipped: this CPU doesn't have {}", $isa);
                }
                kernels
            }

            #[test]
            fn every_length_and_alphabet() {
                let Some(kernels) = kernels() else { return };
                for alphabet in [any_byte(), qualities(), b"ACGTNacgtnU-.*".to_vec()] {
                    for len in 0..=200 {
                        check_slices(kernels, &bytes_of(&alphabet, len, len));
                    }
                }
            }

            #[test]
            fn one_invalid_byte_anywhere() {
                let Some(kernels) = kernels() else { return };
                for len in (1..=200).step_by(7).chain([600, 1100]) {
                    let mut bytes = vec![b'A'; len];
                    for position in 0..len {
                        for byte in [0, b' ', b'@', b'[', b'`', b'{', 127, 128, 0xc1, 255] {
                            bytes[position] = byte;
                            let find = kernels.find_invalid_base;
                            assert_eq!(find(&bytes), Some(position), "{byte}");
                            let valid = (33..=126).contains(&byte);
                            let find = kernels.find_invalid_quality;
                            assert_eq!(find(&bytes), (!valid).then_some(position), "{byte}");
                        }
                        bytes[position] = b'A';
                    }
                }
            }

            #[test]
            fn every_byte_at_every_alignment() {
                let Some(kernels) = kernels() else { return };
                let bytes = any_byte();
                for start in 0..64 {
                    check_slices(kernels, &bytes[start..]);
                    check_slices(kernels, &bytes[start..start + 150]);
                }
            }

            #[test]
            fn flush_edges() {
                let Some(kernels) = kernels() else { return };
                for len in EDGES {
                    check_slices(kernels, &vec![b'A'; len]);
                    check_slices(kernels, &vec![b'\n'; len]);
                    check_slices(kernels, &vec![b'~'; len]);
                    check_slices(kernels, &bytes_of(&qualities(), len, len));
                    check_slices(kernels, &bytes_of(b"ACGTNacgtn", len, len));
                }
                check_slices(kernels, &[b'I'; 14_400]);
                check_slices(kernels, &[0; 70_000]);
            }

            /// What whole groups of vectors are counted by takes letters or qualities for granted until the end.
            #[test]
            fn one_odd_byte_among_many() {
                let Some(kernels) = kernels() else { return };
                let scalar = kernels_for(Isa::Scalar).unwrap();
                let mut bases = bytes_of(b"ACGTNacgt", 2500, 1);
                let mut qualities = bytes_of(&qualities(), 2500, 2);
                for position in [0, 1003, 2499] {
                    let before = (bases[position], qualities[position]);
                    for byte in 0..=255 {
                        bases[position] = byte;
                        qualities[position] = byte;
                        let same = (kernels.count_bases)(&bases) == (scalar.count_bases)(&bases);
                        assert!(same, "{byte} at {position}");
                        let reference = (scalar.count_gc_acgt)(&bases);
                        assert_eq!((kernels.count_gc_acgt)(&bases), reference, "{byte}");
                        for (ours, reference) in [
                            (kernels.summarize_qualities, scalar.summarize_qualities),
                            (kernels.summarize_raw_qualities, scalar.summarize_raw_qualities),
                        ] {
                            assert_eq!(ours(&qualities), reference(&qualities), "{byte}");
                        }
                        let sum = (scalar.sum_qualities)(&qualities);
                        assert_eq!((kernels.sum_qualities)(&qualities), sum, "{byte}");
                    }
                    (bases[position], qualities[position]) = before;
                }
            }

            #[test]
            fn lines_of_common_lengths() {
                let Some(kernels) = kernels() else { return };
                for line in [1, 2, 5, 16, 17, 60, 64, 150] {
                    let bytes = bytes_of(b"ACGT", line - 1, 1);
                    check_slices(kernels, &[&bytes[..], b"\n"].concat().repeat(9000 / line));
                }
            }

            #[test]
            fn columns_of_every_length() {
                let Some(kernels) = kernels() else { return };
                for len in 0..=200 {
                    let reads = reads_of(&qualities(), [len; 5]);
                    check_columns(kernels, &slices(&reads));
                }
                check_columns(kernels, &[]);
            }

            #[test]
            fn columns_of_ragged_reads() {
                let Some(kernels) = kernels() else { return };
                for alphabet in [&any_byte()[..], &qualities(), b"#,:F", b"acgtnACGTN", b"!"] {
                    let reads = reads_of(alphabet, (0..700).map(|i| i * 37 % 330));
                    check_columns(kernels, &slices(&reads));
                    // All end in the first half of a stripe.
                    let reads = reads_of(alphabet, (0..500).map(|i| 64 + i * 7 % 33));
                    check_columns(kernels, &slices(&reads));
                    check_columns(kernels, &slices(&reads[..255]));
                    check_columns(kernels, &slices(&reads[..241]));
                }
            }

            #[test]
            fn columns_of_nuls_and_bytes_above_127() {
                let Some(kernels) = kernels() else { return };
                let reads = reads_of(b"\0AI\xff\x80\x1f\x7f", [150; 300]);
                check_columns(kernels, &slices(&reads));
                check_columns(kernels, &[&[0; 100], &[0; 100]]);
            }

            #[test]
            fn columns_of_more_reads_than_counters_hold() {
                let Some(kernels) = kernels() else { return };
                let reads = vec![&b"I~"[..]; 66_000];
                let mut bases = BaseColumns::default();
                let mut qualities = QualityColumns::default();
                bases.add_with(kernels, &reads);
                qualities.add_with(kernels, &reads);
                for position in 0..2 {
                    let counts = bases.get(position);
                    assert_eq!((counts.other, counts.total()), (66_000, 66_000));
                }
                assert_eq!((qualities.count(0, 40), qualities.count(1, 93)), (66_000, 66_000));
                assert_eq!(qualities.histogram().iter().sum::<u64>(), 132_000);
                // Once more, across the edge of 65,535 within the sums of the first call.
                qualities.add_with(kernels, &reads);
                assert_eq!((qualities.count(0, 40), qualities.count(1, 40)), (132_000, 0));
            }

            #[test]
            fn columns_of_values_unseen_before() {
                let Some(kernels) = kernels() else { return };
                let mut reads = vec![bytes_of(b"#,:F", 150, 3); 2000];
                for (i, byte) in qualities().into_iter().enumerate() {
                    reads[1000 + 7 * i][(31 * i) % 150] = byte;
                }
                check_columns(kernels, &slices(&reads));
            }

            #[test]
            fn packed_and_raw_of_every_length() {
                let Some(kernels) = kernels() else { return };
                packed::check_every_length(kernels);
            }

            #[test]
            fn packed_and_raw_at_every_alignment() {
                let Some(kernels) = kernels() else { return };
                packed::check_every_alignment(kernels);
            }

            #[test]
            fn packed_and_raw_flush_edges() {
                let Some(kernels) = kernels() else { return };
                packed::check_flush_edges(kernels);
            }

            #[test]
            fn packed_bases_in_too_few_bytes_panic() {
                let Some(kernels) = kernels() else { return };
                packed::check_too_few_bytes(kernels);
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(CASES))]

                #[test]
                fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
                    if let Some(kernels) = kernels() {
                        check_definitions(&bytes);
                        check_slices(kernels, &bytes);
                        packed::check_qualities_by_definition(&bytes);
                        packed::check_bytes(kernels, &bytes);
                    }
                }

                #[test]
                fn any_reads(reads in proptest::collection::vec(
                    proptest::collection::vec(any::<u8>(), 0..150), 0..40)
                ) {
                    if let Some(kernels) = kernels() {
                        check_columns(kernels, &slices(&reads));
                    }
                }
            }
        }
    };
}

test_isa!(scalar_level, Isa::Scalar);
#[cfg(target_arch = "x86_64")]
test_isa!(avx2_level, Isa::Avx2);
#[cfg(target_arch = "x86_64")]
test_isa!(avx512_level, Isa::Avx512);
#[cfg(target_arch = "aarch64")]
test_isa!(neon_level, Isa::Neon);

#[test]
fn definitions_hold() {
    check_definitions(b"");
    check_definitions(&any_byte());
    check_definitions(&bytes_of(&any_byte(), 5000, 1));
    check_definitions(&[b'A'; 4096]);
}

#[test]
fn error_probabilities_are_rounded_powers() {
    for (q, &probability) in ERROR_PROBABILITY.iter().enumerate() {
        let exact = 10f64.powf(q as f64 / -10.0) * ERROR_SCALE;
        assert!((f64::from(probability) - exact).abs() <= 0.5 + 1e-6, "Q{q}");
        let planes = ERROR_PLANES.each_ref().map(|plane| plane[q + 33]);
        assert_eq!(u32::from_le_bytes(planes), probability);
    }
    assert_eq!(ERROR_PROBABILITY[0], u32::MAX);
}

#[test]
fn means_of_error_probabilities() {
    assert_eq!(mean_error_probability(b""), None);
    assert_eq!(mean_phred(b""), None);
    assert_eq!(mean_error_probability(b"!!!"), Some(1.0));
    assert_eq!(mean_phred(b"!"), Some(0.0));
    let mean = mean_phred(b"+I").unwrap();
    assert!((mean + 10.0 * ((0.1 + 0.0001) / 2.0f64).log10()).abs() < 1e-6);
}

#[test]
fn summaries_merge() {
    let (left, right) = (b"#5I".as_slice(), b"?J".as_slice());
    let mut summary = summarize_qualities(left);
    summary.merge(&summarize_qualities(right));
    summary.merge(&summarize_qualities(b""));
    assert_eq!(summary, summarize_qualities(&[left, right].concat()));
    assert_eq!(summarize_qualities(b""), QualitySummary::default());
}

#[test]
fn columns_rebuilt_from_counts_are_equal() {
    let reads = reads_of(&qualities(), [150, 0, 70, 64]);
    let (mut bases, mut qualities) = (BaseColumns::default(), QualityColumns::default());
    assert!(bases.is_empty() && qualities.is_empty());
    bases.add(&slices(&reads));
    qualities.add(&slices(&reads));
    let (mut bases_again, mut again) = (BaseColumns::default(), QualityColumns::default());
    for position in 0..150 {
        bases_again.add_counts(position, bases.get(position));
        for (phred, count) in (0..94).zip(qualities.get(position)) {
            again.add_count(position, phred, count);
        }
    }
    assert!(bases == bases_again && qualities == again);
    assert_eq!(bases.get(150), BaseCounts::default());
    assert_eq!((qualities.count(150, 0), qualities.count(0, 94)), (0, 0));
    // Adding reads to rebuilt columns learns their values.
    qualities.add(&slices(&reads));
    again.add(&slices(&reads));
    assert!(qualities == again);
}

#[test]
#[should_panic(expected = "don't fit 32 bits")]
fn offsets_beyond_32_bits_panic() {
    index_newlines(b"\n\n", u32::MAX - 1, &mut Vec::new());
}
