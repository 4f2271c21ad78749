//! The table of all samples: sorted by the buttons in its head.

use std::fmt::Write;

use super::text::{MANY, escape};
use crate::number::{decimal, grouped};

/// A cell: what is shown and sorted by.
pub(super) enum TableCell {
    Count(u64),
    /// A number with so many decimals.
    Number(f64, usize),
    /// Markup made here, sorted by a number.
    Drawing(String, f64),
    Nothing,
}

/// One row.
pub(super) struct TableRow {
    /// The section of the page it leads to.
    pub(super) id: String,
    /// The number of its sample: mates share one.
    pub(super) unit: usize,
    /// 1 or 2, of mates.
    pub(super) mate: Option<u8>,
    /// Its name as it is shown.
    pub(super) sample: String,
    /// Its whole name.
    pub(super) path: String,
    /// What is wrong with the sample.
    pub(super) error: Option<String>,
    pub(super) warnings: usize,
    /// Where the page's script finds the charts of the sample, if they are packed: attributes.
    pub(super) pack: String,
    /// The verdicts about it.
    pub(super) verdicts: TableCell,
    pub(super) cells: Vec<TableCell>,
    /// How far each figure is from the median of all samples, in standard deviations; empty where they aren't compared.
    pub(super) apart: Vec<f64>,
}

/// Names up to this length stay in one line where there is room.
const SHORT: usize = 28;

/// The table of `rows`, with these columns behind those of every table. Those in `wholes`, of which `rows` are the parts, stand apart
/// at its end.
pub(super) fn table(
    id: &str,
    caption: &str,
    names: &[&str],
    rows: &[TableRow],
    wholes: &[TableRow],
) -> String {
    let all = || rows.iter().chain(wholes);
    let has_value = |at: &usize| {
        all().any(|row| !matches!(row.cells.get(*at), None | Some(TableCell::Nothing)))
    };
    let columns = ShownColumns {
        // Where nothing is judged there is no column of verdicts, and where all was read well none of that.
        verdicts: all().any(|row| !matches!(row.verdicts, TableCell::Nothing)),
        status: all().any(|row| row.error.is_some() || row.warnings > 0),
        values: (0..names.len()).filter(has_value).collect(),
    };
    let first = [("Sample", true), ("Verdicts", columns.verdicts), ("Status", columns.status)];
    let first = first.iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| *name);
    let tall = if rows.len() > MANY { " tall" } else { "" };
    let mut text = format!(
        "<div class=\"scroll{tall}\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table class=\"sortable\" id=\"{id}\"><caption>{caption}<span class=\"sorts\"> · Select a column name to \
         sort.</span></caption><thead><tr>"
    );
    let is_number = |at: usize| {
        all().any(|row| {
            matches!(row.cells.get(at), Some(TableCell::Count(_) | TableCell::Number(..)))
        })
    };
    let values = columns.values.iter().map(|&at| (names[at], is_number(at)));
    for (column, is_number) in first.map(|name| (name, false)).chain(values) {
        let class = if is_number { " class=\"n\"" } else { "" };
        let _ = write!(
            text,
            "<th scope=\"col\"{class} aria-sort=\"none\"><button type=\"button\">{column}</button></th>"
        );
    }
    text.push_str("</tr></thead><tbody>\n");
    rows.iter().for_each(|row| push_row(&mut text, row, &columns));
    if !wholes.is_empty() {
        text.push_str("</tbody><tbody class=\"wholes\">\n");
        wholes.iter().for_each(|row| push_row(&mut text, row, &columns));
    }
    text.push_str("</tbody></table></div>\n");
    text
}

/// The columns in which a row has something to show.
struct ShownColumns {
    verdicts: bool,
    status: bool,
    /// Places of cells.
    values: Vec<usize>,
}

