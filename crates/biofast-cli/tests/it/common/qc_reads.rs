//! What the cases of `qc_reads` share with those beside peers.

use std::collections::BTreeMap;

use super::{Folder, biofast, text};

/// All files below a folder, by path.
pub(crate) fn files(folder: &Folder, part: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.path(part)];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = text(path.strip_prefix(folder.path(part)).unwrap());
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
    files
}

pub(crate) fn run(args: &[&str]) {
    let run = biofast(args);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{args:?}");
}
