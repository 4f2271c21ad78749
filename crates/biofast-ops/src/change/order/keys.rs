//! Keys that are compared byte by byte.

use biofast_fastq::Unit;

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
    /// Chance: each seed has an order of its own.
    Chance {
        /// The seed.
        seed: u64,
    },
}

impl OrderBy {
    /// Appends the key of a unit.
    pub(super) fn write(self, unit: &Unit<'_>, out: &mut Vec<u8>) {
        match self {
            OrderBy::Length => {
                let second = unit.second.map_or(0, |second| second.sequence().len());
                let len = (unit.first.sequence().len() + second) as u64;
                out.extend_from_slice(&len.to_be_bytes());
            }
            OrderBy::Name => out.extend_from_slice(unit.first.name()),
            OrderBy::NaturalName => natural(unit.first.name(), out),
            OrderBy::Sequence => out.extend_from_slice(unit.first.sequence()),
            OrderBy::Chance { seed } => {
                out.extend_from_slice(&mixed(mixed(seed) ^ unit.index).to_be_bytes());
            }
        }
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
    fn seeds_put_each_of_five_in_each_place_as_often() {
        let read = biofast_fastq::Record::new(b"r", b"A", b"I");
        let seeds = 6_000;
        let mut counts = [[0u32; 5]; 5];
        for seed in 0..seeds {
            let by = OrderBy::Chance { seed };
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
