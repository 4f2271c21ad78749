//! The part of a page about files of alignments.

use std::collections::{HashMap, HashSet};

use super::chart::{Chart, Mark};
use super::compare::{self, Compared};
use super::packed::Bodies;
use super::read_charts::{self, bar_chart};
use super::reads::{chosen, facts as read_facts, from, sample};
use super::scale::Axis;
use super::table::{self, TableCell, TableRow};
use super::text::{MANY, numbered};
use super::verdicts;
use crate::bins::{self, Bin};
use crate::number::{decimal, grouped, percent};
use crate::tables::alignments as figures;
use biofast_ops::measure::alignments::report::{
    AlignmentFileReport, AlignmentReport, CountsAtPosition, Coverage, DuplicateTypes, Figures,
    GcBias, InsertSize,
};
use biofast_ops::measure::picard::gc_bias::WINDOW;
use biofast_ops::measure::reads::{EXACT_POSITIONS, Percent};
use biofast_ops::measure::verdicts::Assessment;

/// As many samples are unfolded when the page is opened.
const UNFOLDED: usize = 4;
/// The columns, and how they are compared.
const COLUMNS: [(&str, Option<Compared>); 15] = [
    ("Records", Some(Compared::ratio(0.2))),
    ("Mapped %", Some(Compared::difference(0.3))),
    ("MAPQ 0 %", Some(Compared::difference(0.5))),
    ("Properly paired %", Some(Compared::difference(0.5))),
    ("Duplicates %", Some(Compared::difference(0.5))),
    ("Error rate %", Some(Compared::difference(0.02))),
    ("Median insert", Some(Compared::ratio(0.03))),
    ("Mean depth", Some(Compared::ratio(0.2))),
    ("Covered %", Some(Compared::difference(0.3))),
    ("Q30 %", Some(Compared::difference(0.5))),
    ("Mean length", Some(Compared::ratio(0.02))),
    ("Soft-clipped %", Some(Compared::difference(0.5))),
    ("GC %", Some(Compared::difference(0.3))),
    ("AT dropout %", Some(Compared::difference(0.5))),
    ("GC dropout %", Some(Compared::difference(0.5))),
];
/// As many references are in a table; the JSON has all.
const REFERENCES: usize = 50;
/// Depths from here on are counted as one.
const DEEPEST: u64 = 1000;
/// What is drawn of distributions with a long tail.
const MOST: f64 = 0.995;
/// GC contents are drawn if so many reads are expected there: chance alone changes them by a tenth then.
const EXPECTED: f64 = 100.0;

/// The inputs that have rows of groups: a row of all records of one of these is the sum of others.
fn grouped_inputs(report: &AlignmentReport) -> HashSet<&str> {
    let of_groups = report.files.iter().filter(|file| file.group.is_some());
    of_groups.map(|file| file.input.as_str()).collect()
}

/// How many samples, read groups or libraries there are, and what they are called: the sum of others isn't one.
pub(super) fn counted(report: &AlignmentReport) -> (usize, &'static str) {
    let inputs = grouped_inputs(report);
    let is_whole =
        |file: &&AlignmentFileReport| file.group.is_none() && inputs.contains(&*file.input);
    let wholes = report.files.iter().filter(is_whole).count();
    let of = |by: &str| report.files.iter().filter_map(|f| f.group.as_ref()).all(|g| g.by == by);
    let noun = match inputs.is_empty() {
        false if of("RG") => "read group",
        false if of("LB") => "library",
        _ => "sample",
    };
    (report.files.len() - wholes, noun)
}

/// The names of rows: those of groups are the groups', with the file's name where there are several.
fn names(report: &AlignmentReport) -> Vec<String> {
    let mut inputs: Vec<&str> = report.files.iter().map(|file| file.input.as_str()).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let short: Vec<(&str, &str)> = inputs.iter().map(|input| (*input, *input)).collect();
    let short: HashMap<&str, String> =
        inputs.iter().copied().zip(super::text::short_names(&short)).collect();
    let named = report.files.iter().map(|file| (file.sample.as_str(), file.input.as_str()));
    let named = super::text::short_names(&named.collect::<Vec<_>>());
    let name = |(file, name): (&AlignmentFileReport, String)| match &file.group {
        None => name,
        Some(group) if short.len() == 1 => group.name.clone(),
        Some(group) => {
            let whole = file.sample.strip_suffix(&format!(":{}", group.name));
            let whole = whole.unwrap_or(&file.sample);
            let whole = if whole == file.input { &short[whole] } else { whole };
            format!("{whole}:{}", group.name)
        }
    };
    report.files.iter().zip(named).map(name).collect()
}

