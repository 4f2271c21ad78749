//! The way from a text to a stream: line by line to tokens, then blocks.

use super::Effort;
use super::bits::{Bits, MAX_STREAM, Out};
use super::costs::Costs;
use super::emit::{Emitter, OVERHEAD};
use super::lines::{Kind, Lines};
use super::names::Names;
use super::quals::{self, Stretches};
use super::repeats::Repeats;
use super::simd::Simd;
use super::text::{MAX_TEXT, PADDING, Text, newline};
use super::tokens::Tokens;

/// Bases from which a line of them gets a block, and so codes, of its own: these save about a bit a base and a score, but
/// take headers and time.
const LONG: usize = 400;

/// One byte in so many may be of a name and unlike the name before.
const NEW: usize = 6;
/// Bytes after which it shows early that there are too many: one in so many until then.
const EARLY: usize = 4096;
const EARLY_NEW: usize = 5;

/// Bytes in which there is no 0 if it is text.
const BINARY: usize = 256;

/// Records after which the costs are estimated for the first time, and how many times as many come before the next time.
const FIRST: usize = 8;
const TIMES: usize = 8;

/// Scores in use from which equal stretches are looked for beyond the record before.
const MANY_SCORES: u32 = 10;

// A stream as long as its text is given up; one block more may follow before that shows.
const _: () = assert!(3 * MAX_TEXT + 2 * OVERHEAD <= MAX_STREAM);

/// The memory that deflating takes.
pub(crate) struct Work {
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

impl Work {
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
                emitter: Emitter::new(),
            },
            out: vec![0; size_of::<Out>()],
        }
    }

    /// The first `n` bytes of what was made.
    pub(super) fn stream(&self, n: usize) -> &[u8] {
        &self.out[..n]
    }

    /// Deflates `text`, at most [`MAX_TEXT`] bytes, and returns the length of the stream; `None` if it is no use.
    ///
    /// Inlined into each instruction set's function, together with what it calls.
    #[inline(always)]
    pub(super) fn encode<S: Simd>(&mut self, text: &[u8], effort: Effort) -> Option<usize> {
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
    ) -> Option<usize> {
        let Self { costs, names, stretches, repeats, tokens, emitter } = self;
        costs.clear();
        names.clear();
        repeats.clear();
        tokens.clear();
        if effort == Effort::Small {
            stretches.clear();
        }
        let mut bits = Bits::new();
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
        while start < n {
            let begins_with = |byte| start == 0 || text[start] == byte;
            let end = match kind {
                Kind::Name => {
                    if !begins_with(b'@') {
                        return None;
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
                    let new = names.new_bytes;
                    let early = done >= EARLY && new * EARLY_NEW > done;
                    if bits.at > n || new * NEW > n || early {
                        return None;
                    }
                    end
                }
                Kind::Plus => {
                    if !begins_with(b'+') {
                        return None;
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
                        Some(_) => return None,
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
                        match effort {
                            Effort::Small if costs.scores() > 0 => {
                                let rare =
                                    (costs.scores() < MANY_SCORES).then_some(costs.commonest());
                                stretches.add::<S>(tokens, text, line, (costs, rare));
                            }
                            _ => quals::add::<S>(tokens, text, line, costs),
                        }
                        done = until;
                    }
                    records += 1;
                    if records == next_costs {
                        next_costs *= TIMES;
                        costs.update(tokens);
                        names.look_far(costs.scores() >= MANY_SCORES);
                    }
                    end
                }
            };
            start = end + 1;
            kind = kind.next();
        }
        tokens.literals(text, done, n);
        emitter.block::<S>(tokens, true, &mut bits, out);
        bits.finish(out);
        (bits.at < n && names.new_bytes * NEW <= n).then_some(bits.at)
    }
}

/// Where a name with its line end before it starts: at the end of the qualities, some of which a tail may have left.
#[inline(always)]
fn content_end<T>(tail: Option<(T, usize)>, done: usize) -> usize {
    tail.map_or(done, |(_, end)| end)
}
