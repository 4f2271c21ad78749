//! Reads by what is in them or in their names: motifs with ambiguous letters on both strands, mismatches, regular
//! expressions, lists of names.
//!
//! A [`Search`] says what is looked for and makes a [`PatternFinder`] of it, which threads share; a [`Grep`] says which reads are
//! kept and where they go, and each thread's [`GrepWorker`] does it for one read or pair after the other.

mod bits;
mod find;
mod hit;
mod literal;
mod motif;
mod names;
mod paint;
mod pattern;
mod region;
#[cfg(test)]
mod tests;

use biofast_fastq::{self as fastq, Record, Unit};

use crate::measure::records::{Checksum, Sum};

pub use find::{MOST_MISMATCHES, PatternFinder, Search, SearchError, Searcher, Within};
pub use hit::{Hit, Strand};
pub(crate) use motif::COMPLEMENTS;
pub use motif::{Motif, MotifError, bases, complement, reverse_complement};
pub use paint::colour;
pub use pattern::Pattern;
pub use region::{ReadRegion, RegionError};

/// Of which mates of a pair something must be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MateRequirement {
    /// Of one at least.
    #[default]
    Any,
    /// Of both.
    Both,
}

/// Which text each thing goes to, by its number; `None`: nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrepRoutes {
    /// Kept reads, or first reads.
    pub first: Option<usize>,
    /// Kept second reads.
    pub second: Option<usize>,
    /// Reads that aren't kept, mates one after the other.
    pub rejected: Option<usize>,
    /// Lines of a table of all places: name, pattern's name, pattern, strand, first and last letter counted from 1, what is
    /// found there in the direction of its strand, and, of pairs, which mate. The columns, but for the last, are those of `seqkit locate`.
    pub places: Option<usize>,
}

/// How often a pattern was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternCount {
    /// In how many reads.
    pub reads: u64,
    /// At how many places, on both strands, if all are looked for.
    pub places: u64,
}

/// What was found in reads, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepTally {
    /// All first reads, or reads without mates, and all second reads.
    pub input: [Sum; 2],
    /// Those that are kept.
    pub kept: [Sum; 2],
    /// Those that aren't.
    pub rejected: [Sum; 2],
    /// Reads without mates, or pairs.
    pub units: u64,
    /// Those that are kept.
    pub kept_units: u64,
    /// Of each pattern, how often it was found, whether or not such reads are kept.
    pub patterns: Vec<PatternCount>,
}

impl GrepTally {
    /// Adds what was found in other reads.
    pub fn merge(&mut self, other: &GrepTally) {
        for mate in 0..2 {
            self.input[mate].add(other.input[mate]);
            self.kept[mate].add(other.kept[mate]);
            self.rejected[mate].add(other.rejected[mate]);
        }
        self.units += other.units;
        self.kept_units += other.kept_units;
        for (count, other) in self.patterns.iter_mut().zip(&other.patterns) {
            count.reads += other.reads;
            count.places += other.places;
        }
    }
}

/// Which reads are kept, and where they go.
///
/// ```
/// use biofast_fastq::{Inputs, Transform};
/// use biofast_io::output::{self, Output};
/// use biofast_io::Source;
/// use biofast_ops::grep::{Grep, GrepRoutes, Pattern, Search, Within};
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-grep-{}.fq", std::process::id()));
/// let reads = Source::from_reader(
///     "example",
///     &b"@a\nTTGATTACA\n+\nIIIIIIIII\n@b\nCCCC\n+\nIIII\n@c\nTGTAATC\n+\nIIIIIII\n"[..],
/// );
/// let finder = Search::new(vec![Pattern::new("GATTACA")]).within(Within::Sequence).build()?;
/// let grep = Grep::new(&finder).texts(GrepRoutes { first: Some(0), ..GrepRoutes::default() });
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// let worker = Transform::new(Inputs::Single(reads)).run(
///     &mut outputs,
///     || grep.worker(),
///     |worker, unit, texts| worker.apply(unit, texts),
///     |worker, other| worker.merge(other),
/// )?;
/// output::commit(outputs, false)?;
/// let tally = worker.finish();
/// // `c` has it on the other strand.
/// assert_eq!((tally.units, tally.kept_units, tally.patterns[0].reads), (3, 2, 2));
/// assert!(std::fs::read(&path)?.starts_with(b"@a\nTTGATTACA\n"));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Grep<'f> {
    finder: &'f PatternFinder,
    mates: MateRequirement,
    invert: bool,
    all: bool,
    painted: bool,
    texts: GrepRoutes,
}

impl<'f> Grep<'f> {
    /// Keeps what `finder` finds something in.
    pub fn new(finder: &'f PatternFinder) -> Grep<'f> {
        let (mates, texts) = (MateRequirement::default(), GrepRoutes::default());
        Grep { finder, mates, invert: false, all: false, painted: false, texts }
    }

    /// Of which mates of a pair something must be found for it to be kept.
    #[must_use]
    pub fn mates(mut self, mates: MateRequirement) -> Grep<'f> {
        self.mates = mates;
        self
    }

