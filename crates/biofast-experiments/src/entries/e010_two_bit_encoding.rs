//! 010: two bits a base against ASCII for counting and reverse complement, with and without the conversion.

use anyhow::{Result, bail};
use biofast_kernels::{BaseCounts, count_bases};

use super::{reverse_simd, two_bit};
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;

pub(super) struct TwoBitEncoding;

impl Entry for TwoBitEncoding {
    fn id(&self) -> &'static str {
        "010"
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (bases, len) = two_bit::plain_bases(cell, lab)?;
        let mut data = Data::new(bases, len);
        let work: fn(&mut Data) = match (cell.get("operation"), cell.get("encoding")) {
            ("count", "ascii") => Data::count_letters,
            ("count", "2bit") => Data::count_packed,
            ("count", "2bit-encode") => Data::encode_and_count,
            ("reverse-complement", "ascii") => Data::reverse_letters,
            ("reverse-complement", "2bit") => Data::reverse_packed,
            ("reverse-complement", "2bit-encode") => Data::encode_and_reverse,
            other => bail!("no condition is called {other:?}"),
        };
        Ok(Box::new(move |calls| {
            if calls == 0 {
                return Ok(data.answer());
            }
            repeat(calls, || work(std::hint::black_box(&mut data)));
            Ok(Outcome::deferred())
        }))
    }
}

/// Reads in both encodings, and room for results.
struct Data {
    bases: Vec<u8>,
    len: usize,
    /// Words of a packed read.
    words: usize,
    packed: Vec<u64>,
    counts: BaseCounts,
    letters_out: Vec<u8>,
    packed_out: Vec<u64>,
    /// Which of the results is the last one.
    result: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Counts,
    Letters,
    Packed,
}

impl Data {
    fn new(bases: Vec<u8>, len: usize) -> Data {
        let words = two_bit::words(len);
        let mut packed = vec![0; bases.len() / len * words];
        for (read, packed) in bases.chunks_exact(len).zip(packed.chunks_exact_mut(words)) {
            two_bit::encode(read, packed);
        }
        Data {
            letters_out: vec![0; bases.len()],
            packed_out: vec![0; packed.len()],
            counts: BaseCounts::default(),
            result: Kind::Counts,
            bases,
            len,
            words,
            packed,
        }
    }

    fn count_letters(&mut self) {
        self.counts = BaseCounts::default();
        for read in self.bases.chunks_exact(self.len) {
            self.counts += count_bases(read);
        }
        self.result = Kind::Counts;
    }

    fn count_packed(&mut self) {
        self.counts = BaseCounts::default();
        for read in self.packed.chunks_exact(self.words) {
            self.counts += two_bit::count(read, self.len);
        }
        self.result = Kind::Counts;
    }

    fn encode_and_count(&mut self) {
        self.counts = BaseCounts::default();
        let mut packed = vec![0; self.words];
        for read in self.bases.chunks_exact(self.len) {
            two_bit::encode(read, &mut packed);
            self.counts += two_bit::count(&packed, self.len);
        }
        self.result = Kind::Counts;
    }

    fn reverse_letters(&mut self) {
        let reverse_complement = reverse_simd::fastest();
        let outs = self.letters_out.chunks_exact_mut(self.len);
        for (read, out) in self.bases.chunks_exact(self.len).zip(outs) {
            reverse_complement(read, out);
        }
        self.result = Kind::Letters;
    }

    fn reverse_packed(&mut self) {
        let outs = self.packed_out.chunks_exact_mut(self.words);
        for (read, out) in self.packed.chunks_exact(self.words).zip(outs) {
            two_bit::reverse_complement(read, self.len, out);
        }
        self.result = Kind::Packed;
    }

    fn encode_and_reverse(&mut self) {
        let (mut there, mut back) = (vec![0; self.words], vec![0; self.words]);
        let outs = self.letters_out.chunks_exact_mut(self.len);
        for (read, out) in self.bases.chunks_exact(self.len).zip(outs) {
            two_bit::encode(read, &mut there);
            two_bit::reverse_complement(&there, self.len, &mut back);
            two_bit::decode(&back, out);
        }
        self.result = Kind::Letters;
    }

    fn answer(&mut self) -> Outcome {
        let bytes = self.bases.len();
        match self.result {
            Kind::Counts => {
                let c = self.counts;
                return Outcome::new(format!("{}/{}/{}/{}", c.a, c.c, c.g, c.t), bytes);
            }
            Kind::Packed => {
                let outs = self.letters_out.chunks_exact_mut(self.len);
                for (read, out) in self.packed_out.chunks_exact(self.words).zip(outs) {
                    two_bit::decode(read, out);
                }
            }
            Kind::Letters => {}
        }
        Outcome::new(libdeflater::crc32(&self.letters_out), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_agree() {
        let bases: Vec<u8> = (0..151 * 7).map(|i| b"ACGT"[(i * i + i / 3) % 4]).collect();
        let answer = |work: fn(&mut Data)| {
            let mut data = Data::new(bases.clone(), 151);
            work(&mut data);
            data.answer().answer
        };
        let counts = answer(Data::count_letters);
        assert_eq!(answer(Data::count_packed), counts);
        assert_eq!(answer(Data::encode_and_count), counts);
        let reversed = answer(Data::reverse_letters);
        assert_eq!(answer(Data::reverse_packed), reversed);
        assert_eq!(answer(Data::encode_and_reverse), reversed);
        assert_ne!(counts, reversed);
    }
}
