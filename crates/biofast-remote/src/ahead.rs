//! Reading on from a place: ranges are fetched ahead by several connections, and used in order.
//!
//! It begins carefully, as many readers look at a header only: a block, two blocks, and then ranges of up to 4 MB by all
//! connections. What is known to be read to its end is asked for as it is, in one request if it is no longer than a range.
//! So many ranges as there are connections are on their way or waiting, and one is in use: memory is bounded.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cache::BLOCK;
use crate::object::Opened;

/// Blocks of the first ranges; all others have [`LARGEST`].
const GROWING: [u64; 5] = [1, 2, 8, 16, 32];
/// Blocks of a range: 4 MB.
const LARGEST: u64 = 64;
/// Bytes at the end of an object that are read for what ends it, and not to read on.
const TAIL: u64 = 4 << 10;
/// Ranges that are asked for one by one, before connections work ahead.
const CAREFUL: usize = 2;

/// Reads an object from a place on.
pub(crate) struct Ahead {
    object: Arc<Opened>,
    /// Where the next byte is.
    position: u64,
    /// Where reading is expected to end, whether it will not end before, and where the object does.
    end: u64,
    is_known: bool,
    len: u64,
    /// Blocks that are fetched when it goes on nevertheless.
    more: u64,
    /// Ranges taken so far.
    taken: usize,
    /// The bytes in use, and where they begin.
    current: Vec<u8>,
    begin: u64,
    /// Set when connections work ahead.
    workers: Option<Arc<Shared>>,
    /// Why reading failed; it fails again with the same words.
    failed: Option<(io::ErrorKind, String)>,
}

struct Shared {
    object: Arc<Opened>,
    state: Mutex<State>,
    /// A range has come, or is wanted.
    changed: Condvar,
    stop: AtomicBool,
}

struct State {
    /// Where the next range begins that nobody fetches yet.
    next: u64,
    /// Its number; and the number of the one that the reader takes next.
    number: usize,
    wanted: usize,
    /// Ranges begin before this only; blocks by which it moves when the reader goes on.
    end: u64,
    more: u64,
    came: BTreeMap<usize, io::Result<Vec<u8>>>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn blocks(number: usize) -> u64 {
    GROWING.get(number).copied().unwrap_or(LARGEST)
}

impl Ahead {
    /// Reads an object of `len` bytes from `offset` on: to `end`, or as far as it is read.
    pub(crate) fn new(object: Arc<Opened>, offset: u64, end: Option<u64>, len: u64) -> Ahead {
        Ahead {
            object,
            position: offset,
            end: end.unwrap_or(len).min(len),
            is_known: end.is_some() || len.saturating_sub(offset) <= TAIL,
            len,
            more: 1,
            taken: 0,
            current: Vec::new(),
            begin: offset,
            workers: None,
            failed: None,
        }
    }

