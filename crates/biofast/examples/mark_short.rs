//! Changes records and writes them back with an index: alignments of few bases are marked as failed (QCFAIL), and a tag says
//! how many bases are aligned.
//!
//! `cargo run --release --example mark_short -- in.bam 30 out.bam`

use std::error::Error;
use std::io::Write;

use biofast::bam::{Program, Reader, RecordBuf, Value, Writer, flag, index};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// The arguments are a file sorted by coordinate, the least number of aligned bases, and the BAM file to be.
pub fn run(
    arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = arguments.collect();
    let [file, least, to] = &arguments[..] else {
        return Err("give a file, a number of bases and the file to write".into());
    };
    let least: u64 = least.parse()?;
    let mut reader = Reader::open(file)?;
    let command_line = format!("mark_short {}", arguments.join(" "));
    let program = Program { name: "mark_short", version: "1", command_line: &command_line };
    let header = reader.header().with_program(&program);
    let mut writer = Writer::builder(&header).index(index::BuildOptions::default()).create(to)?;
    let (mut record, mut marked) = (RecordBuf::default(), 0);
    while reader.read_into(&mut record)? {
        if record.flags() & flag::UNMAPPED == 0 {
            let aligned = record.cigar().iter().filter(|(op, _)| op.is_aligned());
            let aligned: u64 = aligned.map(|(_, len)| u64::from(len)).sum();
            if aligned < least {
                record.set_flags(record.flags() | flag::QC_FAIL);
                marked += 1;
            }
            let value = i64::try_from(aligned).ok().and_then(Value::int);
            record.set_tag(b"XA", value.ok_or("more bases than a tag holds")?)?;
        }
        writer.write(&record)?;
    }
    // Here the file and its index appear, or nothing does.
    let written = writer.finish()?;
    writeln!(out, "{written} records, {marked} marked")?;
    Ok(())
}
