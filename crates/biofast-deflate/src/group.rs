//! Several blocks at once: lanes take blocks as they get free.

use biofast_kernels::Isa;

use crate::fault::Fault;
use crate::isa;
use crate::map::StreamMap;
use crate::tables::Tables;
use crate::workspace::Block;
use crate::workspace::{Inflate, InflateWorkspace, LANES, MAX_LANES};

/// Inflates blocks, three at once, or as many as [set](Self::set_lanes). Holds about 170 kB of tables: keep it.
pub struct Inflater {
    work: InflateWorkspace,
    inflate: Inflate,
    inflate_mapped: Inflate,
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
        Self {
            work: InflateWorkspace { tables, lanes: LANES },
            inflate: isa::inflate_for::<false>(isa),
            inflate_mapped: isa::inflate_for::<true>(isa),
        }
    }

    /// Sets how many blocks are inflated at once from now on, 1 to 4. Which number is fastest depends on the CPU, above
    /// all on its caches, by a few percent. The output is the same.
    pub fn set_lanes(&mut self, lanes: usize) {
        self.work.lanes = lanes.clamp(1, MAX_LANES);
    }

    /// Inflates `blocks`, each to exactly its output.
    ///
    /// It is fastest with six or more blocks of about the same length: a multiple of those inflated at once. It doesn't
    /// check checksums: see [`crc32`](crate::crc32()).
    ///
    /// # Errors
    /// The first bad block, by its index, and what is wrong with it. The blocks before it have been inflated; the
    /// outputs of the others hold anything.
    pub fn inflate_blocks<'a>(
        &mut self,
        blocks: impl IntoIterator<Item = Block<'a>>,
    ) -> Result<(), Fault> {
        let mut jobs = blocks.into_iter().map(|block| (block, None));
        (self.inflate)(&mut self.work, &mut jobs)
    }

    /// As [`inflate_blocks`](Self::inflate_blocks), and notes where each stream's matches are, for [`Splicer`](crate::Splicer).
    ///
    /// # Errors
    /// As for [`inflate_blocks`](Self::inflate_blocks).
    pub fn inflate_mapped<'a>(
        &mut self,
        blocks: impl IntoIterator<Item = (Block<'a>, &'a mut StreamMap)>,
    ) -> Result<(), Fault> {
        let mut jobs = blocks.into_iter().map(|(block, map)| {
            map.start(block.input.len(), block.output.len());
            (block, Some(map))
        });
        (self.inflate_mapped)(&mut self.work, &mut jobs)
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
