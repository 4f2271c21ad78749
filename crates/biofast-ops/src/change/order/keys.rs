//! Keys that are compared byte by byte.

use biofast_fastq::Unit;
use biofast_kernels::{MinimizerBuffers, MinimizerScheme, find_minimizers};

/// What units are put in order by. Pairs go by their first reads, but by length by both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderBy {
    /// The number of bases, the fewest first.
    Length,
    /// The name, byte by byte.
    Name,
    /// The name, where runs of digits are numbers: `r2` comes before `r10`.
    NaturalName,
    /// The bases, byte by byte.
    Sequence,
    /// A k-mer, so that reads of one place are next to each other, which compress better: of the canonical minimizers of 21 bases,
    /// the one whose hash is least; then its strand, and where it is. Reads without one come last, by their bases.
    Similarity,
    /// Chance: each seed has an order of its own.
    Chance {
        /// The seed.
        seed: u64,
    },
}

/// Bases of a k-mer, and k-mers of which one is the minimizer, by which reads are put together.
const SIMILAR: (usize, usize) = (21, 11);

/// Makes the keys of units, and has the memory for that.
pub(super) struct KeyMaker {
    by: OrderBy,
    scheme: Option<MinimizerScheme>,
    found: MinimizerBuffers,
}

impl KeyMaker {
    pub(super) fn new(by: OrderBy) -> KeyMaker {
        let (k, w) = SIMILAR;
        let scheme = (by == OrderBy::Similarity).then(|| MinimizerScheme::new(k, w)).flatten();
        KeyMaker { by, scheme, found: MinimizerBuffers::default() }
    }

    /// Appends the key of a unit.
    pub(super) fn write(&mut self, unit: &Unit<'_>, out: &mut Vec<u8>) {
        match self.by {
            OrderBy::Length => {
                let second = unit.second.map_or(0, |second| second.sequence().len());
                let len = (unit.first.sequence().len() + second) as u64;
                out.extend_from_slice(&len.to_be_bytes());
            }
            OrderBy::Name => out.extend_from_slice(unit.first.name()),
            OrderBy::NaturalName => natural(unit.first.name(), out),
            OrderBy::Sequence => out.extend_from_slice(unit.first.sequence()),
            OrderBy::Similarity => self.write_similarity(unit.first.sequence(), out),
            OrderBy::Chance { seed } => {
                out.extend_from_slice(&mixed(mixed(seed) ^ unit.index).to_be_bytes());
            }
        }
    }

    fn write_similarity(&mut self, bases: &[u8], out: &mut Vec<u8>) {
        if let Some(scheme) = &self.scheme {
            // What is beyond is far from any reads of the same place.
            let bases = &bases[..bases.len().min(u32::MAX as usize)];
            find_minimizers(bases, scheme, &mut self.found);
            let found = self.found.kmers().iter().zip(self.found.positions());
            if let Some((&kmer, &place)) =
                found.min_by_key(|(kmer, place)| (mixed(**kmer), **place))
            {
                let own = &bases[place as usize..place as usize + scheme.k()];
                let is_other_strand = MinimizerScheme::value(own) != kmer;
                out.push(0);
                out.extend_from_slice(&kmer.to_be_bytes());
                out.push(u8::from(is_other_strand));
                // The read in which it is farthest from the start begins first.
                out.extend_from_slice(&(u32::MAX - place).to_be_bytes());
                return;
            }
        }
        out.push(1);
        out.extend_from_slice(bases);
    }
}

/// A name so that byte by byte it compares as a person would: a number is a `0`, its length and its digits.
fn natural(name: &[u8], out: &mut Vec<u8>) {
    let mut rest = name;
    while let Some(&first) = rest.first() {
        if !first.is_ascii_digit() {
            out.push(first);
            rest = &rest[1..];
            continue;
        }
        let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        rest = after;
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let digits = &digits[zeros..];
        out.push(b'0');
        out.extend_from_slice(&(digits.len() as u32).to_be_bytes());
        out.extend_from_slice(digits);
    }
}

/// The mixing step of SplitMix64 (Steele, Lea and Flood 2014).
pub(in crate::change) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_digits_are_numbers() {
        let names = ["a", "a1", "a2", "a2b1", "a2b10", "a03", "a10", "a10.9", "a10.10", "b", "b1"];
        let keys = names.map(|name| {
            let mut key = Vec::new();
            natural(name.as_bytes(), &mut key);
            key
        });
        assert!(keys.is_sorted(), "{keys:?}");
    }

    #[test]
    fn reads_of_one_place_have_one_kmer_and_come_by_their_starts() {
        let mut random = 3u64;
        let genome: Vec<u8> = (0..400)
            .map(|_| {
                random = mixed(random);
                b"ACGT"[(random >> 62) as usize]
            })
            .collect();
        let qualities = [b'I'; 400];
        let mut keys = KeyMaker::new(OrderBy::Similarity);
        let mut key = |bases: &[u8]| {
            let first = biofast_fastq::Record::new(b"r", bases, &qualities[..bases.len()]);
            let mut key = Vec::new();
            keys.write(&Unit { index: 0, first, second: None }, &mut key);
            key
        };
        // Of overlapping reads, most share the k-mer: then the order is that of their starts.
        let all: Vec<Vec<u8>> = (0..20).map(|start| key(&genome[start..start + 150])).collect();
        let mut shared = 0;
        for pair in all.windows(2) {
            if pair[0][..9] == pair[1][..9] {
                shared += 1;
                assert!(pair[0] < pair[1]);
            }
        }
        assert!(shared >= 15, "{shared}");
        // The other strand has the same one.
        let other: Vec<u8> = genome[..150]
            .iter()
            .rev()
            .map(|base| crate::change::grep::COMPLEMENTS[usize::from(*base)])
            .collect();
        assert_eq!(key(&other)[..9], all[0][..9]);
        assert_ne!(key(&other)[9], all[0][9]);
        // Without any, by bases, behind all others.
        assert!(key(b"ACGT") > all[0] && key(b"ACGT") < key(b"ACT"));
    }

    #[test]
    fn seeds_put_each_of_five_in_each_place_as_often() {
        let read = biofast_fastq::Record::new(b"r", b"A", b"I");
        let seeds = 6_000;
        let mut counts = [[0u32; 5]; 5];
        for seed in 0..seeds {
            let mut by = KeyMaker::new(OrderBy::Chance { seed });
            let mut order: Vec<(Vec<u8>, usize)> = (0..5)
                .map(|index| {
                    let unit = Unit { index: index as u64, first: read, second: None };
                    let mut key = Vec::new();
                    by.write(&unit, &mut key);
                    (key, index)
                })
                .collect();
            order.sort();
            for (place, (_, index)) in order.iter().enumerate() {
                counts[*index][place] += 1;
            }
        }
        // 1,200 times each; 31 is a standard deviation.
        assert!(counts.iter().flatten().all(|count| (1_050..1_350).contains(count)), "{counts:?}");
    }
}
