//! BAM data written field by field, valid or not.

use crate::random::Random;

/// The fields of a record that tests vary.
#[derive(Clone, Debug)]
pub struct BamRecord {
    /// refID and next_refID.
    pub references: [i32; 2],
    /// MAPQ.
    pub mapq: u8,
    /// FLAG.
    pub flags: u16,
    /// The read's name.
    pub name: String,
    /// Bases in the packed sequence.
    pub len: usize,
}

/// A header with the given reference sequences.
pub fn header(references: &[(&str, u32)]) -> Vec<u8> {
    let text: String = references.iter().map(|(n, l)| format!("@SQ\tSN:{n}\tLN:{l}\n")).collect();
    header_of(&format!("@HD\tVN:1.6\tSO:unsorted\n{text}"), references)
}

/// A header of any text and list.
pub fn header_of(text: &str, references: &[(&str, u32)]) -> Vec<u8> {
    let mut out = b"BAM\x01".to_vec();
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
    out.extend((references.len() as u32).to_le_bytes());
    for (name, length) in references {
        out.extend((name.len() as u32 + 1).to_le_bytes());
        out.extend(name.as_bytes());
        out.push(0);
        out.extend(length.to_le_bytes());
    }
    out
}

/// A record with an empty CIGAR, bases `A` and qualities 30.
pub fn record(r: &BamRecord) -> Vec<u8> {
    let size = 32 + r.name.len() + 1 + r.len.div_ceil(2) + r.len;
    let mut out = Vec::new();
    out.extend((size as u32).to_le_bytes());
    out.extend(r.references[0].to_le_bytes());
    out.extend((if r.references[0] < 0 { -1i32 } else { 9 }).to_le_bytes());
    out.push(r.name.len() as u8 + 1);
    out.push(r.mapq);
    out.extend(4680u16.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out.extend(r.flags.to_le_bytes());
    out.extend((r.len as u32).to_le_bytes());
    out.extend(r.references[1].to_le_bytes());
    out.extend((if r.references[1] < 0 { -1i32 } else { 9 }).to_le_bytes());
    out.extend(0i32.to_le_bytes());
    out.extend(r.name.as_bytes());
    out.push(0);
    out.extend(std::iter::repeat_n(0x11, r.len / 2));
    if r.len % 2 == 1 {
        out.push(0x10);
    }
    out.extend(std::iter::repeat_n(30, r.len));
    out
}

/// `n` records of all kinds of flags, on `references` references.
pub fn records(n: usize, references: i32) -> Vec<BamRecord> {
    let mut numbers = Random(0x9e37_79b9_7f4a_7c15);
    let mut random = |bound: u64| numbers.below_u64(bound);
    (0..n)
        .map(|i| BamRecord {
            references: [0, 1].map(|_| random(references as u64 + 1) as i32 - 1),
            mapq: random(61) as u8,
            flags: random(4096) as u16,
            name: format!("read{}", i / 2),
            len: random(200) as usize,
        })
        .collect()
}

/// The fields of an alignment that tests of regions and indexes vary.
#[derive(Clone, Debug, Default)]
pub struct Aligned {
    /// refID.
    pub reference: i32,
    /// POS, counted from 0.
    pub position: i32,
    /// FLAG.
    pub flags: u16,
    /// CIGAR words.
    pub cigar: Vec<u32>,
    /// Bases in the packed sequence.
    pub len: usize,
    /// Optional fields as stored.
    pub tags: Vec<u8>,
}

/// A record with a CIGAR, named `r`.
pub fn aligned(a: &Aligned) -> Vec<u8> {
    let base = BamRecord {
        references: [a.reference, -1],
        mapq: 60,
        flags: a.flags,
        name: "r".into(),
        len: a.len,
    };
    let mut out = record(&base);
    out[8..12].copy_from_slice(&a.position.to_le_bytes());
    out[16..18].copy_from_slice(&u16::try_from(a.cigar.len()).unwrap().to_le_bytes());
    let cigar = a.cigar.iter().flat_map(|word| word.to_le_bytes());
    out.splice(38..38, cigar);
    out.extend(&a.tags);
    let size = out.len() as u32 - 4;
    out[..4].copy_from_slice(&size.to_le_bytes());
    out
}

/// The reference BAM reader: the records' bytes without block sizes, up to the first fault of framing (SAM
/// specification, 4.2) or of a CIGAR, and whether there is one. `bytes` start behind a good header with that many references.
pub fn read(mut bytes: &[u8], references: i32) -> (Vec<Vec<u8>>, bool) {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        match read_record(bytes, references) {
            Some(record) => {
                out.push(record.to_vec());
                bytes = &bytes[4 + record.len()..];
            }
            None => return (out, true),
        }
    }
    (out, false)
}

fn read_record(bytes: &[u8], references: i32) -> Option<&[u8]> {
    let int = |at: usize| Some(i32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let size = usize::try_from(int(0)?).ok()?;
    let record = bytes.get(4..4 + size)?;
    if size < 32 {
        return None;
    }
    let (name, bases) = (usize::from(record[8]), usize::try_from(int(20)?).ok()?);
    let cigar = usize::from(u16::from_le_bytes([record[12], record[13]]));
    let known = |reference: i32| (-1..references).contains(&reference);
    let fits = 32 + name + 4 * cigar + bases.div_ceil(2) + bases <= size;
    let named = name > 0 && record.get(31 + name) == Some(&0);
    if !(known(int(4)?) && known(int(24)?) && fits && named) {
        return None;
    }
    // Operations exist, and those of a mapped read fit its bases.
    let words = record[32 + name..][..4 * cigar].chunks(4);
    let words: Vec<u32> =
        words.map(|word| u32::from_le_bytes(*word.first_chunk().unwrap_or(&[0; 4]))).collect();
    let read = words.iter().filter(|&word| [0, 1, 4, 7, 8].contains(&(word & 15)));
    let read: usize = read.map(|word| (word >> 4) as usize).sum();
    let unmapped = record[14] & 4 != 0;
    let fits = cigar == 0 || bases == 0 || unmapped || read == bases;
    (fits && words.iter().all(|word| word & 15 < 10)).then_some(record)
}
