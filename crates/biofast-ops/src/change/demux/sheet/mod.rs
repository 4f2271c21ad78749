//! Sheets of samples: tables with a header, and Illumina's SampleSheet.csv.

mod illumina;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use super::structure::ReadStructure;

/// A sample and its barcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What its files are called.
    pub id: String,
    /// Its barcode: the parts of it one behind the other, in upper case.
    pub barcode: String,
}

impl Sample {
    /// A sample. `-`, `+` and blanks between the parts of a barcode are left out.
    ///
    /// ```
    /// use biofast_ops::demux::Sample;
    ///
    /// assert_eq!(Sample::new("s1", "acgt+TGCA").barcode, "ACGTTGCA");
    /// ```
    pub fn new(id: impl Into<String>, barcode: &str) -> Sample {
        let barcode = barcode.chars().filter(|c| !matches!(c, '+' | '-' | ' '));
        Sample { id: id.into(), barcode: barcode.map(|c| c.to_ascii_uppercase()).collect() }
    }
}

/// Samples, and what else a sheet says about how they are told apart.
///
/// ```
/// use biofast_ops::demux::Sheet;
///
/// let sheet = Sheet::parse(b"sample_id\tbarcode\ns1\tACGTAC\ns2\tGGTTAA\n", None)?;
/// assert_eq!((sheet.samples[1].id.as_str(), sheet.samples[1].barcode.as_str()), ("s2", "GGTTAA"));
/// let text = b"[Header]\nFileFormatVersion,2\n\n[BCLConvert_Settings]\nOverrideCycles,Y151;I8;I8;U9Y142\n\n\
/// [BCLConvert_Data]\nLane,Sample_ID,index,index2\n1,s1,ACGTACGT,TTTTCCCC\n";
/// let sheet = Sheet::parse(text, Some(1))?;
/// assert_eq!((sheet.samples[0].barcode.as_str(), &sheet.parts[..]), ("ACGTACGTTTTTCCCC", &[8, 8][..]));
/// let structures: Vec<String> = sheet.structures.iter().map(ToString::to_string).collect();
/// assert_eq!(structures, ["151T", "8B", "8B", "9M142T"]);
/// # Ok::<(), biofast_ops::demux::SheetError>(())
/// ```
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

