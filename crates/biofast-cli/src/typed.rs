//! What was typed and isn't understood: what is wrong with it, and what was likely meant.

mod words;

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::console::{Diagnostic, FaultKind};

/// What does the same as a word of another program.
fn here(words: &[(&[&str], &'static str)], typed: &str) -> Option<&'static str> {
    let typed = typed.split('=').next().unwrap_or(typed);
    words.iter().find(|(names, _)| names.contains(&typed)).map(|(_, here)| *here)
}

/// What is wrong with what was typed, in one line, and what helps.
pub(crate) fn explained(
    error: &clap::Error,
    arguments: &[OsString],
    program: &clap::Command,
) -> Diagnostic {
    let name = arguments.first().and_then(|word| word.to_str()).unwrap_or("");
    let command = program.find_subcommand(name);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (option, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    let (message, hint) = match (error.kind(), option, value) {
        (ErrorKind::InvalidSubcommand, ..) => {
            let typed = text(ContextKind::InvalidSubcommand).unwrap_or(name);
            (format!("unknown command '{typed}'"), instead_of_command(typed, program))
        }
        (ErrorKind::UnknownArgument, Some(typed), _) => unknown(typed, name, command),
        (ErrorKind::MissingRequiredArgument, ..) => missing(error, name),
        (ErrorKind::ArgumentConflict, Some(option), _) => conflict(error, option),
        (ErrorKind::ValueValidation | ErrorKind::InvalidValue, Some(option), Some(value)) => {
            wrong_value(error, arguments, option, value)
        }
        _ => (plain(error), None),
    };
    let help = || match command {
        Some(_) if name != "help" => format!("`biofast {name} --help` lists all options"),
        _ => "`biofast --help` lists all commands".to_owned(),
    };
    Diagnostic {
        text: message,
        hint: Some(hint.unwrap_or_else(help)),
        fault: Some((FaultKind::Usage, Box::default())),
    }
}

/// The first paragraph of what clap prints, in one line.
fn plain(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let first = text.split("\n\n").next().unwrap_or(text);
    first.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// What helps whoever typed a command that there isn't: what does the same, what a file can be given to, or the commands that
/// were likely meant, those a slip of the finger or two away.
fn instead_of_command(typed: &str, program: &clap::Command) -> Option<String> {
    if let Some(here) = here(words::COMMANDS, typed) {
        return Some(here.to_owned());
    }
    let looks_like_file = typed.contains(['.', '/']) || typed == "-" || Path::new(typed).is_file();
    if looks_like_file {
        return Some(format!("did you mean `biofast stats {typed}` or `biofast check {typed}`?"));
    }
    if typed.starts_with('-') {
        return None;
    }
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    did_you_mean(&likely(typed, &names))
}

fn did_you_mean(names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// An option that a command doesn't have, or an argument it doesn't take.
fn unknown(typed: &str, name: &str, command: Option<&clap::Command>) -> (String, Option<String>) {
    if typed.strip_prefix('-').is_some_and(|number| number.parse::<f64>().is_ok()) {
        let hint = "a value that starts with - is joined to its option with =, as in --option=-1";
        return (format!("unexpected argument '{typed}'"), Some(hint.into()));
    }
    if !typed.starts_with('-') {
        let hint = match name {
            "demux" => {
                Some("name the inputs after -i: `biofast demux -i R1.fq.gz R2.fq.gz …`".into())
            }
            "fastq" | "index" | "fixmate" | "collate" => {
                Some(format!("name the output with -o: -o {typed}"))
            }
            "flagstat" | "idxstats" => {
                Some("the command takes one file; regions are given with --region".into())
            }
            _ => None,
        };
        return (format!("unexpected argument '{typed}'"), hint);
    }
    let words = match name {
        "filter" => words::OF_FILTER,
        "view" => words::OF_VIEW,
        "stats" => words::OF_STATS,
        "merge" => words::OF_MERGE,
        "coverage" => words::OF_COVERAGE,
        "sort" => words::OF_SORT,
        "fixmate" => words::OF_FIXMATE,
        "collate" => words::OF_COLLATE,
        "split" => words::OF_SPLIT,
        _ => &[],
    };
    let near = || {
        let longs = command?.get_arguments().filter_map(clap::Arg::get_long);
        let longs: Vec<&str> = longs.collect();
        let near = likely(typed.strip_prefix("--")?.split('=').next()?, &longs);
        did_you_mean(&near.iter().map(|name| format!("--{name}")).collect::<Vec<_>>())
    };
    let hint = here(words, typed).map(str::to_owned).or_else(near).or_else(|| {
        let is_before_command = command.is_none();
        is_before_command
            .then(|| format!("put options after the command: `biofast stats {typed} …`"))
    });
    (format!("unknown option '{typed}'"), hint)
}

/// Options that exclude each other, or one that may be given once.
fn conflict(error: &clap::Error, option: &str) -> (String, Option<String>) {
    let others = match error.get(ContextKind::PriorArg) {
        Some(ContextValue::String(other)) => other.clone(),
        Some(ContextValue::Strings(others)) => others.join(", "),
        _ => return (plain(error), None),
    };
    if others == option {
        return (format!("{option} was given more than once"), None);
    }
    let names = [option, &others];
    let hint = names.iter().any(|name| name.starts_with("--in")) && names.contains(&"[FILE]...");
    let hint = hint.then(|| "name both files as arguments, or use --in1 and --in2".to_owned());
    (format!("{option} can't be combined with {others}"), hint)
}

/// Arguments that a command needs.
fn missing(error: &clap::Error, name: &str) -> (String, Option<String>) {
    let Some(ContextValue::Strings(arguments)) = error.get(ContextKind::InvalidArg) else {
        return (plain(error), None);
    };
    let hint = match name {
        "grep" => Some(
            "`biofast grep -p NAME FILE` searches names, `biofast grep -s -p ACGT FILE` sequences",
        ),
        "demux" if arguments.iter().any(|argument| argument.starts_with("--sample-metadata")) => {
            Some(
                "-s names the sample sheet: a table with the columns sample_id and barcode, or an Illumina SampleSheet.csv",
            )
        }
        "split" if arguments.iter().any(|argument| argument.starts_with("--out")) => {
            Some("name the parts with -o, such as -o part_{part}.fq.gz")
        }
        "sort" if arguments.iter().any(|argument| argument.starts_with("--mark-dup")) => Some(
            "-r removes duplicates and needs --mark-duplicates; for descending order use --reverse",
        ),
        "split" => Some(
            "choose where parts end, such as -p 4 (4 parts) or -s 1000000 (reads per part), or a tag of alignments (--by RG)",
        ),
        _ => None,
    };
    let verb = if arguments.len() == 1 { "is" } else { "are" };
    // A group of which one is needed: `<--by-size <N>|--by-part <N>>`.
    let shown = |argument: &String| {
        let group = argument.strip_prefix('<').and_then(|group| group.strip_suffix('>'));
        match group.filter(|group| group.contains('|')) {
            Some(group) => format!("one of {}", listed(group.split('|'), "or")),
            None => argument.clone(),
        }
    };
    let arguments: Vec<String> = arguments.iter().map(shown).collect();
    let arguments = listed(arguments.iter().map(String::as_str), "and");
    (format!("{arguments} {verb} required"), hint.map(str::to_owned))
}

/// Names in a sentence: "a, b and c".
fn listed<'a>(names: impl Iterator<Item = &'a str>, conjunction: &str) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} {conjunction} {last}", before.join(", "))
        }
        _ => names.concat(),
    }
}

/// What numbers that can't be read are called by the standard library, and what is meant.
const NUMBERS: [(&str, &str); 7] = [
    ("invalid digit found in string", "expected a whole number"),
    ("number too large to fit in target type", "the number is too large"),
    ("number too small to fit in target type", "the number is too small"),
    ("number would be zero for non-zero type", "expected 1 or more"),
    ("cannot parse integer from empty string", "expected a whole number"),
    ("invalid float literal", "expected a number"),
    ("cannot parse float from empty string", "expected a number"),
];

/// A value that an option can't have.
fn wrong_value(
    error: &clap::Error,
    arguments: &[OsString],
    option: &str,
    value: &str,
) -> (String, Option<String>) {
    let message = format!("invalid value '{value}' for '{option}'");
    let starts = |name: &str| option.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    let is_sequence =
        value.len() > 3 && value.bytes().all(|base| b"ACGTUNacgtun^$".contains(&base));
    if error.kind() == ErrorKind::ValueValidation {
        let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
        let plain = NUMBERS
            .iter()
            .find(|(said, _)| reason == *said)
            .map_or(reason.as_str(), |(_, plain)| plain);
        // Such as "300 is not in 0..=255".
        let range = plain
            .split_once(" is not in ")
            .and_then(|(_, range)| range.split_once("..="))
            .map(|(least, most)| format!("expected {least} to {most}"));
        let plain = range.as_deref().unwrap_or(plain);
        let hint = match option {
            "-G <FLAGS>" if is_sequence => Some(format!(
                "-G takes SAM flags; for a 5′ adapter of second reads (cutadapt's -G) use --front2 {value}"
            )),
            _ if starts("--expr") => Some("docs/expressions.md describes the syntax".into()),
            _ if starts("--threads") => Some(all_cpus()),
            _ if reason.starts_with("invalid digit") && is_multiple(value) => {
                Some(format!("write numbers without x: {}", value.replace(['x', 'X'], "")))
            }
            _ if starts("--output-format") && value.parse::<u32>().is_ok() => {
                Some(format!("for cutadapt's -O use --adapter-min-overlap {value}"))
            }
            _ if starts("--output-format") && value.contains('.') => {
                Some(format!("to name the file of second reads (fastp's -O) use --out2 {value}"))
            }
            _ => None,
        };
        return (format!("{message}: {plain}"), hint);
    }
    let of_fastp = || {
        starts("--read-group").then(|| "-r applies to alignments; fastp's -r is --cut-right".into())
    };
    if value.is_empty() {
        // A number below 0 looks like an option.
        let is_negative = |word: &&str| {
            word.strip_prefix('-').is_some_and(|number| number.parse::<f64>().is_ok())
        };
        let word = arguments.iter().filter_map(|word| word.to_str()).find(is_negative);
        let name = option.split([' ', '=', '[']).next().unwrap_or(option);
        return match word {
            Some(word) if starts("--threads") => (
                format!("invalid value '{word}' for '{option}': expected 1 or more"),
                Some(all_cpus()),
            ),
            Some(word) => (
                format!("'{option}' needs a value, but '{word}' looks like an option"),
                Some(format!("if this is the value, write {name}={word}")),
            ),
            None => (format!("'{option}' needs a value"), of_fastp()),
        };
    }
    let expected = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            format!(": expected {}", values.join(", "))
        }
        _ => String::new(),
    };
    (format!("{message}{expected}"), of_fastp())
}

