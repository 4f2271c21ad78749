//! `lab-notebook/INDEX.md`: every entry in a line, generated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::overview::{self, Row};
use super::page::{self, cell};
use super::tables;

/// The file's name in the notebook.
pub(crate) const NAME: &str = "INDEX.md";

const HEAD: &str = "\
# Lab notebook

Each entry asks one question about how biofast should be built, mostly one that an earlier document claimed to have answered.
It repeats the measurement without the faults found in the earlier one and says what became of the claim: *reproduced*, *partly*,
*refuted*, *undecided* or *not measurable here*, by a rule that [docs/laboratory.md](../docs/laboratory.md#verdicts) states;
the same page says how entries are measured and how to add one. Whole programs against other tools: [docs/performance.md](../docs/performance.md).

`cargo lab run NNN` measures an entry again, `cargo lab check` compares this page and every table with the data. This page is generated. What several machines found: [MACHINES.md](MACHINES.md).

";

/// The whole page; files are given relative to the notebook's parent or not at all. The summary comes last, with its
/// counts of verdicts.
pub(crate) fn render(
    notebook: &Path,
    rows: &[Row],
    overview: Option<&(PathBuf, String)>,
) -> Result<String> {
    let mut text = String::from(HEAD);
    writeln!(text, "| entry | answer | question | claimed | measured | verdict | command |")?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for row in rows {
        let p = &row.protocol;
        let Some(file) = &row.page else { continue };
        let file = file.strip_prefix(notebook).unwrap_or(file);
        let measured: Vec<String> =
            row.results.iter().map(|r| tables::headline(&r.summary, p)).collect();
        writeln!(
            text,
            "| [{} {}]({}) | {} | {} | {} | {} | {} | `cargo lab run {}` |",
            p.id,
            cell(&p.slug),
            file.display(),
            cell(&p.notes.answer),
            cell(&p.question),
            cell(&row.claim()),
            cell(&measured.join("; ")),
            page::verdict(&row.results),
            p.id
        )?;
    }
    if let Some((file, counts)) = overview {
        writeln!(
            text,
            "| [{id} summary]({}) | | {} | all of the above | {counts} | – | `cargo lab report {id}` |",
            file.strip_prefix(notebook).unwrap_or(file).display(),
            overview::QUESTION,
            id = overview::ID,
        )?;
    }
    text.push_str(GAPS);
    Ok(text)
}

const GAPS: &str = "
Numbers follow those of the earlier studies' own documents where there were such. Those that are missing (005, 006, 009, 012, 014, 019 to 024, 030, 033) were never
entries here: the inventory of claims that this notebook began from lists nothing to measure under them.
";
