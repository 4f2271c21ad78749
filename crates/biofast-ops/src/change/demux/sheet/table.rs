//! Rows of fields.

use super::error::SheetError;

/// A table with a header.
pub(super) struct SheetRows {
    /// The line of the header.
    pub(super) header: usize,
    columns: Vec<(String, String)>,
    /// The number of each line, and its fields.
    pub(super) rows: Vec<(usize, Vec<String>)>,
}

impl SheetRows {
    /// The table of these lines, whose fields are separated as those of the header are.
    pub(super) fn new<'t>(
        lines: impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<SheetRows, SheetError> {
        let is_blank = |line: &str| line.trim_matches([',', ';', '\t', ' ']).is_empty();
        let mut lines = lines.filter(|(_, line)| !is_blank(line) && !line.starts_with('#'));
        let (header, names) = lines.next().ok_or_else(|| SheetError::new(None, "it is empty"))?;
        let separators = ['\t', ',', ';'];
        let separator =
            separators.into_iter().find(|&separator| names.contains(separator)).unwrap_or(',');
        let columns = fields(names, separator, header)?;
        let columns = columns.into_iter().map(|name| (name.trim().to_owned(), plain(&name)));
        let columns: Vec<(String, String)> = columns.collect();
        for (at, (written, name)) in columns.iter().enumerate() {
            if !name.is_empty() && columns[..at].iter().any(|(_, other)| other == name) {
                let why = format!("two columns are named '{written}'");
                return Err(SheetError::new(header, why));
            }
        }
        let rows = lines.map(|(line, text)| Ok((line, fields(text, separator, line)?)));
        Ok(SheetRows { header, columns, rows: rows.collect::<Result<_, SheetError>>()? })
    }

    /// Which column has this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(_, column)| column == name)
    }

    /// The names of columns, as written and as compared.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().map(|(written, name)| (written.as_str(), name.as_str()))
    }
}

/// A column's name in lower case, without marks.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The fields of a line: those in quotes may have separators, and quotes twice (RFC 4180).
pub(super) fn fields(
    line: &str,
    separator: char,
    number: usize,
) -> Result<Vec<String>, SheetError> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(field) = fields.last_mut() else { break };
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            letter if letter == separator && !quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    match quoted {
        true => Err(SheetError::new(number, "missing closing quote")),
        false => Ok(fields),
    }
}
