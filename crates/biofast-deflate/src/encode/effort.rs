//! How hard the encoder tries.

/// How much time an encoder takes for size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Faster than libdeflate's level 1, and smaller on most reads.
    #[default]
    Fast,
    /// Looks for earlier stretches everywhere in the qualities.
    Small,
}
