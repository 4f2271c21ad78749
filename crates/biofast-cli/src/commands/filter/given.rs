//! Which options were given that one kind of input has no meaning for.

use super::args::{Args, Select, TrimArgs, Which};

/// The first of these that is given.
fn first(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find(|(_, given)| *given).map(|(name, _)| *name)
}

impl Args {
    /// The first option given that is of FASTQ alone.
    pub(super) fn only_of_fastq(&self) -> Option<&'static str> {
        first(&[
            ("--interleaved (mates are told by their flags)", self.interleaved),
            ("--mates (mates are told by their flags)", self.pairing.given()),
            ("--out2", self.out2.is_some()),
            ("--interleaved-out", self.pairs_out.given()),
            ("--unpaired1", self.unpaired1.is_some()),
            ("--unpaired2", self.unpaired2.is_some()),
            ("--rejected (for alignments -U)", self.rejected.is_some()),
            ("--stats", self.stats),
            ("--detect-adapter", self.adapters.detect_adapter.is_some()),
            (self.mates.given().unwrap_or_default(), self.mates.given().is_some()),
            (self.preset.given().unwrap_or_default(), self.preset.given().is_some()),
            ("--adapter-kit", self.adapters.of_long_reads()),
            ("--action mask and lowercase", self.adapters.edits().is_some()),
            ("--head", self.which.head.is_some()),
            ("--sample-fraction (for alignments -s)", self.which.sample_fraction.is_some()),
            ("--sample-count (for alignments -s)", self.which.sample_count.is_some()),
            ("--keep-percent", self.which.keep_percent.is_some()),
            ("--target-bases", self.which.target_bases.is_some()),
        ])
    }

    /// The first option given that is of reads that are not aligned, in FASTQ or BAM.
    pub(super) fn only_of_unaligned(&self) -> Option<&'static str> {
        self.which.given().or(self.trim.given()).or(self.adapters.given()).or(self.select.given())
    }
}

impl Which {
    /// The first option given that chooses names.
    fn given(&self) -> Option<&'static str> {
        first(&[
            ("--names (for alignments -N)", self.names.is_some()),
            ("--name-regex (for alignments -e)", self.name_regex.is_some()),
            ("--invert", self.invert),
        ])
    }
}

impl TrimArgs {
    /// The first option given that trims.
    fn given(&self) -> Option<&'static str> {
        first(&[
            ("--umi", self.umi.is_some()),
            ("--crop-front", self.crop_front.is_some()),
            ("--crop-tail", self.crop_tail.is_some()),
            ("--keep-first", self.keep_first.is_some()),
            ("--cut-front", self.cut_front),
            ("--cut-tail", self.cut_tail),
            ("--cut-right", self.cut_right),
            ("--trim-poly-g", self.trim_poly_g.is_some()),
            ("--trim-poly-x", self.trim_poly_x.is_some()),
            ("--trim-overlap", self.trim_overlap),
        ])
    }
}

impl Select {
    /// The first option given that selects.
    fn given(&self) -> Option<&'static str> {
        first(&[
            ("--min-len", self.min_len.is_some()),
            ("--max-len", self.max_len.is_some()),
            ("--min-mean-qual", self.min_mean_qual.is_some()),
            ("--max-mean-qual", self.max_mean_qual.is_some()),
            ("--max-low-quality-percent", self.max_low_quality_percent.is_some()),
            ("--max-expected-errors", self.max_expected_errors.is_some()),
            ("--max-expected-errors-per-base", self.max_expected_errors_per_base.is_some()),
            ("--max-n", self.max_n.is_some()),
            ("--max-n-percent", self.max_n_percent.is_some()),
            ("--min-gc", self.min_gc.is_some()),
            ("--max-gc", self.max_gc.is_some()),
            ("--min-complexity", self.min_complexity.is_some()),
        ])
    }
}
