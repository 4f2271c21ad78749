//! What is looked for, and where it is found.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use biofast_fastq::Record;
use biofast_fastq::pair::template_name;

use super::bits::{Word, words};
use super::hit::{Hit, Lane, Strand};
use super::literal::{Literal, MotifTable};
use super::motif::{Motif, MotifError, reverse_complement};
use super::names::PatternNames;
use super::pattern::Pattern;
use super::region::ReadRegion;
use crate::change::filter::regex::{Regex, compile, ranges};

/// What is looked at of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    /// Its name up to the first blank: the whole of it, with or without the mate's number (see
    /// [`template_name`]), unless patterns are regular expressions.
    #[default]
    Name,
    /// The header line without `@`, also whole.
    Definition,
    /// Its bases, anywhere.
    Sequence,
}

/// Why a pattern can't be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// There is nothing to look for.
    #[error("no pattern to search for")]
    NoPatterns,
    /// A motif has a letter that stands for no base, or has none.
    #[error("{0}")]
    Motif(MotifError),
    /// A regular expression can't be compiled.
    #[error("'{pattern}' is not a valid regular expression: {why}")]
    Regex {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// More mismatches than are looked for.
    #[error("{}", too_many(*.mismatches, .motif.as_deref()))]
    TooManyMismatches {
        /// What was asked for.
        mismatches: u32,
        /// The motif that is shorter than that, if it is the reason.
        motif: Option<String>,
    },
    /// Mismatches, strands or a region of what isn't a sequence or isn't a motif.
    #[error("{0}")]
    Unfit(&'static str),
}

fn too_many(mismatches: u32, motif: Option<&str>) -> String {
    match motif {
        Some(motif) => format!(
            "motif {motif} matches everywhere with {mismatches} mismatches: it is too short"
        ),
        None => {
            format!("invalid number of mismatches {mismatches}: expected at most {MOST_MISMATCHES}")
        }
    }
}

/// The most mismatches that can be allowed.
pub const MOST_MISMATCHES: u32 = 3;

/// What to search for, and how: [`build`](Search::build) makes a [`PatternFinder`] of it.
#[derive(Clone, Debug, Default)]
pub struct Search {
    patterns: Vec<Pattern>,
    within: Within,
    regex: bool,
    mismatches: u32,
    forward_only: bool,
    any_case: bool,
    region: Option<ReadRegion>,
}

impl Search {
    /// Looks for any of these.
    pub fn new(patterns: Vec<Pattern>) -> Search {
        Search { patterns, ..Search::default() }
    }

    /// Where.
    #[must_use]
    pub fn within(mut self, within: Within) -> Search {
        self.within = within;
        self
    }

    /// Whether patterns are regular expressions, of which any part of a name or sequence may be one.
    #[must_use]
    pub fn regex(mut self, regex: bool) -> Search {
        self.regex = regex;
        self
    }

    /// How many letters of a motif may differ, up to [`MOST_MISMATCHES`].
    #[must_use]
    pub fn mismatches(mut self, mismatches: u32) -> Search {
        self.mismatches = mismatches;
        self
    }

    /// Whether sequences are searched as they are only, not on the other strand, too.
    #[must_use]
    pub fn forward_only(mut self, only: bool) -> Search {
        self.forward_only = only;
        self
    }

    /// Whether upper and lower case are the same.
    #[must_use]
    pub fn any_case(mut self, any: bool) -> Search {
        self.any_case = any;
        self
    }

    /// The part of each sequence that is searched; on the other strand, that part of the reverse complement.
    #[must_use]
    pub fn region(mut self, region: Option<ReadRegion>) -> Search {
        self.region = region;
        self
    }

    /// What finds it.
    ///
    /// # Errors
    /// If there is nothing to look for, or it can't be looked for.
    pub fn build(self) -> Result<PatternFinder, SearchError> {
        let is_sequence = self.within == Within::Sequence;
        if self.patterns.is_empty() {
            return Err(SearchError::NoPatterns);
        }
        if self.mismatches > MOST_MISMATCHES {
            let mismatches = self.mismatches;
            return Err(SearchError::TooManyMismatches { mismatches, motif: None });
        }
        if self.mismatches > 0 && (self.regex || !is_sequence) {
            let why =
                "mismatches apply only to motifs in sequences, not to regular expressions or names";
            return Err(SearchError::Unfit(why));
        }
        if self.region.is_some() && !is_sequence {
            return Err(SearchError::Unfit("regions apply to sequences, not to names"));
        }
        let engine = match (self.regex, is_sequence) {
            (true, _) => Engine::Regex(self.expressions()?),
            (false, true) => self.motifs()?,
            (false, false) => Engine::Names(PatternNames::new(&self.patterns, self.any_case)),
        };
        Ok(PatternFinder { search: self, engine, of_rna: OnceLock::new(), is_rna: false })
    }

    fn expressions(&self) -> Result<Vec<Regex>, SearchError> {
        let compile = |pattern: &Pattern| {
            let text = String::from_utf8_lossy(pattern.text());
            let flags = if self.any_case { "(?i)" } else { "" };
            compile(&format!("{flags}{text}"))
                .map_err(|why| SearchError::Regex { pattern: text.into_owned(), why })
        };
        self.patterns.iter().map(compile).collect()
    }

    fn motifs(&self) -> Result<Engine, SearchError> {
        let lanes = self.lanes()?;
        if self.mismatches > 0 || !lanes.iter().all(|lane| lane.motif.is_literal()) {
            return Ok(Engine::Words(words(lanes)));
        }
        Ok(match MotifTable::new(lanes) {
            Ok(table) => Engine::Table(table),
            Err(lanes) => Engine::Literal(lanes.into_iter().map(Literal::new).collect()),
        })
    }

    /// The motifs on each strand.
    fn lanes(&self) -> Result<Vec<Lane>, SearchError> {
        let mut lanes = Vec::new();
        for (number, pattern) in self.patterns.iter().enumerate() {
            let motif = Motif::new(pattern.text()).map_err(SearchError::Motif)?;
            let motif = motif.any_case(self.any_case);
            if motif.letters().len() as u64 <= u64::from(self.mismatches) {
                let text = String::from_utf8_lossy(pattern.text()).into_owned();
                let mismatches = self.mismatches;
                return Err(SearchError::TooManyMismatches { mismatches, motif: Some(text) });
            }
            let reverse = motif.reverse_complement();
            lanes.push(Lane { pattern: number, strand: Strand::Forward, motif });
            if !self.forward_only {
                lanes.push(Lane { pattern: number, strand: Strand::Reverse, motif: reverse });
            }
        }
        Ok(lanes)
    }
}

enum Engine {
    Names(PatternNames),
    Regex(Vec<Regex>),
    Literal(Vec<Literal>),
    Table(MotifTable),
    Words(Vec<Word>),
}

/// Finds what a [`Search`] looks for; shared by threads, each of which has a [`Searcher`].
pub struct PatternFinder {
    search: Search,
    engine: Engine,
    /// The same motifs for reads that have U, where they are compared as bytes otherwise.
    of_rna: OnceLock<Vec<Word>>,
    is_rna: bool,
}

impl PatternFinder {
    /// What is looked for.
    pub fn patterns(&self) -> &[Pattern] {
        &self.search.patterns
    }

    /// Where it is looked for.
    pub fn within(&self) -> Within {
        self.search.within
    }

    /// Says that reads are RNA, so that regular expressions find U on the other strand, where reads have A.
    #[must_use]
    pub fn of_rna(mut self, is_rna: bool) -> PatternFinder {
        self.is_rna = is_rna;
        self
    }

    /// Whether [`of_rna`](Self::of_rna) makes a difference.
    pub fn depends_on_rna(&self) -> bool {
        matches!(self.engine, Engine::Regex(_))
            && self.search.within == Within::Sequence
            && !self.search.forward_only
    }

    /// What finds motifs in a read that has U, if that is something else than in others.
    fn words_of(&self, bases: &[u8]) -> Option<&[Word]> {
        let is_literal = matches!(self.engine, Engine::Literal(_) | Engine::Table(_));
        if !is_literal || self.search.forward_only || memchr::memchr2(b'U', b'u', bases).is_none() {
            return None;
        }
        // They were motifs before.
        Some(self.of_rna.get_or_init(|| words(self.search.lanes().unwrap_or_default())))
    }

    /// What looks at one read after the other.
    pub fn searcher(&self) -> Searcher<'_> {
        Searcher { finder: self, hits: Vec::new(), reversed: Vec::new(), ranges: Vec::new() }
    }

    /// The part of a sequence that is searched on a strand, in the read as it is.
    fn part(&self, len: usize, strand: Strand) -> Range<usize> {
        let Some(region) = self.search.region else { return 0..len };
        let range = region.of(len);
        match strand {
            Strand::Forward => range,
            Strand::Reverse => len - range.end..len - range.start,
        }
    }
}

