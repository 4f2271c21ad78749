//! The text of `samtools flagstat`, byte for byte: the same in all versions from 1.16 to 1.24.

use std::fmt::Write as _;

use biofast_ops::measure::flagstat::FlagStat;

/// Every line of the report: its name in text and TSV, its count, and what the count is a
/// share of, if a percentage is printed.
fn lines(counts: &FlagStat) -> [(&'static str, u64, Option<u64>); 16] {
    [
        ("in total (QC-passed reads + QC-failed reads)", counts.total, None),
        ("primary", counts.primary, None),
        ("secondary", counts.secondary, None),
        ("supplementary", counts.supplementary, None),
        ("duplicates", counts.duplicates, None),
        ("primary duplicates", counts.primary_duplicates, None),
        ("mapped", counts.mapped, Some(counts.total)),
        ("primary mapped", counts.primary_mapped, Some(counts.primary)),
        ("paired in sequencing", counts.paired, None),
        ("read1", counts.read1, None),
        ("read2", counts.read2, None),
        ("properly paired", counts.properly_paired, Some(counts.paired)),
        ("with itself and mate mapped", counts.both_mapped, None),
        ("singletons", counts.singletons, Some(counts.paired)),
        ("with mate mapped to a different chr", counts.mate_elsewhere, None),
        ("with mate mapped to a different chr (mapQ>=5)", counts.mate_surely_elsewhere, None),
    ]
}

/// A percentage as samtools computes it, in single precision; `None` of nothing.
fn percent(part: u64, whole: u64) -> Option<String> {
    let share = f64::from(part as f32 / whole as f32) * 100.0;
    (whole > 0).then(|| format!("{share:.2}"))
}

fn percent_or_na(part: u64, whole: u64) -> String {
    percent(part, whole).map_or("N/A".into(), |p| p + "%")
}

/// The text of `samtools flagstat`.
pub fn text(counts: &[FlagStat; 2]) -> String {
    let mut out = String::new();
    for (passed, failed) in lines(&counts[0]).into_iter().zip(lines(&counts[1])) {
        let (name, n, whole) = passed;
        // Writing to a String can't fail, here and below.
        let _ = write!(out, "{n} + {} {name}", failed.1);
        if let (Some(whole), Some(failed_whole)) = (whole, failed.2) {
            let shares = (percent_or_na(n, whole), percent_or_na(failed.1, failed_whole));
            let _ = write!(out, " ({} : {})", shares.0, shares.1);
        }
        out.push('\n');
    }
    out
}

/// The text of `samtools flagstat -O tsv`.
pub fn tsv(counts: &[FlagStat; 2]) -> String {
    let mut out = String::new();
    for (passed, failed) in lines(&counts[0]).into_iter().zip(lines(&counts[1])) {
        let (name, n, whole) = passed;
        let name = name.strip_prefix("in ").unwrap_or(name);
        let _ = writeln!(out, "{n}\t{}\t{name}", failed.1);
        if let (Some(whole), Some(failed_whole)) = (whole, failed.2) {
            let shares = (percent_or_na(n, whole), percent_or_na(failed.1, failed_whole));
            let _ = writeln!(out, "{}\t{}\t{name} %", shares.0, shares.1);
        }
    }
    out
}

/// What the JSON calls the count of a line.
fn json_name(index: usize, name: &'static str) -> &'static str {
    match index {
        0 => "total",
        15 => "with mate mapped to a different chr (mapQ >= 5)",
        _ => name,
    }
}

/// Reads back one of the two objects in the output of `samtools flagstat -O json`, given its value for each name;
/// `None` if one is missing.
pub fn read_back(mut count: impl FnMut(&str) -> Option<u64>) -> Option<FlagStat> {
    let mut names = lines(&FlagStat::default()).into_iter().enumerate();
    let mut next = || names.next().and_then(|(index, (name, ..))| count(json_name(index, name)));
    // In the order of the lines.
    Some(FlagStat {
        total: next()?,
        primary: next()?,
        secondary: next()?,
        supplementary: next()?,
        duplicates: next()?,
        primary_duplicates: next()?,
        mapped: next()?,
        primary_mapped: next()?,
        paired: next()?,
        read1: next()?,
        read2: next()?,
        properly_paired: next()?,
        both_mapped: next()?,
        singletons: next()?,
        mate_elsewhere: next()?,
        mate_surely_elsewhere: next()?,
    })
}

/// The text of `samtools flagstat -O json`.
pub fn json(counts: &[FlagStat; 2]) -> String {
    let object = |counts: &FlagStat| {
        let mut fields = Vec::new();
        for (index, (name, n, whole)) in lines(counts).into_iter().enumerate() {
            let name = json_name(index, name);
            fields.push(format!("\"{name}\": {n}"));
            if let Some(whole) = whole {
                let share = percent(n, whole).unwrap_or("null".into());
                fields.push(format!("\"{name} %\": {share}"));
            }
        }
        fields.join(", \n  ")
    };
    format!(
        "{{\n \"QC-passed reads\": {{ \n  {} \n }},\n \"QC-failed reads\": {{ \n  {} \n }}\n}}\n",
        object(&counts[0]),
        object(&counts[1])
    )
}
