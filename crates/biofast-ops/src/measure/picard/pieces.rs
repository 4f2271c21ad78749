//! What a batch leaves of its records for depths that look at each base: where bases lie, and their qualities.

use biofast_bam::Record;

/// Bases that the read doesn't know have this bit beside their quality.
pub(crate) const NO_CALL: u8 = 0x80;

/// Bases of at least this quality count for the depth.
pub(crate) const HIGH: u8 = 20;

/// Bases of at most this quality count for nothing.
pub(crate) const LOWEST: u8 = 2;

/// The base qualities there can be: what is more counts as none, as in a signed byte.
pub(crate) const QUALITIES: usize = 127;

/// A record, in the order of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PiledRecord {
    pub(crate) reference: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// How many of the [`Pieces::blocks`] and of the [`Pieces::high`] stretches are its own.
    pub(crate) blocks: u32,
    pub(crate) high: u32,
    /// The hash of its name, where mates matter.
    pub(crate) key: u128,
    /// Its number, from 0.
    pub(crate) record: u64,
}

/// Bases next to each other on the reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlignedBlock {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

/// The records of a batch that count.
#[derive(Debug, Default)]
pub struct Pieces {
    pub(crate) records: Vec<PiledRecord>,
    pub(crate) blocks: Vec<AlignedBlock>,
    /// The qualities of the bases, block after block, with [`NO_CALL`].
    pub(crate) qualities: Vec<u8>,
    /// Where bases of high quality lie: start and end, excluded.
    pub(crate) high: Vec<(u32, u32)>,
}

impl Pieces {
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.blocks.clear();
        self.qualities.clear();
        self.high.clear();
    }

    /// Adds a block of a record, and where its bases are of high quality.
    #[inline]
    pub(crate) fn push_block(&mut self, at: u32, qualities: &[u8]) {
        self.blocks.push(AlignedBlock { at, len: qualities.len() as u32 });
        let first = self.qualities.len();
        self.qualities.extend_from_slice(qualities);
        push_high(&self.qualities[first..], at, &mut self.high);
    }

    /// Adds the record whose first block and high stretch have these numbers.
    #[inline]
    pub(crate) fn push_record(
        &mut self,
        record: &Record<'_>,
        number: u64,
        key: u128,
        firsts: (usize, usize),
    ) {
        let Some(last) = self.blocks[firsts.0..].last() else { return };
        self.records.push(PiledRecord {
            reference: record.reference_id() as u32,
            start: record.position().max(0) as u32,
            end: last.at + last.len,
            blocks: (self.blocks.len() - firsts.0) as u32,
            high: (self.high.len() - firsts.1) as u32,
            key,
            record: number,
        });
    }

    /// The same of a record that was kept, by its start and the hash of its name.
    pub(crate) fn push_kept(&mut self, (start, key): (u32, u128), firsts: (usize, usize)) {
        let Some(last) = self.blocks[firsts.0..].last() else { return };
        self.records.push(PiledRecord {
            reference: 0,
            start,
            end: last.at + last.len,
            blocks: (self.blocks.len() - firsts.0) as u32,
            high: (self.high.len() - firsts.1) as u32,
            key,
            record: 0,
        });
    }

    /// How many blocks and high stretches there are.
    pub(crate) fn firsts(&self) -> (usize, usize) {
        (self.blocks.len(), self.high.len())
    }
}

/// Whether a base counts for the depth: known, and of high quality.
#[inline]
fn is_high(quality: u8) -> bool {
    (HIGH..NO_CALL).contains(&quality)
}

/// Adds the stretches of high quality of bases that start at `at`.
#[inline]
fn push_high(qualities: &[u8], at: u32, out: &mut Vec<(u32, u32)>) {
    let mut from = None;
    // Eight at once, as most are alike.
    let (words, rest) = qualities.as_chunks::<8>();
    let mut add = |quality: u8, position: u32| match (is_high(quality), from) {
        (true, None) => from = Some(position),
        (false, Some(start)) => {
            out.push((start, position));
            from = None;
        }
        _ => {}
    };
    let mut position = at;
    for word in words {
        let high = word.iter().fold(0, |bits, &quality| bits + u8::from(is_high(quality)));
        match high {
            0 | 8 => add(word[0], position),
            _ => word.iter().zip(position..).for_each(|(&quality, at)| add(quality, at)),
        }
        position += 8;
    }
    rest.iter().zip(position..).for_each(|(&quality, at)| add(quality, at));
    if let Some(start) = from {
        out.push((start, at + qualities.len() as u32));
    }
}

/// The aligned stretches of a record: where each starts on the reference and in the read, and its length.
pub(crate) fn aligned<'a>(
    record: &Record<'a>,
) -> impl Iterator<Item = (i64, usize, usize)> + use<'a> {
    let (mut at, mut base) = (i64::from(record.position()), 0usize);
    let cigar = record.cigar();
    (0..cigar.len()).filter_map(move |index| {
        let (op, len) = cigar.get(index)?;
        let found = op.is_aligned().then_some((at, base, len as usize));
        if op.consumes_reference() {
            at += i64::from(len);
        }
        if op.consumes_read() {
            base += len as usize;
        }
        found
    })
}

/// How many bases of a record are aligned.
pub(crate) fn aligned_bases(record: &Record<'_>) -> u64 {
    aligned(record).map(|(_, _, len)| len as u64).sum()
}

/// The qualities of a record's bases; 0 where there is none.
pub(crate) fn read_qualities(record: &Record<'_>, out: &mut Vec<u8>) {
    out.clear();
    out.extend(record.qualities().iter().map(|&q| if usize::from(q) < QUALITIES { q } else { 0 }));
    out.resize(record.sequence_len(), 0);
}

/// Sets [`NO_CALL`] where a record's bases aren't known.
pub(crate) fn mark_unknown(record: &Record<'_>, qualities: &mut [u8]) {
    let packed = record.packed_sequence();
    let unknown = packed
        .iter()
        .fold(0u8, |all, &two| all | u8::from(two & 0xf0 == 0xf0) | u8::from(two & 0x0f == 0x0f));
    if unknown > 0 {
        for (n, quality) in qualities.iter_mut().enumerate() {
            if packed[n / 2] >> (4 * (1 - n % 2)) & 15 == 15 {
                *quality |= NO_CALL;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::random::Random;

    #[test]
    fn stretches_of_high_quality_agree_with_looking_at_each_base() {
        let mut random = Random(3);
        for _ in 0..300 {
            let qualities: Vec<u8> = (0..random.below(60))
                .map(|_| [40, 40, 40, 40, 19, 20, 2, 40 | NO_CALL][random.below(8)])
                .collect();
            let mut found = Vec::new();
            push_high(&qualities, 100, &mut found);
            let expected: Vec<u32> = (100..)
                .zip(&qualities)
                .filter(|(_, quality)| **quality >= 20 && **quality < 128)
                .map(|(at, _)| at)
                .collect();
            let spread: Vec<u32> = found.iter().flat_map(|&(from, to)| from..to).collect();
            assert_eq!(spread, expected);
            assert!(found.windows(2).all(|two| two[0].1 < two[1].0));
        }
    }
}
