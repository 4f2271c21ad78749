//! Adapters of known sequence, with errors and gaps: what cutadapt 5 finds and cuts.
//!
//! An adapter is laid on a read at the place where the alignment has the most points: a match has 1, a mismatch −1, an
//! insertion or deletion −2, of the alignments with the fewest errors that end where it ends. It may have as many errors
//! as `max_errors` says, per base of the adapter that is compared, and compares at least `min_overlap` bases.
//! Of several adapters the one with the most points is cut, and then perhaps ([`times`](AdapterCutter::times)) another.

mod adapter;
mod align;
mod read;
mod settings;
mod single;
mod spec;
mod weighed;
mod words;

use std::cell::RefCell;
use std::ops::Range;

use super::Trim;
use super::adapter::{KITS, Kit};
use super::overlap::Overlap;
use super::trimmer::{Label, Trimmer};
use crate::change::filter::read::{AdapterPlace, TrimUnit, TrimmedRead};
use crate::change::grep::reverse_complement;
use adapter::{Adapter, AdapterMatch, AdapterPart};
use read::CutterRead;
pub use settings::{AdapterMatching, AdapterSettings, InvalidSpec};
use single::{SearchMemory, Single};
pub use spec::{AdapterFile, AdapterSide};

/// What is done to a read with an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// The adapter and what is beyond it are cut off.
    #[default]
    Trim,
    /// What is beyond the adapter is cut off.
    Retain,
    /// All but the adapter is cut off.
    Crop,
    /// What would be cut off becomes N.
    Mask,
    /// What would be cut off becomes lower case, all else upper case.
    Lowercase,
    /// Nothing: the adapter is counted.
    None,
}

/// Looks for adapters, and cuts or marks them.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::trim::{AdapterCutter, AdapterSettings, AdapterSide};
/// use biofast_ops::filter::{TrimmedRead, Trimmer};
///
/// let mut cutter = AdapterCutter::new();
/// cutter.add(0, AdapterSide::Back, "AGATCGGAAGAGC", &AdapterSettings::default())?;
/// // One base of the adapter is missing, another one is read wrongly.
/// let mut read = TrimmedRead::new(Record::new(b"r", b"TTTTTTAGATCGAAGTGC", b"IIIIIIIIIIIIIIIIII"));
/// cutter.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"TTTTTTAGATCGAAGTGC");
/// let loose = AdapterSettings { max_errors: 0.2, ..AdapterSettings::default() };
/// let mut cutter = AdapterCutter::new();
/// cutter.add(0, AdapterSide::Back, "AGATCGGAAGAGC", &loose)?;
/// cutter.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"TTTTTT");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AdapterCutter {
    /// Of first and of second reads.
    adapters: [Vec<Adapter>; 2],
    times: usize,
    action: Action,
    both_strands: bool,
}

/// What was found in a read.
struct AdaptersFound {
    /// Their numbers among the adapters of the mate.
    numbers: Vec<usize>,
    /// The sum of their points.
    score: i32,
    /// Those of the last one.
    errors: i32,
    /// What is to be left.
    left: Range<usize>,
}

thread_local! {
    /// What searching needs, once a thread.
    static MEMORY: RefCell<SearchMemory> = RefCell::default();
}

impl AdapterCutter {
    /// Without adapters.
    pub fn new() -> AdapterCutter {
        AdapterCutter { times: 1, ..AdapterCutter::default() }
    }

    /// How many adapters are cut off a read, one after the other.
    pub fn times(mut self, times: usize) -> AdapterCutter {
        self.times = times.max(1);
        self
    }

    /// What is done. [`Action::Retain`] and [`Action::Crop`] go with one adapter a read only, and do nothing more.
    pub fn action(mut self, action: Action) -> AdapterCutter {
        self.action = action;
        self
    }

    /// Whether adapters are looked for on the other strand, too: in the reverse complement of a read without a mate, and in mates
    /// exchanged for each other. The strand whose adapters have more points is kept, of equal ones the read's own.
    pub fn both_strands(mut self, both_strands: bool) -> AdapterCutter {
        self.both_strands = both_strands;
        self
    }

    /// Adds an adapter of first (0) or second (1) reads in cutadapt's notation: `SEQ`, `^SEQ`, `SEQ$`, `XSEQ`, `SEQX`, `A...B`, with `NAME=`
    /// before and `;parameter=value` behind.
    ///
    /// # Errors
    /// If it is none.
    pub fn add(
        &mut self,
        mate: usize,
        side: AdapterSide,
        text: &str,
        settings: &AdapterSettings,
    ) -> Result<(), InvalidSpec> {
        self.adapters[mate.min(1)].push(spec::parse(text, side, None, settings)?);
        Ok(())
    }

