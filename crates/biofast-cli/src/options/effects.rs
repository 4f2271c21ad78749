//! Options that change nothing without another one, or beside another one: who gives them in vain is told. A test types each option
//! of each command in each of its modes, so that none is missing here.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// Options that look for adapters.
const ADAPTERS: [&str; 8] = [
    "adapter", "adapter2", "front", "front2", "anywhere", "anywhere2", "adapter_fasta",
    "detect_adapter",
];

/// Options that keep the best reads.
const BEST: &[&str] = &["keep_percent", "target_bases"];

/// Options, and those of which at least one gives them an effect, by the names of the arguments.
const NEEDED: [(&str, &[&str]); 39] = [
    ("window_size", BEST),
    ("length_weight", BEST),
    ("mean_q_weight", BEST),
    ("window_q_weight", BEST),
    ("seed", &["sample_fraction", "sample_count", "sample_bases", "sample_coverage"]),
    ("cut_window_size", &["cut_front", "cut_tail", "cut_right"]),
    ("cut_mean_quality", &["cut_front", "cut_tail", "cut_right"]),
    ("end_window", &["ends"]),
    ("dust_window", &["mask_dust"]),
    ("dust_action", &["mask_dust"]),
    ("umi_skip", &["umi"]),
    ("adapter_min_overlap", &ADAPTERS),
    ("adapter_error_rate", &ADAPTERS),
    ("no_indels", &ADAPTERS),
    ("revcomp", &ADAPTERS),
    ("match_read_wildcards", &ADAPTERS),
    ("no_match_adapter_wildcards", &ADAPTERS),
    ("overlap_len_require", &["merge", "correct", "preset"]),
    ("overlap_diff_limit", &["merge", "correct", "preset"]),
    ("overlap_diff_percent_limit", &["merge", "correct", "preset"]),
    ("middle", &["adapter_kit"]),
    ("times", &ADAPTERS),
    ("action", &ADAPTERS),
    ("discard_trimmed", &ADAPTERS),
    ("discard_untrimmed", &ADAPTERS),
    ("umi_separator", &["umi", "by"]),
    ("umi_separator", &["umi_from_name", "umi_to_name"]),
    ("umi_tag", &["umi_from_name", "umi_to_name"]),
    ("mean", &["min_mean_qual", "max_mean_qual"]),
    ("qualified_quality", &["max_low_quality_percent", "preset"]),
    ("barcode_tag", &["casava"]),
    ("use_median", &["by"]),
    ("qc", &["out_dir", "partial", "shard"]),
    ("target_intervals", &["qc", "out_dir"]),
    ("bait_intervals", &["qc", "out_dir"]),
    ("coverage_cap", &["qc", "reference", "target_intervals"]),
    ("only_positive_strand", &["by_seq", "max_mismatch", "region", "degenerate"]),
    ("multi_region", &["regions_file"]),
    ("unassigned", &["by"]),
];

/// How records are written.
const WRITING: &[&str] = &[
    "bam", "uncompressed", "output_format", "level", "with_header", "no_header", "no_program",
    "embed_reference", "no_reference",
];

/// What only alignments have.
const OF_ALIGNMENTS: &[&str] = &["reference", "no_program"];

/// Commands, options that set a mode of them, and options that are not read in it.
const IDLE: [(&str, &str, &[&str]); 14] = [
    (
        "demux",
        "ends",
        &["max_no_calls", "skip_reasons", "umi_in", "barcode_in", "unknown_barcodes"],
    ),
    ("view", "count", WRITING),
    ("filter", "count", WRITING),
    ("grep", "count", &["level", "output_format"]),
    ("grep", "count_by_pattern", &["level", "output_format"]),
    ("grep", "only_matching", &["level", "output_format"]),
    ("stats", "per_read", &["qc", "compat", "target_intervals", "bait_intervals"]),
    (
        "split",
        "by",
        &["blocks", "interleaved", "out2", "interleaved_out", "digits", "output_format", "json"],
    ),
    ("split", "by_size", OF_ALIGNMENTS),
    ("split", "by_part", OF_ALIGNMENTS),
    ("split", "by_length", OF_ALIGNMENTS),
    ("split", "by_bytes", OF_ALIGNMENTS),
    (
        "view",
        "header_only",
        &[
            "all_of", "none_of", "not_all_of", "any_of", "min_mapping_quality", "expression",
            "name_files", "tags", "tag_files", "regions", "regions_file",
        ],
    ),
    (
        "stats",
        "print_limits",
        &[
            "reference", "target_intervals", "bait_intervals", "contaminants", "regions",
            "regions_file", "shard", "write_index", "qc", "compat", "partial", "paired",
            "interleaved", "sample", "by", "thresholds", "quantize", "no_per_base", "use_median",
            "fast_mode", "flag", "include_flag", "mapq", "read_groups",
        ],
    ),
];

