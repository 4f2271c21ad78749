//! What figures are worth: what isn't good in sentences, and all checks folded.

use std::fmt::Write;

use super::chart;
use super::table::TableCell;
use super::text::escape;
use crate::number::{decimal, grouped};
use biofast_ops::measure::verdicts::{Assessment, Judged, Library, PREFIX, Verdict};

/// The verdicts about a sample; nothing where there are none.
pub(super) fn section(assessment: Option<&Assessment>) -> String {
    // Where all checks are off there is nothing to say.
    let Some(assessment) = assessment.filter(|all| !all.checks.is_empty()) else {
        return String::new();
    };
    let mut text = "<div class=\"verdicts\"><h4>Verdicts</h4>\n".to_owned();
    let of = |verdict: Verdict| assessment.checks.iter().filter(move |j| j.verdict == verdict);
    let bad: Vec<&Judged> = of(Verdict::Fail).chain(of(Verdict::Warn)).collect();
    if !bad.is_empty() {
        text += "<ul>";
        for judged in &bad {
            let _ = write!(
                text,
                "<li>{} <b>{}</b> {}</li>",
                badge(judged.verdict),
                escape(&judged.check),
                escape(&judged.text)
            );
        }
        text += "</ul>\n";
    }
    let library = &assessment.library;
    let about = Library::named(library).map_or("", Library::about);
    let _ = write!(
        text,
        "<details class=\"checks\"><summary>{} (library {}: {})</summary>\n{}{}</details></div>\n",
        counted(assessment),
        escape(library),
        escape(about),
        table(assessment),
        off(assessment)
    );
    text
}

/// Which chart shows what a check is about, by the end of its id.
const SHOWN: [(&str, &[&str]); 12] = [
    ("quality", &["lowest-position-quality"]),
    ("bases", &["n-share", "n-by-position", "first-bases", "base-composition"]),
    ("gc", &["gc-deviation"]),
    ("lengths", &["mean-length", "empty-reads"]),
    ("qualities", &["q30-share", "old-encoding"]),
    ("means", &["mean-quality"]),
    ("adapters", &["adapter-content", "poly-g"]),
    ("duplication", &["duplication", "overrepresented-sequences"]),
    ("insert", &["insert-size"]),
    ("depth", &["mean-depth"]),
    ("gc-bias", &["at-dropout", "gc-dropout"]),
    (
        "reached",
        &[
            "covered-share", "covered-10x-share", "covered-20x-share", "covered-30x-share",
            "coverage-evenness",
        ],
    ),
];

/// What is in a part of a page about the sample `id`: its charts, each with the worst of the verdicts about what it shows.
pub(super) fn contents(id: &str, assessment: Option<&Assessment>, part: &str) -> String {
    let links = chart::listed(part).map(|(chart, title)| {
        let suffix = chart.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
        // Alignments have the charts of several sets of reads.
        let (set, suffix) = match suffix.and_then(|suffix| suffix.split_once('-')) {
            Some((set @ ("first" | "last" | "other"), suffix)) => (Some(set), Some(suffix)),
            _ => (None, suffix),
        };
        let set = set.map_or(String::new(), |set| format!(", {set} reads"));
        let of = |check: &Judged| {
            let shown = SHOWN.iter().find(|(name, _)| suffix == Some(name));
            let check = check.check.strip_prefix(PREFIX).unwrap_or(&check.check);
            shown.is_some_and(|(_, checks)| checks.contains(&check))
        };
        let checks = assessment.map_or(&[][..], |all| &all.checks).iter().filter(|c| of(c));
        let mark = match checks.map(|check| check.verdict).max() {
            None | Some(Verdict::NotMeasured) => String::new(),
            Some(verdict) => {
                let (class, sign) = look(verdict);
                format!(
                    "<span class=\"status {class}\" title=\"{0}\">{sign}<span class=\"unseen\"> {0}:</span></span> ",
                    word(verdict)
                )
            }
        };
        format!("<li>{mark}<a href=\"#{chart}\">{title}{set}</a></li>")
    });
    let links: Vec<String> = links.collect();
    match links.len() {
        ..2 => String::new(),
        _ => format!(
            "<ul class=\"contents\" aria-label=\"Charts of this sample\">{}</ul>\n",
            links.concat()
        ),
    }
}

/// So many samples of a check are named.
const NAMED: usize = 8;

