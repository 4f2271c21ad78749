//! The summary of `biofast filter` as text.

use std::fmt::{self, Write};

use biofast_ops::filter::report::{
    AdapterCount, DepleteReport, FilterReport, FragmentLengths, SplitReads, Trimmed,
};

/// For people: what came in, what was kept, and why the rest was not.
pub fn text(report: &FilterReport) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    let _ = write(report, &mut text);
    text
}

fn write(report: &FilterReport, f: &mut String) -> fmt::Result {
    let (before, after) = (&report.summary.before_filtering, &report.summary.after_filtering);
    writeln!(f, "reads   {:>14} in  {:>14} kept", before.total_reads, after.total_reads)?;
    writeln!(f, "bases   {:>14} in  {:>14} kept", before.total_bases, after.total_bases)?;
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let (b, a) = (percent(before.q30_rate), percent(after.q30_rate));
    writeln!(f, "Q30     {b:>14} in  {a:>14} kept")?;
    report.detected_adapters.iter().try_for_each(|found| writeln!(f, "adapter {found}"))?;
    // A file may have hundreds.
    for adapter in report.adapters.iter().take(20) {
        let AdapterCount { name, sequence, read, found } = adapter;
        let reads = if *read == 1 { "first" } else { "second" };
        let times = if *found == 1 { "time" } else { "times" };
        writeln!(f, "adapter {name} of {reads} reads: {found} {times}, {sequence}")?;
    }
    if let Some(more) = report.adapters.len().checked_sub(21) {
        writeln!(f, "and {} adapters more", more + 1)?;
    }
    if let Some(names) = &report.listed_names {
        writeln!(f, "names   {:>14} listed  {:>10} found", names.listed, names.found)?;
    }
    if let Some(DepleteReport { minimizers, matching_reads, matching_fraction, .. }) =
        &report.deplete
    {
        let share = percent(*matching_fraction);
        writeln!(
            f,
            "index   {minimizers:>14} minimizers  {matching_reads:>10} reads match ({share})"
        )?;
    }
    if let Some(merged) = report.merged_pairs {
        writeln!(f, "merged:   {:<28} {merged:>12} pairs", "mates overlap")?;
    }
    if let Some(turned) = report.reverse_complemented {
        writeln!(f, "strand:   {:<28} {turned:>12} reads or pairs", "reverse-complemented")?;
    }
    if let Some(FragmentLengths { peak, unknown, histogram }) = &report.insert_size {
        let known: u64 = histogram.iter().sum();
        writeln!(
            f,
            "inserts:  {known} pairs measured, most of {peak} bases; of {unknown} not known"
        )?;
    }
    if let Some(SplitReads { reads, pieces }) = report.split {
        writeln!(f, "split:    {:<28} {reads:>12} reads {pieces:>14} pieces", "adapter inside")?;
    }
    for (name, &reads) in report.rejected.iter().filter(|(_, reads)| **reads > 0) {
        writeln!(f, "rejected: {:<28} {reads:>12} reads", name.replace('_', " "))?;
    }
    for (name, trimmed) in report.trimmed.iter().filter(|(_, trimmed)| trimmed.reads > 0) {
        let name = name.replace('_', " ");
        let Trimmed { reads, bases } = trimmed;
        writeln!(f, "trimmed:  {name:<28} {reads:>12} reads {bases:>14} bases")?;
    }
    if report.orphans > 0 {
        writeln!(f, "orphans:  {:<28} {:>12} reads", "", report.orphans)?;
    }
    Ok(())
}
