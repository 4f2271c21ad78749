//! Mates told of each other, as `samtools fixmate -m` does it.

use biofast_bam::{Cigar, Op, Record, flag};

/// Qualities below this don't count for a score.
pub(super) const LEAST_QUALITY: u8 = 15;

/// What a primary record is changed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Primary {
    /// Which record of the group it is, and which its mate.
    pub(super) index: usize,
    pub(super) mate: Option<usize>,
    pub(super) flags: u16,
    pub(super) reference: i32,
    pub(super) position: i32,
    mate_reference: i32,
    mate_position: i32,
    template_len: i32,
    /// Behind its last base on the reference.
    end: i64,
    /// The sum of its qualities.
    pub(super) score: u32,
}

/// Whether a record is the one of its read that counts.
pub(super) fn is_primary(flags: u16) -> bool {
    flags & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0
}

/// The sum of the qualities that count.
pub(super) fn score(qualities: &[u8]) -> u32 {
    // Of each base: a record has less than 2^31, and what is beyond 32 bits is cut off as samtools does.
    let each = qualities.iter().map(|&q| if q >= LEAST_QUALITY { u32::from(q) } else { 0 });
    each.fold(0, u32::wrapping_add)
}

impl Primary {
    fn new(index: usize, record: &Record<'_>, lengths: &[u64]) -> Primary {
        let (reference, position) = (record.reference_id(), record.position());
        let mut flags = record.flags();
        if reference < 0 || position < 0 {
            flags |= flag::UNMAPPED;
        }
        let mut end = i64::from(position) + 1;
        if flags & flag::UNMAPPED == 0 {
            end = i64::from(position) + (record.cigar().reference_len() as i64).max(1);
            let len = usize::try_from(reference).ok().and_then(|at| lengths.get(at));
            if end > len.map_or(0, |&len| len as i64) {
                flags |= flag::UNMAPPED;
            }
        }
        Primary {
            index,
            mate: None,
            flags,
            reference,
            position,
            mate_reference: record.mate_reference_id(),
            mate_position: record.mate_position(),
            template_len: record.template_len(),
            end,
            score: score(record.qualities()),
        }
    }

    fn is_mapped(&self) -> bool {
        self.flags & flag::UNMAPPED == 0
    }

    fn is_reverse(&self) -> bool {
        self.flags & flag::REVERSE != 0
    }

    /// Where its first base is, seen from the sequencer.
    fn five_prime(&self) -> i64 {
        if self.is_reverse() { self.end } else { i64::from(self.position) }
    }

    /// Without a mate.
    fn alone(mut self) -> Primary {
        if !self.is_mapped() {
            (self.reference, self.position) = (-1, -1);
        }
        (self.mate_reference, self.mate_position, self.template_len) = (-1, -1, 0);
        self.flags &= !(flag::PAIRED | flag::MATE_REVERSE | flag::PROPER_PAIR);
        self
    }

    /// An unmapped read lies where its mate does.
    fn go_to(&mut self, mate: &Primary) {
        if !self.is_mapped() && mate.is_mapped() {
            (self.reference, self.position) = (mate.reference, mate.position);
        }
    }

    fn learn_of(&mut self, mate: &Primary) {
        (self.mate_reference, self.mate_position) = (mate.reference, mate.position);
        self.mate = Some(mate.index);
        self.flags &= !flag::MATE_REVERSE;
        if mate.is_reverse() {
            self.flags |= flag::MATE_REVERSE;
        }
        if !mate.is_mapped() {
            self.flags |= flag::MATE_UNMAPPED;
        }
    }
}

/// Two primary records of a name.
fn pair(one: &mut Primary, other: &mut Primary) {
    one.flags |= flag::PAIRED;
    other.flags |= flag::PAIRED;
    other.go_to(one);
    one.go_to(other);
    other.learn_of(one);
    one.learn_of(other);
    let unknown = flag::UNMAPPED | flag::MATE_UNMAPPED;
    let are_near = one.reference == other.reference && (one.flags | other.flags) & unknown == 0;
    let len = if are_near { other.five_prime() - one.five_prime() } else { 0 };
    // Both are positions of 32 bits.
    (one.template_len, other.template_len) = (len as i32, -len as i32);
    // Whether they look at each other; `one` is the first of two at one place.
    let (left, right) =
        if one.five_prime() > other.five_prime() { (&other, &one) } else { (&one, &other) };
    let faces = one.is_mapped()
        && other.is_mapped()
        && one.reference == other.reference
        && !left.is_reverse()
        && right.is_reverse();
    if !faces {
        one.flags &= !flag::PROPER_PAIR;
        other.flags &= !flag::PROPER_PAIR;
    }
}