/// What isn't good about several samples, each with its id in the page and its name: a row for each check, with its samples and the
/// sentence about the worst of them.
pub(super) fn findings(id: &str, samples: &[(String, &str, Option<&Assessment>)]) -> String {
    type Found<'a> = Vec<(&'a str, &'a str, &'a Judged)>;
    let mut checks: Vec<Found<'_>> = Vec::new();
    for (id, name, assessment) in samples {
        let judged = assessment.iter().flat_map(|all| &all.checks);
        for judged in judged.filter(|judged| judged.verdict > Verdict::Pass) {
            let one = (id.as_str(), *name, judged);
            match checks.iter_mut().find(|found| found[0].2.check == judged.check) {
                Some(found) => found.push(one),
                None => checks.push(vec![one]),
            }
        }
    }
    if samples.len() < 2 || checks.is_empty() {
        return String::new();
    }
    let beyond = |judged: &Judged| match judged.bad.as_str() {
        "below" => -judged.value.unwrap_or_default(),
        _ => judged.value.unwrap_or_default(),
    };
    for found in &mut checks {
        // The worst one first.
        found.sort_by(|(.., a), (.., b)| {
            b.verdict.cmp(&a.verdict).then(beyond(b).total_cmp(&beyond(a)))
        });
    }
    let is_past = |found: &Found<'_>| found[0].2.check.starts_with(PREFIX);
    checks.sort_by_key(|found| {
        (std::cmp::Reverse(found[0].2.verdict), is_past(found), std::cmp::Reverse(found.len()))
    });
    let mut text = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Failed checks and warnings\"><table class=\"plain \
         findings\" id=\"{id}\"><caption>Failed checks and warnings</caption><thead><tr><th scope=\"col\">Check</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">Samples, worst first</th><th scope=\"col\">Worst sample</th></tr>\
         </thead><tbody>"
    );
    for found in &checks {
        let (_, name, worst) = found[0];
        let links: Vec<String> = found
            .iter()
            .take(NAMED)
            .map(|(id, name, _)| format!("<a href=\"#{id}\">{}</a>", escape(name)))
            .collect();
        let more = match found.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(" and {} more", grouped(n as u64)),
        };
        let _ = write!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}{more}</td><td>{}: {}</td></tr>",
            escape(&worst.check),
            badge(worst.verdict),
            links.join(", "),
            escape(name),
            escape(&worst.text)
        );
    }
    text + "</tbody></table></div>\n"
}

/// Where samples are judged as those of any library: how more of them is judged.
pub(super) fn more_by_library(samples: &[(String, &str, Option<&Assessment>)]) -> &'static str {
    let is_any = |all: &&Assessment| all.library == Library::Any.name();
    match samples.iter().filter_map(|(.., assessment)| *assessment).any(|all| is_any(&all)) {
        true => {
            "<p class=\"said\">Only what is wrong in every library is judged. <code>--library TYPE</code> (wgs, exome, rna and \
             others) judges the rest, such as duplicates, GC and insert sizes, by the type of library.</p>\n"
        }
        false => "",
    }
}

/// Verdicts by number.
fn counted(assessment: &Assessment) -> String {
    let of = |verdict: Verdict| match assessment.names(verdict).len() {
        0 => None,
        n => Some(format!("{n} {}", word(verdict))),
    };
    let all = [Verdict::Fail, Verdict::Warn, Verdict::Pass, Verdict::NotMeasured].map(of);
    let all: Vec<String> = all.into_iter().flatten().collect();
    match all.is_empty() {
        true => "Nothing is judged".into(),
        false => format!("All checks: {}", all.join(", ")),
    }
}

/// A verdict as a cell of the table of all samples: failures count most.
pub(super) fn cell(assessment: Option<&Assessment>) -> TableCell {
    let Some(assessment) = assessment.filter(|all| all.verdict > Verdict::NotMeasured) else {
        return TableCell::Nothing;
    };
    let [fails, warns] = [Verdict::Fail, Verdict::Warn].map(|v| assessment.names(v).len());
    let part = |verdict: Verdict, n: usize| {
        let (class, sign) = look(verdict);
        format!("<span class=\"status {class}\">{sign} {n} {}</span>", verdict.name())
    };
    let markup = match (fails, warns) {
        (0, 0) => badge(Verdict::Pass),
        (0, warns) => part(Verdict::Warn, warns),
        (fails, 0) => part(Verdict::Fail, fails),
        (fails, warns) => part(Verdict::Fail, fails) + ", " + &part(Verdict::Warn, warns),
    };
    TableCell::Drawing(markup, (1000 * fails + warns) as f64)
}

