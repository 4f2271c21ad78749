//! How qualities seem to be written: Phred + 33, an encoding of old, or a mixture.

use std::ops::RangeInclusive;

use biofast_kernels::{self as kernels, PHRED_VALUES};

/// How qualities seem to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// No qualities.
    Unknown,
    /// Phred + 33, as FASTQ is defined today.
    Phred33,
    /// Probably Phred + 64 (Illumina 1.3 to 1.7): every figure about qualities is 31 too high.
    ProbablyPhred64,
    /// Probably Solexa + 64, whose scores go down to −5.
    ProbablySolexa64,
    /// Probably reads of Phred + 64 beside reads of Phred + 33: figures about qualities mean nothing.
    ProbablyMixed,
}

/// The lowest of Solexa + 64 (`;`), of Phred + 64 (`@`), taken for Phred + 33.
const SOLEXA: usize = 59 - 33;
const PHRED64: usize = 64 - 33;
/// Bad bases of Phred + 64 (`@` to `F`).
const BAD: RangeInclusive<usize> = PHRED64..=70 - 33;
/// Good bases of Phred + 64 (`^` to `j`, Q30 to Q42). Taken for Phred + 33 they are Q61 to Q73: below what consensus reads
/// reach (Q90 and more), above what sequencers say of a base.
const GOOD: RangeInclusive<usize> = FIRST_GOOD as usize - 33..=106 - 33;
/// The byte of the worst of them.
const FIRST_GOOD: u8 = 94;
/// The first byte that is better than all of them.
const FIRST_BETTER: u8 = 107;
/// A thousandth of the bases or reads is no accident.
const SHARE: u64 = 1000;
/// Of so many bases none would be bad by chance.
const ENOUGH: u64 = 10_000;
/// Bases at the start of a read, which are its best.
const START: usize = 16;

impl Encoding {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Unknown => "unknown",
            Encoding::Phred33 => "phred33",
            Encoding::ProbablyPhred64 => "probably-phred64",
            Encoding::ProbablySolexa64 => "probably-solexa64",
            Encoding::ProbablyMixed => "probably-mixed",
        }
    }

    /// Guesses from the bases by quality, and from how many of the reads [look like Phred + 64](looks_like_phred64).
    ///
    /// A byte below `;` (59) is no Phred + 64. Without one, the best bases must be as good as those of Phred + 64 are, and some
    /// bad ones are to be expected: reads that are merely good (of SRA Lite, AVITI, HiFi) have none below and none there.
    pub(super) fn guess(qualities: &[u64; PHRED_VALUES], reads: u64, old: u64) -> Encoding {
        let sum = |range: RangeInclusive<usize>| qualities[range].iter().sum::<u64>();
        let Some(lowest) = qualities.iter().position(|&n| n > 0) else {
            return Encoding::Unknown;
        };
        if sum(GOOD) == 0 || sum(*GOOD.end() + 1..=PHRED_VALUES - 1) > 0 {
            return Encoding::Phred33;
        }
        let bases = sum(0..=PHRED_VALUES - 1);
        match lowest {
            PHRED64.. if SHARE * sum(BAD) >= bases || bases >= ENOUGH => Encoding::ProbablyPhred64,
            SOLEXA..PHRED64 if SHARE * sum(SOLEXA..=*BAD.end()) >= bases => {
                Encoding::ProbablySolexa64
            }
            ..SOLEXA if old > 0 && SHARE * old >= reads => Encoding::ProbablyMixed,
            _ => Encoding::Phred33,
        }
    }
}

/// Whether a read with these qualities looks like Phred + 64: good at its start, and not below it anywhere. `mean` is the
/// mean quality, rounded down, by which most reads are told apart.
#[inline]
pub(crate) fn looks_like_phred64(qualities: &[u8], mean: u8) -> bool {
    // Few reads start so well, while means lie on both sides: one branch that can be foreseen. Consensus reads, which are long,
    // are known by their start, too.
    let starts_well = starts_with::<FIRST_GOOD>(qualities) & (usize::from(mean) >= PHRED64);
    if !starts_well || starts_with::<FIRST_BETTER>(qualities) {
        return false;
    }
    let all = kernels::summarize_qualities(qualities);
    usize::from(all.min) >= PHRED64 && usize::from(all.max) <= *GOOD.end()
}

/// Whether any of the first bases has this byte as its quality, or one above.
#[inline]
fn starts_with<const LOWEST: u8>(qualities: &[u8]) -> bool {
    let Some(start) = qualities.first_chunk::<START>() else {
        return qualities.iter().any(|&byte| byte >= LOWEST);
    };
    // With so much more, the highest bit of a byte of ASCII says that it is as good.
    let more = const { u128::from_ne_bytes([128 - LOWEST; START]) };
    const HIGHEST: u128 = u128::from_ne_bytes([0x80; START]);
    u128::from_ne_bytes(*start).wrapping_add(more) & HIGHEST != 0
}

