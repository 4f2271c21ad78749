//! Records of a slice as BAM bytes (SAM specification, section 4.2).

use super::context::Context;
use super::record::{CramRecord, Slice, UNMAPPED};
use crate::cram::bytes::{Result, bad};
use crate::fixed::{FIXED_LEN, FixedFields};
use crate::packing;
use crate::sam::bin;

/// The most operations that fit the field; more go to the tag `CG`.
const MAX_OPS: usize = 65_535;

/// Appends all records of `slice`.
pub(super) fn write(slice: &Slice, context: &Context, out: &mut Vec<u8>) -> Result<()> {
    let Slice { records, names, tags, bases, qualities, cigars, .. } = slice;
    // A NUL and a tag of the read group are on top; mates share names.
    let fixed = (4 + FIXED_LEN + 24) * records.len() + 4 * cigars.len();
    out.reserve(fixed + 2 * names.len() + bases.len().div_ceil(2) + qualities.len() + tags.len());
    for (number, record) in records.iter().enumerate() {
        write_record(slice, number, record, context, out)?;
    }
    Ok(())
}

fn write_record(
    slice: &Slice,
    number: usize,
    record: &CramRecord,
    context: &Context,
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    let flags = record.flags as u16;
    let cigar = &slice.cigars[record.cigar.clone()];
    let bases = &slice.bases[record.bases.clone()];
    let qualities = &slice.qualities[record.bases.clone()];
    let long = cigar.len() > MAX_OPS;
    let span: i64 = if record.flags & UNMAPPED != 0 {
        1
    } else {
        let consumes = |word: &&u32| matches!(**word & 15, 0 | 2 | 3 | 7 | 8);
        cigar.iter().filter(consumes).map(|word| i64::from(word >> 4)).sum::<i64>().max(1)
    };
    let position = |n: i64| i32::try_from(n - 1);
    let (Ok(at), Ok(mate_at)) = (position(record.start), position(record.mate_start)) else {
        return bad("a position beyond 2,147,483,647");
    };
    let Ok(template_len) = i32::try_from(record.template_len.unwrap_or_default()) else {
        return bad("a template length beyond 31 bits");
    };
    if at < -1 || mate_at < -1 {
        return bad("a negative position");
    }
    let bin = bin(at.into(), i64::from(at) + span);

    out.extend_from_slice(&[0; 4 + FIXED_LEN]);
    write_name(slice, number, record, context, out);
    let name_len = out.len() - start - 4 - FIXED_LEN;
    let Ok(name_len) = u8::try_from(name_len) else {
        return bad("a read name of more than 254 bytes");
    };
    if long {
        if bases.len() >= 1 << 28 || span >= 1 << 28 {
            return bad("a long CIGAR over 2^28 bases or more");
        }
        out.extend(((bases.len() as u32) << 4 | 4).to_le_bytes());
        out.extend(((span as u32) << 4 | 3).to_le_bytes());
    } else {
        out.extend(cigar.iter().flat_map(|word| word.to_le_bytes()));
    }
    packing::pack(bases, out);
    out.extend_from_slice(qualities);
    out.extend_from_slice(&slice.tags[record.tags.clone()]);
    if let Some(group) = usize::try_from(record.read_group).ok().and_then(|n| context.read_group(n))
    {
        out.extend_from_slice(b"RGZ");
        out.extend_from_slice(group);
        out.push(0);
    }
    if long {
        out.extend_from_slice(b"CGBI");
        out.extend((cigar.len() as u32).to_le_bytes());
        out.extend(cigar.iter().flat_map(|word| word.to_le_bytes()));
    }

    let Ok(size) = i32::try_from(out.len() - start - 4) else {
        return bad("a record of 2 GiB or more");
    };
    FixedFields {
        size,
        reference: record.reference,
        position: at,
        name_len,
        mapq: record.mapq,
        bin,
        ops: if long { 2 } else { cigar.len() as u16 },
        flags,
        bases: bases.len() as u32,
        mate_reference: record.mate_reference,
        mate_position: mate_at,
        template_len,
    }
    .put(&mut out[start..]);
    Ok(())
}

/// The name with its NUL: the record's own, its mate's, or one made of the file's name and the
/// number of the template's first record, as htslib makes it.
fn write_name(
    slice: &Slice,
    number: usize,
    record: &CramRecord,
    context: &Context,
    out: &mut Vec<u8>,
) {
    let mate = record.mate.map(|n| (n, &slice.records[n]));
    if !record.name.is_empty() {
        out.extend_from_slice(&slice.names[record.name.clone()]);
    } else if let Some((_, mate)) = mate
        && !mate.name.is_empty()
    {
        out.extend_from_slice(&slice.names[mate.name.clone()]);
    } else {
        let number = mate.map_or(number, |(n, _)| n.min(number));
        // 254 bytes are the limit, and a number takes up to 20.
        let prefix = &context.prefix[context.prefix.len().saturating_sub(200)..];
        out.extend_from_slice(prefix);
        out.extend(format!(":{}", slice.first.wrapping_add(number as i64 + 1)).bytes());
    }
    out.push(0);
}
