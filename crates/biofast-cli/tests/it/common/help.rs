//! What the cases of `help` share with those beside peers.

use super::biofast;

/// The commands, as the help lists them.
pub(crate) fn commands() -> Vec<String> {
    let help = biofast(&["--help"]).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // What is further in is the rest of a description.
    let names =
        lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The examples in the help of a command: what follows lines that begin with that word, set in.
pub(crate) fn examples(of: &str) -> Vec<String> {
    let help = biofast(&[of, "--help"]).stdout;
    let mut inside = false;
    let mut found = Vec::new();
    for line in help.lines() {
        match line.strip_prefix("  ") {
            Some(example) if inside => found.push(example.to_owned()),
            _ => inside = line.starts_with("Examples"),
        }
    }
    found
}
