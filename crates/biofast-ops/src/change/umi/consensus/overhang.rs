//! Bases at the end of a read that go beyond its mate: they are of the adapter.

use biofast_bam::{Record, flag};

/// The CIGAR of a mapped mate.
pub(super) struct MateCigar(Vec<u32>);

impl MateCigar {
    /// One that is text; `None` if it can't be that of a mapped read.
    pub(super) fn of_text(text: &[u8]) -> Option<MateCigar> {
        let (mut ops, mut len) = (Vec::new(), None);
        for byte in text {
            if byte.is_ascii_digit() {
                let number = len.unwrap_or(0u32) * 10 + u32::from(byte - b'0');
                len = Some(number).filter(|number| *number < 1 << 28);
                len?;
                continue;
            }
            let op = b"MIDNSHP=X".iter().position(|op| op == byte)? as u32;
            ops.push(len.take()? << 4 | op);
        }
        len.is_none().then(|| MateCigar::of_ops(ops))?
    }

    /// The same of operations as BAM stores them.
    pub(super) fn of_ops(ops: Vec<u32>) -> Option<MateCigar> {
        let last = ops.len().checked_sub(1)?;
        let is_hard = |op: &u32| op & 15 == 5;
        let mut covers = false;
        for (index, op) in ops.iter().enumerate() {
            let is_placed = match op & 15 {
                0 | 2 | 3 | 7 | 8 => {
                    covers = true;
                    true
                }
                1 | 6 => true,
                4 => ops[..index].iter().all(is_hard) || ops[index + 1..].iter().all(is_hard),
                5 => index == 0 || index == last,
                _ => false,
            };
            if op >> 4 == 0 || !is_placed {
                return None;
            }
        }
        covers.then_some(MateCigar(ops))
    }
}

/// Whether the mate's CIGAR matters: both are mapped to one reference, on different strands.
pub(super) fn needs_mate(record: &Record<'_>) -> bool {
    let flags = record.flags();
    flags & flag::PAIRED != 0
        && flags & (flag::UNMAPPED | flag::MATE_UNMAPPED) == 0
        && record.reference_id() == record.mate_reference_id()
        && (flags & flag::REVERSE == 0) != (flags & flag::MATE_REVERSE == 0)
}

/// How many bases at the end of a read, as it was sequenced, go beyond its mate.
pub(super) fn clip_past_mate(record: &Record<'_>, mate: &MateCigar) -> usize {
    if !needs_mate(record) {
        return 0;
    }
    let own: Vec<u32> = record.cigar().words().collect();
    let start = i64::from(record.position()) + 1;
    let mate_start = i64::from(record.mate_position()) + 1;
    let (end, mate_end) = (start + covered(&own) - 1, mate_start + covered(&mate.0) - 1);
    if record.flags() & flag::REVERSE != 0 {
        // The forward read begins before the reverse one ends, or they look away from each other.
        if mate_start > end {
            return 0;
        }
        if start > mate_end {
            let gap = start - (mate_start - soft_clip(mate.0.iter()));
            return past(soft_clip(own.iter()), gap);
        }
        let shared = start.max(mate_start);
        past(bases_until(&own, start, shared, 0), bases_until(&mate.0, mate_start, shared, 0))
    } else {
        if start > mate_end {
            return 0;
        }
        if end < mate_start {
            let gap = mate_end + soft_clip(mate.0.iter().rev()) - end;
            return past(soft_clip(own.iter().rev()), gap);
        }
        let shared = end.min(mate_end);
        let beyond = |ops: &[u32], start| read_len(ops) - bases_until(ops, start, shared, 1);
        past(beyond(&own, start), beyond(&mate.0, mate_start))
    }
}

fn past(own: i64, mate: i64) -> usize {
    (own - mate).max(0) as usize
}

fn len(op: &u32) -> i64 {
    i64::from(op >> 4)
}

fn covered(ops: &[u32]) -> i64 {
    ops.iter().filter(|op| matches!(*op & 15, 0 | 2 | 3 | 7 | 8)).map(len).sum()
}

