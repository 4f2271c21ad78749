//! The way from a text to a stream: lines, then tokens line by line, then blocks.

use super::Effort;
use super::bits::Bits;
use super::costs::Costs;
use super::emit::{Emitter, OVERHEAD};
use super::lines::{Kind, Lines};
use super::names::Names;
use super::quals::Stretches;
use super::repeats::Repeats;
use super::runs::Runs;
use super::simd::Simd;
use super::tokens::{MAX_TEXT, PADDING, Text, Tokens};

/// Bases from which a line of them gets a block, and so codes, of its own: these save about a bit a base and a score, but
/// take headers and time.
const LONG: usize = 400;

/// One byte in so many may be of a name and unlike the name before.
const NEW: usize = 6;

/// Bytes from the start of the text in which sequences are looked at for repeats before anything else is done: what is
/// declined should cost little.
const HEAD: usize = 12_288;
/// Bytes in which there is no 0 if it is text.
const BINARY: usize = 256;
/// Where as many bytes are looked at again.
const MIDDLE: usize = 32_768;

/// The memory that deflating takes.
pub(crate) struct Work {
    text: Box<Text>,
    lines: Lines,
    runs: Runs,
    costs: Costs,
    names: Names,
    stretches: Stretches,
    repeats: Repeats,
    tokens: Tokens,
    emitter: Emitter,
    out: Vec<u8>,
}

impl Work {
    pub(super) fn new() -> Self {
        Self {
            text: Box::new([0; MAX_TEXT + PADDING]),
            lines: Lines::new(),
            runs: Runs::new(),
            costs: Costs::new(),
            names: Names::new(),
            stretches: Stretches::new(),
            repeats: Repeats::new(),
            tokens: Tokens::new(),
            emitter: Emitter::new(),
            // A stream as long as its text is given up; one block more may follow before that shows.
            out: vec![0; 3 * MAX_TEXT + 2 * OVERHEAD],
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
        let n = text.len();
        // BAM is declined at once.
        if text.iter().take(BINARY).any(|&b| b == 0) {
            return None;
        }
        let head = n.min(HEAD);
        self.text[..head].copy_from_slice(&text[..head]);
        self.repeats.clear();
        if self.lines.find(&text[..head]) {
            self.repeats.add::<S>(&self.text, &self.lines, (0, head));
            if self.repeats.are_many() {
                return None;
            }
        }
        if !self.lines.find(text) {
            return None;
        }
        self.text.get_mut(head..n)?.copy_from_slice(&text[head..]);
        self.text[n..].fill(0);
        self.repeats.add::<S>(&self.text, &self.lines, (MIDDLE, MIDDLE + HEAD));
        if self.repeats.are_many() {
            return None;
        }
        self.runs.find::<S>(&self.text, n);
        self.costs.sample(&self.text, &self.lines, &self.runs);
        if self.costs.are_low() {
            return None;
        }
        self.names.clear();
        self.stretches.clear();
        self.tokens.clear();
        let mut bits = Bits::new();
        // How far the text is in tokens, and in finished blocks.
        let (mut done, mut block) = (0, 0);
        // Bases, and those that repeat the one before.
        let (mut bases, mut in_runs) = (0, 0);
        let mut tail = None;
        for i in 0..self.lines.count() {
            let Some(line) = self.lines.get(i) else { break };
            let (text, tokens) = (&*self.text, &mut self.tokens);
            let guides = (&self.runs, &self.costs);
            match line.kind {
                Kind::Bases => {
                    let long = line.end - line.start >= LONG;
                    if long && done > block {
                        self.emitter.block::<S>(tokens, false, &mut bits, &mut self.out);
                        tokens.clear();
                        block = done;
                    }
                    bases += line.end - done;
                    in_runs += self.runs.count(done, line.end);
                    tokens.bases::<S>(text, done, line.end);
                    done = line.end;
                    if long && done < n {
                        self.emitter.block::<S>(tokens, false, &mut bits, &mut self.out);
                        tokens.clear();
                        block = done;
                    }
                    if bits.at > n || in_runs * 2 > bases || self.names.new_bytes * NEW > n {
                        return None;
                    }
                }
                Kind::Plus => {
                    let end = n.min(line.end + 1);
                    let next = self.lines.get(i + 1).map_or(end, |line| line.end);
                    done = self.names.add_plus(tokens, text, (done, end), next, guides);
                }
                Kind::Qualities => {
                    let mut end = line.end;
                    tail = None;
                    if end < n {
                        let name_end = self.lines.get(i + 1).map_or(n, |name| n.min(name.end + 1));
                        let found = self.names.tail(text, (done, end), name_end, guides);
                        end = found.start;
                        tail = Some(found);
                    }
                    match effort {
                        Effort::Fast if self.costs.runs_are_dense() => {
                            self.stretches.add_runs::<S>(tokens, text, (done, end), guides);
                        }
                        Effort::Fast => {
                            self.stretches.add_at_runs(tokens, text, (done, end), guides);
                        }
                        Effort::Small => self.stretches.add(tokens, text, (done, end), guides),
                    }
                    done = end;
                }
                Kind::Name => {
                    // The line feed before it is part of it, but at the start of the text.
                    let unit = (line.start.saturating_sub(1), n.min(line.end + 1));
                    self.names.add_name(tokens, text, unit, tail.take(), &self.costs);
                    done = unit.1;
                }
            }
        }
        let (text, tokens) = (&*self.text, &mut self.tokens);
        tokens.literals(text, done, n);
        self.emitter.block::<S>(tokens, true, &mut bits, &mut self.out);
        bits.finish(&mut self.out);
        let useful = bits.at < n && self.names.new_bytes * NEW <= n && in_runs * 2 <= bases;
        useful.then_some(bits.at)
    }
}
