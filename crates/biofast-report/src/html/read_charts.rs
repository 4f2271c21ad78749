//! The charts of reads: qualities, bases, GC and lengths.

use super::chart::{Chart, Mark};
use super::scale::Axis;
use super::{long_charts, search_charts};
use crate::bins::{self, Bin};
use crate::gc_model::{self, Normal};
use crate::number::{decimal, grouped, percent};
use biofast_ops::measure::reads::report::{Position, Statistics};

/// The bases, their colours and dashes.
const BASES: [(&str, &str); 5] =
    [("A", "c3"), ("C", "c1 dash1"), ("G", "c5"), ("T", "c2 dash3"), ("N", "c7 dash2")];

/// All charts of a set of reads. `id` starts the ids of the charts.
pub(super) fn charts(id: &str, reads: &Statistics) -> String {
    if reads.bases == 0 {
        return "<p>No bases, so nothing to draw.</p>\n".into();
    }
    let mut charts = Vec::new();
    let mut note = "";
    // Alignments may be without qualities.
    let has_qualities = !reads.quality.histogram.is_empty();
    if has_qualities {
        charts.push(quality_by_position(id, reads));
    } else {
        note = "<p>The reads have no qualities.</p>\n";
    }
    charts.extend([
        bases_by_position(id, "Bases by position", reads),
        gc(id, reads),
        lengths(id, reads),
    ]);
    if has_qualities {
        charts.extend([qualities(id, reads), mean_qualities(id, reads)]);
    }
    charts.push(long_charts::charts(id, reads));
    let (searches, sequences, missing) = match reads.qc.as_deref() {
        None => <(String, String, String)>::default(),
        Some(qc) => {
            let (searches, sequences) = search_charts::charts(id, qc);
            (searches, sequences, search_charts::missing(qc))
        }
    };
    charts.push(searches);
    let charts = charts.concat();
    format!("{note}<div class=\"charts\">\n{charts}</div>\n{missing}{sequences}")
}

/// Where a position is drawn: a bin at its middle.
pub(super) fn middle(position: &Position) -> f64 {
    (position.start as f64 * position.end as f64).sqrt()
}

/// The axis of positions; those of long reads are drawn by ratio.
pub(super) fn position_axis<'a>(positions: impl Iterator<Item = &'a Position>) -> Axis {
    let positions: Vec<&Position> = positions.collect();
    let last = positions.iter().map(|p| p.end).max().unwrap_or(1);
    Axis::new("Position in the read", 1.0, last as f64).whole().log(reaches_far(&positions, last))
}

/// Whether few reads are so much longer than the others that these would be squashed at the edge of a chart.
fn reaches_far(positions: &[&Position], last: usize) -> bool {
    let reads = |p: &Position| p.bases.iter().sum::<u64>() / (p.end - p.start + 1).max(1) as u64;
    let most = positions.iter().map(|p| reads(p)).max().unwrap_or(0);
    // Up to where a tenth of the reads go.
    let common = positions.iter().filter(|p| 10 * reads(p) >= most).map(|p| p.end).max();
    last > 1000 || common.is_some_and(|common| last > 100 && last > 5 * common / 2)
}

/// The axis of mean qualities by position.
pub(super) fn mean_quality_axis<'a>(positions: impl Iterator<Item = &'a Position>) -> Axis {
    Axis::up_to(
        "Quality of the mean error",
        positions.filter_map(|p| p.mean_quality).fold(40.0, f64::max),
    )
}

fn named(position: &Position) -> String {
    Bin { from: position.start as u64, to: position.end as u64, count: 0 }.label()
}

