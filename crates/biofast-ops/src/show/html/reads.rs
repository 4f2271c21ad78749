//! The part of a page about samples of FASTQ.

use std::fmt::Write;

use super::super::number::{decimal, grouped};
use super::chart::Chart;
use super::read_charts::{self, mean_quality_axis, middle, position_axis};
use super::scale::{Axis, Scale};
use super::table::{self, Cell, Row};
use super::{escape, notice};
use crate::measure::reads::report::{FileReport, Report, Statistics};

/// As many samples are unfolded when the page is opened.
const UNFOLDED: usize = 6;

/// The table of all samples, charts of all of them together, and the charts of each.
pub(super) fn section(report: &Report) -> String {
    // One scale for all the small drawings, lest they be compared wrongly.
    let positions = report.files.iter().flat_map(|file| &file.statistics.positions);
    let scale = mean_quality_axis(positions).between(21.0, 1.0);
    let rows = report.files.iter().enumerate().map(|(i, file)| row(i, file, &scale));
    let rows: Vec<Row> = rows.collect();
    let columns = [
        "Reads",
        "Bases",
        "Mean length",
        "N50",
        "GC %",
        "N %",
        "Q20 %",
        "Q30 %",
        "Mean quality",
        "Quality by position",
    ];
    let mut text =
        "<section aria-labelledby=\"reads-h\">\n<h2 id=\"reads-h\">Samples of reads</h2>\n"
            .to_owned();
    text += &table::table("reads", "Figures of all samples of reads", &columns, &rows);
    text += &together(report);
    for (i, file) in report.files.iter().enumerate() {
        let statistics = &file.statistics;
        let about =
            format!("{} reads, {} bases", grouped(statistics.reads), grouped(statistics.bases));
        let mut body = from(&file.inputs.join(", "), &file.error, &file.warnings);
        body += &facts(statistics);
        body += &read_charts::charts(&format!("r{i}"), statistics);
        text += &sample(&format!("r{i}"), &file.sample, &about, i < UNFOLDED, &body);
    }
    text + "</section>\n"
}

/// The folded part of the page about one sample.
pub(super) fn sample(id: &str, name: &str, about: &str, open: bool, body: &str) -> String {
    format!(
        "<details class=\"sample\" id=\"{id}\"{}><summary><h3>{}</h3><small>{}</small></summary>\n{body}</details>\n",
        if open { " open" } else { "" },
        escape(name),
        escape(about)
    )
}

/// Where a sample is from and what is wrong with it.
pub(super) fn from(inputs: &str, error: &Option<String>, warnings: &[String]) -> String {
    let mut text = format!("<p class=\"from\">From {}</p>\n", escape(inputs));
    if let Some(error) = error {
        text += &notice("bad", "Error", error);
        text += "<p>The figures are those of the records before the fault.</p>\n";
    }
    warnings.iter().for_each(|warning| text += &notice("doubt", "Warning", warning));
    text
}

/// The figures of reads that fit in a line.
pub(super) fn facts(s: &Statistics) -> String {
    let mut note = "";
    let mut facts = vec![
        ("Reads", grouped(s.reads)),
        ("Bases", grouped(s.bases)),
        ("Mean length", decimal(s.length.mean, 1)),
        ("Shortest – longest", format!("{} – {}", grouped(s.length.min), grouped(s.length.max))),
        ("N50", grouped(s.length.n50)),
        ("GC", format!("{} %", decimal(s.composition.gc_percent, 2))),
    ];
    if let (Some(q30), Some(mean)) = (s.quality.q30_percent, s.quality.mean) {
        facts.extend([
            ("Q30", format!("{} %", decimal(q30, 2))),
            ("Mean quality", decimal(mean, 2)),
        ]);
        if let Some(of_values) = s.quality.mean_arithmetic {
            facts.push(("Mean of Phred values", decimal(of_values, 2)));
            // A difference nobody sees needs no word.
            if of_values - mean >= 1.0 {
                note = "<p class=\"said\">The mean quality is that of the chance of an error, in which a few bad bases weigh as much as they \
                        spoil; the mean of Phred values, which FastQC shows, hardly sees them.</p>\n";
            }
        }
        facts.push(("Encoding", s.quality.encoding.clone()));
    }
    table::facts(&facts) + note
}

