//! The code of the notebook's entries, one file each. Adding one touches its file, its protocol and a line here.

mod allocators;
mod bgzf_blocks;
mod filter;
mod isa;
mod kernel;
mod lookups;
mod packed_reads;
mod peak_memory;
mod random_file;
mod real_sets;
mod reverse_simd;
mod sized;
mod sorted_keys;
mod stream;
mod two_bit;
mod whole_file;

/// What nearly every entry needs.
mod prelude {
    pub(super) use std::path::{Path, PathBuf};

    pub(super) use anyhow::{Context as _, Result, anyhow, bail, ensure};

    pub(super) use crate::core::cell::Cell;
    pub(super) use crate::core::entry::{Cache, Entry, Outcome, Task, repeat};
    pub(super) use crate::core::inputs::Lab;
    pub(super) use crate::core::protocol::Scale;
    pub(super) use crate::datasets::Format;
    pub(super) use crate::rng::Rng;
}

/// Declares each file and lists its entry.
macro_rules! entries {
    ($($file:ident :: $entry:ident,)*) => {
        $(mod $file;)*

        const FILES: &[(&str, &dyn crate::core::entry::Entry)] =
            &[$((stringify!($file), &$file::$entry)),*];
    };
}

/// All entries with their numbers, which their files begin with, in order.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static dyn crate::core::entry::Entry)>
{
    FILES.iter().map(|(file, entry)| (&file[1..4], *entry))
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
    e034_window_or_map::WindowOrMap,
    e035_buffer_size::BufferSize,
    e036_vectored_writes::VectoredWrites,
    e037_io_uring::IoUring,
    e038_metadata::Metadata,
    e039_record_reads::RecordReads,
    e040_cdb64::Cdb64,
    e041_mapped_writes::MappedWrites,
    e042_zstd_contexts::ZstdContexts,
    e043_allocator_knobs::AllocatorKnobs,
    e044_segment_tables::SegmentTables,
    e045_inflate_buffers::InflateBuffers,
    e046_deferred_remapping::DeferredRemapping,
    e047_bulk_insert::BulkInsert,
    e048_equal_durability::EqualDurability,
    e049_learned_index::LearnedIndex,
    e050_crash_safety::CrashSafety,
    e052_fastq_deflate::FastqDeflate,
    e053_sorted_runs::SortedRuns,
    e054_decoder_lanes::DecoderLanes,
    e055_page_cache::PageCache,
    e056_backward_copies::BackwardCopies,
    e057_name_index::NameIndex,
    e058_seek_points::SeekPoints,
    e059_shards_at_scale::ShardsAtScale,
    e060_spliced_flags::SplicedFlags,
    e061_cram_rans::CramRans,
    e062_bam_deflate::BamDeflate,
    e063_inflate_real_reads::InflateRealReads,
}

/// The plain code with a branch for each byte that an entry compares the kernel `name` with.
pub(crate) fn branchy(name: &str) -> Option<fn(&[u8]) -> u64> {
    Some(match name {
        "count_bases" => |bases| e002_base_counting::count_match(bases).gc(),
        "count_gc_acgt" => |bases| e003_gc_content::count_match(bases).gc,
        "summarize_qualities" => {
            |qualities| e007_quality_aggregation::summarize_branches(qualities).sum
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::all;
    use crate::core::cell::best;
    use crate::core::protocol::{Protocol, Scale};

    /// A check that names no condition, or several, would pass as "not measurable".
    #[test]
    fn every_check_names_one_condition_that_runs() {
        let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        for (id, entry) in all() {
            let mut folders = std::fs::read_dir(&experiments).expect("experiments").flatten();
            let folder = folders
                .find(|f| f.file_name().to_string_lossy().starts_with(id))
                .expect("every entry has a folder");
            let protocol = Protocol::read(&folder.path()).expect("valid");
            for check in &protocol.verdict.checks {
                let place = format!("{} {}", protocol.name(), check.name);
                let against = check.against.iter().flat_map(|a| [&a.of, &a.over]);
                for levels in [&check.of, &check.over].into_iter().chain(against) {
                    let threads = levels.get("threads").and_then(|n| n.parse().ok());
                    // What the machine may lack: cores, instruction sets, a matrix unit, allocators, control groups,
                    // io_uring, real reads; and peers that a feature builds.
                    let peers = crate::systems::peers::NAMES.into_iter();
                    let missing: Vec<_> =
                        peers.filter(|name| !crate::systems::peers::is_built(name)).collect();
                    let available = biofast_kernels::available();
                    let has = |isa: &str| available.iter().any(|level| level.name() == isa);
                    let special = levels.values().any(|l| {
                        ["simd", "neon", "matrix", "limited", "uring"].contains(&&**l)
                            || ["avx2", "avx512"].iter().any(|isa| l.ends_with(isa) && !has(isa))
                            || l.contains("malloc")
                            || l.starts_with("real-")
                            || missing.contains(&&**l)
                    });
                    if levels.is_empty() || threads > Some(2) || special {
                        continue;
                    }
                    let cells = protocol.cells(Scale::Full);
                    let cells = cells.iter().filter(|cell| entry.applies(cell));
                    let found = best(cells, levels).len();
                    match check.first_above_one {
                        Some(_) => assert!(found > 1, "{place}: {found} of {levels:?}"),
                        None => assert_eq!(found, 1, "{place}: {levels:?}"),
                    }
                }
            }
        }
    }
}
