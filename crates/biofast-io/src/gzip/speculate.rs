//! Where the decoder of a gzip input stands among the pieces that are inflated before their turn, and what it takes of
//! them: a piece counts only if it starts exactly where what is before it ends, and starts of blocks follow from there.
//! Everything else (ends of members, faults, whatever wasn't found) is left to the decoder of the stream, which goes on
//! from the last verified start of a block. So what comes out, errors included, is what it alone would make.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use biofast_deflate::Window;

use super::crew::{Crew, Obstacle, Piece, Slot, Stretch};
use super::sums::{Due, Sums};
use crate::inflate::{self, Inflate};
use crate::input::Input;

/// Bytes behind a part that its piece may need, where they have to be copied: blocks of usual writers are shorter.
const OVERRUN: usize = 192 << 10;

/// Pieces in a row that were of little use before the next ones wait a while.
const MOST_MISSES: u32 = 4;

/// An input is not read further ahead than it takes, while it is shorter than this.
pub(super) const WORTH_IT: u64 = 16 << 20;

/// The pieces of an input, and where the decoder stands.
pub(super) struct Ahead {
    crew: Arc<Crew>,
    /// Compressed bytes a piece.
    len: usize,
    /// Pieces in memory, at most; less the one that is being given out.
    most: usize,
    /// Where the first piece may begin.
    first: u64,
    /// Where the next piece begins.
    next: u64,
    slots: VecDeque<Arc<Slot>>,
    misses: u32,
    current: Option<Current>,
    stand: Stand,
    sums: Arc<Sums>,
    /// Bytes that the stream's decoder has made and summed up since the last piece.
    serial: u64,
}

/// Where the decoder stands in a member.
enum Stand {
    /// The stream's decoder is on its way.
    Inside,
    /// It stands at the start of a block: at this bit of the input.
    Boundary(u64),
    /// Behind pieces: the stream's decoder has to be told of the place and the window.
    Behind(u64, Arc<Window>),
}

/// A piece that is being given out.
struct Current {
    piece: Arc<Piece>,
    window: Arc<Window>,
    at: usize,
}

/// A part of a piece, for whoever takes it to finish.
pub(crate) struct Part {
    piece: Arc<Piece>,
    window: Arc<Window>,
    range: Range<usize>,
    due: Due,
}

impl Part {
    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Writes its bytes, and tells their sum.
    pub(crate) fn write(self, out: &mut [u8]) {
        self.piece.symbols.resolve(self.range, &self.window, out);
        self.due.post(inflate::crc32(out));
    }
}

impl Ahead {
    /// For pieces of `len` compressed bytes on so many threads; `first` is the number of bytes before the first one.
    pub(super) fn new(len: usize, threads: usize, first: u64) -> Ahead {
        Ahead {
            crew: Arc::default(),
            len,
            most: threads + 2,
            first,
            next: 0,
            slots: VecDeque::new(),
            misses: 0,
            current: None,
            stand: Stand::Inside,
            sums: Arc::default(),
            serial: 0,
        }
    }

    pub(super) fn crew(&self) -> &Arc<Crew> {
        &self.crew
    }

    /// A member starts.
    pub(super) fn start(&mut self) {
        self.stand = Stand::Inside;
        self.serial = 0;
    }

    /// The bit of the input where the decoder stands, if a block starts there and no piece is left to give out.
    fn place(&self) -> Option<u64> {
        match (&self.current, &self.stand) {
            (Some(current), _) if current.at < current.piece.symbols.len() => None,
            (_, Stand::Inside) => None,
            (_, Stand::Boundary(bit) | Stand::Behind(bit, _)) => Some(*bit),
        }
    }

