//! A set of k-mers: a sorted list, and where in it each start of a k-mer begins.

use crate::change::segment::MemorySegment;

/// K-mers in ascending order, 8 bytes each, as index files have them: nothing has to be moved. One or two bytes more say where
/// those of the same first bits are, so that two or four are compared with what is looked for.
pub(super) struct KmerSet {
    kmers: MemorySegment,
    /// Where the k-mers of each value of the first bits begin, and where the last ones end; without the lowest bits of these
    /// numbers if there are 2^32 k-mers and more.
    starts: Vec<u32>,
    /// How many bits that are.
    coarse: u32,
    /// How many bits follow the first ones.
    shift: u32,
}

/// So many are looked up at once, so that the memory answers for all of them at the same time.
const TOGETHER: usize = 32;
/// Of more k-mers with the same first bits, half are left out at a time.
const FEW: usize = 16;

impl KmerSet {
    /// The set of these k-mers of `bits` bits, native 64-bit numbers in any order, and whether all of them are different.
    pub(super) fn new(kmers: MemorySegment, bits: u32) -> (KmerSet, bool) {
        let len = (kmers.size() / size_of::<u64>()) as u64;
        KmerSet::with(kmers, bits, (len >> 32).checked_ilog2().map_or(0, |highest| highest + 1))
    }

    /// The same without the lowest bits of starts.
    pub(super) fn with(mut kmers: MemorySegment, bits: u32, coarse: u32) -> (KmerSet, bool) {
        let (all, _) = kmers.bytes_mut().as_chunks_mut();
        let ascends = |all: &[[u8; 8]]| all.is_sorted_by(|one, next| number(one) < number(next));
        let mut are_different = ascends(all);
        if !are_different {
            all.sort_unstable_by_key(number);
            are_different = ascends(all);
        }
        let buckets = (all.len() / 4).next_power_of_two().max(2).min(1 << bits.min(32));
        let shift = bits - buckets.ilog2();
        let mut starts = Vec::with_capacity(buckets + 1);
        for (at, kmer) in all.iter().enumerate() {
            let bucket = (number(kmer) >> shift) as usize;
            if starts.len() <= bucket {
                starts.resize(bucket + 1, (at >> coarse) as u32);
            }
        }
        starts.resize(buckets + 1, (all.len() >> coarse) as u32);
        (KmerSet { kmers, starts, coarse, shift }, are_different)
    }

    pub(super) fn len(&self) -> usize {
        self.kmers.size() / size_of::<u64>()
    }

    /// Whether each of these is in it, instead of what `found` has.
    pub(super) fn look_up(&self, kmers: &[u64], found: &mut Vec<bool>) {
        found.clear();
        let (all, _) = self.kmers.bytes().as_chunks();
        let more = (1 << self.coarse) - 1;
        for kmers in kmers.chunks(TOGETHER) {
            let mut places = [(0, 0); TOGETHER];
            for (place, &kmer) in places.iter_mut().zip(kmers) {
                let bucket = (kmer >> self.shift) as usize;
                if let Some(&[from, to]) = self.starts.get(bucket..bucket + 2) {
                    let to = ((to as usize) << self.coarse) + more;
                    *place = ((from as usize) << self.coarse, to.min(all.len()));
                }
            }
            let mut are_first = [false; TOGETHER];
            for ((is_first, &(from, to)), &kmer) in are_first.iter_mut().zip(&places).zip(kmers) {
                *is_first = from < to && number(&all[from]) == kmer;
            }
            for ((&is_first, &(from, to)), &kmer) in are_first.iter().zip(&places).zip(kmers) {
                found.push(is_first || has(&all[from..to], kmer));
            }
        }
    }
}

fn number(bytes: &[u8; 8]) -> u64 {
    u64::from_ne_bytes(*bytes)
}

/// Whether a sorted list has a k-mer; all of a few are compared, which is faster than to stop at one.
fn has(list: &[[u8; 8]], kmer: u64) -> bool {
    match list.len() {
        ..=FEW => list.iter().fold(false, |found, one| found | (number(one) == kmer)),
        _ => list.binary_search_by_key(&kmer, number).is_ok(),
    }
}
