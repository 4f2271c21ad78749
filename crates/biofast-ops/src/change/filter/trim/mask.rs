//! Bases of low quality become `N`.

use biofast_kernels::{count_at_least, mask_below};

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Replaces each base left whose quality is below this Phred value by `N`. Its quality stays.
#[derive(Clone, Copy, Debug)]
pub struct MaskBelow(pub u8);

impl Trimmer for MaskBelow {
    fn kind(&self) -> Trim {
        Trim::MaskBelow
    }

    /// Cuts nothing; what changes letters needs [`trim`](Trimmer::trim).
    fn trim_read(&self, _: &mut TrimmedRead<'_>, _: usize) {}

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        for mate in 0..2 {
            let Some(read) = reads.read(mate).copied() else { continue };
            let qualities = read.qualities();
            if count_at_least(qualities, self.0) < read.len() as u64 {
                let masked = mask_below(reads.edit(mate).sequence_mut(), qualities, self.0);
                reads.counts.masked += masked;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use biofast_fastq::{Record, Unit};
    use proptest::prelude::*;

    use super::*;
    use crate::filter::Filter;
    use crate::filter::trim::{Crop, KeepFirst};

    type Read = Vec<(u8, u8)>;

    fn read() -> impl Strategy<Value = Read> {
        let base = prop::sample::select(&b"ACGTNacgtn"[..]);
        prop::collection::vec((base, 33u8..=75), 1..90)
    }

    proptest! {
        #[test]
        fn what_is_left_is_masked_after_it_was_cut(reads in [read(), read()], least in 0u8..45, cut in 0usize..9) {
            let filter = Filter::new()
                .trim(Crop { front: [cut, 0], tail: [0; 2] })
                .trim(MaskBelow(least))
                .trim(KeepFirst([80; 2]));
            let [first, second]: [(Vec<u8>, Vec<u8>); 2] = reads.map(|read| read.into_iter().unzip());
            let mut expected = String::new();
            let mut masked = [0, 0];
            for ((bases, qualities), cut) in [(&first, cut), (&second, 0)] {
                let left = cut.min(bases.len())..bases.len();
                let letter = |i: usize| if qualities[i] - 33 < least { b'N' } else { bases[i] };
                let letters: Vec<u8> = left.clone().map(letter).collect();
                masked[1] += left.clone().filter(|&i| bases[i] != letter(i)).count() as u64;
                let [letters, qualities] = [&letters, &qualities[left]].map(|text| {
                    String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned()
                });
                expected += &format!("@r\n{letters}\n+\n{qualities}\n");
            }
            masked[0] = u64::from(masked[1] > 0);
            prop_assume!(cut < first.0.len());
            let unit = Unit {
                index: 0,
                first: Record::new(b"r", &first.0, &first.1),
                second: Some(Record::new(b"r", &second.0, &second.1)),
            };
            let mut worker = filter.worker();
            let mut texts = vec![Vec::new()];
            worker.apply(unit, &mut texts);
            prop_assert_eq!(String::from_utf8_lossy(&texts[0]), expected);
            prop_assert_eq!(worker.tally().trimmed(Trim::MaskBelow), masked.into());
        }
    }
}
