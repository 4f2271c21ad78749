//! The ring: a queue of reads into buffers of its own, which are registered with the kernel where the limit on locked
//! memory allows it.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;

use io_uring::{IoUring, opcode, types};

/// A ring with a buffer for each read that may be under way.
pub(crate) struct Ring {
    /// Dropped first: the kernel lets go of the buffers.
    ring: IoUring,
    /// `depth` buffers of `len` bytes. Never grows, so that addresses stay.
    buffers: Vec<u8>,
    len: usize,
    depth: usize,
    registered: bool,
    /// Reads the kernel may still write to `buffers` for.
    under_way: usize,
    calls: u64,
}

impl Ring {
    pub(crate) fn new(depth: usize, len: usize) -> io::Result<Self> {
        let entries = u32::try_from(depth.max(1)).map_err(io::Error::other)?;
        let ring = IoUring::new(entries)?;
        let depth = depth.max(1);
        let mut buffers = vec![0; depth * len];
        let vector = libc::iovec { iov_base: buffers.as_mut_ptr().cast(), iov_len: buffers.len() };
        // SAFETY: the memory belongs to `buffers`, which lives as long as the ring and is dropped after it.
        let registered = unsafe { ring.submitter().register_buffers(&[vector]) }.is_ok();
        Ok(Ring { ring, buffers, len, depth, registered, under_way: 0, calls: 0 })
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.registered
    }

    /// System calls made so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Reads every place, as many at a time as there are buffers, and hands on the bytes of each. A piece that the file
    /// doesn't hold whole is an error.
    pub(crate) fn read(
        &mut self,
        file: &File,
        places: &[u64],
        mut take: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        if self.under_way > 0 {
            // After a failed wait buffers may still be written to.
            return Err(io::Error::other("reads of an earlier call are still under way"));
        }
        let mut free: Vec<usize> = (0..self.depth).collect();
        // Which place each buffer is for.
        let mut reads = vec![0; self.depth];
        let mut next = 0;
        let mut result = Ok(());
        loop {
            while result.is_ok() && next < places.len() {
                let Some(slot) = free.pop() else { break };
                reads[slot] = next;
                self.queue(file, slot, places[next]);
                next += 1;
            }
            if self.under_way == 0 {
                return result;
            }
            self.calls += 1;
            match self.ring.submit_and_wait(1) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Nothing may be lost of what is under way: `drop` waits for it.
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            let done: Vec<(usize, i32)> =
                self.ring.completion().map(|c| (c.user_data() as usize, c.result())).collect();
            for (slot, code) in done {
                self.under_way -= 1;
                free.push(slot);
                let piece = &mut self.buffers[slot * self.len..(slot + 1) * self.len];
                let complete = complete(file, places[reads[slot]], piece, code, &mut self.calls);
                match complete {
                    Ok(()) if result.is_ok() => take(piece),
                    Ok(()) => {}
                    Err(error) => result = Err(error),
                }
            }
        }
    }

    /// Puts a read into the queue, which has a place for every buffer.
    fn queue(&mut self, file: &File, slot: usize, at: u64) {
        let descriptor = types::Fd(file.as_raw_fd());
        let buffer = self.buffers[slot * self.len..].as_mut_ptr();
        let len = self.len as u32;
        let entry = if self.registered {
            opcode::ReadFixed::new(descriptor, buffer, len, 0).offset(at).build()
        } else {
            opcode::Read::new(descriptor, buffer, len).offset(at).build()
        };
        let entry = entry.user_data(slot as u64);
        // SAFETY: the buffer's `len` bytes from `slot * len` on are this ring's, are used for no other read until
        // this one is complete, and aren't freed before: `drop` waits. The caller keeps the file open until then,
        // except after a failed wait, when `drop` comes next and the kernel holds the file itself.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        debug_assert!(pushed.is_ok(), "as many entries as buffers");
        self.under_way += usize::from(pushed.is_ok());
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        while self.under_way > 0 {
            let done = match self.ring.submit_and_wait(1) {
                Ok(_) => self.ring.completion().count(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(_) => {
                    // The kernel may still write there: better never freed.
                    std::mem::forget(std::mem::take(&mut self.buffers));
                    return;
                }
            };
            self.under_way -= done;
        }
    }
}

/// What a read's result means; the rest of a short one is read by `pread`.
fn complete(file: &File, at: u64, piece: &mut [u8], code: i32, calls: &mut u64) -> io::Result<()> {
    let read = usize::try_from(code).map_err(|_| io::Error::from_raw_os_error(-code))?;
    if read < piece.len() {
        *calls += 1;
        file.read_exact_at(&mut piece[read..], at + read as u64)?;
    }
    Ok(())
}
