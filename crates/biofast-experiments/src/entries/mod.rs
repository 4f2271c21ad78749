//! The code of the notebook's entries, one file each. Adding one touches its file, its protocol and a line here.

mod isa;
mod kernel;
mod peak_memory;
mod reverse_simd;
mod sized;
mod stream;
mod two_bit;

/// Declares each file and lists its entry.
macro_rules! entries {
    ($($file:ident :: $entry:ident,)*) => {
        $(mod $file;)*

        /// All entries, by number.
        pub(crate) const ALL: &[&dyn crate::lab::entry::Entry] = &[$(&$file::$entry),*];
    };
}

entries! {
    e002_base_counting::BaseCounting,
    e003_gc_content::GcContent,
    e004_reverse_complement::ReverseComplement,
    e007_quality_aggregation::QualityAggregation,
    e008_n_content::NContent,
    e010_two_bit_encoding::TwoBitEncoding,
    e011_thread_sweep::ThreadSweep,
    e013_masking::Masking,
    e015_edit_distance::EditDistance,
    e016_compressed_input::CompressedInput,
    e017_peak_memory::PeakMemory,
    e018_simd_and_threads::SimdAndThreads,
    e025_threads_threshold::ThreadsThreshold,
    e026_constant_memory::ConstantMemory,
    e027_blocks_of_records::BlocksOfRecords,
    e028_end_to_end::EndToEnd,
    e029_parallel_bgzf::ParallelBgzf,
    e031_block_types::BlockTypes,
    e032_memory_map::MemoryMap,
}
