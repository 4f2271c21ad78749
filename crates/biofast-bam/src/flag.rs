//! The bits of FLAG (SAM specification, section 1.4.2).

/// The template has several reads in sequencing.
pub const PAIRED: u16 = 0x1;
/// The aligner found the reads of the template where they belong.
pub const PROPER_PAIR: u16 = 0x2;
/// The read is not aligned.
pub const UNMAPPED: u16 = 0x4;
/// The mate is not aligned.
pub const MATE_UNMAPPED: u16 = 0x8;
/// The sequence is stored reversed and complemented.
pub const REVERSE: u16 = 0x10;
/// The mate's sequence is stored reversed and complemented.
pub const MATE_REVERSE: u16 = 0x20;
/// The first read of the template.
pub const READ1: u16 = 0x40;
/// The last read of the template.
pub const READ2: u16 = 0x80;
/// Another alignment of the read is its primary one.
pub const SECONDARY: u16 = 0x100;
/// The read failed quality control.
pub const QC_FAIL: u16 = 0x200;
/// A PCR or optical duplicate.
pub const DUPLICATE: u16 = 0x400;
/// A part of a chimeric alignment beside the primary one.
pub const SUPPLEMENTARY: u16 = 0x800;
