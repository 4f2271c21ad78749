//! The page of a filter's run: before and after, and why reads were rejected.

use std::collections::BTreeMap;

use super::chart::{Chart, by_column};
use super::read_charts::{
    bases_by_position, length_bins, mean_quality_axis, middle, position_axis,
};
use super::scale::Axis;
use super::table;
use super::text::{escape, notice, numbered};
use super::{search_charts, verdicts};
use crate::bins::{self, Bin};
use crate::gc_model;
use crate::number::{decimal, grouped, percent};
use biofast_ops::filter::report::{FileRole, FilterReport, FilteringBlock, FragmentLengths};
use biofast_ops::measure::reads::AdapterContent;
use biofast_ops::measure::reads::report::{Qc, Statistics};
use biofast_ops::measure::verdicts::{Assessment, Library, VerdictRules};

/// How before and after look.
const MARKS: [(&str, &str); 2] = [("before", "c7 dash1"), ("after", "c1")];

/// Everything about a run.
pub(super) fn section(report: &FilterReport, words: &str) -> String {
    let mut text = format!(
        "<section aria-labelledby=\"filter-h\">\n<h2 id=\"filter-h\">Before and after</h2>\n<p class=\"from\">\
         Command: <code>{}</code></p>\n",
        escape(&report.command)
    );
    let (before, after) = (&report.summary.before_filtering, &report.summary.after_filtering);
    text += &format!(
        "<div class=\"pair\">{}<div>{}</div></div>\n",
        before_and_after(before, after),
        trimmed(report)
    );
    text += &rejected(report);
    text += &adapters(report);
    text += &inserts(report);
    match &report.curves {
        Some(curves) => {
            let second =
                curves.read2_before_filtering.as_ref().zip(curves.read2_after_filtering.as_ref());
            let name = if second.is_some() { "First reads of pairs" } else { "Reads" };
            let first = (&curves.read1_before_filtering, &curves.read1_after_filtering);
            let [adapters, of_second] = &curves.adapters;
            let sets = [&first.0.statistics, &first.1.statistics];
            text += &compared("f1", name, sets, adapters.as_ref());
            if let Some((before, after)) = second {
                let sets = [&before.statistics, &after.statistics];
                text += &compared("f2", "Second reads of pairs", sets, of_second.as_ref());
            }
        }
        None => text += &notice("doubt", "Note", "Charts are made for FASTQ only."),
    }
    text += words;
    text += &files(report);
    text + "</section>\n"
}

fn before_and_after(before: &FilteringBlock, after: &FilteringBlock) -> String {
    let percents = |share: f64| format!("{} %", decimal(100.0 * share, 2));
    let count = |name: &str, before: u64, after: u64| {
        let kept = format!("{} %", decimal(percent(after, before), 2));
        vec![name.to_owned(), grouped(before), grouped(after), kept]
    };
    let share = |name: &str, before: f64, after: f64| {
        vec![name.to_owned(), percents(before), percents(after), String::new()]
    };
    let first = match before.read2_mean_length {
        Some(_) => "Mean length of first reads, rounded down",
        None => "Mean length, rounded down",
    };
    let mut rows = vec![
        count("Reads", before.total_reads, after.total_reads),
        count("Bases", before.total_bases, after.total_bases),
        count(first, before.read1_mean_length, after.read1_mean_length),
    ];
    if let Some(length) = before.read2_mean_length {
        rows.push(count(
            "Mean length of second reads, rounded down",
            length,
            after.read2_mean_length.unwrap_or(0),
        ));
    }
    rows.push(share("Bases of quality 20 or more", before.q20_rate, after.q20_rate));
    rows.push(share("Bases of quality 30 or more", before.q30_rate, after.q30_rate));
    rows.push(share("GC", before.gc_content, after.gc_content));
    table::plain("Summary of the run", &["Statistic", "Before", "After", "Kept"], &rows)
}

