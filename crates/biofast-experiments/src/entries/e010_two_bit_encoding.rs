//! 010: two bits a base against ASCII for counting and reverse complement, with and without the conversion.

use super::packed_reads::Data;
use super::prelude::*;
use super::two_bit;

pub(super) struct TwoBitEncoding;

impl Entry for TwoBitEncoding {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (bases, len) = two_bit::plain_bases(cell, lab)?;
        let data = Data::new(bases, len);
        let work: fn(&mut Data) = match (cell.get("operation"), cell.get("encoding")) {
            ("count", "ascii") => Data::count_letters,
            ("count", "2bit") => Data::count_packed,
            ("count", "2bit-encode") => Data::encode_and_count,
            ("reverse-complement", "ascii") => Data::reverse_letters,
            ("reverse-complement", "2bit") => Data::reverse_packed,
            ("reverse-complement", "2bit-encode") => Data::encode_and_reverse,
            other => bail!("no condition is called {other:?}"),
        };
        Ok(data.task(work))
    }
}
