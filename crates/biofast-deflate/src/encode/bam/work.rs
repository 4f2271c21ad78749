//! The way from records to a stream: field by field to tokens, then blocks.

use super::anchors::Anchors;
use super::chains::Chains;
use super::fields::{Places, Region};
use super::overlaps::Overlaps;
use super::records::{self, Record};
use crate::encode::bits::{BitWriter, MAX_STREAM, Out};
use crate::encode::costs::Costs;
use crate::encode::effort::Effort;
use crate::encode::emit::{Emitter, OVERHEAD};
use crate::encode::quals;
use crate::encode::simd::{CODED_BAM, Simd};
use crate::encode::text::{MAX_TEXT, PADDING, Text};
use crate::encode::tokens::Tokens;

/// Bases from which bases, qualities and the rest of a record get blocks, and so codes, of their own.
const LONG: usize = 600;
/// Records after which the costs are estimated for the first time, and how many times as many come before the next time.
const FIRST: usize = 20;
const TIMES: usize = 5;
/// Bits that a literal of the fields costs before that.
const FIELD_LITERAL: u32 = 7;
/// Runs that save less than so many hundredths of the qualities aren't looked for.
const RUNS_SAVE: u32 = 13;
/// Records after which qualities of few values are told: at once, as what was done by then was for nothing.
const FEW: usize = 4;
/// Qualities that are at least one of so many count as values, and from so many on these are many.
const RARE: u32 = 500;
const MANY_VALUES: usize = 10;
/// If what comes before the first record or behind the last is more than one part in so many, and not known to be of a
/// long read, this is no BAM.
const PART: usize = 2;
/// The same without any record.
const PART_OF_ONE: usize = 16;

// A stream as long as its text is given up; one block more may follow before that shows.
const _: () = assert!(3 * MAX_TEXT + 2 * OVERHEAD <= MAX_STREAM);

/// Deflates a text with the given working memory; see [`BamWorkspace::encode`].
pub(in crate::encode) type EncodeBam = fn(&mut BamWorkspace, &[u8]) -> Option<usize>;

/// The memory that deflating takes.
pub(crate) struct BamWorkspace {
    text: Box<Text>,
    coder: BamCoder,
    out: Vec<u8>,
}

/// What makes tokens of records, and blocks of tokens.
struct BamCoder {
    costs: Costs,
    anchors: Anchors,
    fields: Fields,
    overlaps: Overlaps,
    tokens: Tokens,
    emitter: Emitter,
}

impl BamWorkspace {
    pub(in crate::encode) fn new(effort: Effort) -> Self {
        Self {
            text: Box::new([0; MAX_TEXT + PADDING]),
            coder: BamCoder {
                costs: Costs::new(),
                anchors: Anchors::new(),
                fields: match effort {
                    Effort::Fast => Fields::Places(Places::new()),
                    Effort::Balanced => Fields::Chains(Chains::new()),
                },
                overlaps: Overlaps::new(),
                tokens: Tokens::new(),
                emitter: Emitter::new(CODED_BAM),
            },
            out: vec![0; size_of::<Out>()],
        }
    }

    /// The first `n` bytes of what was made.
    pub(in crate::encode) fn stream(&self, n: usize) -> &[u8] {
        &self.out[..n]
    }

    /// Deflates `text`, at most [`MAX_TEXT`] bytes, and says how many bytes that makes; `None` if it is no use.
    ///
    /// Inlined into each instruction set's function, together with what it calls.
    #[inline(always)]
    pub(in crate::encode) fn encode<S: Simd>(&mut self, text: &[u8]) -> Option<usize> {
        self.text.get_mut(..text.len())?.copy_from_slice(text);
        self.text[text.len()..].fill(0);
        let out = self.out.first_chunk_mut()?;
        self.coder.encode::<S>(&self.text, text.len(), out)
    }
}

