//! Adapters of known sequence, with errors and gaps: what cutadapt 5 finds and cuts.
//!
//! An adapter is laid on a read at the place where the alignment has the most points: a match has 1, a mismatch −1, an
//! insertion or deletion −2, of the alignments with the fewest errors that end where it ends. It may have as many errors
//! as `max_errors` says, per base of the adapter that is compared, and compares at least `min_overlap` bases.
//! Of several adapters the one with the most points is cut, and then perhaps ([`times`](AdapterCutter::times)) another.

mod align;
mod single;
mod spec;
mod words;

use std::cell::RefCell;
use std::ops::Range;

use super::{Label, Read, Reads, Trim, Trimmer};
use single::{Match, Memory, Single};
pub use spec::{AdapterFile, AdapterSide};

/// How adapters are looked for that don't say otherwise.
///
/// ```
/// use biofast_ops::filter::trim::Settings;
///
/// // As cutadapt does without options.
/// let settings = Settings::default();
/// assert_eq!((settings.max_errors, settings.min_overlap, settings.indels), (0.1, 3, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Below 1 the share of the compared bases that may be errors, else the number of errors in a whole adapter.
    pub max_errors: f64,
    /// The fewest bases of the adapter that count as a match.
    pub min_overlap: usize,
    /// Whether bases may be inserted or missing.
    pub indels: bool,
    /// Whether IUPAC letters of an adapter stand for several bases.
    pub adapter_wildcards: bool,
    /// Whether IUPAC letters of a read do.
    pub read_wildcards: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_errors: 0.1,
            min_overlap: 3,
            indels: true,
            adapter_wildcards: true,
            read_wildcards: false,
        }
    }
}

/// Why something is no adapter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InvalidSpec {
    /// It has no bases.
    Empty,
    /// It has more bases than any adapter.
    TooLong(usize),
    /// It is no share of the bases that may be errors, and no number of them.
    Errors(f64),
    /// It has a letter that is no base and no IUPAC code.
    Letter(char, String),
    /// It fits everything.
    OnlyN(String),
    /// What is in braces is no number up to 10,000, or there is nothing before it.
    Braces(String),
    /// It can't be in this place.
    Place(String, &'static str),
    /// A parameter that isn't known, or has no such value.
    Parameter(String, &'static str),
    /// The last one of what is tied to an end was asked for.
    Rightmost(String),
    /// A least overlap of what must be there as a whole.
    AnchoredOverlap(String),
    /// `required` or `optional`, but there is one part only.
    NotLinked(String),
    /// `anywhere` of a part of two.
    LinkedAnywhere(String),
    /// A parameter that is of one adapter, not of a file.
    OfFile(String),
    /// A line of a FASTA text isn't one.
    Fasta(usize),
    /// A FASTA text without sequences.
    NoFasta,
}

impl std::fmt::Display for InvalidSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use InvalidSpec as E;
        match self {
            E::Empty => write!(f, "an adapter has no bases"),
            E::TooLong(n) => {
                write!(f, "an adapter has {n} bases: expected at most {}", align::LONGEST)
            }
            E::Errors(errors) => write!(
                f,
                "{errors:?} is not a valid error rate: expected 0 or more and less than 1, or a whole number of errors up to {}",
                align::LONGEST
            ),
            E::Letter(letter, text) => write!(
                f,
                "'{text}' is not an adapter: '{}' is none of the letters A, C, G, T and the IUPAC codes",
                letter.escape_default()
            ),
            E::OnlyN(text) => write!(f, "'{text}' is not an adapter: N alone fits everything"),
            E::Braces(text) => {
                write!(
                    f,
                    "'{text}': expected a letter and a number up to 10000 in braces, as in A{{10}}"
                )
            }
            E::Place(text, expected) => write!(f, "'{text}': expected an adapter {expected}"),
            E::Parameter(text, expected) => write!(f, "';{text}': expected {expected}"),
            E::Rightmost(text) => {
                write!(f, "'{text}': rightmost is for adapters that may be inside of a read")
            }
            E::AnchoredOverlap(text) => {
                write!(f, "'{text}' must be there as a whole: it has no min_overlap")
            }
            E::NotLinked(text) => {
                write!(
                    f,
                    "'{text}': required and optional are for the parts of linked adapters (A...B)"
                )
            }
            E::LinkedAnywhere(text) => {
                write!(f, "'{text}': the parts of linked adapters can't be anywhere")
            }
            E::OfFile(text) => write!(
                f,
                "'{text}': anywhere, rightmost, required and optional are for adapters, not for a file of them"
            ),
            E::Fasta(line) => {
                write!(f, "line {line}: expected FASTA, a line starting with '>' first")
            }
            E::NoFasta => write!(f, "there are no sequences"),
        }
    }
}

impl std::error::Error for InvalidSpec {}

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

/// An adapter as it was given.
#[derive(Clone, Debug)]
struct Adapter {
    name: Option<String>,
    text: String,
    part: Part,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
enum Part {
    Single(Single),
    Linked { front: Single, back: Single, required: [bool; 2] },
}

/// An adapter that was found: both parts of a linked one.
#[derive(Clone, Debug)]
struct Found {
    parts: [Option<Match>; 2],
    score: i32,
    errors: i32,
}

impl Found {
    fn new(parts: [Option<Match>; 2]) -> Found {
        let sum = |value: fn(&Match) -> i32| parts.iter().flatten().map(value).sum();
        Found { score: sum(|found| found.score), errors: sum(|found| found.errors), parts }
    }

