//! The alignments of a region with their tags and CIGARs: a line for each, of BAM with its index, SAM or CRAM.
//!
//! `cargo run --release --example region_tags -- aln.bam chr1:1,000-2,000`

use std::error::Error;
use std::io::Write;

use biofast::bam::{Op, Reader, Selection, Value};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes name, place, CIGAR, inserted and deleted bases, NM and read group; the arguments are the file and the regions.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let file = arguments.next().ok_or("give a file and regions")?;
    let mut regions = Selection::new();
    for region in arguments {
        regions.add(region);
    }
    if regions.is_empty() {
        return Err("give regions".into());
    }
    let mut reader = Reader::builder().regions(regions).open(&file)?;
    let header = reader.shared_header();
    while let Some(record) = reader.next_record()? {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let name = text(record.name());
        let reference = record.reference_name(&header).map_or_else(|| "*".into(), text);
        let bases = |wanted: Op| -> u64 {
            let ops = record.cigar().iter().filter(|(op, _)| *op == wanted);
            ops.map(|(_, len)| u64::from(len)).sum()
        };
        let (inserted, deleted) = (bases(Op::Insertion), bases(Op::Deletion));
        let edits = match record.tag(b"NM")?.and_then(|value| value.as_int()) {
            Some(edits) => edits.to_string(),
            None => ".".into(),
        };
        let group = match record.tag(b"RG")? {
            Some(Value::Text(group)) => text(group),
            _ => ".".into(),
        };
        let (position, cigar) = (i64::from(record.position()) + 1, record.cigar());
        writeln!(
            out,
            "{name}\t{reference}:{position}\t{cigar}\t+{inserted}-{deleted}\t{edits}\t{group}"
        )?;
    }
    Ok(())
}