    /// The piece that must be done before anything can go on.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let place = self.place()?;
        let slot = self.slots.front()?;
        let waits = slot.bits().contains(&place) && slot.result().is_none();
        waits.then(|| Obstacle { crew: Arc::clone(&self.crew), slot: Arc::clone(slot) })
    }

    /// The next part of about `len` bytes, or nothing, where the stream's decoder has to go on. The number of bytes of a
    /// piece is added to `inflated` as it is taken on.
    pub(super) fn next_part(
        &mut self,
        input: &mut Input,
        inflate: &mut Inflate,
        len: usize,
        inflated: &mut u64,
    ) -> Option<Part> {
        loop {
            if let Some(Current { piece, window, at }) = &mut self.current {
                let left = piece.symbols.len() - *at;
                if left > 0 {
                    // Of equal lengths, not a short one at the end.
                    let range = *at..*at + left.div_ceil(left.div_ceil(len));
                    *at = range.end;
                    let due = self.sums.expect(range.len());
                    let (piece, window) = (Arc::clone(piece), Arc::clone(window));
                    return Some(Part { piece, window, range, due });
                }
                self.current = None;
            }
            self.queue(input);
            let place = self.place()?;
            let slot = Arc::clone(self.slots.front()?);
            if place >= slot.bits().end {
                self.drop_front(input);
                continue;
            }
            if place < slot.bits().start {
                return None;
            }
            match slot.result() {
                None => Obstacle { crew: Arc::clone(&self.crew), slot }.help(),
                Some(Some(piece)) if piece.bits.start == place => {
                    let piece = Arc::clone(piece);
                    self.accept(piece, input, inflate, inflated);
                }
                Some(Some(piece)) if piece.bits.start > place => return None,
                Some(_) => self.drop_front(input),
            }
        }
    }

    /// Takes the front piece on, if there is a whole window before it.
    fn accept(
        &mut self,
        piece: Arc<Piece>,
        input: &mut Input,
        inflate: &mut Inflate,
        inflated: &mut u64,
    ) {
        let window = match &self.stand {
            Stand::Behind(_, window) => Some(Arc::clone(window)),
            _ => Window::new(inflate.window()).map(Arc::new),
        };
        let Some(window) = window else { return self.drop_front(input) };
        self.slots.pop_front();
        if self.serial > 0 {
            self.sums.push(self.serial, inflate.take_crc32());
            self.serial = 0;
        }
        let Range { start, end } = piece.bits;
        *inflated += piece.symbols.len() as u64;
        input.consume((end / 8 - input.position()) as usize);
        self.stand = Stand::Behind(end, Arc::new(piece.symbols.window_after(&window)));
        self.current = Some(Current { piece, window, at: 0 });
        note(input, true);
        if end - start < 4 * self.len as u64 {
            self.miss(input);
        } else {
            self.misses = 0;
        }
    }

    fn drop_front(&mut self, input: &Input) {
        self.slots.pop_front();
        note(input, false);
        self.miss(input);
    }

    /// Where pieces are of no use (members are short, or blocks aren't found) they cost more than they bring.
    fn miss(&mut self, input: &Input) {
        self.misses += 1;
        if self.misses >= MOST_MISSES {
            self.crew.clear();
            self.slots.clear();
            self.next = input.position() + ((self.len as u64) << self.misses.min(8));
        }
    }

    /// Hands out pieces as far as memory allows.
    fn queue(&mut self, input: &mut Input) {
        while self.slots.len() < self.most {
            let here = input.position();
            let begin = self.next.max(here + self.len as u64).max(self.first);
            let before = (begin - here) as usize;
            if before > (self.most + 2) * self.len {
                return;
            }
            let Some(stretch) = stretch(input, begin, before, self.len) else { return };
            let slot = Slot::new(begin, self.len, stretch);
            self.crew.add(Arc::clone(&slot));
            self.slots.push_back(slot);
            self.next = begin + self.len as u64;
        }
    }

    /// Gets the stream's decoder ready to go on. Returns the bit, counted from where the input stands, where it has to
    /// stop at the start of a block.
    pub(super) fn before_serial(&mut self, input: &Input, inflate: &mut Inflate) -> usize {
        let stand = std::mem::replace(&mut self.stand, Stand::Inside);
        if let Stand::Behind(bit, window) = &stand {
            inflate.resume(window.bytes(), (bit % 8) as usize);
        }
        let Some(slot) = self.slots.front() else { return usize::MAX };
        let target = match slot.result() {
            Some(Some(piece)) => piece.bits.start,
            _ => slot.bits().start,
        };
        // Not where it stands already.
        let target = match stand {
            Stand::Boundary(bit) | Stand::Behind(bit, _) => target.max(bit + 1),
            Stand::Inside => target,
        };
        target.saturating_sub(8 * input.position()) as usize
    }

    /// The stream's decoder has made so many bytes, and stands at the start of a block, if a bit is given.
    pub(super) fn after_serial(&mut self, made: usize, place: Option<u64>) {
        self.serial += made as u64;
        self.stand = place.map_or(Stand::Inside, Stand::Boundary);
    }

    /// The sum of the member, whose last bytes the stream's decoder has made; `None` if nobody wants it any more.
    pub(super) fn crc32(&mut self, inflate: &mut Inflate) -> Option<u32> {
        self.sums.push(std::mem::take(&mut self.serial), inflate.take_crc32());
        self.sums.take()
    }
}

fn note(input: &Input, taken: bool) {
    if let Some(notes) = &input.options().notes {
        notes.piece(taken);
    }
}

/// The bytes from `begin`, which is `before` bytes further on, if there are any.
fn stretch(input: &mut Input, begin: u64, before: usize, len: usize) -> Option<Stretch> {
    #[cfg(all(feature = "mmap", unix))]
    if let Some(map) = input.map() {
        let (begin, end) = (usize::try_from(begin).ok()?, map.bytes().len());
        return (begin < end).then(|| Stretch::Map(Arc::clone(map), begin..end));
    }
    let _ = begin;
    let want = before + len + OVERRUN;
    let bytes = input.look(want);
    let bytes = bytes.get(before..want.min(bytes.len())).filter(|bytes| !bytes.is_empty())?;
    Some(Stretch::Copy(bytes.into()))
}
