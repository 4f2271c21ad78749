//! Counts with helicase, which maps plain files and reads them on several threads.

use anyhow::Result;
use biofast_peers::{Counted, run};
use helicase::*;

/// Headers and qualities are left out; sequences are looked at.
const CONFIG: Config = ParserOptions::default().ignore_headers().config();

fn main() -> Result<()> {
    run("helicase", |call| {
        let parts = ParallelFastxParser::<CONFIG>::from_file_mmap(&call.file)?
            .threads(call.threads)
            .for_each_with(Counted::default, |counted, mut parser| {
                while let Some(event) = parser.next() {
                    event?;
                    counted.add(parser.get_dna_string().len());
                }
                Ok(())
            })?;
        Ok(parts.into_iter().fold(Counted::default(), |all, part| Counted {
            records: all.records + part.records,
            bases: all.bases + part.bases,
        }))
    })
}
