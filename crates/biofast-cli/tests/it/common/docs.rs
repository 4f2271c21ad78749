//! What the cases of `docs` share with those beside peers.

use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages: those of the book, the README and its neighbours.
pub(crate) fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)));
    pages.sort();
    pages
}

/// A block of shell commands, and what stands in the comment before it.
pub(crate) struct Block {
    pub(crate) page: String,
    pub(crate) mark: Option<String>,
    pub(crate) lines: Vec<String>,
}

pub(crate) fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let (mut open, mut before) = (None, "");
        for line in text.lines() {
            match (&mut open, line) {
                (None, "```sh") => {
                    let mark = before.strip_prefix("<!-- ").and_then(|m| m.strip_suffix(" -->"));
                    let page = page.file_name().unwrap().to_string_lossy().into_owned();
                    open = Some(Block { page, mark: mark.map(str::to_owned), lines: Vec::new() });
                }
                (Some(_), "```") => blocks.extend(open.take()),
                (Some(block), line) if !line.is_empty() => block.lines.push(line.to_owned()),
                _ => {}
            }
            before = line;
        }
        assert!(open.is_none(), "{}: a block isn't closed", page.display());
    }
    blocks
}

/// Programs beside biofast that a line needs.
pub(crate) fn needs(line: &str) -> Vec<&'static str> {
    let called: Vec<&str> =
        line.split('|').filter_map(|command| command.split_whitespace().next()).collect();
    PEERS.into_iter().filter(|program| called.contains(program)).collect()
}

/// Programs that commands may be compared with.
pub(crate) const PEERS: [&str; 5] = ["seqkit", "seqtk", "fastp", "samtools", "cutadapt"];
