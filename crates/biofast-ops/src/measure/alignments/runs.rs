//! Depths along the references as text: what a part of a file carries of the positions that other parts may add to.
//!
//! Of each reference the places where the depth changes are kept: the distance from the one before (from 0 at first),
//! and the new depth less the old one, with its sign in the lowest bit (0, −1, 1, −2, … are 0, 1, 2, 3, …). Both are
//! numbers of seven bits a byte, the lowest first, and the eighth bit says that more follow; the bytes are base64
//! (RFC 4648) without padding. The last change is to depth 0.

use serde::{Deserialize, Serialize};

use crate::varint::{read_number, write_number};

/// Depths along one reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthStretches {
    /// The index of the reference in the header.
    pub reference: u32,
    /// Where the depth changes, and by how much: the distance from the change before (from 0 at first), then the new
    /// depth less the old one, with its sign in the lowest bit (0, −1, 1, −2, … are 0, 1, 2, 3, …). Both are numbers of
    /// seven bits a byte, the lowest first, and the eighth bit says that more follow; base64 (RFC 4648) without padding.
    pub changes: String,
}

/// Depths along the references, gathered in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DepthRuns {
    done: Vec<DepthStretches>,
    /// The reference that is being gathered, its bytes, and where it is: the last change, the end of the last stretch
    /// and the depth there.
    reference: u32,
    bytes: Vec<u8>,
    changed: i64,
    end: i64,
    depth: u32,
}

impl DepthRuns {
    /// Adds `len` positions from `start` on. Positions ascend within a reference; those that are left out have depth 0.
    #[inline]
    pub(crate) fn push(&mut self, reference: u32, start: i64, len: u64, depth: u32) {
        if reference != self.reference {
            self.close();
            self.reference = reference;
        }
        if start > self.end {
            self.change(self.end, 0);
        }
        self.change(start, depth);
        self.end = start + len as i64;
    }

    #[inline]
    fn change(&mut self, at: i64, depth: u32) {
        if depth == self.depth {
            return;
        }
        let step = i64::from(depth) - i64::from(self.depth);
        write_number((at - self.changed) as u64, &mut self.bytes);
        write_number((step << 1 ^ step >> 63) as u64, &mut self.bytes);
        (self.changed, self.depth) = (at, depth);
    }

    fn close(&mut self) {
        self.change(self.end, 0);
        if !self.bytes.is_empty() {
            let changes = base64(&self.bytes);
            self.done.push(DepthStretches { reference: self.reference, changes });
        }
        self.bytes.clear();
        (self.changed, self.end) = (0, 0);
    }

    pub(crate) fn finish(mut self) -> Vec<DepthStretches> {
        self.close();
        self.done
    }
}

/// The changes of depths along one reference, checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Vec<u8>);

impl Changes {
    /// Reads them back; `None` unless they are what [`DepthRuns`] makes of a reference of `length` bases.
    pub(crate) fn read(text: &str, length: u64) -> Option<Changes> {
        let changes = Changes(from_base64(text)?);
        let mut bytes = &changes.0[..];
        let (mut at, mut depth) = (0u64, 0i64);
        while !bytes.is_empty() {
            let (gap, step) = (read_number(&mut bytes)?, read_number(&mut bytes)?);
            at = at.checked_add(gap).filter(|at| *at <= length)?;
            depth = depth.checked_add(signed(step))?;
            u32::try_from(depth).ok()?;
        }
        (depth == 0).then_some(changes)
    }

    /// Positions and by how much the depth changes there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let (mut bytes, mut at) = (&self.0[..], 0i64);
        std::iter::from_fn(move || {
            at += read_number(&mut bytes)? as i64;
            Some((at, signed(read_number(&mut bytes)?)))
        })
    }
}

/// Calls `each` with the start, the end and the depth of every stretch that is covered. `changes` ascend.
pub(crate) fn stretches(
    changes: impl IntoIterator<Item = (i64, i64)>,
    mut each: impl FnMut(i64, i64, u64),
) {
    let (mut start, mut depth) = (0, 0i64);
    for (at, step) in changes {
        if depth > 0 && at > start {
            each(start, at, depth as u64);
        }
        start = at;
        depth += step;
    }
}

fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64 (RFC 4648), without padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..=three.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * letter) & 63) as usize]));
        }
    }
    text
}

pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            let value = match four.get(at) {
                None => 0,
                Some(letter @ b'A'..=b'Z') => letter - b'A',
                Some(letter @ b'a'..=b'z') => letter - b'a' + 26,
                Some(letter @ b'0'..=b'9') => letter - b'0' + 52,
                Some(b'+') => 62,
                Some(b'/') => 63,
                Some(_) => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, three @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&three[..four.len().checked_sub(1).filter(|n| *n > 0)?]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stretches_come_back(
            parts in prop::collection::vec((0u32..3, 0i64..100_000, 1u64..300, 0u32..100_000), 0..60),
        ) {
            let mut runs = DepthRuns::default();
            let mut expected: [Vec<(i64, i64, u64)>; 3] = Default::default();
            let (mut reference, mut at) = (0, 0);
            for (next, gap, len, depth) in parts {
                if next > reference {
                    (reference, at) = (next, 0);
                }
                // Stretches often follow one another at once.
                at += if gap % 3 == 0 { 0 } else { gap };
                runs.push(reference, at, len, depth);
                let own = &mut expected[reference as usize];
                let end = at + len as i64;
                match own.last_mut() {
                    Some(last) if last.1 == at && last.2 == u64::from(depth) => last.1 = end,
                    _ if depth > 0 => own.push((at, end, u64::from(depth))),
                    _ => {}
                }
                at = end;
            }
            let mut found: [Vec<(i64, i64, u64)>; 3] = Default::default();
            for one in runs.finish() {
                let changes = Changes::read(&one.changes, u64::MAX).unwrap();
                stretches(changes.iter(), |a, b, depth| found[one.reference as usize].push((a, b, depth)));
                let end = found[one.reference as usize].last().unwrap().1 as u64;
                prop_assert!(Changes::read(&one.changes, end - 1).is_none());
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn damaged_text_is_noticed_or_harmless(text in "[A-Za-z0-9+/ ]{0,40}") {
            if let Some(changes) = Changes::read(&text, 1 << 31) {
                stretches(changes.iter(), |start, end, _| assert!(start < end));
            }
        }
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), text);
            assert_eq!(from_base64(text).unwrap(), plain.as_bytes());
        }
        assert!(from_base64("Zm9vY").is_none() && from_base64("Zm=v").is_none());
    }
}
