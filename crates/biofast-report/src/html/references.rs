//! Depths along the references of a sample, and of each of them.

use super::chart::{Chart, Mark};
use super::depths::{Depths, window_length};
use super::scale::Axis;
use super::table;
use super::text::{escape, numbered};
use crate::number::{decimal, grouped, percent};
use biofast_ops::measure::coverage::{TargetDepth, TargetDepths};

/// As many references are listed: the longest ones.
const LISTED: usize = 50;
/// What is drawn of windows much deeper than others.
const MOST: f64 = 0.995;
/// A reference has a name below the chart if it has this share of all positions.
const NAMED: f64 = 0.03;

/// Neighbouring windows, drawn as one.
struct Stretch {
    reference: usize,
    positions: u64,
    bases: f64,
}

/// The mean depth of windows along the references, shorter ones together; nothing where there is nothing to see.
pub(super) fn along(id: &str, depths: &Depths) -> String {
    let Some(windows) = depths.windows.as_ref().filter(|_| depths.targets.is_none()) else {
        return String::new();
    };
    let length = window_length(depths.references.iter().map(|(_, of)| of.positions()));
    let mut stretches: Vec<Stretch> = Vec::new();
    for window in windows.targets() {
        let bases = window.mean * window.len() as f64;
        match stretches.last_mut() {
            // Windows of a long reference are long enough by themselves, but for its last one.
            Some(last) if last.positions < u64::from(length) => {
                last.positions += window.len();
                last.bases += bases;
            }
            _ => stretches.push(Stretch {
                reference: window.reference,
                positions: window.len(),
                bases,
            }),
        }
    }
    if stretches.len() < 10 {
        return String::new();
    }
    let mean = |stretch: &Stretch| stretch.bases / stretch.positions as f64;
    let mut means: Vec<f64> = stretches.iter().map(mean).collect();
    means.sort_by(f64::total_cmp);
    let cut = means[((means.len() - 1) as f64 * MOST) as usize].max(1.0);
    let all: u64 = stretches.iter().map(|stretch| stretch.positions).sum();
    let x = Axis::new("Position along all references", 0.0, all as f64);
    let y = Axis::up_to("Mean depth", 1.1 * cut);
    let top = y.to;
    let mut chart = Chart::new(format!("{id}-along"), "Depth along the references", x, y);
    chart.rule(depths.all.mean(), "");
    chart.key(Mark::Line, "rule", "mean of all positions");
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    let mut before = 0u64;
    for (number, of) in stretches.chunk_by(|a, b| a.reference == b.reference).enumerate() {
        let from = before;
        let mut points = Vec::new();
        let name = depths.references.get(of[0].reference).map_or("", |(name, _)| name.as_str());
        for stretch in of {
            let middle = before as f64 + stretch.positions as f64 / 2.0;
            points.push((middle, mean(stretch).min(top)));
            chart.at(middle);
            let place = format!("{name}:{}", grouped(before - from + 1));
            rows.push(vec![place, grouped(stretch.positions), decimal(mean(stretch), 2)]);
            before += stretch.positions;
        }
        chart.line(["c1", "c2"][number % 2], &points);
        if (before - from) as f64 >= NAMED * all as f64 {
            names.push(((from + before) as f64 / 2.0, name.to_owned()));
        }
    }
    // Long names would stand on each other.
    if names.iter().map(|(_, name)| name.chars().count() + 1).sum::<usize>() > 60 {
        names.clear();
    }
    chart.x_ticks(names);
    chart.table(&["From", "Positions", "Mean depth"], rows);
    let deeper = means.iter().filter(|mean| **mean > top).count() as u64;
    let deeper = match deeper {
        0 => String::new(),
        n => format!(" {} deeper than {} are cut off.", numbered(n, "window"), decimal(top, 0)),
    };
    let colours = match depths.references.len() {
        1 => "",
        _ => "; references alternate in colour",
    };
    chart.finish(&format!(
        "Mean depth of windows of {} bases{colours}.{deeper}",
        grouped(length.into())
    ))
}