    /// Makes the range that `position` is in the current one.
    fn advance(&mut self) -> io::Result<()> {
        if let Some(shared) = &self.workers {
            self.current = next(shared, std::mem::take(&mut self.current), self.len)?;
            // Where the ranges before ended.
            self.begin = self.position;
            return Ok(());
        }
        let number = self.position / BLOCK;
        let start = number * BLOCK;
        if let Some(block) = self.object.cache().get(number) {
            self.current = block.to_vec();
            self.begin = start;
            self.taken += 1;
            return Ok(());
        }
        // A part may begin in the block that the one before ends in.
        if let Some(rest) = self.object.rest_of_part(self.position) {
            self.current = rest;
            self.begin = self.position;
            return Ok(());
        }
        if self.position >= self.end {
            self.end = (start + self.more * BLOCK).min(self.len);
            self.more = (self.more * 2).min(LARGEST);
        }
        if self.is_known && self.end - self.position <= LARGEST * BLOCK {
            // What is kept are whole blocks.
            let (begin, end) = match self.object.is_kept() {
                true => (start, self.end.next_multiple_of(BLOCK).min(self.len)),
                false => (self.position, self.end),
            };
            let mut bytes = vec![0; (end - begin) as usize];
            self.object.fetch_kept(begin, &mut bytes, &AtomicBool::new(false))?;
            self.object.keep_part(begin, &bytes);
            self.current = bytes;
            self.begin = begin;
            return Ok(());
        }
        if self.taken >= CAREFUL || self.is_known {
            let number = self.taken.max(CAREFUL);
            let shared = Arc::new(Shared {
                object: Arc::clone(&self.object),
                state: Mutex::new(State {
                    next: self.position,
                    number,
                    wanted: number,
                    end: self.end,
                    more: self.more,
                    came: BTreeMap::new(),
                    spare: Vec::new(),
                }),
                changed: Condvar::new(),
                stop: AtomicBool::new(false),
            });
            for number in 0..self.object.client.settings.connections.max(1) {
                let thread = std::thread::Builder::new().name("fetch".into());
                // Not waited for: a connection may be silent for long.
                let worker = Arc::clone(&shared);
                let started = thread.spawn(move || work(&worker));
                // With fewer it goes on.
                if let Err(error) = started
                    && number == 0
                {
                    return Err(error);
                }
            }
            self.workers = Some(shared);
            return self.advance();
        }
        let end = (start + blocks(self.taken) * BLOCK).min(self.len);
        self.taken += 1;
        let mut bytes = vec![0; (end - start) as usize];
        self.object.fetch_kept(start, &mut bytes, &AtomicBool::new(false))?;
        self.object.cache().put(start, &bytes);
        self.current = bytes;
        self.begin = start;
        Ok(())
    }
}

/// The next range, when it has come. `used` is the buffer of the one before.
fn next(shared: &Shared, used: Vec<u8>, len: u64) -> io::Result<Vec<u8>> {
    let mut state = shared.lock();
    if used.capacity() > 0 {
        state.spare.push(used);
    }
    let wanted = state.wanted;
    if state.number == wanted && state.next >= state.end {
        state.end = (state.next + state.more * BLOCK).min(len);
        state.more = (state.more * 2).min(LARGEST);
    }
    shared.changed.notify_all();
    loop {
        if let Some(came) = state.came.remove(&wanted) {
            state.wanted += 1;
            shared.changed.notify_all();
            return came;
        }
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// What each connection does: takes the next range, as long as it isn't too far ahead of the reader.
fn work(shared: &Shared) {
    let most_ahead = shared.object.client.settings.connections.max(1);
    loop {
        let (start, end, number, mut bytes) = {
            let mut state = shared.lock();
            loop {
                if shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                if state.next < state.end && state.number < state.wanted + most_ahead {
                    break;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let start = state.next;
            // All but the first begin at a block.
            let end = state.end.min((start / BLOCK + blocks(state.number)) * BLOCK);
            let number = state.number;
            state.next = end;
            state.number += 1;
            (start, end, number, state.spare.pop().unwrap_or_default())
        };
        bytes.resize((end - start) as usize, 0);
        // Whatever happens to it, the reader doesn't wait in vain.
        let fetch = || shared.object.fetch_kept(start, &mut bytes, &shared.stop);
        let came = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fetch))
            .unwrap_or_else(|_| Err(io::Error::other("a thread that fetched has panicked")))
            .map(|()| bytes);
        let failed = came.is_err();
        let mut state = shared.lock();
        state.came.insert(number, came);
        shared.changed.notify_all();
        if failed {
            // The reader gets what is before it, and then the error; nothing behind it is of use.
            state.end = state.end.min(start);
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.position >= self.len {
            return Ok(0);
        }
        let at = self.position.wrapping_sub(self.begin) as usize;
        if at >= self.current.len() {
            if let Some((kind, why)) = &self.failed {
                return Err(io::Error::new(*kind, why.clone()));
            }
            if let Err(error) = self.advance() {
                self.failed = Some((error.kind(), error.to_string()));
                self.current.clear();
                return Err(error);
            }
        }
        let at = (self.position - self.begin) as usize;
        let rest = self.current.get(at..).unwrap_or_default();
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.position += n as u64;
        Ok(n)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let Some(shared) = &self.workers {
            shared.stop.store(true, Ordering::Relaxed);
            shared.changed.notify_all();
        }
    }
}
