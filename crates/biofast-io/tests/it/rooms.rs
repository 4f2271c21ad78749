//! Imports go one way between the folders of the crate (docs/architecture.md).

use std::path::{Path, PathBuf};

/// Each folder may import from itself and from those before it.
const ROOMS: [&str; 4] = ["input", "container", "output", "pipeline"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, out),
            false => out.push(path),
        }
    }
}

/// The code of a source file without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect()
}

#[test]
fn no_folder_imports_from_one_behind_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (place, room) in ROOMS.iter().enumerate() {
        let mut files = Vec::new();
        sources(&src.join(room), &mut files);
        assert!(files.len() > 5, "{room}");
        for path in files {
            let code = code(&path);
            for behind in &ROOMS[place + 1..] {
                if code.contains(&format!("crate::{behind}")) {
                    wrong.push(format!("{} imports from {behind}", path.display()));
                }
            }
            // These are in `pipeline/`, too.
            let names = ["Reader", "Chunk", "Carry", "gzi"].map(|name| format!("crate::{name}"));
            if *room != "pipeline" && names.iter().any(|name| code.contains(name)) {
                wrong.push(format!("{} imports from pipeline", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
