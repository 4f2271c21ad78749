//! A line for each read: length, qualities and composition.

use std::io::Write;

use biofast_fastq::Record;
use biofast_kernels as kernels;

/// The names of the columns, with tabs between them.
///
/// ```
/// use biofast_ops::measure::per_read;
///
/// assert!(per_read::COLUMNS.starts_with("read_id\tlength\tmean_quality\t"));
/// ```
pub const COLUMNS: &str = "read_id\tlength\tmean_quality\tmean_phred\texpected_errors\tgc_percent\tn\tat_least_q10\tat_least_q20";

/// Appends the line of a read.
///
/// - `mean_quality` is −10·log10 of the mean error probability, as NanoPlot, nanoq, chopper and `seqkit fx2tab -q` have it; `mean_phred` the mean
///   of the Phred scores; `expected_errors` the sum of the error probabilities.
/// - `gc_percent` is G and C (and S) of all bases.
/// - `n` is the number of N; `at_least_q10` and `at_least_q20` are numbers of bases.
///
/// What isn't known (qualities of FASTA, means of no bases) is `NA`.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::measure::per_read;
///
/// let mut line = Vec::new();
/// per_read::write(&Record::new(b"r1 first", b"ACGN", b"++55"), &mut line);
/// assert_eq!(line, b"r1\t4\t12.60\t15.00\t0.220\t50.00\t1\t4\t2\n");
/// ```
pub fn write(record: &Record<'_>, out: &mut Vec<u8>) {
    let (sequence, qualities) = (record.sequence(), record.qualities());
    let count = |wanted: &[u8]| sequence.iter().filter(|base| wanted.contains(base)).count();
    out.extend_from_slice(record.name());
    // Vectors take all that is written.
    let _ = write!(out, "\t{}", sequence.len());
    let has = record.has_qualities();
    match kernels::mean_error_probability(qualities).filter(|_| has) {
        Some(mean) => {
            let sum = kernels::sum_error_probability(qualities) as f64 / kernels::ERROR_SCALE;
            let phred = kernels::sum_qualities(qualities) as f64 / qualities.len() as f64;
            // Every base may be wrong for sure: 0, and not −0.
            let quality = (-10.0 * mean.log10()).max(0.0);
            let _ = write!(out, "\t{quality:.2}\t{phred:.2}\t{sum:.3}");
        }
        None => out.extend_from_slice(b"\tNA\tNA\tNA"),
    }
    match sequence.len() {
        0 => out.extend_from_slice(b"\tNA"),
        len => {
            let gc = 100.0 * count(b"GCgcSs") as f64 / len as f64;
            let _ = write!(out, "\t{gc:.2}");
        }
    }
    let _ = write!(out, "\t{}", count(b"Nn"));
    if has {
        let at_least = [10, 20].map(|phred| kernels::count_at_least(qualities, phred));
        let _ = writeln!(out, "\t{}\t{}", at_least[0], at_least[1]);
    } else {
        out.extend_from_slice(b"\tNA\tNA\n");
    }
}
