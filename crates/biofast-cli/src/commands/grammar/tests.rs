use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::*;

/// Long names whose values differ from command to command, and why that is one meaning all the same.
const VALUES: &[(&str, &str)] = &[
    ("against", "check compares with a summary, checksum with files"),
    ("by", "of alignments also read groups, samples and libraries"),
    ("count", "the number of records to read, as in samtools checksum, or a flag"),
    ("help", "the flag of clap, or ours where -h is a model's"),
    ("out", "a template where there are several files"),
    ("out2", "a template where there are several files"),
    ("partial", "merge knows from its inputs of what they are parts"),
    ("tag", "with a value where records are selected"),
    ("version", "the flag of clap"),
    ("write-index", "the seek index has one format"),
];

/// The letters of an argument.
fn letters(arg: &clap::Arg) -> Vec<char> {
    arg.get_short().into_iter().chain(arg.get_all_short_aliases().unwrap_or_default()).collect()
}

/// What a letter of a command stands for, beside those that are understood only.
fn meanings() -> Vec<(String, char, String)> {
    let mut program = super::super::all();
    program.build();
    let mut meanings = Vec::new();
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        for arg in command.get_arguments() {
            let long = arg.get_long().unwrap_or("").to_owned();
            for letter in letters(arg) {
                let is_old = RENAMED.iter().any(|(of, old, _)| {
                    *of == command.get_name() && old.starts_with(letter) && old.len() == 1
                });
                // Understood like the tools have it, and in no help.
                let is_silent = (letter, long.as_str()) == ('t', "threads") || letter == '?';
                if !is_old && !is_silent && !arg.is_hide_set() {
                    meanings.push((command.get_name().to_owned(), letter, long.clone()));
                }
            }
        }
    }
    meanings
}

#[test]
fn a_letter_means_one_thing_unless_a_tool_uses_it_otherwise() {
    let mut wrong = Vec::new();
    let mut of_tools: BTreeMap<(&str, char), BTreeSet<String>> = BTreeMap::new();
    let meanings = meanings();
    for (command, letter, long) in &meanings {
        let model = MODELS.iter().find(|(of, _, taken)| of == command && taken.contains(*letter));
        let is_shared = LETTERS.contains(&(*letter, long.as_str()));
        match model {
            Some((_, tool, _)) => {
                of_tools.entry((*tool, *letter)).or_default().insert(long.clone());
            }
            None if !is_shared => wrong.push(format!("{command} -{letter} --{long}")),
            None => {}
        }
    }
    assert!(wrong.is_empty(), "neither shared letters nor those of a model: {wrong:#?}");
    let differ: Vec<_> = of_tools.iter().filter(|(_, longs)| longs.len() > 1).collect();
    assert!(differ.is_empty(), "{differ:?}");
    for (command, tool, taken) in MODELS {
        for letter in taken.chars() {
            let is_there = meanings.iter().any(|(of, of_it, _)| of == command && *of_it == letter);
            assert!(is_there, "{command} has no -{letter} like {tool}");
        }
    }
}

#[test]
fn a_command_has_the_letters_of_its_options() {
    let mut program = super::super::all();
    program.build();
    let meanings = meanings();
    // Whether a tool's letter has the shared meaning.
    let is_own = |command: &str, letter: char, shared: &str| {
        meanings.iter().any(|(of, of_it, long)| of == command && *of_it == letter && long == shared)
    };
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = command.get_name();
        for (letter, shared) in LETTERS {
            let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(shared))
            else {
                continue;
            };
            let is_taken =
                MODELS.iter().any(|(of, _, taken)| *of == name && taken.contains(*letter))
                    || RENAMED.iter().any(|(of, old, _)| *of == name && *old == letter.to_string());
            assert_eq!(
                letters(arg).contains(letter),
                !is_taken || is_own(name, *letter, shared),
                "{name} -{letter} --{shared}"
            );
        }
    }
}

