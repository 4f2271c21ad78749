//! What the bytes are wrapped in, recognised by their first bytes.

use crate::bgzf;

/// The compression around the data. Names and extensions never decide, content does.
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
    /// Recognises a container by the first bytes of the input.
    pub fn sniff(start: &[u8]) -> Container {
        match start {
            [0x1f, 0x8b, ..] => {
                if bgzf::is_block_start(start) {
                    Container::Bgzf
                } else {
                    Container::Gzip
                }
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Container::Zstd,
            // A skippable frame may stand first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Container::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
                Container::Bzip2
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Container::Xz,
            _ => Container::Plain,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        assert_eq!(Container::sniff(b""), Container::Plain);
        assert_eq!(Container::sniff(b"@r1\nACGT"), Container::Plain);
        assert_eq!(Container::sniff(b"BZh9 is a read name"), Container::Plain);
        assert_eq!(Container::sniff(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), Container::Gzip);
        assert_eq!(Container::sniff(&bgzf::EOF_BLOCK), Container::Bgzf);
    }
}
