//! What 004 and 010 share: reads as letters and in two bits a base, counted and reversed in either form.

use biofast_kernels::{BaseCounts, count_bases};

use super::prelude::*;
use super::{reverse_simd, two_bit};

/// Reads in both encodings, and room for results.
pub(super) struct Data {
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
    pub(super) fn new(bases: Vec<u8>, len: usize) -> Data {
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

    /// Does some work again and again; the answer is made when the clock stands still.
    pub(super) fn task<'a>(mut self, work: fn(&mut Data)) -> Task<'a> {
        Box::new(move |calls| {
            if calls == 0 {
                return Ok(self.answer());
            }
            repeat(calls, || work(std::hint::black_box(&mut self)));
            Ok(Outcome::deferred())
        })
    }

    pub(super) fn count_letters(&mut self) {
        self.counts = BaseCounts::default();
        for read in self.bases.chunks_exact(self.len) {
            self.counts += count_bases(read);
        }
        self.result = Kind::Counts;
    }

    pub(super) fn count_packed(&mut self) {
        self.counts = BaseCounts::default();
        for read in self.packed.chunks_exact(self.words) {
            self.counts += two_bit::count(read, self.len);
        }
        self.result = Kind::Counts;
    }

    pub(super) fn encode_and_count(&mut self) {
        self.counts = BaseCounts::default();
        let mut packed = vec![0; self.words];
        for read in self.bases.chunks_exact(self.len) {
            two_bit::encode(read, &mut packed);
            self.counts += two_bit::count(&packed, self.len);
        }
        self.result = Kind::Counts;
    }

    pub(super) fn reverse_letters(&mut self) {
        let reverse_complement = reverse_simd::fastest();
        let outs = self.letters_out.chunks_exact_mut(self.len);
        for (read, out) in self.bases.chunks_exact(self.len).zip(outs) {
            reverse_complement(read, out);
        }
        self.result = Kind::Letters;
    }

    pub(super) fn reverse_packed(&mut self) {
        let outs = self.packed_out.chunks_exact_mut(self.words);
        for (read, out) in self.packed.chunks_exact(self.words).zip(outs) {
            two_bit::reverse_complement(read, self.len, out);
        }
        self.result = Kind::Packed;
    }

    pub(super) fn encode_and_reverse(&mut self) {
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