/// The table of all samples, and the charts of each.
pub(super) fn section(report: &AlignmentReport) -> String {
    let names = names(report);
    let inputs = grouped_inputs(report);
    let is_many = report.files.len() > MANY;
    let mut bodies = Bodies::new("pa", is_many);
    let (mut rows, mut wholes): (Vec<TableRow>, Vec<TableRow>) = (Vec::new(), Vec::new());
    for ((i, file), name) in report.files.iter().enumerate().zip(&names) {
        let is_whole = file.group.is_none() && inputs.contains(&*file.input);
        let name = if is_whole { format!("All of {name}") } else { name.clone() };
        let mut body = from(&file.input, &file.error, &file.warnings);
        let mut about = file.format.clone();
        if let Some(figures) = &file.figures {
            about += &format!(", {} records", grouped(records(figures)));
            body += &one(&format!("a{i}"), figures, file.verdicts.as_ref());
        }
        let body = sample(&format!("a{i}"), &name, &about, i < UNFOLDED, &body);
        let pack = bodies.add(&body);
        let to = if is_whole { &mut wholes } else { &mut rows };
        to.push(row(i, file, &name, pack));
    }
    let (columns, compared): (Vec<_>, Vec<_>) = COLUMNS.into_iter().unzip();
    let unusual = compare::outliers_first(&mut rows, &compared);
    let mut text = "<section aria-labelledby=\"alignments-h\">\n<h2 id=\"alignments-h\">Alignments\
                    </h2>\n"
        .to_owned();
    text += &table::table("alignments", "Alignments by sample", &columns, &rows, &wholes);
    text += &super::text::said(&unusual.unwrap_or_default().1);
    let files = report.files.iter().zip(&names).enumerate();
    let judged: Vec<_> = files
        .map(|(i, (file, name))| (format!("a{i}"), name.as_str(), file.verdicts.as_ref()))
        .collect();
    text += &verdicts::findings("alignments-findings", &judged);
    text += verdicts::more_by_library(&judged);
    text += chosen(is_many);
    text + &bodies.finish() + "</section>\n"
}

fn records(figures: &Figures) -> u64 {
    figures.records.passed.total + figures.records.failed.total
}

/// Shares of primary reads: mapped, properly paired (of paired ones),
/// duplicates.
fn shares(figures: &Figures) -> [f64; 3] {
    let flags = figures.records.all();
    [
        percent(flags.primary_mapped, flags.primary),
        percent(flags.properly_paired, flags.paired),
        percent(flags.primary_duplicates, flags.primary),
    ]
}

fn row(i: usize, file: &AlignmentFileReport, name: &str, pack: String) -> TableRow {
    let number =
        |value: Option<f64>| value.map_or(TableCell::Nothing, |value| TableCell::Number(value, 2));
    // Figures of a part of a file would be compared with those of whole files: the error stands there.
    let cells = match &file.figures {
        Some(figures) if file.error.is_none() => {
            let [mapped, paired, duplicates] = shares(figures);
            let flags = figures.records.all();
            let insert = &figures.insert_size;
            let dropouts = figures.gc_bias.as_ref().and_then(GcBias::dropouts);
            let [at_dropout, gc_dropout] = dropouts.map_or([None; 2], |shares| shares.map(Some));
            vec![
                TableCell::Count(records(figures)),
                number((flags.primary > 0).then_some(mapped)),
                number(mapq_zero(figures)),
                number((flags.paired > 0).then_some(paired)),
                number((flags.primary > 0).then_some(duplicates)),
                match figures.alignment.aligned_bases {
                    0 => TableCell::Nothing,
                    _ => TableCell::Number(100.0 * figures.alignment.error_rate, 3),
                },
                if insert.pairs > 0 { TableCell::Count(insert.median) } else { TableCell::Nothing },
                figures.coverage.as_ref().map_or(TableCell::Nothing, |coverage| {
                    TableCell::Number(coverage.mean_depth, depth_decimals(coverage.mean_depth))
                }),
                number(figures.coverage.as_ref().map(|coverage| coverage.breadth_percent)),
                number(figures::q30(figures).map(Percent::value)),
                figures::mean_length(figures)
                    .map_or(TableCell::Nothing, |length| TableCell::Number(length, 1)),
                number(soft_clipped(figures)),
                number(figures::gc(figures).map(Percent::value)),
                number(at_dropout),
                number(gc_dropout),
            ]
        }
        _ => Vec::new(),
    };
    let warnings = file.warnings.len();
    TableRow {
        id: format!("a{i}"),
        unit: i,
        mate: None,
        sample: name.to_owned(),
        path: file.sample.clone(),
        error: file.error.clone(),
        warnings,
        pack,
        verdicts: verdicts::cell(file.verdicts.as_ref()),
        cells,
        apart: Vec::new(),
    }
}