fn push_row(text: &mut String, row: &TableRow, columns: &ShownColumns) {
    let class = match (&row.error, row.mate) {
        (Some(_), _) => " class=\"faulty\"",
        (None, Some(2)) => " class=\"mate\"",
        _ => "",
    };
    // Names are as long as those of files: they break at their parts.
    let name = escape(&row.sample).replace('_', "_<wbr>").replace('.', "<wbr>.");
    let name = match row.sample.chars().count() {
        ..=SHORT => format!("<span class=\"short\">{name}</span>"),
        _ => name,
    };
    let _ = write!(
        text,
        "<tr{class}{}><th scope=\"row\"><a href=\"#{}\"{}>{name}</a></th>",
        row.pack,
        row.id,
        match row.path == row.sample {
            true => String::new(),
            false => format!(" title=\"{}\"", escape(&row.path)),
        },
    );
    if columns.verdicts {
        push_cell(text, &row.verdicts, 0.0);
    }
    let status = match (&row.error, row.warnings) {
        (Some(error), _) => format!(
            "<td class=\"status bad\" data-v=\"2\">✗ error</td><td class=\"why\" \
             colspan=\"{}\">{}</td>",
            columns.values.len().max(1),
            escape(error)
        ),
        (None, 0) => "<td class=\"status good\" data-v=\"0\">✓ ok</td>".into(),
        (None, n) => format!(
            "<td class=\"status doubt\" data-v=\"1\">! {n} warning{}</td>",
            if n == 1 { "" } else { "s" }
        ),
    };
    if columns.status {
        text.push_str(&status);
    }
    for &at in columns.values.iter().filter(|_| row.error.is_none()) {
        let cell = row.cells.get(at).unwrap_or(&TableCell::Nothing);
        push_cell(text, cell, row.apart.get(at).copied().unwrap_or(0.0));
    }
    text.push_str("</tr>\n");
}

fn push_cell(text: &mut String, cell: &TableCell, apart: f64) {
    let shade = match (apart.abs(), apart > 0.0) {
        (..SHADED, _) => "",
        (OUTLYING.., true) => " up far",
        (OUTLYING.., false) => " down far",
        (_, true) => " up",
        (_, false) => " down",
    };
    let _ = match cell {
        // What is shown is what is sorted by, but for its commas.
        TableCell::Count(n @ ..1000) => write!(text, "<td class=\"n{shade}\">{n}</td>"),
        TableCell::Count(n) => {
            write!(text, "<td class=\"n{shade}\" data-v=\"{n}\">{}</td>", grouped(*n))
        }
        TableCell::Number(value, digits) => {
            write!(text, "<td class=\"n{shade}\">{value:.digits$}</td>")
        }
        TableCell::Drawing(markup, value) => {
            write!(text, "<td data-v=\"{}\">{markup}</td>", decimal(*value, 6))
        }
        TableCell::Nothing => write!(text, "<td class=\"n\" data-v=\"\">–</td>"),
    };
}

/// Names and values side by side.
pub(super) fn facts(pairs: &[(&str, String)]) -> String {
    let mut text = "<dl class=\"facts\">".to_owned();
    for (name, value) in pairs {
        let _ = write!(text, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    }
    text.push_str("</dl>\n");
    text
}

/// A plain table: a head, and rows whose first cell names them.
pub(super) fn plain(caption: &str, columns: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table \
         class=\"plain\"><caption>{0}</caption><thead><tr>",
        escape(caption)
    );
    for column in columns {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escape(column));
    }
    text.push_str("</tr></thead><tbody>");
    for row in rows {
        text.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let _ = match i {
                0 => write!(text, "<th scope=\"row\">{}</th>", escape(cell)),
                _ => write!(text, "<td class=\"n\">{}</td>", escape(cell)),
            };
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div>\n");
    text
}

/// From so many robust standard deviations on a figure is shaded …
pub(super) const SHADED: f64 = 2.0;

/// … and from so many on it is an outlier: Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993.
pub(super) const OUTLYING: f64 = 3.5;
