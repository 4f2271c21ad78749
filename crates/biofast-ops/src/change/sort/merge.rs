//! Sorted runs to one.

use std::cmp::Ordering;
use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::gather::{GatheredRecords, SortEntry, prefix};
use super::key::{Order, coordinate_of};
use super::stored::{BLOCK, Decoder, StoredRun};

/// A sorted run, in memory or in a file. It is read in blocks of records that lie one behind the other, as those in memory
/// don't: they are fetched together, so that many are waited for at once, and by other threads.
pub(in crate::change) enum SortedRun {
    Memory(GatheredRecords),
    Stored(StoredRun),
    /// One that can be read only once, and not at two places at once.
    Blocks(Mutex<Box<dyn BlockSource>>),
}

/// Gives blocks of sorted records one after the other.
pub(in crate::change) trait BlockSource: Send {
    /// The next block of records; an empty one at the end.
    fn next_block(&mut self) -> io::Result<Vec<u8>>;
}

impl SortedRun {
    /// The block at a place in the run, and where the next one is; places start at 0.
    fn read(&self, place: usize, decoder: &mut Decoder) -> io::Result<(Vec<u8>, usize)> {
        match self {
            SortedRun::Memory(gathered) => Ok(gathered.block(place, BLOCK)),
            SortedRun::Stored(run) => match run.blocks.get(place) {
                Some(&block) => Ok((run.store.read(block, decoder)?, place + 1)),
                None => Ok((Vec::new(), place)),
            },
            SortedRun::Blocks(blocks) => {
                let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
                Ok((blocks.next_block()?, place + 1))
            }
        }
    }
}

/// Runs merged: the least of the first records of all, again and again, by a tree of losers.
pub(in crate::change) struct RunMerge {
    order: Order,
    heads: Vec<Head>,
    /// At 0 the run whose turn it is, behind it the losers of the comparisons on its way.
    tree: Vec<usize>,
    is_fresh: bool,
    fetcher: Fetcher,
}

/// A run and its first record.
struct Head {
    run: Arc<SortedRun>,
    /// A block, empty at the end of the run, and where in it the record is.
    block: Vec<u8>,
    at: usize,
    /// The block behind it.
    next: NextBlock,
    prefix: u64,
    number: u64,
}

/// Where a block is, or on its way.
enum NextBlock {
    At(usize),
    Asked(usize, Receiver<Fetched>),
}

type Fetched = io::Result<(Vec<u8>, usize)>;

impl RunMerge {
    /// Merges runs; blocks are read ahead on `threads` threads, or on this one if there are none.
    pub(in crate::change) fn new(
        runs: Vec<SortedRun>,
        order: Order,
        threads: usize,
    ) -> io::Result<RunMerge> {
        let mut fetcher = Fetcher::new(threads.min(runs.len()));
        let mut heads = Vec::with_capacity(runs.len());
        for run in runs {
            let run = Arc::new(run);
            let next = fetcher.ask(&run, 0);
            heads.push(Head { run, block: Vec::new(), at: 0, next, prefix: 0, number: 0 });
        }
        for head in &mut heads {
            head.look(order, &mut fetcher)?;
        }
        let mut merge = RunMerge { order, heads, tree: Vec::new(), is_fresh: true, fetcher };
        merge.plant();
        Ok(merge)
    }

    /// Plays all matches. The leaf of run n lies behind the inner nodes, which are numbered from 1.
    fn plant(&mut self) {
        const NOBODY: usize = usize::MAX;
        let n = self.heads.len();
        self.tree = vec![NOBODY; n.max(1)];
        for leaf in 0..n {
            let (mut winner, mut node) = (leaf, (leaf + n) / 2);
            // The first at a node waits for the second.
            while node > 0 && self.tree[node] != NOBODY {
                if self.is_before(self.tree[node], winner) {
                    std::mem::swap(&mut self.tree[node], &mut winner);
                }
                node /= 2;
            }
            self.tree[node] = winner;
        }
    }

