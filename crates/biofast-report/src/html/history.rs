//! Samples beside those of the past, and the past alone: a control chart for each check.

use super::chart::{Chart, Mark};
use super::scale::Axis;
use super::table;
use super::text::{escape, numbered, said, short_names};
use crate::number::{decimal, grouped};
use biofast_ops::measure::verdicts::{
    Bad, Check, ControlChart, ControlLimits, FAIL, FEWEST, History, SampleValues, Verdict, WARN,
};

/// What is drawn last and stands out.
const NOW: &str = "dot f2";
/// The past.
const PAST: &str = "dot f1";

/// The charts of samples beside their past: of checks that some of them fail first, others folded.
pub(super) fn section(history: &History, now: &[SampleValues]) -> String {
    let charts = history.charts();
    let mut of_kind: Vec<(&ControlChart<'_>, Vec<&SampleValues>)> = Vec::new();
    for sample in now {
        for chart in charts.iter().filter(|chart| chart.is_of(sample)) {
            match of_kind.iter_mut().find(|(other, _)| std::ptr::eq(*other, chart)) {
                Some((_, samples)) => samples.push(sample),
                None => of_kind.push((chart, vec![sample])),
            }
        }
    }
    let mut apart = String::new();
    let mut others = String::new();
    let mut rows = Vec::new();
    for (number, (past, samples)) in of_kind.iter().enumerate() {
        let samples: Vec<(&str, f64)> = samples
            .iter()
            .filter_map(|sample| Some((sample.name(), sample.value(past.check)?)))
            .collect();
        rows.push(row(past, &samples));
        let Some(limits) = &past.limits else { continue };
        let chart = chart(&format!("past-{number}"), past, limits, &samples);
        let judged = |(_, value): &(&str, f64)| verdict(past.check, limits, *value) > Verdict::Pass;
        let to = if samples.iter().any(judged) { &mut apart } else { &mut others };
        to.push_str(&chart);
    }
    let about = format!(
        "The baseline is {} from earlier reports. Values are compared with the median of past samples of the same kind: {} robust \
         standard deviations (1.4826 times the median absolute deviation) away are a warning, {} on the bad side a failure. With \
         fewer than {FEWEST} past samples nothing is judged.",
        numbered(history.len() as u64, "sample"),
        decimal(WARN, 1),
        decimal(FAIL, 1)
    );
    let mut text =
        "<section aria-labelledby=\"past-h\">\n<h2 id=\"past-h\">Compared with past samples</h2>\n"
            .to_owned()
            + &said(&about);
    if of_kind.is_empty() {
        text += &said("No past sample is of the same kind as one of this report.");
    }
    if !apart.is_empty() {
        text += &format!("<div class=\"charts\">\n{apart}</div>\n");
    }
    if !rows.is_empty() {
        text += &format!(
            "<details class=\"figures\"><summary>All checks</summary>{}</details>\n",
            table::plain("Checks compared with past samples", &COLUMNS, &rows)
        );
    }
    if !others.is_empty() {
        text += &format!(
            "<details class=\"checks\"><summary>Charts of checks within their limits</summary>\n<div class=\"charts\">\n\
             {others}</div></details>\n"
        );
    }
    text + "</section>\n"
}

/// The charts of the past alone, in the order of the reports.
pub(super) fn trend(history: &History) -> String {
    let mut text = String::new();
    let mut kind = None;
    for (number, past) in history.charts().iter().enumerate() {
        if kind != Some(past.kind) {
            if kind.replace(past.kind).is_some() {
                text += "</div></section>\n";
            }
            text += &format!(
                "<section aria-labelledby=\"kind-{number}\">\n<h2 id=\"kind-{number}\">{}</h2>\n<div class=\"charts\">\n",
                escape(&capital(&past.kind.to_string()))
            );
        }
        text += &match &past.limits {
            Some(limits) => chart(&format!("trend-{number}"), past, limits, &[]),
            None => said(&format!(
                "{}: {} have a value, and {FEWEST} are needed for limits.",
                past.check.measures(),
                numbered(past.past.len() as u64, "sample")
            )),
        };
    }
    match kind {
        None => said("The reports have no samples."),
        Some(_) => text + "</div></section>\n",
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

const COLUMNS: [&str; 8] = [
    "Check", "Samples", "Past samples", "Median", "Warns below", "Warns above", "Fails",
    "This report",
];

fn row(past: &ControlChart<'_>, now: &[(&str, f64)]) -> Vec<String> {
    let unit = unit(past.check);
    let shown = |value: f64| number(value) + &unit;
    let values = now.iter().map(|now| now.1);
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let range = match low == high {
        true => shown(low),
        false => format!("{} – {}", number(low), shown(high)),
    };
    let limits = match &past.limits {
        None => ["–".to_owned(), "–".into(), "–".into(), "–".into()],
        Some(limits) => {
            let bad = past.check.bad();
            [
                shown(limits.median),
                shown(limits.at(-WARN)),
                shown(limits.at(WARN)),
                format!("{} {}", bad.name(), shown(limits.failing(past.check))),
            ]
        }
    };
    let mut row =
        vec![past.check.name().to_owned(), past.kind.to_string(), past.past.len().to_string()];
    row.extend(limits);
    row.push(range);
    row
}

fn unit(check: &Check) -> String {
    match check.unit() {
        "Phred" | "reads" | "bases" => String::new(),
        "x" => "×".into(),
        unit => format!(" {unit}"),
    }
}

fn number(value: f64) -> String {
    match value >= 1000.0 {
        true => grouped(value.round() as u64),
        false => decimal(value, 2),
    }
}

fn verdict(check: &Check, limits: &ControlLimits, value: f64) -> Verdict {
    let (side, beside) = limits.beside(check, value);
    beside.judge(side, value)
}

/// Past samples in their order, then those of now, with the limits.
fn chart(id: &str, past: &ControlChart<'_>, limits: &ControlLimits, now: &[(&str, f64)]) -> String {
    let check = past.check;
    let all = past.past.iter().chain(now);
    let names = short_names(&all.clone().map(|one| (one.0, one.0)).collect::<Vec<_>>());
    let all: Vec<(&str, f64)> =
        names.iter().map(String::as_str).zip(all.map(|one| one.1)).collect();
    let n = past.past.len();
    let fails = limits.failing(check);
    let drawn = [limits.at(-WARN), limits.at(WARN), fails];
    let values = || all.iter().map(|one| one.1).chain(drawn);
    let (low, high) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    // One far away would hide how the others differ.
    let is_log = low > 0.0 && high / low > 20.0;
    let room = 0.06 * (high - low);
    let y = match is_log {
        true => Axis::new(check.measures(), low / 1.2, high * 1.2).log(true),
        false => Axis::new(check.measures(), (low - room).max(0.0), high + room),
    };
    let x = Axis::new("Sample, in the order of the reports", 0.5, all.len() as f64 + 0.5).whole();
    let mut chart =
        Chart::new(id.to_owned(), check.name(), x, Axis { name: axis_name(check), ..y });
    let ends = |value: f64| [(0.5, value), (all.len() as f64 + 0.5, value)];
    chart.line("c7", &ends(limits.median));
    // Beyond some limits there is no value.
    let warns = [(Bad::Below, drawn[0]), (Bad::Above, drawn[1])];
    let warns = warns.into_iter().filter(|&(side, limit)| limits.can_be_beyond(side, limit));
    for (_, limit) in warns.clone() {
        let name = if chart.would_touch(limit, fails) { "" } else { "warn" };
        chart.rule(limit, name);
    }
    chart.rule(fails, "fail");
    let at = |from: usize, all: &[(&str, f64)]| -> Vec<(f64, f64)> {
        (from + 1..).zip(all).map(|(place, one)| (place as f64, one.1)).collect()
    };
    chart.dots(PAST, &at(0, &past.past));
    chart.dots(NOW, &at(n, now));
    chart.key(Mark::Area, "f1", "past samples");
    if !now.is_empty() {
        chart.key(Mark::Area, "f2", "this report");
    }
    chart.key(Mark::Line, "c7", "median");
    let mut rows = Vec::new();
    for (place, (name, value)) in all.iter().enumerate() {
        chart.at(place as f64 + 1.0);
        let verdict = verdict(check, limits, *value).name();
        let when = if place < n { "past" } else { "this report" };
        rows.push(vec![
            (*name).to_owned(),
            when.into(),
            number(*value) + &unit(check),
            verdict.into(),
        ]);
    }
    chart.table(&["Sample", "Report", "Value", "Verdict"], rows);
    let whose = if now.is_empty() { &all[..] } else { &all[n..] };
    let beyond: Vec<&str> = whose
        .iter()
        .filter(|(_, value)| verdict(check, limits, *value) > Verdict::Pass)
        .map(|one| one.0)
        .collect();
    let unit = unit(check);
    let outside = match &beyond[..] {
        [] => "All samples are within the limits".to_owned(),
        [one] => format!("{one} is beyond the limits"),
        [first, ..] => format!(
            "{first} and {} are beyond the limits",
            numbered(beyond.len() as u64 - 1, "more sample").replace("1 more sample", "one more")
        ),
    };
    chart.finish_on_top(&format!(
        "{}: {}. {outside}; the median of {} is {}{unit}. Limits: warning {}, failure {} {}{unit}.",
        capital(&past.kind.to_string()),
        check.measures(),
        numbered(limits.past as u64, "past sample"),
        number(limits.median),
        warns
            .map(|(side, limit)| format!("{} {}{unit}", side.name(), number(limit)))
            .collect::<Vec<_>>()
            .join(" and "),
        check.bad().name(),
        number(fails)
    ))
}

/// The name of the axis of values: what is measured is in the description.
fn axis_name(check: &Check) -> &'static str {
    match check.unit() {
        "%" => "Percent",
        "points" => "Points",
        "Phred" => "Phred quality",
        "bases" => "Bases",
        "reads" => "Reads",
        "x" => "Depth",
        unit => unit,
    }
}