/// What is known of each reference: the longest ones, in the order of the file.
pub(super) fn listed(depths: &Depths) -> String {
    if depths.references.len() < 2 {
        return String::new();
    }
    let mut longest: Vec<usize> = (0..depths.references.len()).collect();
    longest.sort_by_key(|&at| std::cmp::Reverse(depths.references[at].1.positions()));
    longest.truncate(LISTED);
    longest.sort_unstable();
    let whole = depths.all.mean();
    let rows = longest.iter().map(|&at| {
        let (name, of) = &depths.references[at];
        let share = |depth| decimal(percent(of.at_least(depth), of.positions()), 2);
        let ratio = match whole > 0.0 {
            true => decimal(of.mean() / whole, 2),
            false => "–".into(),
        };
        let mut cells = vec![
            name.clone(),
            grouped(of.positions()),
            decimal(of.mean(), 2),
            ratio,
            share(1),
            share(10),
            share(30),
        ];
        if let Some(targets) = &depths.targets {
            cells.push(
                mean_of(targets, |target| target.reference == at)
                    .map_or("–".into(), |mean| decimal(mean, 2)),
            );
        }
        cells
    });
    let mut columns = vec![
        "Reference", "Positions", "Mean depth", "÷ mean of all", "Covered %", "≥ 10× %", "≥ 30× %",
    ];
    if depths.targets.is_some() {
        columns.push("Mean depth of targets");
    }
    let caption = match depths.references.len() {
        ..=LISTED => "References".to_owned(),
        n => format!("The {LISTED} longest of {} references", grouped(n as u64)),
    };
    table::plain(&caption, &columns, &rows.collect::<Vec<_>>())
}

/// The mean depth of all positions of the targets that are wanted.
fn mean_of(targets: &TargetDepths, wanted: impl Fn(&TargetDepth) -> bool) -> Option<f64> {
    let of = targets.targets().iter().filter(|target| wanted(target));
    let (positions, bases) = of.fold((0, 0.0), |(positions, bases), target| {
        (positions + target.len(), bases + target.mean * target.len() as f64)
    });
    (positions > 0).then(|| bases / positions as f64)
}

/// The depth of chromosomes X and Y divided by that of the autosomes, of targets where there are some: of references that are named
/// as those of human genomes.
pub(super) fn sexes(depths: &Depths) -> [Option<f64>; 2] {
    let kind = |name: &str| match name.strip_prefix("chr").unwrap_or(name) {
        "X" => Some(0),
        "Y" => Some(1),
        number => number.parse::<u8>().is_ok_and(|n| (1..=22).contains(&n)).then_some(2),
    };
    let of_kind = |wanted: usize| {
        let is = |at: usize| {
            depths.references.get(at).is_some_and(|(name, _)| kind(name) == Some(wanted))
        };
        match &depths.targets {
            Some(targets) => mean_of(targets, |target| is(target.reference)),
            None => {
                let of = depths.references.iter().enumerate().filter(|(at, _)| is(*at));
                let (positions, bases) = of.fold((0, 0), |(positions, bases), (_, (_, of))| {
                    (positions + of.positions(), bases + of.bases())
                });
                (positions > 0).then(|| bases as f64 / positions as f64)
            }
        }
    };
    let autosomes = of_kind(2).filter(|mean| *mean > 0.0);
    [0, 1].map(|sex| Some(of_kind(sex)? / autosomes?))
}

/// The same in words.
pub(super) fn sexes_in_words(sexes: [Option<f64>; 2]) -> String {
    let [Some(x), y] = sexes else { return String::new() };
    let y = y.map_or(String::new(), |y| format!(", that of Y {}", decimal(y, 2)));
    format!(
        "<p class=\"said\">{}</p>\n",
        escape(&format!(
            "The depth of chromosome X is {} of that of the autosomes{y}. In human samples, expect about 1 for X and 0 for Y with \
             two X chromosomes, and about 0.5 for each with one X and one Y.",
            decimal(x, 2)
        ))
    )
}
