//! The page of depths: of all positions, and of the targets of a BED file.

use super::chart::{Chart, Mark};
use super::compare::{self, Compared};
use super::depths::Depths;
use super::packed::Bodies;
use super::read_charts::bar_chart;
use super::reads::{chosen, sample};
use super::scale::Axis;
use super::table::{self, TableCell, TableRow};
use super::text::{MANY, escape, numbered, said, short_names};
use super::{references, together, verdicts};
use crate::bins::{self, Bin};
use crate::number::{decimal, grouped, median, percent};
use biofast_ops::measure::coverage::{Distribution, TargetDepth, TargetDepths};

/// As many samples are unfolded when the page is opened.
const UNFOLDED: usize = 6;
/// The targets that are listed: the least deep ones.
const WORST: usize = 20;
/// What is drawn of distributions with a long tail.
const MOST: f64 = 0.995;
/// A curve has at most about this many points.
const POINTS: usize = 200;
/// Depths whose shares are figures of the table.
const DEPTHS: [u32; 4] = [1, 10, 20, 30];
/// How the first columns are compared: mean depth by ratio, its median not at all, shares.
const COMPARED: [Option<Compared>; 6] = [
    Some(Compared::ratio(0.2)),
    None,
    Some(Compared::difference(0.3)),
    Some(Compared::difference(0.5)),
    Some(Compared::difference(0.5)),
    Some(Compared::difference(0.5)),
];

/// The section of all samples.
pub(super) fn section(samples: &[Depths]) -> String {
    let has_targets = samples.iter().any(|sample| sample.targets.is_some());
    let names: Vec<(&str, &str)> =
        samples.iter().map(|one| (one.sample.as_str(), one.sample.as_str())).collect();
    let names = short_names(&names);
    let is_many = samples.len() > MANY;
    let sexes: Vec<[Option<f64>; 2]> = samples.iter().map(references::sexes).collect();
    let has_sexes = sexes.iter().any(|[x, _]| x.is_some());
    let mut bodies = Bodies::new("pc", is_many);
    let mut rows = Vec::new();
    for ((i, depths), name) in samples.iter().enumerate().zip(&names) {
        let id = format!("c{i}");
        let about = format!("mean depth {}", decimal(depths.main().mean(), 2));
        let body = sample(&id, name, &about, i < UNFOLDED, &one(&id, depths, sexes[i]));
        let pack = bodies.add(&body);
        rows.push(row(i, name, depths, (has_targets, has_sexes.then_some(sexes[i])), pack));
    }
    let unusual = compare::outliers_first(&mut rows, &COMPARED);
    let mut columns =
        vec!["Mean depth", "Median depth", "Covered %", "≥ 10× %", "≥ 20× %", "≥ 30× %"];
    if has_targets {
        columns.extend([
            "Targets",
            "Targets below a fifth of the mean %",
            "Mean depth of all positions",
        ]);
    }
    if has_sexes {
        columns.extend(["X ÷ autosomes", "Y ÷ autosomes"]);
    }
    let (outliers, unusual) = unusual.unwrap_or_default();
    let of = if has_targets { "targets" } else { "all positions" };
    let judged: Vec<_> = samples
        .iter()
        .zip(&names)
        .enumerate()
        .map(|(i, (depths, name))| (format!("c{i}"), name.as_str(), depths.verdicts.as_ref()))
        .collect();
    format!(
        "<section aria-labelledby=\"coverage-h\">\n<h2 id=\"coverage-h\">Depth of {of}</h2>\n{}{}{}{}{}{}{}</section>\n",
        table::table("coverage", &format!("Depth of {of}, by sample"), &columns, &rows, &[]),
        said(&unusual),
        verdicts::findings("coverage-findings", &judged),
        together(samples, &rows, &outliers),
        worst_of_all(samples, &names),
        chosen(is_many),
        bodies.finish()
    )
}

fn row(
    i: usize,
    name: &str,
    depths: &Depths,
    (has_targets, sexes): (bool, Option<[Option<f64>; 2]>),
    pack: String,
) -> TableRow {
    let main = depths.main();
    let shares = DEPTHS.map(|depth| percent(main.at_least(depth), main.positions()));
    let mut cells = vec![TableCell::Number(main.mean(), 2), TableCell::Count(main.median().into())];
    cells.extend(shares.map(|share| TableCell::Number(share, 2)));
    if has_targets {
        match &depths.targets {
            Some(of) => cells.extend([
                TableCell::Count(of.targets().len() as u64),
                TableCell::Number(percent(shallow(of), of.targets().len() as u64), 2),
                TableCell::Number(depths.all.mean(), 2),
            ]),
            None => cells.extend([TableCell::Nothing, TableCell::Nothing, TableCell::Nothing]),
        }
    }
    if let Some(sexes) = sexes {
        let ratio = |ratio: Option<f64>| match ratio {
            Some(ratio) => TableCell::Number(ratio, 2),
            None => TableCell::Nothing,
        };
        cells.extend(sexes.map(ratio));
    }
    TableRow {
        id: format!("c{i}"),
        unit: i,
        mate: None,
        sample: name.to_owned(),
        path: depths.sample.clone(),
        error: None,
        warnings: 0,
        pack,
        verdicts: verdicts::cell(depths.verdicts.as_ref()),
        cells,
        apart: Vec::new(),
    }
}

