//! Lines about a reference after the other, written while depths come.

use biofast_bam::Header;
use biofast_io::output::{Error, Output};
use biofast_kernels::decimal::write_unsigned;

/// Text that is handed over at once.
const TEXT: usize = 64 << 10;

/// Where lines begin with the name of the reference at hand.
pub(crate) struct DepthText {
    /// Name and length, and whether it gets lines.
    references: Vec<(Vec<u8>, u64, bool)>,
    reference: usize,
    output: Output,
    text: Vec<u8>,
    /// Whether something couldn't be written: that is said in the end.
    failed: Option<Error>,
}

impl DepthText {
    /// For the references of this header, or the `only` one.
    pub(crate) fn new(header: &Header, output: Output, only: Option<&[u8]>) -> DepthText {
        let wanted = |name: &[u8]| only.is_none_or(|only| only == name);
        let references = header.references().iter();
        DepthText {
            references: references.map(|r| (r.name.clone(), r.length, wanted(&r.name))).collect(),
            reference: 0,
            output,
            text: Vec::with_capacity(2 * TEXT),
            failed: None,
        }
    }

    /// Whether the reference at hand gets lines.
    pub(crate) fn is_wanted(&self) -> bool {
        self.references[self.reference].2
    }

    /// The length of the reference at hand.
    pub(crate) fn length(&self) -> u64 {
        self.references[self.reference].1
    }

    /// Goes on to the next reference.
    pub(crate) fn next_reference(&mut self) {
        self.reference += 1;
    }

    /// Writes a line: the name, and the numbers, each behind a tab.
    #[inline]
    pub(crate) fn line(&mut self, numbers: &[u64]) {
        self.text.extend_from_slice(&self.references[self.reference].0);
        for &number in numbers {
            self.text.push(b'\t');
            write_unsigned(number, &mut self.text);
        }
        self.text.push(b'\n');
        if self.text.len() >= TEXT {
            self.flush();
        }
    }

    /// Writes a line for each position: its number from 1, and these depths.
    pub(crate) fn positions(&mut self, positions: std::ops::Range<u64>, depths: &[u32]) {
        let mut end = Vec::new();
        for &depth in depths {
            end.push(b'\t');
            write_unsigned(depth.into(), &mut end);
        }
        end.push(b'\n');
        for position in positions {
            self.text.extend_from_slice(&self.references[self.reference].0);
            self.text.push(b'\t');
            write_unsigned(position + 1, &mut self.text);
            self.text.extend_from_slice(&end);
            if self.text.len() >= TEXT {
                self.flush();
            }
        }
    }

    #[cold]
    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.output.append(&self.text).err();
        }
        self.text.clear();
    }

    /// Whether something couldn't be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The output with all lines.
    pub(crate) fn finish(mut self) -> Result<Output, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.output.append(&self.text)?;
        Ok(self.output)
    }
}
