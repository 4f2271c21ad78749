//! What the stored bytes may be wrapped in. [`crate::container`] recognises and decodes it.

/// The compression around the data. It is detected from content, never from names and extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Not compressed.
    Plain,
    /// Ordinary gzip, one or more members (RFC 1952).
    Gzip,
    /// Blocked gzip: members of at most 64 KiB that state their length (SAM specification, 4.1).
    Bgzf,
    /// Zstandard (RFC 8878).
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
}

impl Container {
    /// The name users know: `plain`, `gzip`, `bgzf`, `zstd`, `bzip2` or `xz`.
    pub fn name(self) -> &'static str {
        match self {
            Container::Plain => "plain",
            Container::Gzip => "gzip",
            Container::Bgzf => "bgzf",
            Container::Zstd => "zstd",
            Container::Bzip2 => "bzip2",
            Container::Xz => "xz",
        }
    }
}