    /// What is left of the stretch that was searched.
    fn left(&self, mut stretch: Range<usize>) -> Range<usize> {
        for found in self.parts.iter().flatten() {
            let left = found.left(stretch.len());
            stretch = stretch.start + left.start..stretch.start + left.end;
        }
        stretch
    }

    fn left_with_adapter(&self, len: usize) -> Range<usize> {
        match &self.parts {
            [Some(front), Some(back)] => front.found.start..front.found.end + back.found.end,
            [Some(found), None] | [None, Some(found)] => found.left_with_adapter(len),
            [None, None] => 0..len,
        }
    }

    /// The bases the adapter lies on, of a linked one of the last part.
    fn adapter(&self, len: usize) -> Range<usize> {
        match &self.parts {
            [Some(front), Some(back)] => {
                front.found.end + back.found.start..front.found.end + back.found.end
            }
            [Some(found), None] | [None, Some(found)] => found.found.clone(),
            [None, None] => 0..len,
        }
    }
}

impl Adapter {
    fn find(&self, read: &[u8], memory: &mut Memory) -> Option<Found> {
        match &self.part {
            Part::Single(single) => Some(Found::new([Some(single.find(read, memory)?), None])),
            Part::Linked { front, back, required } => {
                let first = front.find(read, memory);
                if required[0] && first.is_none() {
                    return None;
                }
                let rest = &read[first.as_ref().map_or(0..read.len(), |f| f.left(read.len()))];
                let second = back.find(rest, memory);
                if second.is_none() && (required[1] || first.is_none()) {
                    return None;
                }
                Some(Found::new([first, second]))
            }
        }
    }
}

/// Looks for adapters, and cuts or marks them.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::trim::{AdapterCutter, AdapterSide, Settings};
/// use biofast_ops::filter::{Read, Trimmer};
///
/// let mut cutter = AdapterCutter::new();
/// cutter.add(0, AdapterSide::Back, "AGATCGGAAGAGC", &Settings::default())?;
/// // One base of the adapter is missing, another one is read wrongly.
/// let mut read = Read::new(Record::new(b"r", b"TTTTTTAGATCGAAGTGC", b"IIIIIIIIIIIIIIIIII"));
/// cutter.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"TTTTTTAGATCGAAGTGC");
/// let loose = Settings { max_errors: 0.2, ..Settings::default() };
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
}

thread_local! {
    /// What searching needs, once a thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

impl AdapterCutter {
    /// Without adapters.
    pub fn new() -> AdapterCutter {
        AdapterCutter { adapters: Default::default(), times: 1, action: Action::Trim }
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
        settings: &Settings,
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
        settings: &Settings,
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

    /// The best adapter in a stretch, with its number among those of the mate.
    fn find(&self, read: &[u8], mate: usize, memory: &mut Memory) -> Option<(usize, Found)> {
        let mut best: Option<(usize, Found)> = None;
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

    /// Looks for adapters: what is to be left, and the numbers of those found.
    fn search(&self, read: &[u8], mate: usize, found: &mut Vec<usize>) -> Range<usize> {
        MEMORY.with_borrow_mut(|memory| {
            let mut stretch = 0..read.len();
            for _ in 0..self.times {
                let Some((number, best)) = self.find(&read[stretch.clone()], mate, memory) else {
                    break;
                };
                found.push(number);
                stretch = match self.action {
                    Action::Retain => best.left_with_adapter(read.len()),
                    Action::Crop => best.adapter(read.len()),
                    _ => best.left(stretch),
                };
            }
            stretch
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

    /// Cuts; what marks adapters needs [`trim`](Trimmer::trim).
    fn trim_read(&self, read: &mut Read<'_>, mate: usize) {
        let left = self.search(read.sequence(), mate, &mut Vec::new());
        if matches!(self.action, Action::Trim | Action::Retain | Action::Crop) {
            read.truncate(left.end);
            read.drop_front(left.start);
        }
    }

    fn trim(&self, reads: &mut Reads<'_, '_>) {
        let mut numbers = Vec::new();
        for mate in 0..2 {
            let Some(read) = reads.read(mate).copied() else { continue };
            if self.adapters[mate].is_empty() {
                continue;
            }
            numbers.clear();
            let sequence = read.sequence();
            let left = self.search(sequence, mate, &mut numbers);
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
pub(super) struct Finder(Single);

/// A stretch with an adapter.
pub(super) struct Place {
    pub(super) place: Range<usize>,
    pub(super) score: i32,
}

impl Finder {
    /// At the start (`front`) or at the end, in part or whole, or inside.
    pub(super) fn new(
        sequence: &[u8],
        front: bool,
        settings: &Settings,
    ) -> Result<Finder, InvalidSpec> {
        let kind = if front { single::Kind::Front } else { single::Kind::Back };
        Single::new(sequence, kind, false, settings).map(Finder)
    }

    /// Where it is.
    pub(super) fn find(&self, stretch: &[u8]) -> Option<Place> {
        let found = MEMORY.with_borrow_mut(|memory| self.0.find(stretch, memory))?;
        Some(Place { place: found.found, score: found.score })
    }
}

#[cfg(test)]
mod tests;