/// What became of the reads, as a flow and as a table.
fn rejected(report: &FilterReport) -> String {
    let all = report.summary.before_filtering.total_reads;
    let mut reasons: Vec<(String, u64)> = report
        .rejected
        .iter()
        .filter(|(_, reads)| **reads > 0)
        .map(|(name, &reads)| (name.replace('_', " "), reads))
        .collect();
    reasons.sort_by_key(|&(_, reads)| std::cmp::Reverse(reads));
    let mut text = "<h2>Reasons for rejection</h2>\n".to_owned();
    if reasons.is_empty() {
        return text + "<p>No read was rejected.</p>\n";
    }
    let rows: Vec<Vec<String>> = reasons
        .iter()
        .map(|(name, n)| vec![name.clone(), grouped(*n), format!("{:.2}", percent(*n, all))])
        .collect();
    text += "<div class=\"pair\"><div>";
    text += &flow(report.summary.after_filtering.total_reads, &reasons);
    text += "</div>";
    text += &table::plain("Rejected reads", &["Reason", "Reads", "% of all"], &rows);
    text + "</div>\n"
}

/// Where the flow's bars are, and how high all reads are.
const FLOW: [f64; 3] = [6.0, 200.0, 150.0];

/// Reads as a stream that parts: kept, and rejected for each reason.
fn flow(kept: u64, reasons: &[(String, u64)]) -> String {
    let [left, right, height] = FLOW;
    let all: u64 = kept + reasons.iter().map(|reason| reason.1).sum::<u64>();
    let parts =
        std::iter::once(("kept", kept)).chain(reasons.iter().map(|(name, n)| (name.as_str(), *n)));
    let (mut from, mut to) = (10.0, 10.0);
    let mut marks = String::new();
    for (i, (name, n)) in parts.enumerate() {
        let thick = height * n as f64 / all.max(1) as f64;
        // What is there at all can be seen, and has room for its name.
        let room = thick.max(17.0);
        let (top, shown) = (to + (room - thick) / 2.0, thick.max(0.8));
        let class = if i == 0 { "f1" } else { "f2" };
        let at = |value: f64| decimal(value, 1);
        let middle = (left + right) / 2.0;
        marks += &format!(
            "<path class=\"mark area narrow {class}\" d=\"M{l} {y0}C{m} {y0} {m} {y1} {r} {y1}V{y2}C{m} {y2} {m} {y3} {l} {y3}Z\"/>\
             <rect class=\"mark bar {class}\" x=\"{l0}\" y=\"{y0}\" width=\"6\" height=\"{h}\"/>\
             <rect class=\"mark bar {class}\" x=\"{r}\" y=\"{y1}\" width=\"6\" height=\"{h}\"/>\
             <text class=\"name\" x=\"{t}\" y=\"{y4}\">{name}: {count} ({share} %)</text>",
            l = at(left + 6.0),
            l0 = at(left),
            m = at(middle),
            r = at(right),
            t = at(right + 14.0),
            y0 = at(from),
            y1 = at(top),
            y2 = at(top + shown),
            y3 = at(from + shown),
            y4 = at(top + shown / 2.0 + 4.0),
            h = at(shown),
            name = escape(name),
            count = grouped(n),
            share = decimal(percent(n, all), 2),
        );
        from += thick;
        to += room + 5.0;
    }
    let rows =
        std::iter::once(("kept", kept)).chain(reasons.iter().map(|(name, n)| (name.as_str(), *n)));
    let rows: Vec<Vec<String>> = rows.map(|(name, n)| vec![name.into(), grouped(n)]).collect();
    let most = match reasons.first() {
        Some((name, _)) => format!("; the most frequent reason for rejection is {name}"),
        None => String::new(),
    };
    let said = format!(
        "Of {} reads, {} are kept ({} %){most}.",
        grouped(all),
        grouped(kept),
        decimal(percent(kept, all), 2)
    );
    format!(
        "<figure class=\"chart\" id=\"rejected\" data-columns=\"What became of them\tReads\" data-figures=\"{}\"><figcaption><h4 aria-level=\"3\">What \
         became of the reads</h4></figcaption><svg viewBox=\"0 0 560 {}\" role=\"img\" aria-labelledby=\"rejected-t \
         rejected-d\"><title id=\"rejected-t\">What became of the reads</title><desc id=\"rejected-d\">{said}</desc>{marks}</svg>\
         <p class=\"said\">{said}</p></figure>\n",
        by_column(&rows),
        decimal(to.max(height + 10.0) + 8.0, 0),
        said = escape(&said)
    )
}

