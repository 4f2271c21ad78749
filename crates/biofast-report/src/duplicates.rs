//! What was found of duplicates in the words of samtools and Picard.

use std::collections::BTreeMap;

use biofast_ops::number::decimal;
use biofast_ops::sort::duplicates::{DuplicateCounts, LibraryCounts, SetSizes};

/// The statistics of `samtools markdup -f`.
///
/// ```
/// use biofast_report::duplicates::samtools_text;
/// use biofast_ops::sort::duplicates::DuplicateCounts;
///
/// let found = DuplicateCounts { paired: 8, duplicate_pair: 2, ..DuplicateCounts::default() };
/// assert!(samtools_text(&found).contains("DUPLICATE PAIR: 2\n"));
/// ```
pub fn samtools_text(found: &DuplicateCounts) -> String {
    let mut out = format!("COMMAND: {}\n", command(found));
    for (name, value) in rows(found) {
        out += &format!("{name}: {value}\n");
    }
    out
}

/// The same statistics as JSON, like `samtools markdup --json`. MultiQC 1.35 reads this form; it doesn't find the text,
/// not even that of samtools.
pub fn samtools_json(found: &DuplicateCounts) -> String {
    let mut out = format!("{{\n    \"COMMAND\": \"{}\"", command(found));
    for (name, value) in rows(found) {
        out += &format!(",\n    \"{name}\": {value}");
    }
    out + "\n}\n"
}

/// By these words MultiQC knows a file; in the text it takes a second colon in a line for damage.
fn command(found: &DuplicateCounts) -> String {
    let distance =
        found.optical_distance.map_or_else(String::new, |distance| format!(" -d {distance}"));
    format!("biofast, as samtools markdup{distance}")
}

fn rows(found: &DuplicateCounts) -> [(&'static str, u64); 15] {
    let primary = found.duplicate_pair + found.duplicate_single;
    [
        ("READ", found.read),
        ("WRITTEN", found.written),
        ("EXCLUDED", found.excluded),
        ("EXAMINED", found.examined),
        ("PAIRED", found.paired),
        ("SINGLE", found.single),
        ("DUPLICATE PAIR", found.duplicate_pair),
        ("DUPLICATE SINGLE", found.duplicate_single),
        ("DUPLICATE PAIR OPTICAL", found.duplicate_pair_optical),
        ("DUPLICATE SINGLE OPTICAL", found.duplicate_single_optical),
        ("DUPLICATE NON PRIMARY", found.duplicate_non_primary),
        ("DUPLICATE NON PRIMARY OPTICAL", found.duplicate_non_primary_optical),
        ("DUPLICATE PRIMARY TOTAL", primary),
        ("DUPLICATE TOTAL", primary + found.duplicate_non_primary),
        ("ESTIMATED_LIBRARY_SIZE", found.estimated_library_size().unwrap_or_default()),
    ]
}

/// The metrics file of Picard's MarkDuplicates: the table by library, and the histogram of how large sets of duplicates are, if that
/// is known. Of one library the histogram also has how many more molecules sequencing deeper would find.
///
/// ```
/// use biofast_report::duplicates::picard_text;
/// use biofast_ops::sort::duplicates::{LibraryCounts, SetSizes};
///
/// let found = LibraryCounts { library: "a".into(), unpaired: 3, unpaired_duplicates: 1, ..LibraryCounts::default() };
/// let text = picard_text(&[found], &SetSizes::default());
/// assert!(text.ends_with("a\t3\t0\t0\t0\t1\t0\t0\t0.333333\t\n\n"));
/// ```
pub fn picard_text(found: &[LibraryCounts], sets: &SetSizes) -> String {
    let mut out = "## htsjdk.samtools.metrics.StringHeader\n\
        # biofast, as MarkDuplicates\n\
        \n\
        ## METRICS CLASS\tpicard.sam.DuplicationMetrics\n\
        LIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tSECONDARY_OR_SUPPLEMENTARY_RDS\tUNMAPPED_READS\t\
        UNPAIRED_READ_DUPLICATES\tREAD_PAIR_DUPLICATES\tREAD_PAIR_OPTICAL_DUPLICATES\tPERCENT_DUPLICATION\t\
        ESTIMATED_LIBRARY_SIZE\n"
        .to_owned();
    for one in found {
        let part = decimal(one.duplicated(), 6);
        let size = one.estimated_size().map_or_else(String::new, |size| size.to_string());
        out += &format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{part}\t{size}\n",
            one.library,
            one.unpaired,
            one.paired / 2,
            one.secondary_or_supplementary,
            one.unmapped,
            one.unpaired_duplicates,
            one.paired_duplicates / 2,
            one.paired_optical / 2,
        );
    }
    out.push('\n');
    if sets.iter().next().is_some() {
        append_histogram(found, sets, &mut out);
    }
    out
}

/// Up to which multiple of the sequencing its yield is estimated.
const MOST_TIMES: u64 = 100;

fn append_histogram(found: &[LibraryCounts], sets: &SetSizes, out: &mut String) {
    // The yield of sequencing so many times as deep, where a library's size is known.
    let yields = match found {
        [one] => one.estimated_size().map(|size| {
            let unique = (one.paired / 2).saturating_sub(one.paired_duplicates / 2) as f64;
            let (size, pairs) = (size as f64, (one.paired / 2) as f64);
            move |times: u64| size * (1.0 - (-(times as f64 * pairs) / size).exp()) / unique
        }),
        _ => None,
    };
    // A column of which nothing is known isn't there.
    let names = ["all_sets", "optical_sets", "non_optical_sets"];
    let columns = (0..3).filter(|&column| sets.iter().any(|(_, counts)| counts[column] > 0));
    let columns: Vec<usize> = columns.collect();
    let mut sizes: BTreeMap<u64, [u64; 3]> = sets.iter().collect();
    if yields.is_some() {
        (1..=MOST_TIMES).for_each(|times| {
            sizes.entry(times).or_default();
        });
    }
    *out += "## HISTOGRAM\tjava.lang.Double\n";
    *out += if yields.is_some() { "BIN\tCoverageMult" } else { "set_size" };
    for column in &columns {
        *out += &format!("\t{}", names[*column]);
    }
    for (size, counts) in sizes {
        *out += &format!("\n{size}.0");
        if let Some(yields) = &yields {
            let value = if size <= MOST_TIMES { yields(size) } else { 0.0 };
            *out += &format!("\t{}", decimal(value, 6));
        }
        for column in &columns {
            *out += &format!("\t{}", counts[*column]);
        }
    }
    *out += "\n\n";
}
