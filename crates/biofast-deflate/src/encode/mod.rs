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
        if self.mode == 2 {
            self.stretches.clear();
        }
        let tokens = &mut self.tokens;
        let mut bits = Bits::new();
        tokens.clear();
        let mut done = 0;
        let mut block = 0;
        let (mut name, mut plus) = (None, None);
        for line in self.lines.iter() {
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
                    let line = (done, line.end.max(done));
                    if self.mode == 2 {
                        self.stretches.add(tokens, text, line, &self.runs, &self.costs);
                    } else {
                        quals::add_runs(tokens, text, line, &self.runs, &self.costs);
                    }
                    done = line.1;
                }
                Kind::Name => {
                    let unit = (done, n.min(line.end + 1));
                    match name {
                        Some(like) => names::add(tokens, text, unit, like),
                        None => tokens.literals(&text[unit.0..unit.1]),
                    }
                    name = Some(unit);
                    done = unit.1;
                }
                Kind::Plus => {
                    let unit = (done, n.min(line.end + 1));
                    let like = if unit.1 - unit.0 > 6 { name } else { plus };
                    match like {
                        Some(like) => names::add(tokens, text, unit, like),
                        None => tokens.literals(&text[unit.0..unit.1]),
                    }
                    plus = Some(unit);
                    done = unit.1;
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
