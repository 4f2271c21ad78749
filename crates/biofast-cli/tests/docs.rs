//! The documentation is true: every command it shows runs, those it calls the same print the same as
//! their peers, every link leads somewhere, and the book has every page.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{installed, stage};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages: those of the book, the README and its neighbours.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)));
    pages.sort();
    pages
}

/// A block of shell commands, and what stands in the comment before it.
struct Block {
    page: String,
    mark: Option<String>,
    lines: Vec<String>,
}

fn blocks() -> Vec<Block> {
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
fn needs(line: &str) -> Vec<&'static str> {
    let called: Vec<&str> =
        line.split('|').filter_map(|command| command.split_whitespace().next()).collect();
    let made = |program: &str| program == "samtools" && line.contains(".cram");
    PEERS.into_iter().filter(|program| called.contains(program) || made(program)).collect()
}

/// Programs that commands may be compared with.
const PEERS: [&str; 4] = ["seqkit", "seqtk", "fastp", "samtools"];

#[test]
fn every_command_shown_runs_and_the_same_print_the_same() {
    let folder = stage::stage();
    let absent: Vec<&str> = PEERS.into_iter().filter(|program| !installed(program)).collect();
    let can = |line: &str| !needs(line).iter().any(|program| absent.contains(program));
    let (mut ran, mut compared) = (0, 0);
    for Block { page, mark, lines } in blocks() {
        let same = mark.as_deref() == Some("same");
        let mut last = None;
        for line in &lines {
            // Cargo's own commands are for CI.
            if line.contains("cargo ") || line.starts_with("multiqc ") {
                continue;
            }
            assert!(same || line.contains("biofast"), "{page}: {line}");
            let run = can(line).then(|| stage::run(&folder, line));
            if let Some(run) = &run {
                assert_eq!(run.code, 0, "{page}: {line}\n{}", run.stderr);
                let biofast = !same || line.starts_with("biofast");
                assert!(
                    !biofast || !run.stderr.contains("error"),
                    "{page}: {line}\n{}",
                    run.stderr
                );
                ran += 1;
            }
            if same && line.starts_with("biofast") {
                let theirs: Option<common::Run> = last.take().flatten();
                if let (Some(ours), Some(theirs)) = (&run, theirs) {
                    assert!(!ours.stdout.is_empty(), "{page}: {line} prints nothing");
                    assert!(ours.stdout == theirs.stdout, "{page}: {line}: not the same");
                    compared += 1;
                }
            } else {
                last = Some(run);
            }
        }
        assert!(last.is_none() || !same, "{page}: a command without its peer");
    }
    assert!(ran >= 50, "only {ran} commands were found and run");
    assert!(compared >= 18 || !absent.is_empty(), "only {compared} were compared");
}

/// Where the links of a page lead, without those to other machines.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.starts_with("```");
        if code {
            continue;
        }
        for part in line.split("](").skip(1) {
            let (target, _) = part.split_once(')').unwrap_or((part, ""));
            if !target.contains("://") && !target.starts_with("mailto:") {
                links.push(target.to_owned());
            }
        }
    }
    links
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if !anchor.is_empty() {
                let there = anchors(&std::fs::read_to_string(&target).unwrap());
                assert!(there.contains(anchor), "{}: {link}: no such heading", page.display());
            }
            followed += 1;
        }
    }
    assert!(followed >= 40, "only {followed} links were found");
}

#[test]
fn the_book_has_every_page_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    listed.sort();
    let pages = std::fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<String> =
        pages.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    pages.retain(|name| name.ends_with(".md") && name != "SUMMARY.md");
    pages.sort();
    assert_eq!(listed, pages);
    // A link to another folder would be dead in the book. A part of performance.md is generated, with links to the runs.
    for page in pages.iter().filter(|page| *page != "performance.md") {
        let links = links(&std::fs::read_to_string(root().join("docs").join(page)).unwrap());
        assert!(!links.iter().any(|link| link.starts_with("..")), "{page}: {links:?}");
    }
}
