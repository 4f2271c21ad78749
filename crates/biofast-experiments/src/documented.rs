//! Every `cargo lab …` in the pages is one: it is parsed as the program parses it, the entries, jobs and datasets it
//! names exist, and `new` is tried in a folder of its own. What takes long isn't run here.

use std::fs;
use std::path::{Path, PathBuf};

use biofast_experiments::{bench, datasets, notebook};
use clap::Parser as _;

use super::{Cli, Command, Datasets};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages with the words of their commands, from the program's name on.
fn commands() -> Vec<(String, Vec<String>)> {
    let docs = fs::read_dir(root().join("docs")).expect("docs").flatten().map(|e| e.path());
    let others = ["README.md", "CONTRIBUTING.md", "datasets/README.md", "experiments/README.md"];
    let mut commands = Vec::new();
    for page in docs.chain(others.map(|name| root().join(name))) {
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).expect("a page");
        let mut code = false;
        for line in text.lines() {
            code ^= line.trim_start().starts_with("```");
            let shown: Vec<&str> =
                if code { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
            for part in shown.into_iter().flat_map(|part| part.split(" && ")) {
                let part = part.split(" #").next().unwrap_or_default().trim();
                let own = part.strip_prefix("cargo lab ").or_else(|| {
                    let (before, after) = part.split_once(" -- ")?;
                    let ours = before.starts_with("cargo run") && before.contains("experiments");
                    // Its examples are programs of their own.
                    (ours && !before.contains("--example")).then_some(after)
                });
                if let Some(own) = own {
                    let words = own.split_whitespace().map(str::to_owned).collect();
                    commands.push((page.display().to_string(), words));
                }
            }
        }
    }
    commands
}

fn entries() -> Vec<String> {
    let folders = fs::read_dir(root().join("experiments")).expect("experiments").flatten();
    folders.map(|folder| folder.file_name().to_string_lossy().chars().take(3).collect()).collect()
}

/// A number of an entry, not `all` and no placeholder.
fn is_number(id: &str) -> bool {
    id.len() == 3 && id.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn every_command_shown_is_one() {
    let commands = commands();
    assert!(commands.len() >= 20, "only {} commands were found", commands.len());
    let (entries, mut begun) = (entries(), Vec::new());
    let parse = |page: &str, words: &[String]| {
        let words = ["biofast-lab".to_owned()].into_iter().chain(words.iter().cloned());
        Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{page}: {error}")).command
    };
    for (page, words) in &commands {
        if let Command::New { slug } = parse(page, words) {
            begun.push(slug.chars().take(3).collect::<String>());
        }
    }
    for (page, words) in &commands {
        let line = words.join(" ");
        match parse(page, words) {
            Command::Run(notebook::RunOptions { ids, .. }) | Command::Report { ids } => {
                for id in ids.iter().filter(|id| is_number(id)) {
                    let known = entries.contains(id) || begun.contains(id) || id == "051";
                    assert!(known, "{page}: {line}: there is no entry {id}");
                }
            }
            Command::Bench(bench::Options { only, .. }) => {
                let names = bench::job_names();
                for job in only.iter().filter(|job| *job != "JOB,…") {
                    assert!(names.contains(&job.as_str()), "{page}: {line}: there is no job {job}");
                }
            }
            Command::Datasets(Datasets::Build { names, .. } | Datasets::Verify { names, .. }) => {
                for name in names {
                    assert!(
                        datasets::is_known(&name),
                        "{page}: {line}: there is no dataset {name}"
                    );
                }
            }
            Command::New { slug } if !slug.starts_with("NNN") => {
                let folder = tempfile::tempdir().expect("a folder");
                let experiments = folder.path().join("experiments");
                for entry in fs::read_dir(root().join("experiments")).expect("reads").flatten() {
                    let from = entry.path().join("protocol.toml");
                    if from.exists() {
                        let to = experiments.join(entry.file_name());
                        fs::create_dir_all(&to).expect("a folder");
                        fs::copy(from, to.join("protocol.toml")).expect("copies");
                    }
                }
                let places = notebook::Places { root: folder.path().to_owned() };
                notebook::create(&places, &slug)
                    .unwrap_or_else(|error| panic!("{page}: {line}: {error:#}"));
                assert!(experiments.join(&slug).join("protocol.toml").exists(), "{page}: {line}");
            }
            _ => {}
        }
    }
}
