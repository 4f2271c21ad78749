//! Patterns to search for, and their names.

/// A pattern to search for, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Where it isn't its text: of names there are many.
    name: Option<Box<[u8]>>,
    text: Box<[u8]>,
}

impl Pattern {
    /// A pattern that is called by its text: a name, bases, or a regular expression.
    pub fn new(text: impl AsRef<[u8]>) -> Pattern {
        Pattern { name: None, text: text.as_ref().into() }
    }

    /// A pattern with a name.
    pub fn named(name: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Pattern {
        Pattern { name: Some(name.as_ref().into()), text: text.as_ref().into() }
    }

    /// What it is called.
    pub fn name(&self) -> &[u8] {
        self.name.as_deref().unwrap_or(&self.text)
    }

    /// What is looked for.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The patterns in `text`: one a line, without empty ones.
    pub fn lines(text: &[u8]) -> Vec<Pattern> {
        lines(text).map(Pattern::new).collect()
    }

    /// The same, or, where the first line starts with `>`, the sequences of FASTA.
    pub fn fasta_or_lines(text: &[u8]) -> Vec<Pattern> {
        if !lines(text).next().is_some_and(|line| line.starts_with(b">")) {
            return Pattern::lines(text);
        }
        let mut sequences: Vec<(&[u8], Vec<u8>)> = Vec::new();
        for line in lines(text) {
            match (line.strip_prefix(b">"), sequences.last_mut()) {
                (Some(definition), _) => {
                    let end = definition.iter().position(u8::is_ascii_whitespace);
                    let name = &definition[..end.unwrap_or(definition.len())];
                    sequences.push((name, Vec::new()));
                }
                (None, Some((_, sequence))) => sequence.extend_from_slice(line.trim_ascii()),
                (None, None) => {}
            }
        }
        sequences.into_iter().map(|(name, text)| Pattern::named(name, text)).collect()
    }
}

/// The lines of a text that aren't empty.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&b| b == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty())
}
