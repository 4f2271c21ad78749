//! `cargo xtask changes`: what commits say that users notice, for CHANGELOG.md. A commit says it in its last paragraph, as git's
//! trailers: `Added: …`, `Changed: …`, `Fixed: …` or `Breaking: …`.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

/// The keys of trailers, and the sections of the change log that they belong to, in their order.
const SECTIONS: [(&str, &str); 4] = [
    ("Breaking", "Breaking changes"),
    ("Added", "Added"),
    ("Changed", "Changed"),
    ("Fixed", "Fixed"),
];

/// Prints the lines of the commits after this one, by section.
pub(crate) fn run(root: &Path, after: &str) -> Result<()> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["log", "--reverse", "--format=%(trailers:only,unfold)"]);
    print!("{}", sections(&crate::output(git.arg(format!("{after}..HEAD")))?));
    Ok(())
}

/// These trailers as lists under the headings of their sections.
fn sections(trailers: &str) -> String {
    let mut text = String::new();
    for (key, heading) in SECTIONS {
        let lines = trailers.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        let list: String = lines.map(|line| format!("- {line}\n")).collect();
        if !list.is_empty() {
            let _ = write!(text, "### {heading}\n\n{list}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_goes_to_its_section_in_the_order_of_the_commits() {
        let trailers = "Fixed: a\n\nAdded: `b`: c\nSigned-off-by: d\nAdded: e\n";
        assert_eq!(sections(trailers), "### Added\n\n- `b`: c\n- e\n\n### Fixed\n\n- a\n\n");
    }
}
