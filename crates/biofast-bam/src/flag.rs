//! The bits of FLAG (SAM specification, section 1.4.2), their names, and choice by them.

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

/// The names of the bits, from the lowest, as samtools has them.
#[doc(hidden)]
pub const NAMES: [&str; 12] = [
    "PAIRED", "PROPER_PAIR", "UNMAP", "MUNMAP", "REVERSE", "MREVERSE", "READ1", "READ2",
    "SECONDARY", "QCFAIL", "DUP", "SUPPLEMENTARY",
];

/// The names of flags that are set.
#[doc(hidden)]
pub fn names(flags: u16) -> impl Iterator<Item = &'static str> {
    let bits = NAMES.iter().enumerate().filter(move |(bit, _)| flags >> bit & 1 != 0);
    bits.map(|(_, name)| *name)
}

/// Reads flags as people write them for samtools: a number (decimal, `0x` hexadecimal or octal
/// with a leading 0), or names separated by commas.
///
/// ```
/// use biofast_bam::flag;
/// assert_eq!(flag::parse("UNMAP,DUP"), Some(0x404));
/// assert_eq!(flag::parse("0x900"), Some(0x900));
/// assert_eq!(flag::parse("2308"), Some(2308));
/// assert_eq!(flag::parse("UNMAPPED"), None);
/// ```
pub fn parse(text: &str) -> Option<u16> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
            None => (text, 10),
        };
        return u16::from_str_radix(digits, radix).ok();
    }
    text.split(',').try_fold(0, |flags, name| {
        let bit = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        Some(flags | 1 << bit)
    })
}

/// Which records are wanted by their flags and mapping quality.
///
/// ```
/// use biofast_bam::flag::{Filter, PAIRED, UNMAPPED};
///
/// let filter = Filter { all_of: PAIRED, none_of: UNMAPPED, min_mapping_quality: 30, ..Default::default() };
/// assert!(filter.accepts(PAIRED, 30) && !filter.accepts(PAIRED, 29) && !filter.accepts(0, 60));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// All of these bits must be set (`-f` of samtools).
    pub all_of: u16,
    /// At least one of these bits must be set, if there are any (`--include-flags`).
    pub any_of: u16,
    /// None of these bits may be set (`-F`).
    pub none_of: u16,
    /// Not all of these bits may be set, if there are any (`-G`).
    pub not_all_of: u16,
    /// The lowest mapping quality (`-q`).
    pub min_mapping_quality: u8,
}

impl Filter {
    /// Whether a record is accepted.
    #[inline]
    pub fn accepts(&self, flags: u16, mapping_quality: u8) -> bool {
        flags & self.all_of == self.all_of
            && (self.any_of == 0 || flags & self.any_of != 0)
            && flags & self.none_of == 0
            && (self.not_all_of == 0 || flags & self.not_all_of != self.not_all_of)
            && mapping_quality >= self.min_mapping_quality
    }
}