/// Options of `umi` that only some of its modes read.
const UMI_MODES: [(&str, &[&str]); 6] = [
    (
        "group",
        &[
            "write_index", "group_out", "umi_group_tag", "method", "edit_distance_threshold",
            "paired", "ignore_tlen", "unpaired_reads", "unmapped_reads", "chimeric_pairs",
            "min_mapq", "spliced_is_unique", "soft_clip_threshold", "read_length",
            "buffer_whole_contig", "extract_umi_method", "umi_separator", "umi_tag",
            "umi_tag_split", "umi_tag_delimiter", "cell_tag", "cell_tag_split",
            "cell_tag_delimiter", "per_gene", "gene_tag", "assigned_status_tag", "skip_tags_regex",
            "per_contig", "per_cell", "temp_dir",
        ],
    ),
    // The options of groups, and these.
    ("dedup", &["output_stats", "ignore_umi", "multimapping_detection_method"]),
    (
        "group --strategy",
        &[
            "strategy", "edits", "include_non_pf", "allow_unmapped", "min_umi_length",
            "ignore_umi", "min_mapq", "umi_tag", "family_size_histogram", "grouping_metrics",
        ],
    ),
    (
        "correct",
        &[
            "umis", "umi_files", "max_mismatches", "min_mismatch_delta", "revcomp", "original_tag",
            "no_original", "rejected", "correction_metrics", "umi_tag",
        ],
    ),
    (
        "consensus",
        &[
            "duplex", "min_reads", "max_reads", "error_rate_pre_umi", "error_rate_post_umi",
            "min_input_base_quality", "min_consensus_base_quality", "trim", "no_overlap_consensus",
            "no_per_base_tags", "read_name_prefix", "read_group_id", "allow_unmapped",
        ],
    ),
    (
        "filter",
        &[
            "min_reads",
            "max_read_error_rate",
            "max_base_error_rate",
            "min_base_quality",
            "min_mean_base_quality",
            "max_no_call_fraction",
            "require_single_strand_agreement",
            "single_records",
            "reverse_per_base_tags",
        ],
    ),
];

/// Options of `umi` that its mode doesn't read.
fn idle_of_umi<'t>(
    matches: &'t ArgMatches,
    typed: impl Fn(&str) -> bool + 't,
) -> impl Iterator<Item = (&'static str, &'static str)> + 't {
    let mode = matches.get_raw("mode").and_then(|mut modes| modes.next()?.to_str());
    let mode = match mode {
        Some("group") if typed("strategy") => Some("group --strategy"),
        mode => mode,
    };
    let found = UMI_MODES.iter().find(|(name, _)| Some(*name) == mode);
    let reads = |id: &str| {
        let is_read =
            |of: &str| UMI_MODES.iter().any(|(name, ids)| *name == of && ids.contains(&id));
        // What `dedup` alone has is refused by the command, which says so.
        found.is_none_or(|(name, _)| {
            is_read(name)
                || matches!(*name, "group" | "dedup") && (is_read("group") || is_read("dedup"))
        })
    };
    let all: std::collections::BTreeSet<&str> =
        UMI_MODES.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    let idle: Vec<&str> = all.into_iter().filter(|id| typed(id) && !reads(id)).collect();
    idle.into_iter().filter_map(move |id| Some((id, found?.0)))
}

/// Whether a command is to say less.
pub(crate) fn is_quiet(matches: &ArgMatches) -> bool {
    matches!(matches.try_get_one::<bool>("quiet"), Ok(Some(true)))
}

