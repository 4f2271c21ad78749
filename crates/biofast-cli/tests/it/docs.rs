//! The documentation is true: every command of ours that it shows runs, every link leads somewhere, and the book has every page.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};

use crate::common::docs::{Block, blocks, needs, pages, root};
use crate::common::stage;

/// Commands of cargo have a test of their own below; those that call or equal a peer are run beside peers.
#[test]
fn every_command_of_ours_shown_runs() {
    let folder = stage::stage();
    let mut ran = 0;
    for Block { page, mark, lines } in blocks() {
        let same = mark.as_deref() == Some("same");
        for line in &lines {
            // The test of itself has a case of its own, and takes seconds.
            let is_elsewhere = line.contains("cargo ") || line.contains("biofast self-test");
            if is_elsewhere || line.starts_with("multiqc ") || !needs(line).is_empty() {
                continue;
            }
            assert!(line.contains("biofast"), "{page}: {line}");
            let run = stage::run(&folder, line);
            assert_eq!(run.code, 0, "{page}: {line}\n{}", run.stderr);
            assert!(!run.stderr.contains("error"), "{page}: {line}\n{}", run.stderr);
            assert!(!same || !run.stdout.is_empty(), "{page}: {line} prints nothing");
            ran += 1;
        }
    }
    assert!(ran >= 50, "only {ran} commands were found and run");
}

/// The last cells of the rows of the table of everyday jobs: what they call `today` needs many programs, biofast only itself.
fn everyday_jobs() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/recipes.md")).unwrap();
    let table = text.split_once("<!-- jobs -->\n").unwrap().1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let unescaped = rows.map(|row| row.replace("\\|", "\0"));
    unescaped
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 3, "{row}");
            cells[2].trim_matches('`').replace('\0', "|")
        })
        .collect()
}

/// The commands in the second cells of the README's table of commands.
fn commands_of_readme() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let rows = text.lines().map(|line| line.replace("\\|", "\0"));
    let second = |row: String| row.split('|').nth(2).map(|cell| cell.trim().to_owned());
    let cells = rows.filter_map(second).filter(|cell| cell.starts_with("`biofast "));
    cells.map(|cell| cell.trim_matches('`').replace('\0', "|")).collect()
}

#[test]
fn the_commands_of_the_readme_run() {
    let commands = commands_of_readme();
    let folder = stage::stage();
    for line in &commands {
        let run = stage::run(&folder, line);
        assert_eq!(run.code, 0, "{line}\n{}", run.stderr);
        assert!(!run.stderr.contains("error"), "{line}\n{}", run.stderr);
    }
}

#[test]
fn every_command_is_on_a_page() {
    // History doesn't tell how a command is used.
    let pages = pages().into_iter().filter(|page| !page.ends_with("CHANGELOG.md"));
    let pages: Vec<String> = pages.map(|page| std::fs::read_to_string(page).unwrap()).collect();
    for command in biofast_cli::command().get_subcommands() {
        let name = command.get_name();
        let has_it = |page: &String| {
            let words = format!("biofast {name}");
            let mut rests = page.split(&words).skip(1);
            rests.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        };
        assert!(pages.iter().any(has_it), "no page has 'biofast {name}'");
    }
}

#[test]
fn all_everyday_jobs_run() {
    let jobs = everyday_jobs();
    assert!(jobs.len() >= 50, "the table has only {} rows", jobs.len());
    let folder = stage::stage();
    for line in jobs {
        assert!(line.starts_with("biofast "), "{line}");
        let run = stage::run(&folder, &line);
        assert_eq!(run.code, 0, "{line}\n{}", run.stderr);
        assert!(!run.stderr.contains("error"), "{line}\n{}", run.stderr);
    }
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

/// The page of all options, which `cargo xtask docs` writes.
const GENERATED: &str = "commands.md";

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text).into_iter().filter(|link| link != GENERATED) {
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
    pages.retain(|name| name.ends_with(".md") && name != "SUMMARY.md" && name != GENERATED);
    listed.retain(|name| name != GENERATED);
    pages.sort();
    assert_eq!(listed, pages);
    // A link to another folder would be dead in the book.
    for page in &pages {
        let links = links(&std::fs::read_to_string(root().join("docs").join(page)).unwrap());
        assert!(!links.iter().any(|link| link.starts_with("..")), "{page}: {links:?}");
    }
}

/// Every `cargo …` in the pages, in blocks and between backticks, without what a comment says.
fn cargo_lines() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        // What the change log says was right when it was written.
        if name.ends_with("CHANGELOG.md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).unwrap();
        let mut code = false;
        for line in text.lines() {
            code ^= line.trim_start().starts_with("```");
            let shown: Vec<&str> =
                if code { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
            for part in shown.iter().flat_map(|part| part.split(" && ")) {
                let part = part.split(" #").next().unwrap_or_default().trim();
                let mut words = part.split_whitespace().skip_while(|word| word.contains('='));
                if words.next() == Some("cargo") && words.next().is_some() {
                    lines.push((name.clone(), part.to_owned()));
                }
            }
        }
    }
    lines
}

/// What cargo knows of this workspace: its packages' names, with their targets as `kind name` and their features.
fn packages() -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let run = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let packages = found["packages"].as_array().unwrap().iter().map(|package| {
        let targets = package["targets"].as_array().unwrap().iter();
        let targets =
            targets.map(|t| format!("{} {}", text(&t["kind"][0]), text(&t["name"]))).collect();
        let features = package["features"].as_object().unwrap().keys().cloned().collect();
        (text(&package["name"]), (targets, features))
    });
    packages.collect()
}

