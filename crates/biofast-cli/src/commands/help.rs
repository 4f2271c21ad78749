//! What `biofast --help` and `-h` print: commands in groups, and of each command the options that most people use.

use std::ffi::OsStr;
use std::fmt::Write;

/// A group of commands: its title, and its commands with the options that `-h` shows of each, by their long names.
pub(super) type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// How many examples `-h` shows.
const EXAMPLES: usize = 3;

/// The program with its commands in groups.
pub(super) fn grouped(program: clap::Command, groups: &[Group]) -> clap::Command {
    let mut commands = String::new();
    for (group, members) in groups {
        let _ = writeln!(commands, "{group}:");
        for (name, _) in *members {
            let about = program.find_subcommand(name).and_then(|command| command.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(commands, "  {name:<12} {about}");
        }
        commands.push('\n');
    }
    // The last group is about biofast. clap has this command itself.
    commands.truncate(commands.trim_end().len());
    commands += "\n  help         Print the help of a command\n\n";
    program.help_template(format!(
        "{{about-with-newline}}\nUsage: biofast <COMMAND> [OPTIONS] [FILE]...\n\n{commands}Options:\n{{options}}{{after-help}}"
    ))
}

/// Whether a word may ask for help: what [`shortened`] does takes time at every start, and only help shows it.
pub(super) fn may_ask(word: &OsStr) -> bool {
    let is_cluster = |word: &[u8]| word.starts_with(b"-") && !word.starts_with(b"--");
    word == "--help"
        || (is_cluster(word.as_encoded_bytes()) && word.as_encoded_bytes().contains(&b'h'))
}

/// A command whose `-h` shows the common options alone, and a few of its examples.
pub(super) fn shortened(mut command: clap::Command, groups: &[Group]) -> clap::Command {
    let name = command.get_name().to_owned();
    let common = common(&name, groups);
    if common.is_empty() {
        return command;
    }
    let letters = super::grammar::letters_of_models(&command);
    let letters = letters.map_or(String::new(), |text| format!("\n{text}"));
    if let Some(all) = command.get_after_help().map(ToString::to_string) {
        let is_example = |line: &&str| line.starts_with("  ") || line.ends_with(':');
        let few: Vec<&str> = all.lines().take(EXAMPLES + 1).take_while(is_example).collect();
        let few = few.join("\n");
        command = command
            .after_help(format!("{few}\n{letters}\nAll options: biofast {name} --help"))
            .after_long_help(format!("{all}\n{letters}").trim_end().to_owned());
    }
    command.mut_args(|arg| {
        let is_shown = |long: &str| common.split(' ').any(|shown| shown == long) || long == "help";
        let hides = !arg.is_positional() && !arg.get_long().is_some_and(is_shown);
        arg.hide_short_help(hides)
    })
}

/// The options that `-h` shows of a command; empty: all.
fn common(name: &str, groups: &[Group]) -> &'static str {
    let mut members = groups.iter().flat_map(|(_, members)| *members);
    members.find(|(known, _)| *known == name).map_or("", |(_, common)| common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_help_fits_on_a_screen_and_names_options_that_exist() {
        let mut program = super::super::all();
        program.build();
        for command in program.get_subcommands_mut() {
            let name = command.get_name().to_owned();
            if name == "help" {
                // clap's own, which nobody sees: it lists all commands.
                continue;
            }
            let text = command.render_help().to_string();
            assert!(text.lines().count() <= 48, "{name}: {}", text.lines().count());
            let common = common(&name, super::super::GROUPS);
            if common.is_empty() {
                continue;
            }
            for long in common.split(' ') {
                assert!(text.contains(&format!("--{long}")), "{name} has no --{long}");
            }
            assert!(text.contains(&format!("biofast {name} --help")), "{name}");
        }
    }
}
