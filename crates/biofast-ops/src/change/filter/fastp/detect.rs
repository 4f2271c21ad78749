//! What fastp finds out from the first reads: whether the machine has two colours, and which adapter reads end with.

use std::collections::HashMap;
use std::io;

use biofast_fastq::{Inputs, Reader};
use biofast_io::{Options, Source};

use super::known::{code, known, most_frequent};
use crate::measure::compat::FastpVersion;

/// Whether a machine writes G where there is no signal: iSeq, MiniSeq, NextSeq and NovaSeq, told by how its reads are named. Before 1.1
/// fastp knew NextSeq 500 and 550 and NovaSeq 6000.
///
/// ```
/// use biofast_ops::compat::FastpVersion;
/// use biofast_ops::filter::fastp::is_two_colour;
///
/// let [old, new] = [FastpVersion::V0_23, FastpVersion::V1_3];
/// assert!(is_two_colour(b"A01234:56:HFKJJ:1:1101:1:2", old) && is_two_colour(b"NB501:1", new));
/// assert!(!is_two_colour(b"VH00123:7", old) && is_two_colour(b"VH00123:7", new));
/// assert!(!is_two_colour(b"M00123:7", new));
/// ```
pub fn is_two_colour(name: &[u8], version: FastpVersion) -> bool {
    let starts: &[&[u8]] = match version >= FastpVersion::V1_3 {
        true => &[b"FS", b"MN", b"SH", b"NS", b"NB", b"NDX", b"VL", b"VH", b"A", b"NA", b"LH"],
        false => &[b"NS", b"NB", b"NDX", b"A0"],
    };
    starts.iter().any(|start| name.starts_with(start))
}

/// Reads that are looked at, at most.
const MOST_READS: usize = 256 << 10;
/// Bases of them, at most.
const MOST_BASES: usize = 151 * MOST_READS;
/// Fewer reads tell nothing.
const FEWEST_READS: usize = 10_000;
/// Bases of a word.
const WORD: usize = 10;
/// Where in a read words are looked for; its last base is left out.
const FIRST: usize = 20;
/// Words that are tried.
const TRIED: usize = 10;
/// The longest adapter.
const LONGEST: usize = 60;
/// Since 0.25, how reads go on is looked at where the word begins before this base.
const LAST: usize = 500;
/// So many times more often than others comes a word that is tried.
const FOLD: u64 = 20;
/// What the first reads of an input tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputTraits {
    /// Whether the first read's name is that of a two-colour machine.
    pub two_colour: bool,
    /// The adapter of first reads (or reads without mates), and of second ones, where it was looked for and found.
    pub adapters: [Option<Vec<u8>>; 2],
}

/// Looks at the first reads of `inputs`, which stay unread: some 256,000, of streams what fits into 64 MiB. Adapters are looked for if
/// `adapters` is true.
pub fn look(inputs: &mut Inputs, adapters: bool, version: FastpVersion) -> InputTraits {
    let mut found = InputTraits::default();
    let sources: Vec<(usize, &mut Source)> = match inputs {
        Inputs::Single(source) | Inputs::Interleaved(source) => vec![(0, source)],
        Inputs::Paired(first, second) => vec![(0, first), (1, second)],
    };
    for (mate, source) in sources {
        let most = if adapters { 96 << 20 } else { 64 << 10 };
        let text = source.peek(most).unwrap_or_default();
        let text = Source::from_reader("the start", io::Cursor::new(text));
        let Ok(mut reader) = Reader::new(text, &Options { threads: 1, ..Options::default() })
        else {
            continue;
        };
        let (mut reads, mut bases) = (Vec::new(), 0);
        // A record that the end of what was looked at cuts isn't one.
        while reads.len() < MOST_READS
            && bases < MOST_BASES
            && let Ok(Some(record)) = reader.next_record()
        {
            if mate == 0 && reads.is_empty() {
                found.two_colour = is_two_colour(record.name(), version);
            }
            bases += record.sequence().len();
            reads.push(record.sequence().to_vec());
            if !adapters {
                break;
            }
        }
        if adapters {
            found.adapters[mate] = find_adapter(&reads, version);
        }
    }
    found
}

/// The words of a read, with their places: those without N, from the 21st base on, before the last one.
fn words(read: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let end = read.len().saturating_sub(1);
    let (mut word, mut known) = (0, 0);
    read[FIRST.min(end)..end].iter().enumerate().filter_map(move |(at, &base)| {
        match code(base) {
            Some(code) => (word, known) = ((word << 2 | code) & WORDS_MASK, known + 1),
            None => known = 0,
        }
        (known >= WORD).then(|| (FIRST + at + 1 - WORD, word))
    })
}

