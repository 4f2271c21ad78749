//! The options of commands as keywords of the Python package: `_options.py`, from which type checkers and `help()` know them.

use std::any::TypeId;
use std::fmt::Write;
use std::path::Path;

use clap::Arg;

use super::given_by_old_names;
use crate::options::{Folder, InFile, OutFile};

/// Functions of the package, their commands, and options that are arguments of the function or set by it.
const FUNCTIONS: &[(&str, &str, &[&str])] = &[
    ("stats", "stats", &["json"]),
    ("flagstat", "flagstat", &["output_format"]),
    ("idxstats", "idxstats", &[]),
    ("check", "check", &["json"]),
    ("checksum", "checksum", &["json"]),
    ("coverage", "coverage", &[]),
    ("depth", "depth", &[]),
    ("faidx", "faidx", &[]),
    ("dict", "dict", &[]),
    ("filter", "filter", &["out"]),
    ("sort", "sort", &["out"]),
    ("markdup", "markdup", &["out"]),
    ("dedup", "dedup", &["out"]),
    ("demux", "demux", &["inputs", "out_dir", "sample_metadata"]),
    ("split", "split", &["out"]),
    ("split_by_tag", "split", &["out", "by"]),
    ("grep", "grep", &["out"]),
    ("convert", "convert", &["out"]),
    ("shuffle", "shuffle", &["out"]),
    ("repair", "repair", &["out", "out2"]),
    ("fixmate", "fixmate", &["out"]),
    ("collate", "collate", &["out"]),
    ("reset", "reset", &["out"]),
    ("retag", "retag", &["out"]),
    ("rename_contigs", "rename-contigs", &["out", "table"]),
    ("addreplacerg", "addreplacerg", &["out"]),
    ("cat", "cat", &["out"]),
    ("salvage", "check", &["out", "repair", "json"]),
    ("merge", "merge", &["out"]),
    ("index", "index", &[]),
];

const HEAD: &str = "\
\"\"\"The options of each command, as keywords. Made of the command line's own list by ``BIOFAST_RENEW=1 cargo test -p biofast-cli --lib python``.\"\"\"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ._inputs import Path

if TYPE_CHECKING:
    from typing import TypedDict
else:

    class TypedDict:
        # Only type checkers look at the keys: to make them would take half of the time that it takes to import the package.
        def __init_subclass__(cls, total: bool = True) -> None:
            pass
";

/// Words that can't be keywords without a dash behind them.
const RESERVED: [&str; 8] = ["from", "continue", "in", "is", "not", "and", "or", "with"];

/// A name of an option as a keyword, if it can be one.
fn keyword(name: &str) -> Option<String> {
    let name = name.replace('-', "_");
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match RESERVED.contains(&&*name) {
        true => Some(name + "_"),
        false => Some(name).filter(|_| is_name),
    }
}