/// How many checks failed, as a cell of verdicts has them.
pub(super) fn fails(cell: &TableCell) -> u64 {
    match cell {
        TableCell::Drawing(_, sum) => *sum as u64 / 1000,
        _ => 0,
    }
}

/// The verdicts about reads that were changed, and the numbers of those before.
pub(super) fn before_and_after(before: &Assessment, after: &Assessment) -> String {
    let before = super::text::said(&format!("Before filtering: {}.", counted(before)));
    section(Some(after)).replacen("<h4>Verdicts</h4>", "<h4>Verdicts after filtering</h4>", 1)
        + &before
}

/// The class and the sign of a verdict: it isn't told by colour alone.
fn look(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Fail => ("bad", "✗"),
        Verdict::Warn => ("doubt", "!"),
        Verdict::Pass => ("good", "✓"),
        Verdict::NotMeasured => ("unknown", "–"),
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotMeasured => "not measured",
        verdict => verdict.name(),
    }
}

fn badge(verdict: Verdict) -> String {
    let (class, sign) = look(verdict);
    format!("<span class=\"status {class}\">{sign} {}</span>", word(verdict))
}

fn table(assessment: &Assessment) -> String {
    let mut text = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Verdicts\"><table><caption>Verdicts and \
                    their limits; a value that equals a limit is within it</caption><thead><tr>"
        .to_owned();
    for column in ["Check", "Verdict", "Value", "Warns", "Fails", "In words"] {
        let _ = write!(text, "<th scope=\"col\">{column}</th>");
    }
    text += "</tr></thead><tbody>";
    for judged in &assessment.checks {
        let unit = match judged.unit.as_str() {
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        let number = |value: f64| {
            // Those of reads are large.
            let shown = match value.fract() == 0.0 && value >= 0.0 {
                true => grouped(value as u64),
                false => decimal(value, 2),
            };
            escape(&(shown + &unit))
        };
        let limit = |limit: Option<f64>| match limit {
            Some(limit) => format!("{} {}", escape(&judged.bad), number(limit)),
            None => "never".into(),
        };
        let _ = write!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td>{}</td></tr>",
            escape(&judged.check),
            badge(judged.verdict),
            judged.value.map_or("–".into(), number),
            limit(judged.warn),
            limit(judged.fail),
            escape(&judged.text)
        );
    }
    text + "</tbody></table></div>\n"
}

/// What isn't judged, by reason.
fn off(assessment: &Assessment) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for off in &assessment.off {
        match reasons.iter_mut().find(|(why, _)| *why == off.why) {
            Some((_, checks)) => checks.push(&off.check),
            None => reasons.push((&off.why, vec![&off.check])),
        }
    }
    let reasons = reasons.iter().map(|(why, checks)| format!("{} ({why})", checks.join(", ")));
    let reasons: Vec<String> = reasons.collect();
    match reasons.is_empty() {
        true => String::new(),
        false => super::text::said(&format!("Not judged: {}.", reasons.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_ops::measure::verdicts::Off;

    #[test]
    fn what_is_bad_comes_first_in_words_and_nothing_can_leave_its_place() {
        let judged = |check: &str, verdict| Judged {
            check: check.into(),
            verdict,
            value: (verdict != Verdict::NotMeasured).then_some(12.5),
            unit: "%".into(),
            bad: "above".into(),
            warn: Some(5.0),
            fail: None,
            text: "12.5 % <b>".into(),
        };
        let assessment = Assessment {
            library: "any".into(),
            verdict: Verdict::Fail,
            checks: vec![
                judged("one", Verdict::Pass),
                judged("two", Verdict::Warn),
                judged("three", Verdict::Fail),
                judged("four", Verdict::NotMeasured),
            ],
            off: ["a", "b"].map(|check| Off { check: check.into(), why: "so".into() }).to_vec(),
        };
        let text = section(Some(&assessment));
        assert!(text.find("three").expect("fail") < text.find("two").expect("warn"), "{text}");
        assert!(text.contains("All checks: 1 fail, 1 warn, 1 pass, 1 not measured"), "{text}");
        assert!(text.contains("Not judged: a, b (so)."), "{text}");
        assert!(
            text.contains("<td class=\"n\">above 5 %</td><td class=\"n\">never</td>"),
            "{text}"
        );
        assert!(!text.contains("% <b>"), "{text}");
        let TableCell::Drawing(markup, value) = cell(Some(&assessment)) else {
            panic!("no drawing")
        };
        assert!(markup.contains("✗ 1 fail") && markup.contains("! 1 warn"), "{markup}");
        assert_eq!(value, 1001.0);
        assert_eq!(section(None), "");
    }
}
