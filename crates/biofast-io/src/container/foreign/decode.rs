//! What a decoder of a stream does.

/// A decoder, or none in a build without it.
pub(super) type Opened = Option<Box<dyn Decode>>;

/// A decoder of one format.
pub(super) trait Decode: Send {
    /// How much of the input the next step takes, which begins at `position`.
    fn appetite(&self, position: u64) -> Appetite;

    /// Decodes some of `input`, which is empty only at the input's end.
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> DecodeStep;
}

/// Bytes a step takes: so many at the most, and not fewer unless the input ends.
pub(super) struct Appetite {
    pub(super) most: usize,
    pub(super) least: usize,
}

/// What one call did: bytes taken, bytes given, and what comes behind these.
pub(super) struct DecodeStep {
    pub(super) used: usize,
    pub(super) made: usize,
    pub(super) then: Then,
}

#[cfg_attr(not(any(feature = "bzip2", feature = "xz", feature = "zstd")), expect(dead_code))]
pub(super) enum Then {
    More,
    End,
    /// The input has ended too early.
    Cut,
    Fault(String),
    /// More than so many MiB of memory are needed.
    Limit(u64),
}

/// A decoder takes nothing and gives nothing though there is room.
#[cfg(any(feature = "bzip2", feature = "xz"))]
pub(super) fn stuck(input: &[u8]) -> Then {
    if input.is_empty() {
        Then::Cut
    } else {
        Then::Fault("the decoder makes no progress".to_owned())
    }
}
