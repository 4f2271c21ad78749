//! Kinds of tokens and how they are written.

/// Kinds of tokens, and of the streams with their values.
pub(super) mod kind {
    /// The kinds themselves.
    pub(crate) const TYPE: u8 = 0;
    pub(crate) const STRING: u8 = 1;
    pub(crate) const CHAR: u8 = 2;
    /// A number of a fixed length, with zeros in front.
    pub(crate) const PADDED: u8 = 3;
    /// That length.
    pub(crate) const PADDED_LEN: u8 = 4;
    /// At position 0: the name is an earlier one.
    pub(crate) const DUPLICATE: u8 = 5;
    /// At position 0: the name differs from an earlier one.
    pub(crate) const DIFFERENT: u8 = 6;
    pub(crate) const NUMBER: u8 = 7;
    /// What a number is more than that of the earlier name.
    pub(crate) const DELTA: u8 = 8;
    /// The same for a number of a fixed length.
    pub(crate) const PADDED_DELTA: u8 = 9;
    /// The token of the earlier name.
    pub(crate) const MATCH: u8 = 10;
    pub(crate) const NOTHING: u8 = 11;
    pub(crate) const END: u8 = 12;
    /// How many there are.
    pub(crate) const COUNT: usize = 13;
}

/// Positions of tokens: the first is about the name, the others have a token or its end each.
pub(super) const MAX_POSITIONS: usize = 128;

/// What stands before a stream that is the first of its position.
pub(super) const NEW_POSITION: u8 = 0x80;
/// What stands before a stream that equals an earlier one.
pub(super) const SAME_STREAM: u8 = 0x40;

/// A part of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Bytes among all names: start and length.
    String(u32, u32),
    Char(u8),
    Number(u32),
    /// A number and its length.
    Padded(u32, u8),
    Nothing,
}

/// Appends a number, with zeros in front up to the length.
pub(super) fn put_number(number: u32, len: u8, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 10];
    let (mut rest, mut start) = (number, digits.len());
    while rest > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let missing = usize::from(len).saturating_sub(digits.len() - start);
    out.resize(out.len() + missing, b'0');
    out.extend_from_slice(&digits[start..]);
}
