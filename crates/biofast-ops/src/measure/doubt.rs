//! Whether a reference is likely another one than that of the alignments.

/// A doubt about the reference, if more than half of the aligned bases differ from it: at random, three of four do.
pub(crate) fn doubt_of_reference(mismatches: u64, aligned: u64) -> Option<String> {
    // A few short reads may differ by chance.
    const ENOUGH: u64 = 1000;
    (aligned >= ENOUGH && mismatches > aligned / 2).then(|| {
        let percent = 100.0 * mismatches as f64 / aligned as f64;
        format!(
            "{percent:.0} % of the aligned bases differ from the reference: is it the one the reads were aligned to?"
        )
    })
}
