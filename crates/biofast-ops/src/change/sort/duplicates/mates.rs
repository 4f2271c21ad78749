//! Mates told of each other, as `samtools fixmate -m` (1.24) does it.

use biofast_bam::{Record, flag};

use super::picard;
use super::sanitize::{append_text, bin};

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
    mapping_quality: u8,
    /// The sum of its qualities.
    pub(super) score: u32,
    /// What its tags say of the mate: MQ, the record whose CIGAR is in MC, and ms.
    mate_quality: Option<u8>,
    mate_cigar: Option<usize>,
    pub(super) mate_score: Option<u32>,
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
    fn new(index: usize, record: &Record<'_>) -> Primary {
        let position = record.position();
        let flags = record.flags();
        let on_reference = match flags & flag::UNMAPPED {
            0 => (record.cigar().reference_len() as i64).max(1),
            _ => 1,
        };
        Primary {
            index,
            mate: None,
            flags,
            reference: record.reference_id(),
            position,
            mate_reference: record.mate_reference_id(),
            mate_position: record.mate_position(),
            template_len: record.template_len(),
            end: i64::from(position) + on_reference,
            mapping_quality: record.mapping_quality(),
            score: score(record.qualities().as_slice()),
            mate_quality: None,
            mate_cigar: None,
            mate_score: None,
        }
    }

    fn is_mapped(&self) -> bool {
        self.flags & flag::UNMAPPED == 0
    }

    fn is_reverse(&self) -> bool {
        self.flags & flag::REVERSE != 0
    }

    /// Whether it is a read of a pair with a mate that is aligned, as its flags say.
    pub(super) fn has_mapped_mate(&self) -> bool {
        self.flags & (flag::PAIRED | flag::MATE_UNMAPPED) == flag::PAIRED
    }

    /// Whether its fields name a reference of the mate.
    pub(super) fn names_mate_reference(&self) -> bool {
        self.mate_reference >= 0
    }

    /// Where its first base is, seen from the sequencer.
    fn five_prime(&self) -> i64 {
        if self.is_reverse() { self.end } else { i64::from(self.position) }
    }

    /// Without a mate. It stays a read of a pair.
    fn forget_mate(&mut self) {
        (self.mate_reference, self.mate_position, self.template_len) = (-1, -1, 0);
        self.flags &= !(flag::MATE_REVERSE | flag::PROPER_PAIR);
    }

    /// An unmapped read lies where its mate does.
    fn go_to(&mut self, mate: &Primary) {
        if !self.is_mapped() && mate.is_mapped() {
            (self.reference, self.position) = (mate.reference, mate.position);
        }
    }

    fn learn_of(&mut self, mate: &Primary) {
        (self.mate_reference, self.mate_position) = (mate.reference, mate.position);
        self.flags &= !flag::MATE_REVERSE;
        if mate.is_reverse() {
            self.flags |= flag::MATE_REVERSE;
        }
        if mate.is_mapped() {
            self.mate_quality = Some(mate.mapping_quality);
        } else {
            self.flags |= flag::MATE_UNMAPPED;
        }
        if mate.is_mapped() || self.is_mapped() {
            self.mate_cigar = Some(mate.index);
        }
    }

    fn learn_score_of(&mut self, mate: &Primary) {
        self.mate = Some(mate.index);
        self.mate_score = Some(mate.score);
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
    other.learn_score_of(one);
    one.learn_score_of(other);
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

/// A record of a group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    /// It stays as it is.
    Other,
    /// A supplementary record, which is told of its read's mate.
    Supplementary(Primary),
    Primary(Primary),
}

impl Member {
    pub(super) fn primary(&self) -> Option<&Primary> {
        match self {
            Member::Primary(primary) => Some(primary),
            Member::Other | Member::Supplementary(_) => None,
        }
    }
}

