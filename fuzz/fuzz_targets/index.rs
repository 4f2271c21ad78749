//! BAI, CSI and FAI: any bytes are an index or an error, and a query by a wrong index gives records of the file or an
//! error, never others.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use biofast_bam::index::Index;
use biofast_bam::{Batch, Fasta, Fold, InputOptions, Query, Selection};
use biofast_fuzz::{bounded, folder, options};
use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container;
use libfuzzer_sys::fuzz_target;

const RECORDS: usize = 200;

/// The folder with the files that are asked.
fn files() -> &'static Path {
    static FILES: OnceLock<PathBuf> = OnceLock::new();
    FILES.get_or_init(|| {
        let files = folder();
        let mut bam = header(&[("c1", 100_000), ("c2", 70_000)]);
        for i in 0..RECORDS {
            let (reference, position) = ((i / 120) as i32, (i % 120 * 500) as i32);
            bam.extend(aligned(&Aligned {
                reference,
                position,
                cigar: vec![20 << 4],
                len: 20,
                ..Aligned::default()
            }));
        }
        std::fs::write(files.join("x.bam"), container::bgzf(&bam, 400)).expect("a file");
        std::fs::write(files.join("x.fa"), b">c1\nACGTACGT\nACGT\n>c2\nTTTT\n").expect("a file");
        files
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, bytes)) = data.split_first() else { return };
    let files = files();
    if how & 1 == 1 {
        std::fs::write(files.join("x.fa.fai"), bytes).expect("a file");
        let _ = bounded(data.len(), || Fasta::open(files.join("x.fa")).map(drop));
        return;
    }
    let index = files.join("x.index");
    std::fs::write(&index, bytes).expect("a file");
    let Ok(read) = bounded(data.len(), || Index::open(&index)) else { return };
    for reference in 0..read.reference_count().min(5) {
        std::hint::black_box(read.metadata(reference));
    }
    let io = options(1 + usize::from(how & 2), 1 << 12);
    let opening = InputOptions { io: &io, reference: None, detail: Default::default() };
    let mut selection = Selection::new();
    selection.add(["c1:5000-9000", "c2", "c1:1-1000", "*"][usize::from(how >> 2) & 3]);
    let counted = bounded(data.len(), || {
        let query = Query::open_with_index(files.join("x.bam"), &selection, &opening, &index)?;
        let accept = |n: &mut usize, batch: Batch<'_>| *n += batch.len();
        Fold::new(query).options(&io).run(|| 0, accept, |a, b| *a += b).map_err(|fault| fault.error)
    });
    if let Ok((_, n)) = counted {
        assert!(n <= RECORDS, "{n} records of {RECORDS}");
    }
});