/// What is wrong with a sheet.
///
/// ```
/// use biofast_ops::demux::Sheet;
///
/// let error = Sheet::parse(b"sample_id,barcode\ns1,ACGT\ns1,GGTT\n", None).expect_err("s1 is there twice");
/// assert_eq!(error.to_string(), "line 3: sample s1 is also on line 2");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetError {
    /// The line, counted from 1, if it is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl SheetError {
    fn new(line: impl Into<Option<usize>>, why: impl Into<String>) -> SheetError {
        SheetError { line: line.into(), why: why.into() }
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = biofast_io::Escaped(self.why.as_bytes());
        match self.line {
            Some(line) => write!(f, "line {line}: {why}"),
            None => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for SheetError {}

impl Sheet {
    /// Reads a sheet. It is Illumina's if it has a section `[Data]` (version 1) or `[BCLConvert_Data]` (version 2), else a table
    /// with a header, of commas, tabs or semicolons, with the columns `sample_id` and `barcode`, as fqtk has them, or `barcode1` and
    /// `barcode2`; names of columns count whatever their case and marks. Of a sheet with lanes those of `lane` are taken, or all.
    ///
    /// # Errors
    /// The first thing that is wrong with it; a column that isn't known, as it may say how samples are told apart.
    pub fn parse(text: &[u8], lane: Option<u32>) -> Result<Sheet, SheetError> {
        Sheet::parse_without(text, lane, &[])
    }

    /// The same, without columns of these names, whatever their case and marks.
    ///
    /// ```
    /// use biofast_ops::demux::Sheet;
    ///
    /// let text = b"sample_id,barcode,freezer\ns1,ACGT,7\n";
    /// let error = Sheet::parse(text, None).expect_err("what is it for?");
    /// assert!(error.to_string().contains("the column 'freezer' is not known"));
    /// assert!(Sheet::parse_without(text, None, &["Freezer".to_owned()]).is_ok());
    /// ```
    ///
    /// # Errors
    /// As [`parse`](Sheet::parse).
    pub fn parse_without(
        text: &[u8],
        lane: Option<u32>,
        ignored: &[String],
    ) -> Result<Sheet, SheetError> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let text = std::str::from_utf8(text).map_err(|error| {
            let line = text[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            SheetError::new(line, "it is not UTF-8")
        })?;
        match illumina::is_illumina(text) {
            true => illumina::parse(text, lane, ignored),
            false => {
                let rows =
                    table::Rows::new(text.lines().zip(1..).map(|(text, line)| (line, text)))?;
                samples(&rows, lane, ignored)
            }
        }
    }
}

/// Columns of what is known about samples beside how they are told apart, as laboratories and Illumina's programs write them.
const REMARKS: [&str; 22] = [
    "comment",
    "comments",
    "description",
    "experiment",
    "genomefolder",
    "i5indexid",
    "i7indexid",
    "indexplate",
    "indexplatewell",
    "library",
    "libraryid",
    "libraryname",
    "manifest",
    "note",
    "notes",
    "operator",
    "plate",
    "project",
    "sampleplate",
    "sampleproject",
    "samplewell",
    "well",
];
const IDS: [&str; 5] = ["sampleid", "sample", "samplename", "name", "id"];
const FIRSTS: [&str; 5] = ["barcode", "index", "barcode1", "index1", "i7indexsequence"];
const SECONDS: [&str; 3] = ["barcode2", "index2", "i5indexsequence"];
const STRUCTURE: &str = "readstructure";

/// The first column that isn't known, by its name as it is written.
fn unknown<'r>(rows: &'r table::Rows, ignored: &[String]) -> Option<&'r str> {
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
fn structure_columns(rows: &table::Rows) -> Vec<usize> {
    match rows.column(STRUCTURE) {
        Some(all) => vec![all],
        None => (1..).map_while(|n| rows.column(&format!("{STRUCTURE}{n}"))).collect(),
    }
}

/// The samples of a table.
fn samples(rows: &table::Rows, lane: Option<u32>, ignored: &[String]) -> Result<Sheet, SheetError> {
    let column = |names: &[&str]| names.iter().find_map(|name| rows.column(name));
    let header = rows.header;
    let ids =
        column(&IDS).ok_or_else(|| SheetError::new(header, "there is no column sample_id"))?;
    let firsts = column(&FIRSTS);
    let unknown = unknown(rows, ignored).map(|name| {
        format!("the column '{name}' is not known: rename it, or ignore it with --ignore-columns")
    });
    // All reads may belong to one sample.
    if firsts.is_none() && (unknown.is_some() || rows.rows.len() > 1) {
        let other = unknown.map_or_else(String::new, |why| format!("; {why}"));
        let why = format!("there is no column barcode (or index){other}");
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
                return Err(SheetError::new(line, format!("'{own}' is no lane")));
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
        match &parts {
            None => parts = Some((line, own)),
            Some((other, known)) if *known != own => {
                let why = format!(
                    "the barcode of sample {id} has other lengths than that on line {other}"
                );
                return Err(SheetError::new(line, why));
            }
            Some(_) => {}
        }
        let own_structures = structures_of(structures.iter().map(|&column| field(column)))
            .map_err(|why| SheetError::new(line, why))?;
        // The same sample in several lanes is one.
        if lanes.is_some() && lane.is_none() && seen.iter().any(|(_, other)| *other == sample) {
            continue;
        }
        for (other, earlier) in &seen {
            if earlier.id == sample.id {
                return Err(SheetError::new(line, format!("sample {id} is also on line {other}")));
            }
            if earlier.barcode == sample.barcode {
                let lanes = if lanes.is_some() && lane.is_none() { ": choose a lane" } else { "" };
                let why = format!(
                    "sample {id} has the barcode of sample {} on line {other}{lanes}",
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
            Some(lane) if lanes.is_some() => format!("there is no sample of lane {lane}"),
            _ => "there is no sample".to_owned(),
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
        return Err("a sample has no name".into());
    }
    let bad = id.chars().find(|c| {
        matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control()
    });
    match bad {
        Some(bad) => {
            let bad = bad.escape_default();
            Err(format!("sample {id} can't be the name of a file: it has '{bad}'"))
        }
        None if id.starts_with('.') => {
            Err(format!("sample {id} can't be the name of a file: it starts with a dot"))
        }
        None => Ok(()),
    }
}
