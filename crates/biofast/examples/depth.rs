//! The mean depth of regions: aligned bases of primary, mapped records by the length of the region.
//!
//! `cargo run --release --example depth -- aln.bam chr1:1,000-2,000 chr2:500-900`

use std::error::Error;
use std::io::Write;

use biofast::bam::{Detail, Fold, InputOptions, Query, Selection};
use biofast::io::Options;

/// Unmapped, secondary, failed and duplicate records.
const LEFT_OUT: u16 = 4 | 256 | 512 | 1024;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes a line for each region; the arguments are the file and the regions.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let file = arguments.next().ok_or("give a file and regions")?;
    let options = Options::default();
    for region in arguments {
        let (start, end) =
            bounds(&region).ok_or_else(|| format!("{region}: not NAME:START-END"))?;
        let mut selection = Selection::new();
        selection.add(&region);
        let opening = InputOptions { io: &options, reference: None, detail: Detail::Alignment };
        let query = Query::open(&file, &selection, &opening)?;
        let (_, bases) = Fold::new(query)
            .options(&options)
            .run(
                || 0u64,
                |bases, batch| {
                    for record in batch.iter().filter(|record| record.flags() & LEFT_OUT == 0) {
                        let mut at = i64::from(record.position());
                        for (op, len) in record.cigar().iter() {
                            let next =
                                at + if op.consumes_reference() { i64::from(len) } else { 0 };
                            if op.is_aligned() {
                                // From 0, the end not included.
                                *bases += (next.min(end) - at.max(start - 1)).max(0) as u64;
                            }
                            at = next;
                        }
                    }
                },
                |bases, other| *bases += other,
            )
            .map_err(|fault| fault.error)?;
        writeln!(out, "{region}\t{:.2}", bases as f64 / (end - start + 1) as f64)?;
    }
    Ok(())
}

/// First and last position of `NAME:START-END`, from 1.
fn bounds(region: &str) -> Option<(i64, i64)> {
    let (_, range) = region.rsplit_once(':')?;
    let (start, end) = range.split_once('-')?;
    let number = |text: &str| text.replace(',', "").parse::<i64>().ok();
    let (start, end) = (number(start)?, number(end)?);
    (1 <= start && start <= end).then_some((start, end))
}
