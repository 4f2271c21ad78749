//! Records of FASTQ in their plainest form: what all instruction sets share.

/// Counts the plain records at the front of those that start at `start` and end at `newlines`, four lines each. A record
/// is plain if its first line starts with `@`, the third is `+` alone, and `is_valid` says so of the first, the second and
/// the fourth, of which the latter have the same length: no control character but tabs in a header, and so no carriage
/// return at its end.
#[inline(always)]
pub(crate) fn count_plain_with(
    bytes: &[u8],
    mut start: usize,
    newlines: &[[u32; 4]],
    is_valid: impl Fn(&[u8], &[u8], &[u8]) -> bool,
) -> usize {
    for (index, quad) in newlines.iter().enumerate() {
        let [header_end, bases_end, plus_end, end] = quad.map(|newline| newline as usize);
        let header = &bytes[start..header_end];
        let bases = &bytes[header_end + 1..bases_end];
        let qualities = &bytes[plus_end + 1..end];
        // Without branches but the last, which is never taken in a good file.
        let is_plain = (header.first() == Some(&b'@'))
            & (bytes[bases_end + 1] == b'+')
            & (plus_end == bases_end + 2)
            & (bases.len() == qualities.len());
        if !is_plain || !is_valid(header, bases, qualities) {
            return index;
        }
        start = end + 1;
    }
    newlines.len()
}

/// Where the first control character of a header line is: any but a tab.
pub(crate) fn find_control(header: &[u8]) -> Option<usize> {
    header.iter().position(|byte| byte.is_ascii_control() && *byte != b'\t')
}

/// Whether a header line has no control character but tabs: [`find_control`] without a place, so that compilers make
/// vector code of it.
pub(crate) fn has_control(header: &[u8]) -> bool {
    header.iter().fold(false, |has, byte| has | (byte.is_ascii_control() & (*byte != b'\t')))
}

/// Whether a header line has no control character but tabs. Nearly all have printable ASCII only, which takes a few
/// instructions to see.
#[inline(always)]
pub(crate) fn is_text(header: &[u8]) -> bool {
    let is_printable = match header.len() {
        32.. => are_printable::<32>(header),
        16.. => are_printable::<16>(header),
        8.. => are_printable::<8>(header),
        _ => are_printable::<1>(header),
    };
    is_printable || !has_control(header)
}

/// Whether all of at least `N` bytes are printable ASCII. Compilers make vector code of it, with the instructions of the
/// function it is inlined into.
#[inline(always)]
fn are_printable<const N: usize>(bytes: &[u8]) -> bool {
    let mut highest = [0u8; N];
    let mut look = |block: &[u8; N]| {
        for (highest, byte) in highest.iter_mut().zip(block) {
            *highest = (*highest).max(byte.wrapping_sub(b' '));
        }
    };
    let (blocks, rest) = bytes.as_chunks();
    blocks.iter().for_each(&mut look);
    // The last block overlaps the one before.
    if let (false, Some(last)) = (rest.is_empty(), bytes.last_chunk()) {
        look(last);
    }
    highest.iter().fold(true, |all, highest| all & (*highest <= b'~' - b' '))
}
