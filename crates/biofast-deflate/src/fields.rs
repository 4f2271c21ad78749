//! The fields of table entries, each loaded by itself: see the tables in `entry`.
#![allow(unsafe_code)]

use crate::entry::{Distance, SymbolEntry};

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

impl SymbolEntry {
    load!(/** [`Symbols::bits`] */ load_bits, 0, u8, u64);
    load!(/** [`Symbols::code_bits`] */ load_code_bits, 1, u8, u64);
    load!(/** [`Symbols::base`], 255 for 258 and for what is special. */ load_base, 2, u8, u64);
    load!(/** [`Symbols::count`]; 128 and more for what is special. */ load_count, 3, u8, u64);
    load!(/** The literals, and whatever is behind them. */ load_literals, 4, u32, u32);
    load!(/** [`Symbols::distance_bits`] */ load_distance_bits, 7, u8, u64);
}

impl Distance {
    load!(/** [`Distance::bits`] */ load_bits, 0, u8, u64);
    load!(/** [`Distance::code_bits`], and the class times 64. */ load_code_bits, 1, u8, u64);
    load!(/** The negative of [`Distance::base`]; not negative for a pointer to a subtable. */ load_base, 2, i16, i64);
}
