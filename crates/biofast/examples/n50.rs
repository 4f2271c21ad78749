//! Reads, bases, N50 and the longest read of each file: records one after the other.
//!
//! `cargo run --release --example n50 -- reads.fq.gz …`

use std::error::Error;
use std::io::Write;

use biofast::fastq::Reader;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes a line for each of the files.
pub fn run(
    files: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "file\treads\tbases\tN50\tlongest")?;
    for file in files {
        let mut reader = Reader::open(&file)?;
        let mut lengths = Vec::new();
        while let Some(record) = reader.next_record()? {
            lengths.push(record.sequence().len());
        }
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let bases: usize = lengths.iter().sum();
        let mut seen = 0;
        let n50 = lengths.iter().find(|&&len| {
            seen += len;
            2 * seen >= bases
        });
        let (n50, longest) = (n50.unwrap_or(&0), lengths.first().unwrap_or(&0));
        writeln!(out, "{file}\t{}\t{bases}\t{n50}\t{longest}", lengths.len())?;
    }
    Ok(())
}