/// The records of a name, in their order. Where there are more than two primary ones, each is told of the first, and the first
/// of the last, as samtools does.
pub(super) fn mate(records: &[Record<'_>], out: &mut Vec<Member>) {
    out.clear();
    let mut first: Option<(usize, Primary)> = None;
    for (index, record) in records.iter().enumerate() {
        if !is_primary(record.flags()) {
            out.push(Member::Other);
            continue;
        }
        let mut next = Primary::new(index, record);
        match &mut first {
            None => first = Some((index, next)),
            Some((_, first)) => pair(first, &mut next),
        }
        out.push(Member::Primary(next));
    }
    if let Some((index, mut first)) = first {
        if first.mate.is_none() {
            first.forget_mate();
        }
        out[index] = Member::Primary(first);
    }
    if out.len() > 1 {
        tell_supplementary(records, out);
    }
}

/// Tells supplementary records of reads of pairs of the mate: the last primary record of the other number.
fn tell_supplementary(records: &[Record<'_>], out: &mut [Member]) {
    let is_second = |flags: u16| flags & flag::READ2 != 0;
    for (index, record) in records.iter().enumerate() {
        let flags = record.flags();
        let wanted = flag::PAIRED | flag::SUPPLEMENTARY;
        if flags & wanted != wanted {
            continue;
        }
        let primary = out.iter().rev().filter_map(Member::primary);
        let mate = primary.filter(|mate| is_second(mate.flags) != is_second(flags)).copied().next();
        if let Some(mate) = mate {
            let mut own = Primary::new(index, record);
            own.learn_of(&mate);
            out[index] = Member::Supplementary(own);
        }
    }
}

/// The records of a name as Picard sees them: mates are what flags, the reference of the mate and the read group say, and
/// nothing is changed.
pub(super) fn as_picard(records: &[Record<'_>], out: &mut Vec<Member>) {
    out.clear();
    for (index, record) in records.iter().enumerate() {
        out.push(match is_primary(record.flags()) {
            true => Member::Primary(Primary::new(index, record)),
            false => Member::Other,
        });
    }
    // In coordinate order.
    let mut primary: Vec<Primary> =
        out.iter().filter_map(|member| member.primary().copied()).collect();
    primary.retain(|one| one.is_mapped() && one.has_mapped_mate());
    primary.sort_by_key(|one| (one.reference, one.position, one.is_reverse()));
    let mut waiting: Vec<Primary> = Vec::new();
    let group = |one: &Primary| picard::read_group(&records[one.index]);
    for one in primary {
        let is_mate =
            |other: &Primary| other.mate_reference == one.reference && group(other) == group(&one);
        let Some(at) = waiting.iter().position(is_mate) else {
            waiting.push(one);
            continue;
        };
        let other = waiting.remove(at);
        for (own, mate) in [(one.index, other.index), (other.index, one.index)] {
            if let Some(Member::Primary(own)) = out.get_mut(own) {
                own.mate = Some(mate);
            }
        }
    }
}

/// Appends the record changed to `to`, without its size in front: what it says of its mate is in its fields and in the optional
/// fields MQ, MC and ms. Some others are left out.
pub(super) fn write(
    records: &[Record<'_>],
    to: &Primary,
    is_unwanted: impl Fn([u8; 2]) -> bool,
    out: &mut Vec<u8>,
) {
    let record = &records[to.index];
    let bytes = record.as_bytes();
    let tags = record.tag_bytes();
    let start = out.len();
    out.extend_from_slice(&bytes[..bytes.len() - tags.len()]);
    let fixed = &mut out[start..];
    let mut put = |at: usize, value: &[u8]| fixed[at..at + value.len()].copy_from_slice(value);
    put(0, &to.reference.to_le_bytes());
    put(4, &to.position.to_le_bytes());
    if (to.reference, to.position) != (record.reference_id(), record.position()) {
        put(10, &bin(i64::from(to.position), 1).to_le_bytes());
    }
    put(14, &to.flags.to_le_bytes());
    put(20, &to.mate_reference.to_le_bytes());
    put(24, &to.mate_position.to_le_bytes());
    put(28, &to.template_len.to_le_bytes());
    append_tags(record, out, |name| match &name {
        b"MQ" => to.mate_quality.is_some(),
        b"MC" => to.mate_cigar.is_some(),
        b"ms" => to.mate_score.is_some(),
        _ => is_unwanted(name),
    });
    if let Some(quality) = to.mate_quality {
        out.extend_from_slice(b"MQi");
        out.extend_from_slice(&u32::from(quality).to_le_bytes());
    }
    if let Some(mate) = to.mate_cigar {
        out.extend_from_slice(b"MCZ");
        append_text(records[mate].cigar(), out);
        out.push(0);
    }
    if let Some(score) = to.mate_score {
        out.extend_from_slice(b"msi");
        out.extend_from_slice(&score.to_le_bytes());
    }
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
