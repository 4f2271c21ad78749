//! What `biofast --help` and `-h` print: commands in groups, and of each command the options that most people use.

use std::ffi::OsStr;
use std::fmt::Write;

/// The commands in the order of `biofast --help`.
const GROUPS: &[(&str, &[&str])] = &[
    ("Quality control", &["stats", "coverage", "check", "flagstat", "idxstats"]),
    (
        "Reads (FASTQ, FASTA)",
        &["filter", "demux", "dedup", "grep", "convert", "split", "repair", "shuffle"],
    ),
    ("Alignments (BAM, SAM, CRAM)", &["sort", "view", "merge", "cat", "index", "fastq", "import"]),
    ("Many machines", &["shards", "get"]),
    ("About biofast", &["demo", "self-test", "schema", "completions", "man", "help"]),
];

/// The options that `-h` shows of a command, beside `--help`: those that most people use, by their long names.
const COMMON: &[(&str, &str)] = &[
    ("stats", "tsv json html paired reference library fail-on out out-dir threads"),
    (
        "filter",
        "out out2 rejected adapter trim-overlap cut-tail min-len min-mean-qual exclude-flags min-mapq threads",
    ),
    ("check", "paired reference json out threads quiet"),
    ("flagstat", "output-format region regions-file out threads"),
    ("idxstats", "region regions-file out threads"),
    ("coverage", "prefix by thresholds no-per-base min-mapq exclude-flags format html out threads"),
    ("index", "bai csi gzi name-index out threads"),
    ("get", "names record index out"),
    ("merge", "files-from name out write-index level tsv json html threads"),
    ("cat", "files-from header sorted out threads"),
    (
        "view",
        "bam with-header header-only count require-flags exclude-flags min-mapq expr out threads",
    ),
    ("fastq", "out require-flags exclude-flags collate level threads"),
    ("import", "interleaved rg-line rg out threads"),
    (
        "sort",
        "out name key mark-duplicates remove-duplicates metrics write-index memory level threads",
    ),
    ("convert", "to out out2 head rename reverse-complement threads"),
    ("shuffle", "seed out out2 memory threads"),
    ("split", "by-size by-part by-length out out2 threads"),
    ("shards", "number size by-region out threads"),
    (
        "demux",
        "inputs read-structures sample-metadata header-barcodes max-mismatches out-dir metrics threads",
    ),
    (
        "grep",
        "pattern pattern-file by-seq use-regexp max-mismatches invert-match count out threads",
    ),
    ("dedup", "key compare-umi max-mismatches keep out out2 memory threads"),
    ("repair", "out out2 orphans drop-orphans memory threads"),
];

/// How many examples `-h` shows.
const EXAMPLES: usize = 3;

/// The program with its commands in groups.
pub(super) fn grouped(program: clap::Command) -> clap::Command {
    let mut commands = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(commands, "{group}:");
        for name in *names {
            let about = program.find_subcommand(name).and_then(|command| command.get_about());
            let about = about.map_or("Print the help of a command".into(), ToString::to_string);
            let _ = writeln!(commands, "  {name:<12} {about}");
        }
        commands.push('\n');
    }
    program.help_template(format!(
        "{{about-with-newline}}\nUsage: biofast <COMMAND> [OPTIONS] [FILE]...\n\n{commands}Options:\n{{options}}{{after-help}}"
    ))
}

/// Whether a word may ask for help: what [`shortened`] does takes time at every start, and only help shows it.
pub(super) fn may_ask(word: &OsStr) -> bool {
    let is_cluster = |word: &[u8]| word.starts_with(b"-") && !word.starts_with(b"--");
    word == "--help"
        || (is_cluster(word.as_encoded_bytes()) && word.as_encoded_bytes().contains(&b'h'))
}

/// A command whose `-h` shows the common options alone, and a few of its examples.
pub(super) fn shortened(mut command: clap::Command) -> clap::Command {
    let name = command.get_name().to_owned();
    let Some((_, common)) = COMMON.iter().find(|(known, _)| *known == name) else {
        return command;
    };
    let letters = super::grammar::letters_of_models(&command);
    let letters = letters.map_or(String::new(), |text| format!("\n{text}"));
    if let Some(all) = command.get_after_help().map(ToString::to_string) {
        let is_example = |line: &&str| line.starts_with("  ") || line.ends_with(':');
        let few: Vec<&str> = all.lines().take(EXAMPLES + 1).take_while(is_example).collect();
        let few = few.join("\n");
        command = command
            .after_help(format!("{few}\n{letters}\nAll options: biofast {name} --help"))
            .after_long_help(format!("{all}\n{letters}").trim_end().to_owned());
    }
    command.mut_args(|arg| {
        let is_shown = |long: &str| common.split(' ').any(|shown| shown == long) || long == "help";
        let hides = !arg.is_positional() && !arg.get_long().is_some_and(is_shown);
        arg.hide_short_help(hides)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let all = super::super::all();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.sort_unstable();
        let mut known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        known.push("help");
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn short_help_fits_on_a_screen_and_names_options_that_exist() {
        let mut program = super::super::all();
        program.build();
        for command in program.get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let text = command.render_help().to_string();
            assert!(text.lines().count() <= 48, "{name}: {}", text.lines().count());
            let Some((_, common)) = COMMON.iter().find(|(known, _)| *known == name) else {
                continue;
            };
            for long in common.split(' ') {
                assert!(text.contains(&format!("--{long}")), "{name} has no --{long}");
            }
            assert!(text.contains(&format!("biofast {name} --help")), "{name}");
        }
    }
}