/// The share of positions, or of targets' positions, that reach each depth, a line for each sample.
fn together(samples: &[Depths], rows: &[TableRow], outliers: &[String]) -> String {
    if samples.len() < 2 {
        return String::new();
    }
    let is_many = samples.len() > MANY;
    let last = samples.iter().map(|sample| tail(sample.main())).max().unwrap_or(10).max(10);
    let x = Axis::new("Depth", 1.0, last as f64).whole();
    let highest = samples.iter().map(|depths| share(depths.main(), 1)).fold(1.0, f64::max);
    let y = Axis::up_to("Positions at or above this depth", highest).percent();
    let mut chart = Chart::new("all-reached".into(), "Positions by depth reached", x, y);
    let step = (last as usize).div_ceil(if is_many { 60 } else { POINTS }).max(1);
    let places: Vec<u64> = (1..=last).step_by(step).collect();
    // In the order of the table, whose rows end their ids with the number of the sample.
    let of = |row: &TableRow| row.id[1..].parse::<usize>().ok().and_then(|i| samples.get(i));
    let (mut ids, mut lines) = (Vec::new(), Vec::new());
    for (row, depths) in rows.iter().filter_map(|row| Some((row, of(row)?))) {
        let point = |&at: &u64| (at as f64, share(depths.main(), at));
        ids.push((row.id.as_str(), row.sample.as_str()));
        lines.push(places.iter().map(point).collect::<Vec<_>>());
    }
    together::lines(&mut chart, &lines, &ids, outliers, is_many);
    let shares = samples.iter().map(|depths| share(depths.main(), 20));
    let lowest = shares.fold(100.0, f64::min);
    let chart = chart.finish(&format!(
        "A line for each of {}; at least {} % of the positions have depth 20 or more in each sample.",
        numbered(samples.len() as u64, "sample"),
        decimal(lowest, 2)
    ));
    together::joint("pcj", &chart, is_many)
}

/// The targets that are least deep in most samples.
fn worst_of_all(samples: &[Depths], names: &[String]) -> String {
    let of: Vec<&TargetDepths> =
        samples.iter().filter_map(|depths| depths.targets.as_ref()).collect();
    let Some((first, others)) = of.split_first().filter(|(_, others)| !others.is_empty()) else {
        return String::new();
    };
    let is_same = |(a, b): (&TargetDepth, &TargetDepth)| {
        (a.start, a.end, &a.name) == (b.start, b.end, &b.name)
    };
    let are_same = |other: &&TargetDepths| {
        other.targets().len() == first.targets().len()
            && other.targets().iter().zip(first.targets()).all(is_same)
    };
    // References may be others, or in another order.
    if of.len() < samples.len() || !others.iter().all(are_same) {
        return String::new();
    }
    let mut depths = vec![0.0; of.len()];
    let mut medians: Vec<(f64, usize)> = (0..first.targets().len())
        .filter_map(|at| {
            depths.iter_mut().zip(&of).for_each(|(depth, of)| *depth = of.targets()[at].mean);
            Some((median(&mut depths)?, at))
        })
        .collect();
    medians.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let all = medians.len();
    medians.truncate(WORST);
    let rows = medians.into_iter().map(|(median, at)| {
        let target = &first.targets()[at];
        let depths = || of.iter().map(|of| of.targets()[at].mean);
        let lowest = depths().zip(names).min_by(|a, b| a.0.total_cmp(&b.0));
        let lowest =
            lowest.map_or(String::new(), |(depth, name)| format!("{} ({name})", decimal(depth, 2)));
        vec![
            named(first, target),
            self::at(first, target),
            grouped(target.len()),
            decimal(median, 2),
            lowest,
            format!("{} of {}", depths().filter(|depth| *depth < 20.0).count(), of.len()),
        ]
    });
    let caption = match all {
        ..=WORST => "Targets by their median depth in all samples, lowest first".to_owned(),
        n => format!(
            "The {WORST} of {} targets with the lowest median depth in all samples",
            grouped(n as u64)
        ),
    };
    let columns = [
        "Target", "Position", "Bases", "Median of mean depths", "Lowest mean depth",
        "Samples with a mean below 20×",
    ];
    table::plain(&caption, &columns, &rows.collect::<Vec<_>>())
}

