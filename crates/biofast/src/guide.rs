//! Guides to the things people do. Every example is compiled and run.
//!
//! | guide | what it is about |
//! |---|---|
//! | [`read_fastq`] | records one after the other, of any container |
//! | [`fold_in_parallel`] | counting on all threads |
//! | [`stop_early`] | the same until enough is known |
//! | [`bring_your_own`] | a source and a collector of your own |
//! | [`filter_to_bgzf`] | selecting reads, and writing them compressed |
//! | [`filter_pairs`] | trimming and selecting mates, and writing them |
//! | [`query_a_region`] | the alignments of a region, their tags and CIGARs |
//! | [`change_records`] | alignments read one by one, changed and written with an index |
//! | [`rewrite_alignments`] | mate fields, tags, names and read groups changed in whole files |
//! | [`mark_duplicates`] | duplicates marked in the order of the input |
//! | [`use_a_kernel`] | SIMD over bytes of your own |
//!
//! Small tools made with them are in the folder `examples` of this crate.

#[doc = include_str!("guide/read_fastq.md")]
pub mod read_fastq {}

#[doc = include_str!("guide/fold_in_parallel.md")]
pub mod fold_in_parallel {}

#[doc = include_str!("guide/stop_early.md")]
pub mod stop_early {}

#[doc = include_str!("guide/bring_your_own.md")]
pub mod bring_your_own {}

#[doc = include_str!("guide/filter_to_bgzf.md")]
pub mod filter_to_bgzf {}

#[doc = include_str!("guide/filter_pairs.md")]
pub mod filter_pairs {}

#[doc = include_str!("guide/query_a_region.md")]
pub mod query_a_region {}

#[doc = include_str!("guide/change_records.md")]
pub mod change_records {}

#[doc = include_str!("guide/rewrite_alignments.md")]
pub mod rewrite_alignments {}

#[doc = include_str!("guide/mark_duplicates.md")]
pub mod mark_duplicates {}

#[doc = include_str!("guide/use_a_kernel.md")]
pub mod use_a_kernel {}
