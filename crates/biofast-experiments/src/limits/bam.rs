//! Where the parts of BAM records are, without the library, which is measured here.

/// The regions of one record: places in the text.
pub(crate) struct Record {
    pub(crate) start: usize,
    pub(crate) name: usize,
    pub(crate) cigar: usize,
    pub(crate) bases: usize,
    pub(crate) qualities: usize,
    pub(crate) tags: usize,
    pub(crate) end: usize,
}

/// The 32-bit number at `at`.
pub(crate) fn word(text: &[u8], at: usize) -> Option<usize> {
    let bytes = text.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// Where the first record starts, if `text` begins with a whole header.
pub(crate) fn header_end(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"BAM\x01") {
        return None;
    }
    let mut at = 8 + word(text, 4)?;
    let references = word(text, at)?;
    at += 4;
    for _ in 0..references {
        at += 8 + word(text, at)?;
    }
    (at <= text.len()).then_some(at)
}

/// The records of a BAM stream as far as they are whole; `None` if it isn't one.
pub(crate) fn records(text: &[u8]) -> Option<Vec<Record>> {
    let mut at = header_end(text)?;
    let mut all = Vec::new();
    while let Some(size) = word(text, at) {
        let end = at + 4 + size;
        let Some(fixed) = text.get(at + 4..at + 36).filter(|_| end <= text.len()) else { break };
        let cigar = at + 36 + usize::from(fixed[8]);
        let bases = cigar + 4 * usize::from(u16::from_le_bytes([fixed[12], fixed[13]]));
        let length = word(fixed, 16)?;
        let qualities = bases + length.div_ceil(2);
        let tags = qualities + length;
        if tags > end {
            return None;
        }
        all.push(Record { start: at, name: at + 36, cigar, bases, qualities, tags, end });
        at = end;
    }
    Some(all)
}
