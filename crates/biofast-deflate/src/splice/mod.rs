//! Changes bytes of a text inside its DEFLATE stream.
//!
//! Deflating a block anew to set one bit of a few flags costs more than all else. Here the stream's codes and nearly all of its
//! symbols stay. Its bits are copied, shifted, and only what says or copies a changed byte is written anew. A match stays right
//! unless a byte of it now differs from the one that it copies; then it is cut there. `docs/deflate.md` has the whole design.
//!
//! What is done depends on stream, text and changes alone.

mod changes;
mod codes;
mod edit;
mod piece;
mod types;

use std::fmt;

use crate::crc32;
use crate::encode::bits::{MAX_STREAM, Out};
use crate::map::{MAX_MAPPED_STREAM, MAX_MAPPED_TEXT, StreamMap};
use changes::Changes;
use codes::{FIXED, SpliceCodes};
use edit::Edit;
use piece::Recent;
pub use types::{Change, Declined, SpliceError, Spliced};

/// Changes bytes of a text inside its DEFLATE stream, several times faster than deflating it anew. Holds about 350 kB: keep it.
///
/// ```
/// use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap, crc32};
///
/// let stream = [0x4b, 0x04, 0x00]; // "a"
/// let (mut text, mut map) = ([0; 1], StreamMap::new());
/// let block = Block { input: &stream, output: &mut text };
/// Inflater::new().inflate_mapped([(block, &mut map)])?;
/// let (mut new, changes) = (Vec::new(), [Change { at: 0, byte: b'b' }]);
/// let crc = crc32(&text);
/// let spliced = Splicer::new().splice(&stream, &map, &mut text, crc, &changes, 65_510, &mut new)?;
/// assert_eq!((spliced.crc, spliced.declined), (crc32(b"b"), None));
/// Inflater::new().inflate_blocks([Block { input: &new, output: &mut text }])?;
/// assert_eq!(&text, b"b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Splicer {
    changes: Changes,
    codes: SpliceCodes,
    fixed: SpliceCodes,
    wrong: Vec<usize>,
    out: Box<Out>,
}

impl Splicer {
    /// A splicer.
    pub fn new() -> Self {
        let fixed = SpliceCodes::new(&FIXED);
        Self {
            changes: Changes::new(),
            codes: fixed.clone(),
            fixed,
            wrong: Vec::new(),
            out: Box::new([0; MAX_STREAM + 8]),
        }
    }

    /// Makes `changes`, in ascending order, in `text` and appends a stream of the changed text to `out`.
    ///
    /// `text` and `map` are what [`Inflater::inflate_mapped`](crate::Inflater::inflate_mapped) made of `stream`, and `crc` is the
    /// CRC-32 that came with it, which the text is checked against. The new stream has at most `limit` bytes, or it is
    /// [declined](Spliced::declined) and `out` stays as it is.
    ///
    /// # Errors
    /// If these don't belong together. Then nothing is changed.
    #[allow(clippy::too_many_arguments)] // a struct of them would only name them once more
    pub fn splice(
        &mut self,
        stream: &[u8],
        map: &StreamMap,
        text: &mut [u8],
        crc: u32,
        changes: &[Change],
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<Spliced, SpliceError> {
        let end = map.end_of(stream.len(), text.len()).ok_or(SpliceError::Map)?;
        let found = crc32(text);
        if found != crc {
            return Err(SpliceError::Checksum { found });
        }
        self.changes.apply(text, changes)?;
        if self.changes.at.is_empty() {
            let declined = (stream.len() > limit).then_some(Declined::Long);
            if declined.is_none() {
                out.extend_from_slice(stream);
            }
            return Ok(Spliced { crc, declined });
        }
        let crc = crc32(text);
        if stream.len() > MAX_MAPPED_STREAM || text.len() > MAX_MAPPED_TEXT {
            return Ok(Spliced { crc, declined: Some(Declined::Unmapped) });
        }
        self.changes.find(map.matches());
        let edit = Edit {
            stream,
            text,
            map,
            changes: &self.changes,
            codes: &mut self.codes,
            fixed: &self.fixed,
            wrong: &mut self.wrong,
            out: &mut self.out,
            recent: Recent::default(),
            limit,
        };
        let declined = match edit.run(end) {
            Some(n) => {
                debug_assert!(
                    crate::encode::inflates_to(&self.out[..n], text),
                    "a spliced stream doesn't come back"
                );
                out.extend_from_slice(&self.out[..n]);
                None
            }
            None => Some(Declined::Long),
        };
        Ok(Spliced { crc, declined })
    }
}

impl Default for Splicer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Splicer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splicer").finish_non_exhaustive()
    }
}
