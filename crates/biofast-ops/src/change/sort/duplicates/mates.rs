//! Mates told of each other, as `samtools fixmate -m` (1.24) does it.

use biofast_bam::{Record, bin, flag};

use super::primary::{MateRules, MateTag, Primary, pair};
use crate::sanitize::append_text;
use crate::tags::append_tags;

/// A record of a group.
#[derive(Clone, Copy, Debug)]
pub(in crate::change) enum GroupMember {
    /// It stays as it is.
    Other,
    /// A supplementary record, which is told of its read's mate.
    Supplementary(Primary),
    Primary(Primary),
}

impl GroupMember {
    pub(super) fn primary(&self) -> Option<&Primary> {
        match self {
            GroupMember::Primary(primary) => Some(primary),
            GroupMember::Other | GroupMember::Supplementary(_) => None,
        }
    }
}

impl From<Option<Primary>> for GroupMember {
    fn from(primary: Option<Primary>) -> GroupMember {
        primary.map_or(GroupMember::Other, GroupMember::Primary)
    }
}

/// The records of a name, in their order, as far as they are primary. Where there are more than two such, each is told of the first,
/// and the first of the last, as samtools does.
pub(in crate::change) fn mate(
    reads: impl Iterator<Item = Option<Primary>>,
    rules: MateRules,
    out: &mut Vec<GroupMember>,
) {
    out.clear();
    let mut first: Option<(usize, Primary)> = None;
    for (index, read) in reads.enumerate() {
        let Some(mut next) = read else {
            out.push(GroupMember::Other);
            continue;
        };
        match &mut first {
            None => first = Some((index, next)),
            Some((_, first)) => pair(first, &mut next, rules),
        }
        out.push(GroupMember::Primary(next));
    }
    if let Some((index, mut first)) = first {
        if first.mate.is_none() {
            first.forget_mate();
        }
        out[index] = GroupMember::Primary(first);
    }
}

/// Tells supplementary records of reads of pairs of the mate: the last primary record of the other number.
pub(in crate::change) fn tell_supplementary(records: &[Record<'_>], out: &mut [GroupMember]) {
    if out.len() < 2 {
        return;
    }
    let is_second = |flags: u16| flags & flag::READ2 != 0;
    for (index, record) in records.iter().enumerate() {
        let flags = record.flags();
        let wanted = flag::PAIRED | flag::SUPPLEMENTARY;
        if flags & wanted != wanted {
            continue;
        }
        let primary = out.iter().rev().filter_map(GroupMember::primary);
        let mate = primary.filter(|mate| is_second(mate.flags) != is_second(flags)).copied().next();
        if let Some(mate) = mate {
            let mut own = Primary::new(index, record);
            own.learn_of(&mate);
            out[index] = GroupMember::Supplementary(own);
        }
    }
}

/// Lets the records of a name know their mates as Picard sees them: those that flags, the reference of the mate and the read group,
/// by which `group` tells records apart, say. Nothing is changed.
pub(super) fn as_picard(out: &mut [GroupMember], group: impl Fn(usize) -> u64) {
    // In coordinate order.
    let mut primary: Vec<Primary> =
        out.iter().filter_map(|member| member.primary().copied()).collect();
    primary.retain(|one| one.is_mapped() && one.has_mapped_mate());
    primary.sort_by_key(|one| (one.reference, one.position, one.is_reverse()));
    let mut waiting: Vec<Primary> = Vec::new();
    for one in primary {
        let is_mate = |other: &Primary| {
            other.mate_reference == one.reference && group(other.index) == group(one.index)
        };
        let Some(at) = waiting.iter().position(is_mate) else {
            waiting.push(one);
            continue;
        };
        let other = waiting.remove(at);
        for (own, mate) in [(one.index, other.index), (other.index, one.index)] {
            if let Some(GroupMember::Primary(own)) = out.get_mut(own) {
                own.mate = Some(mate);
            }
        }
    }
}

/// Appends the record changed to `to`, without its size in front: what it says of its mate is in its fields and in the optional
/// fields MQ, MC, ct and ms. Some others are left out.
pub(in crate::change) fn write(
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
        put(10, &bin(to.position.into(), i64::from(to.position) + 1).to_le_bytes());
    }
    put(14, &to.flags.to_le_bytes());
    put(20, &to.mate_reference.to_le_bytes());
    put(24, &to.mate_position.to_le_bytes());
    put(28, &to.template_len.to_le_bytes());
    append_tags(record, out, |name| match &name {
        b"MQ" => to.tags.has(MateTag::Quality),
        b"MC" => to.tags.has(MateTag::Cigar),
        b"ms" => to.tags.has(MateTag::Score),
        b"ct" if to.lost_template || to.tags.has(MateTag::Template) => true,
        _ => is_unwanted(name),
    });
    for tag in to.tags.iter() {
        match tag {
            MateTag::Quality => {
                out.extend_from_slice(b"MQi");
                out.extend(u32::from(to.mate_quality.unwrap_or_default()).to_le_bytes());
            }
            MateTag::Cigar => {
                out.extend_from_slice(b"MCZ");
                to.mate_cigar.iter().for_each(|&mate| append_text(records[mate].cigar(), out));
                out.push(0);
            }
            MateTag::Template => {
                out.extend_from_slice(b"ctZ");
                to.right.iter().for_each(|&right| append_template(record, &records[right], out));
                out.push(0);
            }
            MateTag::Score => {
                out.extend_from_slice(b"msi");
                out.extend(to.mate_score.unwrap_or_default().to_le_bytes());
            }
        }
    }
}

/// Number, strand and CIGAR of two reads, with the bases between them: `1F10M30T2R10M`.
fn append_template(left: &Record<'_>, right: &Record<'_>, out: &mut Vec<u8>) {
    let append = |read: &Record<'_>, out: &mut Vec<u8>| {
        let is = |bit: u16| read.flags() & bit != 0;
        out.push(if is(flag::READ1) { b'1' } else { b'2' });
        out.push(if is(flag::REVERSE) { b'R' } else { b'F' });
        if !read.cigar().is_empty() {
            append_text(read.cigar(), out);
        }
    };
    append(left, out);
    let between = i64::from(right.position()) - left.alignment_end();
    out.extend_from_slice(format!("{between}T").as_bytes());
    append(right, out);
}
