//! The kernels of each instruction set against plain code.

use biofast_kernels::{Isa, Kernels, available, disagreement, kernels_for};

use super::TestLine;

/// Lengths around the width of vectors, of unrolled loops, and of the counters that are flushed.
const LENGTHS: &[usize] =
    &[0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 150, 255, 256, 4079, 4096, 65_537];

pub(super) fn test() -> Vec<TestLine> {
    let Some(plain) = kernels_for(Isa::Scalar) else { return Vec::new() };
    available()
        .into_iter()
        .filter(|&isa| isa != Isa::Scalar)
        .filter_map(kernels_for)
        .map(|kernels| {
            let result = match compare(kernels, plain) {
                Ok(inputs) => Ok(format!("as plain code on {inputs} inputs")),
                Err(said) => Err(said),
            };
            TestLine { what: format!("kernels of {}", kernels.isa), result }
        })
        .collect()
}

/// How many inputs were tried, or which kernel gives another result.
fn compare(kernels: &Kernels, plain: &Kernels) -> Result<usize, String> {
    let mut inputs = 0;
    for (alphabet, seed) in
        [(&b"ACGTNacgtn"[..], 1), (b"!#+5?FIJ~", 2), (b"ACGT\n@+I", 3), (&[0, 33, 65, 128, 255], 4)]
    {
        for &len in LENGTHS {
            for shift in [0, 1, 5] {
                let bytes = bytes(alphabet, seed, len + shift);
                if let Some(name) = disagreement(kernels, plain, &bytes[shift..]) {
                    return Err(format!("{name} of {len} bytes"));
                }
                inputs += 1;
            }
        }
    }
    Ok(inputs)
}

/// Letters of an alphabet in an order that is the same in every run.
fn bytes(alphabet: &[u8], seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    (0..len).map(|_| alphabet[next() % alphabet.len()]).collect()
}
