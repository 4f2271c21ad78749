//! GZI: where each block of a BGZF file starts, in the file and in its data, as `bgzip -r` writes it.
//!
//! Format: a 64-bit count, and for each block with data but the first the offset in the file and
//! the offset in the data, all little-endian. [`crate::gzi::build`] makes one of an input.

use std::io::{self, Write};

/// Writes the index of a file whose second and further blocks with data start at these offsets
/// in the file and in the data.
pub(crate) fn write(
    starts: impl ExactSizeIterator<Item = (u64, u64)>,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(&(starts.len() as u64).to_le_bytes())?;
    for (file, data) in starts {
        out.write_all(&file.to_le_bytes())?;
        out.write_all(&data.to_le_bytes())?;
    }
    Ok(())
}
