//! Counts with rust-htslib, whose threads inflate blocks.

use anyhow::Result;
use biofast_peers::{Counted, run};
use rust_htslib::bam::{Read, Reader, Record};

fn main() -> Result<()> {
    run("rust-htslib", |call| {
        let mut reader = Reader::from_path(&call.file)?;
        if call.threads > 1 {
            reader.set_threads(call.threads)?;
        }
        let mut record = Record::new();
        let mut counted = Counted::default();
        while let Some(result) = reader.read(&mut record) {
            result?;
            counted.add(record.seq_len());
        }
        Ok(counted)
    })
}
