//! A type name stands for one type of its crate, so that a search, an error or a profile that names it leads there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Not a part of the product.
const LABORATORY: &str = "biofast-experiments";

/// Names that several types of a crate may have: crate, name, the folder of all of them, and what they are.
const PATTERNS: [(&str, &str, &str, &str); 7] = [
    ("biofast-cli", "Args", "commands/", "the arguments of each command"),
    ("biofast-deflate", "Portable", "", "the kernels of an instruction set, for each job"),
    ("biofast-deflate", "Avx2", "", "the kernels of an instruction set, for each job"),
    ("biofast-deflate", "Avx512", "", "the kernels of an instruction set, for each job"),
    ("biofast-io", "Error", "", "of inputs; of outputs, as `output::Error`"),
    ("biofast-ops", "Error", "", "of a public module, as `std::io::Error`"),
    ("biofast-ops", "ErrorKind", "", "of a public module, as `std::io::ErrorKind`"),
];

/// Names that say nothing of a type.
const EMPTY: [&str; 8] = ["Found", "Wanted", "Kept", "Told", "Said", "Place", "Problem", "Trouble"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The name of the type that a line outside of any block defines.
fn type_name(line: &str) -> Option<&str> {
    let code = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let (keyword, rest) = code.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "union", "type"].contains(&keyword);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && end > 0).then(|| &rest[..end])
}

/// The file without its ending; of a module in a folder, the folder.
fn module(file: &str) -> &str {
    file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file)
}

/// Whether no build has both files: those of two processors, and those of a feature and its absence (`enabled.rs` and
/// `disabled.rs`, `x.rs` and `no_x.rs`).
fn exclude_each_other(one: &str, other: &str) -> bool {
    let is_without = |without: &str, with: &str| {
        let (folder, name) = module(without).rsplit_once('/').unwrap_or(("", module(without)));
        let (of_with, with) = module(with).rsplit_once('/').unwrap_or(("", module(with)));
        folder == of_with
            && (name == "disabled" && with == "enabled" || name.strip_prefix("no_") == Some(with))
    };
    let is_of = |file: &str, processor| module(file).split('/').any(|part| part == processor);
    let are_of_two = |one, other| is_of(one, "x86_64") && is_of(other, "aarch64");
    is_without(one, other)
        || is_without(other, one)
        || are_of_two(one, other)
        || are_of_two(other, one)
}

/// The files that define a type, by its name. Definitions in one file are for different targets, else it wouldn't compile.
fn definitions(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    sources(source, &mut files);
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(source).unwrap().to_str().unwrap().replace('\\', "/");
        for name in std::fs::read_to_string(&path).unwrap().lines().filter_map(type_name) {
            types.entry(name.to_owned()).or_default().insert(file.clone());
        }
    }
    types
}

fn is_repeated(files: &BTreeSet<String>) -> bool {
    let pairs = files.iter().flat_map(|one| files.iter().map(move |other| (one, other)));
    pairs.into_iter().any(|(one, other)| one < other && !exclude_each_other(one, other))
}

#[test]
fn a_type_name_stands_for_one_type_of_its_crate() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut seen, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(&crates).unwrap() {
        let entry = entry.unwrap();
        let (package, source) =
            (entry.file_name().into_string().unwrap(), entry.path().join("src"));
        if package == LABORATORY || !source.is_dir() {
            continue;
        }
        for (name, files) in definitions(&source) {
            seen += 1;
            let is_pattern = PATTERNS.iter().any(|(of, pattern, folder, _)| {
                (*of, *pattern) == (&package, &name) && files.iter().all(|f| f.starts_with(folder))
            });
            let why = if EMPTY.contains(&name.as_str()) {
                "says nothing of the type"
            } else if is_repeated(&files) && !is_pattern {
                "stands for several types"
            } else {
                continue;
            };
            wrong.push(format!("{package}: {name} {why}: {files:?}"));
        }
    }
    assert!(seen > 1000, "only {seen} types were found");
    wrong.sort();
    assert!(wrong.is_empty(), "{}\nName a type by what it holds.", wrong.join("\n"));
}

#[test]
fn types_and_files_are_told_apart() {
    assert_eq!(type_name("pub(in crate::change) struct Entry<'a> {"), Some("Entry"));
    assert_eq!(type_name("pub trait Vector: Copy {"), Some("Vector"));
    assert_eq!(type_name("type Row = (u32, u32);"), Some("Row"));
    assert_eq!(type_name("    type Row = (u32, u32);"), None);
    assert_eq!(type_name("fn structure() {}"), None);
    assert!(exclude_each_other("zstd/enabled.rs", "zstd/disabled.rs"));
    assert!(!exclude_each_other("zstd/enabled.rs", "bzip2/disabled.rs"));
    assert!(exclude_each_other("no_cram.rs", "cram/mod.rs"));
    assert!(exclude_each_other("x86_64/avx2.rs", "aarch64/neon.rs"));
    assert!(!exclude_each_other("x86_64/avx2.rs", "x86_64/avx512.rs"));
}
