//! How hard the encoder tries.

/// How much time an encoder takes for size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Faster than libdeflate's level 1, and smaller on most reads.
    #[default]
    Fast,
    /// As small as libdeflate's level 6 on most reads, and faster than that: looks at more places.
    Balanced,
}