    /// Whether the others are kept instead.
    #[must_use]
    pub fn invert(mut self, invert: bool) -> Grep<'f> {
        self.invert = invert;
        self
    }

    /// Whether all places are counted; otherwise it is enough that there is one of each pattern.
    #[must_use]
    pub fn all_places(mut self, all: bool) -> Grep<'f> {
        self.all = all;
        self
    }

    /// Whether what is found is coloured in the reads that are kept, each pattern in its [colour].
    #[must_use]
    pub fn painted(mut self, painted: bool) -> Grep<'f> {
        self.painted = painted;
        self
    }

    /// Where things go.
    #[must_use]
    pub fn texts(mut self, texts: GrepRoutes) -> Grep<'f> {
        self.texts = texts;
        self
    }

    /// What a thread does it with.
    pub fn worker(&self) -> GrepWorker<'f> {
        let patterns = vec![PatternCount::default(); self.finder.patterns().len()];
        let all = self.all || self.painted || self.texts.places.is_some();
        GrepWorker {
            grep: Grep { all, ..*self },
            searchers: [self.finder.searcher(), self.finder.searcher()],
            tally: GrepTally { patterns, ..GrepTally::default() },
        }
    }
}

/// Does what a [`Grep`] says to one read or pair after the other.
pub struct GrepWorker<'f> {
    grep: Grep<'f>,
    searchers: [Searcher<'f>; 2],
    tally: GrepTally,
}

impl GrepWorker<'_> {
    /// Searches a read or a pair and appends it to the texts it goes to.
    pub fn apply(&mut self, unit: Unit<'_>, texts: &mut [Vec<u8>]) {
        let GrepWorker { grep, searchers, tally } = self;
        let [first, second] = searchers;
        let hits = [
            Some((unit.first, first.find(&unit.first, grep.all))),
            unit.second.map(|record| (record, second.find(&record, grep.all))),
        ];
        let is_found = |hits: &[Hit]| !hits.is_empty();
        let mut mates = hits.iter().flatten();
        let found = match grep.mates {
            MateRequirement::Any => mates.any(|(_, hits)| is_found(hits)),
            MateRequirement::Both => mates.all(|(_, hits)| is_found(hits)),
        };
        let kept = found != grep.invert;
        tally.units += 1;
        tally.kept_units += u64::from(kept);
        let GrepRoutes { first, second, rejected, places } = grep.texts;
        let to = match kept {
            true => [first, second.or(first)],
            false => [rejected; 2],
        };
        for (mate, (found, to)) in hits.into_iter().zip(to).enumerate() {
            let Some((record, hits)) = found else { continue };
            let sum = Sum { records: 1, checksum: Checksum::of(&record) };
            tally.input[mate].add(sum);
            match kept {
                true => tally.kept[mate].add(sum),
                false => tally.rejected[mate].add(sum),
            }
            count(&mut tally.patterns, hits);
            if let Some(text) = to.and_then(|to| texts.get_mut(to)) {
                match grep.painted && kept {
                    true => paint::append(text, &record, grep.finder.within(), hits),
                    // Only files and streams fail.
                    false => drop(fastq::write_record(text, &record)),
                }
            }
            if let Some(text) = places.and_then(|places| texts.get_mut(places))
                && kept
            {
                let mate = unit.second.map(|_| mate);
                hits.iter().for_each(|hit| write_place(text, grep.finder, &record, hit, mate));
            }
        }
    }

    /// Adds what another worker did.
    pub fn merge(&mut self, other: Self) {
        self.tally.merge(&other.tally);
    }

    /// What was found.
    pub fn finish(self) -> GrepTally {
        self.tally
    }
}

/// Counts the hits of a read, which are in the order of the patterns.
fn count(counts: &mut [PatternCount], hits: &[Hit]) {
    for hits in hits.chunk_by(|a, b| a.pattern == b.pattern) {
        if let Some(count) = hits.first().and_then(|hit| counts.get_mut(hit.pattern)) {
            count.reads += 1;
            count.places += hits.len() as u64;
        }
    }
}

/// A line of the table of places.
fn write_place(
    text: &mut Vec<u8>,
    finder: &PatternFinder,
    record: &Record<'_>,
    hit: &Hit,
    mate: Option<usize>,
) {
    let letters = match finder.within() {
        Within::Sequence => record.sequence(),
        Within::Name | Within::Definition => record.definition(),
    };
    let Some(found) = letters.get(hit.start..hit.start + hit.len) else { return };
    let Some(pattern) = finder.patterns().get(hit.pattern) else { return };
    // An expression that is found in nothing has no place.
    if found.is_empty() {
        return;
    }
    for field in [record.name(), pattern.name(), pattern.text()] {
        text.extend(field.iter().map(|&byte| if byte == b'\t' { b' ' } else { byte }));
        text.push(b'\t');
    }
    let (sign, start, end) = (hit.strand.sign(), hit.start + 1, hit.start + hit.len);
    text.extend_from_slice(format!("{sign}\t{start}\t{end}\t").as_bytes());
    match hit.strand {
        Strand::Forward => text.extend_from_slice(found),
        Strand::Reverse => text.extend(found.iter().rev().map(|&letter| complement(letter))),
    }
    if let Some(mate) = mate {
        text.extend_from_slice(format!("\t{}", mate + 1).as_bytes());
    }
    text.push(b'\n');
}
