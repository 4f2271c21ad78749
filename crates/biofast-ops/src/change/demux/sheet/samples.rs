//! The samples of a sheet, from the rows of its table.

use super::error::SheetError;
use super::table;
use crate::change::demux::structure::ReadStructure;

/// A sample and its barcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What its files are called.
    pub id: String,
    /// Its barcode: the parts of it one behind the other, in upper case.
    pub barcode: String,
}

impl Sample {
    /// A sample with this barcode, in upper case. `-`, `+` and spaces between the barcode's parts are dropped.
    pub fn new(id: impl Into<String>, barcode: &str) -> Sample {
        let barcode = barcode.chars().filter(|c| !matches!(c, '+' | '-' | ' '));
        Sample { id: id.into(), barcode: barcode.map(|c| c.to_ascii_uppercase()).collect() }
    }
}

/// The samples of a sample sheet, and its settings for demultiplexing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// In the order of the sheet.
    pub samples: Vec<Sample>,
    /// The bases of each part of a barcode, where the sheet says it: of `index` and `index2`.
    pub parts: Vec<usize>,
    /// What its `OverrideCycles` make of the reads; empty where there are none.
    pub structures: Vec<ReadStructure>,
    /// For each sample the read structures of its own, where it has some: from `read_structure`, one for each input with blanks or
    /// semicolons between them, or from `read_structure_1` and so on.
    pub sample_structures: Vec<Vec<ReadStructure>>,
    /// Settings of Illumina's sheet that have no effect here.
    pub unused_settings: Vec<String>,
}

/// Columns of what is known about samples beside how they are told apart, as laboratories and Illumina's programs write them.
const REMARKS: [&str; 22] = [
    "comment", "comments", "description", "experiment", "genomefolder", "i5indexid", "i7indexid",
    "indexplate", "indexplatewell", "library", "libraryid", "libraryname", "manifest", "note",
    "notes", "operator", "plate", "project", "sampleplate", "sampleproject", "samplewell", "well",
];

const IDS: [&str; 5] = ["sampleid", "sample", "samplename", "name", "id"];

const FIRSTS: [&str; 5] = ["barcode", "index", "barcode1", "index1", "i7indexsequence"];

const SECONDS: [&str; 3] = ["barcode2", "index2", "i5indexsequence"];

const STRUCTURE: &str = "readstructure";

/// The first column that isn't known, by its name as it is written.
fn unknown<'r>(rows: &'r table::SheetRows, ignored: &[String]) -> Option<&'r str> {
    let ignored: Vec<String> = ignored.iter().map(|name| table::plain(name)).collect();
    let is_known = |name: &str| {
        let number = name.strip_prefix(STRUCTURE);
        name.is_empty()
            || ["lane", "overridecycles"].contains(&name)
            || IDS.contains(&name)
            || FIRSTS.contains(&name)
            || SECONDS.contains(&name)
            || REMARKS.contains(&name)
            || number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
            || ignored.iter().any(|other| other == name)
    };
    let named = rows.columns().find(|(_, name)| !is_known(name));
    named.map(|(written, _)| written)
}

/// Where the read structures of samples are: one column for all inputs, or one for each.
fn structure_columns(rows: &table::SheetRows) -> Vec<usize> {
    match rows.column(STRUCTURE) {
        Some(all) => vec![all],
        None => (1..).map_while(|n| rows.column(&format!("{STRUCTURE}{n}"))).collect(),
    }
}

