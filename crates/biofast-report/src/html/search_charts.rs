//! The charts of what is looked for in reads: repeated sequences, adapters, tiles.

use std::fmt::Write;

use super::chart::{Chart, Mark};
use super::heat;
use super::scale::Axis;
use super::table;
use super::text::escape;
use crate::number::{decimal, grouped};
use biofast_ops::measure::reads::report::Qc;
use biofast_ops::measure::reads::{AdapterContent, Duplication, TileQuality};

/// The colours and dashes of adapters, poly-A and poly-G.
const ADAPTERS: [&str; 7] =
    ["c2", "c1 dash1", "c3 dash3", "c4 dash2", "c5", "c1 dash2", "c3 dash1"];

/// Overrepresented sequences that are listed; the JSON has all.
const SEQUENCES: usize = 20;

/// All charts of what was looked for, and a table. `id` starts the ids of the charts.
pub(super) fn charts(id: &str, qc: &Qc) -> (String, String) {
    let mut charts = String::new();
    let mut tables = String::new();
    if let Some(content) = qc.adapters.as_ref().filter(|content| !content.positions.is_empty()) {
        charts += &adapters(id, content);
    }
    if let Some(found) = &qc.duplication {
        charts += &duplication(id, found);
        tables += &overrepresented(found);
    }
    // One tile is as far from the mean as can be expected.
    if let Some(quality) = qc.tiles.as_ref().filter(|quality| quality.tiles.len() > 1) {
        charts += &tiles(id, quality);
    }
    (charts, tables)
}

fn duplication(id: &str, found: &Duplication) -> String {
    let levels = &found.levels;
    let highest = levels.iter().map(|level| level.percent_of_all.max(level.percent_of_distinct));
    let x = Axis::new("How often a sequence occurs", -0.5, levels.len() as f64 - 0.5);
    let y = Axis::up_to("Share", highest.fold(0.0, f64::max)).percent();
    let mut chart = Chart::new(format!("{id}-duplication"), "Repeated sequences", x, y);
    let places = || (0u32..).map(f64::from).zip(levels);
    // All of them wouldn't have room.
    let named = places().filter(|(place, _)| *place < 9.0 || *place % 2.0 == 1.0);
    chart.x_ticks(named.map(|(place, level)| (place, level.name())).collect());
    chart.bars("f1", places().map(|(at, level)| (at - 0.4, at + 0.4, level.percent_of_all)));
    let distinct: Vec<_> = places().map(|(at, level)| (at, level.percent_of_distinct)).collect();
    chart.line("c2", &distinct);
    chart.key(Mark::Area, "f1", "reads");
    chart.key(Mark::Line, "c2", "distinct sequences");
    let mut rows = Vec::new();
    for (at, level) in places() {
        let [all, distinct] =
            [level.percent_of_all, level.percent_of_distinct].map(|share| decimal(share, 2));
        chart.at(at);
        rows.push(vec![level.name(), all, distinct]);
    }
    chart.table(&["Times", "% of reads", "% of distinct sequences"], rows);
    chart.finish(&format!(
        "{} % of the reads would remain if each sequence were kept once. Reads are compared whole, or by their first 50 bases \
         if they are longer; {}.",
        decimal(found.deduplicated_percent, 2),
        match found.reads_until_limit < found.reads {
            true => format!(
                "the first {} distinct sequences are counted, and values beyond the first {} reads are extrapolated",
                grouped(found.distinct),
                grouped(found.reads_until_limit)
            ),
            false => format!("{} sequences are distinct", grouped(found.distinct)),
        }
    ))
}

fn overrepresented(found: &Duplication) -> String {
    let sequences: Vec<_> = found.repeated().collect();
    if sequences.is_empty() {
        return "<p>No sequence is in more than 0.1 % of the reads and in at least 10 of them.</p>\n".into();
    }
    let rows: Vec<Vec<String>> = sequences
        .iter()
        .take(SEQUENCES)
        .map(|one| {
            let source = match &one.source {
                None => "not known".to_owned(),
                Some(hit) => {
                    format!("{} ({} % of {} bases)", hit.name, hit.identity_percent, hit.length)
                }
            };
            vec![one.sequence.clone(), grouped(one.reads), decimal(one.percent, 2), source]
        })
        .collect();
    let caption = match sequences.len() {
        n @ ..=SEQUENCES => {
            format!("Sequences in more than 0.1 % of the reads, and in at least 10: {n}")
        }
        n => format!(
            "Sequences in more than 0.1 % of the reads, and in at least 10: the {SEQUENCES} most frequent of {}",
            grouped(n as u64)
        ),
    };
    table::plain(&caption, &["Sequence", "Reads", "% of reads", "Possible source"], &rows)
        .replacen("class=\"plain\"", "class=\"plain sequences\"", 1)
}

