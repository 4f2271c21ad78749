//! Verdicts as text: tab-separated, a line for each sample and check.

use super::plain;
use biofast_ops::measure::verdicts::Assessment;

/// The columns.
pub const COLUMNS: [&str; 10] =
    ["sample", "library", "check", "verdict", "value", "unit", "bad", "warn", "fail", "text"];

/// In place of a figure or a limit that there is none of.
const NONE: &str = "NA";

/// Rows under [`COLUMNS`], of samples with their names, in the order given. What isn't judged has no row.
///
/// ```
/// use biofast_ops::reads::Collector;
/// use biofast_report::tables::verdicts::{COLUMNS, tsv};
/// use biofast_ops::verdicts::{Assessment, Library, VerdictRules};
///
/// let reads = (&Collector::new()).into();
/// let found = Assessment::of_reads(&reads, &VerdictRules::of(Library::Any));
/// let table = tsv(&[("lane1".into(), found)]);
/// assert!(table.starts_with(&COLUMNS.join("\t")));
/// assert!(table.contains("\nlane1\tany\tnumber-of-reads\tfail\t0\treads\tbelow\t100\t1\t"));
/// ```
pub fn tsv(samples: &[(String, Assessment)]) -> String {
    let mut out = COLUMNS.join("\t");
    out.push('\n');
    let number = |value: Option<f64>| value.map_or(NONE.to_owned(), |value| value.to_string());
    for (name, assessment) in samples {
        for judged in &assessment.checks {
            let cells = [
                plain(name),
                assessment.library.clone(),
                judged.check.clone(),
                judged.verdict.name().to_owned(),
                number(judged.value),
                if judged.unit.is_empty() { NONE.to_owned() } else { judged.unit.clone() },
                judged.bad.clone(),
                number(judged.warn),
                number(judged.fail),
                plain(&judged.text),
            ];
            out.push_str(&cells.join("\t"));
            out.push('\n');
        }
    }
    out
}
