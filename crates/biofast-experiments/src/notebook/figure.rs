//! `figure.svg`: a point with its interval for every condition the protocol's figure asks for, lines between
//! the points of a series. Everything a reader needs is on it: title, factors, units, what the intervals are, what was
//! claimed, how far the same condition under two names differed, machine. Sizes stand at their true distances.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::numbers;
use super::tables::cell_of;
use crate::core::cell::scaled;
use crate::core::notes::Mark;
use crate::core::protocol::{FigureValue, Protocol};
use crate::core::stats::Interval;
use crate::core::summary::Summary;

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "figure.svg";

const WIDTH: i32 = 940;
const HEIGHT: i32 = 520;
/// Of the plot inside the figure.
const LEFT: i32 = 80;
const TOP: i32 = 64;
const RIGHT: i32 = 690;
const BOTTOM: i32 = 440;

/// Colours that stay apart for colour-blind readers (Okabe and Ito), then darker ones.
const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(120, 60, 10),
    RGBColor(110, 0, 110),
    RGBColor(0, 80, 60),
    RGBColor(160, 160, 0),
    RGBColor(0, 0, 0),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A line of the figure.
struct Series {
    name: String,
    /// Place on the x axis and what was measured.
    points: Vec<(usize, Interval)>,
}

/// Draws the figure and returns its text.
pub(crate) fn draw(summary: &Summary, protocol: &Protocol, machine: &str) -> Result<String> {
    let (ticks, series) = collect(summary, protocol);
    let mut svg = String::new();
    {
        let area =
            SVGBackend::with_string(&mut svg, (WIDTH as u32, HEIGHT as u32)).into_drawing_area();
        draw_all(&area, &ticks, &series, summary.noise, protocol, machine)
            .map_err(|error| anyhow!("cannot draw the figure: {error}"))?;
    }
    Ok(svg)
}

/// Draws the figure into a folder of results.
pub(crate) fn write(
    dir: &Path,
    summary: &Summary,
    protocol: &Protocol,
    machine: &str,
) -> Result<()> {
    std::fs::write(dir.join(NAME), draw(summary, protocol, machine)?)?;
    Ok(())
}

fn collect(summary: &Summary, protocol: &Protocol) -> (Vec<String>, Vec<Series>) {
    let figure = &protocol.figure;
    let mut ticks: Vec<String> = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    let cells: Vec<_> = summary
        .cells
        .iter()
        .map(|result| (cell_of(result, protocol), result))
        .filter(|(cell, _)| cell.matches(&figure.only))
        // What all others are divided by is the line at 1.
        .filter(|(cell, _)| figure.y != FigureValue::Speedup || !cell.matches(&protocol.baseline))
        .collect();
    let levels = protocol.factors.iter().find(|f| f.name == figure.x);
    for level in levels
        .into_iter()
        .flat_map(|f| f.levels.iter().chain(&f.full).chain(f.quick.iter().flatten()))
    {
        if !ticks.contains(level) && cells.iter().any(|(cell, _)| cell.get(&figure.x) == level) {
            ticks.push(level.clone());
        }
    }
    for (cell, result) in &cells {
        let value = match figure.y {
            FigureValue::Metric => Some(result.metric),
            FigureValue::Speedup => result.speedup,
            FigureValue::Throughput => Some(throughput(result.bytes, &result.metric)),
        };
        let x = ticks.iter().position(|tick| tick == cell.get(&figure.x));
        let (Some(value), Some(x)) = (value, x) else { continue };
        let name = cell.only(&figure.series).to_string();
        match series.iter_mut().find(|s| s.name == name) {
            Some(s) => s.points.push((x, value)),
            None => series.push(Series { name, points: vec![(x, value)] }),
        }
    }
    for s in &mut series {
        s.points.sort_by_key(|(x, _)| *x);
    }
    (ticks, series)
}

fn throughput(bytes: u64, seconds: &Interval) -> Interval {
    let of = |s: f64| bytes as f64 / 1e6 / s;
    Interval { median: of(seconds.median), low: of(seconds.high), high: of(seconds.low) }
}

/// The y axis: values to pixels.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<f64>,
}

impl Axis {
    fn new(series: &[Series], marks: &[Mark], log: bool) -> Axis {
        let measured =
            || series.iter().flat_map(|s| &s.points).flat_map(|(_, i)| [i.low, i.median, i.high]);
        let values = || measured().chain(marks.iter().map(|mark| mark.value));
        let positive = values().filter(|v| v.is_finite() && *v > 0.0);
        let (min, max) =
            positive.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), v| (a.min(v), b.max(v)));
        let (min, max) = if min.is_finite() { (min, max) } else { (1.0, 10.0) };
        if log {
            let steps = (-15..15).flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
            let all: Vec<f64> = steps.collect();
            let first = all.iter().rposition(|t| *t <= min).unwrap_or(0);
            let last = all.iter().position(|t| *t >= max).unwrap_or(all.len() - 1).max(first + 1);
            let mut ticks = all[first..=last].to_vec();
            if ticks.len() > 12 {
                ticks.retain(|t| (t.log10() - t.log10().round()).abs() < 1e-9);
            }
            return Axis { low: all[first], high: all[last], log, ticks };
        }
        let step = nice_step(max / 6.0);
        let count = (max / step).ceil().max(1.0);
        let ticks = (0..=count as usize).map(|i| i as f64 * step).collect();
        Axis { low: 0.0, high: count * step, log, ticks }
    }

    /// Whether the axis has a place for a value.
    fn has(&self, value: f64) -> bool {
        !self.log || value > 0.0
    }

    fn y(&self, value: f64) -> i32 {
        let position = |v: f64| if self.log { v.max(self.low).log10() } else { v };
        let share =
            (position(value) - position(self.low)) / (position(self.high) - position(self.low));
        BOTTOM - (share * f64::from(BOTTOM - TOP)).round() as i32
    }
}

