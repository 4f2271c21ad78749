//! Whether reads are the mates they should be, from digests of their names.

use biofast_fastq::Batch;
use biofast_fastq::pair::{NameDigest, mate_number};

/// What the check of pairs needs to know of an input; small, and kept when the rest of a
/// [`Collector`](super::Collector) is dropped.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::measure::reads::{Collector, PairCheck};
///
/// let check = |text: &'static [u8]| {
///     let source = Source::from_reader("example", text);
///     Collector::collect(source, &Options::default(), Collector::with_pair_check)
///         .map(|collector| collector.pair_check().unwrap_or_default())
///         .map_err(|fault| fault.error)
/// };
/// let first = check(b"@a/1\nA\n+\nI\n@b/1\nA\n+\nI\n")?;
/// assert!(first.pairs_with(&check(b"@a/2\nA\n+\nI\n@b/2\nA\n+\nI\n")?));
/// assert!(!first.pairs_with(&check(b"@b/2\nA\n+\nI\n@a/2\nA\n+\nI\n")?));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCheck {
    reads: u64,
    /// Every read under its number.
    all: NameDigest,
    /// First and second reads of an interleaved input under the number of their pair.
    interleaved: [NameDigest; 2],
    /// How many reads say they are mate 1 and mate 2, at even and at odd places.
    mates: [[u64; 2]; 2],
}

impl PairCheck {
    pub(crate) fn accept(&mut self, batch: Batch<'_>) {
        for (index, record) in (batch.first_record()..).zip(batch.iter()) {
            let place = (index % 2) as usize;
            self.all.add(record.name(), index);
            self.interleaved[place].add(record.name(), index / 2);
            if let Some(mate) = mate_number(&record) {
                self.mates[place][usize::from(mate) - 1] += 1;
            }
        }
        self.reads += batch.len() as u64;
    }

    pub(crate) fn merge(&mut self, other: &PairCheck) {
        let PairCheck { reads, all, interleaved, mates } = other;
        self.reads += reads;
        self.all.merge(*all);
        for place in 0..2 {
            self.interleaved[place].merge(interleaved[place]);
            for (mine, theirs) in self.mates[place].iter_mut().zip(mates[place]) {
                *mine += theirs;
            }
        }
    }

    /// Whether this input and `mates` are the first and second reads of the same pairs: the same
    /// template names in the same order, and no read that says it is the other mate.
    pub fn pairs_with(&self, mates: &PairCheck) -> bool {
        self.reads == mates.reads
            && self.all == mates.all
            && self.mates[0][1] + self.mates[1][1] == 0
            && mates.mates[0][0] + mates.mates[1][0] == 0
    }

    /// Whether every read and its neighbour are a pair, as in an interleaved file.
    pub fn is_interleaved(&self) -> bool {
        self.reads.is_multiple_of(2)
            && self.interleaved[0] == self.interleaved[1]
            && self.mates[0][1] + self.mates[1][0] == 0
    }
}
