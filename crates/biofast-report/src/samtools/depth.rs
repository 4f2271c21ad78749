//! The lines of `samtools depth`.

use std::collections::VecDeque;

use biofast_bam::Header;
use biofast_io::output::{Error, Output};

use biofast_ops::measure::coverage::{DepthRun, DepthSink};

use crate::depth_text::DepthText;

/// A line for each position that an alignment spans, written while runs come.
///
/// ```
/// use biofast_bam::Header;
/// use biofast_io::output::{Compression, Output};
/// use biofast_ops::coverage::{DepthRun, DepthSink};
/// use biofast_report::samtools::depth::DepthLines;
///
/// let header = Header::from_text(b"@SQ\tSN:c\tLN:200\n")?;
/// let output = Output::stream("x", std::io::sink(), Compression::default());
/// let mut lines = DepthLines::new(&header, output, None, 0);
/// lines.spanned(10, 12);
/// lines.run(DepthRun { from: 0, to: 10, depth: 0 });
/// lines.run(DepthRun { from: 10, to: 12, depth: 1 });
/// lines.end(0, true);
/// lines.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DepthLines {
    text: DepthText,
    /// 1: all positions of references with counted records; 2: of all references.
    all: u8,
    /// What alignments span and no run has come of.
    spans: VecDeque<(u64, u64)>,
    /// Whether any record of the reference is counted.
    has_spans: bool,
}

impl DepthLines {
    /// For the references of this header, or the `only` one. With `all` 1 all positions of references that have counted
    /// records (`-a` of samtools), with 2 those of all references (`-aa`).
    pub fn new(header: &Header, output: Output, only: Option<&[u8]>, all: u8) -> DepthLines {
        let text = DepthText::new(header, output, only);
        DepthLines { text, all, spans: VecDeque::new(), has_spans: false }
    }

    fn write(&mut self, from: u64, to: u64, depth: u32) {
        if !self.text.is_wanted() {
            return;
        }
        for position in from..to {
            self.text.line(&[position + 1, depth.into()]);
        }
    }

    /// The output with all lines.
    ///
    /// # Errors
    /// If something couldn't be written.
    pub fn finish(self) -> Result<Output, Error> {
        self.text.finish()
    }
}

impl DepthSink for DepthLines {
    fn run(&mut self, run: DepthRun) {
        if self.all > 1 || (self.all > 0 && self.has_spans) {
            return self.write(run.from, run.to, run.depth);
        }
        while let Some(&(from, to)) = self.spans.front()
            && from < run.to
        {
            self.write(from.max(run.from), to.min(run.to), run.depth);
            if to > run.to {
                break;
            }
            self.spans.pop_front();
        }
    }

    fn end(&mut self, _reference: usize, has_records: bool) {
        if !has_records && self.all > 1 {
            self.write(0, self.text.length(), 0);
        }
        self.spans.clear();
        self.has_spans = false;
        self.text.next_reference();
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.has_spans = true;
        match self.spans.back_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => self.spans.push_back((from, to)),
        }
    }

    fn has_ended(&self) -> bool {
        self.text.has_failed()
    }
}
