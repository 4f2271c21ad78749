//! Charts with all samples of reads: lines, and a heat map where they are many.

use super::chart::{Chart, Mark};
use super::heat;
use super::packed::Packs;
use super::read_charts::{mean_quality_axis, middle, position_axis};
use super::scale::Axis;
use super::text::{MANY, numbered};
use crate::gc_model;
use crate::number::{decimal, grouped, median};
use biofast_ops::measure::reads::report::{ReadFileReport, ReadReport, Statistics};

/// Columns of positions where samples are many.
const COLUMNS: usize = 60;
/// Rows of the heat map; samples that share one are as bad as the worst of them.
const ROWS: usize = 107;
/// Outliers that get a line of their own.
const NAMED: usize = 6;
const COLOURS: [&str; 7] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// A file of reads as the page has it.
pub(super) struct Placed {
    /// Its name as it is shown.
    pub(super) name: String,
    /// The number of its sample: mates share one.
    pub(super) unit: usize,
    /// 1 or 2, of mates.
    pub(super) mate: Option<u8>,
}

/// One sample: its id in the page, and its figures.
struct Sample<'a> {
    id: String,
    name: &'a str,
    placed: &'a Placed,
    file: &'a ReadFileReport,
}

/// Charts of all samples, where there are several. `order` has the ids as they are in the table, `outliers` those of unusual ones.
pub(super) fn charts(
    report: &ReadReport,
    placed: &[Placed],
    order: &[String],
    outliers: &[String],
) -> String {
    let samples = report.files.iter().zip(placed).enumerate();
    let mut good: Vec<Sample<'_>> = samples
        .filter(|(_, (file, _))| file.error.is_none() && file.statistics.bases > 0)
        .map(|(i, (file, placed))| Sample { id: format!("r{i}"), name: &placed.name, placed, file })
        .collect();
    if good.len() < 2 {
        return String::new();
    }
    good.sort_by_key(|sample| order.iter().position(|id| *id == sample.id));
    let is_many = good.len() > MANY;
    let mut charts = quality(&good, outliers, is_many);
    charts += &gc(&good, outliers, is_many);
    if is_many {
        charts += &heat_map(&good);
    }
    joint("pj", &charts, is_many)
}

/// Charts with all samples, packed where these are many; their packs begin with `packs`.
pub(super) fn joint(packs: &'static str, charts: &str, is_many: bool) -> String {
    let head = "<h3 class=\"head\">All samples together</h3>";
    let charts = format!("<div class=\"charts\">\n{charts}</div>");
    if !is_many {
        return format!("<div class=\"sample joint\">{head}{charts}</div>\n");
    }
    let mut packs = Packs::new(packs);
    let pack = packs.add(&charts);
    format!(
        "<div class=\"sample joint late\"{pack}>{head}<noscript><p>The charts are compressed and need the page's \
         script.</p></noscript></div>\n{}",
        packs.finish()
    )
}

