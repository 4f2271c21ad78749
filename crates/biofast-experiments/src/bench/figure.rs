//! One job's figure: a bar for every contestant and thread budget, as SVG. Called by `page`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::jobs::{BASE, Job};
use super::runs::Run;
use crate::core::stats::{Interval, median_interval};

const WIDTH: f64 = 900.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 760.0;
const TOP: f64 = 62.0;
const BAR: f64 = 14.0;
const GAP: f64 = 12.0;

/// Colours that stay apart for colour-blind readers (Okabe and Ito).
pub(super) const OWN: &str = "#0072b2";
const LIMIT: &str = "#777777";
const PEER: &str = "#d55e00";

/// The text of the figure, of the runs of `job` on one machine.
pub(crate) fn draw(job: &Job, runs: &[&Run], machine: &str) -> String {
    // By contestant: for each thread budget, the median and its interval.
    let mut rows: Vec<(&str, BTreeMap<usize, Interval>)> = Vec::new();
    for contestant in &job.contestants {
        let mut walls: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for run in runs.iter().filter(|r| r.contestant == contestant.name && r.usage.exit == 0) {
            walls.entry(run.threads).or_default().push(run.usage.wall_s);
        }
        let bars: BTreeMap<usize, Interval> = walls
            .into_iter()
            .filter_map(|(threads, walls)| Some((threads, median_interval(&walls)?)))
            .collect();
        if !bars.is_empty() {
            rows.push((&contestant.name, bars));
        }
    }
    let best = |bars: &BTreeMap<usize, Interval>| bars.values().last().map_or(0.0, |e| e.median);
    rows.sort_by(|a, b| best(&a.1).total_cmp(&best(&b.1)));
    let most = rows.iter().flat_map(|(_, bars)| bars.values()).map(|e| e.high).fold(0.0, f64::max);
    let scale = if most > 0.0 { (RIGHT - LEFT) / most } else { 0.0 };
    let height: f64 =
        TOP + rows.iter().map(|(_, bars)| bars.len() as f64 * BAR + GAP).sum::<f64>() + 30.0;

    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"24\" font-size=\"16\">{}: seconds, by threads</text>\n\
         <text x=\"12\" y=\"44\" fill=\"#555\">Medians with exact intervals; {}</text>",
        escape(&job.name),
        escape(machine)
    );
    let mut y = TOP;
    for (name, bars) in &rows {
        let does_less = job.contestants.iter().any(|c| c.name == *name && c.weaker);
        let (colour, note) = match () {
            () if Some(*name) == job.limit.as_deref() => (LIMIT, " (limit)"),
            () if name.starts_with(BASE) => (OWN, ""),
            () if does_less => (PEER, " (does less)"),
            () => (PEER, ""),
        };
        let opacity = if does_less { 0.4 } else { 1.0 };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}{note}</text>",
            LEFT - 30.0,
            y + bars.len() as f64 * BAR / 2.0 + 4.0,
            escape(name)
        );
        for (threads, bar) in bars {
            let (x, low, high) =
                (LEFT + bar.median * scale, LEFT + bar.low * scale, LEFT + bar.high * scale);
            let middle = y + BAR / 2.0;
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\" font-size=\"10\">@{threads}</text>\n\
                 <rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>\n\
                 <path d=\"M{low:.1} {middle:.1}H{high:.1}\" stroke=\"black\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\">{:.3}</text>",
                LEFT - 6.0,
                middle + 3.5,
                y + 1.0,
                x - LEFT,
                BAR - 2.0,
                high.max(x) + 6.0,
                middle + 4.0,
                bar.median
            );
            y += BAR;
        }
        y += GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
