//! A line for each read: length, qualities and composition.

use biofast_bam as bam;
use biofast_fastq::Record;
use biofast_kernels as kernels;
use biofast_kernels::decimal::{write_fixed, write_unsigned};

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
    let whole = |number: u64, out: &mut Vec<u8>| {
        out.push(b'\t');
        write_unsigned(number, out);
    };
    let fixed = |value: f64, decimals, out: &mut Vec<u8>| {
        out.push(b'\t');
        write_fixed(value, decimals, out);
    };
    out.extend_from_slice(name);
    whole(sequence.len() as u64, out);
    let mean = qualities.and_then(kernels::mean_error_probability);
    match qualities.zip(mean) {
        Some((qualities, mean)) => {
            let phred = kernels::sum_qualities(qualities) as f64 / qualities.len() as f64;
            // Every base may be wrong for sure: 0, and not −0.
            // A probability of 1 has the logarithm 0; adding 0 turns -0 into 0.
            fixed((-10.0 * mean.log10()).max(0.0) + 0.0, 2, out);
            fixed(phred, 2, out);
            fixed(mean * qualities.len() as f64, 3, out);
        }
        None => out.extend_from_slice(b"\tNA\tNA\tNA"),
    }
    let bases = kernels::count_bases(sequence);
    match sequence.len() {
        0 => out.extend_from_slice(b"\tNA"),
        len => {
            let is_strong = |base: &&u8| matches!(base, b'S' | b's');
            let strong =
                if bases.other == 0 { 0 } else { sequence.iter().filter(is_strong).count() };
            fixed(100.0 * (bases.gc() + strong as u64) as f64 / len as f64, 2, out);
        }
    }
    whole(bases.n, out);
    match qualities {
        Some(qualities) => {
            [10, 20]
                .into_iter()
                .for_each(|phred| whole(kernels::count_at_least(qualities, phred), out));
        }
        None => out.extend_from_slice(b"\tNA\tNA"),
    }
    out.push(b'\n');
}