fn axis_label(protocol: &Protocol, value: f64) -> String {
    match protocol.figure.y {
        FigureValue::Metric => numbers::value(&protocol.metric, value),
        _ => numbers::figure(value),
    }
}

/// What the y axis shows, with its unit where its labels don't have one.
fn y_label(protocol: &Protocol) -> String {
    let figure = &protocol.figure;
    let unit = match figure.y {
        FigureValue::Metric => "",
        FigureValue::Speedup => "×",
        FigureValue::Throughput => "MB",
    };
    if figure.y_label.contains(unit) {
        figure.y_label.clone()
    } else {
        format!("{} ({unit})", figure.y_label)
    }
}

/// Where the levels of the x axis stand.
struct Places {
    x: Vec<i32>,
    /// The least distance between two.
    slot: i32,
    log: bool,
}

impl Places {
    /// Numbers by their size, logarithmically if they span more than a factor of 20; names side by side.
    fn of(ticks: &[String]) -> Places {
        let width = f64::from(RIGHT - LEFT);
        let count = ticks.len().max(1) as f64;
        let even = (width / count) as i32;
        let values: Option<Vec<f64>> = ticks.iter().map(|tick| scaled(tick)).collect();
        let sorted = |v: &[f64]| v.len() > 1 && v.windows(2).all(|pair| pair[0] < pair[1]);
        let Some(values) = values.filter(|v| sorted(v)) else {
            let x =
                (0..ticks.len()).map(|i| LEFT + (width * (i as f64 + 0.5) / count).round() as i32);
            return Places { x: x.collect(), slot: even, log: false };
        };
        let (first, last) = (values[0], values[values.len() - 1]);
        let log = first > 0.0 && last / first > 20.0;
        let scale = |v: f64| if log { v.log10() } else { v };
        // Half a slot stays free at both ends.
        let margin = width / count / 2.0;
        let share = |v: f64| (scale(v) - scale(first)) / (scale(last) - scale(first));
        let x: Vec<i32> = values
            .iter()
            .map(|v| LEFT + (margin + share(*v) * (width - 2.0 * margin)).round() as i32)
            .collect();
        let slot = x.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(even);
        Places { x, slot: slot.max(1), log }
    }
}

/// The next of 1, 2 and 5 times a power of ten.
fn nice_step(at_least: f64) -> f64 {
    let power = 10f64.powf(at_least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= at_least).unwrap_or(power)
}

