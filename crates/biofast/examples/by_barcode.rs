//! Splits reads by the barcode at the end of their description (`1:N:0:ACGT`): a file each, in order, on all
//! threads.
//!
//! `cargo run --release --example by_barcode -- reads.fq.gz FOLDER ACGTACGT TTGGCCAA`

use std::error::Error;
use std::io::Write;
use std::path::Path;

use biofast::fastq::{Inputs, Transform, write_record};
use biofast::io::Source;
use biofast::io::output::{self, Compression, Format, Output};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes `FOLDER/BARCODE.fq.gz` for each barcode and `other.fq.gz`, and a line on each.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let (Some(file), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("give a file, a folder and barcodes".into());
    };
    let mut barcodes: Vec<String> = arguments.collect();
    barcodes.push("other".into());
    let compression = Compression::new(Format::Bgzf, None)?;
    let mut outputs = Vec::new();
    for barcode in &barcodes {
        let path = Path::new(&folder).join(format!("{barcode}.fq.gz"));
        outputs.push(Output::create_with(&path, compression)?);
    }
    let last = barcodes.len() - 1;
    let counts = Transform::new(Inputs::Single(Source::open(&file)?)).run(
        &mut outputs,
        || vec![0u64; barcodes.len()],
        |counts, unit, texts| {
            let description = unit.first.description();
            let barcode = description.rsplit(|&b| b == b':').next().unwrap_or_default();
            let place = barcodes[..last].iter().position(|known| known.as_bytes() == barcode);
            let place = place.unwrap_or(last);
            counts[place] += 1;
            // Writing to memory can't fail.
            let _ = write_record(&mut texts[place], &unit.first);
        },
        |counts, other| counts.iter_mut().zip(other).for_each(|(a, b)| *a += b),
    )?;
    output::commit(outputs, false)?;
    for (barcode, n) in barcodes.iter().zip(counts) {
        writeln!(out, "{barcode}\t{n}")?;
    }
    Ok(())
}
