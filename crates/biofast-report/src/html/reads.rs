//! The part of a page about samples of FASTQ.

use std::collections::HashMap;

use super::chart::{step, tenths};
use super::compare::{self, Compared};
use super::packed::Bodies;
use super::read_charts::{self, mean_quality_axis, middle, position_axis};
use super::scale::Scale;
use super::table::{self, TableCell, TableRow};
use super::text::{MANY, escape, notice};
use super::together::Placed;
use super::{together, verdicts};
use crate::number::{decimal, grouped};
use biofast_ops::measure::reads::AdapterContent;
use biofast_ops::measure::reads::report::{ReadFileReport, ReadReport, Statistics};
use biofast_ops::measure::sample_names::mate_by_name;

/// As many samples are unfolded when the page is opened.
const UNFOLDED: usize = 6;
/// The columns, and how they are compared. The last one is drawn.
const COLUMNS: [(&str, Option<Compared>); 14] = [
    ("Reads", Some(Compared::ratio(0.2))),
    ("Bases", Some(Compared::ratio(0.2))),
    ("Mean length", Some(Compared::ratio(0.02))),
    ("N50", Some(Compared::ratio(0.02))),
    ("GC %", Some(Compared::difference(0.3))),
    ("N %", Some(Compared::difference(0.05))),
    ("Q20 %", Some(Compared::difference(0.3))),
    ("Q30 %", Some(Compared::difference(0.5))),
    ("Quality of the mean error", Some(Compared::difference(0.2))),
    ("Mean Phred value", Some(Compared::difference(0.2))),
    ("Adapters %", Some(Compared::difference(0.5))),
    ("Poly-G %", Some(Compared::difference(0.5))),
    ("Duplicates %", Some(Compared::difference(1.0))),
    ("Quality by position", None),
];

/// Names and samples of the files: mates are those that were read as such, or whose names say so.
fn placed(report: &ReadReport) -> Vec<Placed> {
    let inputs: Vec<String> = report.files.iter().map(|file| file.inputs.join(", ")).collect();
    let names = report.files.iter().zip(&inputs);
    let names: Vec<_> =
        names.map(|(file, inputs)| (file.sample.as_str(), inputs.as_str())).collect();
    let names = super::text::short_names(&names);
    let by_name: Vec<Option<(&str, u8)>> = names.iter().map(|name| mate_by_name(name)).collect();
    let mut times: HashMap<(&str, u8), usize> = HashMap::new();
    by_name.iter().flatten().for_each(|of| *times.entry(*of).or_insert(0) += 1);
    // Both files of a pair are there, and once.
    let by_name: Vec<Option<(&str, u8)>> = by_name
        .iter()
        .map(|of| {
            of.filter(|&(pair, mate)| {
                [mate, 3 - mate].map(|mate| times.get(&(pair, mate))) == [Some(&1); 2]
            })
        })
        .collect();
    let mut pairs: HashMap<&str, usize> = HashMap::new();
    let mut next = 0;
    let mut placed: Vec<Placed> = Vec::new();
    for (i, ((file, name), named)) in report.files.iter().zip(&names).zip(&by_name).enumerate() {
        let follows = i > 0 && report.files[i - 1].mate == Some(1);
        let before = match (file.mate, named) {
            (Some(2), _) if follows => placed.last().map(|one| one.unit),
            (None, Some((pair, _))) => pairs.get(pair).copied(),
            _ => None,
        };
        let unit = before.unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        let shown = match named {
            Some((pair, mate)) => {
                pairs.insert(pair, unit);
                format!("{pair} R{mate}")
            }
            None => name.clone(),
        };
        let mate = file.mate.or(named.map(|(_, mate)| mate));
        placed.push(Placed { name: shown, unit, mate });
    }
    placed
}

/// The table of all samples, charts of all of them together, and the charts of each; and how many samples there are.
pub(super) fn section(report: &ReadReport) -> (String, usize) {
    // One scale for all the small drawings, lest they be compared wrongly.
    let positions = report.files.iter().flat_map(|file| &file.statistics.positions);
    let scale = mean_quality_axis(positions).between(21.0, 1.0);
    let placed = placed(report);
    let samples = placed.iter().map(|one| one.unit + 1).max().unwrap_or(0);
    // Mates stand together, wherever they were named.
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by_key(|&i| (placed[i].unit, placed[i].mate));
    let is_many = report.files.len() > MANY;
    let mut bodies = Bodies::new("pr", is_many);
    let mut rows: Vec<TableRow> = Vec::new();
    for i in order {
        let (file, placed) = (&report.files[i], &placed[i]);
        let statistics = &file.statistics;
        let mate = match placed.mate {
            None => "",
            Some(1) => "first mates, ",
            Some(_) => "second mates, ",
        };
        let (reads, bases) = (grouped(statistics.reads), grouped(statistics.bases));
        let about = format!("{mate}{reads} reads, {bases} bases");
        let mut body = from(&file.inputs.join(", "), &file.error, &file.warnings);
        body += &facts(statistics);
        body += &verdicts::section(file.verdicts.as_ref());
        let id = format!("r{i}");
        let charts = read_charts::charts(&id, statistics);
        body += &verdicts::contents(&id, file.verdicts.as_ref(), &charts);
        body += &charts;
        let body = sample(&id, &placed.name, &about, rows.len() < UNFOLDED, &body);
        let pack = bodies.add(&body);
        rows.push(row(id, file, placed, &scale, pack));
    }
    let (columns, compared): (Vec<_>, Vec<_>) = COLUMNS.into_iter().unzip();
    let unusual = compare::outliers_first(&mut rows, &compared);
    let mut text =
        "<section aria-labelledby=\"reads-h\">\n<h2 id=\"reads-h\">Reads</h2>\n".to_owned();
    text += &table::table("reads", "Reads by sample", &columns, &rows, &[]);
    let (outliers, said) = unusual.unwrap_or_default();
    text += &super::text::said(&said);
    let files = report.files.iter().zip(&placed).enumerate();
    let judged: Vec<_> = files
        .map(|(i, (file, one))| (format!("r{i}"), one.name.as_str(), file.verdicts.as_ref()))
        .collect();
    text += &verdicts::findings("reads-findings", &judged);
    text += verdicts::more_by_library(&judged);
    let order: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    text += &together::charts(report, &placed, &order, &outliers);
    text += chosen(is_many);
    text += &(bodies.finish() + "</section>\n");
    (text, samples)
}