    /// Adds the adapters of a FASTA text, each as [`add`](Self::add) does, with `around` before and behind it: `^` or `$`.
    ///
    /// # Errors
    /// If the text isn't FASTA, or one of its sequences no adapter.
    pub fn add_fasta(
        &mut self,
        mate: usize,
        side: AdapterSide,
        text: &[u8],
        around: [&str; 2],
        settings: &AdapterSettings,
    ) -> Result<(), InvalidSpec> {
        for (name, sequence) in spec::fasta(text)? {
            let text = [around[0], &sequence, around[1]].concat();
            let adapter = spec::parse(&text, side, name.as_deref(), settings)?;
            self.adapters[mate.min(1)].push(adapter);
        }
        Ok(())
    }

    /// Whether there are no adapters.
    pub fn is_empty(&self) -> bool {
        self.adapters.iter().all(Vec::is_empty)
    }

    /// Whether there are adapters of first and of second reads.
    pub fn mates(&self) -> [bool; 2] {
        [0, 1].map(|mate| !self.adapters[mate].is_empty())
    }

    /// An [`Overlap`] that knows those of the adapters that follow fragments, or, if there are none, those of the [kits](KITS).
    pub fn overlap(&self) -> Overlap {
        let mut backs = Vec::new();
        for (mate, adapters) in self.adapters.iter().enumerate() {
            for adapter in adapters {
                if let AdapterPart::Single(single) = &adapter.part {
                    backs.extend(single.plain_back().map(|sequence| (mate, sequence)));
                }
            }
        }
        if backs.is_empty() {
            let of_kit = |kit: &Kit| kit.adapters.map(str::as_bytes).into_iter().enumerate();
            backs.extend(KITS.iter().flat_map(of_kit));
        }
        let add = |overlap: Overlap, (mate, adapter)| overlap.with_adapter(mate, adapter);
        backs.into_iter().fold(Overlap::default(), add)
    }

    /// The best adapter in a stretch, with its number among those of the mate.
    fn find(
        &self,
        read: CutterRead<'_>,
        mate: usize,
        memory: &mut SearchMemory,
    ) -> Option<(usize, AdapterMatch)> {
        let mut best: Option<(usize, AdapterMatch)> = None;
        for (number, adapter) in self.adapters[mate].iter().enumerate() {
            let Some(found) = adapter.find(read, memory) else { continue };
            let better = best
                .as_ref()
                .is_none_or(|(_, best)| (found.score, -found.errors) > (best.score, -best.errors));
            if better {
                best = Some((number, found));
            }
        }
        best
    }

    /// Looks for adapters in reads, those of mates that have any.
    fn search_unit(&self, reads: [Option<CutterRead<'_>>; 2]) -> [Option<AdaptersFound>; 2] {
        [0, 1].map(|mate| {
            let read = reads[mate].filter(|_| !self.adapters[mate].is_empty())?;
            Some(self.search(read, mate))
        })
    }

    /// Looks for adapters.
    fn search(&self, read: CutterRead<'_>, mate: usize) -> AdaptersFound {
        MEMORY.with_borrow_mut(|memory| {
            let (mut stretch, mut numbers, mut score, mut errors) =
                (0..read.len(), Vec::new(), 0, 0);
            for _ in 0..self.times {
                let Some((number, best)) = self.find(read.part(stretch.clone()), mate, memory)
                else {
                    break;
                };
                numbers.push(number);
                score += best.score;
                errors = best.errors;
                stretch = match self.action {
                    Action::Retain => best.left_with_adapter(read.len()),
                    Action::Crop => best.adapter(read.len()),
                    _ => best.left(stretch),
                };
            }
            AdaptersFound { numbers, score, errors, left: stretch }
        })
    }

    /// The number of an adapter of a mate among all.
    fn number(&self, mate: usize, number: usize) -> usize {
        if mate == 0 { number } else { self.adapters[0].len() + number }
    }
}

impl Trimmer for AdapterCutter {
    fn kind(&self) -> Trim {
        Trim::Adapter
    }