/// A record of a group in the order in which they are given on: those that aren't primary stay as they are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    Other(usize),
    Primary(Primary),
}

/// The records of a name. A primary record is given on when the next one has come, and so behind what is between them.
pub(super) fn mate(records: &[Record<'_>], lengths: &[u64], out: &mut Vec<Member>) {
    out.clear();
    let mut waiting: Option<Primary> = None;
    for (index, record) in records.iter().enumerate() {
        if !is_primary(record.flags()) {
            out.push(Member::Other(index));
            continue;
        }
        let mut next = Primary::new(index, record, lengths);
        match waiting.take() {
            None => waiting = Some(next),
            Some(mut last) => {
                pair(&mut last, &mut next);
                out.extend([Member::Primary(last), Member::Primary(next)]);
            }
        }
    }
    out.extend(waiting.map(|last| Member::Primary(last.alone())));
}

/// Appends the record changed to `to`, without its size in front: what it says of its mate is in its fields and in the optional
/// fields MQ, MC and ms. Some others are left out.
pub(super) fn write(
    record: &Record<'_>,
    to: &Primary,
    mate: Option<(&Record<'_>, &Primary)>,
    is_unwanted: impl Fn([u8; 2]) -> bool,
    out: &mut Vec<u8>,
) {
    let bytes = record.as_bytes();
    let tags = record.tag_bytes();
    let start = out.len();
    out.extend_from_slice(&bytes[..bytes.len() - tags.len()]);
    let fixed = &mut out[start..];
    let mut put = |at: usize, value: &[u8]| fixed[at..at + value.len()].copy_from_slice(value);
    put(0, &to.reference.to_le_bytes());
    put(4, &to.position.to_le_bytes());
    if (to.reference, to.position) != (record.reference_id(), record.position()) {
        put(10, &bin(i64::from(to.position)).to_le_bytes());
    }
    put(14, &to.flags.to_le_bytes());
    put(20, &to.mate_reference.to_le_bytes());
    put(24, &to.mate_position.to_le_bytes());
    put(28, &to.template_len.to_le_bytes());
    let Some((mate, of_mate)) = mate else {
        append_tags(record, out, is_unwanted);
        return;
    };
    let has_quality = of_mate.is_mapped();
    let has_cigar = of_mate.is_mapped() || to.is_mapped();
    append_tags(record, out, |name| match &name {
        b"MQ" => has_quality,
        b"MC" => has_cigar,
        b"ms" => true,
        _ => is_unwanted(name),
    });
    if has_quality {
        out.extend_from_slice(b"MQi");
        out.extend_from_slice(&u32::from(mate.mapping_quality()).to_le_bytes());
    }
    if has_cigar {
        out.extend_from_slice(b"MCZ");
        append_cigar(mate.cigar(), out);
        out.push(0);
    }
    out.extend_from_slice(b"msi");
    out.extend_from_slice(&of_mate.score.to_le_bytes());
}

/// Appends a record's optional fields without some.
pub(super) fn append_tags(
    record: &Record<'_>,
    out: &mut Vec<u8>,
    is_unwanted: impl Fn([u8; 2]) -> bool,
) {
    // Mostly there is none of them.
    if !record.tags().any(|tag| is_unwanted(tag.name)) {
        out.extend_from_slice(record.tag_bytes());
        return;
    }
    for tag in record.tags().filter(|tag| !is_unwanted(tag.name)) {
        out.extend_from_slice(&tag.name);
        out.push(tag.kind);
        out.extend_from_slice(tag.value);
        if matches!(tag.kind, b'Z' | b'H') {
            out.push(0);
        }
    }
}

fn append_cigar(cigar: Cigar<'_>, out: &mut Vec<u8>) {
    if cigar.is_empty() {
        return out.push(b'*');
    }
    for (op, len) in cigar.iter() {
        let mut digits = [0; 10];
        let (mut at, mut rest) = (digits.len(), len);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        out.extend_from_slice(&digits[at..]);
        out.push(match op {
            Op::Match => b'M',
            Op::Insertion => b'I',
            Op::Deletion => b'D',
            Op::Skip => b'N',
            Op::SoftClip => b'S',
            Op::HardClip => b'H',
            Op::Pad => b'P',
            Op::SequenceMatch => b'=',
            Op::SequenceMismatch => b'X',
            Op::Unknown => b'?',
        });
    }
}

/// The bin of one base (SAMv1, 5.3); −1 has one, too.
fn bin(position: i64) -> u16 {
    (4681 + (position >> 14)) as u16
}
