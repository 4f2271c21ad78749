//! What `biofast demux` says about what became of reads.

use biofast::io::display_name;
use biofast::ops::demux::{Demux, LOOKED_AT, Sheet, Tally};
use biofast::ops::filter::report::{FileSum, Role};

use super::args::Args;
use super::outputs::{Opened, letter};
use crate::console::message;
use crate::inputs::Input;

/// Barcodes of no sample that are listed.
const TOP: usize = 20;
/// From this share of unmatched reads on it is looked at why.
const MANY: f64 = 0.9;

/// The summary.
pub(super) fn summary(
    args: &Args,
    demux: &Demux,
    sheet: &Sheet,
    tally: &Tally,
    opened: &Opened,
) -> serde_json::Value {
    let pieces = demux.pieces();
    let files = |sample: usize| -> Vec<serde_json::Value> {
        let from = sample * pieces.len();
        let files = pieces.iter().zip(opened.paths.iter().zip(&tally.written).skip(from));
        let file = |(piece, (path, sum)): (
            &biofast::ops::demux::Piece,
            (&std::path::PathBuf, &biofast::ops::measure::records::Sum),
        )| {
            serde_json::json!({
                "type": letter(piece.segment.kind),
                "number": piece.number,
                "file": display_name(path),
                "reads": sum.records,
            })
        };
        files.map(file).collect()
    };
    let samples = sheet.samples.iter().enumerate().map(|(at, sample)| {
        serde_json::json!({
            "sample": sample.id,
            "barcode": sample.barcode,
            "templates": tally.templates.get(at),
            "files": files(at),
        })
    });
    let samples: Vec<_> = samples.collect();
    let unknown: Vec<_> = tally
        .unknown
        .top(TOP)
        .into_iter()
        .map(|(barcode, templates)| serde_json::json!({"barcode": barcode, "templates": templates}))
        .collect();
    serde_json::json!({
        "templates": tally.templates.iter().sum::<u64>() + tally.skipped,
        "templates_matched": tally.templates.iter().take(sheet.samples.len()).sum::<u64>(),
        "templates_unmatched": tally.templates.last(),
        "templates_skipped": tally.skipped,
        "max_mismatches": args.max_mismatches,
        "min_mismatch_delta": args.min_mismatch_delta,
        "samples": samples,
        "unmatched_files": files(sheet.samples.len()),
        "unmatched_barcodes_of_templates": LOOKED_AT,
        "unmatched_barcodes": unknown,
    })
}

/// The inputs and outputs, with what was read from and written to each.
pub(super) fn sums(tally: &Tally, inputs: &[Input], opened: &Opened) -> Vec<FileSum> {
    let file = |path: String, role, sum: &biofast::ops::measure::records::Sum| FileSum {
        path,
        role,
        partial: false,
        records: (*sum).into(),
    };
    let read = inputs.iter().zip(&tally.input);
    let read = read.map(|(input, sum)| file(input.name(), Role::Input, sum));
    let written = opened.paths.iter().zip(&tally.written);
    let written = written.map(|(path, sum)| file(display_name(path), Role::Output, sum));
    read.chain(written).collect()
}

/// Says on standard error what became of reads.
pub(super) fn tell(demux: &Demux, tally: &Tally, files: usize) {
    let total: u64 = tally.templates.iter().sum();
    let unmatched = tally.templates.last().copied().unwrap_or_default();
    let share = unmatched as f64 / (total.max(1)) as f64;
    let samples = demux.matcher().samples();
    message(
        "note",
        &format!(
            "{} of {total} reads belong to {samples} samples, {unmatched} ({:.1} %) to none; {files} files",
            total - unmatched,
            100.0 * share
        ),
    );
    if tally.skipped > 0 {
        let skipped = tally.skipped;
        message(
            "warning",
            &format!("{skipped} reads are in no file: they, or a mate, have too few bases"),
        );
    }
    if share <= MANY || unmatched == 0 {
        return;
    }
    let looked_at = tally.unknown.total();
    if let Some((parts, reads)) = demux.turned_would_match(&tally.unknown)
        && reads * 2 > looked_at
    {
        let which: Vec<String> = parts.iter().map(|part| (part + 1).to_string()).collect();
        let (which, is_second) = (which.join(" and "), parts == [1]);
        let advice = if is_second {
            "--revcomp-index2 compares it so"
        } else {
            "turn it round in the sheet"
        };
        message(
            "hint",
            &format!(
                "{reads} of the first {looked_at} unmatched reads would match if part {which} of the barcodes were read on the other strand: \
                 {advice}"
            ),
        );
        return;
    }
    if let [(barcode, count), ..] = &tally.unknown.top(1)[..] {
        message(
            "hint",
            &format!(
                "the most frequent barcode of no sample is {barcode}, {count} times in the first reads"
            ),
        );
    }
}
