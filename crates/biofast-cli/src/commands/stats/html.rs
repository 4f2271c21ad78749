//! `--html`: the rows as a page for the browser.

use anyhow::Result;
use biofast_io::output::commit;
use biofast_ops::verdicts::{History, Library, VerdictRules};
use biofast_report::html;

use super::alignments;
use super::rows::{Entry, json, reads_report};
use crate::options::Page;

/// The page of these rows, with a title of one's own or none, beside those of the past if there are any. What nobody has judged is
/// judged as any library is.
pub(crate) fn page(
    title: Option<&str>,
    entries: &[Entry],
    history: Option<&History>,
) -> Result<String> {
    let rules = VerdictRules::of(Library::Any);
    let (aligned, reads): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.figures.alignments().is_some());
    let reads = (!reads.is_empty()).then(|| reads_report(&reads, Some(&rules)));
    let reads_json = reads.as_ref().map(json).transpose()?;
    let aligned = (!aligned.is_empty()).then(|| alignments::report(&aligned, Some(&rules)));
    let aligned_json = aligned.as_ref().map(json).transpose()?;
    let judged = |entry: &Entry| entry.values(&entry.verdicts.as_ref()?.library);
    let now: Vec<_> = match history {
        Some(_) => entries.iter().filter_map(judged).collect(),
        None => Vec::new(),
    };
    Ok(html::stats(
        title,
        reads.as_ref().zip(reads_json.as_deref()),
        aligned.as_ref().zip(aligned_json.as_deref()),
        history.map(|history| (history, &now[..])),
    ))
}

/// Makes the page of these rows appear, if it is wanted.
pub(crate) fn write(page: Option<Page>, rows: &[Entry], history: Option<&History>) -> Result<()> {
    match page {
        Some(page) => {
            Ok(commit(vec![page.filled(|title| self::page(title, rows, history))?], false)?)
        }
        None => Ok(()),
    }
}