    /// Cuts; what marks adapters or turns reads needs [`trim`](Trimmer::trim).
    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let left = self.search(CutterRead::of(read), mate).left;
        if matches!(self.action, Action::Trim | Action::Retain | Action::Crop) {
            read.truncate(left.end);
            read.drop_front(left.start);
        }
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let mut sequences = [0, 1].map(|mate| reads.read(mate).map(TrimmedRead::sequence));
        let searched = [0, 1].map(|mate| reads.read(mate).map(CutterRead::of));
        let mut found = self.search_unit(searched);
        if self.both_strands {
            let other = match searched {
                [Some(single), None] => {
                    reverse_complement(single.sequence, reads.scratch);
                    reads.scratch.extend(single.qualities.iter().rev());
                    let (sequence, qualities) = reads.scratch.split_at(single.len());
                    self.search_unit([Some(CutterRead { sequence, qualities }), None])
                }
                [first, second] => self.search_unit([second, first]),
            };
            let score = |found: &[Option<AdaptersFound>; 2]| -> i32 {
                found.iter().flatten().map(|found| found.score).sum()
            };
            let any = other.iter().flatten().any(|found| !found.numbers.is_empty());
            // Points may be below 0, which the read's own strand then has.
            if any && score(&other) > score(&found) {
                found = other;
                reads.take_other_strand();
                if sequences[1].is_some() {
                    sequences.swap(0, 1);
                }
            }
        }
        if self.both_strands && self.action == Action::Lowercase {
            // Mates without adapters of their own were searched for those of the others.
            for mate in 0..2 {
                let searched = sequences[mate].filter(|_| found[mate].is_none());
                if searched.is_some_and(|sequence| sequence.iter().any(u8::is_ascii_lowercase)) {
                    reads.edit(mate).sequence_mut().make_ascii_uppercase();
                }
            }
        }
        for (mate, found) in found.into_iter().enumerate() {
            let (Some(AdaptersFound { numbers, errors, left, .. }), Some(sequence)) =
                (found, sequences[mate])
            else {
                continue;
            };
            for &number in &numbers {
                reads.found.push((mate, self.number(mate, number)));
            }
            if self.action == Action::Lowercase
                && (!numbers.is_empty() || sequence.iter().any(u8::is_ascii_lowercase))
            {
                let edited = reads.edit(mate);
                edited.sequence_mut().make_ascii_uppercase();
                edited.sequence_mut()[..left.start].make_ascii_lowercase();
                edited.sequence_mut()[left.end..].make_ascii_lowercase();
            }
            if numbers.is_empty() {
                continue;
            }
            reads.counts.adapter_places[mate] =
                Some(AdapterPlace { at: left.end, errors: errors.max(0) as usize });
            match self.action {
                Action::Trim | Action::Retain | Action::Crop => {
                    if let Some(read) = reads.read_mut(mate) {
                        read.truncate(left.end);
                        read.drop_front(left.start);
                    }
                }
                Action::Mask => {
                    let edited = reads.edit(mate);
                    edited.sequence_mut()[..left.start].fill(b'N');
                    edited.sequence_mut()[left.end..].fill(b'N');
                }
                Action::Lowercase | Action::None => {}
            }
        }
    }

    fn adapters(&self) -> Vec<Label> {
        let mut unnamed = 0;
        let mut labels = Vec::new();
        for (mate, adapters) in self.adapters.iter().enumerate() {
            for adapter in adapters {
                let name = adapter.name.clone().unwrap_or_else(|| {
                    unnamed += 1;
                    unnamed.to_string()
                });
                labels.push(Label { name, text: adapter.text.clone(), read: mate as u8 + 1 });
            }
        }
        labels
    }
}

/// One adapter at an end of a read, for trimmers that look for it in a part of the read.
#[derive(Clone, Debug)]
pub(super) struct AdapterFinder(Single);

/// A stretch with an adapter.
pub(super) struct AdapterSpan {
    pub(super) place: Range<usize>,
    pub(super) score: i32,
}

impl AdapterFinder {
    /// At the start (`front`) or at the end, in part or whole, or inside.
    pub(super) fn new(
        sequence: &[u8],
        front: bool,
        settings: &AdapterSettings,
    ) -> Result<AdapterFinder, InvalidSpec> {
        let kind = if front { single::AdapterKind::Front } else { single::AdapterKind::Back };
        Single::new(sequence, kind, false, settings).map(AdapterFinder)
    }

    /// Where it is.
    pub(super) fn find(&self, stretch: &[u8]) -> Option<AdapterSpan> {
        // It isn't matched by quality.
        let read = CutterRead { sequence: stretch, qualities: &[] };
        let found = MEMORY.with_borrow_mut(|memory| self.0.find(read, memory))?;
        Some(AdapterSpan { place: found.found, score: found.score })
    }
}

#[cfg(test)]
mod tests;
