//! What is said on standard error: messages, hints, a progress bar; and how standard streams and signals are treated.

mod hints;
mod progress;
pub(crate) mod stdio;
mod verbose;

pub(crate) use progress::Bar;
pub(crate) use verbose::describe;

/// An error and what caused it, as far as it doesn't say so itself.
pub(crate) fn described(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        match text.as_str() {
            "" => text = cause,
            said if said.ends_with(&cause) => {}
            said => text = format!("{said}: {cause}"),
        }
    }
    text
}

/// What to do about an error, where that is known.
pub(crate) fn hint(error: &str) {
    if let Some(hint) = hints::of(error) {
        message("hint", &hint);
    }
}

/// A line on standard error. If even that can't be written, the exit code still tells.
pub(crate) fn message(level: &str, text: &str) {
    use std::io::Write;
    // At once, so that lines of programs that share it aren't mixed up.
    let line = format!("biofast: {level}: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
