//! biofast reads and writes, noodles has the types in between: proper pairs of a file in any format, with their mapping quality
//! capped, as BAM.
//!
//! `cargo run --release --features noodles --example noodles -- in.cram 60 out.bam`

use std::error::Error;
use std::io::Write;

use biofast::bam::noodles::sam::alignment::RecordBuf as TheirRecord;
use biofast::bam::noodles::sam::alignment::record::MappingQuality;
use biofast::bam::{Header, Reader, RecordBuf, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// What a program written for noodles does with a record.
fn change(record: &mut TheirRecord, highest: MappingQuality) -> bool {
    let quality = record.mapping_quality_mut();
    *quality = quality.map(|quality| quality.min(highest));
    record.flags().is_properly_segmented()
}

/// The arguments are a file, the highest mapping quality, and the BAM file to be.
pub fn run(
    arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = arguments.collect();
    let [file, highest, to] = &arguments[..] else {
        return Err("give a file, a mapping quality and the file to write".into());
    };
    let highest = MappingQuality::new(highest.parse()?).ok_or("a mapping quality is below 255")?;
    let mut reader = Reader::open(file)?;
    let mut header = reader.header().to_noodles()?;
    header.comments_mut().push("proper pairs".into());
    let mut writer = Writer::create(to, &Header::from_noodles(&header)?)?;
    while let Some(record) = reader.next_record()? {
        let mut record = record.to_noodles()?;
        if change(&mut record, highest) {
            writer.write(&RecordBuf::from_noodles(&record)?)?;
        }
    }
    let written = writer.finish()?;
    writeln!(out, "{written} records")?;
    Ok(())
}