    /// Whether the next record of one run comes before that of another.
    #[inline]
    fn is_before(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.heads[one], &self.heads[other]);
        let by_key = || match self.order.is_short() {
            true => Ordering::Equal,
            false => a.key().cmp(b.key()),
        };
        let order = a.is_over().cmp(&b.is_over()).then(a.prefix.cmp(&b.prefix));
        order.then_with(by_key).then(a.number.cmp(&b.number)).is_lt()
    }

    /// The next record.
    #[inline]
    pub(in crate::change) fn next(&mut self) -> io::Result<Option<SortEntry<'_>>> {
        if self.heads.is_empty() {
            return Ok(None);
        }
        if !std::mem::take(&mut self.is_fresh) {
            let last = self.tree[0];
            let head = &mut self.heads[last];
            if head.is_over() {
                return Ok(None);
            }
            head.at += SortEntry::at(&head.block[head.at..]).len();
            head.look(self.order, &mut self.fetcher)?;
            let (mut winner, mut node) = (last, (last + self.heads.len()) / 2);
            while node > 0 {
                if self.is_before(self.tree[node], winner) {
                    std::mem::swap(&mut self.tree[node], &mut winner);
                }
                node /= 2;
            }
            self.tree[0] = winner;
        }
        Ok(self.heads[self.tree[0]].entry())
    }
}

impl Head {
    /// Sees what is next, and gets another block where one is used up.
    #[inline]
    fn look(&mut self, order: Order, fetcher: &mut Fetcher) -> io::Result<()> {
        if self.at == self.block.len() {
            self.at = 0;
            let next = std::mem::replace(&mut self.next, NextBlock::At(0));
            let behind;
            (self.block, behind) = fetcher.get(&self.run, next)?;
            if self.block.is_empty() {
                return Ok(());
            }
            self.next = fetcher.ask(&self.run, behind);
        }
        let entry = SortEntry::at(&self.block[self.at..]);
        self.number = entry.number;
        self.prefix = match order.is_short() {
            true => coordinate_of(entry.record),
            false => prefix(entry.key),
        };
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.block.is_empty()
    }

    #[inline]
    fn entry(&self) -> Option<SortEntry<'_>> {
        (!self.is_over()).then(|| SortEntry::at(&self.block[self.at..]))
    }

    fn key(&self) -> &[u8] {
        self.entry().map_or(&[], |entry| entry.key)
    }
}

/// Reads the blocks that will be needed next, one of each run, so that no thread waits for room.
struct Fetcher {
    /// `None`: blocks are read when they are needed.
    requests: Option<Sender<Request>>,
    threads: Vec<JoinHandle<()>>,
    own: Decoder,
}

struct Request {
    run: Arc<SortedRun>,
    place: usize,
    reply: SyncSender<Fetched>,
}

impl Fetcher {
    fn new(threads: usize) -> Fetcher {
        let own = Decoder::default();
        let (requests, asked) = channel::<Request>();
        let asked = Arc::new(Mutex::new(asked));
        let mut handles = Vec::new();
        for _ in 0..threads {
            let (asked, mut decoder) = (Arc::clone(&asked), Decoder::default());
            let work = move || {
                // Out of the lock before the work begins.
                let next = || asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(Request { run, place, reply }) = next() {
                    // Who doesn't wait for it any more doesn't want it.
                    let _ = reply.send(run.read(place, &mut decoder));
                }
            };
            match std::thread::Builder::new().name("sort-read".into()).spawn(work) {
                Ok(handle) => handles.push(handle),
                // Then fewer do it, or this thread.
                Err(_) => break,
            }
        }
        let requests = (!handles.is_empty()).then_some(requests);
        Fetcher { requests, threads: handles, own }
    }

    /// Asks for the block at a place.
    fn ask(&self, run: &Arc<SortedRun>, place: usize) -> NextBlock {
        let Some(requests) = &self.requests else { return NextBlock::At(place) };
        let (reply, block) = sync_channel(1);
        match requests.send(Request { run: Arc::clone(run), place, reply }) {
            Ok(()) => NextBlock::Asked(place, block),
            Err(_) => NextBlock::At(place),
        }
    }

    /// The block that was asked for, or else it is read now.
    fn get(&mut self, run: &SortedRun, next: NextBlock) -> Fetched {
        let place = match next {
            NextBlock::At(place) => place,
            NextBlock::Asked(place, block) => match block.recv() {
                Ok(fetched) => return fetched,
                Err(_) => place,
            },
        };
        run.read(place, &mut self.own)
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        self.requests = None;
        for thread in self.threads.drain(..) {
            // A panic was told when it happened, and no block came.
            let _ = thread.join();
        }
    }
}
