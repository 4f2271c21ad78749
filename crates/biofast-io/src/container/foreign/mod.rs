//! zstd, bzip2 and xz as streams, decoded by their libraries. What a library has decoded before a fault is
//! delivered, and is the same whatever the sizes of chunks and reads; the readers that come with the libraries drop
//! what was decoded in the call that met the fault.
//!
//! This is the only place that asks which of them a build can read.

#[cfg(not(all(feature = "bzip2", feature = "xz", feature = "zstd")))]
mod absent;
#[cfg(feature = "bzip2")]
mod bzip2;
mod decode;
#[cfg(feature = "xz")]
mod xz;
#[cfg(feature = "zstd")]
mod zstd;
#[cfg(not(feature = "bzip2"))]
use absent as bzip2;
#[cfg(not(feature = "xz"))]
use absent as xz;
#[cfg(not(feature = "zstd"))]
use absent as zstd;

use crate::error::{Error, ErrorKind, Location};
use crate::input::{Container, StoredBytes};
use decode::{Appetite, Decode, Then};

/// Decodes an [`StoredBytes`] to its end: any number of frames or streams, one behind the other.
pub(crate) struct ForeignDecoder {
    codec: Box<dyn Decode>,
    name: &'static str,
    ended: bool,
}

impl ForeignDecoder {
    /// # Errors
    /// If this build has no decoder of the container, or its library can't be set up.
    pub(crate) fn new(container: Container, input: &StoredBytes) -> Result<ForeignDecoder, Error> {
        let name = container.name();
        let opened = match container {
            Container::Zstd => zstd::open(),
            Container::Bzip2 => bzip2::open(),
            _ => xz::open(),
        };
        let codec = opened.map_err(|e| Error::io(e, &input.name))?.ok_or_else(|| {
            // The features have the names of the formats.
            let kind = ErrorKind::NotInBuild { format: name, feature: name };
            Error::new(kind, Location::in_input(&input.name))
        })?;
        Ok(ForeignDecoder { codec, name, ended: false })
    }

    /// Fills `out`; less than all of it only at the end of the input, or before the fault returned beside it.
    pub(crate) fn read_full(
        &mut self,
        input: &mut StoredBytes,
        out: &mut [u8],
    ) -> (usize, Option<Error>) {
        let mut n = 0;
        while n < out.len() && !self.ended {
            let Appetite { most, least } = self.codec.appetite(input.position());
            let bytes = input.look(least);
            let bytes = &bytes[..most.min(bytes.len())];
            let step = self.codec.step(bytes, &mut out[n..]);
            n += step.made;
            input.consume(step.used);
            let kind = match step.then {
                Then::More => continue,
                Then::End => None,
                Then::Cut => Some(ErrorKind::Truncated("the compressed data")),
                Then::Limit(limit) => Some(ErrorKind::MemoryLimit { format: self.name, limit }),
                Then::Fault(reason) => Some(ErrorKind::Corrupt { codec: self.name, reason }),
            };
            self.ended = true;
            let error = match (kind, input.take_fault()) {
                (Some(ErrorKind::Truncated(_)) | None, Some(error)) => Some(error),
                (kind, _) => kind.map(|kind| Error::new(kind, Location::in_input(&input.name))),
            };
            return (n, error);
        }
        (n, None)
    }
}

#[cfg(all(test, not(all(feature = "bzip2", feature = "xz", feature = "zstd"))))]
mod tests {
    use super::*;
    use crate::{Options, Reader, Source};

    #[test]
    fn a_format_without_its_feature_is_named() {
        let absent = [
            (cfg!(feature = "bzip2"), "bzip2", &b"BZh91AY&SY"[..]),
            (cfg!(feature = "xz"), "xz", b"\xfd7zXZ\0"),
            (cfg!(feature = "zstd"), "zstd", b"\x28\xb5\x2f\xfd"),
        ];
        for (_, name, start) in absent.into_iter().filter(|(is_there, ..)| !is_there) {
            let source = Source::from_reader("x", start);
            let error = Reader::new(source, &Options::serial()).err().expect("no decoder");
            assert!(matches!(error.kind(), ErrorKind::NotInBuild { .. }));
            let text = format!("x: this build can't read {name} (feature '{name}' is off)");
            assert_eq!(error.to_string(), text);
        }
    }
}
