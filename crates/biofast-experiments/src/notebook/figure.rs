//! `figure.svg`: a point with its interval for every condition the protocol's figure asks for, lines between
//! the points of a series. Everything a reader needs is on it: title, units, what the intervals are, machine.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::numbers;
use super::tables::cell_of;
use crate::core::protocol::{FigureValue, Protocol};
use crate::core::summary::{Interval, Summary};

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "figure.svg";

const WIDTH: i32 = 900;
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
        draw_all(&area, &ticks, &series, protocol, machine)
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
    fn new(series: &[Series], log: bool) -> Axis {
        let values = || series.iter().flat_map(|s| &s.points).flat_map(|(_, i)| [i.low, i.high]);
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

    fn y(&self, value: f64) -> i32 {
        let position = |v: f64| if self.log { v.max(self.low).log10() } else { v };
        let share =
            (position(value) - position(self.low)) / (position(self.high) - position(self.low));
        BOTTOM - (share * f64::from(BOTTOM - TOP)).round() as i32
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
    let note = "points: medians; bars: 95 % bootstrap intervals";
    text(LEFT, 46, 12, HPos::Left, format!("{machine}; {note}"))?;

    let axis = Axis::new(series, figure.log);
    for &tick in &axis.ticks {
        let y = axis.y(tick);
        area.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], RGBColor(225, 225, 225)))?;
        let label = match figure.y {
            FigureValue::Metric => numbers::value(&protocol.metric, tick),
            _ => numbers::figure(tick),
        };
        text(LEFT - 8, y, 12, HPos::Right, label)?;
    }
    if figure.y == FigureValue::Speedup && axis.low < 1.0 && axis.high > 1.0 {
        let y = axis.y(1.0);
        area.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], BLACK.stroke_width(1)))?;
    }
    let width = RIGHT - LEFT;
    let x_of = |place: usize| {
        LEFT + (width as f64 * (place as f64 + 0.5) / ticks.len().max(1) as f64).round() as i32
    };
    let slot = width / ticks.len().max(1) as i32;
    // Labels that would touch are put on two lines.
    let longest = ticks.iter().map(|t| t.chars().count()).max().unwrap_or(0) as i32;
    for (i, tick) in ticks.iter().enumerate() {
        let lower = if longest * 7 > slot && i % 2 == 1 { 14 } else { 0 };
        text(x_of(i), BOTTOM + 14 + lower, 12, HPos::Center, tick.clone())?;
    }
    area.draw(&Rectangle::new([(LEFT, TOP), (RIGHT, BOTTOM)], BLACK.stroke_width(1)))?;
    text((LEFT + RIGHT) / 2, BOTTOM + 52, 14, HPos::Center, figure.x_label.clone())?;
    let turned = ("sans-serif", 14)
        .into_font()
        .transform(FontTransform::Rotate270)
        .color(&BLACK)
        .pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(figure.y_label.clone(), (16, (TOP + BOTTOM) / 2), turned))?;

    let spread = (slot / 2).min(60) / series.len().max(1) as i32;
    for (i, s) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        // Series stand side by side, so that intervals don't cover each other.
        let offset = (2 * i as i32 - (series.len() as i32 - 1)) * spread.max(1) / 2;
        let points: Vec<(i32, i32)> =
            s.points.iter().map(|(x, v)| (x_of(*x) + offset, axis.y(v.median))).collect();
        // Between names there is nothing to follow.
        if ticks.iter().all(|tick| tick.starts_with(|c: char| c.is_ascii_digit())) {
            area.draw(&PathElement::new(points.clone(), colour.mix(0.5).stroke_width(1)))?;
        }
        for ((x, y), (_, v)) in points.iter().zip(&s.points) {
            let (low, high) = (axis.y(v.low), axis.y(v.high));
            area.draw(&PathElement::new([(*x, low), (*x, high)], colour.stroke_width(2)))?;
            for end in [low, high] {
                area.draw(&PathElement::new([(x - 3, end), (x + 3, end)], colour))?;
            }
            area.draw(&Circle::new((*x, *y), 3, colour.filled()))?;
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
    fn axes_hold_the_values() {
        let at = |low: f64, high: f64| {
            let i = Interval { median: (low + high) / 2.0, low, high };
            [Series { name: "a".into(), points: vec![(0, i)] }]
        };
        for log in [false, true] {
            for (low, high) in [(0.9, 1.1), (3e-9, 2e-2), (5.0, 5.0), (1234.0, 99_999.0)] {
                let axis = Axis::new(&at(low, high), log);
                assert!(axis.low <= low && high <= axis.high, "{low} {high} {log}");
                assert!((2..=16).contains(&axis.ticks.len()), "{:?}", axis.ticks);
                assert!(axis.y(high) >= TOP && axis.y(low) <= BOTTOM);
            }
        }
    }
}
