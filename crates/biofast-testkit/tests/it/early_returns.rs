//! No test passes without testing: where a program or a file is missing, a test fails, and says by `#[ignore = "needs …"]`
//! beforehand what it needs.

use std::path::{Path, PathBuf};

/// Kernels that this processor doesn't have can't be tested here. The scalar ones always are.
const EXEMPT: &str = "crates/biofast-kernels/src/tests/mod.rs";

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "target" {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The lines of a file that are tests, with their numbers from 1: all of a file in a folder of tests, or what follows
/// `#[cfg(test)]`.
fn test_lines<'t>(path: &Path, text: &'t str) -> Vec<(usize, &'t str)> {
    let is_of_tests = path.components().any(|part| {
        let part = part.as_os_str();
        part == "tests" || part == "tests.rs"
    });
    let start =
        if is_of_tests { Some(0) } else { text.lines().position(|l| l.trim() == "#[cfg(test)]") };
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    start.map_or_else(Vec::new, |start| lines.skip(start).collect())
}

/// What is wrong with lines of tests: the number of the line, and why.
fn faults(lines: &[(usize, &str)]) -> Vec<(usize, &'static str)> {
    let asks = ["if installed(", "if !installed(", "|| !installed(", "&& installed("];
    let says = ["\"skipped: ", "installed: skipped"];
    let mut faults = Vec::new();
    // How far in the test function begins that a line is in.
    let (mut next, mut inside) = (false, None);
    for (number, line) in lines {
        let code = line.trim();
        let indent = line.len() - line.trim_start().len();
        if code.starts_with("//") {
            continue;
        }
        if code == "#[test]" {
            next = true;
        } else if next && code.contains("fn ") && !code.starts_with('#') {
            (next, inside) = (false, Some(indent));
        } else if code == "}" && inside == Some(indent) {
            inside = None;
        }
        if asks.iter().any(|asks| code.contains(asks)) {
            faults.push((*number, "what isn't installed is left out"));
        } else if says.iter().any(|says| code.contains(says)) {
            faults.push((*number, "something is skipped"));
        } else if inside.is_some()
            && ["return;", "return }", "return eprintln!"].iter().any(|word| code.contains(word))
        {
            faults.push((*number, "a test returns early"));
        }
    }
    faults
}

#[test]
fn no_test_returns_before_it_has_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in files {
        let name = path.strip_prefix(&root).unwrap();
        if name == Path::new(EXEMPT) || name.ends_with("early_returns.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = test_lines(name, &text);
        seen += usize::from(!lines.is_empty());
        let faults = faults(&lines).into_iter();
        wrong.extend(faults.map(|(line, why)| format!("{}:{line}: {why}", name.display())));
    }
    assert!(seen > 100, "only {seen} files with tests were found");
    assert!(
        wrong.is_empty(),
        "{}\nA test that needs something is ignored by name and fails without it: docs/building.md",
        wrong.join("\n")
    );
}

#[test]
fn ways_to_pass_without_a_test_are_found() {
    let found = |text: &str| {
        let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(n, l)| (n + 1, l)).collect();
        faults(&lines).into_iter().map(|(line, _)| line).collect::<Vec<usize>>()
    };
    let asked =
        "#[test]\nfn a() {\n    if !installed(\"x\") {\n        return;\n    }\n    b();\n}\n";
    assert_eq!(found(asked), [3, 4]);
    assert_eq!(found("    if installed(\"x\") {\n        compare();\n    }\n"), [1]);
    assert_eq!(
        found("    #[test]\n    fn a() {\n        let Some(b) = c() else { return };\n    }\n"),
        [3]
    );
    assert_eq!(found("fn a() {\n    eprintln!(\"skipped: no b\");\n}\n"), [2]);
    let good = "#[test]\n#[ignore = \"needs x\"]\nfn a() {\n    need(\"x\");\n}\nfn b() {\n    return;\n}\n";
    assert!(found(good).is_empty());
}
