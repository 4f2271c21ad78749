//! What the program says of itself is true: the examples in its help run, completions and manual
//! pages know every command, and the version tells how it was built.
#![cfg(unix)]

use crate::common::help::{commands, examples};
use crate::common::{Folder, biofast, command, fails, finish, silent, stage};

#[test]
fn the_examples_in_the_help_run() {
    let folder = stage::stage();
    let mut ran = 0;
    for command in commands() {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "the help of {command} has no examples");
        for example in examples {
            assert!(example.contains("biofast "), "{command}: {example}");
            // Those have a case beside peers, and the test of itself has one of its own.
            if example.contains("samtools ") || example.contains("biofast self-test") {
                continue;
            }
            let run = stage::run(&folder, &example);
            assert_eq!(run.code, 0, "{example}\n{}", run.stderr);
            assert!(!run.stderr.contains("error"), "{example}\n{}", run.stderr);
            ran += 1;
        }
    }
    assert!(ran >= 35, "only {ran} examples were found and run");
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let commands = commands();
    assert!(commands.len() >= 12, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = silent(&["completions", shell]);
        for name in &commands {
            assert!(run.stdout.contains(name), "{shell}: {name}");
        }
        assert!(run.stdout.contains("stdin-label"), "{shell} completes options");
    }
    assert_eq!(biofast(&["completions", "cmd.exe"]).code, 2);
    let folder = Folder::new();
    let at = folder.path("share/man1");
    let run = biofast(&["man", at.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    for name in &commands {
        let page = std::fs::read_to_string(at.join(format!("biofast-{name}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples"), "{name}");
    }
    let page = std::fs::read_to_string(at.join("biofast.1")).unwrap();
    assert_eq!(biofast(&["man"]).stdout, page);
    assert_eq!(std::fs::read_dir(&at).unwrap().count(), commands.len() + 1);
    fails(&["man", "/dev/null/x"], &["/dev/null/x"]);
}

#[test]
fn the_verbose_version_tells_what_it_makes_of_the_machine() {
    let short = biofast(&["--version"]);
    assert_eq!(short.stdout, format!("biofast {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&["--version", "--verbose"][..], &["--verbose", "-V"], &["-Vv"]] {
        let mut command = command(args);
        command.env("BIOFAST_SIMD", "scalar");
        let run = finish(command);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.starts_with(&short.stdout), "{}", run.stdout);
        assert!(run.stdout.contains("\nSIMD:     scalar (of scalar"), "{}", run.stdout);
        for name in ["features:", "CPU:", "threads:"] {
            assert!(run.stdout.contains(name), "{}", run.stdout);
        }
    }
    let mut wrong = command(&["--version", "--verbose"]);
    wrong.env("BIOFAST_SIMD", "mmx");
    assert_eq!(finish(wrong).code, 2);
}