fn trimmed(report: &FilterReport) -> String {
    let rows: Vec<Vec<String>> = report
        .trimmed
        .iter()
        .filter(|(_, trimmed)| trimmed.reads > 0)
        .map(|(name, t)| vec![name.replace('_', " "), grouped(t.reads), grouped(t.bases)])
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => table::plain("Bases trimmed from reads", &["Trimmed by", "Reads", "Bases"], &rows),
    }
}

fn adapters(report: &FilterReport) -> String {
    if report.detected_adapters.is_empty() {
        return String::new();
    }
    let mut text = "<h2>Adapters found</h2>\n<ul>\n".to_owned();
    for found in &report.detected_adapters {
        text += &format!("<li>{}</li>\n", escape(&found.to_string()));
    }
    text + "</ul>\n"
}

/// Insert sizes of a smaller share of the pairs, in percent, come with a caution …
const LEAST_KNOWN: f64 = 50.0;
/// … and so do those of fewer pairs.
const FEWEST_PAIRS: u64 = 1000;

/// Lengths of fragments, up to the longest.
fn inserts(report: &FilterReport) -> String {
    let Some(FragmentLengths { peak, unknown, histogram }) = &report.insert_size else {
        return String::new();
    };
    let Some(longest) = histogram.iter().rposition(|&n| n > 0) else { return String::new() };
    let highest = histogram.iter().max().copied().unwrap_or(0);
    let x = Axis::new("Length of the fragment in bases", 0.0, longest as f64);
    let y = Axis::up_to("Pairs", highest as f64).whole();
    let mut chart = Chart::new("inserts".into(), "Insert sizes", x.whole(), y);
    let points: Vec<(f64, f64)> = histogram
        .iter()
        .take(longest + 1)
        .enumerate()
        .map(|(i, &n)| (i as f64, n as f64))
        .collect();
    chart.line("c1", &points);
    let rows = histogram.iter().enumerate().filter(|(_, n)| **n > 0);
    rows.clone().for_each(|(len, _)| chart.at(len as f64));
    let rows = rows.map(|(len, &n)| vec![grouped(len as u64), grouped(n)]).collect();
    chart.table(&[x.name, "Pairs"], rows);
    let known: u64 = histogram.iter().sum();
    let share = percent(known, known + unknown);
    let said = format!(
        "The mates of {} of {} ({} %) overlap, which gives the size; the most frequent is {peak} bases. In the others, mates don't overlap, \
         or the fragment has 512 bases or more.",
        grouped(known),
        numbered(known + unknown, "pair"),
        decimal(share, 2)
    );
    // What is seen of few pairs is the short end of all fragments.
    let caution = match share < LEAST_KNOWN {
        true => notice(
            "doubt",
            "Caution",
            &format!(
                "the chart shows only the {} % of the pairs whose mates overlap, which are the shortest fragments. It isn't \
                 the library's insert size distribution: for that, run biofast stats --html on aligned reads.",
                decimal(share, 2)
            ),
        ),
        false => String::new(),
    };
    let few = match known < FEWEST_PAIRS {
        true => notice(
            "doubt",
            "Caution",
            &format!("{} are too few for a distribution.", numbered(known, "pair")),
        ),
        false => String::new(),
    };
    format!(
        "<h2>Inserts</h2>\n{caution}{few}<div class=\"charts\">\n{}</div>\n",
        chart.finish_on_top(&said)
    )
}

