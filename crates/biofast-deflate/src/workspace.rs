//! The working memory of an inflater, and blocks that go through it.

use crate::fast;
use crate::fault::Fault;
use crate::lane::Lane;
use crate::map::StreamMap;
use crate::service::Next;
use crate::tables::Tables;

/// The most lanes that run at once.
pub(crate) const MAX_LANES: usize = 4;

/// How many do run if nobody says otherwise. A step's chain is short enough for two lanes to keep a core busy; more of them
/// need more registers and cache than there are. On an AMD Zen 4 two, three and four lanes ran at 1.47, 1.51 and 1.44 ×
/// libdeflate on FASTQ, on a Cascade Lake two at 1.49 and three at 1.40 (AVX2), so readers of files try. On AArch64 a fourth
/// gains little by the static analyser: see docs/performance.md.
pub(crate) const LANES: usize = 3;

/// A raw DEFLATE stream (RFC 1951, without gzip header and footer) and where its bytes go.
#[derive(Debug)]
pub struct Block<'a> {
    /// The stream, which must fill it to the last byte.
    pub input: &'a [u8],
    /// As long as what the stream inflates to. Any length; BGZF has at most 65,536 bytes.
    pub output: &'a mut [u8],
}

/// A block, and the map that is filled, if one is.
pub(crate) type Job<'a> = (Block<'a>, Option<&'a mut StreamMap>);

/// The memory that inflating takes.
pub(crate) struct InflateWorkspace {
    /// One set a lane.
    pub(crate) tables: Box<[Tables]>,
    /// How many lanes to run.
    pub(crate) lanes: usize,
}

impl InflateWorkspace {
    /// Inlined into a function that enables the target features of `I`.
    #[inline(always)]
    pub(crate) fn inflate<'a, I: fast::FastLoop, const MAPPED: bool>(
        &mut self,
        blocks: &mut dyn Iterator<Item = Job<'a>>,
    ) -> Result<(), Fault> {
        let mut waiting = blocks.enumerate();
        let mut fault: Option<Fault> = None;
        // The first `running` lanes have a stream and stand where the fast loop may go on, but for the vacant one, if there is
        // one, whose stream is done.
        let mut lanes: [Lane<'a>; MAX_LANES] = std::array::from_fn(|_| Lane::new(&[], &mut [], 0));
        let mut running = 0;
        let mut vacant = None;
        loop {
            let room = vacant.is_some() || running < self.lanes;
            let next = if room && fault.is_none() { waiting.next() } else { None };
            let inside = next.is_none();
            let k = if let Some((index, (block, map))) = next {
                let k = vacant.take().unwrap_or(running);
                running = running.max(k + 1);
                lanes[k] = Lane::new(block.input, block.output, index);
                lanes[k].map = map;
                k
            } else {
                if let Some(k) = vacant.take() {
                    running -= 1;
                    lanes.swap(k, running);
                    // Lane k has the tables k: the loop adds constant offsets to one address.
                    if k < running {
                        let (kept, moved) = self.tables.split_at_mut(running);
                        kept[k].copy_from(&moved[0]);
                    }
                }
                if running == 0 {
                    return fault.map_or(Ok(()), Err);
                }
                I::run::<MAPPED>(&mut lanes[..running], &self.tables)
            };
            // At one place, as headers and tables are inlined into it.
            let lane = &mut lanes[k];
            match lane.service::<I, MAPPED>(&mut self.tables[k], inside) {
                Ok(Next::Fast) => {}
                Ok(Next::Done) => vacant = Some(k),
                Err(kind) => {
                    note(&mut fault, Fault { index: lane.index, kind });
                    vacant = Some(k);
                }
            }
        }
    }
}

/// Keeps the fault of the first block. No more blocks are started after one; those before it are running already.
#[cold]
fn note(fault: &mut Option<Fault>, new: Fault) {
    if fault.is_none_or(|known| new.index < known.index) {
        *fault = Some(new);
    }
}

/// Inflates blocks with the given working memory.
pub(crate) type Inflate = for<'a, 'b> fn(
    &mut InflateWorkspace,
    &'a mut (dyn Iterator<Item = Job<'b>> + 'a),
) -> Result<(), Fault>;
