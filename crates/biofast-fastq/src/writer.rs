//! Writing records.

use std::io::{self, Write};

use crate::record::Record;

/// Writes `record` as four lines with LF and a bare `+`.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_record(out: &mut impl Write, record: &Record<'_>) -> io::Result<()> {
    out.write_all(b"@")?;
    out.write_all(record.definition())?;
    out.write_all(b"\n")?;
    out.write_all(record.sequence())?;
    out.write_all(b"\n+\n")?;
    out.write_all(record.qualities())?;
    out.write_all(b"\n")
}
