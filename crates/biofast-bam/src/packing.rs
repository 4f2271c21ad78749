//! Bases as letters to bases as BAM packs them (SAM specification, section 4.2.3).

/// The 4-bit code of each letter; for those that have none 15 (N) with [`NO_CODE`], and that of T with [`URACIL`] for
/// U; [`INVALID`] for what is no letter, `=` or `.`.
const CODES: [u8; 256] = {
    let mut codes = [INVALID | 15; 256];
    let mut letter = 0;
    while letter < 26 {
        codes[b'A' as usize + letter] = NO_CODE | 15;
        codes[b'a' as usize + letter] = NO_CODE | 15;
        letter += 1;
    }
    codes[b'.' as usize] = NO_CODE | 15;
    let known = b"=ACMGRSVTWYHKDBN";
    let mut code = 0;
    while code < 16 {
        codes[known[code] as usize] = code as u8;
        codes[known[code].to_ascii_lowercase() as usize] = code as u8;
        code += 1;
    }
    let t = codes[b'T' as usize];
    codes[b'U' as usize] = URACIL | t;
    codes[b'u' as usize] = URACIL | t;
    codes
};
const INVALID: u8 = 0x80;
const NO_CODE: u8 = 0x40;
const URACIL: u8 = 0x20;

/// The letter that each byte of a sequence becomes in BAM: capitals, T for U, and N for what has no code.
#[doc(hidden)]
pub const STORED: [u8; 256] = {
    let (mut stored, known) = ([0; 256], b"=ACMGRSVTWYHKDBN");
    let mut byte = 0;
    while byte < 256 {
        stored[byte] = known[(CODES[byte] & 15) as usize];
        byte += 1;
    }
    stored
};

/// What a sequence has that BAM can't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lacking(u8);

impl Lacking {
    /// Bytes that may not stand in a sequence, stored as N.
    pub(crate) fn invalid(self) -> bool {
        self.0 & INVALID != 0
    }

    /// U, stored as T: the same base in DNA.
    pub(crate) fn uracil(self) -> bool {
        self.0 & URACIL != 0
    }

    /// Other letters without a code, and `.`, stored as N.
    pub(crate) fn letters(self) -> bool {
        self.0 & NO_CODE != 0
    }

    pub(crate) fn nothing(self) -> bool {
        self.0 & (INVALID | URACIL | NO_CODE) == 0
    }
}

/// Whether BAM has a code of its own for `base`, upper or lower case.
pub(crate) fn has_code(base: u8) -> bool {
    CODES[usize::from(base)] < 16
}

/// Whether `base` may stand in a sequence.
pub(crate) fn is_base(base: u8) -> bool {
    CODES[usize::from(base)] & INVALID == 0
}

/// Says that the base at this index has no code.
pub(crate) fn no_code(base: u8, at: usize) -> String {
    let hint = match base {
        b'U' | b'u' => "; write RNA with T, as sequencers do",
        _ => "",
    };
    let base = base.escape_ascii();
    format!(
        "BAM can't store '{base}' (base {} of the sequence) and would turn it into N{hint}",
        at + 1
    )
}

/// Bases coded at once where all are A, C, G, T or N: compilers turn this into vector code.
const WIDE: usize = 32;

/// Appends `bases`, two a byte, the first in the high bits, and says which of them BAM has no code for.
pub(crate) fn pack(bases: &[u8], out: &mut Vec<u8>) -> Lacking {
    let start = out.len();
    out.resize(start + bases.len().div_ceil(2), 0);
    let (wide, tail) = bases.as_chunks::<WIDE>();
    let (packed, packed_tail) = out[start..].split_at_mut(wide.len() * (WIDE / 2));
    let mut seen = pack_any(tail, packed_tail);
    for (bases, packed) in wide.iter().zip(packed.as_chunks_mut().0) {
        if !pack_common(bases, packed) {
            seen |= pack_any(bases, packed);
        }
    }
    Lacking(seen)
}

/// Packs bases that are all A, C, G, T or N in capitals; `false` if they aren't.
#[inline]
fn pack_common(bases: &[u8; WIDE], out: &mut [u8; WIDE / 2]) -> bool {
    let mut codes = [0u8; WIDE];
    let mut all = true;
    for (code, &base) in codes.iter_mut().zip(bases) {
        let is = |letter: u8, code: u8| if base == letter { code } else { 0 };
        *code = is(b'A', 1) | is(b'C', 2) | is(b'G', 4) | is(b'T', 8) | is(b'N', 15);
        all &= *code != 0;
    }
    for (packed, [high, low]) in out.iter_mut().zip(codes.as_chunks::<2>().0) {
        *packed = high << 4 | low;
    }
    all
}

/// Packs any bases into half as many bytes, rounded up; returns their codes or'ed.
fn pack_any(bases: &[u8], out: &mut [u8]) -> u8 {
    let mut seen = 0;
    for (packed, pair) in out.iter_mut().zip(bases.chunks(2)) {
        let high = CODES[usize::from(pair[0])];
        let low = pair.get(1).map_or(0, |&base| CODES[usize::from(base)]);
        seen |= high | low;
        *packed = (high & 15) << 4 | (low & 15);
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_at_every_place() {
        let known = b"=ACMGRSVTWYHKDBN";
        for byte in 0..=255u8 {
            let stored = if b"Uu".contains(&byte) { b'T' } else { byte };
            let code = known.iter().position(|k| k.eq_ignore_ascii_case(&stored)).unwrap_or(15);
            for len in [1, 2, 31, 32, 33, 64, 65, 71] {
                for at in [0, len / 2, len - 1] {
                    let mut bases = vec![b'C'; len];
                    bases[at] = byte;
                    let mut out = vec![7];
                    let fine = byte.is_ascii_alphabetic() || b"=.".contains(&byte);
                    let lacking = pack(&bases, &mut out);
                    assert_eq!(lacking.invalid(), !fine);
                    assert_eq!(is_base(byte), fine);
                    let has_code = known.contains(&byte.to_ascii_uppercase());
                    assert_eq!(lacking.nothing(), has_code);
                    assert_eq!(lacking.uracil(), stored != byte);
                    assert_eq!(lacking.letters(), fine && !has_code && stored == byte);
                    assert_eq!(super::has_code(byte), has_code);
                    assert_eq!((out[0], out.len()), (7, 1 + len.div_ceil(2)));
                    let unpacked: Vec<usize> =
                        out[1..].iter().flat_map(|b| [b >> 4, b & 15]).map(usize::from).collect();
                    for (n, found) in unpacked.iter().enumerate() {
                        let expected = if n == at { code } else { 2 * usize::from(n < len) };
                        assert_eq!(*found, expected, "{byte} at {n} of {len}");
                    }
                }
            }
        }
    }
}