fn quality_by_position(id: &str, reads: &Statistics) -> String {
    let known = |p: &'_ Position| Some((p.mean_quality?, p.quality_percentiles?));
    let positions: Vec<_> = reads.positions.iter().filter_map(|p| Some((p, known(p)?))).collect();
    let highest = positions.iter().map(|(_, (_, percentiles))| percentiles[4]).max().unwrap_or(0);
    let y = Axis::up_to("Phred quality", f64::from(highest.max(40)));
    let x = position_axis(positions.iter().map(|(p, _)| *p));
    let mut chart = Chart::new(format!("{id}-quality"), "Quality by position", x, y);
    let at = |percentile: usize| {
        move |(p, (_, percentiles)): &(&Position, (f64, [u8; 5]))| {
            (middle(p), f64::from(percentiles[percentile]))
        }
    };
    let band = |low: usize, high: usize| -> Vec<_> {
        let pairs = positions.iter().map(at(low)).zip(positions.iter().map(at(high)));
        pairs.map(|((x, low), (_, high))| (x, low, high)).collect()
    };
    chart.band("f1 wide", &band(0, 4));
    chart.band("f1 narrow", &band(1, 3));
    chart.rule(30.0, "Q30");
    chart.rule(20.0, "Q20");
    let mean: Vec<_> = positions.iter().map(|(p, (mean, _))| (middle(p), *mean)).collect();
    chart.named_line("c1", &positions.iter().map(at(2)).collect::<Vec<_>>(), "median");
    chart.named_line("c2 dash1", &mean, "mean (of error probabilities)");
    chart.key(Mark::Area, "f1 narrow", "25–75 %");
    chart.key(Mark::Area, "f1 wide", "10–90 %");
    let mut rows = Vec::new();
    for (p, (mean, [p10, p25, p50, p75, p90])) in &positions {
        let mean = decimal(*mean, 1);
        chart.at(middle(p));
        let percentiles = [p10, p25, p50, p75, p90].map(|q| q.to_string());
        rows.push([vec![named(p)], percentiles.to_vec(), vec![mean]].concat());
    }
    chart.table(&["Position", "10 %", "25 %", "Median", "75 %", "90 %", "Mean"], rows);
    let lowest = positions.iter().min_by_key(|(_, (_, percentiles))| percentiles[2]);
    let said = match (positions.first(), positions.last(), lowest) {
        (Some((_, (_, first))), Some((last, (_, at_last))), Some((lowest, (_, at_lowest)))) => {
            format!(
                "The median quality is {} at the first position and {} at the last ({}); its lowest value is {}, at \
             position {}.",
                first[2],
                at_last[2],
                named(last),
                at_lowest[2],
                named(lowest)
            )
        }
        _ => "The reads have no qualities.".into(),
    };
    chart.finish(&said)
}

pub(super) fn bases_by_position(id: &str, title: &str, reads: &Statistics) -> String {
    let positions = &reads.positions;
    let share = |p: &Position, base: usize| percent(p.bases[base], p.bases.iter().sum());
    let highest = positions.iter().flat_map(|p| (0..5).map(|base| share(p, base)));
    let y = Axis::up_to("Share of bases", highest.fold(40.0, f64::max)).percent();
    let x = position_axis(positions.iter());
    let mut chart = Chart::new(format!("{id}-bases"), title, x, y);
    for (base, (name, class)) in BASES.into_iter().enumerate() {
        let points: Vec<_> = positions.iter().map(|p| (middle(p), share(p, base))).collect();
        chart.named_line(class, &points, name);
    }
    let mut rows = Vec::new();
    for p in positions {
        let shares: Vec<String> = (0..6).map(|base| decimal(share(p, base), 2)).collect();
        chart.at(middle(p));
        rows.push([vec![named(p)], shares].concat());
    }
    chart.table(&["Position", "A %", "C %", "G %", "T %", "N %", "Other %"], rows);
    let c = &reads.composition;
    let [a, c_, g, t, n] =
        [c.a, c.c, c.g, c.t, c.n].map(|count| decimal(percent(count, reads.bases), 1));
    chart.finish(&format!("Of all bases, {a} % are A, {c_} % C, {g} % G, {t} % T and {n} % N."))
}

