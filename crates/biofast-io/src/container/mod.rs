//! What the bytes are wrapped in: recognised by their first bytes, decoded, and written.
//!
//! [`bgzf`] has the blocks that are decoded in parallel, [`gzip`] ordinary gzip, [`foreign`] the formats that their
//! libraries decode.

pub mod bgzf;
pub mod codec;
pub(crate) mod foreign;
pub(crate) mod gzi;
pub(crate) mod gzip;
mod inflate;
mod jump;
mod level;
mod libdeflate;
mod part;
pub mod splice;
pub(crate) mod trial;

pub use gzip::{GzipMembers, GzipPart};
pub use jump::Jumper;
pub use level::{Level, UnknownLevel};
pub use part::Span;

pub(crate) use crate::input::Container;

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