/// Targets that are less deep than a fifth of the mean of all target positions.
fn shallow(of: &TargetDepths) -> u64 {
    let limit = of.together().mean() / 5.0;
    of.targets().iter().filter(|target| target.mean < limit).count() as u64
}

/// Everything about one sample.
fn one(id: &str, depths: &Depths, sexes: [Option<f64>; 2]) -> String {
    let mut text = format!("<p class=\"from\">From {}</p>\n", escape(&depths.sample));
    let facts = |of: &str, distribution: &Distribution| {
        let share = |depth| {
            let share = percent(distribution.at_least(depth), distribution.positions());
            decimal(share, 2) + " %"
        };
        [
            (format!("Mean depth of {of}"), decimal(distribution.mean(), 2)),
            ("Covered".into(), share(1)),
            ("≥ 10×".into(), share(10)),
            ("≥ 30×".into(), share(30)),
        ]
    };
    let mut all = facts("all positions", &depths.all).to_vec();
    if let Some(of) = &depths.targets {
        all.splice(0..0, facts("targets", of.together()));
    }
    let all: Vec<(&str, String)> =
        all.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    text += &table::facts(&all);
    text += &references::sexes_in_words(sexes);
    let assessment = depths.verdicts.as_ref();
    text += &verdicts::section(assessment);
    let mut charts = reached(id, depths);
    charts += &references::along(id, depths);
    let mut listed = String::new();
    if let Some(of) = &depths.targets {
        let mut sorted: Vec<&TargetDepth> = of.targets().iter().collect();
        // Equally deep ones stay in the order of the references.
        sorted.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        if sorted.len() > 2 {
            charts += &from_the_least(id, of, &sorted);
            charts += &by_depth(id, &sorted);
        }
        listed = worst(of, &sorted);
    }
    text += &verdicts::contents(id, assessment, &charts);
    text + &format!(
        "<div class=\"charts\">\n{charts}</div>\n{listed}{}",
        references::listed(depths)
    )
}

/// The share of positions that are at least so deep.
fn reached(id: &str, depths: &Depths) -> String {
    let sets = [Some(&depths.all), depths.targets.as_ref().map(TargetDepths::together)];
    let last = sets.iter().flatten().map(|of| tail(of)).max().unwrap_or(10).max(10);
    let x = Axis::new("Depth", 1.0, last as f64).whole();
    let highest = sets.iter().flatten().map(|of| share(of, 1)).fold(1.0, f64::max);
    let y = Axis::up_to("Positions at or above this depth", highest).percent();
    let mut chart = Chart::new(format!("{id}-reached"), "Positions by depth reached", x, y);
    let places: Vec<u64> = (1..=last).step_by((last as usize).div_ceil(POINTS).max(1)).collect();
    let mut columns = vec!["Depth"];
    let kinds =
        [("all positions", "All positions, %", "c1"), ("targets", "Targets, %", "c2 dash1")];
    for ((name, column, class), of) in kinds.into_iter().zip(sets) {
        if let Some(of) = of {
            let points: Vec<_> = places.iter().map(|&at| (at as f64, share(of, at))).collect();
            chart.named_line(class, &points, name);
            columns.push(column);
        }
    }
    let mut rows = Vec::new();
    for &at in &places {
        chart.at(at as f64);
        let shares = sets.iter().flatten().map(|of| decimal(share(of, at), 3));
        rows.push([at.to_string()].into_iter().chain(shares).collect());
    }
    chart.table(&columns, rows);
    let main = depths.main();
    let shares =
        DEPTHS.map(|depth| format!("{} % at least {depth}", decimal(share(main, depth.into()), 2)));
    let of = if depths.targets.is_some() { "targets" } else { "all positions" };
    chart.finish(&format!("Share of {of} by depth: {}.", shares.join(", ")))
}

/// The positions at or above a depth, in percent.
fn share(of: &Distribution, depth: u64) -> f64 {
    percent(of.at_least(u32::try_from(depth).unwrap_or(u32::MAX)), of.positions())
}

/// The depth up to which a distribution is drawn.
fn tail(of: &Distribution) -> u64 {
    let covered = (0u64..).zip(of.by_depth().iter().copied()).skip(1);
    bins::reaching(&covered.collect::<Vec<_>>(), MOST)
}