/// How many samples there are; mates are files.
fn named(samples: &[Sample<'_>]) -> String {
    let noun = match samples.iter().any(|sample| sample.placed.mate.is_some()) {
        true => "file",
        false => "sample",
    };
    numbered(samples.len() as u64, noun)
}

/// The ids of the samples, and their names.
fn named_ids<'s>(samples: &'s [Sample<'_>]) -> Vec<(&'s str, &'s str)> {
    samples.iter().map(|sample| (sample.id.as_str(), sample.name)).collect()
}

/// How a sample's line looks, and whether it has a place in the key.
fn look(number: usize, id: &str, outliers: &[String], is_many: bool) -> (String, bool) {
    if !is_many {
        let dash = ["", " dash1", " dash2", " dash3"][number / 7 % 4];
        return (format!("thin {}{dash}", COLOURS[number % 7]), true);
    }
    match outliers.iter().take(NAMED).position(|outlier| outlier == id) {
        Some(i) => (COLOURS[i % 6].to_owned(), true),
        None => ("faint".into(), false),
    }
}

/// Draws a line for each sample, of which the id and the name are known, the named ones last, over a band of those between.
pub(super) fn lines(
    chart: &mut Chart,
    lines: &[Vec<(f64, f64)>],
    samples: &[(&str, &str)],
    outliers: &[String],
    is_many: bool,
) {
    let mut named = Vec::new();
    for (number, (points, (id, name))) in lines.iter().zip(samples).enumerate() {
        let (class, is_named) = look(number, id, outliers, is_many);
        match is_named {
            true => named.push((class, points, id, *name)),
            false => chart.sample(&class, points, id, true),
        }
    }
    for (class, points, id, name) in named {
        chart.sample(&class, points, id, false);
        chart.key(Mark::Line, &class, name);
    }
    match is_many {
        true => chart.key(Mark::Line, "faint", "other samples"),
        false => table(chart, lines, samples),
    }
}

/// The values of lines, a column for each sample.
fn table(chart: &mut Chart, lines: &[Vec<(f64, f64)>], samples: &[(&str, &str)]) {
    let mut places: Vec<f64> = lines.iter().flatten().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut rest: Vec<_> = lines.iter().map(|line| line.iter().peekable()).collect();
    let mut rows = Vec::new();
    for &place in &places {
        chart.at(place);
        let mut row = vec![decimal(place, 1)];
        for line in &mut rest {
            let value = line.next_if(|point| point.0 <= place).map(|point| decimal(point.1, 3));
            row.push(value.unwrap_or("–".into()));
        }
        rows.push(row);
    }
    let names = samples.iter().map(|sample| sample.1);
    chart.table(&[chart.x_name()].into_iter().chain(names).collect::<Vec<_>>(), rows);
}

fn quality(samples: &[Sample<'_>], outliers: &[String], is_many: bool) -> String {
    let positions = || samples.iter().flat_map(|sample| &sample.file.statistics.positions);
    let (x, y) = (position_axis(positions()), mean_quality_axis(positions()));
    let mut chart = Chart::new("all-quality".into(), "Mean quality by position", x, y);
    chart.rule(30.0, "Q30");
    chart.rule(20.0, "Q20");
    let points = |s: &Statistics| -> Vec<(f64, f64)> {
        let all = s.positions.iter().filter_map(|p| Some((middle(p), p.mean_quality?)));
        match is_many {
            false => all.collect(),
            true => thinned(&all.collect::<Vec<_>>()),
        }
    };
    let all: Vec<_> = samples.iter().map(|sample| points(&sample.file.statistics)).collect();
    lines(&mut chart, &all, &named_ids(samples), outliers, is_many);
    let with_mean =
        samples.iter().filter_map(|sample| Some((sample, sample.file.statistics.quality.mean?)));
    let said = with_mean.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(
        String::new(),
        |(sample, mean)| {
            format!(
                "A line for each of {}; the lowest quality of the mean error is {}, of {}.",
                named(samples),
                decimal(mean, 2),
                sample.name
            )
        },
    );
    chart.finish(&said)
}

/// At most [`COLUMNS`] of the points.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(COLUMNS).max(1);
    let last =
        points.last().copied().filter(|_| !points.len().saturating_sub(1).is_multiple_of(every));
    points.iter().copied().step_by(every).chain(last).collect()
}

fn gc(samples: &[Sample<'_>], outliers: &[String], is_many: bool) -> String {
    let shares = |s: &Statistics| -> Vec<f64> {
        let histogram = gc_model::without_gaps(s).map_or(Vec::new(), Vec::from);
        let all: f64 = histogram.iter().sum();
        histogram.into_iter().map(|n| 100.0 * n / all.max(f64::MIN_POSITIVE)).collect()
    };
    let all: Vec<Vec<f64>> = samples.iter().map(|sample| shares(&sample.file.statistics)).collect();
    let highest = all.iter().flatten().copied().fold(0.0, f64::max);
    let x = Axis { unit: " %", ..Axis::new("G and C in the read", 0.0, 100.0) };
    let y = Axis::up_to("Share of reads", highest).percent();
    let mut chart = Chart::new("all-gc".into(), "GC of reads", x, y);
    let points = |shares: &Vec<f64>| -> Vec<(f64, f64)> {
        let share = |at: usize| shares.get(at).copied().unwrap_or(0.0);
        let points = shares.iter().enumerate();
        // Within a stretch of 0 nothing is drawn but its ends.
        let points = points.filter(|&(at, &here)| {
            !is_many
                || here > 0.0
                || share(at + 1) > 0.0
                || at == 0
                || share(at - 1) > 0.0
                || at == 100
        });
        points.map(|(at, &share)| (at as f64, share)).collect()
    };
    let drawn: Vec<_> = all.iter().map(points).collect();
    lines(&mut chart, &drawn, &named_ids(samples), outliers, is_many);
    let gcs = samples.iter().map(|sample| sample.file.statistics.composition.gc_percent);
    let (low, high) =
        gcs.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), gc| (low.min(gc), high.max(gc)));
    chart.finish(&format!(
        "A line for each of {}, whose GC is between {} and {} %.",
        named(samples),
        decimal(low, 2),
        decimal(high, 2)
    ))
}

