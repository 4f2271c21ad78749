//! bedGraph: a line for each run of equal depth.

use biofast_bam::Header;
use biofast_io::output::{Error, Output};
use biofast_ops::measure::coverage::{DepthRun, DepthSink};

use crate::depth_text::DepthText;

/// Lines of reference, start (from 0), end and depth, written while runs come.
pub struct BedGraph {
    text: DepthText,
    /// Whether runs of depth 0 have lines.
    zeros: bool,
}

impl BedGraph {
    /// For the references of this header, or the `only` one.
    pub fn new(header: &Header, output: Output, only: Option<&[u8]>, zeros: bool) -> BedGraph {
        BedGraph { text: DepthText::new(header, output, only), zeros }
    }

    /// The output with all lines.
    ///
    /// # Errors
    /// If something couldn't be written.
    pub fn finish(self) -> Result<Output, Error> {
        self.text.finish()
    }
}

impl DepthSink for BedGraph {
    fn run(&mut self, run: DepthRun) {
        if self.text.is_wanted() && run.from != run.to && (run.depth != 0 || self.zeros) {
            self.text.line(&[run.from, run.to, run.depth.into()]);
        }
    }

    fn end(&mut self, _reference: usize, has_records: bool) {
        if !has_records {
            self.run(DepthRun { from: 0, to: self.text.length(), depth: 0 });
        }
        self.text.next_reference();
    }

    fn has_ended(&self) -> bool {
        self.text.has_failed()
    }
}
