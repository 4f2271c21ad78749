//! What an encoder is told of the reads.

/// The qualities of a read.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// How many there are; not 0.
    pub len: usize,
    /// They stand in reverse, as those of an alignment to the reverse strand.
    pub is_reverse: bool,
}