fn adapters(id: &str, content: &AdapterContent) -> String {
    let positions = &content.positions;
    let highest = positions.iter().flat_map(|at| at.percent.iter().copied()).fold(5.0, f64::max);
    let last = positions.last().map_or(1, |at| at.end) as f64;
    let x = Axis::new("Position in the read", 1.0, last).whole().log(last > 1000.0);
    let y = Axis::up_to("Share of reads", highest).percent();
    let mut chart = Chart::new(format!("{id}-adapters"), "Adapters by position", x, y);
    let middle = |start: usize, end: usize| (start + end) as f64 / 2.0;
    for (adapter, class) in ADAPTERS.into_iter().enumerate().take(content.names.len()) {
        let points = positions.iter().map(|at| (middle(at.start, at.end), at.percent[adapter]));
        chart.named_line(class, &points.collect::<Vec<_>>(), &content.names[adapter]);
    }
    let mut rows = Vec::new();
    for at in positions {
        let name = match at.start == at.end {
            true => grouped(at.start as u64),
            false => format!("{}–{}", grouped(at.start as u64), grouped(at.end as u64)),
        };
        chart.at(middle(at.start, at.end));
        let shares = at.percent.iter().map(|&share| decimal(share, 3));
        rows.push([name].into_iter().chain(shares).collect());
    }
    let columns: Vec<&str> =
        ["Position"].into_iter().chain(content.names.iter().map(String::as_str)).collect();
    chart.table(&columns, rows);
    let shares = positions.last().map(|at| content.true_adapters(at).map(|(_, share)| share));
    let (most, share) = shares.map_or((0, 0.0), most_frequent);
    let said = match content.names.get(most).filter(|_| share > 0.0) {
        Some(name) => format!(
            "The most frequent one is {name}: its first 12 bases are in {} % of the reads. Shares are of reads in which an \
             adapter begins at the position or before. It follows an insert of 0 to 10 bases (adapter dimers) in {} %.",
            decimal(share, 2),
            decimal(dimer_share(content, most), 2)
        ),
        None => "None of these adapters was found in any read.".into(),
    };
    chart.finish(&said)
}