const WORDS: usize = 1 << (2 * WORD);
const WORDS_MASK: usize = WORDS - 1;

fn letters(word: usize) -> Vec<u8> {
    (0..WORD).rev().map(|i| b"ATCG"[word >> (2 * i) & 3]).collect()
}

/// Whether a word may be one of an adapter: not of one base or of G and C alone.
fn may_be_adapter(word: usize) -> bool {
    let mut counts = [0; 4];
    (0..WORD).for_each(|i| counts[word >> (2 * i) & 3] += 1);
    let plain = counts.iter().any(|&n| n >= WORD - 4);
    !plain && counts[2] + counts[3] < WORD - 2 && word >> 12 != 0xff
}

/// The adapter that reads end with, as fastp tells it for reads without mates: a known one that many have (since 0.26), else around the
/// most frequent words of ten bases, how reads go on that have the word, as long as 95 % of them go on alike.
pub fn find_adapter(reads: &[Vec<u8>], version: FastpVersion) -> Option<Vec<u8>> {
    if reads.len() < FEWEST_READS {
        return None;
    }
    let known = known(version);
    if version >= FastpVersion::V1_3
        && let Some(adapter) = most_frequent(reads, &known)
    {
        // fastp finds the longer ones, and cuts none then.
        return (adapter.len() <= LONGEST).then(|| adapter.to_vec());
    }
    let last = if version >= FastpVersion::V1_3 { LAST } else { usize::MAX };
    let mut counts = vec![0u64; WORDS];
    for read in reads {
        words(read).for_each(|(_, word)| counts[word] += 1);
    }
    counts[0] = 0;
    // The most frequent ones; of those as frequent the last one first.
    let mut total = 0;
    let mut top: Vec<usize> = Vec::new();
    for word in (0..WORDS).filter(|&word| may_be_adapter(word)) {
        total += counts[word];
        let place = top.iter().position(|&other| counts[word] >= counts[other]);
        top.insert(place.unwrap_or(top.len()), word);
        top.truncate(TRIED);
    }
    for word in top {
        if counts[word] < 10 || counts[word] * (WORDS as u64) < total * FOLD {
            break;
        }
        let seed = letters(word);
        let changes = seed.windows(2).filter(|two| two[0] != two[1]).count();
        if changes >= 3
            && let Some(adapter) = around(word, &seed, reads, &known, last)
        {
            return Some(adapter);
        }
    }
    None
}

/// The adapter around a word, if it is a known one, or if reads agree as far as they reach. Words count that begin before `last`.
fn around(
    seed: usize,
    letters: &[u8],
    reads: &[Vec<u8>],
    known: &[Vec<u8>],
    last: usize,
) -> Option<Vec<u8>> {
    let (mut behind, mut before) = (Vec::new(), Vec::new());
    for read in reads {
        for (at, _) in words(read).filter(|&(at, word)| word == seed && at < last) {
            behind.push(read[at + WORD..read.len() - 1].to_vec());
            before.push(read[..at].iter().rev().copied().collect::<Vec<u8>>());
        }
    }
    let mut agreed = true;
    let behind = common_path(&behind, &mut agreed);
    let mut adapter = common_path(&before, &mut agreed);
    adapter.reverse();
    adapter.extend_from_slice(letters);
    adapter.extend(behind);
    adapter.truncate(LONGEST);
    let known = known.iter().find(|known| adapter.starts_with(known));
    known.cloned().or(agreed.then_some(adapter))
}

/// How 95 % of the sequences go on, while at least 50 of those that went on so are left; `agreed` becomes false where fewer agree.
fn common_path(sequences: &[Vec<u8>], agreed: &mut bool) -> Vec<u8> {
    let mut left: Vec<&[u8]> = sequences.iter().map(Vec::as_slice).collect();
    let mut path = Vec::new();
    loop {
        let mut counts: HashMap<u8, usize> = HashMap::new();
        for &base in left.iter().filter_map(|s| s.get(path.len())).filter(|&&base| base != b'N') {
            *counts.entry(base).or_default() += 1;
        }
        let total: usize = counts.values().sum();
        if total < 50 {
            return path;
        }
        let dominant = counts.into_iter().find(|&(_, n)| n as f64 / total as f64 >= 0.95);
        let Some((base, _)) = dominant else {
            *agreed = false;
            return path;
        };
        left.retain(|sequence| sequence.get(path.len()) == Some(&base));
        path.push(base);
    }
}
