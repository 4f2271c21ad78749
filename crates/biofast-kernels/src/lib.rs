//! SIMD kernels over sequences and qualities: base counts, GC, Phred sums, validity, newlines, per-position columns.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Every function takes any bytes, needs no alignment and is safe. The instruction set is chosen at run time, once:
//! AVX-512 or AVX2 on x86-64, NEON on AArch64, portable code elsewhere, all with the same results bit for bit.
//! `BIOFAST_SIMD` overrides the choice; see [`check_override`].
//!
//! Qualities are ASCII Phred+33. Bytes outside 33..=126 aren't valid qualities: the quality kernels clamp them to
//! that range, and [`find_invalid_quality`] finds them. BAM's packed bases and its qualities without an offset, which
//! are called raw here, have kernels of their own ([`count_packed_bases`], [`summarize_raw_qualities`]) and are converted
//! by [`unpack_bases`] and [`copy_qualities`].
//!
//! ```
//! use biofast_kernels::{count_bases, mean_phred};
//!
//! assert_eq!(count_bases(b"ACGTN").gc(), 2);
//! assert!((mean_phred(b"5555").unwrap() - 20.0).abs() < 1e-6);
//! ```

mod agree;
mod bases;
mod columns;
pub mod decimal;
mod dispatch;
mod minimizers;
mod newlines;
mod packed;
#[cfg(target_arch = "x86_64")]
mod places;
mod quality;
mod records;
mod table;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;
mod wheel;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use agree::disagreement;
pub use bases::*;
pub use columns::{BaseColumns, COLUMN_BLOCK, QualityColumns};
#[doc(hidden)]
pub use dispatch::kernels_for;
pub use dispatch::{Isa, OverrideError, active, available, check_override};
pub use minimizers::*;
pub use newlines::*;
pub use packed::*;
pub use quality::*;
pub use records::*;
#[doc(hidden)]
pub use table::Kernels;
pub use wheel::Wheel;