fn draw_all(
    area: &Area<'_>,
    ticks: &[String],
    series: &[Series],
    noise: f64,
    protocol: &Protocol,
    machine: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let figure = &protocol.figure;
    area.fill(&WHITE)?;
    let style = |size: i32, h: HPos, v: VPos| {
        ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(h, v))
    };
    let text = |x: i32, y: i32, size: i32, h: HPos, words: String| {
        area.draw(&Text::new(words, (x, y), style(size, h, VPos::Center)))
    };
    text(LEFT, 22, 18, HPos::Left, format!("{} {}", protocol.id, figure.title))?;
    let percent = numbers::figure(noise * 100.0);
    let note = format!("points: medians; bars: exact intervals; A/A control within {percent} %");
    text(LEFT, 46, 12, HPos::Left, format!("{machine}; {note}"))?;

    let marks = &protocol.notes.marks;
    let axis = Axis::new(series, marks, figure.log);
    // A ratio within the control's own is none.
    if figure.y == FigureValue::Speedup && noise > 0.0 {
        let (low, high) = (axis.y((1.0 + noise).recip()), axis.y(1.0 + noise));
        let corners = [(LEFT, high.clamp(TOP, BOTTOM)), (RIGHT, low.clamp(TOP, BOTTOM))];
        area.draw(&Rectangle::new(corners, RGBColor(238, 238, 205).filled()))?;
        text(RIGHT - 4, (corners[0].1 + corners[1].1) / 2, 10, HPos::Right, "noise".to_owned())?;
    }
    for &tick in &axis.ticks {
        let y = axis.y(tick);
        area.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], RGBColor(225, 225, 225)))?;
        text(LEFT - 8, y, 12, HPos::Right, axis_label(protocol, tick))?;
    }
    if figure.y == FigureValue::Speedup && axis.low < 1.0 && axis.high > 1.0 {
        let y = axis.y(1.0);
        area.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], BLACK.stroke_width(1)))?;
    }
    for mark in marks {
        let y = axis.y(mark.value);
        for x in (LEFT..RIGHT).step_by(10) {
            let dash = [(x, y), ((x + 6).min(RIGHT), y)];
            area.draw(&PathElement::new(dash, RGBColor(170, 0, 0).stroke_width(1)))?;
        }
        let words = format!("{} {}", mark.label, axis_label(protocol, mark.value));
        text(LEFT + 4, y - 7, 10, HPos::Left, words)?;
    }
    let places = Places::of(ticks);
    let slot = places.slot;
    // Labels that would touch are put on two lines.
    let longest = ticks.iter().map(|t| t.chars().count()).max().unwrap_or(0) as i32;
    for (i, tick) in ticks.iter().enumerate() {
        let lower = if longest * 7 > slot && i % 2 == 1 { 14 } else { 0 };
        text(places.x[i], BOTTOM + 14 + lower, 12, HPos::Center, tick.clone())?;
    }
    area.draw(&Rectangle::new([(LEFT, TOP), (RIGHT, BOTTOM)], BLACK.stroke_width(1)))?;
    let scale = if places.log { " (logarithmic)" } else { "" };
    let x_label = format!("{}: {}{scale}", figure.x, figure.x_label);
    let x_label = if figure.x == figure.x_label { figure.x.clone() + scale } else { x_label };
    text((LEFT + RIGHT) / 2, BOTTOM + 52, 14, HPos::Center, x_label)?;
    let turned = ("sans-serif", 14)
        .into_font()
        .transform(FontTransform::Rotate270)
        .color(&BLACK)
        .pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(y_label(protocol), (16, (TOP + BOTTOM) / 2), turned))?;

    // The factors whose levels the names are, in the names' order.
    let names =
        protocol.factors.iter().map(|f| &f.name).filter(|name| figure.series.contains(name));
    let by = names.map(String::as_str).collect::<Vec<_>>().join(" · ");
    text(RIGHT + 14, TOP - 12, 12, HPos::Left, by)?;
    let spread = (slot / 2).min(60) / series.len().max(1) as i32;
    for (i, s) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // Series stand side by side, so that intervals don't cover each other.
        let offset = (2 * i as i32 - (series.len() as i32 - 1)) * spread.max(1) / 2;
        let at = |x: usize| places.x[x] + offset;
        // A logarithmic axis has no place for nothing: it is written below the axis' end, and no line leads there.
        let drawn: Vec<&(usize, Interval)> =
            s.points.iter().filter(|(_, v)| axis.has(v.median)).collect();
        let points: Vec<(i32, i32)> =
            drawn.iter().map(|(x, v)| (at(*x), axis.y(v.median))).collect();
        // Between names there is nothing to follow.
        if ticks.iter().all(|tick| tick.starts_with(|c: char| c.is_ascii_digit())) {
            area.draw(&PathElement::new(points.clone(), colour.mix(0.5).stroke_width(1)))?;
        }
        for ((x, y), (_, v)) in points.iter().zip(&drawn) {
            let (low, high) = (axis.y(v.low), axis.y(v.high));
            area.draw(&PathElement::new([(*x, low), (*x, high)], colour.stroke_width(2)))?;
            for end in
                [v.low, v.high].into_iter().filter(|end| axis.has(*end)).map(|end| axis.y(end))
            {
                area.draw(&PathElement::new([(x - 3, end), (x + 3, end)], colour))?;
            }
            area.draw(&Circle::new((*x, *y), 3, colour.filled()))?;
        }
        for (x, _) in s.points.iter().filter(|(_, v)| !axis.has(v.median)) {
            let zero = ("sans-serif", 11)
                .into_font()
                .color(&colour)
                .pos(Pos::new(HPos::Center, VPos::Center));
            area.draw(&Text::new("0".to_owned(), (at(*x), BOTTOM - 8), zero))?;
        }
        let y = TOP + 8 + 18 * i as i32;
        area.draw(&Rectangle::new([(RIGHT + 14, y - 5), (RIGHT + 26, y + 5)], colour.filled()))?;
        text(RIGHT + 32, y, 12, HPos::Left, s.name.clone())?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_at_their_distances_and_names_side_by_side() {
        let of =
            |ticks: &[&str]| Places::of(&ticks.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        let sizes = of(&["0.5", "5", "50", "500"]);
        assert!(sizes.log);
        let steps: Vec<i32> = sizes.x.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() <= 1), "{steps:?}");
        let threads = of(&["1", "2", "4"]);
        assert!(!threads.log);
        assert!((threads.x[2] - threads.x[1] - 2 * (threads.x[1] - threads.x[0])).abs() <= 2);
        let names = of(&["read", "mmap", "both"]);
        assert_eq!(names.x[1] - names.x[0], names.x[2] - names.x[1]);
        assert_eq!(of(&["1K", "1M"]).x.len(), 2);
        // The wrong way round is taken as names.
        assert!(!of(&["1M", "1K"]).log);
    }
}