/// What stands before the samples, and where only chosen ones are shown, which the page's script unpacks.
pub(super) fn chosen(is_many: bool) -> &'static str {
    match is_many {
        false => "",
        true => {
            "<h3 class=\"head\">Individual samples</h3>\n<p class=\"said chosen-note\">Select samples in the table to see \
             their charts here.</p>\n<noscript><p>The charts are compressed and need the page's script.</p></noscript>\n\
             <div class=\"unpacked\"></div>\n"
        }
    }
}

/// The folded part of the page about one sample.
pub(super) fn sample(id: &str, name: &str, about: &str, is_open: bool, body: &str) -> String {
    let open = if is_open { " open" } else { "" };
    format!(
        "<details class=\"sample\" id=\"{id}\"{open}><summary><h3>{}</h3><small>{}</small></summary>\n{body}</details>\n",
        escape(name),
        escape(about)
    )
}

/// Where a sample is from and what is wrong with it.
pub(super) fn from(inputs: &str, error: &Option<String>, warnings: &[String]) -> String {
    let mut text = format!("<p class=\"from\">From {}</p>\n", escape(inputs));
    if let Some(error) = error {
        text += &notice("bad", "Error", error);
        text += "<p>The values are those of the records before the error.</p>\n";
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
            ("Quality of the mean error", decimal(mean, 2)),
        ]);
        if let Some(of_values) = s.quality.mean_arithmetic {
            facts.push(("Mean Phred value", decimal(of_values, 2)));
            // A difference nobody sees needs no word.
            if of_values - mean >= 1.0 {
                note = "<p class=\"said\">The quality of the mean error is the Phred value of the mean error probability, so bad bases count as \
                        much as the errors they make. The mean Phred value, shown by FastQC and fastp, hardly changes with a few bad bases.</p>\n";
            }
        }
        facts.push(("Encoding", s.quality.encoding.clone()));
    }
    table::facts(&facts) + note
}

fn row(
    id: String,
    file: &ReadFileReport,
    placed: &Placed,
    scale: &Scale,
    pack: String,
) -> TableRow {
    let number = |figure: Option<f64>| {
        figure.map_or(TableCell::Nothing, |figure| TableCell::Number(figure, 2))
    };
    let s = &file.statistics;
    let qc = s.qc.as_ref();
    let adapters = qc.and_then(|qc| qc.adapters.as_ref());
    // Figures of a part of a file would be compared with those of whole files: the error stands there.
    let cells = match file.error {
        Some(_) => Vec::new(),
        None => vec![
            TableCell::Count(s.reads),
            TableCell::Count(s.bases),
            TableCell::Number(s.length.mean, 1),
            TableCell::Count(s.length.n50),
            TableCell::Number(s.composition.gc_percent, 2),
            TableCell::Number(s.composition.n_percent, 2),
            number(s.quality.q20_percent),
            number(s.quality.q30_percent),
            number(s.quality.mean),
            number(s.quality.mean_arithmetic),
            number(adapters.and_then(|content| Some(content.most_frequent()?.1))),
            number(adapters.and_then(AdapterContent::poly_g_percent)),
            number(qc.and_then(|qc| Some(qc.duplication.as_ref()?.repeated_percent()))),
            s.quality
                .mean
                .map_or(TableCell::Nothing, |mean| TableCell::Drawing(spark(s, scale), mean)),
        ],
    };
    let warnings = file.warnings.len();
    TableRow {
        id,
        unit: placed.unit,
        mate: placed.mate,
        sample: placed.name.clone(),
        path: file.sample.clone(),
        error: file.error.clone(),
        warnings,
        pack,
        verdicts: verdicts::cell(file.verdicts.as_ref()),
        cells,
        apart: Vec::new(),
    }
}

/// The mean quality by position, as small as a word.
fn spark(s: &Statistics, y: &Scale) -> String {
    let x = position_axis(s.positions.iter()).between(0.0, 110.0);
    let mut path = String::new();
    let mut last: Option<[i64; 2]> = None;
    for p in &s.positions {
        let Some(mean) = p.mean_quality else { continue };
        // Tenths of a pixel.
        let at = [x.at(middle(p)), y.at(mean)].map(|at| (10.0 * at).round() as i64);
        match last {
            Some(last) if at[0] - last[0] < 40 => continue,
            Some(last) => path += &step(at[0] - last[0], at[1] - last[1]),
            None => path = format!("M{} {}l", tenths(at[0]), tenths(at[1])),
        }
        last = Some(at);
    }
    let path = path.trim_end_matches([' ', 'l']);
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 110 22\" aria-hidden=\"true\"><path d=\"{path}\"/></svg>"
    )
}
