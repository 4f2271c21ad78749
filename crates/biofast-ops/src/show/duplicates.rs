//! What was found of duplicates in the words of samtools and Picard.

use crate::sort::duplicates::{Counts, LibraryCounts};

/// The statistics of `samtools markdup -f`.
///
/// ```
/// use biofast_ops::show::duplicates::samtools_text;
/// use biofast_ops::sort::duplicates::Counts;
///
/// let found = Counts { paired: 8, duplicate_pair: 2, ..Counts::default() };
/// assert!(samtools_text(&found).contains("DUPLICATE PAIR: 2\n"));
/// ```
pub fn samtools_text(found: &Counts) -> String {
    let primary = found.duplicate_pair + found.duplicate_single;
    let rows = [
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
    ];
    // MultiQC knows the file by these words, and takes a line with a second colon for damage.
    let distance =
        found.optical_distance.map_or_else(String::new, |distance| format!(" -d {distance}"));
    let mut out =
        format!("COMMAND: biofast sort --mark-duplicates{distance}, as samtools markdup\n");
    for (name, value) in rows {
        out += &format!("{name}: {value}\n");
    }
    out
}

/// The table of Picard's MarkDuplicates.
///
/// ```
/// use biofast_ops::show::duplicates::picard_text;
/// use biofast_ops::sort::duplicates::LibraryCounts;
///
/// let found = LibraryCounts { library: "a".into(), unpaired: 3, unpaired_duplicates: 1, ..LibraryCounts::default() };
/// assert!(picard_text(&[found]).ends_with("a\t3\t0\t0\t0\t1\t0\t0\t0.333333\t\n\n"));
/// ```
pub fn picard_text(found: &[LibraryCounts]) -> String {
    let mut out = "## htsjdk.samtools.metrics.StringHeader\n\
        # biofast sort --mark-duplicates, as MarkDuplicates\n\
        \n\
        ## METRICS CLASS\tpicard.sam.DuplicationMetrics\n\
        LIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tSECONDARY_OR_SUPPLEMENTARY_RDS\tUNMAPPED_READS\t\
        UNPAIRED_READ_DUPLICATES\tREAD_PAIR_DUPLICATES\tREAD_PAIR_OPTICAL_DUPLICATES\tPERCENT_DUPLICATION\t\
        ESTIMATED_LIBRARY_SIZE\n"
        .to_owned();
    for one in found {
        let part = format!("{:.6}", one.duplicated());
        let part = part.trim_end_matches('0').trim_end_matches('.');
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
    out
}