impl BamCoder {
    /// Deflates the first `n` bytes of `text`.
    #[inline(always)]
    fn encode<S: Simd>(&mut self, text: &Text, n: usize, out: &mut Out) -> Option<usize> {
        // Without any record the text may be a part of one.
        let first = records::first::<S>(text, n);
        let (most, first) =
            (n / if first.is_some() { PART } else { PART_OF_ONE }, first.unwrap_or(n));
        let Self { costs, anchors, fields, overlaps, tokens, emitter } = self;
        let balanced = matches!(fields, Fields::Chains(_));
        costs.clear();
        anchors.clear();
        fields.clear();
        overlaps.clear();
        tokens.clear();
        let mut stream = Stream { bits: BitWriter::new(), emitter, out };
        let mut done = 0;
        if first >= LONG {
            let (start, bases, qualities) = records::rest_of_long(text, first);
            if first - qualities > most || first == n && !records::is_binary(text, n) {
                return None;
            }
            if start > 0 {
                let anchors = anchors.of(text, n, 0, None);
                let literal = FIELD_LITERAL;
                let region = Region { start: 0, end: start, anchors, name: (n, n), literal };
                fields.add::<S>(tokens, text, &region);
                if !stream.cut::<S>(tokens, n) {
                    return None;
                }
            }
            overlaps.add_others::<S>(tokens, text, start, bases);
            if bases > 0 && !stream.cut::<S>(tokens, n) {
                return None;
            }
            if bases < qualities {
                quals::add::<S>(tokens, text, (bases, qualities), costs);
                if !stream.cut::<S>(tokens, n) {
                    return None;
                }
            }
            done = qualities;
        }
        let mut at = first;
        let (mut count, mut next_costs) = (0, FIRST);
        let (mut literal, mut runs) = (FIELD_LITERAL, true);
        let mut sample = Sample::default();
        while let Some(record) = Record::read(text, n, at) {
            let [bases, qualities, tags] =
                [record.bases, record.qualities, record.tags].map(|place| place.min(n));
            let long = record.length >= LONG;
            let region = Region {
                start: done,
                end: bases,
                anchors: anchors.of(text, n, done, Some(&record)),
                name: (record.name, record.cigar),
                literal,
            };
            fields.add::<S>(tokens, text, &region);
            if long && bases < n && !stream.cut::<S>(tokens, n) {
                return None;
            }
            let before = tokens.items().len();
            overlaps.add::<S>(tokens, text, n, &record);
            if balanced && count < FIRST && !long {
                sample.add(text, [bases, qualities, tags], tokens.items().len() - before);
            }
            if long && qualities < n && !stream.cut::<S>(tokens, n) {
                return None;
            }
            if runs || long {
                quals::add::<S>(tokens, text, (qualities, tags), costs);
            } else {
                tokens.literals(text, qualities, tags);
            }
            if long && tags < n && !stream.cut::<S>(tokens, n) {
                return None;
            }
            done = tags;
            at = record.end;
            count += 1;
            if balanced && !long && sample.is_better_matched(count) {
                return None;
            }
            if count == next_costs && !long {
                next_costs *= TIMES;
                costs.update(tokens);
                literal = costs.field_literal();
                runs = runs && (balanced || costs.runs_save(tokens, RUNS_SAVE));
            }
        }
        // What is left is the start of a record, or none.
        if n.saturating_sub(at) > n / PART {
            return None;
        }
        if done < n {
            let anchors = anchors.of(text, n, done, None);
            fields.add::<S>(
                tokens,
                text,
                &Region { start: done, end: n, anchors, name: (n, n), literal },
            );
        }
        let Stream { mut bits, emitter, out } = stream;
        emitter.block::<S>(tokens, true, &mut bits, out);
        bits.finish(out);
        (bits.at < n).then_some(bits.at)
    }
}

/// What the first records of a block are like.
struct Sample {
    /// How often each quality came.
    qualities: [u32; 128],
    /// Bytes of bases, and those of them that are no copies.
    bases: usize,
    literals: usize,
}

impl Default for Sample {
    fn default() -> Self {
        Self { qualities: [0; 128], bases: 0, literals: 0 }
    }
}

impl Sample {
    /// Adds a short record, of which `literals` bytes of bases are no copies.
    #[inline(always)]
    fn add(&mut self, text: &Text, [bases, qualities, tags]: [usize; 3], literals: usize) {
        self.bases += qualities - bases;
        self.literals += literals;
        for &quality in text.get(qualities..tags).unwrap_or_default() {
            self.qualities[usize::from(quality) % 128] += 1;
        }
    }

    /// Whether these `count` records show that an encoder that matches everywhere makes less of the block.
    fn is_better_matched(&self, count: usize) -> bool {
        match count {
            FEW => self.has_few_values(),
            FIRST => self.literals * 2 > self.bases,
            _ => false,
        }
    }

    /// Whether qualities have few values.
    fn has_few_values(&self) -> bool {
        let all: u32 = self.qualities.iter().sum();
        let values = self.qualities.iter().filter(|&&n| n * RARE > all).count();
        all > 0 && values < MANY_VALUES
    }
}

/// How fields are searched, by effort.
enum Fields {
    Places(Places),
    Chains(Chains),
}

impl Fields {
    #[inline(always)]
    fn clear(&mut self) {
        match self {
            Fields::Places(places) => places.clear(),
            Fields::Chains(chains) => chains.clear(),
        }
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, tokens: &mut Tokens, text: &Text, region: &Region) {
        match self {
            Fields::Places(places) => places.add::<S>(tokens, text, region),
            Fields::Chains(chains) => chains.add::<S>(tokens, text, region),
        }
    }
}

/// A stream under construction.
struct Stream<'a> {
    bits: BitWriter,
    emitter: &'a mut Emitter,
    out: &'a mut Out,
}

impl Stream<'_> {
    /// Makes a block of `tokens`, if there are any. False if the stream has become longer than its text of `n` bytes.
    #[inline(always)]
    fn cut<S: Simd>(&mut self, tokens: &mut Tokens, n: usize) -> bool {
        if !tokens.is_empty() {
            self.emitter.block::<S>(tokens, false, &mut self.bits, self.out);
            tokens.clear();
        }
        self.bits.at <= n
    }
}
