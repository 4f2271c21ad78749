//! How blocks of containers before were compressed: those that follow are mostly as short the same way, and needn't try all.
//!
//! Which container looks at which depends on their numbers alone, and so do the bytes, on any number of threads.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use biofast_codecs::{Order, nx16};

use crate::cram::container::method::{FQZCOMP, GZIP, NAMES, RANS_4X8, RANS_NX16, RAW};

/// A container that tries all ways, and so many in all until the next such.
const SPAN: u64 = 32;

/// How a block is compressed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Raw,
    Gzip,
    Rans4x8(Order),
    Nx16(nx16::Options),
    Names,
    Fqzcomp,
}

impl Way {
    /// Its number in CRAM.
    pub(super) fn method(self) -> u8 {
        match self {
            Way::Raw => RAW,
            Way::Gzip => GZIP,
            Way::Rans4x8(_) => RANS_4X8,
            Way::Nx16(_) => RANS_NX16,
            Way::Names => NAMES,
            Way::Fqzcomp => FQZCOMP,
        }
    }
}

/// How a block was compressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) way: Way,
    /// Its length before.
    pub(super) raw_len: usize,
    /// Its length then.
    pub(super) len: usize,
}

/// A block this much longer than was to be expected is tried in all ways, too: a part of the length, and some bytes.
const PART: usize = 16;
const BYTES: usize = 48;
/// And so is one that many times as long as the other, or as many times shorter.
const TIMES: usize = 4;

impl Choice {
    /// Whether a block of `raw_len` bytes is much like the one that was tried.
    pub(super) fn is_for(&self, raw_len: usize) -> bool {
        raw_len / TIMES <= self.raw_len && self.raw_len / TIMES <= raw_len
    }

    /// Whether so many bytes of a block are no more than was to be expected.
    pub(super) fn expects(&self, len: usize, raw_len: usize) -> bool {
        let len = len as u64 * self.raw_len as u64;
        let expected = self.len as u64 * raw_len as u64;
        len <= expected + expected / PART as u64 + (BYTES * self.raw_len) as u64
    }
}

/// Choices by content id.
pub(super) type Choices = HashMap<i32, Choice>;

/// What one container tells others.
type SharedChoices = Arc<OnceLock<Choices>>;

/// How a container finds its choices.
pub(super) enum Choosing {
    /// It tries all ways, and tells others.
    Tries(Teller),
    /// As another did.
    Follows(SharedChoices),
}

impl Choosing {
    /// The choices of the other container, for which this waits.
    pub(super) fn known(&self) -> Option<&Choices> {
        match self {
            Choosing::Tries(_) => None,
            Choosing::Follows(told) => Some(told.wait()),
        }
    }

    /// Tells others.
    pub(super) fn tell(&self, choices: Choices) {
        if let Choosing::Tries(Teller(told)) = self {
            // Only this one tells.
            let _ = told.set(choices);
        }
    }
}

/// Tells the choices of a container. If that fails, others learn that there is nothing to wait for.
pub(super) struct Teller(SharedChoices);

impl Drop for Teller {
    fn drop(&mut self) {
        // Unless it has told.
        let _ = self.0.set(Choices::new());
    }
}

/// Hands out [`Choosing`] to one container after the other.
#[derive(Default)]
pub(super) struct Turns {
    number: u64,
    /// Of the last container that tries, and of the one before it, which is done by now.
    last: SharedChoices,
    before: Option<SharedChoices>,
}

impl Turns {
    pub(super) fn next(&mut self) -> Choosing {
        let number = self.number;
        self.number += 1;
        if number.is_multiple_of(SPAN) {
            let before = std::mem::take(&mut self.last);
            self.before = (number > 0).then_some(before);
            return Choosing::Tries(Teller(Arc::clone(&self.last)));
        }
        Choosing::Follows(Arc::clone(self.before.as_ref().unwrap_or(&self.last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_follow_one_that_is_done_or_the_first() {
        let mut turns = Turns::default();
        let choice = |n: usize| Choice { way: Way::Raw, raw_len: n, len: n };
        for number in 0..SPAN as usize * 3 {
            let choosing = turns.next();
            match choosing.known().map(|known| known[&1].raw_len) {
                None => {
                    assert_eq!(number % SPAN as usize, 0);
                    choosing.tell(Choices::from([(1, choice(number))]));
                }
                Some(known) => {
                    let own = number / SPAN as usize;
                    assert_eq!(known, own.saturating_sub(1) * SPAN as usize, "{number}");
                }
            }
        }
    }

    #[test]
    fn a_container_that_fails_keeps_nobody_waiting() {
        let mut turns = Turns::default();
        let (first, second) = (turns.next(), turns.next());
        drop(first);
        assert_eq!(second.known().map(HashMap::len), Some(0));
    }

    #[test]
    fn blocks_of_other_lengths_are_tried() {
        let choice = Choice { way: Way::Raw, raw_len: 1000, len: 500 };
        assert!([250, 1000, 4000].iter().all(|&len| choice.is_for(len)));
        assert!([0, 100, 8000].iter().all(|&len| !choice.is_for(len)));
        assert!(choice.expects(1000, 2000) && choice.expects(1110, 2000));
        assert!(!choice.expects(1200, 2000) && !choice.expects(2000, 2000));
    }
}
