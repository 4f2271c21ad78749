//! The text of the tag MD, as reader and writer make it.

use biofast_kernels::decimal::write_unsigned;

/// The text so far, and the matches since.
#[derive(Default)]
pub(super) struct Md {
    pub(super) text: Vec<u8>,
    pub(super) matches: u64,
    ended: bool,
}

impl Md {
    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        (self.matches, self.ended) = (0, false);
    }

    /// Writes the number of matches since what was written last.
    pub(super) fn count(&mut self) {
        if !self.ended {
            write_unsigned(self.matches, &mut self.text);
            self.matches = 0;
        }
    }

    /// Adds nothing more: where the reference ends, so does MD.
    pub(super) fn end(&mut self) {
        self.count();
        self.ended = true;
    }

    /// A reference base that the read doesn't have.
    pub(super) fn base(&mut self, base: u8) {
        self.count();
        self.text.push(base);
    }

    /// Reference bases that the read leaves out.
    pub(super) fn deletion(&mut self, bases: impl IntoIterator<Item = u8>) {
        self.count();
        self.text.push(b'^');
        self.text.extend(bases);
    }
}
