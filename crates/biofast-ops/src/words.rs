//! Words of ten bases in reads and other sequences.

/// Bases of a word.
pub(crate) const WORD: usize = 10;

/// How many words there are.
pub(crate) const WORDS: usize = 1 << (2 * WORD);

/// Which word begins at each base, if its letters are A, C, G and T.
pub(crate) fn words(read: &[u8]) -> impl Iterator<Item = Option<usize>> + '_ {
    let (mut word, mut known) = (0, 0);
    let ends = read.iter().map(move |base| {
        match b"ATCG".iter().position(|letter| letter == base) {
            Some(code) => (word, known) = ((word << 2 | code) & (WORDS - 1), known + 1),
            None => known = 0,
        }
        (known >= WORD).then_some(word)
    });
    ends.skip(WORD - 1)
}
