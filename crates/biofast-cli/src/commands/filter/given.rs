//! Which options are read of which kind of input. Those of FASTQ alone are in the group `of_fastq`, where they are declared.

use super::args::Args;

/// Options that select alignments.
const ALIGNMENTS: [&str; 4] = ["AlignmentArgs", "Flags", "RegionArgs", "Program"];

/// Options of FASTQ alone.
const FASTQ: [&str; 3] = ["of_fastq", "MateArgs", "PresetArgs"];

/// Options that trim and select reads that are not aligned, in FASTQ or BAM.
const READS: [&str; 5] = ["Which", "TrimArgs", "AdapterArgs", "Typed", "Select"];

/// Of these, what is read of alignments as well.
const OF_BOTH: [&str; 1] = ["pair"];

impl Args {
    /// The first option given that is of alignments.
    pub(super) fn only_of_alignments(&self) -> Option<String> {
        self.given.option("filter", &ALIGNMENTS)
    }

    /// The first option given that is of FASTQ alone.
    pub(super) fn only_of_fastq(&self) -> Option<String> {
        let edits = || self.adapters.edits().map(str::to_owned);
        self.given.option("filter", &FASTQ).or_else(edits)
    }

    /// The first option given that is of reads that are not aligned, in FASTQ or BAM.
    pub(super) fn only_of_unaligned(&self) -> Option<String> {
        self.given.option_except("filter", &READS, &OF_BOTH)
    }
}
