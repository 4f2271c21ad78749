//! What the cases of `index` share with those beside peers.

use biofast_testkit::bam::{Aligned, aligned, header};

pub(crate) const REFERENCES: [(&str, u32); 3] =
    [("chr1", 2_500_000), ("chr2:HLA", 50_000), ("chrUn", 7)];

/// A generator of numbers below a bound.
pub(crate) fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % bound
    }
}

/// A sorted file with spliced, unmapped and unplaced records.
pub(crate) fn sorted(n: usize) -> Vec<u8> {
    let mut random = random(7);
    let mut records: Vec<Aligned> = (0..n)
        .map(|_| {
            let reference = random(3) as i32 - 1;
            let length =
                if reference < 0 { 1 } else { REFERENCES[reference as usize].1.min(2_000_000) };
            let first = random(200) as u32;
            let mut cigar = vec![first << 4];
            let mut len = first as usize;
            if random(10) == 0 {
                cigar.extend([((random(200_000) as u32) << 4) | 3, 50 << 4]);
                len += 50;
            }
            let unmapped = reference < 0 || random(20) == 0;
            Aligned {
                reference,
                position: if reference < 0 { -1 } else { random(length.into()) as i32 },
                flags: if unmapped { 4 } else { 0 },
                cigar,
                len,
                tags: Vec::new(),
            }
        })
        .collect();
    records.sort_by_key(|r| (r.reference as u32, r.position));
    let mut data = header(&REFERENCES);
    records.iter().for_each(|r| data.extend(aligned(r)));
    data
}
