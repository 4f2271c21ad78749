//! Illumina's SampleSheet.csv: version 1 for bcl2fastq (sections `[Settings]` and `[Data]`) and version 2 for BCL Convert
//! (`[BCLConvert_Settings]` and `[BCLConvert_Data]`), as "BCL Convert Software Guide" has them.

use super::error::SheetError;
use super::samples::{Sheet, samples};
use super::table::{SheetRows, fields, plain};
use crate::change::demux::structure::ReadStructure;

/// The name of the section that a line begins.
fn section(line: &str) -> Option<String> {
    let line = line.trim_end_matches([',', ' ', '\t']).trim();
    let name = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(name.to_ascii_lowercase())
}

const DATA: [&str; 2] = ["bclconvert_data", "data"];

pub(super) fn is_illumina(text: &str) -> bool {
    text.lines().filter_map(section).any(|name| DATA.contains(&name.as_str()))
}

/// Settings that have no bearing on which reads go where.
const NEUTRAL: [&str; 5] = [
    "overridecycles", "softwareversion", "fastqcompressionformat", "nolanesplitting",
    "createfastqforindexreads",
];

pub(super) fn parse(
    text: &str,
    lane: Option<u32>,
    ignored: &[String],
) -> Result<Sheet, SheetError> {
    let mut sections: Vec<(String, Vec<(usize, &str)>)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        match (section(text), sections.last_mut()) {
            (Some(name), _) => sections.push((name, Vec::new())),
            (None, Some((_, lines))) => lines.push((line, text)),
            (None, None) => {}
        }
    }
    let find =
        |name: &str| sections.iter().find(|(found, _)| found == name).map(|(_, lines)| lines);
    let data = DATA.iter().find_map(|name| find(name)).map_or(&[][..], Vec::as_slice);
    let rows = SheetRows::new(data.iter().copied())?;
    let mut sheet = samples(&rows, lane, ignored)?;
    let settings = ["bclconvert_settings", "settings"].iter().find_map(|name| find(name));
    let mut cycles: Option<(usize, String)> = None;
    for &(line, text) in settings.into_iter().flatten() {
        let fields = fields(text, ',', line)?;
        if let [key, value, ..] = &fields[..]
            && key.trim().eq_ignore_ascii_case("OverrideCycles")
            && !value.trim().is_empty()
        {
            cycles = Some((line, value.trim().to_owned()));
        }
        if let [key, value, ..] = &fields[..]
            && !value.trim().is_empty()
            && !NEUTRAL.contains(&plain(key).as_str())
        {
            sheet.unused_settings.push(key.trim().to_owned());
        }
    }
    if let Some(column) = rows.column("overridecycles") {
        for (line, fields) in &rows.rows {
            let own = fields.get(column).map_or("", |field| field.trim());
            match &cycles {
                _ if own.is_empty() => {}
                Some((other, known)) if known != own => {
                    let why = format!(
                        "OverrideCycles is {own} but {known} on line {other}: use -r (read structures) instead"
                    );
                    return Err(SheetError::new(*line, why));
                }
                Some(_) => {}
                None => cycles = Some((*line, own.to_owned())),
            }
        }
    }
    if let Some((line, cycles)) = cycles {
        sheet.structures = structures(&cycles).map_err(|why| SheetError::new(line, why))?;
    }
    Ok(sheet)
}

/// The read structures of a value such as `Y151;I8N2;I8;U9Y142`: Y is the template, I an index, U a UMI, N nothing.
fn structures(cycles: &str) -> Result<Vec<ReadStructure>, String> {
    let of_read = |read: &str| {
        let mut structure = String::new();
        let mut rest = read.trim();
        while let Some(letter) = rest.chars().next() {
            let kind = match letter.to_ascii_uppercase() {
                'Y' => 'T',
                'I' => 'B',
                'U' => 'M',
                'N' => 'S',
                _ => {
                    return Err(format!(
                        "OverrideCycles {cycles}: expected Y, I, U or N, found '{}'",
                        letter.escape_default()
                    ));
                }
            };
            rest = &rest[letter.len_utf8()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (number, after) = match rest.strip_prefix('*') {
                Some(after) => ("+", after),
                None => rest.split_at(digits),
            };
            structure.push_str(number);
            structure.push(kind);
            rest = after;
        }
        structure
            .parse::<ReadStructure>()
            .map_err(|error| format!("OverrideCycles {cycles}: {error}"))
    };
    cycles.split(';').map(of_read).collect()
}
