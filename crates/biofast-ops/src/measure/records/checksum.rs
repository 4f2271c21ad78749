//! A checksum of records that doesn't depend on their order.

use biofast_fastq::Record;

/// The sum, modulo 2^64, of a 64-bit hash of each record's name, sequence and qualities. It doesn't depend on the order
/// of records. Sets of records with equal sums are the same, except with a probability of 2^-64 per comparison; it
/// protects against accidents, not against forgery.
///
/// Descriptions don't count, so that a reason may be added to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(u64);

const K: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// A folded 128-bit multiplication, the step of wyhash and its relatives.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// A hash of `bytes`; two chains, so that one multiplication doesn't wait for the other. The last 16 bytes may count twice:
/// that is faster than to go by their number.
#[inline(always)]
fn hash(bytes: &[u8], seed: u64) -> u64 {
    let mut state = [seed ^ K[0], seed ^ K[1]];
    let mut add = |chain: usize, bytes: &[u8; 16]| {
        let both = u128::from_le_bytes(*bytes);
        state[chain] = fold(both as u64 ^ state[chain], (both >> 64) as u64 ^ K[2 + chain]);
    };
    if let Some(last) = bytes.last_chunk::<16>() {
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            let (halves, _) = block.as_chunks::<16>();
            add(0, &halves[0]);
            add(1, &halves[1]);
        }
        if let Some(first) = rest.first_chunk::<16>() {
            add(0, first);
        }
        add(1, last);
    } else {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        add(0, &all);
    }
    fold(state[0] ^ bytes.len() as u64, state[1] ^ K[3])
}

impl Checksum {
    /// Adds a record.
    #[inline]
    pub fn add(&mut self, record: &Record<'_>) {
        self.0 = self.0.wrapping_add(Checksum::of(record).0);
    }

    /// The checksum of one record.
    #[inline]
    pub fn of(record: &Record<'_>) -> Checksum {
        // Three hashes that don't wait for each other.
        let name = hash(record.name(), K[3]);
        let sequence = hash(record.sequence(), K[2]);
        let qualities = hash(record.qualities(), K[1]);
        Checksum(fold(name ^ sequence, qualities ^ sequence.rotate_left(32)))
    }

    /// As a number.
    pub(crate) fn to_bits(self) -> u64 {
        self.0
    }

    /// From that number.
    pub(crate) fn from_bits(bits: u64) -> Checksum {
        Checksum(bits)
    }

    /// Adds the records of another checksum.
    #[inline]
    pub fn merge(&mut self, other: Checksum) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_change_of_a_byte_shows(
            name in "[a-z]{1,40}", sequence in "[ACGT]{1,100}", at in any::<prop::sample::Index>()
        ) {
            let of = |name: &str, sequence: &str, qualities: &str| {
                Checksum::of(&Record::new(name.as_bytes(), sequence.as_bytes(), qualities.as_bytes()))
            };
            let change = |text: &str| {
                let mut bytes = text.as_bytes().to_vec();
                let at = at.index(bytes.len());
                bytes[at] ^= 1;
                String::from_utf8(bytes).expect("ASCII")
            };
            let qualities = "I".repeat(sequence.len());
            let whole = of(&name, &sequence, &qualities);
            prop_assert_ne!(whole, of(&change(&name), &sequence, &qualities));
            prop_assert_ne!(whole, of(&name, &change(&sequence), &qualities));
            prop_assert_ne!(whole, of(&name, &sequence, &change(&qualities)));
            prop_assert_eq!(whole, of(&format!("{name} more"), &sequence, &qualities));
        }
    }
}