fn read_len(ops: &[u32]) -> i64 {
    ops.iter().filter(|op| matches!(*op & 15, 0 | 1 | 4 | 7 | 8)).map(len).sum()
}

fn soft_clip<'a>(ops: impl Iterator<Item = &'a u32>) -> i64 {
    ops.take_while(|op| matches!(*op & 15, 4 | 5)).filter(|op| *op & 15 == 4).map(len).sum()
}

/// Bases of a read before a position of the reference, and at it if `at` is 1.
fn bases_until(ops: &[u32], start: i64, position: i64, at: i64) -> i64 {
    let (mut place, mut bases) = (start, 0);
    for op in ops {
        if place > position {
            break;
        }
        match op & 15 {
            0 | 7 | 8 => {
                let taken = len(op).min((position - place + at).max(0));
                bases += taken;
                place += len(op);
                if taken < len(op) {
                    break;
                }
            }
            1 | 4 => bases += len(op),
            2 | 3 => place += len(op),
            _ => {}
        }
    }
    bases
}

#[cfg(test)]
mod tests {
    use biofast_bam::{CigarBuf, Op, RecordBuf};

    use super::*;

    fn record(position: i32, cigar: &str, is_reverse: bool, mate_position: i32) -> RecordBuf {
        let mate = MateCigar::of_text(cigar.as_bytes()).unwrap();
        let kinds = [Op::Match, Op::Insertion, Op::Deletion, Op::Skip, Op::SoftClip];
        let ops = mate.0.iter().map(|op| (kinds[(op & 15) as usize], op >> 4));
        let bases = "A".repeat(read_len(&mate.0) as usize);
        let strand = if is_reverse { flag::REVERSE } else { flag::MATE_REVERSE };
        RecordBuf::mapped("r", 0, position, CigarBuf::from_ops(ops).unwrap())
            .flags(flag::PAIRED | strand)
            .mate(0, mate_position, 0)
            .sequence(bases)
            .build()
            .unwrap()
    }

    fn clip(position: i32, cigar: &str, is_reverse: bool, mate: (i32, &str)) -> usize {
        let record = record(position, cigar, is_reverse, mate.0);
        let mut bytes = Vec::new();
        let record = record
            .write_bam(
                &biofast_bam::Header::from_text(b"@SQ\tSN:c\tLN:9999\n").unwrap(),
                &mut bytes,
            )
            .unwrap();
        clip_past_mate(&record, &MateCigar::of_text(mate.1.as_bytes()).unwrap())
    }

    #[test]
    fn bases_beyond_the_mate_are_counted() {
        assert_eq!(clip(100, "80M20S", false, (100, "20S80M")), 20);
        assert_eq!(clip(100, "20S80M", true, (100, "80M20S")), 20);
        assert_eq!(clip(100, "100M", false, (80, "100M")), 20);
        assert_eq!(clip(80, "100M", true, (100, "100M")), 20);
        assert_eq!(clip(100, "100M", false, (150, "100M")), 0);
        // Alignments that don't meet, with soft-clipped ends that do.
        assert_eq!(clip(100, "50M50S", false, (160, "10S50M")), 0);
        assert_eq!(clip(100, "50M90S", false, (160, "10S50M10S")), 20);
        // Reads that look away from each other.
        assert_eq!(clip(300, "50M", false, (100, "50M")), 0);
        assert_eq!(clip(100, "50M", true, (300, "50M")), 0);
        // An insertion before the end of the mate isn't beyond it.
        assert_eq!(clip(100, "40M5I40M", false, (100, "20S80M")), 0);
        assert_eq!(clip(100, "70M10D30M", false, (120, "60M")), 30);
    }

    #[test]
    fn what_is_no_cigar_of_a_mapped_mate_is_refused() {
        for text in ["", "*", "10S", "0M", "M", "10M5", "10M5S10M", "5M10H5M", "300000000M", "9Q"] {
            assert!(MateCigar::of_text(text.as_bytes()).is_none(), "{text}");
        }
        assert!(MateCigar::of_text(b"5H2S10M1I4M3S").is_some());
    }
}