fn files(report: &FilterReport) -> String {
    let rows: Vec<Vec<String>> = report
        .files
        .iter()
        .map(|file| {
            let role = match file.role {
                FileRole::Input => "read",
                FileRole::Output => "kept reads",
                FileRole::Rejected => "rejected reads",
            };
            vec![
                file.path.clone(),
                role.into(),
                grouped(file.records.reads),
                file.records.checksum.clone(),
            ]
        })
        .collect();
    let columns = ["File", "Role", "Reads", "Checksum of records"];
    "<h2>Files</h2>\n".to_owned() + &table::plain("Files read and written", &columns, &rows)
}

/// What came in and what was kept, in the same charts.
fn compared(
    id: &str,
    name: &str,
    [before, after]: [&Statistics; 2],
    adapters: Option<&[AdapterContent; 2]>,
) -> String {
    let mut charts = String::new();
    charts += &quality(id, [before, after]);
    if let Some(sets) = adapters {
        charts += &search_charts::adapters_before_and_after(id, sets);
    }
    for (set, when) in [(before, "before"), (after, "after")] {
        if set.bases > 0 {
            let title = format!("Bases by position, {when}");
            charts += &bases_by_position(&format!("{id}-{when}"), &title, set);
        }
    }
    charts += &lines(
        format!("{id}-gc"),
        "GC of reads",
        Axis { unit: " %", ..Axis::new("G and C in the read", 0.0, 100.0) },
        "Reads",
        [before, after].map(|s| match gc_model::without_gaps(s) {
            Some(reads) => (0..).zip(reads.iter().map(|n| n.round() as u64)).collect(),
            None => (0..).zip(s.composition.gc_histogram.iter().copied()).collect(),
        }),
        &format!(
            "GC of all bases is {} % before and {} % after.",
            decimal(before.composition.gc_percent, 2),
            decimal(after.composition.gc_percent, 2)
        ),
    );
    charts += &lengths(id, before, after);
    let last = before.quality.histogram.last().map_or(0, |row| row.0).max(40);
    let phred = |s: &Statistics| -> Vec<(u64, u64)> {
        let counts: BTreeMap<u8, u64> = s.quality.histogram.iter().copied().collect();
        (0..=last).map(|q| (q.into(), counts.get(&q).copied().unwrap_or(0))).collect()
    };
    charts += &lines(
        format!("{id}-qualities"),
        "Qualities of bases",
        Axis::new("Phred quality", 0.0, last.into()).whole(),
        "Bases",
        [before, after].map(phred),
        &format!(
            "{} % of the bases have quality 30 or more before, {} % after.",
            decimal(before.quality.q30_percent.unwrap_or_default(), 2),
            decimal(after.quality.q30_percent.unwrap_or_default(), 2)
        ),
    );
    let rules = VerdictRules::of(Library::Any);
    let judged = |reads: &Statistics, adapters: Option<&AdapterContent>| {
        let mut reads = reads.clone();
        reads.qc = adapters.map(|adapters| Box::new(Qc::of_adapters(adapters.clone())));
        Assessment::of_reads(&reads, &rules)
    };
    let verdicts = verdicts::before_and_after(
        &judged(before, adapters.map(|sets| &sets[0])),
        &judged(after, adapters.map(|sets| &sets[1])),
    );
    format!(
        "<div class=\"sample\"><h3 class=\"head\">{name}</h3>{verdicts}<div class=\"charts\">\n{charts}</div></div>\n"
    )
}

