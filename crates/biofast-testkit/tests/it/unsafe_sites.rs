//! `docs/unsafe.md` lists every `unsafe` site of the repository with its reason, as the source has it.
//! `BIOFAST_BLESS=1 cargo test -p biofast-testkit --test it unsafe_sites` writes the list anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How far above a site its reason may start: reasons of a few lines, and statements that rustfmt has broken.
const REACH: usize = 24;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// Whether an unsafe block, function, implementation or trait begins in this line of code.
fn is_site(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    // The type of a function pointer.
    let code = code.split(": unsafe").next().unwrap_or_default();
    let mut words = code.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or("{");
        let begins =
            ["{", "fn", "impl", "extern", "trait"].iter().any(|start| next.starts_with(start));
        if word.rsplit(['(', '=', '|']).next() == Some("unsafe") && begins {
            return true;
        }
    }
    false
}

/// The comment at line `at` without its marks, up to its end.
fn comment(lines: &[&str], at: usize, mark: &str) -> String {
    let text = |line: &&str| {
        let line = line.trim();
        let rest = line.strip_prefix("///").or_else(|| line.strip_prefix("//"))?;
        Some(rest.trim().to_owned())
    };
    let parts: Vec<String> = lines[at..].iter().map_while(text).collect();
    let joined = parts.join(" ");
    without_links(joined.split_once(mark).map_or(joined.as_str(), |(_, rest)| rest).trim())
}

/// The text with the words of links only: links to items lead nowhere outside rustdoc.
fn without_links(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(middle) = text.find("](") {
        let (open, close) = (text[..middle].rfind('['), text[middle..].find(')'));
        let (Some(open), Some(close)) = (open, close) else { break };
        text =
            format!("{}{}{}", &text[..open], &text[open + 1..middle], &text[middle + close + 1..]);
    }
    text
}

/// Why the site at line `at` is sound, by the nearest `SAFETY:` comment or `# Safety` section above it.
///
/// A function of a trait's implementation, documented in the trait, has it in its first lines.
fn reason(lines: &[&str], at: usize) -> Option<String> {
    let above = (at.saturating_sub(REACH)..=at).rev();
    let below = at + 1..lines.len().min(at + 4);
    above.chain(below).find_map(|line| {
        let mark = ["SAFETY:", "# Safety"].into_iter().find(|mark| lines[line].contains(mark))?;
        Some(comment(lines, line, mark)).filter(|text| !text.is_empty())
    })
}

#[test]
fn every_unsafe_site_is_listed_with_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    sources(&root.join("fuzz"), &mut files);
    files.sort();
    let mut list = String::from(
        "# `unsafe`\n\nEvery site in the repository and why it is sound, as the comment beside it says. `cargo test` fails where this\n\
         list and the source differ; `BIOFAST_BLESS=1 cargo test -p biofast-testkit --test it unsafe_sites` writes it anew.\n\
         `unsafe_code` is denied in the workspace and allowed file by file.\n",
    );
    let mut unexplained = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let mut reasons: Vec<(String, u32)> = Vec::new();
        for at in (0..lines.len()).filter(|&at| is_site(lines[at])) {
            match reason(&lines, at) {
                Some(reason) => match reasons.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, count)) => *count += 1,
                    None => reasons.push((reason, 1)),
                },
                None => unexplained.push(format!("{name}:{}: {}", at + 1, lines[at].trim())),
            }
        }
        if !reasons.is_empty() {
            let sites: u32 = reasons.iter().map(|(_, count)| count).sum();
            writeln!(list, "\n## `{name}`: {sites}\n").unwrap();
            for (reason, count) in reasons {
                let times = if count > 1 { format!(" ({count} sites)") } else { String::new() };
                writeln!(list, "- {reason}{times}").unwrap();
            }
        }
    }
    assert!(unexplained.is_empty(), "without a reason:\n{}", unexplained.join("\n"));
    let path = root.join("docs/unsafe.md");
    if std::env::var_os("BIOFAST_BLESS").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    assert!(
        listed == list,
        "docs/unsafe.md is not what the source says; see the head of this test"
    );
}
