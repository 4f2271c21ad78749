//! A page of figures for people: one file with all it needs, that never asks the network.
//!
//! Charts are SVG drawn here; the page's few lines of script sort its tables and open what is folded
//! before it is printed. The whole report is in the page as JSON, too.

mod alignments;
mod chart;
mod compare;
mod coverage;
mod filter;
mod heat;
mod packed;
mod read_charts;
mod reads;
mod scale;
mod search_charts;
mod table;
mod together;
mod verdicts;
mod words;

use std::fmt::Write;

use super::number::grouped;
use crate::change::filter::fastp;
use crate::change::filter::report::Report as FilterReport;
use crate::measure;

pub use coverage::Depths;

const STYLE: &str = include_str!("page.css");
/// Each is a function of its own.
const SCRIPTS: [&str; 4] = [
    include_str!("script/tables.js"),
    include_str!("script/samples.js"),
    include_str!("script/charts.js"),
    include_str!("script/save.js"),
];

/// With more samples than this of one kind, a page compares: the charts of single samples are compressed, and the JSON isn't in it.
const MANY: usize = 12;

/// The page of `biofast stats`: reads, alignments or both, each with its JSON.
pub fn stats(
    reads: Option<(&measure::reads::report::Report, &str)>,
    alignments: Option<(&measure::alignments::report::Report, &str)>,
) -> String {
    let mut body = String::new();
    let mut data = String::new();
    let (mut samples, mut files, mut noun) = (0, 0, "sample");
    let mut version = "";
    if let Some((report, json)) = reads {
        body += &reads::section(report);
        if report.files.len() <= MANY {
            data += &embedded("biofast-stats", json);
        }
        samples += reads::counted(report);
        files += report.files.len();
        version = &report.biofast_version;
    }
    if let Some((report, json)) = alignments {
        body += &alignments::section(report);
        if report.files.len() <= MANY {
            data += &embedded("biofast-alignment-stats", json);
        }
        let (counted, of_alignments) = alignments::counted(report);
        samples += counted;
        files += counted;
        if reads.is_none() {
            noun = of_alignments;
        }
        version = &report.biofast_version;
    }
    let about = match samples == files {
        true => numbered(samples as u64, noun),
        false => {
            format!("{} in {}", numbered(samples as u64, noun), numbered(files as u64, "file"))
        }
    };
    let title = match (reads.is_some(), alignments.is_some()) {
        (true, false) => "Sequencing reads",
        (false, true) => "Alignments",
        _ => "Reads and alignments",
    };
    let whole = if data.is_empty() { NOT_IN_PAGE } else { IN_JSON };
    page(title, &about, version, &body, &data, whole)
}

/// The page of `biofast coverage`.
pub fn coverage(samples: &[Depths]) -> String {
    let whole = "<code>biofast coverage</code> prints its figures as a table, and <code>--out-dir</code> writes those of each \
                 position and target.";
    let version = env!("CARGO_PKG_VERSION");
    page(
        "Coverage",
        &numbered(samples.len() as u64, "sample"),
        version,
        &coverage::section(samples),
        "",
        whole,
    )
}

/// `1 sample`, `5 libraries`.
fn numbered(n: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", grouped(n)),
        None => format!("{} {noun}s", grouped(n)),
    }
}

/// Where the figures of a page of many samples are …
const NOT_IN_PAGE: &str = "Of so many samples the page has no JSON; <code>biofast stats --json</code> prints every figure.";
/// … and of others.
const IN_JSON: &str = "Every figure is in this file as JSON, in the <code>script</code> elements of type \
                       <code>application/json</code> at its end.";

/// The page of `biofast filter`, with its JSON; with fastp's report of the run it has frequent words, too.
pub fn filter(report: &FilterReport, json: &str, fastp: Option<&fastp::Report>) -> String {
    let data = embedded("biofast-filter", json);
    let body = filter::section(report, &fastp.map_or(String::new(), words::section));
    page("Filtered reads", "", report.tool.version, &body, &data, IN_JSON)
}

