//! The list of all kernels, and what is made of it: the type [`Kernels`], its values for each instruction set, and the
//! functions that are compiled for it.

use crate::columns::{ClassTable, Counts};
use crate::{
    BaseCounts, GcCounts, Isa, MinimizerBuffers, MinimizerScheme, QualitySummary, ReadSummary,
};

/// Hands the list of kernels to a macro, behind what is given to it.
///
/// A line has the kernel's topic, its name, and its arguments and result. The topic's module has a module `reference` with the
/// kernel's definition, and a module `vector` with a function over [`Simd`](crate::vector::Simd), which is compiled for each
/// instruction set.
macro_rules! with_kernels {
    ($then:ident $($given:tt)*) => { $then! {
        [$($given)*]
        pub bases::count_bases(bytes: &[u8]) -> BaseCounts;
        pub bases::count_gc(bytes: &[u8]) -> u64;
        pub bases::count_gc_acgt(bytes: &[u8]) -> GcCounts;
        pub bases::count_n(bytes: &[u8]) -> u64;
        pub bases::find_invalid_base(bytes: &[u8]) -> Option<usize>;
        pub quality::sum_qualities(bytes: &[u8]) -> u64;
        pub quality::summarize_qualities(bytes: &[u8]) -> QualitySummary;
        pub quality::count_at_least(bytes: &[u8], phred: u8) -> u64;
        pub quality::sum_error_probability(bytes: &[u8]) -> u64;
        pub quality::find_invalid_quality(bytes: &[u8]) -> Option<usize>;
        pub quality::mask_below(bases: &mut [u8], qualities: &[u8], phred: u8) -> u64;
        pub records::count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize;
        pub records::index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize;
        pub records::summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]);
        pub minimizers::find_minimizers(
            bases: &[u8], scheme: &MinimizerScheme, out: &mut MinimizerBuffers
        );
        pub newlines::count_newlines(bytes: &[u8]) -> u64;
        pub newlines::find_newline(bytes: &[u8]) -> Option<usize>;
        pub newlines::index_newlines(bytes: &[u8], base: u32, out: &mut Vec<u32>);
        pub packed::unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>);
        pub packed::unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>);
        pub packed::count_packed_bases(packed: &[u8], len: usize) -> BaseCounts;
        pub packed::count_packed_gc(packed: &[u8], len: usize) -> GcCounts;
        pub packed::copy_qualities(raw: &[u8], out: &mut Vec<u8>);
        pub packed::copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>);
        pub packed::summarize_raw_qualities(raw: &[u8]) -> QualitySummary;
        pub(crate) columns::count_base_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64;
        pub(crate) columns::count_quality_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64;
        pub(crate) columns::add_columns(counts: &[Counts], values: &[u8], sums: &mut [[u16; 64]]);
    } };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use with_kernels;

macro_rules! define {
    ([] $($visible:vis $topic:ident::$name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// The kernels of one instruction set.
        #[doc(hidden)]
        pub struct Kernels {
            pub isa: Isa,
            $($visible $name: fn($($type),*) $(-> $result)?,)*
        }

        /// Every kernel as its definition: the instruction sets must agree with it bit for bit.
        pub(crate) static REFERENCE: Kernels = Kernels {
            isa: Isa::Scalar,
            $($name: crate::$topic::reference::$name,)*
        };
    };
}
with_kernels!(define);

/// Makes `KERNELS` of an instruction set: its name, its [`Simd`](crate::vector::Simd), and its target features, which the CPU
/// must have before `KERNELS` is handed out.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! compile {
    (
        [$isa:expr, $simd:ty, $features:literal]
        $($visible:vis $topic:ident::$name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*
    ) => {
        pub(super) static KERNELS: crate::Kernels = crate::Kernels {
            isa: $isa,
            $($name: entry::$name,)*
        };

        /// The kernels, compiled for the instruction set.
        mod compiled {
            use super::*;
            $(
                #[target_feature(enable = $features)]
                pub(super) fn $name($($argument: $type),*) $(-> $result)? {
                    crate::$topic::vector::$name::<$simd>($($argument),*)
                }
            )*
        }

        /// The safe functions that [`Kernels`](crate::Kernels) points to.
        mod entry {
            use super::*;
            $(
                pub(super) fn $name($($argument: $type),*) $(-> $result)? {
                    // SAFETY: the pointer to this function is in a `Kernels` that leaves its folder only when the CPU has
                    // the target features.
                    unsafe { compiled::$name($($argument),*) }
                }
            )*
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use compile;
