//! A source and a collector of one's own: the GC content of reads whose file came in parts, as downloads and disks of limited
//! size leave them.
//!
//! `cargo run --release --example parts -- reads.fq.gz.00 reads.fq.gz.01 …`

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};

use biofast::fastq::{Batch, Fold};
use biofast::io::Source;
use biofast::kernels::count_bases;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes the number of reads of each tenth of GC content; the arguments are the parts, in order.
pub fn run(
    parts: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let parts: Vec<String> = parts.collect();
    let label = parts.first().ok_or("give the parts of a file")?.clone();
    // Whatever can be read is a source, and what it is compressed with is seen by its bytes.
    let source = Source::from_reader(&label, Parts { left: parts.into_iter(), open: None });
    let merge = |mine: &mut GcTenths, theirs: GcTenths| mine.merge(&theirs);
    let tenths = Fold::new(source)
        .run(GcTenths::default, GcTenths::accept, merge)
        .map_err(|fault| fault.error)?;
    for (tenth, reads) in tenths.0.iter().enumerate() {
        writeln!(out, "{}%\t{reads}", 10 * tenth)?;
    }
    Ok(())
}

/// Files read one after the other as if they were one; each is opened when its turn comes.
struct Parts {
    left: std::vec::IntoIter<String>,
    open: Option<File>,
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(file) = &mut self.open {
                let n = file.read(buffer)?;
                if n > 0 || buffer.is_empty() {
                    return Ok(n);
                }
            }
            let Some(next) = self.left.next() else { return Ok(0) };
            let file = File::open(&next);
            self.open = Some(
                file.map_err(|error| io::Error::new(error.kind(), format!("{next}: {error}")))?,
            );
        }
    }
}

/// Reads by tenths of their GC content. Counts alone, so that it doesn't matter which thread had which reads.
#[derive(Default)]
struct GcTenths([u64; 11]);

impl GcTenths {
    fn accept(&mut self, batch: Batch<'_>) {
        for read in batch {
            let counts = count_bases(read.sequence());
            // A read of no known base counts as 0 %.
            let tenth = (10 * counts.gc()).checked_div(counts.acgt()).unwrap_or(0);
            self.0[tenth as usize] += 1;
        }
    }

    fn merge(&mut self, other: &GcTenths) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine += theirs);
    }
}
