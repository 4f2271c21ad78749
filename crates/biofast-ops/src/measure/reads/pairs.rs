//! Whether reads are the mates they should be, from digests of their names.

use biofast_fastq::Batch;
use biofast_fastq::pair::{MateNaming, NameDigest, mate_number, split_mate};

/// What the check of pairs needs to know of an input. It is small, and kept when the rest of a
/// [`Collector`](super::Collector) is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCheck {
    rule: MateNaming,
    reads: u64,
    /// Every read under its number.
    all: NameDigest,
    /// First and second reads of an interleaved input under the number of their pair.
    interleaved: [NameDigest; 2],
    /// How many reads say they are mate 1 and mate 2, at even and at odd places.
    mates: [[u64; 2]; 2],
    /// By [`MateNaming::Names`]: names as they are, which may end like a mate's, of all reads and of an interleaved input.
    exact: NameDigest,
    exact_interleaved: [NameDigest; 2],
}

impl PairCheck {
    /// Of pairs by this rule.
    pub fn new(rule: MateNaming) -> PairCheck {
        PairCheck { rule, ..PairCheck::default() }
    }

    pub(crate) fn accept(&mut self, batch: Batch<'_>) {
        if self.rule == MateNaming::Names {
            return self.accept_names(batch);
        }
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

    fn accept_names(&mut self, batch: Batch<'_>) {
        for (index, record) in (batch.first_record()..).zip(batch.iter()) {
            let place = (index % 2) as usize;
            let name = record.name();
            let (template, mate) = match split_mate(name) {
                Some((template, mate)) => (template, Some(mate)),
                None => (name, None),
            };
            self.all.add_exact(template, index);
            self.interleaved[place].add_exact(template, index / 2);
            self.exact.add_exact(name, index);
            self.exact_interleaved[place].add_exact(name, index / 2);
            if let Some(mate) = mate {
                self.mates[place][usize::from(mate) - 1] += 1;
            }
        }
        self.reads += batch.len() as u64;
    }

    pub(crate) fn merge(&mut self, other: &PairCheck) {
        let PairCheck { rule: _, reads, all, interleaved, mates, exact, exact_interleaved } = other;
        self.exact.merge(*exact);
        self.reads += reads;
        self.all.merge(*all);
        for place in 0..2 {
            self.interleaved[place].merge(interleaved[place]);
            self.exact_interleaved[place].merge(exact_interleaved[place]);
            for (mine, theirs) in self.mates[place].iter_mut().zip(mates[place]) {
                *mine += theirs;
            }
        }
    }

    /// Whether this input and `mates` are the first and second reads of the same pairs: the same
    /// template names in the same order, and no read that says it is the other mate. By [`MateNaming::Names`] it may say no where
    /// some names are equal and others end in the numbers of mates; [`find_mismatch`](biofast_fastq::pair::find_mismatch) decides.
    pub fn pairs_with(&self, mates: &PairCheck) -> bool {
        let is_exact = self.rule == MateNaming::Names && self.exact == mates.exact;
        self.reads == mates.reads
            && (is_exact
                || self.all == mates.all
                    && self.mates[0][1] + self.mates[1][1] == 0
                    && mates.mates[0][0] + mates.mates[1][0] == 0)
    }

    /// Whether every read and its neighbour are a pair, as in an interleaved file.
    pub fn is_interleaved(&self) -> bool {
        let [one, two] = self.exact_interleaved;
        let is_exact = self.rule == MateNaming::Names && one == two;
        self.reads.is_multiple_of(2)
            && (is_exact
                || self.interleaved[0] == self.interleaved[1]
                    && self.mates[0][1] + self.mates[1][0] == 0)
    }
}
