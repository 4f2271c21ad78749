//! What qualities say about bases: how much likelier they are if one is a copy of the other than by chance, in 16ths of a bit, and how
//! sure a base is that was read twice.

use std::sync::LazyLock;

/// Weights are in 16ths of a bit.
pub(super) const BIT: i32 = 16;

/// Qualities are taken as an error probability of no less than this, as bases may also differ for other reasons, and no more than a
/// third, as runs of quality 2 at the ends of reads are mostly right.
const ERROR_BOUNDS: [f64; 2] = [0.01, 1.0 / 3.0];

/// Qualities below and above these have the same weight as these.
const WEIGHED: [u8; 2] = [4, 20];
/// How many qualities are told apart.
pub(super) const LEVELS: usize = (WEIGHED[1] - WEIGHED[0] + 1) as usize;

/// The level of an ASCII quality, below [`LEVELS`].
#[inline]
pub(super) fn level(quality: u8) -> usize {
    usize::from(quality.clamp(b'!' + WEIGHED[0], b'!' + WEIGHED[1]) - (b'!' + WEIGHED[0]))
}

fn error_of_level(level: usize) -> f64 {
    let phred = f64::from(WEIGHED[0]) + level as f64;
    10f64.powf(-phred / 10.0).clamp(ERROR_BOUNDS[0], ERROR_BOUNDS[1])
}

/// The weights of bases that are equal and that differ, if they are with this probability where one is a copy of the other, and in one
/// case of four by chance.
fn weigh(equal: f64) -> [i16; 2] {
    let weight = |share: f64| (f64::from(BIT) * share.log2()).round() as i16;
    [weight(equal / 0.25), weight((1.0 - equal) / 0.75)]
}

/// The weights of a base that equals a known one and that doesn't, by the level of its quality.
pub(super) static KNOWN: LazyLock<[[i16; 2]; LEVELS]> =
    LazyLock::new(|| std::array::from_fn(|level| weigh(1.0 - error_of_level(level))));

/// The weights of two bases that are equal and that aren't, by the levels of both.
pub(super) static BOTH_READ: LazyLock<[[[i16; 2]; LEVELS]; LEVELS]> = LazyLock::new(|| {
    std::array::from_fn(|first| {
        std::array::from_fn(|second| {
            let (e1, e2) = (error_of_level(first), error_of_level(second));
            weigh((1.0 - e1) * (1.0 - e2) + e1 * e2 / 3.0)
        })
    })
});

/// The highest quality of a base that was read twice, unless it was higher before.
const MOST: u8 = b'!' + 41;
/// The qualities that are told apart here: those of ASCII from `!` to `~`.
const QUALITIES: usize = 94;

type QualityTable = [[u8; QUALITIES]; QUALITIES];

/// The ASCII qualities of bases that were read twice, by both qualities: where they are equal, and where the one of the higher quality
/// is taken. The probabilities are those of Edgar and Flyvbjerg (2015).
static POSTERIOR: LazyLock<Box<[QualityTable; 2]>> = LazyLock::new(|| {
    let error = |quality: usize| 10f64.powf(-(quality as f64) / 10.0).min(0.75);
    let ascii = |wrong: f64| b'!' + (-10.0 * wrong.log10()).round().clamp(0.0, 93.0) as u8;
    let mut tables = Box::new([[[0; QUALITIES]; QUALITIES]; 2]);
    for first in 0..QUALITIES {
        for second in 0..QUALITIES {
            let (e1, e2) = (error(first.max(second)), error(first.min(second)));
            let both = e1 * e2 / 3.0;
            let most = MOST.max(b'!' + first.max(second) as u8);
            let differ = e1 + e2 - 4.0 * both;
            tables[0][first][second] = ascii(both / (1.0 - differ)).min(most);
            tables[1][first][second] = ascii(e1 * (1.0 - e2 / 3.0) / differ).min(most);
        }
    }
    tables
});

/// The base and the ASCII quality of what was read as `first` and as `second`: of those that differ the one of higher quality, of equal
/// ones the first.
pub(super) fn consensus(first: (u8, u8), second: (u8, u8)) -> (u8, u8) {
    let is_base = |(base, _): (u8, u8)| b"ACGT".contains(&base);
    match (is_base(first), is_base(second)) {
        (true, true) => {}
        (false, true) => return second,
        _ => return first,
    }
    let at = |quality: u8| usize::from(quality.saturating_sub(b'!')).min(QUALITIES - 1);
    let table = &POSTERIOR[usize::from(first.0 != second.0)];
    let base = if second.1 > first.1 { second.0 } else { first.0 };
    (base, table[at(first.1)][at(second.1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edgar and Flyvbjerg (2015), and what is plain.
    #[test]
    fn agreeing_bases_are_surer_and_others_less_sure() {
        let twice = |first: (u8, u8), second: (u8, u8)| {
            let (base, quality) = consensus((first.0, first.1 + b'!'), (second.0, second.1 + b'!'));
            (base, quality - b'!')
        };
        assert_eq!(twice((b'A', 10), (b'A', 10)), (b'A', 24));
        assert_eq!(twice((b'A', 10), (b'C', 10)), (b'A', 3));
        assert_eq!(twice((b'A', 10), (b'C', 30)), (b'C', 20));
        assert_eq!(twice((b'A', 37), (b'A', 37)), (b'A', 41));
        assert_eq!(twice((b'A', 60), (b'A', 37)), (b'A', 60));
        assert_eq!(twice((b'N', 2), (b'G', 12)), (b'G', 12));
        assert_eq!(twice((b'T', 12), (b'N', 2)), (b'T', 12));
        for (first, second) in [(2, 2), (2, 37), (37, 11), (1, 1), (93, 93)] {
            let (base, quality) = twice((b'A', first), (b'T', second));
            assert_eq!(base, if second > first { b'T' } else { b'A' });
            assert!(quality <= first.max(second), "{first} {second}: {quality}");
        }
    }

    #[test]
    fn weights_are_bits_of_evidence() {
        let [same, other] = KNOWN[LEVELS - 1];
        assert_eq!((same, other), (32, -100), "99 % against 1 in 4, 1 % against 3 in 4");
        let mut before = [0, 0];
        for [same, other] in *KNOWN {
            assert!(same >= before[0] && other <= before[1], "better qualities weigh more");
            before = [same, other];
        }
        for (i, row) in BOTH_READ.iter().enumerate() {
            for (j, weights) in row.iter().enumerate() {
                assert_eq!(*weights, BOTH_READ[j][i]);
                assert!(weights[0] > 0 && weights[1] < 0);
            }
        }
    }
}
