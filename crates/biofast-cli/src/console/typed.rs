//! Options of other programs, as fingers type them: what they are called here.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Options of fastp and cutadapt that `filter` doesn't know, and what does the same.
const OF_FILTER: &[(&[&str], &str)] = &[
    (&["-n", "--n_base_limit"], "--max-n is fastp's -n, --times cutadapt's"),
    (&["-m"], "--min-len is cutadapt's -m, --merge fastp's"),
    (&["-y", "-Y", "--low_complexity_filter"], "--min-complexity 30 is what fastp's -y stands for"),
    (&["--average_qual"], "--min-mean-qual Q --mean arithmetic is fastp's --average_qual"),
    (
        &["-p", "-P", "--overrepresentation_analysis"],
        "see `biofast stats` for what there is of reads",
    ),
    (&["--poly_g_min_len", "--poly_x_min_len"], "--trim-poly-g MIN and --trim-poly-x MIN"),
    (&["--umi_loc"], "--umi first|second|both is fastp's --umi_loc, with --umi-len"),
    (
        &["--stdin", "--stdout"],
        "'-' is standard input, and what has no --out goes to standard output",
    ),
    (&["-S", "--split", "--split_by_lines", "-d"], "`biofast split` writes several files"),
    (
        &["-w", "--thread", "-j", "--cores"],
        "-@ is the number of threads; --json and --fastp-json write reports",
    ),
    (
        &["-t", "--trim_tail1", "--trim_front1", "--trim_front2", "--trim_tail2"],
        "--crop-front N,M and --crop-tail N,M cut first and second reads",
    ),
    (
        &[
            "--disable_adapter_trimming",
            "--disable_quality_filtering",
            "--disable_length_filtering",
            "--disable_trim_poly_g",
            "-L",
            "-Q",
        ],
        "without --preset fastp nothing is done that isn't asked for",
    ),
    (
        &["--include_unmerged"],
        "without --merged-out, merged reads and other pairs go to --out together",
    ),
    (&["-z", "--compression"], "--level is the level of compression"),
    (&["--paired-output"], "--out2 names the file of second reads"),
    (&["--minimum-length"], "--min-len is cutadapt's --minimum-length"),
    (&["--maximum-length"], "--max-len is cutadapt's --maximum-length"),
    (&["--untrimmed-output"], "--discard-untrimmed with --rejected FILE"),
    (&["--quality-cutoff"], "--cut-tail cuts by windows; cutadapt's -q has no like here"),
    (&["--poly-a"], "--trim-poly-x cuts runs of any base"),
];

/// What helps with what was typed and isn't known.
pub(crate) fn hint(error: &clap::Error, command: Option<&str>) -> Option<&'static str> {
    if command != Some("filter") {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return None };
    match error.kind() {
        ErrorKind::UnknownArgument => {}
        ErrorKind::InvalidValue if typed.starts_with("--read-group ") => {
            return Some("-r is of alignments; --cut-right is fastp's -r");
        }
        _ => return None,
    }
    let typed = typed.split('=').next().unwrap_or(typed);
    OF_FILTER.iter().find(|(names, _)| names.contains(&typed)).map(|(_, hint)| *hint)
}

/// Options of `filter` that may have a number, or none.
const WITH_NUMBER: [&str; 6] =
    ["--trim-poly-g", "--trim-poly-x", "--trim_poly_g", "--trim_poly_x", "--detect-adapter", "-x"];

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

/// Whether `-h` is all that was typed, where it is an option of samtools: with nothing to read it is a question.
pub(crate) fn asks_for_help(arguments: &[OsString]) -> bool {
    let alone = matches!(arguments, [command, option] if option == "-h"
        && OF_SAMTOOLS.iter().any(|name| command == name));
    alone && !has_input()
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
