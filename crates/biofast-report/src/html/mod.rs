//! A page of figures for people: one file with all it needs, that never asks the network.
//!
//! Charts are SVG drawn here; the page's few lines of script sort its tables and open what is folded
//! before it is printed. The whole report is in the page as JSON, too.

mod alignments;
mod chart;
#[cfg(test)]
mod colours;
mod compare;
mod coverage;
mod depths;
mod filter;
mod heat;
mod history;
mod long_charts;
mod packed;
mod read_charts;
mod reads;
mod references;
mod scale;
mod search_charts;
mod table;
mod text;
mod together;
mod verdicts;
mod words;

use std::fmt::Write;

use biofast_ops::filter::fastp;
use biofast_ops::filter::report::FilterReport;
use biofast_ops::measure;
use biofast_ops::measure::verdicts::{History, SampleValues};

pub use depths::{Depths, window_length};
use text::{MANY, escape, numbered};

const STYLE: &str = include_str!("page.css");
/// Each is a function of its own.
const SCRIPTS: [&str; 4] = [
    include_str!("script/tables.js"),
    include_str!("script/samples.js"),
    include_str!("script/charts.js"),
    include_str!("script/save.js"),
];

/// The page of `biofast stats`: reads, alignments or both, each with its JSON, and the samples beside those of the past. A `title`
/// of one's own stands before what is in it.
pub fn stats(
    title: Option<&str>,
    reads: Option<(&measure::reads::report::ReadReport, &str)>,
    alignments: Option<(&measure::alignments::report::AlignmentReport, &str)>,
    past: Option<(&History, &[SampleValues])>,
) -> String {
    let mut body = String::new();
    let mut data = String::new();
    let (mut samples, mut files, mut noun) = (0, 0, "sample");
    let mut version = "";
    if let Some((report, json)) = reads {
        let (section, counted) = reads::section(report);
        body += &section;
        if report.files.len() <= MANY {
            data += &embedded("biofast-stats", json);
        }
        samples += counted;
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
    if let Some((history, now)) = past {
        body += &history::section(history, now);
    }
    let about = match samples == files {
        true => numbered(samples as u64, noun),
        false => {
            format!("{} in {}", numbered(samples as u64, noun), numbered(files as u64, "file"))
        }
    };
    let subject = match (reads.is_some(), alignments.is_some()) {
        (true, false) => "Sequencing reads",
        (false, true) => "Alignments",
        _ => "Reads and alignments",
    };
    let whole = if data.is_empty() { NOT_IN_PAGE } else { IN_JSON };
    page(title, subject, &about, version, &body, &data, whole)
}

/// The page of earlier reports alone: how their samples changed.
pub fn trend(title: Option<&str>, history: &History) -> String {
    let about = numbered(history.len() as u64, "sample");
    let version = env!("CARGO_PKG_VERSION");
    let whole = "Samples are in the order of the reports; reports in a folder are sorted by name.";
    page(title, "Trend", &about, version, &history::trend(history), "", whole)
}

/// The page of `biofast coverage`.
pub fn coverage(title: Option<&str>, samples: &[Depths]) -> String {
    let whole = "<code>biofast coverage</code> prints these values as a table, and <code>--out-dir</code> writes those of each \
                 position and target.";
    let version = env!("CARGO_PKG_VERSION");
    page(
        title,
        "Coverage",
        &numbered(samples.len() as u64, "sample"),
        version,
        &coverage::section(samples),
        "",
        whole,
    )
}

/// Where the figures of a page of many samples are …
const NOT_IN_PAGE: &str = "With this many samples, the report holds no JSON; <code>biofast stats --json</code> prints all values.";
/// … and of others.
const IN_JSON: &str = "All values are in this file as JSON, in the <code>script</code> elements of type \
                       <code>application/json</code> at its end.";

/// The page of `biofast filter`, with its JSON; with fastp's report of the run it has frequent words, too.
pub fn filter(
    title: Option<&str>,
    report: &FilterReport,
    json: &str,
    fastp: Option<&fastp::FastpReport>,
) -> String {
    let data = embedded("biofast-filter", json);
    let body = filter::section(report, &fastp.map_or(String::new(), words::section));
    page(title, "Filtered reads", "", report.tool.version, &body, &data, IN_JSON)
}

fn page(
    title: Option<&str>,
    subject: &str,
    about: &str,
    version: &str,
    body: &str,
    data: &str,
    whole: &str,
) -> String {
    let version = escape(version);
    let (title, subject) = match title {
        Some(title) => (escape(title), subject),
        None => (subject.to_owned(), ""),
    };
    let about: String = [subject, about]
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("{} · ", escape(part)))
        .collect();
    let script = SCRIPTS.concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"biofast {version}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <noscript><style>.chart > .figures, .chosen-note, .sorts, thead button::after {{ display: none; }} .late {{ min-height: 0; }}</style></noscript>\n\
         </head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::text::short_names;

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
        let shown = ["a/x/r", "b/x/r", "s", "p/q", "r", "t", "t"];
        assert_eq!(short_names(&samples), shown);
        assert!(short_names(&[]).is_empty());
        let alike = ["a/x.fq", "a/x.fq.gz", "a/y.bam", ".fq", "b/.gz"].map(same);
        assert_eq!(short_names(&alike), ["a/x.fq", "a/x.fq.gz", "y", ".fq", ".gz"]);
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
