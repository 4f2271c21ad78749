//! Cutting low-quality ends by running sums: the rule of BWA, with the meaning the options have in cutadapt.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// How many bases are cut off an end. `deficits` says of each base, from that end on, how far its quality is below the cutoff; their sum
/// grows over a bad end. Bases are cut up to where it is highest first, and none is looked at behind the one that makes it negative.
fn bad_bases(deficits: impl Iterator<Item = i64>) -> usize {
    let (mut sum, mut highest, mut bad) = (0, 0, 0);
    for (number, deficit) in (1..).zip(deficits) {
        sum += deficit;
        if sum < 0 {
            break;
        }
        if sum > highest {
            (highest, bad) = (sum, number);
        }
    }
    bad
}

fn deficit(cutoff: u8, quality: u8) -> i64 {
    i64::from(cutoff) + 33 - i64::from(quality)
}

/// Cuts both ends up to where the sum of (cutoff − quality) is highest. Nothing is left of a read whose cuts meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QualityCutoff {
    /// The cutoffs of the front of first and of second reads; 0 cuts nothing.
    pub front: [u8; 2],
    /// Those of the end.
    pub tail: [u8; 2],
}

impl Trimmer for QualityCutoff {
    fn kind(&self) -> Trim {
        Trim::Quality
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let qualities = read.qualities().iter();
        let (front, tail) = (self.front[mate], self.tail[mate]);
        let front = bad_bases(qualities.clone().map(|&quality| deficit(front, quality)));
        let tail = bad_bases(qualities.rev().map(|&quality| deficit(tail, quality)));
        read.drop_front(front);
        read.drop_tail(tail);
    }
}

/// Cuts the end as [`QualityCutoff`] does, but takes each G for a bad base, whatever its quality: two-color machines write G where there
/// is no signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextSeqTrim(pub u8);

impl Trimmer for NextSeqTrim {
    fn kind(&self) -> Trim {
        Trim::Quality
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        let bases = read.sequence().iter().zip(read.qualities()).rev();
        let tail = bad_bases(bases.map(|(&base, &quality)| match base {
            b'G' => 1,
            _ => deficit(self.0, quality),
        }));
        read.drop_tail(tail);
    }
}

#[cfg(test)]
mod tests {
    use biofast_fastq::Record;
    use proptest::prelude::*;

    use super::*;

    /// By definition: of the prefixes before the sum is negative, the shortest of those with the highest sum above 0.
    fn definition(deficits: &[i64]) -> usize {
        let sums: Vec<i64> = (0..=deficits.len()).map(|n| deficits[..n].iter().sum()).collect();
        let looked_at = sums.iter().position(|&sum| sum < 0).unwrap_or(sums.len());
        let highest = sums[..looked_at].iter().max().copied().unwrap_or_default();
        sums.iter().position(|&sum| sum == highest).unwrap_or_default()
    }

    proptest! {
        #[test]
        fn ends_are_cut_where_the_sum_is_highest(
            read in prop::collection::vec((prop::sample::select(&b"ACGTNg"[..]), 0u8..42), 0..60),
            [front, tail, g] in [0u8..42, 0u8..42, 1u8..42],
        ) {
            let (bases, qualities): (Vec<u8>, Vec<u8>) =
                read.iter().map(|&(base, quality)| (base, quality + 33)).unzip();
            let record = Record::new(b"r", &bases, &qualities);
            let below = |cutoff: u8| move |&(_, q): &(u8, u8)| i64::from(cutoff) - i64::from(q);
            let mut deficits: Vec<i64> = read.iter().map(below(front)).collect();
            let start = definition(&deficits);
            deficits = read.iter().rev().map(below(tail)).collect();
            let end = read.len() - definition(&deficits);
            let mut cut = TrimmedRead::new(record);
            QualityCutoff { front: [0, front], tail: [0, tail] }.trim_read(&mut cut, 1);
            let left = if start < end { &bases[start..end] } else { &[] };
            prop_assert_eq!(cut.sequence(), left);

            let bad = |&(base, q): &(u8, u8)| if base == b'G' { 1 } else { below(g)(&(base, q)) };
            deficits = read.iter().rev().map(bad).collect();
            let mut cut = TrimmedRead::new(record);
            NextSeqTrim(g).trim_read(&mut cut, 0);
            prop_assert_eq!(cut.sequence(), &bases[..bases.len() - definition(&deficits)]);
        }
    }
}