#[test]
fn a_long_name_takes_the_same_value_everywhere() {
    let mut program = super::super::all();
    program.build();
    let mut values: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let Some(long) = arg.get_long() else { continue };
            let takes = arg.get_action().takes_values();
            let value = arg.get_value_names().filter(|_| takes).unwrap_or_default();
            let value: Vec<&str> = value.iter().map(|name| name.as_str()).collect();
            let of_value = values.entry(long.to_owned()).or_default();
            of_value.entry(value.join(" ")).or_default().push(command.get_name().to_owned());
        }
    }
    let differ: Vec<_> = values
        .iter()
        .filter(|(long, values)| values.len() > 1 && !VALUES.iter().any(|(known, _)| known == long))
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn every_command_takes_all_spellings_of_its_options() {
    for command in super::super::all().get_subcommands() {
        let mut seen: Vec<&str> = Vec::new();
        for arg in command.get_arguments() {
            let own: Vec<&str> = names(arg).collect();
            let all =
                arg.get_long().and_then(|long| SPELLINGS.iter().find(|all| all.contains(&long)));
            if let Some(all) = all {
                assert_eq!(
                    arg.get_long(),
                    Some(all[0]),
                    "{command}: help shows the first spelling"
                );
                assert!(all.iter().all(|name| own.contains(name)), "{arg} of {command}");
            }
            seen.extend(own);
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count, "{command} has a name for two options");
    }
}

#[test]
fn former_names_are_understood_with_a_warning() {
    let all = super::super::all();
    for (name, old, new) in RENAMED {
        let command = all.find_subcommand(name).expect("a command");
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(new));
        let arg = arg.unwrap_or_else(|| panic!("{name} --{new}"));
        match letter(old) {
            Some(letter) => assert!(letters(arg).contains(&letter), "{name} -{old}"),
            None => assert!(names(arg).any(|name| name == *old), "{name} --{old}"),
        }
    }
    let said = |command: &str, words: &[&str]| {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        given_by_old_names(command, &words)
    };
    assert_eq!(said("sort", &["sort", "--by=length", "x.fq"]).len(), 1);
    assert_eq!(said("dedup", &["dedup", "-T", "tmp", "--json", "x.json", "x.fq"]).len(), 2);
    assert_eq!(said("dedup", &["dedup", "--umi-separator", "_", "x.fq"]), Vec::<String>::new());
    assert_eq!(said("stats", &["stats", "--by", "RG", "--json", "x.bam"]), Vec::<String>::new());
    assert_eq!(said("split", &["split", "--", "--json"]), Vec::<String>::new());
}

/// The tables of docs/cli.md between their markers, which `BIOFAST_RENEW=1` writes.
#[test]
fn the_page_has_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut renewed = page.clone();
    for (name, table) in
        [("letters", shared_letters()), ("models", models()), ("renamed", renamed())]
    {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let (before, rest) = renewed.split_once(&begin).unwrap_or_else(|| panic!("no {begin}"));
        let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
        renewed = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("BIOFAST_RENEW").is_some() {
        std::fs::write(path, &renewed).unwrap();
    } else {
        assert!(page == renewed, "docs/cli.md: BIOFAST_RENEW=1 writes its tables anew");
    }
}

fn shared_letters() -> String {
    let meanings = meanings();
    let mut table = String::from("| letter | option | otherwise in |\n|---|---|---|\n");
    for (letter, shared) in LETTERS {
        let others: Vec<String> = meanings
            .iter()
            .filter(|(_, of_it, long)| of_it == letter && long != shared)
            .map(|(command, _, long)| match long.is_empty() {
                true => format!("`{command}`"),
                false => format!("`{command}` (`--{long}`)"),
            })
            .collect();
        let _ = writeln!(table, "| `-{letter}` | `--{shared}` | {} |", others.join(", "));
    }
    table
}

fn models() -> String {
    let meanings = meanings();
    let mut table = String::from("| command | like | letters |\n|---|---|---|\n");
    for (command, tool, taken) in MODELS {
        let letters: Vec<String> = taken
            .chars()
            .map(|letter| {
                let long = meanings.iter().find(|(of, of_it, _)| of == command && *of_it == letter);
                match long.map_or("", |(.., long)| long) {
                    "" => format!("`-{letter}`"),
                    long => format!("`-{letter}` `--{long}`"),
                }
            })
            .collect();
        let _ = writeln!(table, "| `{command}` | {tool} | {} |", letters.join(", "));
    }
    table
}

fn renamed() -> String {
    let mut table = String::from("| command | up to 0.2 | now |\n|---|---|---|\n");
    let mut by_change: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (command, old, new) in RENAMED {
        by_change.entry((old, new)).or_default().push(format!("`{command}`"));
    }
    for ((old, new), commands) in by_change {
        let dashes = if letter(old).is_some() { "-" } else { "--" };
        let _ = writeln!(table, "| {} | `{dashes}{old}` | `--{new}` |", commands.join(", "));
    }
    table
}