/// The share of primary reads that are marked as optical duplicates, where duplicates are told apart.
fn optical(figures: &Figures) -> String {
    let flags = figures.records.all();
    let known = figures.duplicate_types.optical + figures.duplicate_types.library;
    match flags.primary_duplicates {
        0 => "none".into(),
        _ if known == 0 => "not told apart".into(),
        _ => decimal(percent(figures.duplicate_types.optical, flags.primary), 2) + " %",
    }
}

/// Decimals of a mean depth: of targets in a whole genome it is small.
fn depth_decimals(depth: f64) -> usize {
    if depth < 0.1 { 4 } else { 2 }
}

/// Everything about one file.
fn one(id: &str, figures: &Figures, assessment: Option<&Assessment>) -> String {
    let [mapped, mut paired, duplicates] = shares(figures).map(|share| decimal(share, 2) + " %");
    let flags = figures.records.all();
    if flags.paired == 0 {
        paired = "not paired".into();
    }
    let mut facts = vec![
        ("Records", grouped(records(figures))),
        ("Primary, mapped", mapped),
        ("Properly paired", paired),
        ("Duplicates", duplicates),
        ("Optical duplicates", optical(figures)),
        ("Secondary", grouped(flags.secondary)),
        ("Supplementary", grouped(flags.supplementary)),
        ("Failed quality control", grouped(figures.records.failed.total)),
        ("Error rate", format!("{} %", decimal(100.0 * figures.alignment.error_rate, 3))),
    ];
    if let Some(coverage) = &figures.coverage {
        let depth = coverage.mean_depth;
        facts.push(("Mean depth", decimal(depth, depth_decimals(depth))));
        facts.push(("Covered", format!("{} %", decimal(coverage.breadth_percent, 2))));
    }
    let mut text = String::new();
    if figures.coverage.is_none() {
        text += "<p>Depth is missing: it needs a complete file sorted by coordinate.</p>\n";
    }
    if figures.alignment.mismatches.as_ref().is_some_and(|found| found.records == 0)
        && !figures.mapping_quality.is_empty()
    {
        text += "<p>Mismatches by position are missing: the records have no MD tag. <code>biofast stats --reference FASTA</code> \
                 compares them with the reference.</p>\n";
    }
    let DuplicateTypes { optical, library } = figures.duplicate_types;
    if flags.primary_duplicates > 0 && optical + library == 0 {
        text += "<p>Optical duplicates aren't told apart: the duplicates have no <code>dt</code> or <code>DT</code> tag. If read names \
                 have flow cell coordinates, <code>biofast markdup -d 2500 IN.bam -o OUT.bam</code> marks duplicates again and sets \
                 <code>dt</code> (<code>-d 100</code> for flow cells without a pattern, such as those of MiSeq).</p>\n";
    }
    let mut charts = Vec::new();
    if figures.insert_size.pairs > 0 {
        charts.push(insert_size(id, &figures.insert_size));
    }
    if let Some(coverage) = figures.coverage.as_ref().filter(|coverage| coverage.positions > 0) {
        charts.push(depth(id, coverage));
        charts.push(reached(id, coverage));
    }
    if !figures.mapping_quality.is_empty() {
        charts.push(mapping_quality(id, figures));
    }
    if !figures.alignment.indels.is_empty() {
        charts.push(indels(id, figures));
    }
    charts.extend(soft_clips(id, figures));
    charts.extend(mismatches(id, figures));
    charts.extend(figures.gc_bias.as_ref().and_then(|found| gc_bias(id, found)));
    text += &format!("<div class=\"charts\">\n{}</div>\n", charts.concat());
    text += &references(figures);
    let sets = [
        ("First reads of pairs, and single reads", &figures.reads.first, "first"),
        ("Last reads of pairs", &figures.reads.last, "last"),
        ("Other reads", &figures.reads.other, "other"),
    ];
    for (name, reads, suffix) in sets {
        if let Some(reads) = reads {
            text += &format!("<h5>{name}, as sequenced</h5>\n");
            text += &read_facts(reads);
            text += &read_charts::charts(&format!("{id}-{suffix}"), reads);
        }
    }
    let contents = verdicts::contents(id, assessment, &text);
    [table::facts(&facts), verdicts::section(assessment), contents, text].concat()
}