/// Mean quality by position, less the median of all samples there: a row for each sample, the first of the table on top.
fn heat_map(samples: &[Sample<'_>]) -> String {
    let positions = || samples.iter().flat_map(|sample| &sample.file.statistics.positions);
    let axis = position_axis(positions());
    let longest =
        samples.iter().map(|sample| sample.file.statistics.positions.len()).max().unwrap_or(1);
    let columns = COLUMNS.min(longest).max(1);
    let scale = axis.between(0.0, columns as f64);
    let mut chart = Chart::new(
        "all-heat".into(),
        "Quality by sample and position",
        Axis::new(axis.name, 0.0, columns as f64),
        Axis::new("Row in the table of samples", 0.0, samples.len() as f64),
    );
    // Means of the positions in each column.
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for sample in samples {
        let mut sums = vec![(0.0, 0u32); columns];
        for p in &sample.file.statistics.positions {
            if let (Some(mean), Some(sum)) =
                (p.mean_quality, sums.get_mut((scale.at(middle(p)) as usize).min(columns - 1)))
            {
                *sum = (sum.0 + mean, sum.1 + 1);
            }
        }
        let mean = |(sum, n): (f64, u32)| if n == 0 { f64::INFINITY } else { sum / f64::from(n) };
        rows.push(sums.into_iter().map(mean).collect());
    }
    // First and second reads are not alike.
    let mut sides: Vec<Option<u8>> = samples.iter().map(|sample| sample.placed.mate).collect();
    sides.sort_unstable();
    sides.dedup();
    for (column, side) in (0..columns).flat_map(|column| sides.iter().map(move |s| (column, s))) {
        let of_side = |(_, sample): &(&mut Vec<f64>, &Sample<'_>)| sample.placed.mate == *side;
        let own = rows.iter_mut().zip(samples).filter(of_side);
        let mut own: Vec<&mut f64> = own.filter_map(|(row, _)| row.get_mut(column)).collect();
        let mut values: Vec<f64> =
            own.iter().map(|value| **value).filter(|value| value.is_finite()).collect();
        let Some(middle) = median(&mut values) else { continue };
        own.iter_mut().for_each(|value| **value -= middle);
    }
    // The chart is drawn from below.
    rows.reverse();
    let per_row = rows.len().div_ceil(ROWS).max(1);
    let mut names = Vec::new();
    let mut listed = Vec::new();
    for (number, (row, sample)) in rows.iter().zip(samples.iter().rev()).enumerate() {
        let place = samples.len() - number;
        if place == 1 || place.is_multiple_of(samples.len().div_ceil(6).max(1)) {
            names.push((number as f64 + 0.5, place.to_string()));
        }
        let lowest = row.iter().copied().fold(f64::INFINITY, f64::min);
        chart.at_height(number as f64 + 0.5);
        let lowest = if lowest.is_finite() { decimal(lowest, 2) } else { "–".into() };
        listed.push(vec![sample.name.to_owned(), lowest]);
    }
    chart.y_ticks(names);
    let ticks = axis.ticks();
    let ticks = ticks.into_iter().map(|tick| (scale.at(tick), grouped(tick as u64)));
    chart.x_ticks(ticks.collect());
    heat::draw(&mut chart, &rows, columns, [per_row, 1], "the median");
    chart.table(&["Sample", "Lowest deviation"], listed);
    chart.finish(&format!(
        "How far the mean quality of each sample is from the median of all {} at the same positions{}.{}",
        named(samples),
        if sides.len() > 1 { ", first and second reads each among themselves" } else { "" },
        match per_row {
            1 => String::new(),
            n => format!(" {n} samples share a row, which shows the lowest of them."),
        }
    ))
}
