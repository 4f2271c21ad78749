//! Which reads may have an adapter: an alignment with k errors leaves one of k + 1 pieces of the adapter as it is, so a read
//! without any of these pieces in their places needs no alignment. The pieces and places are those of cutadapt (where an
//! alignment with insertions reaches out of its place, it isn't found there, and isn't here).

use super::align::LetterMatching;

/// Some bases from the start of a read, or from its end, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchWindow {
    All,
    First(usize),
    Last(usize),
}

/// Pieces, and the place where they are looked for, all at once: bit i of `state` tells whether the letters up to the one
/// at hand end a piece's start whose last letter has bit i.
#[derive(Clone, Debug)]
struct WordSearch {
    place: SearchWindow,
    starts: u64,
    ends: u64,
    /// Where each letter of a read may stand.
    masks: Box<[u64; 256]>,
}

impl WordSearch {
    fn is_in(&self, read: &[u8]) -> bool {
        let read = match self.place {
            SearchWindow::All => read,
            SearchWindow::First(n) => &read[..n.min(read.len())],
            SearchWindow::Last(n) => &read[read.len() - n.min(read.len())..],
        };
        let mut state = 0u64;
        // A look at the ends after every eight letters: bits that were there are gathered.
        let (blocks, rest) = read.as_chunks::<8>();
        for block in blocks {
            let mut ended = 0;
            for &letter in block {
                state = (state << 1 | self.starts) & self.masks[usize::from(letter)];
                ended |= state;
            }
            if ended & self.ends != 0 {
                return true;
            }
        }
        rest.iter().any(|&letter| {
            state = (state << 1 | self.starts) & self.masks[usize::from(letter)];
            state & self.ends != 0
        })
    }
}

/// All that is looked for of one adapter.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<WordSearch>);

impl Words {
    /// Of an adapter that may end behind the read (`back`), begin before it (`front`) or lie inside of it.
    pub(super) fn new(
        adapter: &[u8],
        letters: LetterMatching,
        min_overlap: usize,
        rate: f64,
        [back, front, internal]: [bool; 3],
    ) -> Words {
        let errors = (adapter.len() as f64 * rate) as usize;
        let mut pieces: Vec<(Vec<u8>, SearchWindow)> = Vec::new();
        if back {
            for (length, piece) in at_the_end(adapter, min_overlap, rate) {
                pieces.push((piece, SearchWindow::Last(length)));
            }
        }
        if front {
            let reversed: Vec<u8> = adapter.iter().rev().copied().collect();
            for (length, mut piece) in at_the_end(&reversed, min_overlap, rate) {
                piece.reverse();
                pieces.push((piece, SearchWindow::First(length)));
            }
        }
        if internal {
            pieces.extend(
                chunks(adapter, errors + 1).map(|piece| (piece.to_vec(), SearchWindow::All)),
            );
        }
        // Of more errors than letters, some pieces have none. cutadapt doesn't find these in any read.
        pieces.retain(|(piece, _)| !piece.is_empty());
        // What is longer than a word isn't looked for: every read may have it.
        if pieces.iter().any(|(piece, _)| piece.len() > 64) {
            return Words::default();
        }
        let mut words = Words::default();
        for (place, pieces) in by_place(pieces) {
            words.add(place, &pieces, letters);
        }
        words
    }

    fn add(&mut self, place: SearchWindow, pieces: &[Vec<u8>], letters: LetterMatching) {
        let mut rest = pieces;
        while !rest.is_empty() {
            let mut search = WordSearch { place, starts: 0, ends: 0, masks: Box::new([0; 256]) };
            let mut bit = 0;
            while let Some((piece, after)) = rest.split_first()
                && bit + piece.len() <= 64
            {
                search.starts |= 1 << bit;
                for &wanted in piece {
                    let wanted = letters.of_adapter(wanted);
                    for letter in 0..=255u8 {
                        if letters.of_read(letter) & wanted != 0 {
                            search.masks[usize::from(letter)] |= 1 << bit;
                        }
                    }
                    bit += 1;
                }
                search.ends |= 1 << (bit - 1);
                rest = after;
            }
            self.0.push(search);
        }
    }

    /// Whether a read needs an alignment.
    pub(super) fn may_be_in(&self, read: &[u8]) -> bool {
        self.0.is_empty() || self.0.iter().any(|search| search.is_in(read))
    }
}

/// An adapter in pieces of about equal length, the first ones a letter longer.
fn chunks(adapter: &[u8], n: usize) -> impl Iterator<Item = &[u8]> {
    let (len, longer) = (adapter.len() / n, adapter.len() % n);
    let mut rest = adapter;
    (0..n).map(move |i| {
        let (piece, after) = rest.split_at((len + usize::from(i < longer)).min(rest.len()));
        rest = after;
        piece
    })
}

/// The pieces of adapters that end behind the read, each with the number of bases at the read's end where it must be.
fn at_the_end(adapter: &[u8], min_overlap: usize, rate: f64) -> Vec<(usize, Vec<u8>)> {
    // Up to which length how many errors are allowed.
    let mut lengths = Vec::new();
    let mut errors = 0;
    for length in 0..=adapter.len() {
        if (length as f64 * rate) as usize > errors {
            lengths.push((errors, length - 1));
            errors += 1;
        }
    }
    lengths.push((errors, adapter.len()));
    let mut pieces = Vec::new();
    let mut shortest = min_overlap;
    for (errors, length) in lengths {
        if shortest > length {
            continue;
        }
        // Four bases and fewer would be found all over the stretch: they must be at the very end.
        if errors == 0 && shortest < 5 {
            for exact in shortest..5 {
                pieces.push((exact, adapter[..exact.min(adapter.len())].to_vec()));
            }
            shortest = 5;
        }
        let start = &adapter[..shortest.min(adapter.len())];
        pieces.extend(chunks(start, errors + 1).map(|piece| (length, piece.to_vec())));
        shortest = length + 1;
    }
    pieces
}

/// Each piece once, in the widest of its places at either end.
fn by_place(pieces: Vec<(Vec<u8>, SearchWindow)>) -> Vec<(SearchWindow, Vec<Vec<u8>>)> {
    let mut known: Vec<(Vec<u8>, Vec<SearchWindow>)> = Vec::new();
    for (piece, place) in pieces {
        match known.iter_mut().find(|(other, _)| *other == piece) {
            Some((_, places)) => places.push(place),
            None => known.push((piece, vec![place])),
        }
    }
    let mut found: Vec<(SearchWindow, Vec<Vec<u8>>)> = Vec::new();
    let mut add =
        |place: SearchWindow, piece: &Vec<u8>| match found.iter_mut().find(|(p, _)| *p == place) {
            Some((_, pieces)) => pieces.push(piece.clone()),
            None => found.push((place, vec![piece.clone()])),
        };
    for (piece, places) in &known {
        if places.contains(&SearchWindow::All) {
            add(SearchWindow::All, piece);
            continue;
        }
        let widest =
            |length: fn(&SearchWindow) -> Option<usize>| places.iter().filter_map(length).max();
        let first =
            |place: &SearchWindow| if let SearchWindow::First(n) = *place { Some(n) } else { None };
        let last =
            |place: &SearchWindow| if let SearchWindow::Last(n) = *place { Some(n) } else { None };
        if let Some(n) = widest(first) {
            add(SearchWindow::First(n), piece);
        }
        if let Some(n) = widest(last) {
            add(SearchWindow::Last(n), piece);
        }
    }
    found
}