fn insert_size(id: &str, insert: &InsertSize) -> String {
    let all: Vec<(u64, u64)> =
        insert.histogram.iter().map(|&(size, a, b, c)| (size as u64, a + b + c)).collect();
    let last = bins::reaching(&all, MOST).max(10);
    let kinds = [
        ("inward", "c1", 0, insert.inward),
        ("outward", "c2 dash1", 1, insert.outward),
        ("other", "c7 dash2", 2, insert.other),
    ];
    // All kinds in the same bins, however narrow the one or the other is.
    let lines = kinds.map(|(.., kind, _)| {
        let mut counts: Vec<(u64, u64)> = vec![(0, 0)];
        counts.extend(
            insert
                .histogram
                .iter()
                .filter(|row| row.0 as u64 <= last)
                .map(|&(size, a, b, c)| (size as u64, [a, b, c][kind])),
        );
        counts.push((last, 0));
        bins::equal(&counts, 150)
    });
    let highest = lines.iter().flatten().map(|bin| bin.count).max().unwrap_or(0);
    let x = Axis::new("Insert size in bases", 0.0, last as f64).whole();
    let y = Axis::up_to("Pairs", highest as f64).whole();
    let mut chart = Chart::new(format!("{id}-insert"), "Insert sizes", x, y);
    let middle = |bin: &Bin| (bin.from + bin.to.min(last)) as f64 / 2.0;
    for ((name, class, _, pairs), line) in kinds.into_iter().zip(&lines) {
        if pairs > 0 {
            let points: Vec<_> = line.iter().map(|bin| (middle(bin), bin.count as f64)).collect();
            chart.named_line(class, &points, name);
        }
    }
    let mut rows = Vec::new();
    let [inward, outward, other] = &lines;
    for ((a, b), c) in inward.iter().zip(outward).zip(other) {
        let [a_, b_, c_] = [a, b, c].map(|bin| grouped(bin.count));
        chart.at(middle(a));
        rows.push(vec![a.label(), a_, b_, c_]);
    }
    chart.table(&["Insert size", "Inward", "Outward", "Other"], rows);
    let beyond: u64 = all.iter().filter(|(size, _)| *size > last).map(|&(_, n)| n).sum();
    chart.finish(&format!(
        "The median of {} is {} bases. {} % of the pairs point inward. {} above {} bases {}drawn.",
        numbered(insert.pairs, "pair"),
        grouped(insert.median),
        decimal(percent(insert.inward, insert.pairs), 2),
        numbered(beyond, "pair"),
        grouped(last),
        if beyond == 1 { "isn't " } else { "aren't " }
    ))
}

/// Covered positions by depth.
fn covered(coverage: &Coverage) -> Vec<(u64, u64)> {
    let histogram = coverage.histogram.iter().filter(|&&(depth, _)| depth > 0);
    histogram.map(|&(depth, n)| (depth as u64, n)).collect()
}

fn depth(id: &str, coverage: &Coverage) -> String {
    let covered = covered(coverage);
    let last = bins::reaching(&covered, MOST);
    let drawn: Vec<_> = covered.iter().copied().filter(|&(depth, _)| depth <= last).collect();
    let bins = bins::equal(&drawn, 100);
    let ends = (bins.first().map_or(1, |b| b.from), bins.last().map_or(1, |b| b.to));
    let x = Axis::new("Depth", ends.0 as f64 - 0.5, ends.1 as f64 + 0.5).whole();
    let beyond: u64 = covered.iter().filter(|(depth, _)| *depth > last).map(|&(_, n)| n).sum();
    let said = format!(
        "Of {} positions, {} are covered; their median depth is {}. Duplicates don't count, and overlapping mates count once.{}",
        grouped(coverage.positions),
        grouped(coverage.covered),
        bins::reaching(&covered, 0.5),
        match (last, beyond) {
            (_, 1..) => format!(" {} positions deeper than {last} aren't drawn.", grouped(beyond)),
            // The last count is of all that are deeper, too.
            (DEEPEST.., 0) => {
                let deep = covered.iter().filter(|row| row.0 >= DEEPEST).map(|row| row.1).sum();
                format!(
                    " The last bar is of all {} positions of depth {} and more.",
                    grouped(deep),
                    grouped(DEEPEST)
                )
            }
            _ => String::new(),
        }
    );
    bar_chart(format!("{id}-depth"), "Depth of covered positions", x, "Positions", &bins, &said)
}

