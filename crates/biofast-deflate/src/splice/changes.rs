//! The bytes that change, and which matches they concern.

use super::types::{Change, SpliceError};
use crate::map::{MAX_MAPPED_TEXT, Match};

/// Text bytes of an entry of [`Changes::next`], as a shift.
const GRAIN: u32 = 4;

/// No change. (The last byte of the longest text has the same number; no match copies from it.)
const NONE: u16 = u16::MAX;

/// More than all matches of the longest text.
const MOST: usize = 1 << 15;

/// See above.
pub(super) struct Changes {
    /// Where they are, in order.
    pub(super) at: Vec<u16>,
    /// The bytes that were there.
    pub(super) old: Vec<u8>,
    /// How many matches start before each, or at it.
    pub(super) before: Vec<u16>,
    /// Matches that cover a change or may copy from one, in order.
    pub(super) concerned: Vec<u16>,
    /// The first change at or after each 16 bytes.
    next: Box<[u16; MAX_MAPPED_TEXT >> GRAIN]>,
    /// Matches that may copy from one.
    sources: Box<[u16; MOST]>,
}

impl Changes {
    pub(super) fn new() -> Self {
        Self {
            at: Vec::new(),
            old: Vec::new(),
            before: Vec::new(),
            concerned: Vec::new(),
            next: Box::new([NONE; MAX_MAPPED_TEXT >> GRAIN]),
            sources: Box::new([0; MOST]),
        }
    }

    /// Makes the changes in `text`, and forgets those that change nothing.
    ///
    /// # Errors
    /// If they aren't in order, or not in the text; nothing is changed then.
    pub(super) fn apply(&mut self, text: &mut [u8], changes: &[Change]) -> Result<(), SpliceError> {
        if !changes.is_sorted_by(|a, b| a.at < b.at)
            || changes.last().is_some_and(|last| usize::from(last.at) >= text.len())
        {
            return Err(SpliceError::Changes);
        }
        self.at.clear();
        self.old.clear();
        for change in changes {
            let byte = &mut text[usize::from(change.at)];
            if *byte != change.byte {
                self.at.push(change.at);
                self.old.push(*byte);
                *byte = change.byte;
            }
        }
        Ok(())
    }

    /// Finds [`before`](Self::before) and [`concerned`](Self::concerned).
    pub(super) fn find(&mut self, matches: &[Match]) {
        self.before.clear();
        self.concerned.clear();
        let Some(&first) = self.at.first() else { return };
        let mut done = 0;
        for &at in &self.at {
            let until = (usize::from(at) >> GRAIN) + 1;
            self.next[done..until.max(done)].fill(at);
            done = until.max(done);
        }
        self.next[done..].fill(NONE);
        // All that come before the first change copy nothing that changes.
        let skipped = matches.partition_point(|m| m.at() <= usize::from(first));
        let mut sources = 0;
        for (i, m) in matches.iter().enumerate().skip(skipped) {
            // Without a branch: some hundreds of thousands that can't be foreseen.
            let source = m.source();
            let next = usize::from(self.next[usize::from(source) >> GRAIN]);
            self.sources[sources % MOST] = i as u16;
            sources += usize::from(next < usize::from(source) + m.length());
        }
        let mut sources = self.sources[..sources.min(MOST)].iter().copied().peekable();
        let mut before = 0;
        for &at in &self.at {
            let at = usize::from(at);
            before += matches[before..].partition_point(|m| m.at() <= at);
            self.before.push(before as u16);
            let Some(last) = before.checked_sub(1) else { continue };
            if matches[last].text_end() > at {
                let last = last as u16;
                while let Some(source) = sources.next_if(|&source| source < last) {
                    self.concerned.push(source);
                }
                sources.next_if_eq(&last);
                if self.concerned.last() != Some(&last) {
                    self.concerned.push(last);
                }
            }
        }
        self.concerned.extend(sources);
    }

    /// The index of the first change at `text` or after.
    pub(super) fn from(&self, text: usize) -> usize {
        self.at.partition_point(|&at| usize::from(at) < text)
    }
}
