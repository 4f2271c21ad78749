//! Records of reads that aren't aligned.

use std::borrow::Cow;

use biofast_io::{Location, Shown};

use crate::error::{Error, ErrorKind};
use crate::fixed::FIXED_LEN;
use crate::packing;
use crate::sam::{Odds, Rigor, bin, write_tag};

/// A read without an alignment, as FASTQ has it.
///
/// ```
/// use biofast_bam::{Header, Record, Unaligned};
///
/// let mut out = Vec::new();
/// let read = Unaligned { name: b"r", flags: 0, sequence: b"AC", qualities: b"II", tags: b"" };
/// read.write(&mut out)?;
/// let (record, _) = Record::from_bam(&out, &Header::default())?;
/// assert_eq!((record.flags(), record.qualities().as_slice()), (4, &[40, 40][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unaligned<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// FLAG; "unmapped" is set in any case.
    pub flags: u16,
    /// Bases as letters, upper or lower case.
    pub sequence: &'a [u8],
    /// Qualities in ASCII, Phred + 33, as many as bases.
    pub qualities: &'a [u8],
    /// Optional fields as BAM stores them: see [`parse_tag`].
    pub tags: &'a [u8],
}

impl Unaligned<'_> {
    /// Appends the record in BAM format, and returns how many `.` of its sequence are stored as N.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable), of what can't be stored: any other letter than those of the 16 codes, upper or
    /// lower case, among it, and what the specification doesn't allow in names. Nothing is then appended.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<u64, Error> {
        let name_len = match u8::try_from(self.name.len()) {
            Ok(len @ 1..=254) => len + 1,
            _ => return Err(self.unwritable("names in BAM have 1 to 254 characters")),
        };
        if let Some((at, byte)) = unprintable(self.name) {
            let byte = Shown(&[byte]).to_string();
            return Err(self.unwritable(format!(
                "character {at} of its name is '{byte}': names can contain only '!' to '~' except '@'"
            )));
        }
        let len = self.sequence.len();
        if self.qualities.len() != len {
            return Err(self.unwritable("it has different numbers of qualities and bases"));
        }
        let size = FIXED_LEN + usize::from(name_len) + len.div_ceil(2) + len + self.tags.len();
        let Ok(size) = i32::try_from(size) else {
            return Err(self.unwritable("it is longer than 2 GiB"));
        };
        let start = out.len();
        out.reserve(size as usize + 4);
        out.extend_from_slice(&size.to_le_bytes());
        // No reference, no position.
        out.extend_from_slice(&[0xff; 8]);
        out.extend_from_slice(&[name_len, 0]);
        out.extend_from_slice(&bin(-1, 0).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out.extend_from_slice(&(self.flags | crate::flag::UNMAPPED).to_le_bytes());
        out.extend_from_slice(&(len as u32).to_le_bytes());
        // The mate has none either.
        out.extend_from_slice(&[0xff; 8]);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(self.name);
        out.push(0);
        let mut dots = 0;
        if !packing::pack(self.sequence, out).nothing() {
            let odd = |&(_, base): &(usize, &u8)| !packing::has_code(*base) && *base != b'.';
            if let Some((at, &base)) = self.sequence.iter().enumerate().find(odd) {
                out.truncate(start);
                return Err(self.unwritable(packing::no_code(base, at)));
            }
            dots = self.sequence.iter().filter(|&&base| base == b'.').count() as u64;
        }
        let mut highest = 0;
        let raw = out.len();
        out.extend_from_slice(self.qualities);
        for quality in &mut out[raw..] {
            *quality = quality.wrapping_sub(b'!');
            highest = highest.max(*quality);
        }
        if highest > b'~' - b'!' {
            out.truncate(start);
            return Err(self.unwritable("a quality is not in the range from '!' to '~'"));
        }
        out.extend_from_slice(self.tags);
        Ok(dots)
    }

    fn unwritable(&self, reason: impl Into<Cow<'static, str>>) -> Error {
        let (name, reason) = (Shown(self.name).to_string(), reason.into());
        Error::new(ErrorKind::Unwritable { name, reason }, Location::default())
    }
}

/// The first character of a name that the specification doesn't allow, and its place, counted from 1.
fn unprintable(name: &[u8]) -> Option<(usize, u8)> {
    let at = name.iter().position(|byte| !matches!(byte, b'!'..=b'?' | b'A'..=b'~'))?;
    Some((at + 1, name[at]))
}

/// Appends the tag `text` (`TAG:TYPE:VALUE`, as in SAM) in BAM format.
///
/// # Errors
/// If it is malformed.
pub fn parse_tag(text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    write_tag(text, &mut Odds::new(Rigor { refuse: true, checks: false }), out).map_err(|fault| {
        out.truncate(start);
        Error::new(ErrorKind::from(fault), Location::default())
    })
}
