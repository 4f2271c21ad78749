//! Records of FASTQ in their plainest form: what all instruction sets share.

/// Counts the plain records at the front of those that start at `start` and end at `newlines`, four lines each. A record
/// is plain if its first line starts with `@`, the third is `+` alone, no line ends with a carriage return, and
/// `is_valid` says so of the second and fourth, which have the same length.
#[inline(always)]
pub(crate) fn count_plain_with(
    bytes: &[u8],
    mut start: usize,
    newlines: &[[u32; 4]],
    is_valid: impl Fn(&[u8], &[u8]) -> bool,
) -> usize {
    for (index, quad) in newlines.iter().enumerate() {
        let [header_end, bases_end, plus_end, end] = quad.map(|newline| newline as usize);
        let header = &bytes[start..header_end];
        let bases = &bytes[header_end + 1..bases_end];
        let qualities = &bytes[plus_end + 1..end];
        // Without branches but the last, which is never taken in a good file.
        let is_plain = (header.first() == Some(&b'@'))
            & (header.last() != Some(&b'\r'))
            & (bytes[bases_end + 1] == b'+')
            & (plus_end == bases_end + 2)
            & (bases.len() == qualities.len());
        if !is_plain || !is_valid(bases, qualities) {
            return index;
        }
        start = end + 1;
    }
    newlines.len()
}
