//! Several blocks at once: lanes take blocks as they get free.

use biofast_kernels::Isa;

use crate::fast;
use crate::fault::Fault;
use crate::isa::{self, Inflate};
use crate::lane::{Lane, Next};
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

/// Inflates blocks, three at once, or as many as [set](Self::set_lanes). Holds about 170 kB of tables: keep it.
pub struct Inflater {
    work: Work,
    inflate: Inflate,
}

/// The memory that inflating takes.
pub(crate) struct Work {
    /// One set a lane.
    tables: Box<[Tables]>,
    /// How many lanes to run.
    lanes: usize,
}

impl Inflater {
    /// How many blocks are inflated at once unless [set](Self::set_lanes) otherwise.
    pub const LANES: usize = LANES;

    /// An inflater for the instruction set that `biofast_kernels` uses.
    pub fn new() -> Self {
        Self::for_isa(biofast_kernels::active())
    }

    /// An inflater for another instruction set; `None` where the CPU doesn't have it. For tests and benchmarks.
    #[doc(hidden)]
    pub fn with_isa(isa: Isa) -> Option<Self> {
        biofast_kernels::available().contains(&isa).then(|| Self::for_isa(isa))
    }

    fn for_isa(isa: Isa) -> Self {
        let tables = (0..MAX_LANES).map(|_| Tables::new()).collect();
        Self { work: Work { tables, lanes: LANES }, inflate: isa::inflate_for(isa) }
    }

    /// How many blocks are inflated at once from now on, 1 to 4. How many are fastest depends on the CPU, its caches above all, by
    /// some hundredths; the bytes are the same.
    ///
    /// ```
    /// use biofast_deflate::{Block, Inflater};
    ///
    /// let mut inflater = Inflater::new();
    /// inflater.set_lanes(2);
    /// let mut a = [0; 1];
    /// inflater.inflate_blocks([Block { input: &[0x4b, 0x04, 0x00], output: &mut a }])?;
    /// assert_eq!(&a, b"a");
    /// # Ok::<(), biofast_deflate::Fault>(())
    /// ```
    pub fn set_lanes(&mut self, lanes: usize) {
        self.work.lanes = lanes.clamp(1, MAX_LANES);
    }

    /// Inflates `blocks`, each to exactly its output.
    ///
    /// It takes six or more blocks, of about the same length, to be at its best: a multiple of those inflated at once. Checksums are not its business: see
    /// [`crc32`](crate::crc32()).
    ///
    /// # Errors
    /// The first bad block and what is wrong with it. The blocks before it have been inflated; the outputs of the
    /// others hold anything.
    ///
    /// ```
    /// use biofast_deflate::{Block, Fault, FaultKind, Inflater};
    ///
    /// let mut output = [0; 2];
    /// let blocks = [Block { input: &[0x4b, 0x04, 0x00], output: &mut output }];
    /// let fault = Inflater::new().inflate_blocks(blocks).unwrap_err();
    /// assert_eq!(fault, Fault { index: 0, kind: FaultKind::TooShort { found: 1 } });
    /// ```
    pub fn inflate_blocks<'a>(
        &mut self,
        blocks: impl IntoIterator<Item = Block<'a>>,
    ) -> Result<(), Fault> {
        (self.inflate)(&mut self.work, &mut blocks.into_iter())
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").field("lanes", &self.work.lanes).finish_non_exhaustive()
    }
}

impl Work {
    /// Inlined into a function that enables the target features of `I`.
    #[inline(always)]
    pub(crate) fn inflate<'a, I: fast::Isa>(
        &mut self,
        blocks: &mut dyn Iterator<Item = Block<'a>>,
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
            let k = if let Some((index, block)) = next {
                let k = vacant.take().unwrap_or(running);
                running = running.max(k + 1);
                lanes[k] = Lane::new(block.input, block.output, index);
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
                I::run(&mut lanes[..running], &self.tables)
            };
            // At one place, as headers and tables are inlined into it.
            let lane = &mut lanes[k];
            match lane.service::<I>(&mut self.tables[k], inside) {
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