/// The share of positions that are at least so deep.
fn reached(id: &str, coverage: &Coverage) -> String {
    let covered = covered(coverage);
    let last = bins::reaching(&covered, MOST).max(10);
    let mut left = coverage.covered;
    let mut at_least = vec![(0.0, 100.0)];
    let mut next = covered.iter().peekable();
    for depth in 1..=last {
        at_least.push((depth as f64, percent(left, coverage.positions)));
        if let Some(&(_, n)) = next.next_if(|row| row.0 == depth) {
            left = left.saturating_sub(n);
        }
    }
    let highest = at_least.get(1).map_or(0.0, |point| point.1);
    let x = Axis::new("Depth", 1.0, last as f64).whole();
    let y = Axis::up_to("Positions at or above this depth", highest).percent();
    let mut chart = Chart::new(format!("{id}-reached"), "Positions by depth reached", x, y);
    let points = &at_least[1..];
    let area: Vec<_> = points.iter().map(|&(depth, share)| (depth, 0.0, share)).collect();
    chart.band("f1 wide", &area);
    chart.line("c1", points);
    points.iter().for_each(|&(depth, _)| chart.at(depth));
    let rows = points.iter().map(|&(depth, share)| vec![decimal(depth, 0), decimal(share, 3)]);
    chart.table(&["Depth", "Positions at or above this depth, %"], rows.collect());
    let share_at = |depth: usize| {
        let share = at_least.get(depth).map(|point| point.1);
        share.map(|share| format!("{} % at least {depth}", decimal(share, 2)))
    };
    let shares: Vec<String> = [1, 10, 30, 100].into_iter().filter_map(share_at).collect();
    chart.finish(&format!("Share of positions by depth: {}.", shares.join(", ")))
}

/// Mapped primary records with a mapping quality of 0, in percent.
fn mapq_zero(figures: &Figures) -> Option<f64> {
    let sum = |is_asked: fn(u8) -> bool| -> u64 {
        let rows = figures.mapping_quality.iter().filter(|row| is_asked(row.0));
        rows.map(|&(_, records)| records).sum()
    };
    let all = sum(|_| true);
    (all > 0).then(|| percent(sum(|mapq| mapq == 0), all))
}

fn mapping_quality(id: &str, figures: &Figures) -> String {
    let histogram = &figures.mapping_quality;
    let bins: Vec<Bin> = histogram
        .iter()
        .map(|&(mapq, count)| Bin { from: mapq.into(), to: mapq.into(), count })
        .collect();
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    let share = |wanted: fn(u64) -> bool| {
        decimal(percent(bins.iter().filter(|b| wanted(b.from)).map(|b| b.count).sum(), all), 2)
    };
    let last = bins.last().map_or(0, |bin| bin.to).max(60);
    let x = Axis::new("Mapping quality", -0.5, last as f64 + 0.5).whole();
    let said = format!(
        "{} % of the mapped primary records have mapping quality 0, and {} % have 30 or more.",
        decimal(mapq_zero(figures).unwrap_or_default(), 2),
        share(|mapq| mapq >= 30)
    );
    bar_chart(format!("{id}-mapq"), "Mapping qualities", x, "Records", &bins, &said)
}

