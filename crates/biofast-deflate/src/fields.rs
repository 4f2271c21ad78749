//! The fields of table entries, each loaded by itself: see the tables in `entry`.
#![allow(unsafe_code)]

use crate::entry::{Distance, Symbols};

/// Loads the field of type `$type` at byte `$at`.
macro_rules! load {
    ($(#[$doc:meta])* $name:ident, $at:expr, $type:ty, $as:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `entry` points to an entry.
        #[inline(always)]
        pub(crate) unsafe fn $name(entry: *const Self) -> $as {
            // SAFETY: the field lies in the entry and is aligned in it.
            <$as>::from(<$type>::from_le(unsafe { entry.cast::<u8>().add($at).cast::<$type>().read() }))
        }
    };
}

impl Symbols {
    load!(/** [`Symbols::bits`] */ load_bits, 0, u8, u64);
    load!(/** [`Symbols::code_bits`], and the number of literals times 64. */ load_code_bits, 1, u8, u64);
    load!(/** [`Symbols::base`] */ load_base, 2, u16, u64);
    load!(/** The literals, and whatever is behind them. */ load_literals, 4, u32, u32);
    load!(/** [`Symbols::distance_bits`], plus 128 for special entries. */ load_distance_bits, 7, u8, u64);
}

impl Distance {
    load!(/** [`Distance::bits`] */ load_bits, 0, u8, u64);
    load!(/** [`Distance::code_bits`] */ load_code_bits, 1, u8, u64);
    load!(/** [`Distance::base`], negative for a pointer to a subtable. */ load_base, 2, i16, i64);
}