/// Whether a value is made of numbers such as `10x`.
fn is_multiple(value: &str) -> bool {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    value.split(',').all(|part| is_number(part.trim_end_matches(['x', 'X'])))
}

fn all_cpus() -> String {
    format!("omit -@ to use all CPUs ({} here)", biofast_io::available_threads())
}

/// The nearest names, if they are near.
fn likely(typed: &str, names: &[&str]) -> Vec<String> {
    let far = |name: &str| match name.starts_with(typed) && typed.len() > 2 {
        true => 0,
        false => strsim::osa_distance(typed, name),
    };
    let nearest = names.iter().map(|name| far(name)).min().unwrap_or(usize::MAX);
    // One slip in a short word, two in a longer one.
    if nearest > if typed.len() < 5 { 1 } else { 2 } {
        return Vec::new();
    }
    names.iter().filter(|name| far(name) == nearest).map(|&name| name.to_owned()).collect()
}

/// Options of `filter` that may have a number, or none.
const WITH_NUMBER: [&str; 7] = [
    "--trim-poly-g", "--trim-poly-x", "--trim_poly_g", "--trim_poly_x", "--detect-adapter",
    "--mask-dust", "-x",
];

/// Puts a number that follows such an option into one word with it, as `--trim-poly-g=5`, unless it is the name of a file.
pub(crate) fn join_numbers(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.first().is_none_or(|command| command != "filter") {
        return arguments;
    }
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let is_number = argument.to_str().is_some_and(|text| {
            text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && text.parse::<f64>().is_ok()
        });
        match joined.last_mut() {
            Some(option)
                if is_number
                    && WITH_NUMBER.iter().any(|name| option == name)
                    && !Path::new(&argument).exists() =>
            {
                option.push("=");
                option.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

/// Commands whose `-h` is an option of samtools.
const OF_SAMTOOLS: [&str; 4] = ["filter", "view", "merge", "cat"];

/// The command of which `-h` is all that was typed, where it is an option of samtools: with nothing to read it asks for help.
pub(crate) fn asks_for_help(arguments: &[OsString]) -> Option<&'static str> {
    let [command, option] = arguments else { return None };
    let name = OF_SAMTOOLS.into_iter().find(|name| command == name);
    name.filter(|_| option == "-h" && !has_input())
}

#[cfg(unix)]
fn has_input() -> bool {
    use std::os::unix::fs::FileTypeExt;
    // A terminal, and what is always empty.
    std::fs::metadata("/dev/stdin").is_ok_and(|stdin| !stdin.file_type().is_char_device())
}

#[cfg(not(unix))]
fn has_input() -> bool {
    use std::io::IsTerminal;
    !std::io::stdin().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_likely_meant_is_suggested() {
        let names = ["stats", "sort", "import", "idxstats", "shards", "split", "filter", "convert"];
        for (typed, expected) in [
            ("sorts", &["sort"][..]),
            ("sotr", &["sort"]),
            ("satts", &["stats"]),
            ("fliter", &["filter"]),
            ("filt", &["filter"]),
            ("conv", &["convert"]),
            ("one", &[]),
            ("record", &[]),
            ("view-all", &[]),
        ] {
            assert_eq!(likely(typed, &names), expected, "{typed}");
        }
    }

    #[test]
    fn what_is_missing_reads_as_a_sentence() {
        let told = |options: &[&'static str], group: &[&'static str]| {
            let arg = |name: &&'static str| clap::Arg::new(*name).long(*name).value_name("N");
            let mut program = clap::Command::new("t")
                .args(options.iter().map(arg).map(|arg| arg.required(true)))
                .args(group.iter().map(arg));
            if !group.is_empty() {
                program = program.group(clap::ArgGroup::new("g").args(group).required(true));
            }
            missing(&program.try_get_matches_from(["t"]).expect_err("missing"), "t").0
        };
        assert_eq!(told(&["a"], &[]), "--a <N> is required");
        assert_eq!(told(&["a", "b"], &[]), "--a <N> and --b <N> are required");
        assert_eq!(told(&["a", "b", "c"], &[]), "--a <N>, --b <N> and --c <N> are required");
        assert_eq!(told(&[], &["d", "e"]), "one of --d <N> or --e <N> is required");
        let both = "--a <N> and one of --d <N>, --e <N> or --f <N> are required";
        assert_eq!(told(&["a"], &["d", "e", "f"]), both);
    }
}
