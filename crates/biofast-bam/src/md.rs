//! What the text of the tag `MD` says of the columns of an alignment.

/// What stands next in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MdPiece {
    /// So many columns in which the read has the reference's letter.
    Same(u64),
    /// The reference's letter of a column in which the read has another.
    Other(u8),
    /// The reference's letter of a column in which the read has none.
    Deleted(u8),
}

/// The text has something else than numbers, letters and `^`, or a number of more than 18 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidMd;

/// The pieces of a text, up to its end or a byte of 0.
#[derive(Clone, Debug)]
pub struct MdPieces<'a> {
    rest: std::slice::Iter<'a, u8>,
    is_deletion: bool,
}

impl<'a> MdPieces<'a> {
    /// The pieces of this text.
    #[inline]
    pub fn new(text: &'a [u8]) -> MdPieces<'a> {
        MdPieces { rest: text.iter(), is_deletion: false }
    }

    /// The number that begins with this digit.
    #[inline(always)]
    fn number(&mut self, first: u8) -> Result<u64, InvalidMd> {
        let (mut number, len) = (u64::from(first - b'0'), self.rest.len());
        while let Some(digit @ b'0'..=b'9') = self.rest.as_slice().first() {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.rest.next();
        }
        // 18 digits fit, and no alignment has so many columns.
        if len - self.rest.len() < 18 { Ok(number) } else { Err(InvalidMd) }
    }
}

impl Iterator for MdPieces<'_> {
    type Item = Result<MdPiece, InvalidMd>;

    #[inline(always)]
    fn next(&mut self) -> Option<Result<MdPiece, InvalidMd>> {
        loop {
            let byte = *self.rest.next()?;
            return Some(match byte {
                b'0'..=b'9' => {
                    self.is_deletion = false;
                    self.number(byte).map(MdPiece::Same)
                }
                b'^' => {
                    self.is_deletion = true;
                    continue;
                }
                b'A'..=b'Z' | b'a'..=b'z' if self.is_deletion => Ok(MdPiece::Deleted(byte)),
                b'A'..=b'Z' | b'a'..=b'z' => Ok(MdPiece::Other(byte)),
                0 => {
                    self.rest = [].iter();
                    return None;
                }
                _ => Err(InvalidMd),
            });
        }
    }
}
