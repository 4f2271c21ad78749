//! What a lane does outside the fast loop: blocks start and end, with every access checked.

use crate::fault::FaultKind;
use crate::header::{Body, Build};
use crate::instructions::Isa;
use crate::lane::Lane;
use crate::map::{Coding, StreamMap};
use crate::tables::Tables;
use crate::{careful, header};

/// How a lane goes on.
pub(crate) enum Next {
    /// In the fast loop.
    Fast,
    /// Not at all: the stream is complete and as long as it should be.
    Done,
}

impl Lane<'_> {
    /// Starts the stream if it isn't `inside` of a DEFLATE block. If it is, decodes at least one table entry with every access
    /// checked, then what else the fast loop can't: the ends of input and output, and from the end of a DEFLATE block to
    /// the codes of the next.
    ///
    /// # Errors
    /// The fault that ends the stream.
    #[inline(always)]
    pub(crate) fn service<I: Isa, const MAPPED: bool>(
        &mut self,
        tables: &mut Tables,
        mut inside: bool,
    ) -> Result<Next, FaultKind> {
        loop {
            if inside {
                if let careful::Stop::Margins = careful::decode::<MAPPED>(self, tables)? {
                    return Ok(Next::Fast);
                }
                if self.last {
                    return self.finish();
                }
            }
            let (last, body) = self.read_header::<I, MAPPED>(tables)?;
            self.last = last;
            inside = match body {
                Body::Coded if self.has_margins() => return Ok(Next::Fast),
                Body::Coded => true,
                Body::Stored(length) => {
                    self.copy_stored(length)?;
                    if last {
                        return self.finish();
                    }
                    false
                }
            };
        }
    }

    #[inline(always)]
    fn read_header<I: Isa, const MAPPED: bool>(
        &mut self,
        tables: &mut Tables,
    ) -> Result<(bool, Body), FaultKind> {
        if MAPPED && let Some(map) = &mut self.map {
            let head = self.bits.at;
            let kind = self.bits.peek() >> 1 & 3;
            let keep = (kind == 2).then_some(&mut **map);
            let read = header::read::<I>(&mut self.bits, &mut Mapping { tables, map: keep })?;
            let coding = match kind {
                0 => Coding::Stored,
                1 => Coding::Fixed,
                _ => map.last_lengths(),
            };
            map.push_block(coding, head, self.bits.at, self.at);
            Ok(read)
        } else {
            header::read::<I>(&mut self.bits, tables)
        }
    }

    fn copy_stored(&mut self, length: usize) -> Result<(), FaultKind> {
        let start = self.bits.at / 8;
        let bytes = self.bits.bytes.get(start..start + length).ok_or(FaultKind::InputEnds)?;
        let room = self.output.get_mut(self.at..self.at + length).ok_or(FaultKind::TooLong)?;
        room.copy_from_slice(bytes);
        self.bits.at += 8 * length;
        self.at += length;
        Ok(())
    }

    fn finish(&mut self) -> Result<Next, FaultKind> {
        self.bits.check()?;
        let used = self.bits.at.div_ceil(8);
        if self.at < self.output.len() {
            Err(FaultKind::TooShort { found: self.at })
        } else if used < self.bits.bytes.len() {
            Err(FaultKind::TrailingBytes { used })
        } else {
            if let Some(map) = &mut self.map {
                map.finish(self.bits.at);
            }
            Ok(Next::Done)
        }
    }
}

/// Tables that are built, and the map that keeps the code lengths, if one does.
struct Mapping<'a> {
    tables: &'a mut Tables,
    map: Option<&'a mut StreamMap>,
}

impl Build for Mapping<'_> {
    #[inline(always)]
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind> {
        if let Some(map) = &mut self.map {
            map.push_lengths(symbols, distances);
        }
        self.tables.build::<I>(symbols, distances)
    }
}
