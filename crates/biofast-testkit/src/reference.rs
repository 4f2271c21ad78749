//! The reference FASTQ reader: the whole text in memory, one line after the other.

/// A record of the reference reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The header line without `@`.
    pub definition: Vec<u8>,
    /// The bases.
    pub sequence: Vec<u8>,
    /// The qualities in ASCII.
    pub qualities: Vec<u8>,
}

/// The records of `text` up to the first fault, and whether there is one.
pub fn read(text: &[u8]) -> (Vec<Record>, bool) {
    let mut lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut lines = lines.into_iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut records = Vec::new();
    while let Some(header) = lines.next() {
        if header.is_empty() {
            continue;
        }
        match record(header, &mut lines) {
            Some(record) => records.push(record),
            None => return (records, true),
        }
    }
    (records, false)
}

fn record<'a>(header: &[u8], lines: &mut impl Iterator<Item = &'a [u8]>) -> Option<Record> {
    let definition = header.strip_prefix(b"@")?.to_vec();
    let mut sequence = Vec::new();
    let caption = loop {
        let line = lines.next()?;
        if let Some(caption) = line.strip_prefix(b"+") {
            break caption;
        }
        sequence.extend_from_slice(line);
    };
    let is_base = |b: &u8| b.is_ascii_alphabetic() || b"-.*".contains(b);
    if !sequence.iter().all(is_base) || !(caption.is_empty() || caption == definition) {
        return None;
    }
    let mut qualities = Vec::new();
    while qualities.len() < sequence.len() {
        qualities.extend_from_slice(lines.next()?);
    }
    let is_quality = |b: &u8| (33..=126).contains(b);
    if qualities.len() != sequence.len() || !qualities.iter().all(is_quality) {
        return None;
    }
    Some(Record { definition, sequence, qualities })
}