/// The mean depth of the targets, the least deep one first.
fn from_the_least(id: &str, of: &TargetDepths, sorted: &[&TargetDepth]) -> String {
    let last = sorted.len() - 1;
    let step = sorted.len().div_ceil(POINTS).max(1);
    let mut drawn: Vec<usize> = (0..=last).step_by(step).collect();
    if drawn.last() != Some(&last) {
        drawn.push(last);
    }
    let cut = sorted[(last as f64 * MOST) as usize].mean;
    let mean = of.together().mean();
    let x = Axis { unit: " %", ..Axis::new("Targets", 0.0, 100.0) };
    let y = Axis::up_to("Mean depth", cut.max(mean).max(1.0));
    let mut chart = Chart::new(format!("{id}-sorted"), "Targets by depth, lowest first", x, y);
    let place = |at: usize| 100.0 * at as f64 / last as f64;
    chart.rule(mean, "");
    chart.key(Mark::Line, "rule", "mean of all target positions");
    let points: Vec<_> = drawn.iter().map(|&at| (place(at), sorted[at].mean)).collect();
    chart.line("c1", &points);
    let mut rows = Vec::new();
    for &at in &drawn {
        chart.at(place(at));
        let target = sorted[at];
        rows.push(vec![
            format!("{} %", decimal(place(at), 1)),
            decimal(target.mean, 2),
            named(of, target),
        ]);
    }
    chart.table(&["Targets", "Mean depth", "Target"], rows);
    let shallow = shallow(of);
    chart.finish(&format!(
        "Of {} targets, {} have a mean depth below a fifth of the mean of all target positions ({}), and {} have no aligned base.",
        grouped(sorted.len() as u64),
        grouped(shallow),
        decimal(mean, 2),
        grouped(sorted.iter().filter(|target| target.covered == 0).count() as u64)
    ))
}

/// Targets by their mean depth, in bins.
fn by_depth(id: &str, sorted: &[&TargetDepth]) -> String {
    let mut counts: Vec<(u64, u64)> = Vec::new();
    for target in sorted {
        let depth = target.mean as u64;
        match counts.last_mut() {
            Some((last, n)) if *last == depth => *n += 1,
            _ => counts.push((depth, 1)),
        }
    }
    let last = bins::reaching(&counts, MOST);
    let beyond: u64 = counts.iter().filter(|(depth, _)| *depth > last).map(|&(_, n)| n).sum();
    counts.retain(|&(depth, _)| depth <= last);
    let bins: Vec<Bin> = bins::equal(&counts, 100);
    let ends = (bins.first().map_or(0, |b| b.from), bins.last().map_or(1, |b| b.to));
    let x = Axis::new("Mean depth", ends.0 as f64 - 0.5, ends.1 as f64 + 0.5).whole();
    let middle = sorted[(sorted.len() - 1) / 2].mean;
    let beyond = match beyond {
        0 => String::new(),
        n => format!(" {} deeper than {} aren't drawn.", grouped(n), grouped(last + 1)),
    };
    let said = format!(
        "Half of the targets have a mean depth of {} or less; means are rounded down.{beyond}",
        decimal(middle, 2)
    );
    bar_chart(format!("{id}-targets"), "Targets by mean depth", x, "Targets", &bins, &said)
}

/// A target's name, or where it is.
fn named(of: &TargetDepths, target: &TargetDepth) -> String {
    match target.name.as_str() {
        "" => at(of, target),
        name => name.to_owned(),
    }
}

/// Where a target is: positions from 1, as browsers take them.
fn at(of: &TargetDepths, target: &TargetDepth) -> String {
    let reference = String::from_utf8_lossy(of.reference(target));
    format!("{reference}:{}-{}", grouped(u64::from(target.start) + 1), grouped(target.end.into()))
}

/// The least deep targets.
fn worst(of: &TargetDepths, sorted: &[&TargetDepth]) -> String {
    if sorted.is_empty() {
        return "<p>No target is on a reference of the file.</p>\n".into();
    }
    let rows: Vec<Vec<String>> = sorted
        .iter()
        .take(WORST)
        .map(|target| {
            vec![
                named(of, target),
                at(of, target),
                grouped(target.len()),
                decimal(target.mean, 2),
                decimal(target.covered_percent(), 2),
            ]
        })
        .collect();
    let caption = match sorted.len() {
        ..=WORST => "Targets, lowest depth first".to_owned(),
        n => format!("The {WORST} of {} targets with the lowest depth", grouped(n as u64)),
    };
    table::plain(&caption, &["Target", "Position", "Bases", "Mean depth", "Covered %"], &rows)
}
