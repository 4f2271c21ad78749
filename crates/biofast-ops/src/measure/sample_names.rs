//! Names of samples that are those of files.

use biofast_io::without_container;

/// Endings of names of files that hold reads.
const OF_READS: [&str; 9] =
    [".fastq", ".fq", ".fasta", ".fa", ".fna", ".ubam", ".bam", ".sam", ".cram"];

/// A file's name without the endings that say what is in it.
pub fn stem(name: &str) -> &str {
    let is_name = |stem: &&str| !stem.is_empty() && !stem.ends_with('/');
    let name = Some(without_container(name)).filter(is_name).unwrap_or(name);
    let mut stems = OF_READS.iter().filter_map(|ending| name.strip_suffix(ending));
    stems.next_back().filter(is_name).unwrap_or(name)
}

/// The name of a pair and which of its reads a file holds, where the file's name says so as Illumina's software does it: `x_R1` and
/// `x_R1_001`. Other names, such as `x_1`, may be those of samples.
pub fn mate_by_name(name: &str) -> Option<(&str, u8)> {
    let name = name.strip_suffix("_001").unwrap_or(name);
    let (pair, mate) = [("_R1", 1), (".R1", 1), ("_R2", 2), (".R2", 2)]
        .into_iter()
        .find_map(|(ending, mate)| Some((name.strip_suffix(ending)?, mate)))?;
    (!pair.is_empty() && !pair.ends_with('/')).then_some((pair, mate))
}

#[cfg(test)]
mod tests {
    use super::mate_by_name;

    #[test]
    fn mates_are_named_as_illumina_does() {
        assert_eq!(mate_by_name("a/S1_L001_R2_001"), Some(("a/S1_L001", 2)));
        assert_eq!(["x_1", "_R1", "a/_R1", "xR1"].map(mate_by_name), [None; 4]);
    }
}
