//! Alignments turned back into unaligned reads: what `samtools reset` (1.24) does.

use biofast_bam::{Error, Header, Record, bin, flag};

use super::edit::{RecordEdit, made};
use super::retag::KeptTags;
use crate::tags::append_tags;

/// Tags that say something of an alignment.
const OF_ALIGNMENT: [[u8; 2]; 15] = [
    *b"AS", *b"CC", *b"CG", *b"CP", *b"H1", *b"H2", *b"HI", *b"H0", *b"IH", *b"MC", *b"MD", *b"MQ",
    *b"NM", *b"SA", *b"TS",
];

/// What stays of a record beside its name, bases and qualities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResetRules {
    /// The tags that stay; of those that aren't named to be kept, not those of alignments.
    pub tags: KeptTags,
    /// Whether read groups are dropped, in the header and of records.
    pub no_read_groups: bool,
    /// Whether reads stay marked as duplicates.
    pub keep_duplicate_flag: bool,
    /// The program with this ID, and those in the lines behind it, are dropped from the header.
    pub reject_program: Option<String>,
}

/// The header has no program of this ID, which should be dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header has no @PG line with the ID '{0}'")]
pub struct UnknownProgram(pub String);

/// Drops what an aligner has added: positions, CIGARs, what says something of mates, and tags. Secondary and supplementary records
/// are left out, and reads on the reverse strand are turned round.
///
/// ```
/// use biofast_bam::Reader;
/// use biofast_ops::edit::RecordEdit;
/// use biofast_ops::reset::{Reset, ResetRules};
///
/// let sam = b"@SQ\tSN:c\tLN:9\nr\t16\tc\t3\t60\t3M\t*\t0\t0\tACC\tIJK\tNM:i:0\tBC:Z:T\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let reset = Reset::new(&reader.shared_header(), &ResetRules::default())?;
/// let record = reader.next_record()?.ok_or("no record")?;
/// let mut room = Vec::new();
/// let record = reset.edit(record, &mut room)?.ok_or("left out")?;
/// assert_eq!((record.flags(), record.sequence().to_vec()), (4, b"GGT".to_vec()));
/// assert_eq!((record.qualities()[0], record.tag_bytes()), (42, &b"BCZT\0"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reset {
    header: Header,
    tags: KeptTags,
    flags_that_stay: u16,
}

impl Reset {
    /// For files with this header. What is written has no reference sequences, and of other lines only read groups and programs.
    ///
    /// # Errors
    /// If the header doesn't have the program that is to be dropped.
    pub fn new(header: &Header, rules: &ResetRules) -> Result<Reset, UnknownProgram> {
        let header = match &rules.reject_program {
            None => header.reset(!rules.no_read_groups, None),
            Some(id) => header.reset(!rules.no_read_groups, Some(id.as_bytes())),
        };
        let rejected = rules.reject_program.clone().unwrap_or_default();
        let header = header.ok_or(UnknownProgram(rejected))?;
        let mut tags = rules.tags.clone().without(&OF_ALIGNMENT);
        if rules.no_read_groups {
            tags = tags.never(*b"RG");
        }
        let aligned = flag::PROPER_PAIR | flag::REVERSE | flag::MATE_REVERSE;
        let dropped = if rules.keep_duplicate_flag { aligned } else { aligned | flag::DUPLICATE };
        Ok(Reset { header, tags, flags_that_stay: !dropped })
    }
}

impl RecordEdit for Reset {
    fn header(&self) -> &Header {
        &self.header
    }

    fn edit<'r>(
        &self,
        record: Record<'r>,
        room: &'r mut Vec<u8>,
    ) -> Result<Option<Record<'r>>, Error> {
        let flags = record.flags();
        if flags & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0 {
            return Ok(None);
        }
        let of_mate = if flags & flag::PAIRED != 0 { flag::MATE_UNMAPPED } else { 0 };
        let new = flags & self.flags_that_stay | flag::UNMAPPED | of_mate;
        let name = record.name();
        room.clear();
        for word in [-1i32, -1] {
            room.extend(word.to_le_bytes());
        }
        // At most 254 characters, as it was read.
        room.extend([name.len() as u8 + 1, 0]);
        for half in [bin(-1, 0), 0, new] {
            room.extend(half.to_le_bytes());
        }
        // Below 2^31, as it was read.
        for word in [record.sequence_len() as i32, -1, -1, 0] {
            room.extend(word.to_le_bytes());
        }
        room.extend_from_slice(name);
        room.push(0);
        let (packed, qualities) = (record.packed_sequence(), record.qualities());
        match flags & flag::REVERSE {
            0 => {
                room.extend_from_slice(packed);
                room.extend_from_slice(qualities.as_slice());
            }
            _ => {
                reverse_complement(packed, record.sequence_len(), room);
                room.extend(qualities.as_slice().iter().rev());
            }
        }
        let is_cigar = |tag: [u8; 2]| tag == *b"CG" && record.has_long_cigar();
        append_tags(&record, room, |tag| !self.tags.keeps(tag) || is_cigar(tag));
        made(&record, room).map(Some)
    }
}

/// Appends packed bases reversed and complemented. The code of a complement has the four bits of a base in reverse, so two bases in a
/// byte change places with it.
fn reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(packed.iter().rev().map(|byte| byte.reverse_bits()));
    if len % 2 == 1 {
        // What filled up the last byte is in front now.
        let bytes = &mut out[start..];
        for at in 0..bytes.len() {
            let next = bytes.get(at + 1).map_or(0, |next| next >> 4);
            bytes[at] = bytes[at] << 4 | next;
        }
    }
}

#[cfg(test)]
mod tests {
    use biofast_bam::RecordBuf;

    use super::*;

    #[test]
    fn packed_bases_are_reversed_and_complemented() {
        let all = b"=ACMGRSVTWYHKDBN";
        let complements = b"=TGKCYSBAWRDMHVN";
        for len in 0..=all.len() {
            let mut bytes = Vec::new();
            let read = RecordBuf::unmapped("r").sequence(&all[..len]).build().unwrap();
            let record = read.write_bam(&Header::default(), &mut bytes).unwrap();
            let mut turned = Vec::new();
            reverse_complement(record.packed_sequence(), len, &mut turned);
            let mut letters = Vec::new();
            biofast_kernels::unpack_bases(&turned, len, &mut letters);
            let expected: Vec<u8> = complements[..len].iter().rev().copied().collect();
            assert_eq!(letters, expected);
            let padding = turned.last().filter(|_| len % 2 == 1).map_or(0, |last| last & 15);
            assert_eq!(padding, 0);
        }
    }
}
