//! The table of `samtools coverage`.

use std::fmt::Write as _;

use biofast_bam::Header;

use biofast_ops::measure::compat::SamtoolsVersion;
use biofast_ops::measure::coverage::{Distribution, ReferenceSums};

const COLUMNS: &str =
    "#rname\tstartpos\tendpos\tnumreads\tcovbases\tcoverage\tmeandepth\tmeanbaseq\tmeanmapq\n";

/// A line for each reference, or for the `only` one: those that are covered first. In the form of this version.
///
/// ```
/// use biofast_bam::Header;
/// use biofast_ops::compat::SamtoolsVersion;
/// use biofast_ops::coverage::{DepthRun, Distribution, ReferenceSums};
/// use biofast_report::samtools::coverage::text;
///
/// let header = Header::from_text(b"@SQ\tSN:c\tLN:200\n")?;
/// let mut depths = Distribution::default();
/// depths.add(DepthRun { from: 0, to: 150, depth: 0 });
/// depths.add(DepthRun { from: 150, to: 200, depth: 1 });
/// let sums = ReferenceSums {
///     reads: 1,
///     mapping_qualities: 60,
///     base_qualities: 1500,
///     bases_with_quality: 50,
///     is_covered: true,
/// };
/// let text = text(SamtoolsVersion::default(), &header, &[depths], &[sums], None);
/// assert!(text.ends_with("\nc\t1\t200\t1\t50\t25\t0.25\t30\t60\n"));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub fn text(
    version: SamtoolsVersion,
    header: &Header,
    depths: &[Distribution],
    sums: &[ReferenceSums],
    only: Option<&[u8]>,
) -> String {
    let mut out = COLUMNS.to_owned();
    let rows = || header.references().iter().zip(depths).zip(sums);
    for is_covered in [true, false] {
        for ((reference, depths), sums) in rows() {
            let is_wanted = only.is_none_or(|only| only == reference.name);
            if sums.is_covered != is_covered || !is_wanted {
                continue;
            }
            let length = reference.length as f64;
            let mean = |sum: u64, of: u64| if of > 0 { sum as f64 / of as f64 } else { 0.0 };
            let covered = depths.at_least(1);
            // Up to 1.20 bases without a quality count with a quality of 0.
            let with_quality = match version >= SamtoolsVersion::V1_24 {
                true => sums.bases_with_quality,
                false => depths.bases(),
            };
            // Writing to a String can't fail.
            let _ = writeln!(
                out,
                "{}\t1\t{}\t{}\t{covered}\t{}\t{}\t{}\t{}",
                String::from_utf8_lossy(&reference.name),
                reference.length,
                sums.reads,
                general(100.0 * covered as f64 / length, 6),
                general(depths.bases() as f64 / length, 6),
                general(mean(sums.base_qualities, with_quality), 3),
                general(mean(sums.mapping_qualities, sums.reads), 3),
            );
        }
    }
    // Since 1.23 the names of the columns come with the first line.
    if version >= SamtoolsVersion::V1_24 && out.len() == COLUMNS.len() {
        out.clear();
    }
    out
}

/// A number as `%g` of C prints it, with so many digits.
fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "-nan".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let decimals = (digits as i32 - 1 - exponent) as usize;
    trimmed(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_are_those_of_c() {
        let cases = [
            (0.0, "0"),
            (100.0, "100"),
            (33.333333333, "33.3333"),
            (1234567.0, "1.23457e+06"),
            (0.0001234567, "0.000123457"),
            (0.00001234567, "1.23457e-05"),
            (999999.5, "1e+06"),
        ];
        for (value, expected) in cases {
            assert_eq!(general(value, 6), expected);
        }
        assert_eq!((general(37.05, 3), general(1234.0, 3)), ("37".into(), "1.23e+03".into()));
    }
}
