//! A set of k-mers: one table with open addressing.

use crate::change::segment::MemorySegment;

/// K-mers below `u64::MAX`. The table has a third more slots than k-mers: 11 bytes each. Slots are in buckets of eight, which are
/// filled from the first; what finds no room in its bucket is in the next one that has.
pub(super) struct KmerSet {
    /// A slot has a k-mer plus one, or zero for none.
    slots: MemorySegment,
    len: usize,
}

/// The eight slots of a line of the cache.
type Bucket = [[u8; 8]; 8];

/// So many are looked up at once, so that the memory answers for all of them at the same time.
const TOGETHER: usize = 32;

impl KmerSet {
    /// Room for so many.
    pub(super) fn with_capacity(kmers: usize) -> KmerSet {
        let buckets = (kmers + kmers / 3) / 8 + 1;
        let size = size_of::<Bucket>() * buckets;
        let mut slots = MemorySegment::new(size);
        slots.append(size);
        KmerSet { slots, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds k-mers, as many as there is room for, and says how many of them were there already.
    pub(super) fn extend(&mut self, kmers: &[u64]) -> usize {
        let buckets = self.slots.bytes_mut().as_chunks_mut().0.as_chunks_mut().0;
        let mut new = 0;
        for kmers in kmers.chunks(TOGETHER) {
            let homes = homes(kmers, buckets);
            for (&kmer, &(home, _)) in kmers.iter().zip(&homes) {
                let mut at = home;
                let is_new = loop {
                    let bucket: &mut Bucket = &mut buckets[at];
                    if has(bucket, kmer) {
                        break false;
                    }
                    if let Some(slot) = bucket.iter_mut().find(|slot| **slot == [0; 8]) {
                        *slot = (kmer + 1).to_ne_bytes();
                        break true;
                    }
                    at = next(at, buckets);
                };
                new += usize::from(is_new);
            }
        }
        self.len += new;
        kmers.len() - new
    }

    /// Whether each of these is in it, instead of what `found` has.
    pub(super) fn look_up(&self, kmers: &[u64], found: &mut Vec<bool>) {
        found.clear();
        let buckets: &[Bucket] = self.slots.bytes().as_chunks().0.as_chunks().0;
        for kmers in kmers.chunks(TOGETHER) {
            let homes = homes(kmers, buckets);
            for (&kmer, &(home, is_used)) in kmers.iter().zip(&homes) {
                let mut at = home;
                let mut is_there = is_used && has(&buckets[at], kmer);
                while !is_there && buckets[at][7] != [0; 8] {
                    at = next(at, buckets);
                    is_there = has(&buckets[at], kmer);
                }
                found.push(is_there);
            }
        }
    }
}

/// Whether a bucket has a k-mer; all slots are compared, which is faster than to stop at one.
fn has(bucket: &Bucket, kmer: u64) -> bool {
    bucket.iter().fold(false, |found, slot| found | (u64::from_ne_bytes(*slot) == kmer + 1))
}

/// Where each k-mer is looked for first, and whether there is anything.
fn homes(kmers: &[u64], buckets: &[Bucket]) -> [(usize, bool); TOGETHER] {
    let mut homes = [(0, false); TOGETHER];
    for (home, &kmer) in homes.iter_mut().zip(kmers) {
        let mixed = (kmer ^ (kmer >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bucket = ((u128::from(mixed) * buckets.len() as u128) >> 64) as usize;
        *home = (bucket, buckets[bucket][0] != [0; 8]);
    }
    homes
}

fn next(bucket: usize, buckets: &[Bucket]) -> usize {
    if bucket + 1 == buckets.len() { 0 } else { bucket + 1 }
}
