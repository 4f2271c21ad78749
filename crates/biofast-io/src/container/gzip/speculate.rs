//! The chunks of a gzip input that are inflated before their turn, and what the decoder takes of them: a chunk counts
//! only if it starts exactly where what is before it ends, and starts of blocks follow from there.
//! Everything else (ends of members, faults, whatever wasn't found) is left to the decoder of the stream, which goes on
//! from the last verified start of a block. So what comes out, errors included, is what it alone would make.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use biofast_deflate::Window;

use super::checksums::{MemberChecksum, PendingChecksum};
use super::tasks::{CompressedBytes, DecodedChunk, InflateTask, PendingTask, TaskQueue};
use crate::container::inflate::Inflate;
use crate::input::StoredBytes;

/// Bytes behind a chunk that its last block may need, where they have to be copied: blocks of usual writers are shorter.
const OVERRUN: usize = 192 << 10;

/// Chunks in a row that were of little use before the next ones wait a while.
const MOST_MISSES: u32 = 4;

/// An input is not read further ahead than it takes, while it is shorter than this.
pub(super) const WORTH_IT: u64 = 16 << 20;

/// The chunks that are inflated ahead, and the position of the decoder.
pub(super) struct Speculation {
    tasks: Arc<TaskQueue>,
    /// Compressed bytes a chunk.
    len: usize,
    /// Chunks in memory, at most; less the one that is being given out.
    most: usize,
    /// Where the first chunk may begin.
    first: u64,
    /// Where the next chunk begins.
    next: u64,
    queued: VecDeque<Arc<InflateTask>>,
    misses: u32,
    current: Option<Current>,
    position: MemberPosition,
    checksum: Arc<MemberChecksum>,
    /// Bytes that the stream's decoder has made, and added to its checksum, since the last chunk.
    serial: u64,
}

/// Where the decoder is in a member.
enum MemberPosition {
    /// Inside a block.
    Inside,
    /// At the start of a block: at this bit of the input.
    BlockStart(u64),
    /// Behind a chunk that was inflated ahead: the stream's decoder has to be told of the bit and the window.
    AfterChunk(u64, Arc<Window>),
}

/// A chunk that is being given out.
struct Current {
    chunk: Arc<DecodedChunk>,
    window: Arc<Window>,
    at: usize,
}

/// A part of a chunk with markers in it, which the worker that takes it resolves.
pub(crate) struct Unresolved {
    chunk: Arc<DecodedChunk>,
    window: Arc<Window>,
    range: Range<usize>,
    checksum_slot: PendingChecksum,
}

impl Unresolved {
    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Writes its bytes, and tells their checksum.
    pub(crate) fn resolve(self, out: &mut [u8]) {
        self.chunk.symbols.resolve(self.range, &self.window, out);
        self.checksum_slot.post(libdeflater::crc32(out));
    }
}

impl Speculation {
    /// For chunks of `len` compressed bytes on so many threads; `first` is the number of bytes before the first one.
    pub(super) fn new(len: usize, threads: usize, first: u64) -> Speculation {
        Speculation {
            tasks: Arc::default(),
            len,
            most: threads + 2,
            first,
            next: 0,
            queued: VecDeque::new(),
            misses: 0,
            current: None,
            position: MemberPosition::Inside,
            checksum: Arc::default(),
            serial: 0,
        }
    }

    pub(super) fn tasks(&self) -> &Arc<TaskQueue> {
        &self.tasks
    }

    /// A member starts.
    pub(super) fn start(&mut self) {
        self.position = MemberPosition::Inside;
        self.serial = 0;
    }

    /// The bit of the input where the decoder is, if a block starts there and no chunk is left to give out.
    fn place(&self) -> Option<u64> {
        match (&self.current, &self.position) {
            (Some(current), _) if current.at < current.chunk.symbols.len() => None,
            (_, MemberPosition::Inside) => None,
            (_, MemberPosition::BlockStart(bit) | MemberPosition::AfterChunk(bit, _)) => Some(*bit),
        }
    }

    /// The task that must be done before anything can go on.
    pub(super) fn pending(&self) -> Option<PendingTask> {
        let place = self.place()?;
        let task = self.queued.front()?;
        let waits = task.bits().contains(&place) && task.result().is_none();
        waits.then(|| PendingTask { tasks: Arc::clone(&self.tasks), task: Arc::clone(task) })
    }

    /// About `len` bytes of a chunk, or nothing, where the stream's decoder has to go on. The number of bytes of a
    /// chunk is added to `inflated` when it is accepted.
    pub(super) fn next_chunk(
        &mut self,
        input: &mut StoredBytes,
        inflate: &mut Inflate,
        len: usize,
        inflated: &mut u64,
    ) -> Option<Unresolved> {
        loop {
            if let Some(Current { chunk, window, at }) = &mut self.current {
                let left = chunk.symbols.len() - *at;
                if left > 0 {
                    // Of equal lengths, not a short one at the end.
                    let range = *at..*at + left.div_ceil(left.div_ceil(len));
                    *at = range.end;
                    let checksum_slot = self.checksum.expect(range.len());
                    let (chunk, window) = (Arc::clone(chunk), Arc::clone(window));
                    return Some(Unresolved { chunk, window, range, checksum_slot });
                }
                self.current = None;
            }
            self.queue(input);
            let place = self.place()?;
            let task = Arc::clone(self.queued.front()?);
            if place >= task.bits().end {
                self.drop_front(input);
                continue;
            }
            if place < task.bits().start {
                return None;
            }
            match task.result() {
                None => PendingTask { tasks: Arc::clone(&self.tasks), task }.help(),
                Some(Some(chunk)) if chunk.bits.start == place => {
                    let chunk = Arc::clone(chunk);
                    self.accept(chunk, input, inflate, inflated);
                }
                Some(Some(chunk)) if chunk.bits.start > place => return None,
                Some(_) => self.drop_front(input),
            }
        }
    }

