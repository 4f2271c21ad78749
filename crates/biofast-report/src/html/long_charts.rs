//! The charts of long reads: lengths and qualities together, and what a run gave by time and by channel.

use std::collections::BTreeMap;

use super::chart::{Chart, Mark};
use super::scale::Axis;
use crate::number::{decimal, grouped, percent};
use biofast_ops::measure::reads::report::Statistics;
use biofast_ops::measure::reads::{HourYield, LongReads};

/// Reads are long if half of the bases are in reads of this length and more.
const LONG: u64 = 1000;
/// Hours that no run takes: reads that are further apart are of several.
const RUN: f64 = 720.0;
/// How full a cell is, of the fullest, and how that looks: the fullest first.
const SHADES: [(u64, &str, &str); 4] = [
    (2, "dense3", "at least half as many reads as the fullest cell"),
    (8, "dense2", "at least an eighth"),
    (64, "dense1", "at least a 64th"),
    (u64::MAX, "dense0", "fewer"),
];
/// Columns of channels that are drawn; neighbours share one.
const CHANNELS: usize = 512;
/// Channels whose reads have a mean quality so much below that of all are drawn differently.
const BELOW: f64 = 2.0;

/// All of them that there is something to see in. `id` starts the ids of the charts.
pub(super) fn charts(id: &str, reads: &Statistics) -> String {
    let Some(long) = reads.long_reads.as_ref().filter(|_| reads.length.n50 >= LONG) else {
        return String::new();
    };
    let mut charts = density(id, long);
    let hours = long.hours.iter().flatten();
    let hours: Vec<_> = hours.filter_map(|hour| Some((f64::from(hour.hour()?), hour))).collect();
    if let [(first, _), .., (last, _)] = hours[..]
        && last - first < RUN
    {
        let hours: Vec<_> = hours.into_iter().map(|(at, hour)| (at - first, hour)).collect();
        charts += &yields(id, &hours);
        charts += &n50s(id, &hours);
    }
    if long.channels.len() > 1 {
        charts += &channels(id, long);
    }
    charts
}

/// The eighth of an octave that a length is in: its first length, and that of the next.
fn column_of(len: u64) -> [u64; 2] {
    let step = 1 << (len.max(8).ilog2() - 3);
    [len - len % step, len - len % step + step]
}

fn density(id: &str, long: &LongReads) -> String {
    let mut columns: BTreeMap<[u64; 2], BTreeMap<u8, u64>> = BTreeMap::new();
    for &(len, quality, reads) in &long.density {
        *columns.entry(column_of(len)).or_default().entry(quality).or_default() += reads;
    }
    let cells = || columns.iter().flat_map(|(&at, cells)| cells.iter().map(move |cell| (at, cell)));
    let fullest = cells()
        .max_by_key(|&([from, _], (quality, reads))| (*reads, std::cmp::Reverse((from, *quality))));
    let Some(([from, to], (&quality, &fullest))) = fullest else { return String::new() };
    let last = columns.last_key_value().map_or(to, |(at, _)| at[1]);
    let highest = cells().map(|(_, (quality, _))| *quality).max().unwrap_or(0);
    let start = columns.first_key_value().map_or(from, |(at, _)| at[0]);
    let x = Axis::new("Length in bases", start as f64, last as f64).whole().log(true);
    let y = Axis::up_to("Quality of the mean error", f64::from(highest) + 1.0);
    let mut chart = Chart::new(format!("{id}-density"), "Lengths and qualities of reads", x, y);
    for (place, (_, class, _)) in SHADES.into_iter().enumerate() {
        let shade = |reads: u64| {
            SHADES.iter().position(|(part, ..)| reads.saturating_mul(*part) >= fullest)
        };
        let shaded = cells().filter(|(_, (_, reads))| shade(**reads) == Some(place));
        let shaded: Vec<[f64; 4]> = shaded
            .map(|([left, right], (&quality, _))| {
                let bottom = f64::from(quality);
                [left as f64, right as f64, bottom, bottom + 1.0]
            })
            .collect();
        chart.cells(class, &shaded);
    }
    for (_, class, name) in SHADES {
        chart.key(Mark::Area, class, name);
    }
    let mut rows = Vec::new();
    for (&[from, to], cells) in &columns {
        let reads: u64 = cells.values().sum();
        let mut below = 0;
        let median = cells.iter().find(|(_, reads)| {
            below += **reads;
            2 * below >= cells.values().sum()
        });
        chart.at((from as f64 * to as f64).sqrt());
        let median = median.map_or(0, |(quality, _)| *quality);
        let name = format!("{}–{}", grouped(from.max(500)), grouped(to - 1));
        rows.push(vec![name, grouped(reads), median.to_string()]);
    }
    chart.table(&["Length", "Reads", "Median quality"], rows);
    chart.finish(&format!(
        "{} reads of 500 bases or more, by length and mean quality (of error probabilities). The fullest cell has {} to {} bases and quality {quality}.",
        grouped(long.reads),
        grouped(from.max(500)),
        grouped(to - 1)
    ))
}

/// The rows of a table by hour.
fn by_hour(chart: &mut Chart, hours: &[(f64, &HourYield)]) {
    let mut rows = Vec::new();
    for (at, hour) in hours {
        chart.at(*at);
        let numbers = [hour.reads, hour.bases, hour.n50].map(grouped);
        let quality = decimal(hour.mean_quality, 1);
        rows.push([vec![hour.time.clone()], numbers.to_vec(), vec![quality]].concat());
    }
    chart.table(&["Hour (UTC)", "Reads", "Bases", "N50", "Mean quality"], rows);
}

