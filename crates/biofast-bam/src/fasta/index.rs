//! Where the sequences of a FASTA file are.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::Path;

use biofast_io::Shown;
use md5::{Digest as _, Md5};
use noodles_fasta::io::Indexer;

use super::entry::Entry;

/// The MD5 sum of what is given bit by bit.
#[derive(Default)]
pub(super) struct Digest(Md5);

impl Digest {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> [u8; 16] {
        self.0.finalize().into()
    }
}

/// Reads an index (`.fai`). Of two sequences of the same name the first counts, as for samtools.
///
/// # Errors
/// What is wrong with which line.
pub(super) fn read(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    let name = biofast_io::display_name(path);
    let named = |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("{name}{what}"));
    let text = biofast_io::remote::read(path)
        .map_err(|e| io::Error::new(e.kind(), format!("{name}: {e}")))?;
    let mut entries = HashMap::new();
    for (number, line) in (1..).zip(text.split(|&b| b == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let (sequence, entry) = parse(line, number).ok_or_else(|| {
            named(format!(
                ", line {number}: expected a name and four numbers (length, offset, bases per line, bytes per line), found '{}'",
                Shown(line)
            ))
        })?;
        entries.entry(sequence.to_vec()).or_insert(entry);
    }
    Ok(entries)
}

/// A line of an index.
fn parse(line: &[u8], number: u64) -> Option<(&[u8], Entry)> {
    let mut fields = line.split(|&b| b == b'\t');
    let name = fields.next().filter(|name| !name.is_empty())?;
    let mut number_of = || -> Option<u64> {
        let digits = fields.next()?;
        let are_digits = digits.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(digits).ok().filter(|_| are_digits)?.parse().ok()
    };
    let (len, offset) = (number_of()?, number_of()?);
    let (bases_a_line, bytes_a_line) = (number_of()?, number_of()?);
    let entry = Entry { len, offset, bases_a_line, bytes_a_line, line: Some(number) };
    // An empty sequence has no lines.
    let is_good = (bases_a_line > 0 || len == 0) && bytes_a_line >= bases_a_line;
    // Every place in it is a number below 2^63.
    let lines = len.checked_div(bases_a_line).unwrap_or(0);
    let end = lines.checked_mul(bytes_a_line)?.checked_add(bases_a_line)?.checked_add(offset)?;
    (is_good && i64::try_from(end).is_ok()).then_some((name, entry))
}

/// Reads the text of a FASTA file to find its sequences.
pub(super) fn of(text: impl BufRead) -> io::Result<HashMap<Vec<u8>, Entry>> {
    let mut indexer = Indexer::new(text);
    let mut entries = HashMap::new();
    while let Some(record) = indexer.index_record().map_err(io::Error::from)? {
        let entry = Entry {
            len: record.length(),
            offset: record.position(),
            bases_a_line: record.line_base_count().get(),
            bytes_a_line: record.line_width().get(),
            line: None,
        };
        entries.entry(record.name().to_vec()).or_insert(entry);
    }
    Ok(entries)
}