/// GC without gaps, and the distribution it would have of one source.
fn smooth_gc(id: &str, reads: &Statistics) -> Option<String> {
    let histogram = gc_model::without_gaps(reads)?;
    let all: f64 = histogram.iter().sum();
    if all <= 0.0 {
        return None;
    }
    let normal = Normal::of(&histogram);
    let expected = |percent: usize| normal.map_or(0.0, |normal| normal.at(percent));
    let highest = histogram.iter().copied().chain((0..=100).map(expected)).fold(0.0, f64::max);
    let x = Axis { unit: " %", ..Axis::new("G and C in the read", -0.5, 100.5) };
    let y = Axis::up_to("Reads", highest);
    let mut chart = Chart::new(format!("{id}-gc"), "GC of reads", x, y);
    let places = || (0u32..).map(f64::from).zip(histogram);
    chart.bars("f1", places().map(|(at, n)| (at - 0.5, at + 0.5, n)));
    chart.key(Mark::Area, "f1", "reads");
    let mut deviation = String::new();
    if let Some(normal) = normal {
        let curve: Vec<_> = (0..=100).map(|percent| (percent as f64, normal.at(percent))).collect();
        chart.line("c2 dash1", &curve);
        chart.key(Mark::Line, "c2 dash1", "normal distribution");
        deviation = format!(
            " {} % of the reads deviate from a normal distribution with the same mode and spread. More than 15 % suggests several \
             sources, or a library that isn't a random sample of a genome.",
            decimal(normal.deviation(&histogram), 1)
        );
    }
    let mut rows = Vec::new();
    for (percent, (at, n)) in places().enumerate() {
        chart.at(at);
        rows.push(vec![percent.to_string(), decimal(n, 2), decimal(expected(percent), 2)]);
    }
    chart.table(&["G and C, %", "Reads", "Normal distribution"], rows);
    Some(chart.finish(&format!(
        "GC content is {} % of A, C, G and T. The distribution is smoothed because reads of this length can't have every percentage.{deviation}",
        decimal(reads.composition.gc_percent, 2)
    )))
}

fn gc(id: &str, reads: &Statistics) -> String {
    if let Some(chart) = smooth_gc(id, reads) {
        return chart;
    }
    let histogram: Vec<(u64, u64)> =
        (0..).zip(reads.composition.gc_histogram.iter().copied()).collect();
    let bins: Vec<Bin> =
        histogram.iter().map(|&(value, count)| Bin { from: value, to: value, count }).collect();
    let said = format!(
        "GC content is {} % of A, C, G and T; half of the reads have {} % or less.",
        decimal(reads.composition.gc_percent, 2),
        bins::reaching(&histogram, 0.5)
    );
    let x = Axis { unit: " %", ..Axis::new("G and C in the read", -0.5, 100.5) };
    bar_chart(format!("{id}-gc"), "GC of reads", x, "Reads", &bins, &said)
}

fn lengths(id: &str, reads: &Statistics) -> String {
    let length = &reads.length;
    let said = match length.min == length.max {
        true => format!("All reads have {} bases.", grouped(length.min)),
        false => format!(
            "Reads are {} to {} bases long, {} on average. Half of the bases are in reads of {} bases or more (N50).",
            grouped(length.min),
            grouped(length.max),
            decimal(length.mean, 1),
            grouped(length.n50)
        ),
    };
    let (bins, x) = length_bins(&length.histogram);
    bar_chart(format!("{id}-lengths"), "Lengths of reads", x, "Reads", &bins, &said)
}

