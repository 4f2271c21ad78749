//! bedGraph: a line for each run of equal depth.

use biofast_bam::Header;
use biofast_io::output::{Error, Output};
use biofast_ops::measure::coverage::{DepthRun, DepthSink};

use crate::mosdepth::put;

/// Text that is handed over at once.
const TEXT: usize = 64 << 10;

/// Lines of reference, start (from 0), end and depth, written while runs come.
pub struct BedGraph {
    references: Vec<(Vec<u8>, u64, bool)>,
    reference: usize,
    /// Whether runs of depth 0 have lines.
    zeros: bool,
    output: Output,
    text: Vec<u8>,
    failed: Option<Error>,
}

impl BedGraph {
    /// For the references of this header, or the `only` one.
    pub fn new(header: &Header, output: Output, only: Option<&[u8]>, zeros: bool) -> BedGraph {
        let wanted = |name: &[u8]| only.is_none_or(|only| only == name);
        let references = header.references().iter();
        BedGraph {
            references: references.map(|r| (r.name.clone(), r.length, wanted(&r.name))).collect(),
            reference: 0,
            zeros,
            output,
            text: Vec::with_capacity(2 * TEXT),
            failed: None,
        }
    }

    /// The output with all lines.
    ///
    /// # Errors
    /// If something couldn't be written.
    pub fn finish(mut self) -> Result<Output, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.output.append(&self.text)?;
        Ok(self.output)
    }
}

impl DepthSink for BedGraph {
    fn run(&mut self, run: DepthRun) {
        let (name, _, wanted) = &self.references[self.reference];
        if !wanted || run.from == run.to || (run.depth == 0 && !self.zeros) {
            return;
        }
        self.text.extend_from_slice(name);
        for number in [run.from, run.to, run.depth.into()] {
            self.text.push(b'\t');
            put(number, &mut self.text);
        }
        self.text.push(b'\n');
        if self.text.len() >= TEXT {
            if self.failed.is_none() {
                self.failed = self.output.append(&self.text).err();
            }
            self.text.clear();
        }
    }

    fn end(&mut self, _reference: usize, has_records: bool) {
        if !has_records {
            let length = self.references[self.reference].1;
            self.run(DepthRun { from: 0, to: length, depth: 0 });
        }
        self.reference += 1;
    }

    fn has_ended(&self) -> bool {
        self.failed.is_some()
    }
}