fn page(title: &str, about: &str, version: &str, body: &str, data: &str, whole: &str) -> String {
    let version = escape(version);
    let about = match about {
        "" => String::new(),
        about => format!("{} · ", escape(about)),
    };
    let script = SCRIPTS.concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"biofast {version}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<a class=\"skip\" href=\"#main\">To the figures</a>\n<header>\
         <h1>{title}</h1><p>{about}biofast {version}</p></header>\n<main id=\"main\">\n{body}</main>\n\
         <footer><p>Made by biofast {version}. {whole}</p></footer>\n\
         {data}<script>\n\"use strict\";\n{script}</script>\n</body>\n</html>\n"
    )
}

/// JSON that nothing in the page can mistake for its end: within JSON, `<` and the like are only in
/// strings, where they may be written by their code.
fn embedded(id: &str, json: &str) -> String {
    let mut text = format!("<script type=\"application/json\" id=\"{id}\">");
    for c in json.trim_end().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push_str("</script>\n");
    text
}

/// Text as it may stand in elements and in quoted attributes. What can't be seen, or would turn the
/// direction of text, is shown by its code.
fn escape(text: &str) -> String {
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

/// Names of samples as they are shown: of a path its last parts, as many as tell it from the others. Each comes with the
/// inputs' names: a name that was given stays as it is.
fn short_names(samples: &[(&str, &str)]) -> Vec<String> {
    let parts = |name: &str, n: usize| {
        let from = name.rmatch_indices('/').nth(n - 1).map_or(0, |(at, _)| at + 1);
        name[from..].to_owned()
    };
    let depth = |name: &str| name.matches('/').count() + 1;
    let mut lengths = vec![1; samples.len()];
    loop {
        let shown: Vec<String> = samples
            .iter()
            .zip(&lengths)
            .map(
                |((name, inputs), &n)| if name == inputs { parts(name, n) } else { (*name).into() },
            )
            .collect();
        let mut times = std::collections::HashMap::new();
        shown.iter().for_each(|name| *times.entry(name.as_str()).or_insert(0) += 1);
        let mut has_grown = false;
        for ((length, (name, inputs)), shown) in lengths.iter_mut().zip(samples).zip(&shown) {
            if name == inputs && times.get(shown.as_str()) > Some(&1) && *length < depth(name) {
                *length += 1;
                has_grown = true;
            }
        }
        if !has_grown {
            return shown;
        }
    }
}

/// A remark; nothing of nothing.
fn said(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("<p class=\"said\">{}</p>\n", escape(text)),
    }
}

/// A problem or a doubt, set apart.
fn notice(class: &str, word: &str, text: &str) -> String {
    format!("<p class=\"notice {class}\"><strong>{word}:</strong> {}</p>\n", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be_told_apart() {
        let same = |name: &'static str| (name, name);
        let samples = [
            same("a/x/r.fq"),
            same("b/x/r.fq"),
            same("c/s.fq"),
            ("p/q", "c/t.fq"),
            same("r.fq"),
            same("t"),
            same("t"),
        ];
        let shown = ["a/x/r.fq", "b/x/r.fq", "s.fq", "p/q", "r.fq", "t", "t"];
        assert_eq!(short_names(&samples), shown);
        assert!(short_names(&[]).is_empty());
    }

    #[test]
    fn names_can_not_leave_their_place() {
        let name = "</script><img src=x onerror=\"a('b')\">\n\u{202e}&";
        let shown = escape(name);
        assert!(!shown.contains(['<', '>', '"', '\'', '\n', '\u{202e}']), "{shown}");
        assert!(shown.ends_with("\\n\\u{202e}&amp;"), "{shown}");
        let json = "{\"sample\":\"</script><!--\u{2028}&\"}\n";
        let text = embedded("x", json);
        let inner =
            text.strip_prefix("<script type=\"application/json\" id=\"x\">").expect("start");
        let inner = inner.strip_suffix("</script>\n").expect("end");
        assert_eq!(inner, "{\"sample\":\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"}");
    }
}