/// Lengths as bins, by ratio where they reach far.
pub(super) fn length_bins(histogram: &[(u64, u64)]) -> (Vec<Bin>, Axis) {
    let wide = bins::is_wide(histogram);
    let bins = if wide { bins::by_ratio(histogram, 20) } else { bins::equal(histogram, 100) };
    let (from, to) = match (bins.first(), bins.last()) {
        (Some(first), Some(last)) if wide => (first.from as f64, last.to as f64 + 1.0),
        // A single length stands in the middle.
        (Some(first), Some(last)) if bins.len() < 10 => {
            (first.from as f64 - 5.5, last.to as f64 + 5.5)
        }
        (Some(first), Some(last)) => (first.from as f64 - 0.5, last.to as f64 + 0.5),
        _ => (0.0, 1.0),
    };
    (bins, Axis::new("Length in bases", from, to).whole().log(wide))
}

fn qualities(id: &str, reads: &Statistics) -> String {
    let quality = &reads.quality;
    let said = format!(
        "{} % of the bases have quality 20 or more, {} % have 30 or more. The mean (of error probabilities) is {}.",
        decimal(quality.q20_percent.unwrap_or_default(), 2),
        decimal(quality.q30_percent.unwrap_or_default(), 2),
        decimal(quality.mean.unwrap_or_default(), 2)
    );
    phred_chart(format!("{id}-qualities"), "Qualities of bases", "Bases", &quality.histogram, &said)
}

fn mean_qualities(id: &str, reads: &Statistics) -> String {
    let histogram = &reads.quality.read_mean_histogram;
    let all: u64 = histogram.iter().map(|&(_, n)| n).sum();
    let good = histogram.iter().filter(|(phred, _)| *phred >= 20).map(|&(_, n)| n).sum();
    let said = format!(
        "{} % of the reads have a mean quality (of error probabilities) of 20 or more.",
        decimal(percent(good, all), 2)
    );
    phred_chart(format!("{id}-means"), "Mean qualities of reads", "Reads", histogram, &said)
}

fn phred_chart(
    id: String,
    title: &str,
    counted: &'static str,
    histogram: &[(u8, u64)],
    said: &str,
) -> String {
    let bins: Vec<Bin> = histogram
        .iter()
        .map(|&(phred, count)| Bin { from: phred.into(), to: phred.into(), count })
        .collect();
    let last = bins.last().map_or(0, |bin| bin.to).max(40);
    let x = Axis::new("Phred quality", -0.5, last as f64 + 0.5).whole();
    bar_chart(id, title, x, counted, &bins, said)
}

/// A histogram as bars.
pub(super) fn bar_chart(
    id: String,
    title: &str,
    x: Axis,
    counted: &'static str,
    bins: &[Bin],
    said: &str,
) -> String {
    let highest = bins.iter().map(|bin| bin.count).max().unwrap_or(0);
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    // A spike would hide the others.
    let others = bins.iter().filter(|bin| bin.count > 0).count();
    let has_spike = 2 * highest > all && others > 3 && highest > 10;
    let y = match has_spike {
        true => Axis::new(counted, 0.5, highest as f64).log(true),
        false => Axis::up_to(counted, highest as f64).whole(),
    };
    let mut chart = Chart::new(id, title, x, y);
    // Bars by ratio start where they start; others have their value in the middle.
    let (before, after) = if x.log { (0.0, 1.0) } else { (-0.5, 0.5) };
    let edges = |bin: &Bin| (bin.from as f64 + before, bin.to as f64 + after);
    chart.bars("f1", bins.iter().map(|bin| (edges(bin).0, edges(bin).1, bin.count as f64)));
    for bin in bins.iter().filter(|bin| bin.count > 0) {
        chart.at((edges(bin).0 + edges(bin).1) / 2.0);
    }
    let filled = bins
        .iter()
        .filter(|bin| bin.count > 0)
        .map(|bin| vec![bin.label(), grouped(bin.count), decimal(percent(bin.count, all), 3)]);
    chart.table(&[x.name, counted, "%"], filled.collect());
    match has_spike {
        true => chart.finish(&format!("{said} The vertical axis is logarithmic.")),
        false => chart.finish(said),
    }
}