/// What to say about the options that were given in vain.
pub(crate) fn given_in_vain(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let Some(command) = command.find_subcommand(name) else { return Vec::new() };
    // An argument that another command has is none of this one.
    let known = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
    let typed = |id: &str| known(id) && matches.value_source(id) == Some(ValueSource::CommandLine);
    let shown = |id: &&str| {
        let argument =
            command.get_arguments().find(|argument| argument.get_id().as_str() == *id)?;
        let long = argument.get_long().map(|long| format!("--{long}"));
        long.or_else(|| argument.get_short().map(|short| format!("-{short}")))
    };
    // Where a command has none of the others, the option stands alone, as the seed of `shuffle`.
    let needing = NEEDED.iter().filter(|(id, needed)| {
        typed(id) && needed.iter().any(|id| known(id)) && !needed.iter().any(|id| typed(id))
    });
    let needing = needing.filter_map(|(id, needed)| {
        let needed: Vec<String> = needed.iter().filter_map(shown).collect();
        Some(format!("{} has no effect without {}", shown(id)?, needed.join(" or ")))
    });
    let modes = IDLE.iter().filter(|(of, mode, _)| *of == name && typed(mode));
    let idle = modes.flat_map(|(_, mode, ids)| {
        let idle = ids.iter().filter(|id| typed(id));
        idle.filter_map(move |id| {
            Some(format!("{} has no effect with {}", shown(id)?, shown(mode)?))
        })
    });
    // `repair` and `import` find mates by their names in one file, too.
    let files = ["files", "inputs"].into_iter().filter(|id| known(id));
    let files: usize = files.filter_map(|id| matches.get_raw(id)).map(Iterator::count).sum();
    let has_pairs = match known("paired") {
        true => typed("paired"),
        false => files > 1 || typed("in2") || ["repair", "import"].contains(&name),
    };
    let single = !has_pairs && !typed("interleaved") && !typed("shard");
    let mates = (typed("mates") && single).then(|| match known("paired") {
        true => "--mates has no effect without --paired or --interleaved".to_owned(),
        false => {
            "--mates has no effect on single reads: it needs two files or --interleaved".to_owned()
        }
    });
    // `filter` says it of reads alone, and `both` is refused.
    let pair = (name == "grep" && typed("pair") && single)
        .then(|| matches.get_raw("pair")?.next()?.to_str().filter(|value| *value == "any"))
        .flatten()
        .map(|_| {
            "--pair has no effect on single reads: it needs two files or --interleaved".into()
        });
    let of_umi = (name == "umi").then(|| idle_of_umi(matches, typed)).into_iter().flatten();
    let of_umi = of_umi
        .filter_map(|(id, mode)| Some(format!("{} has no effect with `umi {mode}`", shown(&id)?)));
    needing.chain(idle).chain(of_umi).chain(mates).chain(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_vain_are_told_and_no_others() {
        let said = |words: &[&str]| {
            let command = crate::commands::all();
            let matches = command.clone().try_get_matches_from(words);
            matches.map(|matches| given_in_vain(&command, &matches)).unwrap_or_default()
        };
        assert!(said(&["biofast", "shuffle", "--seed", "7", "x.fq"]).is_empty());
        assert_eq!(said(&["biofast", "filter", "--seed", "7", "x.fq"]).len(), 1);
        let counted = said(&["biofast", "view", "-c", "-b", "-G", "4", "x.bam"]);
        assert_eq!(counted, ["--bam has no effect with --count"]);
        let mates = |words: &str| {
            let words: Vec<&str> =
                format!("biofast {words} --mates names").leak().split(' ').collect();
            said(&words).len()
        };
        for (words, expected) in [
            ("filter x.fq", 1),
            ("filter x.fq --interleaved", 0),
            ("filter x.fq y.fq", 0),
            ("filter -i x.fq -I y.fq", 0),
            ("dedup x.fq", 1),
            ("sort --key name x.fq y.fq", 0),
            ("stats x.fq y.fq", 1),
            ("stats x.fq y.fq --paired", 0),
            ("check x.fq --interleaved", 0),
            ("repair x.fq", 0),
            ("import x.fq", 0),
        ] {
            assert_eq!(mates(words), expected, "{words}");
        }
    }

    #[test]
    fn every_option_of_the_tables_is_one_of_a_command() {
        let all = crate::commands::all();
        let has = |command: &Command, id: &str| {
            command.get_arguments().any(|argument| argument.get_id() == id)
        };
        for (id, needed) in NEEDED {
            let found = all.get_subcommands().any(|command| {
                has(command, id) && needed.iter().all(|needed| has(command, needed))
            });
            assert!(found, "{id}");
        }
        let umi = all.find_subcommand("umi").unwrap();
        let of_umi = UMI_MODES.iter().flat_map(|(_, ids)| *ids);
        of_umi.for_each(|id| assert!(has(umi, id), "{id}"));
        for (command, mode, ids) in IDLE {
            let found = all.find_subcommand(command).is_some_and(|command| {
                has(command, mode) && (ids == WRITING || ids.iter().all(|id| has(command, id)))
            });
            assert!(found, "{command} --{mode}");
        }
    }
}
