//! The codes of a block of a stream: as tables for the fast loop, and as they are for the careful decoder, which must
//! not take more than one symbol at a time where input may end after each.

use crate::fault::FaultKind;
use crate::header::Build;
use crate::huffman::HuffmanCode;
use crate::instructions::Isa;
use crate::tables::Tables;

/// See above.
pub(super) struct BlockCodes {
    pub(super) tables: Tables,
    pub(super) symbols: HuffmanCode,
    pub(super) distances: HuffmanCode,
}

impl BlockCodes {
    pub(super) fn new() -> Self {
        Self { tables: Tables::new(), symbols: HuffmanCode::NONE, distances: HuffmanCode::NONE }
    }
}

impl Build for BlockCodes {
    #[inline(always)]
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind> {
        self.symbols = HuffmanCode::new(symbols)?;
        self.distances = HuffmanCode::new(distances)?;
        self.tables.fill::<I>(&self.symbols, &self.distances)
    }
}
