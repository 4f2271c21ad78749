//! Text of a page: escapes, numbers and names.

use std::fmt::Write;

use crate::number::grouped;
use biofast_ops::measure::sample_names::stem;

/// With more samples than this of one kind, a page compares: the charts of single samples are compressed, and the JSON isn't in it.
pub(super) const MANY: usize = 12;

/// `1 sample`, `5 libraries`.
pub(super) fn numbered(n: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", grouped(n)),
        None => format!("{} {noun}s", grouped(n)),
    }
}

/// Text as it may stand in elements and in quoted attributes. What can't be seen, or would turn the
/// direction of text, is shown by its code.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(escaped, "{}", c.escape_default());
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Names of samples as they are shown: of a path its last parts without endings, as many as tell it from the others. Each comes
/// with the inputs' names: a name that was given stays as it is.
pub(super) fn short_names(samples: &[(&str, &str)]) -> Vec<String> {
    let parts = |name: &str, n: usize| {
        let from = name.rmatch_indices('/').nth(n - 1).map_or(0, |(at, _)| at + 1);
        name[from..].to_owned()
    };
    let depth = |name: &str| name.matches('/').count() + 1;
    let mut lengths = vec![1; samples.len()];
    loop {
        let shown = |with_endings: &dyn Fn(usize) -> bool| -> Vec<String> {
            let places = samples.iter().zip(&lengths).enumerate();
            let name = |(at, ((name, inputs), &n)): (usize, (&(&str, &str), &usize))| match name
                == inputs
            {
                false => (*name).to_owned(),
                true if with_endings(at) => parts(name, n),
                true => parts(stem(name), n),
            };
            places.map(name).collect()
        };
        let names = shown(&|_| false);
        let mut times = std::collections::HashMap::new();
        names.iter().for_each(|name| *times.entry(name.as_str()).or_insert(0) += 1);
        let is_shared = |at: usize| samples[at].0 == samples[at].1 && times[names[at].as_str()] > 1;
        let short = |at: &usize| is_shared(*at) && lengths[*at] < depth(samples[*at].0);
        let growing: Vec<usize> = (0..samples.len()).filter(short).collect();
        if growing.is_empty() {
            // Endings alone may tell them apart.
            return shown(&is_shared);
        }
        growing.into_iter().for_each(|at| lengths[at] += 1);
    }
}

/// A remark; nothing of nothing.
pub(super) fn said(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("<p class=\"said\">{}</p>\n", escape(text)),
    }
}

/// A problem or a doubt, set apart.
pub(super) fn notice(class: &str, word: &str, text: &str) -> String {
    format!("<p class=\"notice {class}\"><strong>{word}:</strong> {}</p>\n", escape(text))
}
