//! How a record is framed in the log: 29 bytes, then the value.
//!
//! ```text
//! 0   crc    u32  CRC32C of everything behind it, XORed with the store's salt
//! 4   len    u32  bytes of the whole record; 0: the log ends here
//! 8   seq    u64  1, 2, 3, … in the log
//! 16  lag    u32  records before this one that were not yet known to be durable when it was made
//! 20  kind   u8   1 value, 2 removal, 3 mark (the log was closed here)
//! 21  key    u64
//! 29  value
//! ```
//!
//! `lag` is how a reader tells a torn end from damage: a good record behind a bad one proves that the bad
//! one had been durable if its lag does not reach back to it. The salt keeps a log inside a value from
//! being taken for records of this one.

use super::crc32c::crc32c;

/// Bytes of a record without its value.
pub(super) const HEAD: usize = 29;
/// Of them before the key: what the earlier design wrote separately.
pub(super) const BEFORE_KEY: usize = 21;
/// The longest value.
pub(super) const MAX_VALUE: usize = 1 << 28;

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Value,
    Removal,
    Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) seq: u64,
    pub(super) lag: u32,
    pub(super) kind: Kind,
    pub(super) key: u64,
    pub(super) value: &'a [u8],
}

impl<'a> Record<'a> {
    /// Appends the framed record to `out`.
    pub(super) fn write(&self, salt: u32, out: &mut Vec<u8>) {
        let start = out.len();
        let len = (HEAD + self.value.len()) as u32;
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&self.seq.to_le_bytes());
        out.extend_from_slice(&self.lag.to_le_bytes());
        out.push(match self.kind {
            Kind::Value => 1,
            Kind::Removal => 2,
            Kind::Mark => 3,
        });
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(self.value);
        let crc = crc32c(&out[start + 4..]) ^ salt;
        out[start..start + 4].copy_from_slice(&crc.to_le_bytes());
    }

    /// Bytes of the framed record.
    pub(super) fn len(&self) -> usize {
        HEAD + self.value.len()
    }

    /// The last record that was durable when this one was made.
    pub(super) fn durable(&self) -> u64 {
        match self.lag {
            u32::MAX => 0,
            lag => self.seq - 1 - u64::from(lag),
        }
    }

    /// The `lag` of a record whose number is `seq` when all up to `durable` are.
    pub(super) fn lag_of(seq: u64, durable: u64) -> u32 {
        u32::try_from(seq - 1 - durable).unwrap_or(u32::MAX)
    }

    /// The record at the start of `bytes`, if there is a whole and good one whose number is at least `least`.
    pub(super) fn parse(bytes: &'a [u8], salt: u32, least: u64) -> Option<Record<'a>> {
        let head: &[u8; HEAD] = bytes.first_chunk()?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let (crc, len, seq, lag) = (word(0), word(4) as usize, long(8), word(16));
        let kind = match head[20] {
            1 => Kind::Value,
            2 => Kind::Removal,
            3 => Kind::Mark,
            _ => return None,
        };
        // Before the checksum, so that looking for a record at every byte is cheap.
        if !(HEAD..=HEAD + MAX_VALUE).contains(&len) || seq < least {
            return None;
        }
        if lag != u32::MAX && u64::from(lag) >= seq {
            return None;
        }
        let whole = bytes.get(..len)?;
        (crc32c(&whole[4..]) ^ salt == crc).then_some(Record {
            seq,
            lag,
            kind,
            key: long(21),
            value: &whole[HEAD..],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_and_no_flipped_bit_does() {
        let record =
            Record { seq: 7, lag: 3, kind: Kind::Value, key: u64::MAX - 1, value: b"value" };
        let mut bytes = Vec::new();
        record.write(9, &mut bytes);
        assert_eq!(bytes.len(), record.len());
        assert_eq!(Record::parse(&bytes, 9, 7), Some(record));
        assert_eq!(Record::parse(&bytes, 9, 8), None, "a number that was used before");
        assert_eq!(Record::parse(&bytes, 8, 7), None, "another store's");
        assert_eq!(record.durable(), 3);
        assert_eq!(Record::lag_of(7, 3), 3);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::parse(&flipped, 9, 0), None, "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert_eq!(Record::parse(&bytes[..len], 9, 0), None, "{len} bytes");
        }
        assert_eq!(Record::parse(&[0; 64], 9, 0), None, "zeros end the log");
    }
}
