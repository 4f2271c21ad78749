//! Options that change nothing without another one: who gives them alone is told.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// Options that look for adapters.
const ADAPTERS: [&str; 8] = [
    "adapter",
    "adapter2",
    "front",
    "front2",
    "anywhere",
    "anywhere2",
    "adapter_fasta",
    "detect_adapter",
];

/// Options that keep the best reads.
const BEST: &[&str] = &["keep_percent", "target_bases"];

/// Options, and those of which at least one gives them an effect, by the names of the arguments.
const NEEDED: [(&str, &[&str]); 25] = [
    ("window_size", BEST),
    ("length_weight", BEST),
    ("mean_q_weight", BEST),
    ("window_q_weight", BEST),
    ("seed", &["sample_fraction", "sample_count"]),
    ("cut_window_size", &["cut_front", "cut_tail", "cut_right"]),
    ("cut_mean_quality", &["cut_front", "cut_tail", "cut_right"]),
    ("umi_skip", &["umi"]),
    ("adapter_min_overlap", &ADAPTERS),
    ("adapter_error_rate", &ADAPTERS),
    ("no_indels", &ADAPTERS),
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
    ("mean", &["min_mean_qual", "max_mean_qual"]),
    ("qualified_quality", &["max_low_quality_percent", "preset"]),
    ("barcode_tag", &["casava"]),
];

/// What to say about the options that were given in vain.
pub(crate) fn given_in_vain(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let Some(command) = command.find_subcommand(name) else { return Vec::new() };
    if matches!(matches.try_get_one::<bool>("quiet"), Ok(Some(true))) {
        return Vec::new();
    }
    // An argument that another command has is none of this one.
    let known = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
    let typed = |id: &str| known(id) && matches.value_source(id) == Some(ValueSource::CommandLine);
    let long = |id: &&str| {
        let argument =
            command.get_arguments().find(|argument| argument.get_id().as_str() == *id)?;
        argument.get_long().map(|long| format!("--{long}"))
    };
    // Where a command has none of the others, the option stands alone, as the seed of `shuffle`.
    let in_vain = NEEDED.iter().filter(|(id, needed)| {
        typed(id) && needed.iter().any(|id| known(id)) && !needed.iter().any(|id| typed(id))
    });
    in_vain
        .filter_map(|(id, needed)| {
            let needed: Vec<String> = needed.iter().filter_map(long).collect();
            Some(format!("{} has no effect without {}", long(id)?, needed.join(" or ")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_stands_alone_in_a_command_is_not_in_vain() {
        let said = |words: &[&str]| {
            let command = crate::commands::all();
            let matches = command.clone().try_get_matches_from(words);
            matches.map(|matches| given_in_vain(&command, &matches)).unwrap_or_default()
        };
        assert!(said(&["biofast", "shuffle", "--seed", "7", "x.fq"]).is_empty());
        assert_eq!(said(&["biofast", "filter", "--seed", "7", "x.fq"]).len(), 1);
    }

    #[test]
    fn every_option_of_the_table_is_one_of_a_command() {
        let command = crate::commands::all();
        for (id, needed) in NEEDED {
            let has = |command: &Command, id: &str| {
                command.get_arguments().any(|argument| argument.get_id() == id)
            };
            let found = command.get_subcommands().any(|command| {
                has(command, id) && needed.iter().all(|needed| has(command, needed))
            });
            assert!(found, "{id}");
        }
    }
}
