//! Writing records.

use std::io::{self, Write};

use crate::fasta;
use crate::record::Record;

/// Writes `record` as four lines with LF and a bare `+`, or as [FASTA](fasta::write_record) in lines of
/// [`LINE_WIDTH`](fasta::LINE_WIDTH) where it has no qualities.
///
/// ```
/// use biofast_fastq::{Record, write_record};
///
/// let mut text = Vec::new();
/// write_record(&mut text, &Record::new(b"r1 first", b"ACGT", b"IIII"))?;
/// assert_eq!(text, b"@r1 first\nACGT\n+\nIIII\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If `out` can't be written to.
pub fn write_record(out: &mut impl Write, record: &Record<'_>) -> io::Result<()> {
    // Most records are read as they are written: one copy.
    if let Some(lines) = record.lines() {
        return out.write_all(lines);
    }
    if !record.has_qualities() {
        return fasta::write_record(out, record, fasta::LINE_WIDTH);
    }
    out.write_all(b"@")?;
    out.write_all(record.definition())?;
    out.write_all(b"\n")?;
    out.write_all(record.sequence())?;
    out.write_all(b"\n+\n")?;
    out.write_all(record.qualities())?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_io::{Options, Source};

    #[test]
    fn a_record_is_written_the_same_however_it_was_read() {
        let expected = b"@r x\nACGT\n+\nII@I\n";
        let written = [
            &b"@r x\nACGT\n+\nII@I\n"[..],
            b"@r x\nACGT\n+\nII@I",
            b"@r x\nACGT\n+r x\nII@I\n",
            b"@r x\r\nACGT\r\n+\r\nII@I\r\n",
            b"@r x\nAC\nGT\n+\nII\n@I\n",
            b"@r x\nACGT\n+\nII@I\r\n",
        ];
        for text in written {
            let bytes =
                [text, b"\n".repeat(usize::from(!text.ends_with(b"\n"))).as_slice(), text].concat();
            let source = Source::from_reader("x", std::io::Cursor::new(bytes));
            let mut reader = crate::Reader::new(source, &Options::default()).expect("opens");
            let mut out = Vec::new();
            while let Some(record) = reader.next_record().expect("reads") {
                write_record(&mut out, &record).expect("memory");
            }
            assert_eq!(out, expected.repeat(2), "{}", text.escape_ascii());
        }
    }
}
