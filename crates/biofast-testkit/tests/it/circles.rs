//! Imports between the files of a crate go in no circle: what two files need stands in a third, one floor down.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// Where a folder without folders counts as one file: those of a command import its arguments from their parent, an entry its trait.
const BY_FOLDER: [&str; 2] = ["biofast-cli", "biofast-experiments"];
/// Imports that may close a circle: crate, importing file (empty: any), imported file, and why. The list only shrinks.
const ACCEPTED: [(&str, &str, &str, &str); 8] = [
    (
        "biofast-cli",
        "commands/run_shards",
        "embedded.rs",
        "`run` runs another command in its process",
    ),
    (
        "biofast-cli",
        "commands/run_shards",
        "commands/mod.rs",
        "`run` reads another command's words, which the list of all commands knows",
    ),
    (
        "biofast-experiments",
        "core/notes.rs",
        "core/protocol.rs",
        "notes answer a protocol's checks, which name notes",
    ),
    (
        "biofast-experiments",
        "core/entry.rs",
        "core/page_cache",
        "an input's plan says how its pages are filled",
    ),
    ("biofast-kernels", "", "dispatch.rs", "a kernel's function calls through the table in use"),
    ("biofast-kernels", "vector.rs", "bases.rs", "what an instruction set has by default"),
    ("biofast-kernels", "vector.rs", "quality.rs", "what an instruction set has by default"),
    ("biofast-kernels", "vector.rs", "columns/mod.rs", "what its kernels of columns take"),
];

type Files = BTreeMap<String, String>;
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(root: &Path, folder: &Path, out: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        match path.is_dir() {
            _ if name.ends_with("tests") || name.ends_with("tests.rs") => {}
            true => sources(root, &path, out),
            false => drop(out.insert(name, std::fs::read_to_string(&path).unwrap())),
        }
    }
}

/// The module of a file, as its path from the crate's root.
fn module(file: &str) -> Vec<String> {
    let path = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file);
    path.split('/').filter(|part| !["lib", "main"].contains(part)).map(str::to_owned).collect()
}

/// Every path in the code, `use` trees spelled out: the path, the name it gets, and whether a `pub use` has it.
fn paths(text: &str) -> Vec<(String, String, bool)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let has_inner = code.lines().any(|line| line.contains("mod ") && line.ends_with('{'));
    let (mut trees, mut out) = (Vec::<String>::new(), Vec::<(String, String, bool)>::new());
    let (mut is_export, mut is_alias) = (false, false);
    for line in code.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        is_export |= line.starts_with("pub") && line.contains("use ");
        for part in line.split_inclusive(|c| !is_name(c)).filter(|part| *part != " ") {
            let word = part.trim_end_matches(|c| !is_name(c));
            let tree = trees.last().cloned().unwrap_or_default() + word;
            let path = tree.trim_matches(':').trim_end_matches("::self");
            let last = path.rsplit(':').next().unwrap_or_default().to_owned();
            // In an inner module, `super` is the file.
            let is_of_inner = has_inner && line.starts_with(' ') && path.starts_with("super");
            let is_import = path.contains("::") && !line.contains(&format!("pub(in {path})"));
            match out.last_mut() {
                Some((_, name, _)) if is_alias => *name = last,
                _ if ["", "as"].contains(&word) || part.ends_with("::{") || is_of_inner => {}
                _ => out.extend(is_import.then(|| (path.to_owned(), last, is_export))),
            }
            is_alias = word == "as";
            match part.chars().last() {
                Some('{') => trees.push(if word.ends_with(':') { tree } else { String::new() }),
                Some('}') => drop(trees.pop()),
                Some(';') => is_export = false,
                _ => {}
            }
        }
    }
    out
}

/// A path in the module `here`, from the crate's root. Below `here`, one to another crate leads to no module.
fn absolute(path: &str, here: &[String]) -> Vec<String> {
    let mut base = if path.starts_with("crate::") { Vec::new() } else { here.to_vec() };
    let mut parts = path.split("::").peekable();
    while let Some(part) = parts.next_if(|part| ["crate", "self", "super"].contains(part)) {
        base.truncate(base.len() - usize::from(part == "super" && !base.is_empty()));
    }
    base.into_iter().chain(parts.map(str::to_owned)).collect()
}