/// Tells the encoding of reads of which nothing else is counted.
#[derive(Clone, Debug)]
pub(crate) struct EncodingEvidence {
    qualities: [u64; PHRED_VALUES],
    reads: u64,
    old: u64,
    /// A base was worse than any of Phred + 64 and of Solexa + 64.
    has_low: bool,
}

impl Default for EncodingEvidence {
    fn default() -> EncodingEvidence {
        EncodingEvidence { qualities: [0; PHRED_VALUES], reads: 0, old: 0, has_low: false }
    }
}

impl EncodingEvidence {
    /// Adds the qualities of a read.
    #[inline]
    pub(crate) fn add(&mut self, qualities: &[u8]) {
        self.reads += 1;
        if qualities.is_empty() {
            return;
        }
        if self.has_low {
            // Then it is Phred + 33 or a mixture, and only good bases can tell which.
            let highest = qualities.iter().fold(0, |highest, &byte| byte.max(highest));
            if highest >= FIRST_GOOD {
                self.qualities[usize::from(highest - b'!').min(PHRED_VALUES - 1)] += 1;
                // The best base is no worse than the mean.
                self.old += u64::from(looks_like_phred64(qualities, highest - b'!'));
            }
            return;
        }
        let all = kernels::summarize_qualities(qualities);
        let (lowest, highest) = (usize::from(all.min), usize::from(all.max));
        // Only how bases lie around the limits matters.
        self.qualities[lowest] += 1;
        self.qualities[highest] += 1;
        if lowest >= SOLEXA {
            let phreds = qualities.iter().map(|byte| usize::from(byte - b'!'));
            phreds.for_each(|phred| self.qualities[phred.min(PHRED_VALUES - 1)] += 1);
            self.old += u64::from(looks_like_phred64(qualities, all.min));
        } else {
            self.has_low = true;
        }
    }

    pub(crate) fn merge(&mut self, other: &EncodingEvidence) {
        self.has_low |= other.has_low;
        self.qualities.iter_mut().zip(&other.qualities).for_each(|(mine, theirs)| *mine += theirs);
        self.reads += other.reads;
        self.old += other.old;
    }

    pub(crate) fn encoding(&self) -> Encoding {
        Encoding::guess(&self.qualities, self.reads, self.old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is guessed of reads with these qualities, by both ways.
    fn of(reads: &[&[u8]]) -> Encoding {
        let mut qualities = [0; PHRED_VALUES];
        let mut old = 0;
        let mut evidence = EncodingEvidence::default();
        for read in reads {
            read.iter().for_each(|byte| qualities[usize::from(byte - 33)] += 1);
            old += u64::from(looks_like_phred64(read, read.iter().min().map_or(0, |b| b - 33)));
            evidence.add(read);
        }
        let found = Encoding::guess(&qualities, reads.len() as u64, old);
        assert_eq!(evidence.encoding(), found);
        found
    }

    #[test]
    fn good_reads_of_today_are_not_accused() {
        for reads in [
            // A handful of good reads; Q40 throughout, as of simulators; SRA Lite; AVITI; NovaSeq X.
            &[&b"IKLN"[..], b"NNLK"][..],
            &[b"IIIIIIII"],
            &[b"????????????", b"????????"],
            &[b"SSSRRQPONMLK", b"STUVPONM"],
            &[b"IIIIIIII9III-III", b"IIIIIIIIIIIIII##"],
            // HiFi, duplex consensus, and Q93 throughout.
            &[b"~~~~~~~~~~~~K~~~~~~~", b"cdefgh~~~~"],
            &[b"~~~~"],
            &[b"zzzyyyxxghiZZZ", b"hhhhzzzz"],
            // The best of ONT.
            &[b"+,5ABCDEFGHIJKLMNOPQRS", b"SSSSRRRR"],
            // Good, but not that many that it would have to have bad ones.
            &[b"aabbccdd"],
        ] {
            assert_eq!(of(reads), Encoding::Phred33, "{reads:?}");
        }
        assert_eq!(of(&[b""]), Encoding::Unknown);
    }

    #[test]
    fn old_encodings_and_mixtures_are_noticed() {
        assert_eq!(of(&[b"hhhhggggfffeeedcbaBBBB"]), Encoding::ProbablyPhred64);
        assert_eq!(of(&[b"Bdgh"]), Encoding::ProbablyPhred64);
        assert_eq!(of(&[b"hhhhgf;;=A", b"hhgfT"]), Encoding::ProbablySolexa64);
        // Trimmed so that no base is bad.
        let trimmed = vec![&b"hhhhhhhhhhgggggggfffffeeeedddcccbaa```_]\\ZYX"[..]; 300];
        assert_eq!(of(&trimmed), Encoding::ProbablyPhred64);
        assert_eq!(of(&[b"#5?I", b"Bdgh"]), Encoding::ProbablyMixed);
        let mut mixed = vec![&b"FFFFFFFF:FFF,FF#"[..]; 900];
        assert_eq!(of(&mixed), Encoding::Phred33);
        mixed.extend(vec![&b"hhhhhhghhggfdccBBBBB"[..]; 5]);
        assert_eq!(of(&mixed), Encoding::ProbablyMixed);
    }
}
