//! The CRC-32 of a gzip member of which some parts are inflated in order by the decoder, and others by workers that know
//! the checksum of a part later.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use biofast_deflate::Crc32;

/// The checksums of a member's parts, in their order.
#[derive(Default)]
pub(super) struct MemberChecksum {
    state: Mutex<ChecksumState>,
    posted: Condvar,
}

#[derive(Default)]
struct ChecksumState {
    /// The checksum of all parts before the first open one.
    total: Crc32,
    /// The parts from there on: their lengths, and their checksums once these are known.
    open: VecDeque<(u64, Option<u32>)>,
    /// The number of the first of them.
    first: u64,
    /// A part will never come: nobody wants the data any more.
    abandoned: bool,
}

/// The checksum of one part, which somebody has to post. Dropped without that, it makes the whole unknown.
pub(super) struct PendingChecksum {
    checksum: Arc<MemberChecksum>,
    number: u64,
    posted: bool,
}

impl MemberChecksum {
    fn lock(&self) -> MutexGuard<'_, ChecksumState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a part of `len` bytes whose checksum is posted later.
    pub(super) fn expect(self: &Arc<Self>, len: usize) -> PendingChecksum {
        let number = self.lock().add(len as u64, None);
        PendingChecksum { checksum: Arc::clone(self), number, posted: false }
    }

    /// Adds a part with its checksum.
    pub(super) fn push(&self, len: u64, sum: u32) {
        self.lock().add(len, Some(sum));
    }

    /// The checksum of all parts, for which it waits; `None` if one will never come. Then starts anew.
    pub(super) fn take(&self) -> Option<u32> {
        let mut state = self.lock();
        while !state.open.is_empty() && !state.abandoned {
            state = self.posted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let total = std::mem::take(&mut state.total);
        (!state.abandoned).then(|| total.sum())
    }
}

impl ChecksumState {
    /// Adds a part and returns its number.
    fn add(&mut self, len: u64, sum: Option<u32>) -> u64 {
        let number = self.first + self.open.len() as u64;
        self.open.push_back((len, sum));
        self.close();
        number
    }

    /// Takes the parts at the front whose checksums are known into the total.
    fn close(&mut self) {
        while let Some(&(len, Some(sum))) = self.open.front() {
            self.total.append(sum, len);
            self.open.pop_front();
            self.first += 1;
        }
    }
}

impl PendingChecksum {
    /// Posts the checksum.
    pub(super) fn post(mut self, sum: u32) {
        let mut state = self.checksum.lock();
        if let Some(index) = self.number.checked_sub(state.first)
            && let Some(part) = state.open.get_mut(index as usize)
        {
            part.1 = Some(sum);
        }
        state.close();
        drop(state);
        self.checksum.posted.notify_all();
        self.posted = true;
    }
}

impl Drop for PendingChecksum {
    fn drop(&mut self) {
        if !self.posted {
            self.checksum.lock().abandoned = true;
            self.checksum.posted.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_told_in_any_order_make_the_whole_and_a_lost_one_is_noticed() {
        let text: Vec<u8> = (0..1000usize).map(|i| (i * i / 7) as u8).collect();
        let parts: [&[u8]; 3] = [&text[..300], &text[300..301], &text[301..700]];
        let checksum = Arc::new(MemberChecksum::default());
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut pending_checksum = parts.map(|part| Some(checksum.expect(part.len())));
            checksum.push(300, crate::crc32(&text[700..]));
            for index in order {
                if let Some(pending_checksum) = pending_checksum[index].take() {
                    pending_checksum.post(crate::crc32(parts[index]));
                }
            }
            assert_eq!(checksum.take(), Some(crate::crc32(&text)), "{order:?}");
        }
        drop(checksum.expect(1));
        assert_eq!(checksum.take(), None);
    }
}