/// The samples of a table.
pub(super) fn samples(
    rows: &table::SheetRows,
    lane: Option<u32>,
    ignored: &[String],
) -> Result<Sheet, SheetError> {
    let column = |names: &[&str]| names.iter().find_map(|name| rows.column(name));
    let header = rows.header;
    let ids = column(&IDS).ok_or_else(|| {
        let why = match rows.columns().count() {
            1 => "no column sample_id: only one column found; columns must be separated by tabs, commas or semicolons",
            _ => "no column sample_id: the first line must name the columns, such as sample_id and barcode",
        };
        SheetError::new(header, why)
    })?;
    if let (Some(lane), None) = (lane, rows.column("lane")) {
        let why = format!("no column lane to choose lane {lane} by: leave out --lane");
        return Err(SheetError::new(header, why));
    }
    if let Some(name) = ignored.iter().find(|name| rows.column(&table::plain(name)).is_none()) {
        let why = format!("no column '{name}' to ignore");
        return Err(SheetError::new(header, why));
    }
    let firsts = column(&FIRSTS);
    let unknown = unknown(rows, ignored).map(|name| {
        format!("unknown column '{name}': rename it, or ignore it with --ignore-columns")
    });
    // All reads may belong to one sample.
    if firsts.is_none() && (unknown.is_some() || rows.rows.len() > 1) {
        let other = unknown.map_or_else(String::new, |why| format!("; {why}"));
        let why = format!("no column barcode (or index){other}");
        return Err(SheetError::new(header, why));
    }
    if let Some(why) = unknown {
        return Err(SheetError::new(header, why));
    }
    let seconds = column(&SECONDS);
    let lanes = column(&["lane"]);
    let structures = structure_columns(rows);
    let mut sheet = Sheet::default();
    let mut seen: Vec<(usize, Sample)> = Vec::new();
    let (mut parts, mut separated) = (None::<(usize, Vec<usize>)>, false);
    for (line, fields) in &rows.rows {
        let line = *line;
        let field = |column: usize| fields.get(column).map_or("", |field| field.trim());
        if let (Some(column), Some(lane)) = (lanes, lane) {
            let own = field(column);
            let number = own.parse::<u32>().ok();
            if number.is_none() && !own.is_empty() {
                return Err(SheetError::new(line, format!("'{own}' is not a lane number")));
            }
            if number.is_some_and(|own| own != lane) {
                continue;
            }
        }
        let id = field(ids);
        check_id(id).map_err(|why| SheetError::new(line, why))?;
        let second = seconds.map_or("", field);
        let first = firsts.map_or("", field);
        separated |= first.contains(['+', '-']);
        let sample = Sample::new(id, &format!("{first}+{second}"));
        if sample.barcode.is_empty() && firsts.is_some() {
            return Err(SheetError::new(line, format!("sample {id} has no barcode")));
        }
        let own: Vec<usize> = match second.is_empty() {
            true => first.split(['+', '-']).map(str::len).filter(|&len| len > 0).collect(),
            false => vec![first.len(), second.len()],
        };
        let own_structures = structures_of(structures.iter().map(|&column| field(column)))
            .map_err(|why| SheetError::new(line, why))?;
        match &parts {
            None => parts = Some((line, own)),
            // Its structures say where it is.
            Some((other, known)) if *known != own && own_structures.is_empty() => {
                let why = format!(
                    "the barcode of sample {id} differs in length from the one on line {other}"
                );
                return Err(SheetError::new(line, why));
            }
            Some(_) => {}
        }
        // The same sample in several lanes is one.
        if lanes.is_some() && lane.is_none() && seen.iter().any(|(_, other)| *other == sample) {
            continue;
        }
        for (other, earlier) in &seen {
            if earlier.id == sample.id {
                return Err(SheetError::new(line, format!("sample {id} is also on line {other}")));
            }
            if earlier.barcode == sample.barcode {
                let lanes = if lanes.is_some() && lane.is_none() {
                    ": choose a lane with --lane"
                } else {
                    ""
                };
                let why = format!(
                    "sample {id} has the same barcode as sample {} on line {other}{lanes}",
                    earlier.id
                );
                return Err(SheetError::new(line, why));
            }
        }
        seen.push((line, sample));
        sheet.sample_structures.push(own_structures);
    }
    if seen.is_empty() {
        let why = match lane {
            Some(lane) => format!("no samples in lane {lane}"),
            _ => "no samples".to_owned(),
        };
        return Err(SheetError::new(None, why));
    }
    // Where parts aren't told apart, they aren't known.
    if seconds.is_some() || separated {
        sheet.parts = parts.map(|(_, parts)| parts).unwrap_or_default();
    }
    sheet.samples = seen.into_iter().map(|(_, sample)| sample).collect();
    Ok(sheet)
}

/// The read structures of a sample: of its fields, with blanks or semicolons between several of one field.
fn structures_of<'t>(fields: impl Iterator<Item = &'t str>) -> Result<Vec<ReadStructure>, String> {
    fields
        .flat_map(|field| field.split([' ', ';', ',']))
        .filter(|text| !text.is_empty())
        .map(|text| text.parse::<ReadStructure>().map_err(|error| error.to_string()))
        .collect()
}

/// What is wrong with the name of a sample, of which names of files are made.
fn check_id(id: &str) -> Result<(), String> {
    if id.is_empty() {
        return Err("sample without a name".into());
    }
    let bad = id.chars().find(|c| {
        matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control()
    });
    match bad {
        Some(bad) => {
            let bad = bad.escape_default();
            Err(format!("sample {id} can't be a file name: it contains '{bad}'"))
        }
        None if id.starts_with('.') => {
            Err(format!("sample {id} can't be a file name: it starts with a dot"))
        }
        None => Ok(()),
    }
}