/// The aliases of `.cargo/config.toml`.
fn aliases() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once(" = "));
    pairs
        .map(|(name, words)| {
            let words = words.trim_matches('"').split(' ').map(str::to_owned).collect();
            (name.to_owned(), words)
        })
        .collect()
}

/// Cargo's commands that the pages may show.
const CARGO: [&str; 11] = [
    "bench", "binstall", "build", "check", "clippy", "deb", "install", "lab", "package", "run",
    "test",
];

/// Compiling within a test would take minutes, and `cargo test` would never end: of these lines packages, targets and
/// features are looked up. `cargo run -p biofast-cli` is run, as the program that was built for the tests. What
/// follows `cargo lab` is read by a test of the laboratory.
#[test]
fn every_cargo_command_shown_names_what_there_is() {
    let (packages, aliases) = (packages(), aliases());
    let (mut seen, mut ran) = (0, 0);
    for (page, line) in cargo_lines() {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        words.drain(..=words.iter().position(|word| word == "cargo").unwrap());
        assert!(aliases.contains_key(&words[0]) || CARGO.contains(&&*words[0]), "{page}: {line}");
        if let Some(alias) = aliases.get(&words[0]) {
            words.splice(..1, alias.iter().cloned());
        }
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let after: Vec<String> = words.split_off(end).into_iter().skip(1).collect();
        let mut own = words[1..].iter();
        let (mut package, mut targets, mut features) = (None, Vec::new(), Vec::new());
        while let Some(word) = own.next() {
            let mut value = || own.next().unwrap_or_else(|| panic!("{page}: {line}")).clone();
            match word.as_str() {
                "-p" | "--package" | "--exclude" => {
                    let name = value();
                    assert!(packages.contains_key(&name), "{page}: {line}: no package {name}");
                    package = Some(name).filter(|_| word != "--exclude").or(package);
                }
                "--bin" | "--test" | "--bench" | "--example" => {
                    targets.push(format!("{} {}", word.trim_start_matches('-'), value()));
                }
                "--features" => features.extend(value().split(',').map(str::to_owned)),
                "--path" => {
                    let path = value();
                    let manifest = root().join(&path).join("Cargo.toml");
                    assert!(manifest.exists(), "{page}: {line}: no package in {path}");
                }
                "--target" => assert!(value().contains('-'), "{page}: {line}"),
                "--config" => assert!(value().contains('='), "{page}: {line}"),
                "--profile" => assert!(["dev", "release", "dist"].contains(&&*value()), "{line}"),
                "--release"
                | "--workspace"
                | "--locked"
                | "--lib"
                | "--bins"
                | "--doc"
                | "--tests"
                | "--no-deps"
                | "--no-verify"
                | "--no-default-features"
                | "--all-targets" => {}
                other => assert!(!other.starts_with('-'), "{page}: {line}: {other}"),
            }
        }
        let of = packages.iter().filter(|(name, _)| package.as_ref().is_none_or(|p| p == *name));
        let (all_targets, all_features): (Vec<_>, Vec<_>) = of.map(|(_, (t, f))| (t, f)).unzip();
        for target in &targets {
            assert!(all_targets.iter().any(|t| t.contains(target)), "{page}: {line}: no {target}");
        }
        for feature in &features {
            // Of a package, or `package/feature`.
            let is_there = match feature.split_once('/') {
                Some((package, feature)) => {
                    packages.get(package).is_some_and(|(_, f)| f.contains(feature))
                }
                None => all_features.iter().any(|f| f.contains(feature)),
            };
            assert!(is_there, "{page}: {line}: {feature}");
        }
        seen += 1;
        if words[0] == "run" && package.as_deref() == Some("biofast-cli") {
            let mut command = std::process::Command::new(crate::common::binary());
            let run = command.args(&after).current_dir(root()).output().unwrap();
            assert!(run.status.success(), "{page}: {line}\n{}", text_of(&run.stderr));
            ran += 1;
        }
    }
    assert!(seen >= 40 && ran >= 1, "only {seen} commands were found, and {ran} run");
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Pages that people write and what `--help` prints keep to the words of the field: `words.tsv` has those they don't use.
#[test]
fn pages_and_help_keep_to_the_word_list() {
    let list = include_str!("words.tsv").lines().filter(|line| !line.starts_with('#'));
    let list: Vec<(&str, &str)> = list.map(|line| line.split_once('\t').unwrap()).collect();
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut found = Vec::new();
    // Figures, lists of code and history are quoted, not written.
    let others = ["performance.md", "unsafe.md", "CHANGELOG.md"];
    for path in pages().iter().filter(|path| !others.iter().any(|other| path.ends_with(other))) {
        let name = path.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(path).unwrap();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.starts_with("```");
            let line = line.to_lowercase();
            for (word, instead) in list.iter().filter(|_| !is_code) {
                for (at, _) in line.match_indices(word) {
                    let (before, after) = (&line[..at], &line[at + word.len()..]);
                    if !is_letter(before.chars().last()) && !is_letter(after.chars().next()) {
                        found.push(format!("{name}:{}: '{word}': {instead}", number + 1));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
