//! DEFLATE for blocks of FASTQ.

mod bits;
mod costs;
mod emit;
mod huffman;
mod lines;
mod names;
mod quals;
mod runs;
mod symbols;
mod tokens;

use biofast_kernels::Isa;

use bits::Bits;
use costs::Costs;
use emit::{Emitter, OVERHEAD};
use lines::{Kind, Lines};
use names::Names;
use quals::Stretches;
use runs::Runs;
use tokens::{MAX_TEXT, PADDING, Text, Tokens};

/// Bytes below which a text is not worth it.
const MIN_TEXT: usize = 2048;
/// Bases from which a line of them gets a block and a code of its own.
const LONG: usize = 300;

/// Deflates blocks of FASTQ. Holds about 800 kB: keep it.
pub struct FastqDeflater {
    text: Box<Text>,
    lines: Lines,
    runs: Runs,
    costs: Costs,
    stretches: Stretches,
    names: Names,
    tokens: Tokens,
    emitter: Emitter,
    out: Vec<u8>,
    pub mode: u8,
    pub long: usize,
}

impl FastqDeflater {
    /// A deflater for the instruction set that `biofast_kernels` uses.
    pub fn new() -> Self {
        Self::for_isa(biofast_kernels::active())
    }

    fn for_isa(isa: Isa) -> Self {
        let _ = isa;
        Self {
            text: Box::new([0; MAX_TEXT + PADDING]),
            lines: Lines::new(),
            runs: Runs::new(runs::fill_portable),
            costs: Costs::new(),
            stretches: Stretches::new(),
            names: Names::new(),
            tokens: Tokens::new(),
            emitter: Emitter::new(),
            out: vec![0; 3 * MAX_TEXT + 2 * OVERHEAD],
            mode: 1,
            long: LONG,
        }
    }

    /// Appends `text` to `out` as a raw DEFLATE stream, or returns false and leaves `out` alone.
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let n = text.len();
        if !(MIN_TEXT..=MAX_TEXT).contains(&n) || !self.lines.find(text) {
            return false;
        }
        self.text[..n].copy_from_slice(text);
        self.text[n..].fill(0);
        let text: &Text = &self.text;
        self.runs.find(text, n);
        self.costs.sample(text, self.lines.iter(), &self.runs);
        if self.mode >= 2 {
            self.stretches.clear();
        }
        let tokens = &mut self.tokens;
        let mut bits = Bits::new();
        tokens.clear();
        let mut done = 0;
        let mut block = 0;
        self.names.clear();
        let mut tail = None;
        for i in 0..self.lines.count() {
            let Some(line) = self.lines.get(i) else { break };
            match line.kind {
                Kind::Bases => {
                    let long = line.end - line.start >= self.long;
                    if long && done > block {
                        self.emitter.block(text, block, tokens, false, &mut bits, &mut self.out);
                        tokens.clear();
                        block = done;
                    }
                    tokens.bases(text, done, line.end);
                    done = line.end;
                    if long && done < n {
                        self.emitter.block(text, block, tokens, false, &mut bits, &mut self.out);
                        tokens.clear();
                        block = done;
                    }
                }
                Kind::Qualities => {
                    let mut line = (done, line.end.max(done));
                    tail = None;
                    if line.1 < n {
                        let end = self.lines.get(i + 1).map_or(n, |name| n.min(name.end + 1));
                        let found = self.names.tail(text, line, end, (&self.runs, &self.costs));
                        line.1 = found.start;
                        tail = Some(found);
                    }
                    if self.mode == 2 {
                        self.stretches.add(tokens, text, line, &self.runs, &self.costs);
                    } else if self.mode == 3 {
                        self.stretches.add_at_runs(tokens, text, line, &self.runs, &self.costs);
                    } else {
                        quals::add_runs(tokens, text, line, &self.runs, &self.costs);
                    }
                    done = line.1;
                }
                Kind::Name => {
                    let end = n.min(line.end + 1);
                    self.names.add_name(tokens, text, (line.start.saturating_sub(1), end), tail.take());
                    done = end;
                }
                Kind::Plus => {
                    let unit = (done, n.min(line.end + 1));
                    let next = self.lines.get(i + 1).map_or(unit.1, |line| line.end);
                    done = self.names.add_plus(tokens, text, unit, next, (&self.runs, &self.costs));
                }
            }
            if bits.at > n {
                return false;
            }
        }
        tokens.literals(&text[done..n]);
        self.emitter.block(text, block, tokens, true, &mut bits, &mut self.out);
        bits.finish(&mut self.out);
        if bits.at > n {
            return false;
        }
        out.extend_from_slice(&self.out[..bits.at]);
        true
    }
}
