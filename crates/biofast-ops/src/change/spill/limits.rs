//! How much memory there is, and where what is more goes.

use std::path::PathBuf;

/// Memory limit and temporary folder. The buffers of readers and writers come on top.
#[derive(Clone, Debug)]
pub struct SpillLimits {
    /// Bytes of memory; beyond them temporary files are used.
    pub memory: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
}

impl SpillLimits {
    /// The same folder, and half of the memory.
    pub(in crate::change) fn half(&self) -> SpillLimits {
        SpillLimits { memory: self.memory / 2, folder: self.folder.clone() }
    }

    /// The length of the buffer of one of so many files, which take a small part of the memory together.
    pub(in crate::change) fn buffer(&self, files: usize) -> usize {
        (self.memory / 16 / files).clamp(4 << 10, 64 << 10)
    }
}
