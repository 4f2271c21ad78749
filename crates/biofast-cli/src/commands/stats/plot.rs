//! `--plot`: the rows as plots for the terminal.

use biofast_report::plot::{self, Characters};

use super::rows::{Entry, Figures};

/// The plots of all rows without a fault, each after an empty line.
pub(super) fn text(entries: &[Entry]) -> String {
    let characters = characters(|name| std::env::var(name).ok());
    let mut text = String::new();
    let mut add = |name: &str, reads: &_| {
        text.push('\n');
        let name = biofast_io::Escaped(name.as_bytes()).to_string();
        text += &plot::reads(&name, reads, characters);
    };
    for entry in entries.iter().filter(|entry| entry.errors.is_empty()) {
        match &entry.figures {
            Figures::Reads(_, Some(reads)) => add(&entry.sample, reads),
            Figures::Alignments(_, Some(figures)) => {
                let reads = &figures.reads;
                for (name, reads) in
                    [("first", &reads.first), ("last", &reads.last), ("other", &reads.other)]
                {
                    if let Some(reads) = reads {
                        add(&format!("{}, {name} reads", entry.sample), reads);
                    }
                }
            }
            _ => {}
        }
    }
    text
}

/// What the locale says the terminal can show; the first variable that is set decides, as for the C
/// library.
fn characters(variable: impl Fn(&str) -> Option<String>) -> Characters {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let locale = set.unwrap_or_default().to_ascii_lowercase();
    match locale.contains("utf-8") || locale.contains("utf8") {
        true => Characters::Unicode,
        false => Characters::Ascii,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_set_says_whether_blocks_can_be_shown() {
        let of = |pairs: &'static [(&str, &str)]| {
            characters(|name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned()))
        };
        assert_eq!(of(&[]), Characters::Ascii);
        assert_eq!(of(&[("LANG", "en_GB.UTF-8")]), Characters::Unicode);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]), Characters::Ascii);
        assert_eq!(of(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")]), Characters::Unicode);
    }
}
