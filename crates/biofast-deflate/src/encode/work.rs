//! The way from a text to a stream: line by line to tokens, then blocks.

use super::bits::{BitWriter, MAX_STREAM, Out};
use super::costs::Costs;
use super::effort::Effort;
use super::emit::{Emitter, OVERHEAD};
use super::lines::{FIRST_NEW, Kind, Lines, NEW};
use super::names::Names;
use super::quals::{self, Search, Stretches};
use super::repeats::Repeats;
use super::simd::{CODED_FASTQ, Simd};
use super::text::{MAX_TEXT, PADDING, Text, newline};
use super::tokens::Tokens;

/// Bases from which a line of them gets a block, and so codes, of its own: these save about a bit a base and a score, but
/// take headers and time.
const LONG: usize = 400;

const EARLY: usize = 2048;

/// What comes before something that is no record is kept if it is one part in so many of the text: the matches that cross
/// the border are lost, and there is a header more.
const PART: usize = 16;

/// Bytes in which there is no 0 if it is text.
const BINARY: usize = 256;

/// Records after which the costs are estimated for the first time, and how many times as many come before the next time.
const FIRST: usize = 8;
const TIMES: usize = 8;

/// Scores in use from which equal stretches are looked for beyond the record before.
const MANY_SCORES: u32 = 10;

/// Up to so many scores …
const FEW_SCORES: usize = 4;
/// … that are at least one of so many …
const RARE: usize = 500;
/// … as far as they are looked at in a line …
const LOOKED_AT: usize = 256;
/// … are busy, so that equal stretches are looked for, if they take a literal or a run for so many of them.
const BUSY: usize = 3;
/// Places in 64 scores where a stretch may begin, from which on it is looked for, by effort.
const PLACES: [u32; 2] = [3, 1];

// A stream as long as its text is given up; one block more may follow before that shows.
const _: () = assert!(3 * MAX_TEXT + 2 * OVERHEAD <= MAX_STREAM);

/// How much was made of how much text.
pub(super) struct Encoded {
    /// Bytes of the stream; less than all of the text leaves it open.
    pub(super) stream: usize,
    pub(super) text: usize,
}

/// The memory that deflating takes.
pub(crate) struct DeflateWorkspace {
    text: Box<Text>,
    lines: Lines,
    coder: Coder,
    out: Vec<u8>,
}

/// What makes tokens of lines, and blocks of tokens.
struct Coder {
    costs: Costs,
    names: Names,
    stretches: Stretches,
    repeats: Repeats,
    tokens: Tokens,
    emitter: Emitter,
}

impl DeflateWorkspace {
    pub(super) fn new() -> Self {
        Self {
            text: Box::new([0; MAX_TEXT + PADDING]),
            lines: Lines::new(),
            coder: Coder {
                costs: Costs::new(),
                names: Names::new(),
                stretches: Stretches::new(),
                repeats: Repeats::new(),
                tokens: Tokens::new(),
                emitter: Emitter::new(CODED_FASTQ),
            },
            out: vec![0; size_of::<Out>()],
        }
    }

    /// The first `n` bytes of what was made.
    pub(super) fn stream(&self, n: usize) -> &[u8] {
        &self.out[..n]
    }

    /// Deflates `text`, at most [`MAX_TEXT`] bytes; `None` if it is no use.
    ///
    /// Inlined into each instruction set's function, together with what it calls.
    #[inline(always)]
    pub(super) fn encode<S: Simd>(&mut self, text: &[u8], effort: Effort) -> Option<Encoded> {
        // BAM is declined at once.
        if text[..text.len().min(BINARY)].contains(&0) {
            return None;
        }
        let first = self.lines.first(text)?;
        self.text.get_mut(..text.len())?.copy_from_slice(text);
        self.text[text.len()..].fill(0);
        let out = self.out.first_chunk_mut()?;
        self.coder.encode::<S>(&self.text, text.len(), first, effort, out)
    }
}

