//! The codes of a block of a stream: as tables for the fast loop, and as they are for the careful decoder, which must
//! not take more than one symbol at a time where input may end after each.

use crate::fast::Isa;
use crate::fault::FaultKind;
use crate::header::Build;
use crate::huffman::Code;
use crate::tables::Tables;

/// See above.
pub(super) struct Codes {
    pub(super) tables: Tables,
    pub(super) symbols: Code,
    pub(super) distances: Code,
}

impl Codes {
    pub(super) fn new() -> Self {
        Self { tables: Tables::new(), symbols: Code::NONE, distances: Code::NONE }
    }
}

impl Build for Codes {
    #[inline(always)]
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind> {
        self.symbols = Code::new(symbols)?;
        self.distances = Code::new(distances)?;
        self.tables.fill::<I>(&self.symbols, &self.distances)
    }
}
