//! Overrepresented sequences, by fastp's rules: what comes often in the first reads is counted in all of them.

use std::collections::{BTreeMap, HashMap};
use std::io;

use biofast_fastq::{Inputs, Reader};
use biofast_io::{Options, Source};

use crate::words::{WORD, WORDS, words};

/// Bases of the first reads that are looked at.
const MOST_BASES: usize = 151 * 10_000;
/// Reads that tell how long reads are.
const LENGTH_READS: usize = 1000;
/// Bytes of an input that are looked at, at most.
const MOST_BYTES: usize = 16 << 20;
/// How many lengths there are.
const LENGTHS: usize = 5;

/// Sequences of 10, 20, 40, 100 and 150 bases (or two less than the reads have, if that is less) that are frequent in
/// the first reads. Of sequences that contain each other only the longest are listed. Like fastp, they leave out the
/// last base of reads.
#[derive(Clone, Debug, Default)]
pub struct Frequent {
    /// In alphabetical order.
    sequences: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, usize>,
    lengths: [usize; LENGTHS],
    /// For each word a bit for each length of which a sequence begins with it; nothing if there are no sequences.
    starts: Vec<u8>,
    /// The same of sequences that begin with other letters.
    odd: u8,
}

/// The lengths of sequences in reads of so many bases; two may be the same, and are counted twice then, as fastp does it.
fn lengths(longest: usize) -> [usize; LENGTHS] {
    [10, 20, 40, 100, longest.saturating_sub(2).min(150)]
}

/// How often a sequence of this length must come in the first reads.
fn fewest(len: usize, longest: usize) -> Option<u64> {
    match len {
        _ if len + 1 >= longest => Some(3),
        100.. => Some(5),
        40.. => Some(20),
        20.. => Some(100),
        WORD.. => Some(500),
        _ => None,
    }
}

impl Frequent {
    /// What is frequent in the first reads of `inputs`, which stay unread: first reads (or reads without mates), and second ones.
    pub fn look(inputs: &mut Inputs) -> [Frequent; 2] {
        let (mut reads, interleaved) = match inputs {
            Inputs::Single(source) => ([first_reads(source, 1), Vec::new()], false),
            Inputs::Interleaved(source) => ([first_reads(source, 2), Vec::new()], true),
            Inputs::Paired(one, two) => ([first_reads(one, 1), first_reads(two, 1)], false),
        };
        if interleaved {
            let mut mates = [Vec::new(), Vec::new()];
            for (number, read) in std::mem::take(&mut reads[0]).into_iter().enumerate() {
                mates[number % 2].push(read);
            }
            reads = mates;
        }
        reads.map(|reads| Frequent::among(&reads))
    }

    /// What is frequent among these.
    pub fn among(reads: &[Vec<u8>]) -> Frequent {
        let longest = reads.iter().take(LENGTH_READS).map(Vec::len).max().unwrap_or_default();
        let lengths = lengths(longest);
        let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        // What is frequent begins with a word that is.
        let mut starts = vec![0u32; WORDS];
        for read in reads {
            words(read).flatten().for_each(|word| starts[word] += 1);
        }
        for len in lengths {
            let Some(fewest) = fewest(len, longest).filter(|_| len >= WORD) else { continue };
            let times = lengths.iter().filter(|&&other| other == len).count() as u64;
            let mut counts: HashMap<&[u8], u64> = HashMap::new();
            for read in reads {
                let windows = read.windows(len).zip(words(read));
                // The last one is left out.
                for (window, word) in windows.take(read.len().saturating_sub(len)) {
                    if word.is_none_or(|word| u64::from(starts[word]) * times >= fewest) {
                        *counts.entry(window).or_default() += times;
                    }
                }
            }
            let often = counts.into_iter().filter(|(_, count)| *count >= fewest);
            found.extend(often.map(|(sequence, count)| (sequence.to_vec(), count)));
        }
        // What is a part of another one that isn't much rarer is left out, in alphabetical order.
        let mut kept = found.clone();
        for (sequence, count) in &found {
            let holds = |(other, n): (&Vec<u8>, &u64)| {
                other.len() > sequence.len()
                    && count / n < 10
                    && memchr::memmem::find(other, sequence).is_some()
            };
            if kept.iter().any(holds) {
                kept.remove(sequence);
            }
        }
        let mut frequent = Frequent { lengths, ..Frequent::default() };
        if !kept.is_empty() {
            frequent.starts = vec![0; WORDS];
        }
        for (number, sequence) in kept.into_keys().enumerate() {
            let bits = lengths.iter().enumerate().filter(|(_, len)| **len == sequence.len());
            let bits = bits.fold(0, |bits, (at, _)| bits | 1 << at);
            match words(&sequence).next().flatten() {
                Some(word) => frequent.starts[word] |= bits,
                None => frequent.odd |= bits,
            }
            frequent.numbers.insert(sequence.clone(), number);
            frequent.sequences.push(sequence);
        }
        frequent
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Adds to `counts`, one for each sequence, how often they come in a read. What comes of one length doesn't overlap.
    pub fn count(&self, read: &[u8], counts: &mut [u64]) {
        if self.is_empty() {
            return;
        }
        // For each length where the next one may begin.
        let mut next = [0; LENGTHS];
        for (at, word) in words(read).enumerate() {
            let bits = word.map_or(self.odd, |word| self.starts[word]);
            if bits == 0 {
                continue;
            }
            for (number, &len) in self.lengths.iter().enumerate() {
                // The last place is left out.
                let fits = bits >> number & 1 == 1 && at >= next[number] && at + len < read.len();
                if fits && let Some(&sequence) = self.numbers.get(&read[at..at + len]) {
                    if let Some(count) = counts.get_mut(sequence) {
                        *count += 1;
                    }
                    next[number] = at + len + 1;
                }
            }
        }
    }

    /// Those that came more often than fastp asks for to report them, by their letters.
    pub fn listed(&self, counts: &[u64]) -> Vec<(String, u64)> {
        let often = |(sequence, count): &(&Vec<u8>, &u64)| {
            **count
                > match sequence.len() {
                    10 => 500,
                    20 => 200,
                    40 => 100,
                    100 => 50,
                    _ => 20,
                }
        };
        let text = |sequence: &[u8]| String::from_utf8_lossy(sequence).into_owned();
        let each = self.sequences.iter().zip(counts).filter(often);
        each.map(|(sequence, &count)| (text(sequence), count)).collect()
    }
}

/// The first reads of a source, which stay unread; `mates` times as many bases as of one.
fn first_reads(source: &mut Source, mates: usize) -> Vec<Vec<u8>> {
    let text = source.peek(MOST_BYTES).unwrap_or_default();
    let text = Source::from_reader("the start", io::Cursor::new(text));
    let (mut reads, mut bases) = (Vec::new(), 0);
    let Ok(mut reader) = Reader::new(text, &Options { threads: 1, ..Options::default() }) else {
        return reads;
    };
    // A record that the end of what was looked at cuts isn't one.
    while bases < mates * MOST_BASES
        && let Ok(Some(record)) = reader.next_record()
    {
        bases += record.sequence().len();
        reads.push(record.sequence().to_vec());
    }
    reads
}