/// The files that each file imports. Names are followed through re-exports to the file that has them; a re-export itself is no import.
fn imports(files: &Files) -> Imports {
    let modules: BTreeMap<_, _> = files.keys().rev().map(|file| (module(file), file)).collect();
    let (mut used, mut exported) = (Vec::new(), BTreeMap::new());
    for (file, text) in files {
        for (path, name, is_export) in paths(text) {
            match (absolute(&path, &module(file)), is_export) {
                (path, true) => drop(exported.insert((file, name), path)),
                (path, false) => used.push((file, path)),
            }
        }
    }
    let mut imports = Imports::new();
    for (file, mut path) in used {
        for _ in 0..9 {
            let len = (0..=path.len()).rev().find(|&len| modules.contains_key(&path[..len]));
            let (len, at) = len.map_or((0, file), |len| (len, modules[&path[..len]]));
            let target = path.get(len).and_then(|name| exported.get(&(at, name.clone())));
            let Some(target) = target.filter(|target| path[..len + 1] != target[..]) else {
                imports.entry(file.clone()).or_default().extend((at != file).then(|| at.clone()));
                break;
            };
            path = target.iter().chain(&path[len + 1..]).cloned().collect();
        }
    }
    imports
}

/// The same of folders that have none inside, and of the files beside folders.
fn by_folder(files: &Files, imports: &Imports) -> Imports {
    let folders: BTreeSet<&str> =
        files.keys().filter_map(|f| Some(f.rsplit_once('/')?.0)).collect();
    let whole = |file: &String| {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let has_inner = folders.iter().any(|inner| inner.starts_with(&format!("{folder}/")));
        if has_inner || folder.is_empty() { file.clone() } else { folder.to_owned() }
    };
    let mut out = Imports::new();
    for (file, imported) in imports {
        let others = imported.iter().map(&whole).filter(|other| *other != whole(file));
        out.entry(whole(file)).or_default().extend(others);
    }
    out
}

/// The files of the shortest way from one back to itself.
fn shortest_circle(imports: &Imports) -> Option<Vec<&String>> {
    let from = |start| {
        let (mut ways, mut seen) = (VecDeque::from([vec![start]]), BTreeSet::new());
        while let Some(way) = ways.pop_front() {
            for next in imports.get(way[way.len() - 1]).into_iter().flatten() {
                if next == start {
                    return Some(way);
                }
                ways.extend(seen.insert(next).then(|| [&way[..], &[next]].concat()));
            }
        }
        None
    };
    imports.keys().filter_map(from).min_by_key(Vec::len)
}

#[test]
fn no_imports_go_in_a_circle() {
    let (mut seen, mut wrong, mut needed) = (0, Vec::new(), BTreeSet::new());
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let (entry, mut files) = (entry.unwrap(), Files::new());
        let (package, source) =
            (entry.file_name().into_string().unwrap(), entry.path().join("src"));
        if package.starts_with("biofast") && source.is_dir() {
            sources(&source, &source, &mut files);
        }
        let mut imports = imports(&files);
        if BY_FOLDER.contains(&&*package) {
            imports = by_folder(&files, &imports);
        }
        for (file, imported) in &mut imports {
            seen += imported.len();
            for (place, (of, from, to, _)) in ACCEPTED.iter().enumerate() {
                let is_accepted = *of == package && (from.is_empty() || from == file);
                needed.extend((is_accepted && imported.remove(*to)).then_some(place));
            }
        }
        wrong.extend(shortest_circle(&imports).map(|circle| format!("{package}: {circle:?}")));
    }
    assert!(seen > 1500, "only {seen} imports were found");
    assert_eq!(needed.len(), ACCEPTED.len(), "only {needed:?} of the exceptions are needed");
    assert!(wrong.is_empty(), "{}\nMove what they share one floor down.", wrong.join("\n"));
}
