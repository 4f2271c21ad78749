//! docs/commands.md: the commands and their options, as the help has them. Not in the repository: `cargo xtask docs` writes it.

use std::fmt::Write;
use std::path::Path;

use clap::builder::StyledStr;

const HEAD: &str = "\
# All commands and options

This page is made of what `biofast COMMAND --help` prints. Options that several commands have mean the same in all of them.
";

/// The page.
fn page() -> String {
    let mut all = super::all().disable_help_subcommand(true);
    all.build();
    let mut text = HEAD.to_owned();
    text += "\n| command | what it does |\n|---|---|\n";
    for command in all.get_subcommands() {
        let name = command.get_name();
        let about = prose(command.get_about()).replace('|', "\\|");
        let _ = writeln!(text, "| [`{name}`](#{name}) | {about} |");
    }
    for command in all.get_subcommands() {
        describe(&mut text, command.clone());
    }
    text
}

fn describe(text: &mut String, mut command: clap::Command) {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let long = command.get_long_about().or(command.get_about());
    let _ =
        write!(text, "\n## {}\n\n{}\n\n```text\n{usage}\n```\n", command.get_name(), prose(long));
    let mut headings: Vec<Option<&str>> = Vec::new();
    let shown = |argument: &&clap::Arg| !argument.is_hide_set();
    for argument in command.get_arguments().filter(shown) {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    // Those without a heading of their own come first.
    headings.sort_by_key(|heading| heading.is_some());
    for heading in headings {
        if let Some(heading) = heading {
            let _ = write!(text, "\n**{heading}**\n");
        }
        text.push('\n');
        let of = |argument: &&clap::Arg| argument.get_help_heading() == heading;
        for argument in command.get_arguments().filter(shown).filter(of) {
            option(text, argument);
        }
    }
    if let Some(examples) = command.get_after_long_help().or(command.get_after_help()) {
        let _ = write!(text, "\n```text\n{}\n```\n", examples.to_string().trim());
    }
}

fn option(text: &mut String, argument: &clap::Arg) {
    let values: Vec<String> = match argument.get_value_names() {
        Some(names) if argument.get_action().takes_values() => {
            names.iter().map(|name| name.to_string()).collect()
        }
        _ => Vec::new(),
    };
    let name = match (argument.get_short(), argument.get_long()) {
        (None, None) => values.join(" "),
        (short, long) => {
            let short = short.map(|letter| format!("-{letter}"));
            let long = long.map(|name| format!("--{name}"));
            let names: Vec<String> = short.into_iter().chain(long).collect();
            let values = values.iter().map(|value| format!(" {value}")).collect::<String>();
            names.join(", ") + &values
        }
    };
    let help = argument.get_long_help().or(argument.get_help());
    let mut notes = Vec::new();
    let aliases = argument.get_visible_aliases().unwrap_or_default();
    let others = argument.get_visible_short_aliases().unwrap_or_default();
    let named = others.iter().map(|letter| format!("`-{letter}`"));
    let named: Vec<_> = named.chain(aliases.iter().map(|alias| format!("`--{alias}`"))).collect();
    if !named.is_empty() {
        notes.push(format!("also {}", named.join(", ")));
    }
    let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<_> = defaults.collect();
    if !defaults.is_empty() && !argument.is_hide_default_value_set() && !values.is_empty() {
        notes.push(format!("default: `{}`", defaults.join(",")));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let _ = writeln!(text, "- `{name}`: {}{notes}", in_one_line(&prose(help)));
    if argument.get_action().takes_values() && !argument.is_hide_possible_values_set() {
        for value in argument.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
            let help = prose(value.get_help());
            let help = if help.is_empty() { help } else { format!(": {help}") };
            let _ = writeln!(text, "  - `{}`{help}", value.get_name());
        }
    }
}

/// Paragraphs as one. The first has no period of its own, as `-h` prints it alone.
fn in_one_line(text: &str) -> String {
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    let mut line = String::new();
    for (at, paragraph) in paragraphs.iter().enumerate() {
        line.push_str(paragraph);
        if at + 1 < paragraphs.len() {
            line.push_str(if paragraph.ends_with('.') { " " } else { ". " });
        }
    }
    line
}

/// Text of the help as Markdown: what would mean something there is escaped.
fn prose(text: Option<&StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    let paragraphs = text.trim().split("\n\n").map(|part| part.replace('\n', " "));
    let mut escaped = String::new();
    let mut is_code = false;
    for c in paragraphs.collect::<Vec<_>>().join("\n\n").chars() {
        is_code ^= c == '`';
        if !is_code && matches!(c, '<' | '*' | '_' | '[' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[test]
fn the_page_of_the_commands_has_every_command_and_option() {
    let page = page();
    let mut all = super::all().disable_help_subcommand(true);
    all.build();
    for command in all.get_subcommands() {
        assert!(page.contains(&format!("\n## {}\n", command.get_name())), "{}", command.get_name());
        let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
        for long in shown.filter_map(clap::Arg::get_long) {
            assert!(page.contains(&format!("--{long}")), "{}: --{long}", command.get_name());
        }
    }
    // How `cargo xtask docs` writes it.
    if std::env::var_os("BIOFAST_RENEW").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
        std::fs::write(path, page).expect("the page can be written");
    }
}
