//! Whether two instruction sets give the same results: for the tests of this crate and for `biofast self-test`.

use crate::{Kernels, MinimizerBuffers, MinimizerScheme, ReadSummary};

/// Phred values around those that comparisons treat differently.
const PHREDS: [u8; 7] = [0, 1, 20, 30, 93, 94, 255];

/// Compares the results of every kernel that is listed. A kernel that isn't is a compile error.
macro_rules! compare {
    ($a:ident, $b:ident; $($name:ident: |$kernel:ident| $run:expr;)* [$($other:ident),*]) => {
        let Kernels { isa: _, $($name: _,)* $($other: _,)* } = $a;
        $(
            let [ours, theirs] = [$a, $b].map(|kernels| {
                let $kernel = kernels.$name;
                $run
            });
            if ours != theirs {
                return Some(stringify!($name));
            }
        )*
    };
}

/// The name of a kernel whose results differ between `a` and `b` for these bytes, as bases, qualities, lines or packed bases.
#[doc(hidden)]
pub fn disagreement(a: &Kernels, b: &Kernels, bytes: &[u8]) -> Option<&'static str> {
    let number = 2 * bytes.len();
    // The last line feed, if there is one, has the greatest offset.
    let base = u32::MAX - bytes.len() as u32;
    compare! { a, b;
        count_bases: |kernel| kernel(bytes);
        count_gc: |kernel| kernel(bytes);
        count_gc_acgt: |kernel| kernel(bytes);
        count_n: |kernel| kernel(bytes);
        find_invalid_base: |kernel| kernel(bytes);
        sum_qualities: |kernel| kernel(bytes);
        summarize_qualities: |kernel| kernel(bytes);
        count_at_least: |kernel| PHREDS.map(|phred| kernel(bytes, phred));
        sum_error_probability: |kernel| kernel(bytes);
        find_invalid_quality: |kernel| kernel(bytes);
        mask_below: |kernel| {
            let qualities: Vec<u8> = bytes.iter().rev().skip(1).copied().collect();
            PHREDS.map(|phred| {
                let mut bases = bytes.to_vec();
                (kernel(&mut bases, &qualities, phred), bases)
            })
        };
        summarize_reads: |kernel| {
            let mut summaries = [ReadSummary::default(); 2];
            kernel(&[b"", bytes], &[bytes, bytes], &mut summaries);
            summaries
        };
        find_minimizers: |kernel| {
            // Bases by their lowest bits, so that there are windows without other letters.
            let bases: Vec<u8> = bytes.iter().map(|byte| b"ACGTacgtACGTACGTACGTACGTACGTACGN"[usize::from(byte % 32)]).collect();
            [(31, 15), (5, 7), (3, 1)].map(|(k, w)| {
                let mut out = MinimizerBuffers::default();
                if let Some(scheme) = MinimizerScheme::new(k, w) {
                    kernel(&bases, &scheme, &mut out);
                }
                (out.positions().to_vec(), out.kmers().to_vec())
            })
        };
        count_newlines: |kernel| kernel(bytes);
        find_newline: |kernel| kernel(bytes);
        index_newlines: |kernel| appended(&[1, 2], |out| kernel(bytes, base, out));
        unpack_bases: |kernel| appended(b">", |out| kernel(bytes, number, out));
        unpack_bases_reverse_complement: |kernel| appended(b">", |out| kernel(bytes, number, out));
        count_packed_bases: |kernel| kernel(bytes, number);
        count_packed_gc: |kernel| kernel(bytes, number);
        copy_qualities: |kernel| appended(b">", |out| kernel(bytes, out));
        copy_qualities_reversed: |kernel| appended(b">", |out| kernel(bytes, out));
        summarize_raw_qualities: |kernel| kernel(bytes);
        // Whole records and columns of reads have tests of their own.
        [count_plain_records, index_plain_records, count_base_columns, count_quality_columns, add_columns]
    }
    None
}

/// What `append` leaves of a vector that has `before`.
fn appended<T: Clone>(before: &[T], append: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut out = before.to_vec();
    append(&mut out);
    out
}