fn quality(id: &str, sets: [&Statistics; 2]) -> String {
    let x = position_axis(sets.iter().flat_map(|s| &s.positions));
    let y = mean_quality_axis(sets.iter().flat_map(|s| &s.positions));
    let mut chart = Chart::new(format!("{id}-quality"), "Mean quality by position", x, y);
    chart.rule(30.0, "Q30");
    chart.rule(20.0, "Q20");
    for ((name, class), s) in MARKS.into_iter().zip(sets) {
        let points: Vec<_> =
            s.positions.iter().filter_map(|p| Some((middle(p), p.mean_quality?))).collect();
        chart.named_line(class, &points, name);
    }
    let [before, after] = sets;
    let mut rows = Vec::new();
    for (i, p) in before.positions.iter().enumerate() {
        let kept = after.positions.get(i).map(|p| decimal(p.mean_quality.unwrap_or_default(), 2));
        let kept = kept.unwrap_or("–".into());
        let place = Bin { from: p.start as u64, to: p.end as u64, count: 0 }.label();
        let mean = decimal(p.mean_quality.unwrap_or_default(), 2);
        chart.at(middle(p));
        rows.push(vec![place, mean, kept]);
    }
    chart.table(&["Position", "Before", "After"], rows);
    chart.finish(&format!(
        "The mean quality (of error probabilities) is {} before and {} after.",
        decimal(before.quality.mean.unwrap_or_default(), 2),
        decimal(after.quality.mean.unwrap_or_default(), 2)
    ))
}

fn lengths(id: &str, before: &Statistics, after: &Statistics) -> String {
    // Both in the same bins: those of all lengths there are.
    let mut all: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    for (set, s) in [before, after].into_iter().enumerate() {
        for &(length, n) in &s.length.histogram {
            all.entry(length).or_default()[set] += n;
        }
    }
    let union: Vec<(u64, u64)> = all.iter().map(|(&length, n)| (length, n[0] + n[1])).collect();
    let (_, axis) = length_bins(&union);
    let binned = |set: usize| -> Vec<(u64, u64)> {
        let counts: Vec<(u64, u64)> = all.iter().map(|(&length, n)| (length, n[set])).collect();
        let bins = if axis.log { bins::by_ratio(&counts, 20) } else { bins::equal(&counts, 100) };
        bins.iter().map(|bin| (bin.from, bin.count)).collect()
    };
    lines(
        format!("{id}-lengths"),
        "Lengths of reads",
        axis,
        "Reads",
        [binned(0), binned(1)],
        &format!(
            "The mean length is {} bases before and {} after.",
            decimal(before.length.mean, 1),
            decimal(after.length.mean, 1)
        ),
    )
}

/// Two histograms as lines.
fn lines(
    id: String,
    title: &str,
    x: Axis,
    counted: &'static str,
    sets: [Vec<(u64, u64)>; 2],
    said: &str,
) -> String {
    let highest = sets.iter().flatten().map(|&(_, n)| n).max().unwrap_or(0);
    let mut chart = Chart::new(id, title, x, Axis::up_to(counted, highest as f64).whole());
    for ((name, class), counts) in MARKS.into_iter().zip(&sets) {
        // A single value has no line; a step up and down shows it. Points of one place would be one point.
        let points: Vec<(f64, f64)> = match counts.as_slice() {
            [(value, n)] => {
                let value = *value as f64;
                vec![
                    (value - 0.5, 0.0),
                    (value - 0.45, *n as f64),
                    (value + 0.45, *n as f64),
                    (value + 0.5, 0.0),
                ]
            }
            counts => counts.iter().map(|&(value, n)| (value as f64, n as f64)).collect(),
        };
        chart.named_line(class, &points, name);
    }
    let [before, after] = &sets;
    let rows = before.iter().zip(after).filter(|(b, a)| b.1 + a.1 > 0);
    rows.clone().for_each(|(b, _)| chart.at(b.0 as f64));
    let rows = rows.map(|(b, a)| vec![grouped(b.0), grouped(b.1), grouped(a.1)]).collect();
    chart.table(&[x.name, "Before", "After"], rows);
    chart.finish(said)
}