fn row(i: usize, file: &FileReport, scale: &Scale) -> Row {
    let number =
        |figure: Option<f64>| figure.map_or(Cell::Nothing, |figure| Cell::Number(figure, 2));
    let s = &file.statistics;
    // Figures of a part of a file would be compared with those of whole files: the error stands there.
    let cells = match file.error {
        Some(_) => Vec::new(),
        None => vec![
            Cell::Count(s.reads),
            Cell::Count(s.bases),
            Cell::Number(s.length.mean, 1),
            Cell::Count(s.length.n50),
            Cell::Number(s.composition.gc_percent, 2),
            Cell::Number(s.composition.n_percent, 2),
            number(s.quality.q20_percent),
            number(s.quality.q30_percent),
            number(s.quality.mean),
            s.quality.mean.map_or(Cell::Nothing, |mean| Cell::Drawing(spark(s, scale), mean)),
        ],
    };
    let warnings = file.warnings.len();
    Row {
        id: format!("r{i}"),
        sample: file.sample.clone(),
        error: file.error.clone(),
        warnings,
        cells,
    }
}

/// The mean quality by position, as small as a word.
fn spark(s: &Statistics, y: &Scale) -> String {
    let x = position_axis(s.positions.iter()).between(0.0, 110.0);
    let mut path = String::new();
    let mut last = f64::NEG_INFINITY;
    for p in &s.positions {
        let at = x.at(middle(p));
        if let Some(mean) = p.mean_quality.filter(|_| at - last >= 1.5) {
            last = at;
            let command = if path.is_empty() { 'M' } else { 'L' };
            let (x, y) = (decimal(at, 1), decimal(y.at(mean), 1));
            let _ = write!(path, "{command}{x} {y}");
        }
    }
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 110 22\" aria-hidden=\"true\"><path class=\"floor\" \
         d=\"M0 21.5H110\"/><path d=\"{path}\"/></svg>"
    )
}

/// Charts with a line for every sample, where there are several.
fn together(report: &Report) -> String {
    let good: Vec<&FileReport> = report
        .files
        .iter()
        .filter(|file| file.error.is_none() && file.statistics.bases > 0)
        .collect();
    if good.len() < 2 {
        return String::new();
    }
    let x = position_axis(good.iter().flat_map(|file| &file.statistics.positions));
    let y = mean_quality_axis(good.iter().flat_map(|file| &file.statistics.positions));
    let mut quality = Chart::new("all-quality".into(), "Mean quality by position", x, y);
    let shares = |s: &Statistics| -> Vec<f64> {
        let histogram = read_charts::gc_without_gaps(s).map_or(Vec::new(), Vec::from);
        let all: f64 = histogram.iter().sum();
        histogram.into_iter().map(|n| 100.0 * n / all.max(f64::MIN_POSITIVE)).collect()
    };
    let highest = good.iter().flat_map(|file| shares(&file.statistics));
    let x = Axis { unit: " %", ..Axis::new("G and C in the read", 0.0, 100.0) };
    let y = Axis::up_to("Share of reads", highest.fold(0.0, f64::max)).percent();
    let mut gc = Chart::new("all-gc".into(), "GC of reads", x, y);
    for (i, file) in good.iter().enumerate() {
        let s = &file.statistics;
        let class = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"][i % 7];
        let class = format!("thin {class}{}", ["", " dash1", " dash2", " dash3"][i / 7 % 4]);
        let points = s.positions.iter().filter_map(|p| Some((middle(p), p.mean_quality?)));
        quality.line(&class, &points.collect::<Vec<_>>(), &file.sample);
        let points = (0u8..).map(f64::from).zip(shares(s));
        gc.line(&class, &points.collect::<Vec<_>>(), &file.sample);
        // A key longer than this helps nobody; names are shown to who points at a line.
        if good.len() <= 14 {
            quality.key(super::chart::Mark::Line, &class, &file.sample);
            gc.key(super::chart::Mark::Line, &class, &file.sample);
        }
    }
    let with_mean = good.iter().filter_map(|file| Some((file, file.statistics.quality.mean?)));
    let lowest = with_mean.min_by(|(_, a), (_, b)| a.total_cmp(b));
    let said = lowest.map_or(String::new(), |(file, mean)| {
        format!(
            "A line for each of {} samples; the lowest mean quality is {}, of {}.",
            good.len(),
            decimal(mean, 2),
            file.sample
        )
    });
    let mut gcs: Vec<f64> = good.iter().map(|f| f.statistics.composition.gc_percent).collect();
    gcs.sort_by(f64::total_cmp);
    let range = (gcs.first().copied().unwrap_or(0.0), gcs.last().copied().unwrap_or(0.0));
    let gc_said = format!(
        "A line for each of {} samples, whose GC is between {} and {} %.",
        good.len(),
        decimal(range.0, 2),
        decimal(range.1, 2)
    );
    format!(
        "<div class=\"sample\"><h5>All samples together</h5><div class=\"charts\">\n{}{}</div></div>\n",
        quality.finish(&said),
        gc.finish(&gc_said)
    )
}
