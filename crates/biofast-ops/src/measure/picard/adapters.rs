//! Reads that start within an adapter of Illumina's, as dimers of adapters do.

use std::sync::OnceLock;

use biofast_bam::{Record, flag};

/// Bases that are compared: as many as fit into a word of packed bases.
const LEN: usize = 16;

/// Sequences of the single-end, paired-end and indexed adapters, which are looked for in both directions.
const ADAPTERS: [&str; 4] = [
    "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    "AGATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACNNNNNNNNATCTCGTATGCCGTCTTCTGCTTG",
];

/// The codes of BAM, most significant first.
fn pack(codes: impl Iterator<Item = u8>) -> u64 {
    codes.fold(0, |word, code| word << 4 | u64::from(code))
}

/// The code of the complementary base; what isn't A, C, G or T is its own.
fn complement(code: u8) -> u8 {
    match code {
        1 => 8,
        2 => 4,
        4 => 2,
        8 => 1,
        other => other,
    }
}

/// All stretches of the adapters with at most one N.
fn stretches() -> &'static [u64] {
    static STRETCHES: OnceLock<Vec<u64>> = OnceLock::new();
    STRETCHES.get_or_init(|| {
        let code = |letter: u8| match letter {
            b'A' => 1,
            b'C' => 2,
            b'G' => 4,
            b'T' => 8,
            _ => 15,
        };
        let mut all = Vec::new();
        for adapter in ADAPTERS {
            let codes: Vec<u8> = adapter.bytes().map(code).collect();
            for stretch in codes.windows(LEN) {
                if stretch.iter().filter(|&&code| code == 15).count() <= 1 {
                    all.push(pack(stretch.iter().copied()));
                    all.push(pack(stretch.iter().rev().map(|&code| complement(code))));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    })
}

/// Whether at most one of sixteen bases differs.
fn is_like(a: u64, b: u64) -> bool {
    let mut bits = a ^ b;
    bits |= bits >> 2;
    bits |= bits >> 1;
    (bits & 0x1111_1111_1111_1111).count_ones() <= 1
}

/// Whether a read that is unmapped, or mapped with quality 0, starts with sixteen bases of an adapter, of which one may
/// differ.
#[inline]
pub(crate) fn is_adapter(record: &Record<'_>) -> bool {
    let mapped = record.flags() & flag::UNMAPPED == 0;
    if (mapped && record.mapping_quality() != 0) || record.sequence_len() < LEN {
        return false;
    }
    starts_in_adapter(record, mapped && record.flags() & flag::REVERSE != 0)
}

#[inline(never)]
fn starts_in_adapter(record: &Record<'_>, reverse: bool) -> bool {
    let (packed, len) = (record.packed_sequence(), record.sequence_len());
    let code = |at: usize| packed[at / 2] >> (4 * (1 - at % 2)) & 15;
    let start = match reverse {
        true => pack((0..LEN).map(|n| complement(code(len - 1 - n)))),
        false => pack((0..LEN).map(code)),
    };
    stretches().iter().any(|&stretch| is_like(start, stretch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_bam::RecordBuf;

    fn is(bases: &str, flags: u16) -> bool {
        let record = RecordBuf::unmapped("r")
            .flags(flags)
            .sequence(bases)
            .qualities(vec![30; bases.len()])
            .build();
        let header = biofast_bam::Header::from_text(b"").unwrap();
        let mut bam = Vec::new();
        record.unwrap().write_bam(&header, &mut bam).unwrap();
        is_adapter(&Record::from_bam(&bam, &header).unwrap().0)
    }

    #[test]
    fn starts_of_reads_agree_with_comparing_letters() {
        let forward = &ADAPTERS[2][5..30];
        assert!(is(forward, 4));
        let mut one = forward.as_bytes().to_vec();
        one[3] = b'N';
        let one = String::from_utf8_lossy(&one).into_owned();
        assert!(is(&one, 4));
        let mut two = one.into_bytes();
        two[7] = if two[7] == b'A' { b'C' } else { b'A' };
        assert!(!is(&String::from_utf8_lossy(&two), 4));
        assert!(!is(&forward[..15], 4));
        let reverse: String = forward
            .bytes()
            .rev()
            .map(|base| char::from(b"ACGT"[3 - "ACGT".find(char::from(base)).unwrap_or(0)]))
            .collect();
        assert!(is(&reverse, 4));
    }
}
