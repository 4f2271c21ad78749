//! A line for each read: length, qualities and composition.

use std::io::Write;

use biofast_bam as bam;
use biofast_fastq::Record;
use biofast_kernels as kernels;

/// The column names, separated by tabs.
pub const COLUMNS: &str = "read_id\tlength\tmean_quality\tmean_phred\texpected_errors\tgc_percent\tn\tat_least_q10\tat_least_q20";

/// Appends the line of a read.
///
/// - `mean_quality` is −10·log10 of the mean error probability, as NanoPlot, nanoq, chopper and `seqkit fx2tab -q` have it; `mean_phred` the mean
///   of the Phred scores; `expected_errors` the sum of the error probabilities.
/// - `gc_percent` is G and C (and S) of all bases.
/// - `n` is the number of N; `at_least_q10` and `at_least_q20` are numbers of bases.
///
/// What isn't known (qualities of FASTA, and of alignments that lack them; means of no bases) is `NA`.
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
    let qualities = record.has_qualities().then(|| record.qualities());
    write_read(record.name(), record.sequence(), qualities, out);
}

/// Appends the line of an alignment's read, as it was sequenced. `read` is a buffer for its bases.
///
/// # Errors
/// If its name has a control character, or a quality has no character.
pub fn write_alignment(
    record: &bam::Record<'_>,
    read: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), bam::Error> {
    let name = record.check_name()?;
    let (packed, len, raw) = (record.packed_sequence(), record.sequence_len(), record.qualities());
    read.clear();
    let is_reverse = record.flags() & bam::flag::REVERSE != 0;
    match is_reverse {
        true => kernels::unpack_bases_reverse_complement(packed, len, read),
        false => kernels::unpack_bases(packed, len, read),
    }
    let has_qualities = len == 0 || !kernels::is_missing(raw.as_slice());
    if has_qualities {
        record.check_qualities()?;
        match is_reverse {
            true => kernels::copy_qualities_reversed(raw.as_slice(), read),
            false => kernels::copy_qualities(raw.as_slice(), read),
        }
    }
    let (sequence, qualities) = read.split_at(len);
    write_read(name, sequence, has_qualities.then_some(qualities), out);
    Ok(())
}

fn write_read(name: &[u8], sequence: &[u8], qualities: Option<&[u8]>, out: &mut Vec<u8>) {
    let count = |wanted: &[u8]| sequence.iter().filter(|base| wanted.contains(base)).count();
    out.extend_from_slice(name);
    // Vectors take all that is written.
    let _ = write!(out, "\t{}", sequence.len());
    let mean = qualities.and_then(kernels::mean_error_probability);
    match qualities.zip(mean) {
        Some((qualities, mean)) => {
            let sum = mean * qualities.len() as f64;
            let phred = kernels::sum_qualities(qualities) as f64 / qualities.len() as f64;
            // Every base may be wrong for sure: 0, and not −0.
            // A probability of 1 has the logarithm 0; adding 0 turns -0 into 0.
            let quality = (-10.0 * mean.log10()).max(0.0) + 0.0;
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
    if let Some(qualities) = qualities {
        let at_least = [10, 20].map(|phred| kernels::count_at_least(qualities, phred));
        let _ = writeln!(out, "\t{}\t{}", at_least[0], at_least[1]);
    } else {
        out.extend_from_slice(b"\tNA\tNA\n");
    }
}
