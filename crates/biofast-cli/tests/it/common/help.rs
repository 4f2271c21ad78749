//! What the cases of `help` share with those beside peers.

use super::biofast;

/// The commands, each of which the help lists with what it is for.
pub(crate) fn commands() -> Vec<String> {
    let help = biofast(&["--help"]).stdout;
    let known = biofast_cli::command();
    let names: Vec<String> = known.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    for name in &names {
        let is_listed = |line: &str| line.starts_with(&format!("  {name} "));
        assert_eq!(help.lines().filter(|line| is_listed(line)).count(), 1, "{name}: {help}");
    }
    names
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
