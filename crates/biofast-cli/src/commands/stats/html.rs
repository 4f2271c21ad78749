//! `--html`: the rows as a page for the browser.

use anyhow::Result;
use biofast_io::output::commit;
use biofast_ops::verdicts::{Library, VerdictRules};
use biofast_report::html;

use super::alignments;
use super::rows::{Entry, json, reads_report};
use crate::options::Page;

/// The page of these rows, with a title of one's own or none. What nobody has judged is judged as any library is.
pub(crate) fn page(title: Option<&str>, entries: &[Entry]) -> Result<String> {
    let rules = VerdictRules::of(Library::Any);
    let (aligned, reads): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.figures.alignments().is_some());
    let reads = (!reads.is_empty()).then(|| reads_report(&reads, Some(&rules)));
    let reads_json = reads.as_ref().map(json).transpose()?;
    let aligned = (!aligned.is_empty()).then(|| alignments::report(&aligned, Some(&rules)));
    let aligned_json = aligned.as_ref().map(json).transpose()?;
    Ok(html::stats(
        title,
        reads.as_ref().zip(reads_json.as_deref()),
        aligned.as_ref().zip(aligned_json.as_deref()),
    ))
}

/// Makes the page of these rows appear, if it is wanted.
pub(crate) fn write(page: Option<Page>, rows: &[Entry]) -> Result<()> {
    match page {
        Some(page) => Ok(commit(vec![page.filled(|title| self::page(title, rows))?], false)?),
        None => Ok(()),
    }
}