/// The adapters that reads had by position, before and after they were cut; nothing where there were none.
pub(super) fn adapters_before_and_after(id: &str, sets: &[AdapterContent; 2]) -> String {
    let [before, after] = sets;
    let share = |of: &AdapterContent, at: usize, adapter: usize| {
        let position = of.positions.get(at).or(of.positions.last());
        position.and_then(|position| position.percent.get(adapter)).copied().unwrap_or(0.0)
    };
    let last = before.positions.len().saturating_sub(1);
    // Shares grow along the read, and those of single reads are chance.
    let is_seen = |adapter: &usize| share(before, last, *adapter) >= 0.05;
    let seen: Vec<usize> = (0..before.names.len()).filter(is_seen).collect();
    let highest = seen.iter().map(|&adapter| share(before, last, adapter)).fold(5.0, f64::max);
    let end = before.positions.last().map_or(1, |at| at.end) as f64;
    let x = Axis::new("Position in the read", 1.0, end).whole().log(end > 1000.0);
    let y = Axis::up_to("Share of reads", highest).percent();
    let mut chart = Chart::new(format!("{id}-adapters"), "Adapters by position", x, y);
    let middle =
        |at: usize| before.positions.get(at).map_or(0.0, |at| (at.start + at.end) as f64 / 2.0);
    let colours = ["c2", "c1", "c3", "c4", "c5", "c6", "c7"];
    let mut columns = vec!["Position".to_owned()];
    for (&adapter, colour) in seen.iter().zip(colours) {
        for (of, when, dash) in [(before, "before", " dash1"), (after, "after", "")] {
            let points = (0..=last).map(|at| (middle(at), share(of, at, adapter)));
            let class = format!("{colour}{dash}");
            chart.line(&class, &points.collect::<Vec<_>>());
            let name = format!("{}, {when}", before.names[adapter]);
            chart.key(Mark::Line, &class, &name);
            columns.push(name + ", %");
        }
    }
    // Poly-A follows an adapter: it counts only where there is none.
    let adapters = before.positions.first().map_or(0, |at| before.true_adapters(at).count());
    let is_adapter = |place: usize| place < adapters;
    let Some(&most) = seen.iter().max_by(|&&a, &&b| {
        let shares = share(before, last, a).total_cmp(&share(before, last, b));
        is_adapter(a).cmp(&is_adapter(b)).then(shares)
    }) else {
        return String::new();
    };
    let mut rows = Vec::new();
    for (at, position) in before.positions.iter().enumerate() {
        chart.at(middle(at));
        let shares = seen
            .iter()
            .flat_map(|&adapter| [before, after].map(|of| decimal(share(of, at, adapter), 3)));
        rows.push([position.start.to_string()].into_iter().chain(shares).collect());
    }
    chart.table(&columns.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    chart.finish(&format!(
        "The first 12 bases of {} are in {} % of the reads before, and in {} % after. Shares are of reads in which an adapter \
         begins at the position or before.",
        before.names[most],
        decimal(share(before, last, most), 2),
        decimal(share(after, last, most), 2)
    ))
}

/// The percentage of reads that are dimers of an adapter.
fn dimer_share(content: &AdapterContent, adapter: usize) -> f64 {
    let dimers = content.dimers.get(adapter).copied().unwrap_or(0);
    100.0 * dimers as f64 / content.reads.max(1) as f64
}

/// The first of the largest shares, and its place.
fn most_frequent(shares: impl Iterator<Item = f64>) -> (usize, f64) {
    shares
        .enumerate()
        .fold((0, 0.0), |most, (i, share)| if share > most.1 { (i, share) } else { most })
}

/// Rows and columns that are drawn; of neighbours that share one, the lowest deviation shows.
const ROWS: usize = 107;
const COLUMNS: usize = 150;

fn tiles(id: &str, quality: &TileQuality) -> String {
    let (rows, columns) = (quality.tiles.len(), quality.positions.len());
    let (per_row, per_column) = (rows.div_ceil(ROWS).max(1), columns.div_ceil(COLUMNS).max(1));
    let x = Axis::new("Position in the read", 0.0, columns as f64);
    let y = Axis::new("Tile", 0.0, rows as f64);
    let mut chart = Chart::new(format!("{id}-tiles"), "Quality by tile and position", x, y);
    let every = |n: usize, most: usize| n.div_ceil(most).max(1);
    let ticks = quality.positions.iter().enumerate().step_by(every(columns, 8));
    chart.x_ticks(ticks.map(|(at, (start, _))| (at as f64 + 0.5, start.to_string())).collect());
    let ticks = quality.tiles.iter().enumerate().step_by(every(rows, 8));
    chart.y_ticks(ticks.map(|(at, tile)| (at as f64 + 0.5, tile.tile.to_string())).collect());
    let deviations: Vec<Vec<f64>> =
        quality.tiles.iter().map(|tile| tile.deviations.clone()).collect();
    heat::draw(&mut chart, &deviations, columns, [per_row, per_column], "the mean");
    let mut lowest: Vec<(i32, f64, usize)> = quality
        .tiles
        .iter()
        .filter_map(|tile| {
            let all = tile.deviations.iter().copied().enumerate();
            let (at, deviation) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
            Some((tile.tile, deviation, quality.positions.get(at)?.0))
        })
        .collect();
    lowest.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let listed = lowest.iter().take(50).map(|(tile, deviation, position)| {
        vec![tile.to_string(), decimal(*deviation, 2), grouped(*position as u64)]
    });
    chart.table(&["Tile", "Lowest deviation", "At position"], listed.collect());
    let said = match lowest.first() {
        Some((tile, deviation, position)) => format!(
            "Difference between the mean quality of each tile and the mean of all {} tiles, measured in every tenth read. The lowest is {} at \
             position {} of tile {tile}.",
            grouped(rows as u64),
            decimal(*deviation, 2),
            grouped(*position as u64)
        ),
        None => "No tiles.".into(),
    };
    chart.finish(&said)
}

/// Why there is no chart of something that was looked for.
pub(super) fn missing(qc: &Qc) -> String {
    let mut text = String::new();
    if let Some(content) = &qc.adapters {
        if qc.duplication.is_none() {
            text += "Repeated sequences are counted only in samples of one file, and this one has several.";
        }
        if qc.tiles.is_none() {
            text += " The read names don't contain tile numbers.";
        }
        if content.positions.is_empty() {
            text += " The reads are too short to be searched for adapters.";
        }
    }
    match text.trim() {
        "" => String::new(),
        text => {
            let mut note = String::new();
            let _ = writeln!(note, "<p class=\"said\">{}</p>", escape(text));
            note
        }
    }
}