fn time_axis(hours: &[(f64, &HourYield)]) -> Axis {
    let last = hours.last().map_or(0.0, |(at, _)| *at);
    Axis::new("Hours since the first read", -0.5, last + 0.5).whole()
}

fn yields(id: &str, hours: &[(f64, &HourYield)]) -> String {
    let bases = || hours.iter().map(|(at, hour)| (*at, hour.bases));
    let all: u64 = bases().map(|(_, bases)| bases).sum();
    let highest = bases().map(|(_, bases)| bases).max().unwrap_or(0);
    let y = Axis::up_to("Bases", highest as f64).whole();
    let mut chart = Chart::new(format!("{id}-yield"), "Yield by hour", time_axis(hours), y);
    chart.bars("f1", bases().map(|(at, bases)| (at - 0.5, at + 0.5, bases as f64)));
    by_hour(&mut chart, hours);
    let mut before = 0;
    let half = bases().find(|(_, bases)| {
        before += bases;
        2 * u128::from(before) >= u128::from(all)
    });
    chart.finish(&format!(
        "{} bases in {} hours; half of them were sequenced in the first {}. Only reads of 500 bases or more are counted, in the hour they began.",
        grouped(all),
        hours.last().map_or(0.0, |(at, _)| at + 1.0),
        half.map_or(0.0, |(at, _)| at + 1.0)
    ))
}

fn n50s(id: &str, hours: &[(f64, &HourYield)]) -> String {
    let highest = hours.iter().map(|(_, hour)| hour.n50).max().unwrap_or(0);
    let y = Axis::up_to("N50 in bases", highest as f64).whole();
    let mut chart = Chart::new(format!("{id}-n50"), "N50 by hour", time_axis(hours), y);
    let points: Vec<_> = hours.iter().map(|(at, hour)| (*at, hour.n50 as f64)).collect();
    chart.line("c1", &points);
    chart.key(Mark::Line, "c1", "N50");
    by_hour(&mut chart, hours);
    let ends = [hours.first(), hours.last()].map(|end| end.map(|(_, hour)| *hour));
    let [Some(first), Some(last)] = ends else { return String::new() };
    chart.finish(&format!(
        "From the first to the last hour, the N50 went from {} to {}, and the mean quality from {} to {}. Each N50 is the shortest length of \
         its bin, which is at most 7 % wide.",
        grouped(first.n50),
        grouped(last.n50),
        decimal(first.mean_quality, 1),
        decimal(last.mean_quality, 1)
    ))
}

fn channels(id: &str, long: &LongReads) -> String {
    let last = long.channels.iter().map(|of| usize::from(of.channel)).max().unwrap_or(0);
    let per = (last + 1).div_ceil(CHANNELS).max(1);
    // Bases, reads and the sum of their qualities.
    let mut columns: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
    for of in &long.channels {
        let sums = columns.entry(usize::from(of.channel) / per).or_default();
        let more = [of.bases, of.reads, of.quality_sum];
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    let mean = |reads: u64, quality: u64| quality as f64 / reads.max(1) as f64;
    let sum = |of: usize| columns.values().map(|sums| sums[of]).sum::<u64>();
    let all = mean(sum(1), sum(2));
    let highest = columns.values().map(|sums| sums[0]).max().unwrap_or(0);
    let x = Axis::new("Channel", 0.0, (last + 1) as f64).whole();
    let y = Axis::up_to("Bases", highest as f64).whole();
    let mut chart = Chart::new(format!("{id}-channels"), "Yield and quality by channel", x, y);
    let mut rows = Vec::new();
    let mut bars = [Vec::new(), Vec::new()];
    for (&column, &[bases, reads, quality]) in &columns {
        let (from, to) = (column * per, (column + 1) * per);
        let quality = mean(reads, quality);
        let bar = (from as f64, to as f64, bases as f64);
        bars[usize::from(quality < all - BELOW)].push(bar);
        chart.at((from + to) as f64 / 2.0);
        let name = if per == 1 { from.to_string() } else { format!("{from}–{}", to - 1) };
        rows.push(vec![name, grouped(reads), grouped(bases), decimal(quality, 1)]);
    }
    let [usual, low] = bars;
    let low_bars = low.len();
    chart.bars("f1", usual.into_iter());
    chart.bars("f2", low.into_iter());
    chart.key(Mark::Area, "f1", "bases");
    chart.key(Mark::Area, "f2", "bases of reads with a mean quality 2 or more below that of all");
    chart.table(&["Channel", "Reads", "Bases", "Mean quality"], rows);
    let mut by_yield: Vec<u64> = long.channels.iter().map(|of| of.bases).collect();
    by_yield.sort_unstable_by(|a, b| b.cmp(a));
    let tenth: u64 = by_yield.iter().take(by_yield.len().div_ceil(10)).sum();
    chart.finish(&format!(
        "{} channels gave reads of 500 bases or more, up to channel {last}; the most productive tenth gave {} % of the bases. The mean \
         quality is {}; in {low_bars} of {} columns it is at least 2 lower.",
        grouped(long.channels.len() as u64),
        decimal(percent(tenth, by_yield.iter().sum()), 1),
        decimal(all, 1),
        grouped(columns.len() as u64)
    ))
}