/// Searches one read after another.
pub struct Searcher<'f> {
    finder: &'f PatternFinder,
    hits: Vec<Hit>,
    reversed: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Searcher<'_> {
    /// Where `record` has what is looked for, by pattern, strand and place, in the direction of the strand: `all` places, or at least one of
    /// each pattern that it has. In names, the strand is always forward.
    pub fn find(&mut self, record: &Record<'_>, all: bool) -> &[Hit] {
        self.hits.clear();
        match self.finder.search.within {
            Within::Name => self.find_name(record.name(), all),
            Within::Definition => self.find_name(record.definition(), all),
            Within::Sequence => self.find_bases(record.sequence(), all),
        }
        if self.hits.len() > 1 {
            self.hits.sort_unstable_by_key(|hit| {
                let place = match hit.strand {
                    Strand::Forward => hit.start,
                    Strand::Reverse => usize::MAX - (hit.start + hit.len),
                };
                (hit.pattern, hit.strand, place)
            });
            if !all {
                self.hits.dedup_by_key(|hit| hit.pattern);
            }
        }
        &self.hits
    }

    fn find_name(&mut self, name: &[u8], all: bool) {
        let hit = |pattern, start, len| Hit { pattern, strand: Strand::Forward, start, len };
        match &self.finder.engine {
            Engine::Names(names) => {
                let patterns = &self.finder.search.patterns;
                let get = |name: &[u8]| Some(hit(names.get(patterns, name)?, 0, name.len()));
                let template = template_name(name);
                let may_be_template =
                    self.finder.search.within == Within::Name && template.len() < name.len();
                let as_mate = || may_be_template.then(|| get(template)).flatten();
                self.hits.extend(get(name).or_else(as_mate));
            }
            Engine::Regex(expressions) => {
                for (pattern, expression) in expressions.iter().enumerate() {
                    if !all {
                        if expression.is_match(name) {
                            self.hits.push(hit(pattern, 0, 0));
                        }
                        continue;
                    }
                    ranges(expression, name, &mut self.ranges);
                    let hits = self.ranges.iter().map(|r| hit(pattern, r.start, r.len()));
                    self.hits.extend(hits);
                }
            }
            Engine::Literal(_) | Engine::Table(_) | Engine::Words(_) => {}
        }
    }

    fn find_bases(&mut self, bases: &[u8], all: bool) {
        let finder = self.finder;
        let hits = &mut self.hits;
        let parts =
            [Strand::Forward, Strand::Reverse].map(|strand| finder.part(bases.len(), strand));
        let same = parts[0] == parts[1];
        if let Some(words) = finder.words_of(bases) {
            return find_words(finder, words, bases, &parts, all, hits);
        }
        match &finder.engine {
            Engine::Literal(literals) => {
                // In one go by pattern: what has been found on one strand needn't be on the other.
                let mut found = None;
                for literal in literals {
                    let lane = literal.lane();
                    if !all && found == Some(lane.pattern) {
                        continue;
                    }
                    let part = &parts[lane.strand as usize];
                    let before = hits.len();
                    literal.find(&bases[part.clone()], part.start, all, hits);
                    if hits.len() > before {
                        found = Some(lane.pattern);
                    }
                }
            }
            Engine::Table(table) if same => {
                table.find(&bases[parts[0].clone()], parts[0].start, |_| true, hits);
            }
            Engine::Table(table) => {
                for (part, strand) in parts.iter().zip([Strand::Forward, Strand::Reverse]) {
                    let text = &bases[part.clone()];
                    table.find(text, part.start, |lane| lane.strand == strand, hits);
                }
            }
            Engine::Words(words) => find_words(finder, words, bases, &parts, all, hits),
            Engine::Regex(expressions) => {
                let [forward, reverse] = &parts;
                if !finder.search.forward_only {
                    reverse_complement(&bases[reverse.clone()], &mut self.reversed);
                    if finder.is_rna {
                        for letter in &mut self.reversed {
                            *letter = match *letter {
                                b'T' => b'U',
                                b't' => b'u',
                                other => other,
                            };
                        }
                    }
                }
                for (pattern, expression) in expressions.iter().enumerate() {
                    let text = &bases[forward.clone()];
                    let hit = |strand, start, len| Hit { pattern, strand, start, len };
                    if !all {
                        let other =
                            || !finder.search.forward_only && expression.is_match(&self.reversed);
                        if expression.is_match(text) || other() {
                            hits.push(hit(Strand::Forward, 0, 0));
                        }
                        continue;
                    }
                    ranges(expression, text, &mut self.ranges);
                    let start = forward.start;
                    hits.extend(
                        self.ranges.iter().map(|r| hit(Strand::Forward, start + r.start, r.len())),
                    );
                    if finder.search.forward_only {
                        continue;
                    }
                    ranges(expression, &self.reversed, &mut self.ranges);
                    let end = reverse.end;
                    hits.extend(
                        self.ranges.iter().map(|r| hit(Strand::Reverse, end - r.end, r.len())),
                    );
                }
            }
            Engine::Names(_) => {}
        }
    }
}

/// Adds what is found in the `parts` of both strands.
fn find_words(
    finder: &PatternFinder,
    words: &[Word],
    bases: &[u8],
    parts: &[Range<usize>; 2],
    all: bool,
    hits: &mut Vec<Hit>,
) {
    let mismatches = finder.search.mismatches;
    for word in words {
        if parts[0] == parts[1] {
            let text = &bases[parts[0].clone()];
            word.find(text, parts[0].start, mismatches, all, hits);
            continue;
        }
        for (part, strand) in parts.iter().zip([Strand::Forward, Strand::Reverse]) {
            let before = hits.len();
            // All of them, as those of the other strand are no hits here.
            word.find(&bases[part.clone()], part.start, mismatches, true, hits);
            let mut at = 0;
            hits.retain(|hit| {
                at += 1;
                at <= before || hit.strand == strand
            });
        }
    }
}

impl fmt::Debug for PatternFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Finder").field(&self.search).finish()
    }
}
