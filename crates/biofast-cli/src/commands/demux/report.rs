//! What `biofast demux` says about what became of reads.

use biofast_ops::demux::{Demux, DemuxTally, Sheet};
use biofast_ops::filter::report::FileRole;

use super::args::Args;
use super::outputs::{DemuxOutputs, letter};
use crate::console::Console;
use crate::inputs::Input;
use crate::reads_job::{FileSums, ReadsJob};

/// Barcodes of no sample that are listed.
const TOP: usize = 20;
/// From this share of unmatched reads on it is looked at why.
const MANY: f64 = 0.9;

/// The summary.
pub(super) fn summary(
    args: &Args,
    demux: &Demux,
    sheet: &Sheet,
    tally: &DemuxTally,
    opened: &DemuxOutputs,
) -> serde_json::Value {
    let pieces = demux.pieces();
    let files = |sample: usize| -> Vec<serde_json::Value> {
        let from = sample * pieces.len();
        let written = opened.names.iter().zip(&tally.written).skip(from);
        let files = pieces.iter().zip(written).map(|(piece, (name, sum))| {
            serde_json::json!({
                "type": letter(piece.segment.kind),
                "number": piece.number,
                "file": name,
                "reads": sum.records,
            })
        });
        files.collect()
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
        "templates_by_ends": args.ends.map(|_| {
            let [start, end, both] = tally.ends;
            serde_json::json!({"start": start, "end": end, "both": both})
        }),
        "templates_hopped": demux.pairs().map(|_| tally.hopped.iter().sum::<u64>()),
        "max_mismatches": super::max_mismatches(args, sheet),
        "min_mismatch_delta": args.min_mismatch_delta,
        "samples": samples,
        "unmatched_files": files(sheet.samples.len()),
        "unmatched_barcodes_of_templates": demux.counted(),
        "unmatched_barcodes": unknown,
    })
}

/// The inputs and outputs, with what was read from and written to each.
pub(super) fn sums(tally: &DemuxTally, job: &ReadsJob<'_>, opened: &DemuxOutputs) -> FileSums {
    let read = job.inputs().iter().map(Input::name).zip(&tally.input);
    let read = read.map(|(name, sum)| (name, FileRole::Input, *sum));
    let written = opened.names.iter().cloned().zip(&tally.written);
    let written = written.map(|(name, sum)| (name, FileRole::Output, *sum));
    read.chain(written).collect()
}

/// Says on standard error what became of reads.
pub(super) fn tell(console: &Console, demux: &Demux, tally: &DemuxTally, files: usize) {
    let total: u64 = tally.templates.iter().sum();
    let unmatched = tally.templates.last().copied().unwrap_or_default();
    let share = unmatched as f64 / (total.max(1)) as f64;
    let samples = demux.matcher().samples();
    console.note(&format!(
            "{} of {total} reads assigned to {samples} {}, {unmatched} ({:.2} %) unmatched; {files} files",
            total - unmatched,
            if samples == 1 { "sample" } else { "samples" },
            100.0 * share
        ),
    );
    if tally.skipped > 0 {
        let skipped = tally.skipped;
        console.warning(&format!(
            "{skipped} reads were skipped: they or their mates are too short for the read structure"
        ));
    }
    let [start, end, both] = tally.ends;
    if start + end + both > 0 {
        console.note(&format!(
            "barcodes at both ends of {both} reads, only at the start of {start}, only at the end of {end}"
        ));
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
        let advice =
            if is_second { "use --revcomp-index2" } else { "reverse-complement it in the sheet" };
        console.hint(&format!(
                "{reads} of the first {looked_at} unmatched reads would match if part {which} of the barcodes were reverse-complemented: {advice}"
            ),
        );
        return;
    }
    if let [(barcode, count), ..] = &tally.unknown.top(1)[..] {
        console.hint(&format!(
                "the most frequent unmatched barcode is {barcode}, found {count} times in the first reads"
            ),
        );
    }
}