/// All keywords of an option, the one that is shown first.
fn keywords(command: &str, argument: &Arg) -> Vec<String> {
    let longs =
        argument.get_long().into_iter().chain(argument.get_all_aliases().unwrap_or_default());
    let is_old = |name: &&str| !given_by_old_names(command, &[format!("--{name}")]).is_empty();
    let longs = longs.filter(|name| !is_old(name)).map(str::to_owned);
    let aliases = argument.get_all_short_aliases().unwrap_or_default();
    let is_old = |letter: &char| !given_by_old_names(command, &[format!("-{letter}")]).is_empty();
    let letters =
        argument.get_short().into_iter().chain(aliases.into_iter().filter(|it| !is_old(it)));
    let mut all: Vec<String> = Vec::new();
    for name in longs.chain(letters.map(String::from)).filter_map(|name| keyword(&name)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The Python type of an option's value.
fn kind(argument: &Arg) -> String {
    if !argument.get_action().takes_values() {
        return "bool".into();
    }
    let parser = argument.get_value_parser();
    let is = |id: TypeId| parser.type_id() == id;
    let (ints, floats) = (
        [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
            TypeId::of::<i32>(),
            TypeId::of::<i64>(),
            TypeId::of::<std::num::NonZeroUsize>(),
            TypeId::of::<std::num::NonZeroU64>(),
            TypeId::of::<std::num::NonZeroU32>(),
        ],
        [TypeId::of::<f32>(), TypeId::of::<f64>()],
    );
    let paths = [TypeId::of::<InFile>(), TypeId::of::<OutFile>(), TypeId::of::<Folder>()];
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .map(|value| format!("{:?}", value.get_name()))
        .collect();
    let one = if !values.is_empty() {
        format!("Literal[{}]", values.join(", "))
    } else if paths.into_iter().any(is) {
        "Path".into()
    } else if ints.into_iter().any(is) {
        "int".into()
    } else if floats.into_iter().any(is) {
        "float".into()
    } else {
        "str | float".into()
    };
    let range = argument.get_num_args().unwrap_or_default();
    let mut kinds = vec![one.clone()];
    if range.min_values() == 0 {
        kinds.push("bool".into());
    }
    let has_delimiter = argument.get_value_delimiter().is_some();
    if has_delimiter && !one.starts_with("str") {
        kinds.push("str".into());
    }
    let is_list = matches!(argument.get_action(), clap::ArgAction::Append);
    if is_list || range.max_values() > 1 {
        kinds.push(format!("Sequence[{one}]"));
    }
    kinds.join(" | ")
}

/// The first paragraph of an option's help, and what it is if it isn't given.
fn help(argument: &Arg) -> String {
    let text = argument.get_help().or(argument.get_long_help()).map(ToString::to_string);
    let text = text.unwrap_or_default();
    let text = text
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let is_shown = argument.get_action().takes_values() && !argument.is_hide_default_value_set();
    let default = match defaults.is_empty() || !is_shown {
        true => String::new(),
        false => format!(" [default: {}]", defaults.join(",")),
    };
    (text + &default).replace('\\', "\\\\").replace("\"\"\"", "'''")
}

fn class_of(function: &str) -> String {
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    function.split('_').map(word).collect::<String>() + "Options"
}

/// The module.
fn module() -> String {
    let mut all = super::all();
    all.build();
    let mut text = HEAD.to_owned();
    for (function, name, taken) in FUNCTIONS {
        let command = all.find_subcommand(name).expect("a command");
        let mut options: Vec<(Vec<String>, &Arg)> = Vec::new();
        for argument in command.get_arguments() {
            let is_shown = !argument.is_positional() && !argument.is_hide_set();
            let names = keywords(name, argument);
            let is_taken = names.iter().any(|name| taken.contains(&&**name));
            if is_shown
                && !is_taken
                && !names.is_empty()
                && !matches!(argument.get_id().as_str(), "help" | "version")
            {
                options.push((names, argument));
            }
        }
        let _ = write!(
            text,
            "\n\nclass {}(TypedDict, total=False):\n    \"\"\"Options, as of ``biofast {name}``:\n\n",
            class_of(function)
        );
        for (names, argument) in &options {
            let names = names.join(", ");
            let _ =
                writeln!(text, "    {names} : {}\n        {}\n", kind(argument), help(argument));
        }
        text += "    \"\"\"\n\n";
        for (names, argument) in &options {
            for name in names {
                let _ = writeln!(text, "    {name}: {}", kind(argument));
            }
        }
    }
    text
}

#[test]
fn the_keywords_of_the_python_package_are_those_of_the_command_line() {
    let module = module();
    for (function, ..) in FUNCTIONS {
        assert!(module.contains(&format!("class {}(", class_of(function))), "{function}");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../biofast-python/python/biofast");
    if !folder.exists() {
        // The package isn't in the archive of this crate.
        return;
    }
    let path = folder.join("_options.py");
    if std::env::var_os("BIOFAST_RENEW").is_some() {
        std::fs::write(&path, &module).expect("the module can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == module,
        "_options.py is out of date: BIOFAST_RENEW=1 cargo test -p biofast-cli --lib python"
    );
    // Every function that takes options takes these.
    let commands = std::fs::read_to_string(folder.join("_commands.py")).expect("the functions");
    assert!(!commands.contains("**options: Any"), "a function takes options of no type");
    for (function, ..) in FUNCTIONS {
        let class = class_of(function);
        assert!(
            commands.contains(&format!("**options: Unpack[{class}]")),
            "{function}: no {class}"
        );
    }
}