impl Coder {
    /// Deflates the first `n` bytes of `text`, which begin in a line of the kind `first`.
    #[inline(always)]
    fn encode<S: Simd>(
        &mut self,
        text: &Text,
        n: usize,
        first: Kind,
        effort: Effort,
        out: &mut Out,
    ) -> Option<Encoded> {
        let Self { costs, names, stretches, repeats, tokens, emitter } = self;
        costs.clear();
        names.clear();
        repeats.clear();
        tokens.clear();
        stretches.clear();
        // Whether stretches of qualities are looked for; bytes of qualities and what became of them until that is known.
        let mut searching = false;
        let (mut scored, mut items) = (0, 0);
        // How often each value came in the first records.
        let mut values = [0; 128];
        let mut bits = BitWriter::new();
        // Whether lines end with a carriage return, too.
        let end = newline::<S>(text, 0, n);
        let returns = end > 0 && text[end - 1] == b'\r';
        let (mut kind, mut start) = (first, 0);
        // How far the text is in tokens, and in finished blocks.
        let (mut done, mut block) = (0, 0);
        // The length of this record's line of bases, if all of it is here, and that of the last such line.
        let (mut known, mut usual) = (None, 0);
        let (mut records, mut next_costs) = (0, FIRST);
        let mut tail = None;
        // Where a line that ends at `newline` ends but for its line end.
        let content = |start: usize, newline: usize| {
            newline
                - usize::from(
                    returns && newline > start && newline < n && text[newline - 1] == b'\r',
                )
        };
        let whole = loop {
            if start >= n {
                break true;
            }
            let begins_with = |byte| start == 0 || text[start] == byte;
            let end = match kind {
                Kind::Name => {
                    if !begins_with(b'@') {
                        break false;
                    }
                    let end = newline::<S>(text, start, n);
                    let unit = (done.max(content_end(tail, done)), n.min(end + 1));
                    names.add_name::<S>(tokens, text, unit, tail.take().map(|(tail, _)| tail));
                    done = unit.1;
                    end
                }
                Kind::Bases => {
                    let guess = start + usual;
                    let guessed = guess < n && text[guess] == b'\n' && text[guess + 1] == b'+';
                    let end = if guessed { guess } else { newline::<S>(text, start, n) };
                    known = (start > 0 && end < n).then_some(end - start);
                    usual = end - start;
                    let stop = content(start, end);
                    let long = stop - start >= LONG;
                    if long && done > block {
                        // Here they are of names and scores alone.
                        if records > 0 && records < next_costs {
                            costs.update(tokens);
                            next_costs = 0;
                        }
                        emitter.block::<S>(tokens, false, &mut bits, out);
                        tokens.clear();
                        block = done;
                    }
                    repeats.add::<S>(tokens, text, done, stop);
                    done = stop;
                    if long && done < n {
                        emitter.block::<S>(tokens, false, &mut bits, out);
                        tokens.clear();
                        block = done;
                    }
                    if bits.at > n {
                        return None;
                    }
                    let new = names.new_bytes.saturating_sub(FIRST_NEW);
                    if done >= EARLY && new * NEW > done {
                        break false;
                    }
                    end
                }
                Kind::Plus => {
                    if !begins_with(b'+') {
                        break false;
                    }
                    let end = newline::<S>(text, start, n);
                    let next = n.min(end + 1);
                    let qualities = n.min(next + known.unwrap_or(0));
                    let stop = content(next, qualities).max(next);
                    done = names.add_plus::<S>(tokens, text, (done, next), stop);
                    end
                }
                Kind::Qualities => {
                    let end = match known.take() {
                        Some(bases) if start + bases >= n => n,
                        Some(bases) if text[start + bases] == b'\n' => start + bases,
                        Some(_) => break false,
                        None => newline::<S>(text, start, n),
                    };
                    let stop = content(start, end);
                    let mut until = stop;
                    if end + 1 < n {
                        let found = names.tail::<S>(text, (done.min(stop), stop));
                        until = found.start;
                        tail = Some((found, stop));
                    }
                    if done < until {
                        let line = (done, until);
                        if searching {
                            let few = costs.scores() < MANY_SCORES;
                            let search = Search { few, least: PLACES[effort as usize] };
                            stretches.add::<S>(tokens, text, line, (costs, search));
                        } else {
                            let before = tokens.items().len();
                            quals::add::<S>(tokens, text, line, costs);
                            items += tokens.items().len() - before;
                            scored += until - done;
                            if records < FIRST {
                                count(text, (done, until), &mut values);
                            }
                        }
                        done = until;
                    }
                    records += 1;
                    if records == next_costs {
                        next_costs *= TIMES;
                        costs.update(tokens);
                        let many = costs.scores() >= MANY_SCORES;
                        names.look_far(many);
                        let looked_at: usize = values.iter().sum();
                        let few =
                            values.iter().filter(|&&n| n * RARE > looked_at).count() <= FEW_SCORES;
                        let busy = few && items * BUSY >= scored;
                        searching |= effort == Effort::Balanced || busy;
                    }
                    end
                }
            };
            start = end + 1;
            kind = kind.next();
        };
        let whole = whole || done >= n;
        if !whole && done * PART < n {
            return None;
        }
        if whole {
            tokens.literals(text, done, n);
            done = n;
        }
        if whole || done > block {
            emitter.block::<S>(tokens, whole, &mut bits, out);
        }
        match whole {
            true => bits.finish(out),
            false => bits.align(out),
        }
        (bits.at < done).then_some(Encoded { stream: bits.at, text: done })
    }
}

/// Counts the first scores of a line.
fn count(text: &Text, (start, end): (usize, usize), values: &mut [usize; 128]) {
    let scores = text.get(start..end.min(start + LOOKED_AT)).unwrap_or_default();
    for &score in scores {
        values[usize::from(score) % 128] += 1;
    }
}

/// Where a name with its line end before it starts: at the end of the qualities, some of which a tail may have left.
#[inline(always)]
fn content_end<T>(tail: Option<(T, usize)>, done: usize) -> usize {
    tail.map_or(done, |(_, end)| end)
}

/// Deflates a text with the given working memory; see [`DeflateWorkspace::encode`].
pub(super) type Encode = fn(&mut DeflateWorkspace, &[u8], Effort) -> Option<Encoded>;