fn indels(id: &str, figures: &Figures) -> String {
    let indels = &figures.alignment.indels;
    let all: Vec<(u64, u64)> = indels.iter().map(|&(len, i, d)| (len as u64, i + d)).collect();
    let last = bins::reaching(&all, MOST).max(10);
    let drawn: Vec<_> = indels.iter().filter(|row| row.0 as u64 <= last).collect();
    let highest = drawn.iter().flat_map(|row| [row.1, row.2]).max().unwrap_or(0) as f64;
    let x = Axis::new("Length in bases", 0.5, last as f64 + 0.5).whole();
    // Numbers differ by powers of ten; a single one must still be seen.
    let y = Axis::new("Number", 0.5, highest.max(10.0)).log(true);
    let mut chart = Chart::new(format!("{id}-indels"), "Insertions and deletions", x, y);
    chart.bars("f1", drawn.iter().map(|r| (r.0 as f64 - 0.45, r.0 as f64, r.1 as f64)));
    chart.bars("f2", drawn.iter().map(|r| (r.0 as f64, r.0 as f64 + 0.45, r.2 as f64)));
    chart.key(Mark::Area, "f1", "insertions");
    chart.key(Mark::Area, "f2", "deletions");
    indels.iter().for_each(|&(len, ..)| chart.at(len as f64));
    let rows = indels.iter().map(|&(len, i, d)| vec![len.to_string(), grouped(i), grouped(d)]);
    chart.table(&["Length", "Insertions", "Deletions"], rows.collect());
    let sum = |pick: fn(&(usize, u64, u64)) -> u64| indels.iter().map(pick).sum();
    chart.finish(&format!(
        "{} and {} by length; the vertical axis is logarithmic.",
        numbered(sum(|row| row.1), "insertion"),
        numbered(sum(|row| row.2), "deletion")
    ))
}

/// Soft-clipped bases of mapped primary reads, in percent.
fn soft_clipped(figures: &Figures) -> Option<f64> {
    let rows = &figures.alignment.soft_clipped;
    let clipped = rows.iter().map(|row| row.2 + row.4).sum();
    let all = rows.iter().map(|row| row.3 + row.5).sum();
    (all > 0).then(|| percent(clipped, all))
}

fn soft_clips(id: &str, figures: &Figures) -> Option<String> {
    let share = soft_clipped(figures).filter(|share| *share > 0.0)?;
    let said = format!(
        "{} % of the bases of mapped primary reads are soft-clipped. Positions are those in the read as it was sequenced.",
        decimal(share, 3)
    );
    let names = ["Soft-clipped bases by position", "Share of mapped reads"];
    let rows = &figures.alignment.soft_clipped;
    Some(by_position(format!("{id}-clips"), names, rows, &said))
}

fn mismatches(id: &str, figures: &Figures) -> Option<String> {
    let found = figures.alignment.mismatches.as_ref()?;
    let rows = &found.positions;
    let all = rows.iter().map(|row| row.3 + row.5).sum();
    let said = format!(
        "{} % of the aligned bases of {} differ from the reference, by their MD tag or by the FASTA file. Positions are \
         those in the read as it was sequenced.",
        decimal(percent(rows.iter().map(|row| row.2 + row.4).sum(), all), 3),
        numbered(found.records, "primary record"),
    );
    let names = ["Mismatches by position", "Share of aligned bases"];
    (all > 0).then(|| by_position(format!("{id}-mismatches"), names, rows, &said))
}

/// Reads by the GC content of the reference where they start, beside what there is of it.
fn gc_bias(id: &str, found: &GcBias) -> Option<String> {
    let (mean, windows) = (found.reads_a_window(), found.windows.iter().sum::<u64>());
    let relative = |gc: usize| found.by_gc[gc].reads as f64 / found.windows[gc] as f64 / mean;
    let drawn: Vec<(f64, f64)> = (0..found.windows.len())
        .filter(|&gc| found.windows[gc] as f64 * mean >= EXPECTED)
        .map(|gc| (gc as f64, relative(gc)))
        .collect();
    let ((first, _), (last, _)) = drawn.first().zip(drawn.last())?;
    let highest = drawn.iter().map(|point| point.1).fold(1.5, f64::max);
    let (from, to) = (first - 2.0, last + 2.0);
    let x = Axis::new("GC content of the reference", from.max(0.0), to.min(100.0)).percent();
    let y = Axis::up_to("Relative coverage", highest);
    let mut chart = Chart::new(format!("{id}-gc-bias"), "GC bias", x, y);
    // Windows have no axis: the most frequent content reaches half as high.
    let most = *found.windows.iter().max()? as f64;
    let share = |gc: usize| found.windows[gc] as f64 / most * y.to / 2.0;
    let places = || (from.max(0.0) as usize)..=(to.min(100.0) as usize);
    chart.bars("f7 wide", places().map(|gc| (gc as f64 - 0.5, gc as f64 + 0.5, share(gc))));
    chart.rule(1.0, "mean");
    chart.line("c1", &drawn);
    chart.key(Mark::Line, "c1", "relative coverage");
    chart.key(Mark::Area, "f7 wide", "windows of the reference, without a scale");
    let mut rows = Vec::new();
    for (gc, (class, &windows)) in found.by_gc.iter().zip(found.windows.iter()).enumerate() {
        if windows > 0 {
            chart.at(gc as f64);
            let [windows, reads] = [windows, class.reads].map(grouped);
            rows.push(vec![gc.to_string(), windows, reads, decimal(relative(gc), 3)]);
        }
    }
    chart.table(&["GC, %", "Windows", "Reads that start there", "Relative coverage"], rows);
    let [low, high] = found.dropouts()?.map(|share| decimal(share, 2));
    Some(chart.finish(&format!(
        "Coverage by the GC content of the {WINDOW} reference bases where a read starts; 1 is the mean of all {} windows. Reads \
         missing from an even distribution: AT dropout {low} % (GC up to 50 %), GC dropout {high} %. The line is drawn where at least \
         {} reads are expected.",
        grouped(windows),
        decimal(EXPECTED, 0)
    )))
}