    /// Accepts the front chunk, if there is a whole window before it.
    fn accept(
        &mut self,
        chunk: Arc<DecodedChunk>,
        input: &mut StoredBytes,
        inflate: &mut Inflate,
        inflated: &mut u64,
    ) {
        let window = match &self.position {
            MemberPosition::AfterChunk(_, window) => Some(Arc::clone(window)),
            _ => Window::new(inflate.window()).map(Arc::new),
        };
        let Some(window) = window else { return self.drop_front(input) };
        self.queued.pop_front();
        if self.serial > 0 {
            self.checksum.push(self.serial, inflate.take_crc32());
            self.serial = 0;
        }
        let Range { start, end } = chunk.bits;
        *inflated += chunk.symbols.len() as u64;
        input.consume((end / 8 - input.position()) as usize);
        self.position =
            MemberPosition::AfterChunk(end, Arc::new(chunk.symbols.window_after(&window)));
        self.current = Some(Current { chunk, window, at: 0 });
        note(input, true);
        if end - start < 4 * self.len as u64 {
            self.miss(input);
        } else {
            self.misses = 0;
        }
    }

    fn drop_front(&mut self, input: &StoredBytes) {
        self.queued.pop_front();
        note(input, false);
        self.miss(input);
    }

    /// Where chunks are of no use (members are short, or blocks aren't found) they cost more than they bring.
    fn miss(&mut self, input: &StoredBytes) {
        self.misses += 1;
        if self.misses >= MOST_MISSES {
            self.tasks.clear();
            self.queued.clear();
            self.next = input.position() + ((self.len as u64) << self.misses.min(8));
        }
    }

    /// Adds tasks as far as memory allows.
    fn queue(&mut self, input: &mut StoredBytes) {
        while self.queued.len() < self.most {
            let here = input.position();
            let begin = self.next.max(here + self.len as u64).max(self.first);
            let before = (begin - here) as usize;
            if before > (self.most + 2) * self.len {
                return;
            }
            let Some(bytes) = compressed_bytes(input, begin, before, self.len) else { return };
            let task = InflateTask::new(begin, self.len, bytes);
            self.tasks.add(Arc::clone(&task));
            self.queued.push_back(task);
            self.next = begin + self.len as u64;
        }
    }

    /// Gets the stream's decoder ready to go on. Returns the bit, counted from the position of the input, where it has to
    /// stop at the start of a block.
    pub(super) fn before_serial(&mut self, input: &StoredBytes, inflate: &mut Inflate) -> usize {
        let position = std::mem::replace(&mut self.position, MemberPosition::Inside);
        if let MemberPosition::AfterChunk(bit, window) = &position {
            inflate.resume(window.bytes(), (bit % 8) as usize);
        }
        let Some(task) = self.queued.front() else { return usize::MAX };
        let target = match task.result() {
            Some(Some(chunk)) => chunk.bits.start,
            _ => task.bits().start,
        };
        // Not where it is already.
        let target = match position {
            MemberPosition::BlockStart(bit) | MemberPosition::AfterChunk(bit, _) => {
                target.max(bit + 1)
            }
            MemberPosition::Inside => target,
        };
        target.saturating_sub(8 * input.position()) as usize
    }

    /// The stream's decoder has made so many bytes, and is at the start of a block, if a bit is given.
    pub(super) fn after_serial(&mut self, made: usize, place: Option<u64>) {
        self.serial += made as u64;
        self.position = place.map_or(MemberPosition::Inside, MemberPosition::BlockStart);
    }

    /// The checksum of the member, whose last bytes the stream's decoder has made; `None` if nobody wants it any more.
    pub(super) fn crc32(&mut self, inflate: &mut Inflate) -> Option<u32> {
        self.checksum.push(std::mem::take(&mut self.serial), inflate.take_crc32());
        self.checksum.take()
    }
}

fn note(input: &StoredBytes, used: bool) {
    if let Some(notes) = &input.options().notes {
        notes.gzip_chunk(used);
    }
}

/// The bytes from `begin`, which is `before` bytes further on, if there are any.
fn compressed_bytes(
    input: &mut StoredBytes,
    begin: u64,
    before: usize,
    len: usize,
) -> Option<CompressedBytes> {
    if let Some(map) = input.map() {
        let (begin, end) = (usize::try_from(begin).ok()?, map.bytes().len());
        return (begin < end).then(|| CompressedBytes::Map(Arc::clone(map), begin..end));
    }
    let _ = begin;
    let want = before + len + OVERRUN;
    let bytes = input.look(want);
    let bytes = bytes.get(before..want.min(bytes.len())).filter(|bytes| !bytes.is_empty())?;
    Some(CompressedBytes::Copy(bytes.into()))
}