/// Shares of first and of last reads by position.
fn by_position(
    id: String,
    [title, what]: [&'static str; 2],
    rows: &[CountsAtPosition],
    said: &str,
) -> String {
    let first = |row: &CountsAtPosition| (row.3 > 0).then(|| percent(row.2, row.3));
    let last = |row: &CountsAtPosition| (row.5 > 0).then(|| percent(row.4, row.5));
    let middle = |row: &CountsAtPosition| (row.0 as f64 * row.1 as f64).sqrt();
    let end = rows.iter().map(|row| row.1).max().unwrap_or(1);
    let x = Axis::new("Position in the read", 1.0, end.max(2) as f64)
        .whole()
        .log(end > EXACT_POSITIONS);
    let highest = rows.iter().flat_map(|row| [first(row), last(row)]).flatten().fold(0.1, f64::max);
    let mut chart = Chart::new(id, title, x, Axis::up_to(what, highest).percent());
    let has_last = rows.iter().any(|row| row.5 > 0);
    let mut line = |class: &str, name: &str, of: &dyn Fn(&CountsAtPosition) -> Option<f64>| {
        let points: Vec<_> = rows.iter().filter_map(|row| Some((middle(row), of(row)?))).collect();
        if !points.is_empty() {
            chart.named_line(class, &points, name);
        }
    };
    line("c1", if has_last { "first reads" } else { "reads" }, &first);
    line("c2 dash1", "last reads", &last);
    let mut cells = Vec::new();
    for row in rows {
        chart.at(middle(row));
        let position = Bin { from: row.0 as u64, to: row.1 as u64, count: 0 }.label();
        let shares = [first(row), last(row)]
            .map(|share| share.map_or("–".into(), |share| decimal(share, 3)));
        cells.push([vec![position], shares.to_vec()].concat());
    }
    chart.table(&["Position", "First reads, %", "Last reads, %"], cells);
    chart.finish(said)
}

fn references(figures: &Figures) -> String {
    if figures.references.is_empty() {
        return String::new();
    }
    let mut references: Vec<_> = figures.references.iter().collect();
    if references.len() > REFERENCES {
        references.sort_by_key(|reference| std::cmp::Reverse(reference.mapped));
        references.truncate(REFERENCES);
    }
    let rows: Vec<Vec<String>> = references
        .iter()
        .map(|reference| {
            let covered = reference.covered.map(|n| percent(n, reference.length));
            let shown =
                |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2}"));
            let depth = reference.mean_depth;
            let depth = depth.map_or("–".into(), |depth| {
                format!("{depth:.decimals$}", decimals = depth_decimals(depth))
            });
            vec![
                reference.name.clone(),
                grouped(reference.length),
                grouped(reference.mapped),
                shown(covered),
                depth,
            ]
        })
        .collect();
    let caption = match figures.references.len() {
        all if all > REFERENCES => {
            format!(
                "The {REFERENCES} of {} references with the most mapped records",
                grouped(all as u64)
            )
        }
        _ => "References".into(),
    };
    let columns = ["Reference", "Length", "Mapped records", "Covered %", "Mean depth"];
    format!(
        "<details class=\"figures\"><summary>References</summary>{}</details>\n",
        table::plain(&caption, &columns, &rows)
    )
}
